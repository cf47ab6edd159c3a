"""How a model is asked many prompts: frames are read ahead, and replies come as they arrive."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from itertools import islice

from resources.media.stills import Media, Still
from resources.models.base import Engine, PreparedPrompt, StreamingEngine
from resources.models.calls.preparation import BUDGET_BYTES, Preparation, PreparedMedia
from resources.models.prompt import Prompt
from resources.models.reply import Reply
from resources.models.runs import GROUP, MAX_CONCURRENCY


def arriving_replies(
    engine: Engine,
    prompts: Iterable[Prompt],
    media: Media,
    at_once: int,
    may_send: Callable[[Prompt], bool] | None = None,
) -> Generator[Sequence[Reply]]:
    """Replies in groups, as they arrive and in any order.

    Engines of three kinds are asked: those that take prompts one by one (`StreamingEngine`); those
    that have a method `replies` with the arguments of `ask`, which yields groups of replies; and all
    others, which are asked for a few replies at a time.

    Args:
        engine: Engine.
        prompts: Prompts, no two with one key. They are taken a bounded number ahead, from other
            threads.
        media: Decodes frames; it is called from other threads.
        at_once: Prompts handed to an engine that answers them together; beyond 64 of them only as long as
            their frames take little memory.
        may_send: Whether a prompt may be sent, asked as the engine takes it. A prompt that may not is
            kept until the replies to all before it are there, and asked for once more; the replies end
            where it still may not. None lets all go.

    Raises:
        EngineUnavailableError: The model cannot be asked, or cannot any more; replies it gave before
            have been yielded.
    """
    can = engine.capabilities
    reads = (can.images or can.video) and not can.ignores_media
    with closing(Preparation(prompts, media, reads=reads)) as prepared:
        if may_send is None:
            yield from _replies(engine, prepared, media, at_once)
            return
        gate = _Gate(prepared, may_send)
        while gate.opens():
            yield from _replies(engine, gate, media, at_once)


def _replies(
    engine: Engine, prepared: Iterator[PreparedPrompt], media: Media, at_once: int
) -> Iterator[Sequence[Reply]]:
    if isinstance(engine, StreamingEngine):
        yield from engine.stream(prepared)
        return
    replies = getattr(engine, "replies", None)
    most = at_once if replies is None else max(GROUP, at_once)
    while group := _group(prepared, most):
        batch = [one.prompt for one in group]
        shared = PreparedMedia.of(media, group)
        if replies is None:
            yield engine.ask(batch, shared)
        else:
            yield from replies(batch, shared)


def _group(prepared: Iterator[PreparedPrompt], most: int) -> list[PreparedPrompt]:
    """The next prompts that are handed over together.

    Frames count no more for the preparation once their prompts are handed out: a large group ends where its
    frames would take as much again.
    """
    group: list[PreparedPrompt] = []
    sizes: dict[Still, int] = {}
    for one in islice(prepared, most):
        group.append(one)
        if isinstance(one.media, PreparedMedia):
            sizes |= {still: image.nbytes for still, image in one.media.in_memory.items()}
        if len(group) >= MAX_CONCURRENCY and sum(sizes.values()) >= BUDGET_BYTES:
            break
    return group


class _Gate(Iterator[PreparedPrompt]):
    """Prompts as long as they may be sent; the first that may not is kept.

    Args:
        prompts: Prompts that can be asked; several threads may take them.
        may_send: Whether one may be sent now.
    """

    def __init__(
        self, prompts: Iterator[PreparedPrompt], may_send: Callable[[Prompt], bool]
    ) -> None:
        self._prompts = prompts
        self._may_send = may_send
        self._lock = threading.Lock()
        self._kept: PreparedPrompt | None = None
        self._is_open = False
        self._is_drained = False

    def opens(self) -> bool:
        """Let prompts pass again; whether any can, while nothing is under way."""
        if self._is_drained and self._kept is None:
            return False
        self._is_open = self._kept is None or self._may_send(self._kept.prompt)
        return self._is_open

    def __next__(self) -> PreparedPrompt:
        """The next prompt.

        Raises:
            StopIteration: There is none, or it may not be sent yet.
        """
        # One after the other: the one that is kept has to be the first of those that are left.
        with self._lock:
            if not self._is_open:
                raise StopIteration
            if self._kept is not None:
                kept, self._kept = self._kept, None
                return kept
            ready = next(self._prompts, None)
            if ready is None:
                self._is_open, self._is_drained = False, True
                raise StopIteration
            if not self._may_send(ready.prompt):
                self._is_open, self._kept = False, ready
                raise StopIteration
            return ready

"""How a model is asked many prompts: frames are read ahead, and replies come as they arrive."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from contextlib import closing
from itertools import islice

from resources.media.stills import Media
from resources.models.base import Engine, StreamingEngine
from resources.models.preparation import Preparation, PreparedMedia
from resources.models.prompt import Prompt
from resources.models.reply import Reply

_GROUP = 16


def arriving_replies(
    engine: Engine, prompts: Iterable[Prompt], media: Media, at_once: int
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
        at_once: Prompts handed to an engine that answers them together.

    Raises:
        EngineUnavailableError: The model cannot be asked, or cannot any more; replies it gave before
            have been yielded.
    """
    can = engine.capabilities
    reads = (can.images or can.video) and not can.ignores_media
    with closing(Preparation(prompts, media, reads=reads)) as prepared:
        if isinstance(engine, StreamingEngine):
            yield from engine.stream(prepared)
            return
        replies = getattr(engine, "replies", None)
        most = at_once if replies is None else max(_GROUP, at_once)
        while group := [*islice(prepared, most)]:
            batch = [one.prompt for one in group]
            shared = PreparedMedia.of(media, group)
            if replies is None:
                yield engine.ask(batch, shared)
            else:
                yield from replies(batch, shared)

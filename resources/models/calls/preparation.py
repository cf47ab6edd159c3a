"""Prompts whose frames are in memory, made ready in the background while others are asked.

Prompts are taken in *windows*: neighbours whose frames are read together, so that what several of them
show is read once. Whoever gives the prompts puts those of one recording side by side, by the end of
what they show; the window's frames of a recording are then read in rising time, in stretches that
threads take in turn, and each prompt is ready as soon as the reading has come past it. Windows are
bounded by the bytes of their frames.

Preparing is fetching ahead and nothing else: what cannot be read is left to whoever builds the
prompt's message, who reads it again and meets the error where it belongs.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from weakref import WeakValueDictionary

import numpy as np

from resources.media.stills import Media, Still, read_stills
from resources.models.base import PreparedPrompt, stills_of
from resources.models.prompt import Prompt

BUDGET_BYTES = 256 << 20
"""Frames in memory at most: read or about to be read, and not yet handed out."""
_WINDOWS = 4
# A frame whose size is not known yet is taken for 1920 x 1080.
_WIDTH_PX, _HEIGHT_PX = 1920, 1080
# Prompts of a window: of one that needs the same recordings throughout; of any other, whose prompts are
# ready at its end only, at least so many and at most this share of the prompts before it.
_MOST_PROMPTS, _LEAST_PROMPTS, _SHARE = 512, 4, 1 / 32
_AHEAD_PROMPTS = 64
# Frames that a thread reads before another goes on behind it: each turn opens the file once more.
_STRETCH = 24
_MOST_THREADS = 4


def default_threads() -> int:
    """Threads that read: one per core this process may use, few enough to leave room for others."""
    allowed = getattr(os, "sched_getaffinity", None)
    cores = os.cpu_count() or 1 if allowed is None else len(allowed(0))
    return min(_MOST_THREADS, cores)


class PreparedMedia:
    """Media that have some stills in memory; all else comes from where these came from."""

    def __init__(self, media: Media, stills: Mapping[Still, np.ndarray]) -> None:
        self._media = media
        self.in_memory = stills

    @classmethod
    def of(cls, media: Media, prompts: Iterable[PreparedPrompt]) -> PreparedMedia:
        """Media of several prompts that an engine answers together.

        Args:
            media: Where the prompts' frames come from.
            prompts: The prompts.
        """
        stills: dict[Still, np.ndarray] = {}
        for prompt in prompts:
            if isinstance(prompt.media, PreparedMedia):
                stills |= prompt.media.in_memory
        return cls(media, stills)

    def __call__(self, recording_id: str, part: int, stamps: list[int]) -> list[np.ndarray]:
        """Whole frames; these are not kept in memory."""
        return self._media(recording_id, part, stamps)

    def stills(self, wanted: Iterable[Still]) -> Iterator[tuple[Still, np.ndarray]]:
        """Pixels of stills (see `read_stills`)."""
        lacking = []
        for still in dict.fromkeys(wanted):
            image = self.in_memory.get(still)
            if image is None:
                lacking.append(still)
            else:
                yield still, image
        if lacking:
            yield from read_stills(self._media, lacking)


@dataclass(slots=True)
class _Waiting:
    """A prompt on its way.

    Attributes:
        prompt: The prompt.
        wanted: Its stills.
        window: What is read together with it.
        lacking: Stills that are not there yet.
        is_ready: Whether it may be handed out.
    """

    prompt: Prompt
    wanted: tuple[Still, ...]
    window: _Window
    lacking: int
    is_ready: bool = False


@dataclass(slots=True)
class _Window:
    """Prompts whose frames are read together.

    Attributes:
        prompts: Its prompts, in order.
        bytes: Bytes that count against the budget.
        stills: Pixels that are there.
        open: Prompts that were not handed out yet.
    """

    prompts: list[_Waiting] = field(default_factory=list)
    bytes: int = 0
    stills: dict[Still, np.ndarray] = field(default_factory=dict)
    open: int = 0


class Preparation(Iterator[PreparedPrompt]):
    """Prompts in the order given, each with its frames; several threads may take them.

    Args:
        prompts: Prompts; they are taken one by one, a bounded number ahead, from threads of the
            preparation.
        media: Where frames come from; it is called from several threads.
        reads: Whether frames are read at all; else prompts are only handed on.
        threads: Threads that read; None for `default_threads`.
        budget_bytes: Bytes of frames in memory at most. A single prompt that needs more is
            prepared alone.
    """

    def __init__(
        self,
        prompts: Iterable[Prompt],
        media: Media,
        *,
        reads: bool = True,
        threads: int | None = None,
        budget_bytes: int = BUDGET_BYTES,
    ) -> None:
        self._source = iter(prompts)
        self._reads = reads
        self._media = media
        self._budget = budget_bytes
        self._state = threading.Condition()
        # Held by the one thread that takes prompts.
        self._taking = threading.Lock()
        self._next: tuple[Prompt, tuple[Still, ...]] | None = None
        self._queue: deque[_Waiting] = deque()
        self._reserved = self._taken = 0
        # Of the prompts: whether the last was taken, and whether it is in the queue.
        self._drained = self._exhausted = False
        self._closed = False
        self._fault: BaseException | None = None
        self._broken: BaseException | None = None
        # Stretches to be read, prompts that wait for a still, and stills that anybody still has.
        self._stretches: deque[list[Still]] = deque()
        self._waiting: dict[Still, list[_Waiting]] = {}
        self._alive: WeakValueDictionary[Still, np.ndarray] = WeakValueDictionary()
        self._mean_bytes: dict[int | None, int] = {}
        # Nobody waits for them: a process that ends does not stay for a frame nobody will see.
        n_threads = default_threads() if threads is None else threads
        self._threads = [
            threading.Thread(target=self._work, name=f"prepare-{n}", daemon=True)
            for n in range(n_threads)
        ]
        # A thread that is alone has nobody to take turns with.
        self._stretch = None if n_threads == 1 else _STRETCH
        self._started = False

    def __next__(self) -> PreparedPrompt:
        """The next prompt, when it is ready.

        Raises:
            StopIteration: There are no more, or the preparation was closed.
            Exception: What the prompts raised where they are made; those before it come first.
        """
        with self._state:
            if not self._started:
                self._started = True
                for thread in self._threads:
                    thread.start()
            while not self._closed:
                if self._queue and self._queue[0].is_ready:
                    return self._hand_out(self._queue.popleft())
                if self._broken is not None:
                    raise self._broken
                if not self._queue and self._exhausted:
                    if self._fault is not None:
                        raise self._fault
                    break
                self._state.wait()
            raise StopIteration

    def close(self) -> None:
        """Stop reading; no thread is waited for."""
        with self._state:
            self._closed = True
            self._state.notify_all()

    def _hand_out(self, waiting: _Waiting) -> PreparedPrompt:
        window = waiting.window
        stills = {s: window.stills[s] for s in waiting.wanted if s in window.stills}
        window.open -= 1
        if not window.open:
            self._reserved -= window.bytes
            # Another engine's thread may hold the last of its prompts for long.
            window.stills = {}
        self._state.notify_all()
        return PreparedPrompt(waiting.prompt, PreparedMedia(self._media, stills))

    def _work(self) -> None:
        try:
            while True:
                with self._taking:
                    stretch = self._take_stretch()
                if stretch is None:
                    return
                self._read(stretch)
        except BaseException as fault:  # noqa: BLE001 - raised where the next prompt is waited for
            with self._state:
                self._broken = fault
                self._state.notify_all()

    # -- windows -----------------------------------------------------------------------------------

    def _take_stretch(self) -> list[Still] | None:
        """The next stills to read, when there is room for them; None where there are no more."""
        while True:
            with self._state:
                if self._closed:
                    return None
                if self._stretches:
                    return self._stretches.popleft()
            first = self._peek()
            if first is None:
                with self._state:
                    self._exhausted = True
                    self._state.notify_all()
                return None
            need = self._bytes_of(dict.fromkeys(first[1]))
            with self._state:
                while (
                    not self._closed
                    and self._queue
                    and (self._reserved + need > self._budget or len(self._queue) >= _AHEAD_PROMPTS)
                ):
                    self._state.wait()
            self._add_window(self._take_window(first[1]))

    def _take_window(self, first: Iterable[Still]) -> _Window:
        """The next prompts to prepare together.

        Args:
            first: Stills of the first of them.
        """
        window = _Window()
        recordings = {still.recording_id for still in first}
        seen: set[Still] = set()
        least = max(_LEAST_PROMPTS, int(_SHARE * self._taken))
        while (peeked := self._peek()) is not None:
            prompt, wanted = peeked
            new = dict.fromkeys(still for still in wanted if still not in seen)
            need = self._bytes_of(new)
            is_near = recordings.issuperset(still.recording_id for still in wanted)
            most = _MOST_PROMPTS if is_near and recordings else least
            if window.prompts and (
                len(window.prompts) >= most or window.bytes + need > self._budget // _WINDOWS
            ):
                break
            seen.update(new)
            window.bytes += need
            window.prompts.append(_Waiting(prompt, wanted, window, len(set(wanted))))
            self._next = None
        window.open = len(window.prompts)
        self._taken += window.open
        return window

    def _add_window(self, window: _Window) -> None:
        """Queue prompts, and the stretches that are read for them."""
        lacking: dict[tuple[str, int], dict[Still, int]] = {}
        with self._state:
            self._reserved += window.bytes
            self._queue.extend(window.prompts)
            for number, waiting in enumerate(window.prompts):
                waiting.is_ready = not waiting.lacking
                for still in dict.fromkeys(waiting.wanted):
                    # What another prompt or an engine still holds need not be read again.
                    image = self._alive.get(still)
                    if image is not None:
                        self._give(still, image, (waiting,))
                    elif still in self._waiting:
                        self._waiting[still].append(waiting)
                    else:
                        self._waiting[still] = [waiting]
                        part = lacking.setdefault((still.recording_id, still.part), {})
                        part[still] = number
            stretches = []
            for stills in lacking.values():
                rising = sorted(stills, key=lambda still: still.source_pts)
                length = self._stretch or len(rising)
                for at in range(0, len(rising), length):
                    stretch = rising[at : at + length]
                    stretches.append((min(stills[still] for still in stretch), stretch))
            # Where prompts show several recordings, what the first of them lack comes first.
            stretches.sort(key=lambda one: one[0])
            self._stretches.extend(stretch for _, stretch in stretches)
            self._state.notify_all()

    def _peek(self) -> tuple[Prompt, tuple[Still, ...]] | None:
        """The next prompt with its stills, which stays the next; None where there are no more."""
        if self._next is None and not self._drained:
            try:
                prompt = next(self._source, None)
            except BaseException as fault:  # noqa: BLE001 - raised after the prompts before it
                self._fault, prompt = fault, None
            if prompt is None:
                self._drained = True
            else:
                self._next = prompt, stills_of(prompt) if self._reads else ()
        return self._next

    def _bytes_of(self, stills: Iterable[Still]) -> int:
        total = 0
        for still in stills:
            side = still.short_side_px
            known = self._mean_bytes.get(side)
            if known is None:
                high = _HEIGHT_PX if side is None else side
                known = high * (high * _WIDTH_PX // _HEIGHT_PX) * 3
            total += known
        return total

    def _read(self, stretch: list[Still]) -> None:
        """Read stills; the prompts that wait for them become ready when they lack no more."""
        lacking = dict.fromkeys(stretch)
        # Closed here and not by the collector: the file is open while stills are taken.
        with closing(read_stills(self._media, stretch)) as found:
            while not self._closed:
                try:
                    still, image = next(found)
                except StopIteration:
                    break
                except Exception:  # noqa: BLE001 - whoever needs the frame reads it again, and meets it
                    break
                self._mean_bytes[still.short_side_px] = image.nbytes
                del lacking[still]
                with self._state:
                    self._alive[still] = image
                    self._give(still, image, self._waiting.pop(still))
        with self._state:
            for still in lacking:
                self._give(still, None, self._waiting.pop(still))

    def _give(self, still: Still, image: np.ndarray | None, waiting: Iterable[_Waiting]) -> None:
        """A still for the prompts that wait for it; None where it cannot be read."""
        for one in waiting:
            if image is not None:
                one.window.stills[still] = image
            one.lacking -= 1
            if not one.lacking:
                one.is_ready = True
        self._state.notify_all()

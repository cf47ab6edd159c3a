"""Clips in which somebody looked: every frame that is sent is annotated, and nearly all others are."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from assets.questions.egocross.tools import EVERY_S, Recording, instant
from assets.questions.kit.funnel import refuse
from assets.questions.kit.recipe import Clip

LEAST_COVERAGE: Final = 0.9
"""Share of the frames of a clip, at the rate of the annotation, that are annotated."""
COVERED: Final = "clip_is_annotated"
_ROUNDING: Final = 1e-6


@dataclass(frozen=True, slots=True)
class Stretch:
    """A clip that may be asked about, [start_s, end_s).

    Attributes:
        recording: Its recording.
        start_s: Start, at an annotated frame.
        end_s: End.
        frames: Annotated frames of the clip, ascending.
        sent: Of these, the frames sent.
    """

    recording: Recording
    start_s: float
    end_s: float
    frames: tuple[int, ...]
    sent: tuple[int, ...]

    @property
    def anchor(self) -> tuple[str, ...]:
        """Keys that tell it apart from other clips."""
        length = f"{self.end_s - self.start_s:g}"
        return self.recording.row["recording_id"], str(self.frames[0]), length

    @property
    def clip(self) -> Clip:
        """The clip as it is shown."""
        return Clip(self.recording.row, self.start_s, self.end_s)

    @property
    def frame_keys(self) -> list[str]:
        """Keys of the rows that say that its frames are annotated."""
        return [self.recording.frame_key(frame) for frame in self.frames]

    def kinds(self, frames: Sequence[int] | None = None) -> dict[str, list[Mapping[str, Any]]]:
        """Boxes of each class of tools in view, in order of time.

        Args:
            frames: Frames that count; all annotated ones if None.
        """
        found: dict[str, list[Mapping[str, Any]]] = {}
        for frame in self.frames if frames is None else frames:
            for box in self.recording.boxes.get(frame, ()):
                found.setdefault(box["class_name"], []).append(box)
        return found

    def pictures(self, frames: Sequence[int] | None = None) -> dict[str, int]:
        """In how many frames each class of tools is in view; arguments as of `kinds`."""
        kinds = self.kinds(frames).items()
        return {kind: len({box["source_frame"] for box in boxes}) for kind, boxes in kinds}

    @property
    def one_of_each(self) -> list[str]:
        """A box of each class in view, in a frame that is sent if there is one."""
        shown = self.kinds() | self.kinds(self.sent)
        return [shown[kind][0]["box_id"] for kind in sorted(shown)]


def stretches(
    recording: Recording,
    lengths_s: Iterable[float],
    *,
    also: Container[int] | None = None,
    step_s: float | None = None,
    evenly: bool = False,
) -> Iterator[Stretch]:
    """Clips of some lengths; those of one length follow each other without overlap.

    Args:
        recording: The recording.
        lengths_s: Lengths.
        also: Frames in which something else is annotated too; others do not count. None if nothing
            else must be.
        step_s: Spacing of the annotated frames (`Boxes.step_s`).
        evenly: Whether only frames count that lie whole steps after the start.
    """
    counted = [n for n in recording.instants if also is None or n in also]
    timed = sorted((recording.instants[n], n) for n in counted)
    if len(timed) < 2:
        return
    times = [t_s for t_s, _ in timed]
    if step_s is None:
        step_s = min(later - earlier for earlier, later in pairwise(times))
    for length_s in lengths_s:
        free_s = 0.0
        for start_s, frame in timed:
            if start_s < free_s - _ROUNDING or frame not in recording.shown:
                continue
            end_s = start_s + length_s
            if end_s > recording.end_s + _ROUNDING:
                break
            first, after = (bisect_left(times, t - _ROUNDING) for t in (start_s, end_s))
            steps = {n: (t_s - start_s) / step_s + _ROUNDING for t_s, n in timed[first:after]}
            frames = tuple(n for n, step in steps.items() if not evenly or step % 1 < 2 * _ROUNDING)
            sent = _sent(recording, frames, start_s, length_s)
            looked = len({int(step) for step in steps.values()})
            if sent is None or looked < LEAST_COVERAGE * length_s / step_s - _ROUNDING:
                refuse(COVERED)
                continue
            free_s = end_s
            yield Stretch(recording, start_s, end_s, frames, sent)


def _sent(
    recording: Recording, frames: Sequence[int], start_s: float, length_s: float
) -> tuple[int, ...] | None:
    """Frames sent; None where one of them does not count."""
    wanted = range(0, round(length_s), EVERY_S)
    found = [recording.frame_at.get(instant(start_s + step)) for step in wanted]
    sent = tuple(n for n in found if n in frames and n is not None)
    return sent if len(sent) == len(found) else None

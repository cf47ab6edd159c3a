"""Questions about a drawn world, with the pictures that a protocol sends: only these are drawn and encoded.

What is sent of a whole video is tested with the frames of media (`test_media.py`); drawing every picture of all
recordings would take minutes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import av
import numpy as np

from expectations.schemas.sampling import SamplingRule, wanted_times
from resources.worlds.tools.encode import write_video
from tests.truth.drawn_surgery import Exam, Frame, Row
from tests.truth.test_surgery_tools import at_chance

Solve = Callable[[Row, list[Frame]], int | None]
"""Index of the option that frames show of a question; None where they show none."""
EVERY = SamplingRule.parse("every(2)")
Artist = Any
"""What draws a recording: its `frame(t_s)` or `picture(t_s)` is an RGB picture."""


@dataclass(frozen=True)
class Sitting:
    """A solver before an exam: share of right answers by what it is shown."""

    exam: Exam
    solve: Solve

    def right(self) -> float:
        """Of all frames sent."""
        return self._share(lambda q: self.exam.frames[q["question_id"]])

    def at_chance(self, share: float) -> bool:
        """Whether a share is not above the 95 % interval of guessing one of four."""
        return at_chance(share, len(self.exam.questions))

    def one(self, part: float) -> float:
        """Of the one frame that lies so far into the clip, 0 the first and 1 the last."""

        def frame(q: Row) -> list[Frame]:
            sent = self.exam.frames[q["question_id"]]
            return [sent[round(part * (len(sent) - 1))]]

        return self._share(frame)

    def swapped(self) -> float:
        """Of the frames of another recording."""
        return self._share(self.exam.swapped)

    def _share(self, shown: Callable[[Row], list[Frame]]) -> float:
        """Where frames show nothing, a guess is right as often as chance has it."""
        total = 0.0
        for q in self.exam.questions:
            said = self.solve(q, shown(q))
            options = q["options"]
            total += 1 / len(options) if said is None else options[said]["is_answer"]
        return total / len(self.exam.questions)


def exam(
    questions: Iterable[Row],
    artist_of: Callable[[str], Artist],
    folder: Path,
    most: int | None = None,
) -> Exam:
    """Questions, and of each clip a frame every 2 s as a video gives it back.

    Args:
        questions: Questions with one clip each.
        artist_of: What draws a recording.
        folder: Folder for videos.
        most: Questions asked, those of the lowest ids, which are hashes; all if None.
    """
    asked = sorted(questions, key=lambda q: q["question_id"])[:most]
    times = {q["question_id"]: _times(q) for q in asked}
    wanted: dict[str, set[float]] = defaultdict(set)
    for q in asked:
        wanted[q["recording_id"]] |= set(times[q["question_id"]])
    shown = {
        uid: dict(zip(sorted(ts), _filmed(artist_of(uid), sorted(ts), folder), strict=True))
        for uid, ts in sorted(wanted.items())
    }
    frames: dict[str, list[Frame]] = {
        q["question_id"]: [
            (t_s - q["media"][0]["start_s"], shown[q["recording_id"]][t_s])
            for t_s in times[q["question_id"]]
        ]
        for q in asked
    }
    return Exam(asked, frames)


def _times(q: Row) -> list[float]:
    (clip,) = q["media"]
    return [round(t_s, 3) for t_s in wanted_times(EVERY, clip["start_s"], clip["end_s"])]


def _filmed(artist: Artist, times: list[float], folder: Path) -> list[np.ndarray]:
    """Pictures of some times as they come out of a video that holds only these."""
    draw = artist.frame if hasattr(artist, "frame") else artist.picture
    drawn = [np.asarray(draw(t_s)) for t_s in times]
    height, width = drawn[0].shape[:2]
    path = folder / "sent.mp4"
    write_video(path, drawn, range(len(drawn)), 10, (width, height), fps=10)
    with av.open(str(path)) as video:
        return [frame.to_ndarray(format="rgb24") for frame in video.decode(video=0)]

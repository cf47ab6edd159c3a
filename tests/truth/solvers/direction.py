"""Tells in which direction somebody moves in a fixed camera's pictures, from the pictures a model is sent.

Somebody who moves differs from what the camera mostly shows. Where they stand on the ground follows from the row
and the column of their middle, given only how high people and cameras of the court are and how wide and how far
down the cameras look; the way from the first to the last pictures gives the direction.
"""

from __future__ import annotations

import math
import re
from typing import cast

import numpy as np
from scipy import ndimage

from tests.truth.solvers.exam import Exam, Frame, Question

_HALF_WIDTH_RAD = 0.85
_LOOKS_DOWN_RAD = math.atan2(1.8, 0.88 * math.hypot(4.7, 3.5))
_ABOVE_MIDDLE_M = 2.3 - 0.85
"""How far a camera is above the middle of somebody who stands."""
_DIFFERS = 36
_LEAST_PX = 12
_WORDS = {
    "background": (0.0, 1.0),
    "foreground": (0.0, -1.0),
    "right": (1.0, 0.0),
    "left": (-1.0, 0.0),
}
Place = tuple[float, float]


class Watcher:
    """Solves direction prediction on the court.

    Args:
        exam: Questions and pictures.
    """

    def __init__(self, exam: Exam) -> None:
        self.exam = exam
        self._usual: dict[str, np.ndarray] = {}

    def by_motion(self, asked: Question, shown: Question) -> int | None:
        """Option of another question whose pictures show the movement that is asked about."""
        ways = {}
        for n, option in enumerate(shown["options"]):
            frames, uid = self._clip(shown, option["letter"])
            first, last = (self._place(part, uid) for part in (frames[:2], frames[-2:]))
            if first is not None and last is not None:
                ways[n] = (last[0] - first[0], last[1] - first[1])
        return _nearest(ways, asked)

    def by_one_picture(self, asked: Question) -> int | None:
        """The same from the middle pictures alone: whoever stands opposite to the direction may go there."""
        places = {}
        for n, option in enumerate(asked["options"]):
            frames, uid = self._clip(asked, option["letter"])
            place = self._place(frames[len(frames) // 2 :][:1], uid)
            if place is not None:
                places[n] = (-place[0], 5.0 - place[1])
        return _nearest(places, asked)

    def _clip(self, question: Question, letter: str) -> tuple[list[Frame], str]:
        (medium,) = (m for m in question["media"] if m["role"] == f"option_{letter}")
        return self.exam.shown(question, medium["role"]), medium["recording_id"]

    def _place(self, frames: list[Frame], uid: str) -> Place | None:
        """Metres to the right of the camera's axis and away from it, over the ground."""
        if uid not in self._usual:
            every = [p for of, f in self.exam.frames.items() if of[0] == uid for _, p in f]
            self._usual[uid] = np.median(every, axis=0)
        found = [place for _, p in frames if (place := _stands(p, self._usual[uid])) is not None]
        return tuple(np.mean(found, axis=0)) if found else None


def _stands(picture: np.ndarray, usual: np.ndarray) -> Place | None:
    moved = np.abs(picture.astype(float) - usual).max(axis=2) > _DIFFERS
    parts, count = cast(tuple[np.ndarray, int], ndimage.label(moved, np.ones((3, 3))))
    if not count:
        return None
    sizes = ndimage.sum_labels(moved, parts, range(1, count + 1))
    if sizes.max() < _LEAST_PX:
        return None
    rows, columns = np.nonzero(parts == 1 + int(np.argmax(sizes)))
    height, width = moved.shape
    # Fisheye: the angle to the axis grows with the distance to the middle of the picture.
    scale = 2 * _HALF_WIDTH_RAD / width
    x, y = ((columns.mean() - (width - 1) / 2) * scale, (rows.mean() - (height - 1) / 2) * scale)
    angle = math.hypot(x, y)
    right, down, ahead = (*(np.array([x, y]) * np.sinc(angle / math.pi)), math.cos(angle))
    level = ahead * math.cos(_LOOKS_DOWN_RAD) - down * math.sin(_LOOKS_DOWN_RAD)
    sinks = ahead * math.sin(_LOOKS_DOWN_RAD) + down * math.cos(_LOOKS_DOWN_RAD)
    if sinks < 0.02:
        return None
    return right * _ABOVE_MIDDLE_M / sinks, level * _ABOVE_MIDDLE_M / sinks


def _nearest(ways: dict[int, Place], asked: Question) -> int | None:
    """Option whose way points most nearly in the direction that the question names."""
    named = [_WORDS[w] for w in re.findall("|".join(_WORDS), asked["text"])]
    to = np.sum(named, axis=0)

    def along(way: Place) -> float:
        return float(np.dot(way, to) / max(math.hypot(*way), 1e-9))

    return max(ways, key=lambda n: along(ways[n])) if ways else None

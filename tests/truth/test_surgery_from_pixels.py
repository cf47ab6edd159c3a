"""Questions about tools of the simulated operations: answerable from their pixels, and only so."""

from __future__ import annotations

import numpy as np
import pytest

from assets.questions.egocross.dominant_object import BUILDER as DOMINANT
from assets.questions.egocross.object_counting import BUILDER as COUNTING
from assets.questions.egocross.object_not_visible import BUILDER as NOT_VISIBLE
from tests.truth.drawn_surgery import VIDEOS, DrawnSurgery, Exam, Frame, Row
from tests.truth.solvers.surgery_tools import Shown, shown, solve

LEAST = {"dominant_object": 40, "object_counting": 30, "object_not_visible": 15}


class Reader:
    """What pictures show; each is looked at once."""

    def __init__(self) -> None:
        self._known: dict[bytes, Shown] = {}

    def answer(self, q: Row, frames: list[Frame]) -> int | None:
        texts = [option["text"] for option in q["options"]]
        return solve(q["text"], texts, [self._shown(image) for _, image in frames])

    def _shown(self, image: np.ndarray) -> Shown:
        key = image.tobytes()
        if key not in self._known:
            self._known[key] = shown(image)
        return self._known[key]


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader()


@pytest.fixture(
    scope="module", params=[DOMINANT, COUNTING, NOT_VISIBLE], ids=lambda builder: builder.recipe
)
def exam(request: pytest.FixtureRequest, drawn_surgery: DrawnSurgery) -> Exam:
    found = drawn_surgery.exam(request.param.make)
    assert len(found.questions) >= LEAST[request.param.subtasks[0]]
    assert {q["recording_id"] for q in found.questions} == set(VIDEOS)
    return found


def test_pixels_tell_the_answer(exam: Exam, reader: Reader) -> None:
    answers = {
        q["question_id"]: reader.answer(q, exam.frames[q["question_id"]]) for q in exam.questions
    }
    assert exam.share_right(answers) >= 0.95


def test_nothing_but_pixels_tells_it(exam: Exam) -> None:
    blind = dict.fromkeys((q["question_id"] for q in exam.questions), None)
    assert exam.by_chance(exam.share_right(blind))


def test_another_video_does_not_tell_it(exam: Exam, reader: Reader) -> None:
    answers = {q["question_id"]: reader.answer(q, exam.swapped(q)) for q in exam.questions}
    assert exam.by_chance(exam.share_right(answers))

"""Questions about tools of the simulated operations: answerable from their pixels, and only so."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import pytest

from assets.questions.egocross.action_localisation_cholectrack20 import BUILDER as START
from assets.questions.egocross.dominant_object import BUILDER as DOMINANT
from assets.questions.egocross.next_action import BUILDER as ACTION
from assets.questions.egocross.next_phase import BUILDER as PHASE
from assets.questions.egocross.object_counting import BUILDER as COUNTING
from assets.questions.egocross.object_not_visible import BUILDER as NOT_VISIBLE
from assets.questions.kit.builder import Builder
from tests.truth.drawn_surgery import VIDEOS, DrawnSurgery, Exam, Frame, Row
from tests.truth.solvers.surgery_phases import (
    phase_shown,
    solve_action,
    solve_phase,
    solve_start,
)
from tests.truth.solvers.surgery_tools import Shown, shown, solve

LEAST = {
    "dominant_object": 40,
    "next_action": 15,
    "next_phase": 19,
    "object_counting": 30,
    "object_not_visible": 15,
}


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


# Most that any one picture of a clip tells. What is absent takes all of them to see; of a hand that holds one tool
# for nearly all of a clip one picture may do, as of three kinds that stay in view.
ONE_PICTURE = {"dominant_object": 0.95, "object_counting": 0.5, "object_not_visible": 0.4}


def test_one_picture_tells_less_than_all(exam: Exam, reader: Reader) -> None:
    for place in (0, 2, -1):
        answers = {
            q["question_id"]: reader.answer(q, [exam.frames[q["question_id"]][place]])
            for q in exam.questions
        }
        share = exam.share_right(answers)
        assert share < ONE_PICTURE[exam.questions[0]["subtask"]]
        if exam.questions[0]["subtask"] == "object_not_visible":
            assert exam.by_chance(share)


# -- what comes next -------------------------------------------------------------------------------

Solve = Callable[[Sequence[str], Iterable[str | None]], int | None]
NEXT: dict[str, tuple[Builder, Solve]] = {
    "next_phase": (PHASE, solve_phase),
    "next_action": (ACTION, solve_action),
}


@pytest.fixture(scope="module", params=NEXT)
def following(request: pytest.FixtureRequest, drawn_surgery: DrawnSurgery) -> tuple[Exam, Solve]:
    builder, solve = NEXT[request.param]
    found = drawn_surgery.exam(builder.make)
    assert len(found.questions) >= LEAST[request.param]
    return found, solve


def answered(solve: Solve, q: Row, frames: Sequence[Frame]) -> int | None:
    texts = [option["text"] for option in q["options"]]
    return solve(texts, (phase_shown(image) for _, image in frames))


def test_pixels_tell_what_comes_next(following: tuple[Exam, Solve]) -> None:
    exam, solve = following
    sent = {q["question_id"]: exam.frames[q["question_id"]] for q in exam.questions}
    answers = {q["question_id"]: answered(solve, q, sent[q["question_id"]]) for q in exam.questions}
    assert exam.share_right(answers) >= 0.95
    # One picture is enough: a phase looks the same from its beginning to its end.
    first = {
        q["question_id"]: answered(solve, q, sent[q["question_id"]][:1]) for q in exam.questions
    }
    assert exam.share_right(first) >= 0.95


def test_neither_nothing_nor_another_video_tells_what_comes_next(
    following: tuple[Exam, Solve],
) -> None:
    exam, solve = following
    blind = dict.fromkeys((q["question_id"] for q in exam.questions), None)
    assert exam.by_chance(exam.share_right(blind))
    swapped = {q["question_id"]: answered(solve, q, exam.swapped(q)) for q in exam.questions}
    assert exam.by_chance(exam.share_right(swapped))


# -- when an action begins -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def starts(drawn_surgery: DrawnSurgery) -> Exam:
    found = drawn_surgery.exam(START.make)
    assert len(found.questions) >= 25
    return found


def share_of_starts(exam: Exam, frames: Callable[[Row], Sequence[Frame]]) -> float:
    return exam.share_right(
        {
            q["question_id"]: solve_start(q["text"], [o["text"] for o in q["options"]], frames(q))
            for q in exam.questions
        }
    )


def test_pixels_tell_when_an_action_begins(starts: Exam) -> None:
    assert share_of_starts(starts, lambda q: starts.frames[q["question_id"]]) >= 0.95


def test_neither_one_picture_nor_another_video_tells_when_it_begins(starts: Exam) -> None:
    middle = share_of_starts(starts, lambda q: starts.frames[q["question_id"]][5:6])
    assert starts.by_chance(middle)
    assert starts.by_chance(share_of_starts(starts, starts.swapped))
    assert starts.by_chance(share_of_starts(starts, lambda _: []))

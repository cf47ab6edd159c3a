"""EgoCoT active object grounding in the flat: the last picture tells, and neither text nor the rest."""

from __future__ import annotations

from collections import Counter

import pytest

from assets.questions.egocot.active_object_grounding import BUILDER
from tests.truth.easg_flat import EasgFlat
from tests.truth.solvers.active_object import Frame, solve
from tests.truth.solvers.exam import Exam, Question, sit


@pytest.fixture(scope="module")
def exam(easg_flat: EasgFlat) -> Exam:
    return sit(easg_flat.folder, "easg", BUILDER, "endpoints(16)")


def answer(q: Question, frames: list[Frame]) -> int | None:
    return solve([o["text"] for o in q["options"]], frames)


def test_there_are_enough_questions(exam: Exam) -> None:
    counts = Counter(q["recording_id"] for q in exam.questions)
    assert len(counts) == 6
    assert 30 <= counts.total() <= 80


def test_the_answer_is_what_is_truly_acted_on(exam: Exam, easg_flat: EasgFlat) -> None:
    """Against the plan of the flat, which no stage has seen."""
    for q in exam.questions:
        take, at_s = easg_flat.takes[q["recording_id"]], q["media"][0]["end_s"]
        (name,) = {
            take.name_of(a.object) for a in take.actions if abs(a.contact_s - at_s) <= 1 / 30
        }
        assert [o["text"] for o in q["options"] if o["is_answer"]] == [name]


def test_pixels_tell_the_answer(exam: Exam) -> None:
    assert exam.share_right(lambda q: answer(q, exam.shown(q, "query"))) >= 0.95


def test_nothing_but_pixels_tells_it(exam: Exam) -> None:
    assert exam.by_chance(exam.share_right(lambda _: None))


def test_another_clip_does_not_tell_it(exam: Exam) -> None:
    def swapped(q: Question) -> int | None:
        return answer(q, exam.shown(exam.other(q, "recording_id"), "query"))

    assert exam.by_chance(exam.share_right(swapped))


@pytest.mark.parametrize("at", [0, 2, 4])
def test_another_instant_does_not_tell_it(exam: Exam, at: int) -> None:
    """What was in hand before is among the options, so that it may even mislead."""
    share = exam.share_right(lambda q: answer(q, exam.shown(q, "query")[at : at + 1]))
    assert share <= 0.25 + exam.margin

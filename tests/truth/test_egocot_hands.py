"""EgoCoT questions about hands in the flat, against what each hand truly did and the pictures."""

from __future__ import annotations

import pytest

from assets.questions.egocot.hand_object_association import BUILDER
from tests.truth.easg_flat import EasgFlat
from tests.truth.solvers.acting_hand import solve
from tests.truth.solvers.active_object import Frame
from tests.truth.solvers.exam import Exam, Question, sit


@pytest.fixture(scope="module")
def exam(easg_flat: EasgFlat) -> Exam:
    """All questions, also where one hand is right more often than the other."""
    return sit(easg_flat.folder, "easg", BUILDER.under("paper"), "endpoints(16)")


def answer(q: Question, frames: list[Frame]) -> int | None:
    return solve([o["text"] for o in q["options"]], frames)


def test_hand_and_object_are_those_that_truly_act(exam: Exam, easg_flat: EasgFlat) -> None:
    """Against the plan of the flat, which no stage has seen."""
    assert len(exam.questions) >= 30
    for q in exam.questions:
        at_s = q["media"][0]["end_s"]
        (now,) = easg_flat.actions_at(q["recording_id"], at_s)
        name = easg_flat.takes[q["recording_id"]].name_of(now.object)
        assert q["answer_text"] == f"the {now.hand} hand on the {name}"
        assert f"uses the {now.hand} hand" in q["rationale"][0]["text"]


def test_the_other_object_is_in_neither_hand(exam: Exam, easg_flat: EasgFlat) -> None:
    """What was taken is in a hand until it is put down."""
    for q in exam.questions:
        take, at_s = easg_flat.takes[q["recording_id"]], q["media"][0]["end_s"]
        names = {o["text"].partition(" hand on the ")[2] for o in q["options"]}
        (other,) = names - {q["answer_text"].partition(" hand on the ")[2]}
        before = [a for a in take.actions if a.start_s <= at_s and take.name_of(a.object) == other]
        assert not before or before[-1].verb not in ("get", "pour", "wash", "wipe", "cut")


def test_pixels_tell_the_answer(exam: Exam) -> None:
    assert exam.share_right(lambda q: answer(q, exam.shown(q, "query"))) >= 0.95


def test_nothing_but_pixels_tells_it(exam: Exam) -> None:
    assert exam.by_chance(exam.share_right(lambda _: None))


def test_another_clip_does_not_tell_it(exam: Exam) -> None:
    def swapped(q: Question) -> int | None:
        return answer(q, exam.shown(exam.other(q, "recording_id"), "query"))

    assert exam.by_chance(exam.share_right(swapped))


def test_another_instant_does_not_tell_it(exam: Exam) -> None:
    share = exam.share_right(lambda q: answer(q, exam.shown(q, "query")[2:3]))
    assert share <= 0.25 + exam.margin

"""EgoCoT questions about hands in the flat, against what each hand truly did and the pictures."""

from __future__ import annotations

import pytest

from assets.questions.egocot.hand_object_association import BUILDER
from assets.questions.egocot.hand_object_temporal_retrospection import BUILDER as ORDER
from tests.truth.easg_flat import EasgFlat
from tests.truth.solvers.acting_hand import solve
from tests.truth.solvers.active_object import Frame
from tests.truth.solvers.exam import Exam, Question, sit

# After these the thing is still in a hand.
HOLDING = ("get", "pour", "wash", "wipe", "cut")


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
        assert f"is using the {now.hand} hand" in q["rationale"][0]["text"]


def test_the_other_object_is_in_neither_hand(exam: Exam, easg_flat: EasgFlat) -> None:
    """What was taken is in a hand until it is put down."""
    for q in exam.questions:
        take, at_s = easg_flat.takes[q["recording_id"]], q["media"][0]["end_s"]
        names = {o["text"].partition(" hand on the ")[2] for o in q["options"]}
        (other,) = names - {q["answer_text"].partition(" hand on the ")[2]}
        before = [a for a in take.actions if a.start_s <= at_s and take.name_of(a.object) == other]
        assert not before or before[-1].verb not in HOLDING


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


# -- order of actions --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def orders(easg_flat: EasgFlat) -> Exam:
    return sit(easg_flat.folder, "easg", ORDER, "endpoints(2)")


def test_the_order_is_that_in_which_hands_truly_act(orders: Exam, easg_flat: EasgFlat) -> None:
    assert len(orders.questions) >= 12
    for q in orders.questions:
        take, clip = easg_flat.takes[q["recording_id"]], q["media"][0]
        first: dict[str, float] = {}
        for action in take.actions:
            if clip["start_s"] - 1e-6 <= action.start_s <= clip["end_s"]:
                first.setdefault(take.name_of(action.object), action.start_s)
        order = q["answer_text"].removeprefix("the ").split(", then the ")
        assert order == sorted(order, key=first.__getitem__)
        assert all(first[name] <= clip["end_s"] - 2.0 for name in order)


def test_what_comes_later_was_in_no_hand_before(orders: Exam, easg_flat: EasgFlat) -> None:
    for q in orders.questions:
        take, start_s = easg_flat.takes[q["recording_id"]], q["media"][0]["start_s"]
        _, *later = q["answer_text"].removeprefix("the ").split(", then the ")
        for name in later:
            before = [
                a.verb
                for a in take.actions
                if a.start_s <= start_s and take.name_of(a.object) == name
            ]
            assert before[-1:] not in ([verb] for verb in HOLDING)


def test_options_alone_do_not_tell_the_order(orders: Exam) -> None:
    assert orders.by_chance(orders.share_right(lambda _: None))

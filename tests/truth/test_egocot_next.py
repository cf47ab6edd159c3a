"""EgoCoT questions about what comes next in the flat, against what was truly done."""

from __future__ import annotations

import pytest

from assets.questions.egocot.next_action_anticipation import BUILDER
from assets.questions.egocot.next_state_anticipation import BUILDER as STATE
from assets.questions.kit.builder import Builder
from tests.truth.easg_flat import VERBS, EasgFlat
from tests.truth.egocot_flat import KINDS, LEAVES, true_state
from tests.truth.solvers.exam import Exam, Question, sit


@pytest.fixture(scope="module")
def exam(easg_flat: EasgFlat) -> Exam:
    """All questions, however often a verb is right."""
    return sit(easg_flat.folder, "easg", BUILDER.under("paper"), "endpoints(2)")


def begun(q: Question, flat: EasgFlat, within_s: float) -> list[str]:
    """What is begun so soon after the clip, as options read, in time order."""
    take, end_s = flat.takes[q["recording_id"]], q["media"][0]["end_s"]
    after = [a for a in take.actions if end_s < a.start_s <= end_s + within_s]
    return [
        f"{VERBS.get(a.verb, a.verb)} the {take.name_of(a.object)}"
        + (" somewhere" if VERBS.get(a.verb, a.verb) == "put" else "")
        for a in sorted(after, key=lambda a: a.start_s)
    ]


def test_the_answer_is_what_is_truly_done_next(exam: Exam, easg_flat: EasgFlat) -> None:
    """Against the plan of the flat, which no stage has seen."""
    assert len(exam.questions) >= 30
    for q in exam.questions:
        assert q["answer_text"] == begun(q, easg_flat, 5.0)[0]
    assert len({q["answer_text"].split()[0] for q in exam.questions}) >= 4


def test_nothing_of_the_answer_is_shown(exam: Exam, easg_flat: EasgFlat) -> None:
    for q in exam.questions:
        assert begun(q, easg_flat, 0.95) == []
        (ahead,) = (s["text"] for s in q["rationale"] if s["text"].startswith("The next"))
        assert "begins 1.0 s after the clip ends" in ahead


def test_no_other_option_is_done_within_the_horizon(exam: Exam, easg_flat: EasgFlat) -> None:
    for q in exam.questions:
        others = {o["text"] for o in q["options"]} - {q["answer_text"]}
        assert not others & set(begun(q, easg_flat, 5.0))


@pytest.mark.parametrize(("builder", "end"), [(BUILDER, 0), (STATE, -1)])
def test_neither_a_verb_nor_a_state_is_a_good_guess(
    easg_flat: EasgFlat, builder: Builder, end: int
) -> None:
    """Of those who always say the same first or last word."""
    strict = sit(easg_flat.folder, "easg", builder, "endpoints(2)")
    assert len(strict.questions) >= 20
    assert strict.by_chance(strict.share_right(lambda _: None))
    for word in {o["text"].split()[end] for q in strict.questions for o in q["options"]}:

        def said(q: Question, word: str = word) -> int | None:
            named = [o["text"].split()[end] == word for o in q["options"]]
            return named.index(True) if any(named) else None

        assert strict.share_right(said) <= 0.25 + strict.margin, word


# -- next state -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def states(easg_flat: EasgFlat) -> Exam:
    """All questions, however often a state is right."""
    return sit(easg_flat.folder, "easg", STATE.under("paper"), "endpoints(2)")


def comes_about(q: Question, text: str, flat: EasgFlat) -> bool:
    """Whether an action that ends within 5 s after the clip leaves a thing in a state."""
    name, _, state = text.removeprefix("the ").partition(" is ")
    take, end_s = flat.takes[q["recording_id"]], q["media"][0]["end_s"]
    return any(
        take.name_of(a.object) == name
        and LEAVES.get(a.verb, ("", ""))[1] == state
        and end_s < a.end_s <= end_s + 5.0
        for a in take.actions
    )


def test_the_state_truly_comes_about_and_no_other(states: Exam, easg_flat: EasgFlat) -> None:
    assert len(states.questions) >= 20
    for q in states.questions:
        true = [o["text"] for o in q["options"] if comes_about(q, o["text"], easg_flat)]
        assert true == [q["answer_text"]]
        name, _, state = q["answer_text"].removeprefix("the ").partition(" is ")
        take, end_s = easg_flat.takes[q["recording_id"]], q["media"][0]["end_s"]
        assert true_state(take, name, KINDS[state], end_s) != state
        assert begun(q, easg_flat, 0.95) == []

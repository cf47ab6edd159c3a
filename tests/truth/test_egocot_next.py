"""EgoCoT questions about what comes next in the flat, against what was truly done."""

from __future__ import annotations

import pytest

from assets.questions.egocot.next_action_anticipation import BUILDER
from tests.truth.easg_flat import VERBS, EasgFlat
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
        (ahead,) = (s["text"] for s in q["rationale"] if s["text"].startswith("The camera"))
        assert "begins 1.0 s after the clip ends" in ahead


def test_no_other_option_is_done_within_the_horizon(exam: Exam, easg_flat: EasgFlat) -> None:
    for q in exam.questions:
        others = {o["text"] for o in q["options"]} - {q["answer_text"]}
        assert not others & set(begun(q, easg_flat, 5.0))


def test_no_verb_is_a_good_guess(easg_flat: EasgFlat) -> None:
    strict = sit(easg_flat.folder, "easg", BUILDER, "endpoints(2)")
    assert len(strict.questions) >= 20
    assert strict.by_chance(strict.share_right(lambda _: None))
    verbs = [[o["text"].partition(" the ")[0] for o in q["options"]] for q in strict.questions]
    for verb in {verb for of in verbs for verb in of}:

        def said(q: Question, verb: str = verb) -> int | None:
            named = [o["text"].partition(" the ")[0] == verb for o in q["options"]]
            return named.index(True) if any(named) else None

        assert strict.share_right(said) <= 0.25 + strict.margin, verb

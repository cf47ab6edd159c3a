"""Tests of judges are built from a benchmark's own answers, and their verdicts are beyond doubt."""

from __future__ import annotations

from collections import Counter
from typing import Any

from assets.predictions.judging.cases import decide, prompt_of
from assets.predictions.judging.known_answers import QUESTIONS_TESTED, known_answers

ANSWERS = ("a knife", "the mug", "3", "yes", "left hand", "the red cloth", "knife", "on the table")


def question(i: int, answer: str | None = None, **changes: Any) -> dict[str, Any]:
    return {
        "question_id": f"q{i}",
        "question_hash": f"h{i}",
        "subtask": f"s{i % 3}",
        "recording_id": f"r{i}",
        "text": f"Question {i}?",
        "answer_text": answer,
        "detailed_answer": None,
        "rationale": [{"step": 1, "text": f"Step of {i}", "evidence": []}],
        "options": [],
    } | changes


QUESTIONS = [question(i, answer) for i, answer in enumerate(ANSWERS)]


def test_every_class_is_there_and_few_questions_are_used() -> None:
    for kind in ("open", "reasoning"):
        found = known_answers(QUESTIONS, kind)
        counts = Counter(test.test_class for test in found)
        assert counts["right"] >= 12 and counts["wrong"] >= 12 and counts["adversarial"] >= 8
        assert len({test.question_id for test in found}) == QUESTIONS_TESTED
        assert len({test.item for test in found}) == len(found)


def test_the_same_tests_whatever_the_order_of_the_questions() -> None:
    assert known_answers(QUESTIONS[::-1], "open") == known_answers(QUESTIONS, "open")


def test_an_answer_known_to_be_wrong_is_neither_equal_to_the_right_one_nor_part_of_it() -> None:
    for test in known_answers(QUESTIONS, "open"):
        if test.expected == "wrong" and test.test != "denied":
            shortcut = decide(test.case, "paper")
            assert shortcut is None, test.item
            words = test.case.reference.split()[-1]
            assert test.test == "everything_at_once" or words not in test.case.given.split()


def test_most_tests_reach_the_judge_and_their_prompts_are_sound() -> None:
    for kind in ("open", "reasoning"):
        found = known_answers(QUESTIONS, kind)
        asked = [test for test in found if decide(test.case, "paper") is None]
        assert len(asked) == len(found)
        lines = {len(prompt_of(test.case, "paper").splitlines()) for test in asked}
        assert len(lines) == 1


def test_without_another_answer_no_wrong_one_is_made_up() -> None:
    alone = known_answers([question(0, "a knife")], "open")
    assert all("{" not in test.case.given or '"verdict"' in test.case.given for test in alone)
    assert not {"other_answer", "denied"} & {test.test for test in alone}
    assert {"sentence", "cannot_tell", "verdict_in_json"} <= {test.test for test in alone}
    same = [question(0, "a knife"), question(1, "The knife"), question(2, "knife and fork")]
    assert "other_answer" not in {test.test for test in known_answers(same, "open")}


def test_questions_without_what_is_judged_have_no_tests() -> None:
    assert known_answers([question(0, None)], "open") == []
    assert known_answers([question(0, "a knife", rationale=[])], "reasoning") == []


def test_steps_of_the_same_recording_are_not_called_wrong() -> None:
    same = [question(i, "a", recording_id="r") for i in range(3)]
    assert "other_reference" not in {test.test for test in known_answers(same, "reasoning")}


def test_faults_are_planted_in_every_rationale_that_has_what_they_change() -> None:
    step = {"step": 1, "text": "At 2.0 s the left hand takes the cup.", "evidence": []}
    options = [
        {"letter": "A", "text": "the cup", "is_answer": True},
        {"letter": "B", "text": "the pan", "is_answer": False},
    ]
    asked = [question(i, "a", rationale=[step], options=options) for i in range(2)]
    found = [test for test in known_answers(asked, "reasoning") if test.test_class == "perturbed"]
    # One step has no order.
    assert Counter(test.test for test in found) == dict.fromkeys(
        ("other_hand", "later", "other_option"), 2
    )
    assert {test.expected for test in found} == {"lower"}
    assert not [test for test in known_answers(asked, "open") if test.test_class == "perturbed"]

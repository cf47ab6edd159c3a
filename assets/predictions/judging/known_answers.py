"""Answers whose verdict is known, built from a benchmark's own questions, by which judges are tested.

`known_answers.toml` holds the rules: answers that are right in other words, answers that are wrong, wrong ones
that try to turn a judge, and reference rationales with one fault (`perturbations`). What a judge makes of them is
its error rate.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from assets.extract.words import plain_words
from assets.predictions.judging import perturbations
from assets.predictions.judging.cases import Case, Kind, rationale_text

QUESTIONS_TESTED = 6
"""Questions of a benchmark that tests are built from."""
_RULES = Path(__file__).with_suffix(".toml")
_PLACE = re.compile(r"\{(\w+)\}")

Question = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class KnownAnswer:
    """An answer whose verdict is known.

    Attributes:
        item: Names it among the tests of a benchmark.
        test: Rule it was built by.
        test_class: `right`, `wrong`, `adversarial` or `perturbed`.
        question_id: Question it answers.
        case: What a judge is asked.
    """

    item: str
    test: str
    test_class: str
    question_id: str
    case: Case

    @property
    def expected(self) -> str:
        """Verdict that is right; of a perturbed rationale, a mark lower than that of the reference."""
        if self.test_class == "perturbed":
            return "lower"
        return "right" if self.test_class == "right" else "wrong"


@dataclass(frozen=True, slots=True)
class _Rule:
    test: str
    test_class: str
    text: str

    @property
    def places(self) -> frozenset[str]:
        return frozenset(_PLACE.findall(self.text))


def known_answers(questions: Sequence[Question], kind: Kind) -> list[KnownAnswer]:
    """Tests of one kind, from the questions of lowest hash, as many subtasks as there are.

    Args:
        questions: Rows of `questions` of one benchmark.
        kind: What is judged.

    Returns:
        Tests in the order of questions and rules; none where no question has what is judged. A rule that
        needs a wrong answer is left out where no other question gives one, and a fault where the rationale
        has nothing that it could change.
    """
    usable = [q for q in questions if _reference(q, kind).strip()]
    chosen = _chosen(usable)
    return [
        KnownAnswer(
            f"{question['question_id']}/{rule.test}",
            rule.test,
            rule.test_class,
            question["question_id"],
            case,
        )
        for question, rule in _pairs(chosen, _rules()[kind])
        if (case := _case(question, rule, kind, usable)) is not None
    ]


@cache
def _rules() -> dict[str, tuple[_Rule, ...]]:
    declared = tomllib.loads(_RULES.read_text(encoding="utf-8"))
    return {
        kind: tuple(_Rule(rule["test"], rule["class"], rule["text"]) for rule in rules)
        for kind, rules in declared.items()
    }


def _pairs(
    questions: Sequence[Question], rules: Sequence[_Rule]
) -> Iterator[tuple[Question, _Rule]]:
    turn = 0
    for rule in rules:
        if rule.test_class != "adversarial":
            yield from ((question, rule) for question in questions)
        elif questions:
            yield questions[turn % len(questions)], rule
            turn += 1


def _chosen(questions: Sequence[Question]) -> list[Question]:
    """Questions of lowest hash, the subtasks in turns."""
    turns: dict[str, int] = {}
    ordered: list[tuple[int, str, Question]] = []
    for question in sorted(questions, key=lambda q: q["question_hash"]):
        turn = turns[question["subtask"]] = turns.get(question["subtask"], -1) + 1
        ordered.append((turn, question["question_hash"], question))
    ordered.sort(key=lambda one: one[:2])
    return [question for _, _, question in ordered[:QUESTIONS_TESTED]]


def _reference(question: Question, kind: Kind) -> str:
    return question["answer_text"] or "" if kind == "open" else rationale_text(question)


def _case(question: Question, rule: _Rule, kind: Kind, others: Sequence[Question]) -> Case | None:
    answer = _reference(question, kind)
    texts = {name: _text(name, question, kind, answer, others) for name in rule.places}
    if None in texts.values():
        return None
    given = _PLACE.sub(lambda place: texts[place[1]] or "", rule.text)
    detailed = question["detailed_answer"] or "" if kind == "open" else ""
    return Case(kind, question["text"], answer, detailed, given)


def _text(
    name: str, question: Question, kind: Kind, answer: str, others: Sequence[Question]
) -> str | None:
    """What stands in a place of a rule; None where the questions have nothing for it."""
    if name == "answer":
        return answer
    if name == "other":
        return _other(question, kind, others)
    if name == "other_option":
        return perturbations.other_option(answer, question["options"])
    return _CHANGES[name](answer)


_CHANGES = {
    "other_hand": perturbations.other_hand,
    "exchanged_times": perturbations.exchanged_times,
    "later": perturbations.later,
}


def _other(question: Question, kind: Kind, others: Sequence[Question]) -> str | None:
    """A reference that is wrong for a question: of another subtask if there is one, of lowest hash."""
    own = plain_words(_reference(question, kind))
    for other in sorted(
        others, key=lambda q: (q["subtask"] == question["subtask"], q["question_hash"])
    ):
        reference = _reference(other, kind)
        words = plain_words(reference)
        apart = not _contains(own, words) and not _contains(words, own)
        # Steps of one recording may be true of another question about it.
        elsewhere = kind == "open" or other["recording_id"] != question["recording_id"]
        if words and apart and elsewhere:
            return reference
    return None


def _contains(words: Sequence[str], part: Sequence[str]) -> bool:
    size = len(part)
    return any(words[at : at + size] == part for at in range(len(words) - size + 1))

"""What follows from the answers of a model that was shown less than a question shows.

The model is asked in several orders of the options, so that neither a preference for a letter nor one
lucky reply decides. What counts is the probability that it is right: the share of the orders in which it
names the key, or, where it scores options, the mean of the key's normalised likelihood.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from expectations.gates.base import Finding, Guesses, NotAsked, Question, finite
from expectations.gates.tables import EvidenceTables
from expectations.schemas.identity import stable_hash

MOST_OPTIONS = 5


def asked_letters(question: Mapping[str, Any]) -> list[str]:
    """Letters a model is asked about, in shown order: all, or the answer and four others.

    With 20 options a model at chance is right so rarely that "not right" says nothing; the four are those
    of lowest hash, so that the choice does not move with the others.
    """
    letters = [str(o["letter"]) for o in question["options"]]
    if len(letters) <= MOST_OPTIONS:
        return letters
    answer = str(question["answer"])
    others = sorted(
        (x for x in letters if x != answer),
        key=lambda x: stable_hash("blind", str(question["question_hash"]), x),
    )
    kept = {answer, *others[: MOST_OPTIONS - 1]}
    return [x for x in letters if x in kept]


def probability(guesses: Guesses, letters: Sequence[str], answer: str) -> float:
    """Probability that a model is right.

    Args:
        guesses: Its answers, at least one.
        letters: Letters it was asked about.
        answer: Letter of the key.
    """
    if guesses.scores:
        return sum(_normalised(s, letters, answer) for s in guesses.scores) / len(guesses.scores)
    return sum(letter == answer for letter in guesses.named) / len(guesses.named)


def _normalised(scores: Mapping[str, float], letters: Sequence[str], answer: str) -> float:
    """Likelihood of the key among that of all letters."""
    highest = max(scores[x] for x in letters)
    return math.exp(scores[answer] - highest) / sum(math.exp(scores[x] - highest) for x in letters)


@dataclass(frozen=True, slots=True)
class Shortened:
    """A gate whose model is shown less than a question shows.

    Attributes:
        gate: Name of the gate.
        seeing: What the model sees, in words that follow "asked".
        right: Rule of a question that it answers.
        wrong: Rule of a question that it does not answer.
    """

    gate: str
    seeing: str
    right: str
    wrong: str

    def judge(
        self, question: Question, given: EvidenceTables, letters: Sequence[str]
    ) -> Iterator[Finding]:
        """What follows for one question: one finding, or none where no model is configured for the gate.

        Args:
            question: Question.
            given: What gates may look at.
            letters: Letters that the model was asked about.
        """
        if self.gate not in given.guesses:
            return
        known = given.guesses[self.gate].get(str(question.row["question_hash"]))
        if known is None:
            yield self._open("not_asked", f"no model was asked {self.seeing}")
        elif isinstance(known, NotAsked):
            yield Finding(self.gate, known.rule, known.reason, known.verdict)
        else:
            yield self._judged(question, known, letters)

    def _judged(self, question: Question, known: Guesses, letters: Sequence[str]) -> Finding:
        n, model = known.orders, known.model
        absent = [x for x in letters if not all(finite(s.get(x)) for s in known.scores)]
        if absent:
            words = f"{model} gave no score for {', '.join(absent)}"
            return self._open("not_scored", words, known)
        if question.answer not in letters or len(letters) < 2:
            words = "the answer is not among the options asked"
            return self._open("not_scored", words, known)
        if not known.scores and not any(known.named):
            words = f"no reply of {model} names an option, in {n} orders"
            return self._open("not_read", words, known)
        value, chance = probability(known, letters, question.answer), 1 / len(letters)
        threshold = chance + known.margin * (1 - chance)
        times = "one order" if n == 1 else f"{n} orders"
        words = (
            f"{model} {self.seeing}: right with probability {value:.2f} in {times} of the"
            f" {len(letters)} options, at most {threshold:.2f} are allowed (chance {chance:.2f})"
        )
        is_answered = value > threshold
        verdict = ("warn" if known.path_test else "refuse") if is_answered else "pass"
        if is_answered and known.path_test:
            words += "; it only tests the path: a model this weak is right by chance"
        rule = self.right if is_answered else self.wrong
        return Finding(self.gate, rule, words, verdict, value, threshold, model=model, orders=n)

    def _open(self, rule: str, words: str, known: Guesses | None = None) -> Finding:
        if known is None:
            return Finding(self.gate, rule, words, "unknown")
        orders = known.orders or None
        return Finding(self.gate, rule, words, "unknown", model=known.model, orders=orders)

"""Guessers that know how often texts are answers, and nothing else of a question.

What they learn from one question they use on the others, so that their hits are not independent: a
lead that a binomial test finds is therefore tested again by relabelling, which marks any option of
each question as right.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from expectations.set_checks.outcomes import WARN_P, Outcome, by_lead, lead
from expectations.set_checks.rows import Asked

_RELABELLED = 1999
# No dependence between hits makes up for so small a p.
_BEYOND_DOUBT = 1e-8
# Guesser: which options are right (bool per option) to how often it is right, per question.
Guesser = Callable[["_Shown", np.ndarray], np.ndarray]


class _Shown:
    """Options of all questions one after the other; texts and recordings as numbers.

    Attributes:
        text: int [m], text of each option.
        question: int [m], question of each option.
        recording: int [m], recording of its question.
        right: bool [m].
        counts: int [n], number of options of each question.
    """

    def __init__(self, rows: Sequence[Asked]) -> None:
        """Number what questions in words show."""
        self.counts = np.array([len(row.letters) for row in rows])
        self.question = np.repeat(np.arange(len(rows)), self.counts)
        texts = [text for row in rows for text in row.read_texts]
        self.text = np.unique(texts, return_inverse=True)[1]
        recordings = np.unique([row.recording_id for row in rows], return_inverse=True)[1]
        self.recording = recordings[self.question]
        self.right = np.array([is_answer for row in rows for is_answer in row.right], dtype=bool)
        self._own = np.unique(
            self.text * (recordings.max() + 1) + self.recording, return_inverse=True
        )[1]

    def guess(self, values: np.ndarray, right: np.ndarray) -> np.ndarray:
        """Per question, how probably an option of greatest value is right; ties share."""
        best = np.full(len(self.counts), -np.inf)
        np.maximum.at(best, self.question, values)
        top = values >= best[self.question] - 1e-12
        hit = np.bincount(self.question, weights=top & right, minlength=len(self.counts))
        return hit / np.bincount(self.question, weights=top, minlength=len(self.counts))

    def relabelled(self, rng: np.random.Generator) -> np.ndarray:
        """Options that are right if any option of each question may be."""
        first = np.cumsum(self.counts) - self.counts
        right = np.zeros(len(self.text), dtype=bool)
        right[first + rng.integers(self.counts)] = True
        return right

    def elsewhere(self, right: np.ndarray) -> np.ndarray:
        """How often each option's text is the answer in other recordings."""
        every = np.bincount(self.text[right], minlength=int(self.text.max()) + 1)
        own = np.bincount(self._own[right], minlength=int(self._own.max()) + 1)
        return (every[self.text] - own[self._own]).astype(np.float64)

    def share_right(self, right: np.ndarray) -> np.ndarray:
        """Share of other questions that show an option's text in which it is right."""
        size = int(self.text.max()) + 1
        yes = np.bincount(self.text[right], minlength=size)[self.text] - right
        no = np.bincount(self.text[~right], minlength=size)[self.text] - ~right
        return (yes + 0.5) / (yes + no + 1.0)


def answer_frequency(rows: Sequence[Asked]) -> Outcome:
    """How often a guesser is right who knows which answer is most frequent, but not the question.

    For each question the answer's text most frequent in the other recordings is picked among its
    options: what is learned is judged on recordings it was not learned from.
    """
    asked = [r for r in rows if r.in_words]
    if not asked and rows:
        return Outcome("pass", None, None, "options are clips: no answer repeats")
    if asked and len({r.recording_id for r in asked}) < 2:
        return Outcome("unknown", None, None, "all questions are of one recording")
    return _tested(
        asked,
        lambda shown, right: shown.guess(shown.elsewhere(right), right),
        "the most frequent answer is right",
    )


def option_frequency(rows: Sequence[Asked]) -> Outcome:
    """How often a guesser is right who picks the option that is a distractor least often.

    Where distractors come from another list than answers, their words give them away.
    """
    asked = [r for r in rows if r.in_words]
    if not asked and rows:
        return Outcome("pass", None, None, "options are clips: no text is shown")
    return _tested(
        asked,
        lambda shown, right: shown.guess(shown.share_right(right), right),
        "the option that is most often an answer is right",
    )


def _tested(asked: Sequence[Asked], guesser: Guesser, what: str) -> Outcome:
    if not asked:
        return lead(0, [], what)
    shown = _Shown(asked)
    hits = float(guesser(shown, shown.right).sum())
    out = lead(round(hits), [1 / n for n in shown.counts], what)
    if out.p is None or out.value is None or not _BEYOND_DOUBT < out.p < WARN_P:
        return out
    rng = np.random.default_rng(0)
    as_good = sum(
        guesser(shown, shown.relabelled(rng)).sum() >= hits - 1e-9 for _ in range(_RELABELLED)
    )
    p = max(out.p, (1 + as_good) / (1 + _RELABELLED))
    words = out.message.rpartition("p = ")[0] + f"p = {p:.2g})"
    verdict = by_lead(out.value, out.value - out.gain, p)
    return replace(out, p=p, verdict=verdict, message=words)

"""Outcomes of set checks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence, Sized
from dataclasses import dataclass
from typing import Literal

from expectations.set_checks.tails import at_least

Verdict = Literal["pass", "warn", "refuse", "unknown"]

# A fair set is refused once in a thousand checks, and warned about once in a hundred.
REFUSE_P = 0.001
WARN_P = 0.01
# Expected count per letter below which chi-square is not to be trusted (Cochran's rule).
LEAST_EXPECTED = 5.0
LEAST_QUESTIONS = 30
# A guesser's accuracy over chance that matters, whatever its significance. Ratios, since a guesser
# who doubles the 5 % of twenty options tells as much as one who doubles the 25 % of four.
WARN_RATIO = 1.2
REFUSE_RATIO = 1.5
# Standard errors that a gain is counted less, where guessers are compared.
_SURE = 1.96


@dataclass(frozen=True, slots=True)
class Outcome:
    """Verdict of one check on one set.

    Attributes:
        verdict: What the check says.
        value: What was measured.
        limit: From where on it warns.
        message: The same in words.
        p: How probable the guesser's success is by chance, where the check is a guesser's.
        gain: Accuracy of that guesser minus chance, over the questions it has something to go by.
        error: Standard error of the gain.
        share: Share of the set's questions it has something to go by.
    """

    verdict: Verdict
    value: float | None
    limit: float | None
    message: str
    p: float | None = None
    gain: float = 0.0
    error: float = 0.0
    share: float = 1.0

    @property
    def sure_gain(self) -> float:
        """Gain over all questions that is almost certainly there."""
        return (self.gain - _SURE * self.error) * self.share


def lead(hits: int, chances: Sequence[float], what: str, asked: Sized = ()) -> Outcome:
    """Hits of a guesser against chance: how large the lead is, and whether it is one.

    Where enough was asked and no question gives the guesser anything to go by, that is no lead.

    Args:
        hits: Questions the guesser has right.
        chances: Chance of each question the guesser has something to go by.
        what: What the guesser goes by, for the message.
        asked: All questions of the set, where these may be more.
    """
    n = len(chances)
    if not n and len(asked) >= LEAST_QUESTIONS:
        return Outcome("pass", None, None, "no question gives a guesser anything to go by")
    if n < LEAST_QUESTIONS:
        words = f"{n} questions can show it, {LEAST_QUESTIONS} are needed"
        return Outcome("unknown", None, None, words)
    chance = sum(chances) / n
    p = at_least(hits, n, chance)
    words = f"{what} in {hits} of {n} ({hits / n:.0%}, chance {chance:.0%}, p = {p:.2g})"
    share = n / max(n, len(asked))
    return Outcome(
        by_lead(hits / n, chance, p),
        hits / n,
        chance * WARN_RATIO,
        words,
        p,
        hits / n - chance,
        math.sqrt(hits / n * (1 - hits / n) / n),
        share,
    )


def by_lead(accuracy: float, chance: float, p: float) -> Verdict:
    """Verdict on a guesser: its lead must be both significant and large to count."""
    if p < REFUSE_P and accuracy > REFUSE_RATIO * chance:
        return "refuse"
    return "warn" if p < WARN_P and accuracy > WARN_RATIO * chance else "pass"


def none_allowed(found: Sequence[str], what: str) -> Outcome:
    """Refused where anything was found, with the first few."""
    if not found:
        return Outcome("pass", 0.0, 0.0, f"no {what}")
    more = f" and {len(found) - 3} more" if len(found) > 3 else ""
    return Outcome(
        "refuse", float(len(found)), 0.0, f"{len(found)} {what}: {'; '.join(found[:3])}{more}"
    )


def too_few(rows: Sized, needed: str) -> Outcome:
    """Nothing can be said yet."""
    return Outcome("unknown", None, None, f"{len(rows)} questions are too few, {needed} are needed")


def by_p(p: float) -> Verdict:
    """Verdict of a test's p."""
    return "refuse" if p < REFUSE_P else "warn" if p < WARN_P else "pass"


def rank(out: Outcome) -> tuple[int, float]:
    """Order of outcomes, worst first."""
    order = {"refuse": 0, "warn": 1, "pass": 2, "unknown": 3}
    return order[out.verdict], -(out.value or 0.0)


def first_letters(count: int) -> Iterator[str]:
    """The first letters."""
    return (chr(ord("A") + i) for i in range(count))

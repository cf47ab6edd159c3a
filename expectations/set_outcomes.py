"""Outcomes of set checks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Sized
from dataclasses import dataclass
from typing import Literal

from scipy.stats import binomtest

Verdict = Literal["pass", "warn", "refuse", "unknown"]

# A fair set is refused once in a thousand checks, and warned about once in a hundred.
REFUSE_P = 0.001
WARN_P = 0.01
# Expected count per letter below which chi-square is not to be trusted (Cochran's rule).
LEAST_EXPECTED = 5.0
LEAST_QUESTIONS = 30
# A lead over chance that matters, whatever its significance.
WARN_LEAD = 0.10
REFUSE_LEAD = 0.25


@dataclass(frozen=True, slots=True)
class Outcome:
    """Verdict of one check on one set."""

    verdict: Verdict
    value: float | None
    limit: float | None
    message: str


def lead(hits: int, chances: Sequence[float], what: str, asked: Sized = ()) -> Outcome:
    """Hits of a guesser against chance: how large the lead is, and whether it is one.

    Where enough was asked and no question gives the guesser anything to go by, that is no lead.
    """
    n = len(chances)
    if not n and len(asked) >= LEAST_QUESTIONS:
        return Outcome("pass", None, None, "no question gives a guesser anything to go by")
    if n < LEAST_QUESTIONS:
        words = f"{n} questions can show it, {LEAST_QUESTIONS} are needed"
        return Outcome("unknown", None, None, words)
    chance = sum(chances) / n
    ahead = hits / n - chance
    p = float(binomtest(hits, n, chance, alternative="greater").pvalue)
    verdict: Verdict = "pass"
    if p < WARN_P and ahead > WARN_LEAD:
        verdict = "refuse" if p < REFUSE_P and ahead > REFUSE_LEAD else "warn"
    words = f"{what} in {hits} of {n} ({hits / n:.0%}, chance {chance:.0%}, p = {p:.2g})"
    return Outcome(verdict, hits / n, chance + WARN_LEAD, words)


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

"""Counts of the candidates that each rule of a recipe refuses, taken while its questions are built.

A candidate is whatever a recipe looks at to ask one question about: it becomes a question, or the first rule
that it breaks refuses it. A recipe lists its rules in order and names one where it gives a candidate up;
nothing else has to be counted, since what was not refused was built.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

import polars as pl

NEAR, ANSWERED, ENOUGH = "apart_from_others", "answer_not_asked_often", "few_of_one_recording"
UNBUILT = "can_be_built"
FEW_RULES = (NEAR, ANSWERED, ENOUGH)
"""Rules of `choice.few`; also `UNBUILT`, of candidates whose question is None for no other rule."""
_REFUSED: ContextVar[Counter[str] | None] = ContextVar("refused", default=None)


@contextmanager
def counting() -> Iterator[Counter[str]]:
    """Count what rules refuse inside the block, apart from any block around it."""
    refused: Counter[str] = Counter()
    token = _REFUSED.set(refused)
    try:
        yield refused
    finally:
        _REFUSED.reset(token)


def refuse(rule: str, n: int = 1) -> None:
    """Note that a rule refuses candidates; without a block of `counting`, nothing happens.

    Args:
        rule: Name of the rule, as the recipe lists it.
        n: Number of candidates.
    """
    refused = _REFUSED.get()
    if refused is not None:
        refused[rule] += n


def n_refused() -> int:
    """Candidates refused so far."""
    refused = _REFUSED.get()
    return 0 if refused is None else refused.total()


def funnel_steps(
    recipe: str, rules: Sequence[str], refused: Counter[str], built: int
) -> list[tuple[str, int, int]]:
    """Rules in order, each with the candidates it refuses and those it leaves.

    Args:
        recipe: Name of the recipe, for the message.
        rules: Its rules, in order.
        refused: Candidates refused, by rule.
        built: Questions built.

    Returns:
        First all candidates, as a step that refuses none, then the rules. The last step leaves the
        questions that were built.

    Raises:
        ValueError: A rule that refused candidates is not listed.
    """
    unknown = sorted(rule for rule, n in refused.items() if n and rule not in rules)
    if unknown:
        raise ValueError(
            f"recipe {recipe} refuses candidates by {unknown}, which it does not list; add them to the"
            " `rules` of its builder"
        )
    left = built + refused.total()
    steps = [("candidates", 0, left)]
    for rule in rules:
        left -= refused[rule]
        steps.append((rule, refused[rule], left))
    return steps


def funnel_totals(funnels: pl.DataFrame) -> pl.DataFrame:
    """Rules of each recipe and source with their counts over all units, in order.

    Args:
        funnels: Rows of `question_funnels`.

    Returns:
        Columns source, subtask, recipe, step, rule, refused, left and published.
    """
    by = ["source", "subtask", "recipe", "step", "rule"]
    return (
        funnels.group_by(by)
        .agg(pl.col("refused", "left").sum(), pl.col("published").first())
        .sort("subtask", "source", "recipe", "step")
    )

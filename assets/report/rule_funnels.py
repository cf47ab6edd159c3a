"""Candidates of each recipe from the first to the published question, for the page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

import polars as pl

from assets.questions.kit.funnel import funnel_totals
from expectations.schemas.readings import unwritten_recipe


@dataclass(frozen=True, slots=True)
class RuleStep:
    """A rule, the candidates it refuses, and those it leaves."""

    rule: str
    refused: int
    left: int


@dataclass(frozen=True, slots=True)
class RuleFunnel:
    """Candidates of one recipe in one source.

    Attributes:
        source: Source.
        subtask: Subtask, or the name of a recipe of several.
        recipe: Recipe and its version.
        steps: Rules in order; the first step is all candidates.
        published: Questions built that the gates keep; None where no gate has judged any.
        in_paper: Questions that the paper has from this dataset; None if it says none.
    """

    source: str
    subtask: str
    recipe: str
    steps: tuple[RuleStep, ...]
    published: int | None
    in_paper: int | None


def rule_funnels(
    funnels: pl.DataFrame, questions: pl.DataFrame, published: Collection[str], *, judged: bool
) -> tuple[RuleFunnel, ...]:
    """Funnels of all recipes that count what they refuse, by subtask and source.

    Args:
        funnels: Rows of `question_funnels` of one benchmark.
        questions: Columns source, recipe and question_id of its `questions`.
        published: Ids of published questions.
        judged: Whether any gate has judged any of its questions.
    """
    known = frozenset(published)
    kept = Counter(
        # Whoever wrote a question, its recipe's candidates led to it.
        (source, unwritten_recipe(recipe))
        for source, recipe, key in questions.select("source", "recipe", "question_id").iter_rows()
        if key in known
    )
    parts = funnel_totals(funnels).partition_by(
        "subtask", "source", "recipe", as_dict=True, maintain_order=True
    )
    return tuple(
        RuleFunnel(
            source=source,
            subtask=subtask,
            recipe=recipe,
            steps=tuple(
                RuleStep(*row) for row in rows.select("rule", "refused", "left").iter_rows()
            ),
            published=kept[source, recipe] if judged else None,
            in_paper=rows["published"][0],
        )
        for (subtask, source, recipe), rows in parts.items()
        if rows.height > 1
    )

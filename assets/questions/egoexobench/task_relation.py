"""Task relation: the same task, filmed from the other view and in another place (EgoExoBench A.2).

The query is a recording of one performance. One option shows the same task from the other view; the
others show other tasks in the same kind of place ("all from kitchen environments"), so that the look of
the room does not rule them out. Each recording asks once, of either view.

The right option comes from another place than the query ("ground-truth pairs come from different
environments within the same scenario", 3.3.1). Where the source does not tell places the question says
`environment_unknown` in its evidence and the gate `consistent` refuses it: the room may give it away.

The three distractors show three different tasks: two of one task would rule each other out. Lengths would
tell the task too: all clips are cut to the shortest, around the middles of the recordings, and at least
half of each recording stays.

The paper states neither and shows whole videos: the reading `paper` takes any recordings of other tasks,
and any recording of the task from the other view, also one of the same take.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

import polars as pl

from assets.pairs.choice import number_of, numbers, pair_ranks
from assets.questions.egoexobench.performances import READS, SINGLE_TASK, Performance, performances
from assets.questions.kit.builder import Tables
from assets.questions.kit.clips import may_be_cut_alike
from assets.questions.kit.funnel import refuse
from assets.questions.kit.needs import BOTH_VIEWS, rows_where
from assets.questions.kit.recipe import Recipe, Row, template

RECIPE = Recipe("egoexobench", "task_relation", 1, template(__file__, "task_relation.j2"))
DISTRACTORS = 3
SHORTEST_S = 10.0
_PLACES = {
    "same": "the same place",
    "different": "another place",
    "unknown": "a place that the source does not tell",
}


def questions(tables: Tables, reading: str) -> Iterator[Row]:
    """One question per recording that has an answer and three distractors.

    Args:
        tables: Rows of `recordings` of a whole source.
        reading: Under `paper`, take any recordings of the other view, and show them whole.
    """
    recipe = RECIPE.under(reading)
    known = sorted(performances(tables, SHORTEST_S), key=lambda p: (p.pool, p.uid))
    for _, members in groupby(known, key=lambda p: p.pool):
        pool = [*members]
        for view in ("ego", "exo"):
            beside = [p for p in pool if p.view != view]
            numbered = numbers(pl.Series([p.uid for p in beside], dtype=pl.String))
            for query in (p for p in pool if p.view == view):
                ranked = _ranked(query, beside, numbered)
                answer = _answer(query, ranked, any_place=recipe.as_paper)
                if answer is None:
                    refuse("same_task_elsewhere")
                    continue
                chosen = _distractors(query, answer, ranked, any_length=recipe.as_paper)
                if len(chosen) == DISTRACTORS:
                    yield _question(recipe, query, answer, chosen)
                else:
                    refuse("three_other_tasks")


def _ranked(
    query: Performance, beside: Sequence[Performance], numbered: pl.Series
) -> list[Performance]:
    """Recordings of the other view by hash of the query and each of them."""
    mine = pl.Series([number_of(query.uid)], dtype=pl.UInt64).new_from_index(0, len(beside))
    order = pair_ranks(mine, numbered).arg_sort().to_list()
    return [beside[i] for i in order]


def _question(
    recipe: Recipe, query: Performance, answer: Performance, distractors: Sequence[Performance]
) -> Row:
    shown = (query, answer, *distractors)
    length_s = None if recipe.as_paper else min(p.length_s for p in shown)
    right, *others = (p.option(length_s) for p in (answer, *distractors))
    relation = query.place_beside(answer)
    return recipe.question(
        anchor=(query.uid,),
        text={
            "query": query.row,
            "shown": answer.row,
            "task": str(query.row["scenario"]).strip(),
            "place": _PLACES[relation],
        },
        answer=right,
        distractors=others,
        media=[query.clip(length_s)],
        evidence=[
            ("recordings", query.uid, "query"),
            ("recordings", answer.uid, f"environment_{relation}"),
        ],
    )


def _answer(
    query: Performance, ranked: Sequence[Performance], *, any_place: bool
) -> Performance | None:
    """The first recording of the query's task; those known to be of another place come first."""
    same_task = (p for p in ranked if p.shows_task_of(query))
    if any_place:
        return next(same_task, None)
    fit = [p for p in same_task if may_be_cut_alike((query.length_s, p.length_s))]
    for relation in ("different", "unknown"):
        for performance in fit:
            if query.place_beside(performance) == relation:
                return performance
    return None


def _distractors(
    query: Performance, answer: Performance, ranked: Sequence[Performance], *, any_length: bool
) -> list[Performance]:
    """The first three recordings of other tasks; those of other places than the query's come first."""
    chosen: list[Performance] = []
    for same_place in (False, True):
        for other in ranked:
            if len(chosen) == DISTRACTORS:
                return chosen
            here = query.place_beside(other) == "same"
            if other.shows_task_of(query) or here != same_place:
                continue
            lengths = (p.length_s for p in (query, answer, *chosen, other))
            if any_length or (
                may_be_cut_alike(lengths) and not any(other.shows_task_of(p) for p in chosen)
            ):
                chosen.append(other)
    return chosen


BUILDER = RECIPE.builder(
    questions,
    unit="source",
    reads={"recordings": READS},
    needs=(
        BOTH_VIEWS,
        rows_where(
            "recordings",
            ("scenario",),
            pl.col("scenario").fill_null("") != "",
            "no recording names its task",
        ),
    ),
    limits=(
        "takes of a single task, at least 10 s long: one from the other view and another place that"
        f" shows the query's task, and {DISTRACTORS} of other tasks in the same kind of place, none"
        " more than twice as long as another"
    ),
    rules=(SINGLE_TASK, "same_task_elsewhere", "three_other_tasks"),
    one_frame=True,
)

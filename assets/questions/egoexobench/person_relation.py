"""Person relation: the person boxed in the wearer's pictures, among people boxed from above (EgoExoBench A.2).

The query is a row of the wearer's pictures with one person boxed on each. The options are the pictures
of the same numbers from above, each with another person boxed: "negative candidates are drawn from the
same timestamp but depict different individuals". The wearer, who is never in the query, is not an option.

All four people of a question are boxed in the query's pictures too. Otherwise whoever finds the wearer
from above could leave out people who are out of view, without recognising anybody.

The paper says none of this, and shows "the corresponding top-view frame". The reading `paper` shows that
one picture as each option, takes anybody else who is boxed there, and draws as the released tool does.

Nothing is written of the people: an option's text is the same for all.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import polars as pl

from assets.questions.egoexobench.boxed_people import (
    APART,
    DISTRACTORS,
    LEAST_HEIGHT,
    MOST,
    MOST_COVERED,
    READS,
    apart_from,
    is_clear,
    seen_in_all,
)
from assets.questions.kit.builder import Tables
from assets.questions.kit.choice import Candidate, by_hash, few
from assets.questions.kit.funnel import FEW_RULES, refuse
from assets.questions.kit.needs import rows_where, take_with_both_views
from assets.questions.kit.pictures import SHOWN, CommonNumbers, Line, Pictures
from assets.questions.kit.recipe import RECORDING_COLUMNS, Option, Recipe, Row, template

RECIPE = Recipe("egoexobench", "person_relation", 1, template(__file__, "person_relation.j2"))
BLUE = Line("blue")
# The released tool: 3 px of pure blue on pictures of 1520 px.
AS_RELEASED = Line("#0000ff", 3 / 1520)
BOXED_PERSON = "the person in the box"
Asked = tuple[int, str]
"""Number of a picture, and the person asked about."""


def questions(tables: Tables, reading: str) -> Iterator[Row]:
    """Questions about the people of one take.

    Args:
        tables: Rows of `recordings`, `clocks`, `images` and `boxes` of the take.
        reading: Under `paper`, show one picture as each option, and offer anybody boxed there.
    """
    recipe = RECIPE.under(reading)
    together = tables["clocks"].filter(pl.col("method") == "same_index")["recording_id"].implode()
    recordings = tables["recordings"].filter(pl.col("recording_id").is_in(together))
    ego, exo = (
        [
            Pictures(row, tables["images"], tables["boxes"])
            for row in recordings.filter(pl.col("view") == view)
            .sort("recording_id")
            .iter_rows(named=True)
        ]
        for view in ("ego", "exo")
    )
    for worn in ego:
        for above in exo:
            if worn.row["person_id"] is not None:
                yield from _of_pair(recipe, worn, above)


def _of_pair(recipe: Recipe, worn: Pictures, above: Pictures) -> Iterator[Row]:
    common = CommonNumbers(worn, above)
    found = [
        Candidate(
            recipe.id(str(worn.row["source"]), *anchor),
            anchor,
            person,
            float(place),
            person,
            (number, person),
        )
        for number, place in common.places.items()
        for person in worn.people.get(number, ())
        if person in above.people.get(number, ())
        for anchor in [(worn.uid, above.uid, str(number), person)]
    ]
    row = partial(_question, recipe, worn, above, common)
    yield from few(found, row, most=MOST, most_per_answer=MOST, apart_s=APART)


def _question(
    recipe: Recipe,
    worn: Pictures,
    above: Pictures,
    common: CommonNumbers,
    asked: Candidate[Asked],
) -> Row | None:
    number, person = asked.content
    numbers = common.around(number)
    if not numbers:
        refuse("pictures_in_a_row")
        return None
    least = 0.0 if recipe.as_paper else LEAST_HEIGHT
    shown = (number,) if recipe.as_paper else numbers
    in_query = seen_in_all(worn, numbers, least=least)
    offered = seen_in_all(above, shown, least=least) - {worn.row["person_id"]}
    if person not in in_query & offered:
        refuse("seen_in_all_of_both")
        return None
    ranked = by_hash(offered - {person}, "distractor", asked.identity)
    if recipe.as_paper:
        others = ranked[:DISTRACTORS]
    elif is_clear(worn, numbers, person):
        others = apart_from(person, [p for p in ranked if p in in_query], above, numbers)
    else:
        refuse("not_hidden")
        return None
    if len(others) < DISTRACTORS:
        refuse("three_other_people")
        return None
    line = AS_RELEASED if recipe.as_paper else BLUE
    query = worn.boxed(numbers, person, line)
    answer, *distractors = (
        Option(
            BOXED_PERSON,
            clip=above.boxed(shown, one, line),
            evidence=above.evidence(shown, one),
        )
        for one in (person, *others)
    )
    return recipe.question(
        anchor=asked.anchor,
        text={
            "person": person,
            "first": numbers[0],
            "last": numbers[-1],
            "shown_first": shown[0],
            "shown_last": shown[-1],
            "worn": worn.uid,
            "above": above.uid,
        },
        answer=answer,
        distractors=distractors,
        media=[query],
        evidence=[
            ("clocks", worn.uid, "query"),
            ("clocks", above.uid, "option"),
            *((table, key, "query") for table, key in worn.evidence(numbers, person)),
        ],
    )


BUILDER = RECIPE.builder(
    questions,
    unit="take",
    reads={
        **READS,
        "recordings": (*RECORDING_COLUMNS, "take_id", "view", "person_id"),
    },
    needs=(
        take_with_both_views(("same_index",)),
        rows_where(
            "boxes",
            ("person_id",),
            pl.col("person_id").is_not_null(),
            "no box of a person with an id",
        ),
    ),
    limits=(
        f"{SHOWN} pictures in a row in which {DISTRACTORS + 1} people besides the wearer are boxed in"
        f" both views, at least {LEAST_HEIGHT:.0%} of the picture high, and not hidden behind each"
        f" other by more than {MOST_COVERED:.0%}"
    ),
    rules=(
        *FEW_RULES,
        "pictures_in_a_row",
        "seen_in_all_of_both",
        "not_hidden",
        "three_other_people",
    ),
    one_frame=True,
)

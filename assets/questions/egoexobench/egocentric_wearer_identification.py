"""Wearer identification: who of four people in a fixed camera's pictures wears the camera (EgoExoBench A.3).

The query is a row of a wearer's pictures. The options are the fixed camera's pictures of the same numbers,
each with another person boxed; exactly one of them is the wearer. Whoever else wears a camera in the
scene is among the options where possible: a camera that can be seen on someone's head then tells two of
four people, not one.

A question is about a listed pair of pictures. The list must name the wearer (1,039 of the 69,024 released
pairs do not) and at least four people, as in the paper: "only samples containing four or more
individuals".

The reading `paper` shows the one fixed picture of the pair as each option, as the released files do, takes
any three of the others who are boxed there, and draws as the released tool does.

Nothing is written of the people: an option's text is the same for all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
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
    seen_in_all,
)
from assets.questions.kit.builder import Tables
from assets.questions.kit.choice import Candidate, by_hash, few
from assets.questions.kit.funnel import FEW_RULES, refuse
from assets.questions.kit.needs import rows_of, rows_where, take_with_both_views
from assets.questions.kit.pictures import SHOWN, CommonNumbers, Line, Pictures
from assets.questions.kit.recipe import RECORDING_COLUMNS, Option, Recipe, Row, template

RECIPE = Recipe(
    "egoexobench",
    "egocentric_wearer_identification",
    1,
    template(__file__, "egocentric_wearer_identification.j2"),
)
RED = Line("red")
# The released tool: 2 px of pure red on pictures of a height that no file states; 360 px are sent.
AS_RELEASED = Line("#ff0000", 2 / 360)
LEAST_PEOPLE = DISTRACTORS + 1
BOXED_PERSON = "the person in the box"


@dataclass(frozen=True, slots=True)
class _Scene:
    """A wearer's pictures and the fixed camera's.

    Attributes:
        worn: The wearer's.
        fixed: The fixed camera's.
        common: Numbers of the pictures that both have.
        wearers: People who wear a camera in the scene.
    """

    worn: Pictures
    fixed: Pictures
    common: CommonNumbers
    wearers: frozenset[str]


def questions(tables: Tables, reading: str) -> Iterator[Row]:
    """Questions about the wearers of one scene.

    Args:
        tables: Rows of `recordings`, `clocks`, `images`, `boxes` and `listed_people` of the take.
        reading: Under `paper`, show one picture as each option, and offer anybody boxed there.
    """
    recipe = RECIPE.under(reading)
    together = tables["clocks"].filter(pl.col("method") == "same_index")["recording_id"].implode()
    rows = tables["recordings"].filter(pl.col("recording_id").is_in(together))
    of_view = {
        view: rows.filter(pl.col("view") == view).sort("recording_id").to_dicts()
        for view in ("ego", "exo")
    }
    wearers = frozenset(row["person_id"] for row in of_view["ego"] if row["person_id"] is not None)
    listed = tables["listed_people"].sort("source_frame")
    for fixed_row in of_view["exo"]:
        of_fixed = listed.filter(pl.col("recording_id") == fixed_row["recording_id"])
        numbers = of_fixed["source_frame"].to_list()
        fixed = Pictures(fixed_row, tables["images"], tables["boxes"], *numbers)
        for worn_row in of_view["ego"]:
            pairs = of_fixed.filter(pl.col("ego_recording_id") == worn_row["recording_id"])
            # Without the wearer's pictures, they are taken to be as many as the fixed camera's.
            worn = Pictures(worn_row, tables["images"], tables["boxes"], *fixed.places)
            scene = _Scene(worn, fixed, CommonNumbers(worn, fixed), wearers)
            yield from _of_wearer(recipe, scene, pairs)


def _of_wearer(recipe: Recipe, scene: _Scene, pairs: pl.DataFrame) -> Iterator[Row]:
    places, boxed = scene.common.places, scene.fixed.people
    found = [
        Candidate(
            recipe.id(str(scene.worn.row["source"]), *anchor),
            anchor,
            pair["wearer_id"],
            float(places[pair["source_frame"]]),
            pair["wearer_id"],
            pair,
        )
        for pair in pairs.iter_rows(named=True)
        if pair["source_frame"] in places
        and pair["wearer_id"] in pair["people"]
        and len(set(pair["people"])) >= LEAST_PEOPLE
        and pair["wearer_id"] in boxed.get(pair["source_frame"], ())
        for anchor in [(scene.worn.uid, scene.fixed.uid, str(pair["source_frame"]))]
    ]
    refuse("listed_with_three_others", pairs.height - len(found))
    row = partial(_question, recipe, scene)
    yield from few(found, row, most=MOST, most_per_answer=MOST, apart_s=APART)


def _question(recipe: Recipe, scene: _Scene, asked: Candidate[Row]) -> Row | None:
    pair, fixed = asked.content, scene.fixed
    number, wearer = pair["source_frame"], pair["wearer_id"]
    numbers = scene.common.around(number)
    if not numbers or wearer != scene.worn.row["person_id"]:
        refuse("wearers_pictures_in_a_row")
        return None
    least = 0.0 if recipe.as_paper else LEAST_HEIGHT
    shown = (number,) if recipe.as_paper else numbers
    offered = seen_in_all(fixed, shown, least=least) & set(pair["people"])
    if wearer not in offered:
        refuse("seen_in_all")
        return None
    kinds = () if recipe.as_paper else (scene.wearers,)
    ranked = by_hash(offered - {wearer}, "distractor", asked.identity, kinds=kinds)
    others = ranked[:DISTRACTORS] if recipe.as_paper else apart_from(wearer, ranked, fixed, numbers)
    if len(others) < DISTRACTORS:
        refuse("three_other_people")
        return None
    line = AS_RELEASED if recipe.as_paper else RED
    query = scene.worn.clip(numbers)
    answer, *distractors = (
        Option(
            BOXED_PERSON,
            clip=fixed.boxed(shown, one, line),
            evidence=fixed.evidence(shown, one),
        )
        for one in (wearer, *others)
    )
    return recipe.question(
        anchor=asked.anchor,
        text={
            "wearer": wearer,
            "first": numbers[0],
            "last": numbers[-1],
            "shown_first": shown[0],
            "shown_last": shown[-1],
            "worn": scene.worn.uid,
            "fixed": fixed.uid,
        },
        answer=answer,
        distractors=distractors,
        media=[query],
        evidence=[
            ("clocks", scene.worn.uid, "query"),
            ("clocks", fixed.uid, "option"),
            ("listed_people", f"{fixed.uid}/{number}/{scene.worn.uid}", "pair"),
        ],
    )


BUILDER = RECIPE.builder(
    questions,
    unit="take",
    reads={
        **READS,
        "recordings": (*RECORDING_COLUMNS, "take_id", "view", "person_id"),
        "listed_people": (
            "recording_id",
            "source_frame",
            "ego_recording_id",
            "wearer_id",
            "people",
        ),
    },
    needs=(
        take_with_both_views(("same_index",)),
        rows_of("listed_people", "no list says who is in a picture and whose camera goes with it"),
        rows_where(
            "boxes",
            ("person_id",),
            pl.col("person_id").is_not_null(),
            "no box of a person with an id",
        ),
    ),
    limits=(
        f"a listed picture of {LEAST_PEOPLE} or more people, the wearer among them, and {SHOWN}"
        f" pictures in a row around it in which the wearer and {DISTRACTORS} others are boxed, at least"
        f" {LEAST_HEIGHT:.0%} of the picture high, and not hidden behind each other by more than"
        f" {MOST_COVERED:.0%}"
    ),
    rules=(
        "listed_with_three_others",
        *FEW_RULES,
        "wearers_pictures_in_a_row",
        "seen_in_all",
        "three_other_people",
    ),
    one_frame=True,
)

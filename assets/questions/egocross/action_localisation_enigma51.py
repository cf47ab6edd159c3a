"""Action temporal localisation at a workbench (EgoCross, Localization): when a hand meets or leaves a thing.

Clips, times and options are those of `action_localisation`: 15 s in which the action happens once, half
a second before one of the frames sent every 2 s. Here actions are points of time, told by hand, kind and
object; where one of them is not annotated, nothing says that an action happens once. Chance is 25 %.

The reading `paper` asks in the words of the testbed for the first such action of the clip; times are any
tenths of a second that are half a second or less from a frame.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from assets.questions.egocross.action_localisation import (
    APART_S,
    DISTRACTORS,
    MOST,
    MOST_PER_ANSWER,
    PLACES_S,
    TENTHS_S,
)
from assets.questions.egocross.cells import EVERY_S, Cell, length_s
from assets.questions.egocross.hand_actions import (
    DOES,
    NAMED,
    NEEDS,
    READS,
    VERBS,
    HandAction,
    hand_actions,
)
from assets.questions.kit.builder import Tables
from assets.questions.kit.choice import Candidate, by_hash, few
from assets.questions.kit.funnel import FEW_RULES, UNBUILT, refuse
from assets.questions.kit.recipe import RECORDING_COLUMNS, Clip, Option, Recipe, Row, template
from assets.questions.kit.wording import wording

RECIPE: Final = Recipe(
    "egocross",
    "action_localisation",
    1,
    template(__file__, "action_localisation_enigma51.j2"),
    name="action_localisation_enigma51",
    released=wording(__file__, "released/action_localisation.j2", "released_enigma51"),
)
CELL: Final = Cell(
    dataset="ENIGMA-51",
    shortest_s=15.0,
    longest_s=15.0,
    answer_type="time in tenths of a second",
    program="time of the only action of a hand, kind and object in the clip",
    distractors="times that lie whole sampling periods from the right one",
    coverage="all actions of the recording are annotated, with hand and object",
)
NEAR_S: Final = 0.5
NEAR_FRAMES_S: Final = tuple(
    at for at in TENTHS_S if abs(at - EVERY_S * round(at / EVERY_S)) <= NEAR_S and 0 < at < 14.6
)
"""Under `paper`: tenths of a second that a frame sent shows; 0.00 s stands in the text of every question."""
ONCE = "happens_once_in_a_clip"


@dataclass(frozen=True, slots=True)
class _Asked:
    """The recording, the clip, and the action that happens `at_s` after it begins."""

    row: Mapping[str, Any]
    clip: tuple[float, float]
    at_s: float
    one: HandAction


def questions(tables: Tables, reading: str) -> Iterator[Row]:
    """Questions of one recording or several.

    Args:
        tables: Rows of `recordings`, `segments` and `relations`.
        reading: Under `paper`, ask for the first of several, and draw times by hash.
    """
    recipe = RECIPE.under(reading)
    found = hand_actions(tables)
    for row in tables["recordings"].sort("recording_id").iter_rows(named=True):
        yield from few(
            _candidates(recipe, row, found.get(row["recording_id"], [])),
            partial(_question, recipe),
            most=MOST,
            most_per_answer=MOST_PER_ANSWER,
            apart_s=APART_S,
            as_paper=recipe.as_paper,
        )


def _candidates(
    recipe: Recipe, row: Mapping[str, Any], actions: list[HandAction]
) -> Iterator[Candidate[_Asked]]:
    known = length_s(row)
    # A recording whose length nothing states lasts at least until its last action.
    length = max((x.at_s for x in actions), default=0.0) if known is None else known
    for one in actions:
        if one.hand is None or one.thing is None:
            refuse(NAMED)
            continue
        identity = recipe.id(row["source"], one.segment_id)
        same = [x.at_s for x in actions if x is not one and x.may_be(one)]
        for at_s in by_hash(_times(recipe), identity, "place"):
            start_s = round(one.at_s - at_s, 6)
            end_s = round(start_s + CELL.longest_s, 6)
            # Under the paper's reading the first is asked for: what comes later does not matter.
            last_s = one.at_s if recipe.as_paper else end_s
            alone = not any(start_s <= t <= last_s for t in same)
            if start_s >= 0.0 and end_s <= length and alone:
                asked = _Asked(row, (start_s, end_s), at_s, one)
                thing = (one.verb, one.hand, one.thing)
                yield Candidate(
                    identity, (one.segment_id,), row["recording_id"], one.at_s, thing, asked
                )
                break
        else:
            refuse(ONCE)


def _times(recipe: Recipe) -> tuple[float, ...]:
    return NEAR_FRAMES_S if recipe.as_paper else PLACES_S


def _question(recipe: Recipe, asked: Candidate[_Asked]) -> Row:
    content = asked.content
    one = content.one
    others = by_hash((x for x in _times(recipe) if x != content.at_s), asked.identity, "distractor")

    def option(at_s: float) -> Option:
        return Option(f"{at_s:.2f}s" if recipe.as_paper else f"{at_s:.1f} s", f"{at_s:.1f}")

    word, does = VERBS[one.verb]
    rows = [("segments", one.segment_id), *(("relations", key) for key in one.relations)]
    return recipe.question(
        anchor=asked.anchor,
        text={
            "hand": one.hand,
            "verb": word,
            "acts": DOES[one.verb],
            "times": "for the first time" if recipe.as_paper else "once",
            "does": does,
            "object": one.thing,
            "one": one,
            "at_s": content.at_s,
            "clip_s": content.clip[0],
            "start_s": 0.0,
            "end_s": CELL.longest_s,
        },
        answer=option(content.at_s),
        distractors=[option(x) for x in others[:DISTRACTORS]],
        media=[Clip(content.row, *content.clip)],
        evidence=[
            ("segments", one.segment_id, "answer"),
            *(("relations", key, "context") for key in one.relations),
        ],
        steps=[[f"{table}:{key}" for table, key in rows], [f"segments:{one.segment_id}"]],
    )


BUILDER = RECIPE.builder(
    questions,
    unit="recording",
    reads={"recordings": (*RECORDING_COLUMNS, "source", "media_duration_s"), **READS},
    needs=NEEDS,
    limits=CELL.limits,
    rules=(NAMED, ONCE, *FEW_RULES, UNBUILT),
)

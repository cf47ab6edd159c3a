"""Action temporal localisation in an operation (EgoCross, Localization): when a hand begins an action of a tool.

Clips last 20 s, as those of the testbed. Pictures are labelled once a second; the first one that is labelled with the
action is one of those sent every 2 s, so that the picture sent before does not show it. All pictures of the clip are
annotated, and the action begins there once. The other options are times of other pictures sent. Chance is 25 %.

The reading `paper` asks in the words of the testbed for the first such action of the clip, annotated until then; times
are any whole seconds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import polars as pl

from assets.questions.egocross.action_localisation import (
    APART_S,
    DISTRACTORS,
    MOST,
    MOST_PER_ANSWER,
)
from assets.questions.egocross.cells import Cell, length_s
from assets.questions.egocross.holders import holder_name
from assets.questions.egocross.stretches import COVERED
from assets.questions.egocross.tools import EVERY_S, OPERATOR_NAMES, TOOLS, instant, name_shown
from assets.questions.egocross.triplets import Triplet, needs_triplets, triplets
from assets.questions.kit.builder import Tables
from assets.questions.kit.choice import Candidate, by_hash, few
from assets.questions.kit.funnel import FEW_RULES, UNBUILT, refuse
from assets.questions.kit.needs import rows_where
from assets.questions.kit.recipe import RECORDING_COLUMNS, Clip, Option, Recipe, Row, template
from assets.questions.kit.wording import wording

RECIPE: Final = Recipe(
    "egocross",
    "action_localisation",
    1,
    template(__file__, "action_localisation_cholectrack20.j2"),
    name="action_localisation_cholectrack20",
    released=wording(__file__, "released/action_localisation.j2", "released_cholectrack20"),
)
CELL: Final = Cell(
    dataset="CholecTrack20",
    shortest_s=20.0,
    longest_s=20.0,
    answer_type="time in seconds",
    program="time of the first picture with the only action of an operator, tool, verb and target in the clip",
    distractors="times of other pictures sent",
    coverage="the actions of every picture of the clip are annotated, with operator",
)
PLACES_S: Final = tuple(range(EVERY_S, int(CELL.longest_s), EVERY_S))
"""Seconds of a clip at which actions begin: pictures sent, but for the first."""
ANY_S: Final = tuple(range(1, int(CELL.longest_s)))
"""The same under `paper`."""
KNOWN, ONCE = "operator_is_known", "begins_once_in_a_clip"


@dataclass(frozen=True, slots=True)
class _Asked:
    """The recording, the clip, the action that begins `at_s` after it, and the pictures until then."""

    row: Mapping[str, Any]
    clip: tuple[float, float]
    at_s: int
    one: Triplet
    looked: tuple[int, ...]


def questions(tables: Tables, reading: str) -> Iterator[Row]:
    """Questions of one recording or several.

    Args:
        tables: Rows of `recordings`, `segments` and `annotated_frames`.
        reading: Under `paper`, ask for the first of several, and draw times by hash.
    """
    recipe = RECIPE.under(reading)
    actions = triplets(tables)
    frames = tables["annotated_frames"].filter(
        (pl.col("what") == TOOLS) & pl.col("t_s").is_not_null()
    )
    for row in tables["recordings"].sort("recording_id").iter_rows(named=True):
        own = frames.filter(pl.col("recording_id") == row["recording_id"])
        looked = {instant(t_s): n for n, t_s in own.select("source_frame", "t_s").iter_rows()}
        yield from few(
            _candidates(recipe, row, actions.get(row["recording_id"], []), looked),
            partial(_question, recipe),
            most=MOST,
            most_per_answer=MOST_PER_ANSWER,
            apart_s=APART_S,
            as_paper=recipe.as_paper,
        )


def _candidates(
    recipe: Recipe, row: Mapping[str, Any], actions: Sequence[Triplet], looked: Mapping[int, int]
) -> Iterator[Candidate[_Asked]]:
    known = length_s(row)
    # A recording whose length nothing states lasts at least until its last label ends.
    length = max((x.end_s for x in actions), default=0.0) if known is None else known
    for one in actions:
        if one.operator is None:
            refuse(KNOWN)
            continue
        identity = recipe.id(row["source"], one.segment_id)
        same = [x for x in actions if x is not one and _may_be(x, one)]
        rule = ONCE
        for at_s in by_hash(_times(recipe), identity, "place"):
            start_s = round(one.start_s - at_s, 6)
            end_s = round(start_s + CELL.longest_s, 6)
            # Under the paper's reading the first is asked for: what comes later does not matter.
            last_s = one.start_s if recipe.as_paper else end_s
            alone = not any(x.start_s < last_s and x.end_s > start_s for x in same)
            if start_s < 0.0 or end_s > length or not alone:
                continue
            rule = COVERED
            seconds = range(at_s + 1 if recipe.as_paper else int(CELL.longest_s))
            frames = [looked.get(instant(start_s + n)) for n in seconds]
            until = tuple(n for n in frames if n is not None)
            if len(until) == len(frames):
                asked = _Asked(row, (start_s, end_s), at_s, one, until[: at_s + 1])
                key = (one.label, one.operator)
                uid = row["recording_id"]
                yield Candidate(identity, (one.segment_id,), uid, one.start_s, key, asked)
                break
        else:
            refuse(rule)


def _may_be(one: Triplet, other: Triplet) -> bool:
    return one.label == other.label and one.operator in (other.operator, None)


def _times(recipe: Recipe) -> tuple[int, ...]:
    return ANY_S if recipe.as_paper else PLACES_S


def _question(recipe: Recipe, asked: Candidate[_Asked]) -> Row:
    content, one = asked.content, asked.content.one
    others = by_hash((x for x in _times(recipe) if x != content.at_s), asked.identity, "distractor")
    tool, verb, target = one.label.split(",")
    operator, key = str(one.operator), one.segment_id

    def option(at_s: int) -> Option:
        return Option(f"{at_s:.1f}s" if recipe.as_paper else f"{at_s} s", str(at_s))

    frames = [f"{content.row['recording_id']}/{TOOLS}/{n}" for n in content.looked]
    return recipe.question(
        anchor=asked.anchor,
        text={
            "operator": OPERATOR_NAMES.get(operator, operator),
            "holder": holder_name(operator, "operator"),
            "tool": name_shown(tool),
            "verb": verb.replace("_", " "),
            "target": target.replace("_", " "),
            "n_frames": len(frames),
            "one": one,
            "clip_s": content.clip[0],
            "at_s": content.at_s,
        },
        answer=option(content.at_s),
        distractors=[option(x) for x in others[:DISTRACTORS]],
        media=[Clip(content.row, *content.clip)],
        evidence=[
            ("segments", key, "answer"),
            *(("annotated_frames", frame, "coverage") for frame in frames),
        ],
        steps=[
            [f"segments:{key}", *(f"annotated_frames:{frame}" for frame in frames)],
            [f"segments:{key}"],
        ],
    )


BUILDER = RECIPE.builder(
    questions,
    unit="recording",
    reads={
        "recordings": (*RECORDING_COLUMNS, "source", "media_duration_s"),
        "segments": (
            *("recording_id", "segment_id", "kind", "class_name", "actor_id"),
            *("start_s", "end_s"),
        ),
        "annotated_frames": ("recording_id", "what", "source_frame", "t_s"),
    },
    needs=(
        needs_triplets(),
        rows_where(
            "annotated_frames",
            ("what", "t_s"),
            (pl.col("what") == TOOLS) & pl.col("t_s").is_not_null(),
            "no picture with a time in which every tool is annotated",
        ),
    ),
    limits=CELL.limits,
    rules=(KNOWN, ONCE, COVERED, *FEW_RULES, UNBUILT),
)

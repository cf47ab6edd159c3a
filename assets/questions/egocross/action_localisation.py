"""Action temporal localisation (EgoCross, Localization): when in a clip an action begins.

The start of the one segment of its label that begins in the clip is right, in seconds of the clip. Clips
last 15 s. Frames are sent every 2 s, and the action begins half a second before one of them; the other options lie
whole sampling periods from the right one, so that all are half a second before a frame, and each time is
offered about as often as it is right. Which of the places of a clip it begins at is chosen by hash. Chance is 25 %.

The reading `paper` asks in the words of the testbed, about actions of any length; the right time is any tenth
of a second of the clip, and so are the others, drawn by hash.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import polars as pl

from assets.questions.egocross.cells import EVERY_S, Cell, length_s
from assets.questions.egocross.labelled import READS, Labelled, by_weight, labelled_segments
from assets.questions.kit import draw
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
    template(__file__, "action_localisation.j2"),
    released=wording(__file__, "released/action_localisation.j2", "released_extremesportfpv"),
)
CELL: Final = Cell(
    dataset="ExtremeSportFPV",
    shortest_s=15.0,
    longest_s=15.0,
    answer_type="time in tenths of a second",
    program="start of the only action of a label that begins in the clip",
    distractors="times that lie whole sampling periods from the right one",
    coverage="all actions of the recording are labelled",
)
KIND: Final = "action"
NAMES: Final = {
    **{x: x for x in ("forward", "left", "right", "walk", "run", "lift")},
    **{x: x for x in ("jump", "fly", "spin", "climb", "flip", "vault", "roll")},
    "curveleft": "curve left",
    "curveright": "curve right",
    "leftright": "left then right",
    "bumpyforward": "bumpy forward",
    "slidestop": "slide stop",
}
"""Labels of actions, and how questions name them."""
NEEDS: Final = (
    rows_where(
        "segments",
        ("kind", "class_name"),
        (pl.col("kind") == KIND) & pl.col("class_name").is_in(list(NAMES)),
        "no actions of sports",
    ),
)
PLACES_S: Final = tuple(EVERY_S * n - 0.5 for n in range(1, 8))
"""Seconds of a clip at which actions begin."""
TENTHS_S: Final = tuple(n / 10 for n in range(round(10 * CELL.longest_s)))
"""Under `paper`: were they fewer than the times offered, the right one could be told from the others."""
LEAST_S: Final = 1.0
APART_S: Final = 8.0
DISTRACTORS: Final = 3
MOST: Final = 10
MOST_PER_ANSWER: Final = 3
PASSES: Final = 4
LASTS, ONCE = "lasts_a_second", "begins_once_in_a_clip"


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a question is built from: the clip, and the action that begins `at_s` after it."""

    row: Mapping[str, Any]
    clip: tuple[float, float]
    at_s: float
    one: Labelled
    shown: tuple[Labelled, ...]


def questions(tables: Tables, reading: str) -> Iterator[Row]:
    """Questions of one recording or several.

    Args:
        tables: Rows of `recordings` and `segments`.
        reading: Under `paper`, draw other times by hash and keep no distance.
    """
    recipe = RECIPE.under(reading)
    of_actions = tables["segments"].filter(pl.col("kind") == KIND)
    labelled = labelled_segments({"segments": of_actions}, NAMES)
    for row in tables["recordings"].sort("recording_id").iter_rows(named=True):
        candidates = [*_candidates(recipe, row, labelled.get(row["recording_id"], []))]
        drawn = partial(_drawn, recipe, candidates)
        if recipe.as_paper:
            yield from drawn({})
        else:
            yield from draw.balanced_rows(drawn, map(_text, PLACES_S), PASSES)


def _drawn(
    recipe: Recipe, candidates: list[Candidate[_Asked]], weights: Mapping[str, float]
) -> Iterator[Row]:
    yield from few(
        candidates,
        partial(_question, recipe, weights),
        most=MOST,
        most_per_answer=MOST_PER_ANSWER,
        apart_s=APART_S,
        as_paper=recipe.as_paper,
    )


def _text(at_s: float) -> str:
    return f"{at_s:.1f} s"


def _candidates(
    recipe: Recipe, row: Mapping[str, Any], actions: list[Labelled]
) -> Iterator[Candidate[_Asked]]:
    known = length_s(row)
    # A recording whose length nothing states lasts at least until its last label ends.
    length = max((x.end_s for x in actions), default=0.0) if known is None else known
    for one in actions:
        identity = recipe.id(row["source"], one.segment_id)
        same = [x for x in actions if x.label == one.label and x is not one]
        content = next(
            (
                _Asked(row, clip, at_s, one, _begun(actions, clip))
                for at_s in by_hash(TENTHS_S if recipe.as_paper else PLACES_S, identity, "place")
                for clip in [_clip(one, at_s)]
                if clip[0] >= 0.0 and clip[1] <= length and not _goes_on(same, clip)
                if _is_sent(one, at_s)
            ),
            None,
        )
        if one.end_s - one.start_s < LEAST_S and not recipe.as_paper:
            refuse(LASTS)
        elif content is None:
            refuse(ONCE)
        else:
            uid, anchor = row["recording_id"], (one.segment_id,)
            yield Candidate(identity, anchor, uid, one.start_s, one.label, content)


def _clip(one: Labelled, at_s: float) -> tuple[float, float]:
    start_s = round(one.start_s - at_s, 6)
    return start_s, round(start_s + CELL.longest_s, 6)


def _is_sent(one: Labelled, at_s: float) -> bool:
    """Whether a frame of the clip, sent every 2 s, shows the action."""
    frame_s = EVERY_S * math.ceil(at_s / EVERY_S)
    return frame_s <= min(at_s + one.end_s - one.start_s, CELL.longest_s)


def _begun(actions: list[Labelled], clip: tuple[float, float]) -> tuple[Labelled, ...]:
    """Actions that begin in a clip."""
    return tuple(x for x in actions if clip[0] <= x.start_s < clip[1])


def _goes_on(actions: list[Labelled], clip: tuple[float, float]) -> bool:
    """Whether any of some actions begins in a clip, or goes on in it."""
    return any(x.start_s < clip[1] and x.end_s >= clip[0] for x in actions)


def _question(recipe: Recipe, weights: Mapping[str, float], asked: Candidate[_Asked]) -> Row:
    content = asked.content
    if recipe.as_paper:
        tenths = (x for x in TENTHS_S if x != content.at_s)
        others = by_hash(tenths, asked.identity, "distractor")
    else:
        # Times that are never right here are offered where too few others are left.
        texts = {f"{x:.1f}": _text(x) for x in PLACES_S if x != content.at_s}
        every = {x: weights.get(x, 1 / draw.MOST_WEIGHT) for x in texts.values()}
        others = [float(x) for x in by_weight(asked.identity, texts, every)]

    def option(at_s: float) -> Option:
        return Option(f"{at_s:g}s" if recipe.as_paper else _text(at_s), f"{at_s:.1f}")

    key, label = content.one.segment_id, content.one.label
    return recipe.question(
        anchor=asked.anchor,
        text={
            "action": label if recipe.as_paper else NAMES[label],
            "one": content.one,
            "shown": content.shown,
            "at_s": content.at_s,
        },
        answer=option(content.at_s),
        distractors=[option(x) for x in others[:DISTRACTORS]],
        media=[Clip(content.row, *content.clip)],
        evidence=[
            ("segments", key, "answer"),
            *(("segments", x.segment_id, "context") for x in content.shown if x is not content.one),
        ],
        steps=[[f"segments:{x.segment_id}" for x in content.shown], [f"segments:{key}"]],
    )


BUILDER = RECIPE.builder(
    questions,
    unit="recording",
    reads={
        "recordings": (*RECORDING_COLUMNS, "source", "media_duration_s"),
        "segments": (*READS, "kind"),
    },
    needs=NEEDS,
    limits=CELL.limits,
    rules=(LASTS, ONCE, *FEW_RULES, UNBUILT),
)

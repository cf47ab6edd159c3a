"""Intention, head, relative: in which direction the person must turn to see the goal (EgoProx 3.1).

The event is the start of a fixation or contact on the goal. The clip ends 1 s before it; the goal
was in view earlier in the clip and is out of view at its end (4.1: "visible in some earlier frame
but not in the final observation"). The answer is the sector of the goal's bearing on the ground
plane, from the camera's position and forward axis in the last frame.

The direction is seen from above, as the paper's is: a goal that lies ahead below the picture is "front",
though no turn of the head to a side shows it. The options alone tell nothing of the answer
(`directions.option_sectors`), so that `chance` is one in five.

The paper's head orientation is a planning question without any event (4.1): the goal was in view and
is not at the end. The reading `paper` asks 1 s after each time a goal left the view, whatever the
wearer looks at next, and keeps no margin to a sector's border.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import polars as pl

from assets.questions.kit.builder import Builder, Tables
from assets.questions.kit.directions import NAMES, option_sectors
from assets.questions.kit.identity import question_id
from assets.questions.kit.names import is_goal, points_at_one, words
from assets.questions.kit.needs import EGO, rows_of, rows_where
from assets.questions.kit.rows import (
    RECORDING_COLUMNS,
    Row,
    clip_medium,
    lettered,
    question_row,
    template,
)
from expectations.schemas import TABLES
from expectations.schemas.readings import paper_recipe

BENCHMARK = "egoprox"
SUBTASK = "intention_relative"
RECIPE = "intention_relative@2"
FRAMES = 8
AHEAD_S = 1.0
AFTER_S = 1.0
LONGEST_S = 8.0
SHORTEST_S = 4.0
UNSEEN_S = 0.5
MARGIN_DEG = 7.5
EVENTS_APART_S = 1.0
# Facts at x_T are computed for the very instant; what differs by more belongs to another event.
_SAME_INSTANT_S = 1e-3
_TEXT = template("assets.questions.egoprox", "intention_relative.j2")
_ANSWER = template("assets.questions.egoprox", "intention_relative_answer.j2")


def make_questions(tables: Tables, *, as_paper: bool = False) -> pl.DataFrame:
    """Questions about the goals of one recording.

    Args:
        tables: Rows of `recordings`, `spatial_facts` and `objects_3d` of the recording.
        as_paper: Ask after each time a goal left the view, whatever follows, without a margin.

    Returns:
        Rows of `questions` in key order. An event makes none if its goal cannot be named alone, its
        bearing is not known or lies within 7.5 degrees of a sector's border, less than 4 s come
        before, or the goal was never in a frame sent, is in view at the end, or is in the hand.
    """
    table = TABLES["questions"]
    facts = _by_recording(tables["spatial_facts"].sort("t_s", "fact_id"))
    objects = _by_recording(tables["objects_3d"])
    rules = _AS_PAPER if as_paper else _STRICT
    made: list[Row] = []
    for recording in tables["recordings"].filter(pl.col("view") == "ego").iter_rows(named=True):
        uid = recording["recording_id"]
        if uid in facts:
            made.extend(_questions(recording, facts[uid], objects.get(uid), rules))
    return table.frame(made).sort(table.key)


@dataclass(frozen=True, slots=True)
class _Rules:
    """What may be asked.

    Attributes:
        recipe: Recipe, part of every question's id.
        planned: Whether a clip ends after the goal left the view; else before an event.
        margin_deg: Least distance of the bearing to a sector's border.
    """

    recipe: str
    planned: bool
    margin_deg: float


_STRICT = _Rules(RECIPE, planned=False, margin_deg=MARGIN_DEG)
_AS_PAPER = _Rules(paper_recipe(RECIPE), planned=True, margin_deg=0.0)


@dataclass(frozen=True, slots=True)
class _Goal:
    """Facts about one object, each kind in time order.

    The name is as a viewer reads it: an instance's number says nothing to them.
    """

    object_id: str
    name: str
    events: list[Row]
    visible: list[Row]
    bearings: list[Row]
    distances: list[Row]


def _questions(
    recording: Mapping[str, Any],
    facts: pl.DataFrame,
    objects: pl.DataFrame | None,
    rules: _Rules,
) -> Iterator[Row]:
    for goal in _askable_goals(facts, objects):
        last_s = float("-inf")
        for fact, at_s, end_s in _occasions(goal, rules):
            if at_s - last_s < EVENTS_APART_S:
                continue
            row = _question(recording, goal, fact, end_s, rules)
            if row is not None:
                last_s = at_s
                yield row


def _occasions(goal: _Goal, rules: _Rules) -> list[tuple[Row, float, float]]:
    """What a question starts from (an event, or a span in view), when that is, and the clip's end."""
    if rules.planned:
        return [(span, _end(span), _end(span) + AFTER_S) for span in goal.visible]
    return [(event, event["t_s"], event["t_s"] - AHEAD_S) for event in goal.events]


def _askable_goals(facts: pl.DataFrame, objects: pl.DataFrame | None) -> Iterator[_Goal]:
    """Objects whose name points at one thing of the recording."""
    names: dict[str, set[str]] = {}
    for frame, column in ((facts, "object_name"), (objects, "name")):
        if frame is not None:
            for object_id, name in frame.select("object_id", column).unique().iter_rows():
                names.setdefault(object_id, set()).add(name)
    for (object_id,), rows in facts.group_by(["object_id"], maintain_order=True):
        name = str(rows["object_name"][0])
        others = [n for uid, said in names.items() if uid != object_id for n in said]
        if is_goal(name) and points_at_one(name, others):
            of = {
                str(operator): part.to_dicts()
                for (operator,), part in rows.group_by(["operator"], maintain_order=True)
            }
            events = [*of.get("fixation", []), *of.get("contact", [])]
            yield _Goal(
                str(object_id),
                " ".join(words(name)),
                sorted(events, key=lambda event: (event["t_s"], event["fact_id"])),
                of.get("visible", []),
                [b for b in of.get("bearing", []) if (b["frame"], b["plane"]) == _BEARING],
                of.get("distance", []),
            )


_BEARING = ("camera", "ground")


def _question(
    recording: Mapping[str, Any], goal: _Goal, event: Row, end_s: float, rules: _Rules
) -> Row | None:
    bearing = _at(goal.bearings, end_s)
    if bearing is None or (bearing["margin_deg"] or 0.0) < rules.margin_deg:
        return None
    end_s = float(bearing["t_s"])
    start_s = max(0.0, end_s - LONGEST_S)
    limit = recording["duration_s"]
    if end_s - start_s < SHORTEST_S or (limit is not None and end_s > limit):
        return None
    seen = _seen(goal.visible, start_s, end_s)
    if not seen or any(
        span["t_s"] <= end_s and _end(span) >= end_s - UNSEEN_S for span in goal.visible
    ):
        return None
    if any(
        span["operator"] == "contact" and span["t_s"] <= end_s <= _end(span) for span in goal.events
    ):
        return None
    identity = question_id(
        BENCHMARK,
        SUBTASK,
        rules.recipe,
        str(recording["source"]),
        str(recording["recording_id"]),
        goal.object_id,
        str(event["fact_id"]),
    )
    sector = int(bearing["sector"])
    options = lettered(
        identity,
        [
            {"text": NAMES[s], "value": str(s), "is_answer": s == sector}
            for s in option_sectors(sector, identity)
        ],
        "value",
    )
    distance = _at(goal.distances, end_s)
    clip = clip_medium("query", recording, start_s, end_s, sampling="endpoints")
    # The last sight counts for the explanation, also where no frame that is sent shows it.
    last = max((span for span in goal.visible if span["t_s"] <= end_s), key=_end)
    shown = seen if last in seen else [*seen, last]
    evidence = [(bearing, "answer"), *((span, "seen") for span in shown)]
    if not rules.planned:
        evidence.insert(0, (event, "event"))
    if distance is not None:
        evidence.append((distance, "distance"))
    return question_row(
        identity=identity,
        text=_TEXT.render(goal=goal.name),
        options=options,
        media=[clip],
        recordings=[recording],
        fields={
            "benchmark": BENCHMARK,
            "source": recording["source"],
            "subtask": SUBTASK,
            "recipe": rules.recipe,
            "split": recording["split"],
            "recording_id": recording["recording_id"],
            "answer_text": NAMES[sector],
            "detailed_answer": _ANSWER.render(
                goal=goal.name,
                unseen_s=end_s - _end(last),
                bearing_deg=bearing["value"],
                distance_m=None if distance is None else distance["value"],
                direction=NAMES[sector],
                ahead_s=event["t_s"] - end_s,
                operator=event["operator"],
            ),
            "evidence": [
                {"table": "spatial_facts", "key": fact["fact_id"], "role": role}
                for fact, role in evidence
            ],
        },
    )


def _at(facts: Sequence[Row], t_s: float) -> Row | None:
    """The fact of an instant."""
    near = [fact for fact in facts if abs(fact["t_s"] - t_s) <= _SAME_INSTANT_S]
    return min(near, key=lambda fact: (abs(fact["t_s"] - t_s), fact["fact_id"]), default=None)


def _seen(visible: Sequence[Row], start_s: float, end_s: float) -> list[Row]:
    """Spans in which a frame that is sent shows the goal, before it is out of view."""
    sent = [start_s + i * (end_s - start_s) / (FRAMES - 1) for i in range(FRAMES)]
    early = [t for t in sent if t <= end_s - UNSEEN_S]
    return [span for span in visible if any(span["t_s"] <= t <= _end(span) for t in early)]


def _end(span: Row) -> float:
    return float(span["t_s"] if span["end_s"] is None else span["end_s"])


def _by_recording(frame: pl.DataFrame) -> dict[str, pl.DataFrame]:
    return {
        str(uid): rows for (uid,), rows in frame.group_by(["recording_id"], maintain_order=True)
    }


BUILDER = Builder(
    benchmark=BENCHMARK,
    subtasks=(SUBTASK,),
    recipe=RECIPE,
    unit="recording",
    reads={
        "recordings": (*RECORDING_COLUMNS, "view"),
        "spatial_facts": None,
        "objects_3d": ("recording_id", "object_id", "name"),
    },
    make=make_questions,
    make_as_paper=partial(make_questions, as_paper=True),
    files=("intention_relative.j2", "intention_relative_answer.j2"),
    needs=(
        EGO,
        rows_of("objects_3d", "no objects in 3D"),
        rows_of("camera_poses", "no poses of the camera or device"),
        rows_where(
            "spatial_facts",
            ("operator",),
            pl.col("operator").is_in(["fixation", "contact"]),
            "no object is looked at or touched: no gaze or hands in 3D, or none meets an object",
        ),
        rows_where(
            "spatial_facts",
            ("operator",),
            pl.col("operator") == "bearing",
            "no direction to an object is known: nothing says where the camera sits in the device",
        ),
        rows_where(
            "spatial_facts",
            ("operator",),
            pl.col("operator") == "visible",
            "no object is known to be in view",
        ),
    ),
    limits=(
        f"a goal with a name of its own, seen earlier in a clip of {SHORTEST_S:g} s or more and out"
        f" of view at its end, whose direction is {MARGIN_DEG:g} degrees from a border"
    ),
)

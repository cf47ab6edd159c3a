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
from typing import Any

import polars as pl

from assets.questions.kit.builder import Tables
from assets.questions.kit.directions import NAMES, option_sectors
from assets.questions.kit.names import is_goal, points_at_one, words
from assets.questions.kit.needs import EGO, rows_of, rows_where
from assets.questions.kit.recipe import RECORDING_COLUMNS, Clip, Option, Recipe, Row, template

RECIPE = Recipe("egoprox", "intention_relative", 2, template(__file__, "intention_relative.j2"))
FRAMES = 8
AHEAD_S = 1.0
AFTER_S = 1.0
LONGEST_S = 8.0
SHORTEST_S = 4.0
UNSEEN_S = 0.5
MARGIN_DEG = 7.5
EVENTS_APART_S = 1.0
# Facts about a clip's end are computed for that very instant; what differs by more is another event's.
_SAME_INSTANT_S = 1e-3


def questions(tables: Tables, reading: str) -> Iterator[Row]:
    """Questions about the goals of one recording or several.

    An event makes none if its goal cannot be named alone, its bearing is not known or lies within
    7.5 degrees of a sector's border, less than 4 s come before, or the goal was never in a frame
    sent, is in view at the end, or is in the hand.

    Args:
        tables: Rows of `recordings`, `spatial_facts` and `objects_3d`.
        reading: Under `paper`, ask after each time a goal left the view, whatever follows, without
            a margin.
    """
    recipe = RECIPE.under(reading)
    facts = _by_recording(tables["spatial_facts"].sort("t_s", "fact_id"))
    objects = _by_recording(tables["objects_3d"])
    for recording in tables["recordings"].filter(pl.col("view") == "ego").iter_rows(named=True):
        uid = recording["recording_id"]
        for goal in _askable_goals(facts.get(uid), objects.get(uid)):
            last_s = float("-inf")
            for fact, at_s, end_s in _occasions(goal, as_paper=recipe.as_paper):
                if at_s - last_s < EVENTS_APART_S:
                    continue
                row = _question(recipe, recording, goal, fact, end_s)
                if row is not None:
                    last_s = at_s
                    yield row


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

    def was_in_view(self, start_s: float, end_s: float) -> bool:
        """Whether it is known to be in view at any time of a span, ends included."""
        return any(span["t_s"] <= end_s and _end(span) >= start_s for span in self.visible)

    def is_touched(self, t_s: float) -> bool:
        """Whether it is in the hand."""
        return any(e["operator"] == "contact" and e["t_s"] <= t_s <= _end(e) for e in self.events)


def _askable_goals(facts: pl.DataFrame | None, objects: pl.DataFrame | None) -> Iterator[_Goal]:
    """Objects whose name points at one thing of the recording."""
    if facts is None:
        return
    names: dict[str, set[str]] = {}
    for frame, column in ((facts, "object_name"), (objects, "name")):
        if frame is not None:
            for object_id, name in frame.select("object_id", column).unique().iter_rows():
                names.setdefault(object_id, set()).add(name)
    for (object_id,), rows in facts.group_by(["object_id"], maintain_order=True):
        name = str(rows["object_name"][0])
        others = [n for uid, known in names.items() if uid != object_id for n in known]
        if is_goal(name) and points_at_one(name, others):
            by_operator = {
                str(operator): part.to_dicts()
                for (operator,), part in rows.group_by(["operator"], maintain_order=True)
            }
            bearings = by_operator.get("bearing", [])
            events = [*by_operator.get("fixation", []), *by_operator.get("contact", [])]
            yield _Goal(
                str(object_id),
                " ".join(words(name)),
                sorted(events, key=lambda event: (event["t_s"], event["fact_id"])),
                by_operator.get("visible", []),
                [b for b in bearings if (b["frame"], b["plane"]) == ("camera", "ground")],
                by_operator.get("distance", []),
            )


def _occasions(goal: _Goal, *, as_paper: bool) -> list[tuple[Row, float, float]]:
    """What a question starts from (an event, or a span in view), when that is, and the clip's end."""
    if as_paper:
        return [(span, _end(span), _end(span) + AFTER_S) for span in goal.visible]
    return [(event, event["t_s"], event["t_s"] - AHEAD_S) for event in goal.events]


def _question(
    recipe: Recipe, recording: Mapping[str, Any], goal: _Goal, event: Row, end_s: float
) -> Row | None:
    bearing = _at(goal.bearings, end_s)
    least_deg = 0.0 if recipe.as_paper else MARGIN_DEG
    if bearing is None or (bearing["margin_deg"] or 0.0) < least_deg:
        return None
    end_s = float(bearing["t_s"])
    start_s = max(0.0, end_s - LONGEST_S)
    limit = recording["duration_s"]
    if end_s - start_s < SHORTEST_S or (limit is not None and end_s > limit):
        return None
    seen = _seen(goal.visible, start_s, end_s)
    if not seen or goal.was_in_view(end_s - UNSEEN_S, end_s) or goal.is_touched(end_s):
        return None
    # The last sight counts for the explanation, also where no frame that is sent shows it.
    last = max((span for span in goal.visible if span["t_s"] <= end_s), key=_end)
    distance = _at(goal.distances, end_s)
    evidence = [] if recipe.as_paper else [(event, "event")]
    evidence += [(bearing, "answer"), *((s, "seen") for s in seen)]
    evidence += [] if last in seen else [(last, "seen")]
    evidence += [] if distance is None else [(distance, "distance")]
    anchor = (str(recording["recording_id"]), goal.object_id, str(event["fact_id"]))
    sector = int(bearing["sector"])
    sectors = option_sectors(sector, recipe.id(str(recording["source"]), *anchor))
    return recipe.question(
        anchor=anchor,
        text={
            "goal": goal.name,
            "unseen_s": end_s - _end(last),
            "bearing_deg": bearing["value"],
            "distance_m": None if distance is None else distance["value"],
            "ahead_s": event["t_s"] - end_s,
            "operator": event["operator"],
        },
        answer=Option(NAMES[sector], str(sector)),
        distractors=[Option(NAMES[s], str(s)) for s in sectors if s != sector],
        media=[Clip(recording, start_s, end_s, sampling="endpoints")],
        evidence=[("spatial_facts", fact["fact_id"], role) for fact, role in evidence],
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


BUILDER = RECIPE.builder(
    questions,
    unit="recording",
    reads={
        "recordings": (*RECORDING_COLUMNS, "view"),
        "spatial_facts": None,
        "objects_3d": ("recording_id", "object_id", "name"),
    },
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

"""Things that the wearer looks for: the spatial facts of a recording, by object."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from assets.questions.kit.builder import Tables
from assets.questions.kit.names import is_goal, points_at_one, words
from assets.questions.kit.needs import EGO, rows_of, rows_where
from assets.questions.kit.recipe import RECORDING_COLUMNS, Row

READS = {
    "recordings": (*RECORDING_COLUMNS, "view"),
    "spatial_facts": None,
    "objects_3d": ("recording_id", "object_id", "name"),
}
"""What `goals` takes."""
NEEDS = (
    EGO,
    rows_of("spatial_facts", "no objects in 3D, and no narrated thing in hands in 3D"),
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
)

# Facts about a clip's end are computed for that very instant; what differs by more is another event's.
_SAME_INSTANT_S = 1e-3


@dataclass(frozen=True, slots=True)
class Goal:
    """Facts about one object, each kind in time order.

    The name is as a viewer reads it: an instance's number says nothing to them. `by_operator` has the
    facts of every kind.
    """

    object_id: str
    name: str
    events: list[Row]
    visible: list[Row]
    bearings: list[Row]
    distances: list[Row]
    by_operator: Mapping[str, list[Row]]

    def was_in_view(self, start_s: float, end_s: float) -> bool:
        """Whether it may be in view at any time of a span, ends included."""
        spans = (*self.visible, *self.by_operator.get("near_view", []))
        return any(span["t_s"] <= end_s and span_end(span) >= start_s for span in spans)

    def seen_at(self, times_s: Sequence[float]) -> list[Row]:
        """Facts that it is in view at any of some times."""
        return [s for s in self.visible if any(s["t_s"] <= t <= span_end(s) for t in times_s)]

    def last_seen(self, t_s: float) -> Row | None:
        """Fact that it was in view last, of those that begin until a time."""
        seen = (span for span in self.visible if span["t_s"] <= t_s)
        return max(seen, key=span_end, default=None)

    def is_touched(self, t_s: float) -> bool:
        """Whether it is in the hand."""
        return any(
            e["operator"] == "contact" and e["t_s"] <= t_s <= span_end(e) for e in self.events
        )


def goals(tables: Tables) -> Iterator[tuple[Mapping[str, Any], Goal]]:
    """Each ego recording with the objects whose name points at one thing of it.

    Args:
        tables: Rows of `recordings`, `spatial_facts` and `objects_3d`.
    """
    facts = _by_recording(tables["spatial_facts"].sort("t_s", "fact_id"))
    objects = _by_recording(tables["objects_3d"])
    for recording in tables["recordings"].filter(pl.col("view") == "ego").iter_rows(named=True):
        uid = recording["recording_id"]
        for goal in _askable(facts.get(uid), objects.get(uid)):
            yield recording, goal


def _askable(facts: pl.DataFrame | None, objects: pl.DataFrame | None) -> Iterator[Goal]:
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
            yield Goal(
                str(object_id),
                " ".join(words(name)),
                sorted(events, key=lambda event: (event["t_s"], event["fact_id"])),
                by_operator.get("visible", []),
                [b for b in bearings if (b["frame"], b["plane"]) == ("camera", "ground")],
                by_operator.get("distance", []),
                by_operator,
            )


def fact_at(facts: Sequence[Row], t_s: float) -> Row | None:
    """The fact of an instant."""
    near = [fact for fact in facts if abs(fact["t_s"] - t_s) <= _SAME_INSTANT_S]
    return min(near, key=lambda fact: (abs(fact["t_s"] - t_s), fact["fact_id"]), default=None)


def uncertainty(fact: Row) -> float:
    """How far off a fact's value may be, in its unit; 0 where it was annotated."""
    return float(fact["uncertainty"] or 0.0)


def sector_is_clear(bearing: Row, least_deg: float) -> bool:
    """Whether a bearing lies far enough from the border of its sector, however far off it may be."""
    return (bearing["margin_deg"] or 0.0) - uncertainty(bearing) >= least_deg


def span_end(span: Row) -> float:
    """End of a fact's span; of an instant, the instant."""
    return float(span["t_s"] if span["end_s"] is None else span["end_s"])


def _by_recording(frame: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Rows of each recording, in their order."""
    return {
        str(uid): rows for (uid,), rows in frame.group_by(["recording_id"], maintain_order=True)
    }

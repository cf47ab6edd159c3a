"""Where a thing is that nobody annotated in space: at the hands that narrations say handle it.

Narrations are read anew: of the stored labels only the verbs are taken, the thing and the hand are looked for
in the text.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from expectations.derivations.geometry import Vector
from expectations.derivations.narrated_verbs import kinds_of_word
from expectations.gates.base import CannotTell
from expectations.gates.tables import EvidenceTables

READS: dict[str, tuple[str, ...]] = {
    "segments": ("segment_id", "recording_id", "is_point", "start_s", "narration", "actor_id"),
    "labels": (
        "segment_id",
        "recording_id",
        "reader",
        "kind",
        "lemma",
        "status",
        "actor_id",
        "span_start",
        "span_end",
    ),
    "hand_joints": ("recording_id", "t_s", "person_id", "hand_side", "x", "y", "z"),
}
_AROUND_S = 0.3
_HAND_M = 0.1
_SAME_PLACE_M = 0.3
_GAP_S = 1.0
_HAND = re.compile(r"\b(left|right|both) hands?\b")
_BOTH = ("left", "right")
# Between a verb and its thing stand its particle and an article.
_DIRECTLY = re.compile(
    r"(?:\s+(?:up|down|out|off|on|in|away|back|over))*(?:\s+(?:the|an?|his|her|their|this|that|some))?\s+"
)


@dataclass(frozen=True, slots=True)
class NarratedAction:
    """A narration that says that a thing is taken, put down or used, with where the hands are then."""

    kind: str
    t_s: float
    sides: tuple[str, ...]
    place: Vector
    off_m: float


@dataclass(frozen=True, slots=True)
class Place:
    """Where a thing is at an instant, and how far off that may be."""

    centre: Vector
    off_m: float

    @property
    def row(self) -> dict[str, Any]:
        """The place as a row of `objects_3d` has it, with a box of a hand's breadth to each side."""
        turn = {"qw": 1.0, "qx": 0.0, "qy": 0.0, "qz": 0.0}
        low = {f"{axis}_min_m": -_HAND_M for axis in "xyz"}
        high = {f"{axis}_max_m": _HAND_M for axis in "xyz"}
        x, y, z = (float(value) for value in self.centre)
        return {"tx": x, "ty": y, "tz": z, **turn, **low, **high}


def handled_at(recording_id: str, object_id: str, t_s: float, given: EvidenceTables) -> Place:
    """Return where a narrated thing is at an instant.

    Args:
        recording_id: Recording of the wearer.
        object_id: The thing: its name, with underscores.
        t_s: The instant in seconds.
        given: The tables.

    Raises:
        CannotTell: No narration and hand say it.
    """
    narrated = _narrated(recording_id, object_id, given)
    unknown = CannotTell(f"where {object_id} of {recording_id} is at {t_s:.2f} s is unknown")
    before = max((d for d in narrated if d.t_s <= t_s), key=lambda d: d.t_s, default=None)
    after = min((d for d in narrated if d.t_s > t_s), key=lambda d: d.t_s, default=None)
    if before is None:
        if after is None or after.kind == "put":
            raise unknown
        return Place(after.place, after.off_m)
    if before.kind == "take":
        if after is None or after.kind != "put" or after.sides != before.sides:
            raise unknown
        return _in_hand(recording_id, before.sides, t_s, given)
    if after is None:
        return Place(before.place, before.off_m)
    apart = float(np.linalg.norm(before.place - after.place))
    if after.kind != "put" and apart <= _SAME_PLACE_M:
        off = max(before.off_m, after.off_m, math.hypot(_HAND_M, apart / 2))
        return Place((before.place + after.place) / 2, off)
    if t_s > before.t_s + _AROUND_S:
        raise unknown
    return Place(before.place, before.off_m)


def _narrated(recording_id: str, object_id: str, given: EvidenceTables) -> list[NarratedAction]:
    """What is done with a thing, where hands are known, in time order."""
    memo: dict[Any, Any] = given.memo.setdefault("handled", {})
    key = (recording_id, object_id)
    if key not in memo:
        memo[key] = sorted(_read(recording_id, object_id, given), key=lambda d: d.t_s)
    return memo[key]


def _read(recording_id: str, object_id: str, given: EvidenceTables) -> list[NarratedAction]:
    if not (given.has("segments") and given.has("labels") and given.has("hand_joints")):
        return []
    name = re.compile(rf"\b{re.escape(object_id.replace('_', ' '))}\b")
    labels = given.part("labels", recording_id=recording_id)
    verbs = labels.filter((pl.col("reader") == "open") & (pl.col("kind") == "verb"))
    actions = []
    for row in given.rows("segments", recording_id=recording_id):
        text = str(row["narration"] or "").casefold()
        named = name.search(text)
        if not row["is_point"] or named is None or str(row["actor_id"] or "C") != "C":
            continue
        own = verbs.filter(pl.col("segment_id") == row["segment_id"]).sort("span_start").to_dicts()
        mine = [v for v in own if v["span_start"] < named.start()]
        if not mine or mine[-1]["status"] != "done" or mine[-1]["actor_id"] is not None:
            continue
        verb = mine[-1]
        if _DIRECTLY.fullmatch(text[verb["span_end"] : named.start()]) is None:
            continue
        later = [v["span_start"] for v in own if v["span_start"] > verb["span_start"]]
        match = _HAND.search(text[verb["span_start"] : min(later, default=len(text))])
        sides = _BOTH if match is None or match[1] == "both" else (match[1],)
        at = float(row["start_s"])
        where = _hands_around(recording_id, sides, at, given)
        if where is not None:
            kinds = kinds_of_word(str(verb["lemma"]))
            kind = "take" if "take" in kinds else "put" if "put" in kinds else "use"
            actions.append(NarratedAction(kind, at, sides, *where))
    return actions


def _joints(recording_id: str, side: str, given: EvidenceTables) -> tuple[Vector, Vector]:
    """Times and mean places of the joints of one of the wearer's hands."""
    memo: dict[Any, Any] = given.memo.setdefault("hand_means", {})
    if (recording_id, side) not in memo:
        rows = given.part("hand_joints", recording_id=recording_id).filter(
            pl.col("person_id").is_null() & (pl.col("hand_side") == side)
        )
        means = rows.group_by("t_s").agg(pl.mean("x"), pl.mean("y"), pl.mean("z")).sort("t_s")
        memo[recording_id, side] = (
            means["t_s"].to_numpy(),
            means.select("x", "y", "z").to_numpy(),
        )
    return memo[recording_id, side]


def _hands_around(
    recording_id: str, sides: tuple[str, ...], at: float, given: EvidenceTables
) -> tuple[Vector, float] | None:
    """Mean place of hands around an instant, and how far off a thing in them may be."""
    groups = []
    for side in sides:
        times, places = _joints(recording_id, side, given)
        near = places[np.abs(times - at) <= _AROUND_S + 1e-9]
        if not len(near):
            return None
        groups.append(near)
    middle = np.mean([group.mean(axis=0) for group in groups], axis=0)
    every = np.vstack(groups)
    spread = math.sqrt(float(np.mean(np.sum((every - middle) ** 2, axis=1))))
    return middle, math.hypot(_HAND_M, spread)


def _in_hand(recording_id: str, sides: tuple[str, ...], t_s: float, given: EvidenceTables) -> Place:
    """Place of a hand on the line between the samples around an instant.

    Raises:
        CannotTell: It is in two hands, or no samples are near.
    """
    if len(sides) != 1:
        raise CannotTell("the thing is in one of two hands")
    times, places = _joints(recording_id, sides[0], given)
    early, late = np.flatnonzero(times < t_s), np.flatnonzero(times >= t_s)
    if not len(early) or not len(late) or times[late[0]] - times[early[-1]] > _GAP_S:
        raise CannotTell(f"the {sides[0]} hand is not known at {t_s:.2f} s")
    a, b = early[-1], late[0]
    share = (t_s - times[a]) / (times[b] - times[a])
    way = places[b] - places[a]
    off = float(np.linalg.norm(way)) * min(share, 1.0 - share)
    return Place(places[a] + share * way, math.hypot(_HAND_M, off))

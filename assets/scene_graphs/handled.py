"""Things that nobody annotated in space: where they are follows from narrations and hands (EgoProx C.1).

A narration says that a thing is taken, put down or used at an instant; the thing is then where the hand is
that the narration names: the mean of its joints around that instant, of both hands where both act. Between
two such instants a thing rests or is in the hand. Where narrations contradict each other (a thing is put down
twice, or taken from another place than where it was put) there may be two of its name, and where it is
is not known.

How far off a place may be is kept with it and adds to the margins of questions: the joints' spread, the
breadth of a hand, and what two narrations about one place differ by.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import polars as pl

from assets.scene_graphs.contacts import Contact
from assets.scene_graphs.placements import Placement, Taking
from assets.scene_graphs.rotation import Array, Pose
from assets.scene_graphs.tracks import Thing, Track, nearest
from assets.sources.wearer import WEARER_WORDS
from expectations.schemas.labels import DONE, OPEN
from expectations.word_kinds import BEFORE, verb_kinds, words_of

LABEL_READS = (
    "segment_id",
    "reader",
    "clause",
    "kind",
    "lemma",
    "actor_id",
    "body_part",
    "status",
    "role",
    "quantity",
    "span_start",
    "span_end",
    "contradicts",
)
"""Columns of `labels` that `handlings` takes."""
AROUND_S = 0.3
"""How long before and after the narrated instant the hand counts as being at the thing."""
HAND_M = 0.1
"""A hand's breadth: the middle of a thing lies within it of the hand's joints."""
SAME_PLACE_M = 0.3
"""Two narrations that are closer speak of one place."""
GAP_S = 1.0
"""Longest pause between samples of a hand across which it is where the straight line says."""
_PHRASE_WORDS = 3
_SIDES = {
    "left_hand": ("left",),
    "right_hand": ("right",),
    "both_hands": ("left", "right"),
    "unspecified_hand": ("left", "right"),
    "none": ("left", "right"),
}
_WORD = re.compile(r"[A-Za-z'-]+")
HandTracks = Mapping[str, tuple[Array, Array]]
"""Times, shape (n,), and mean places of a hand's joints, shape (n, 3), by side."""


@dataclass(frozen=True, slots=True)
class Handling:
    """A narration that says that a thing is taken, put down or used.

    Attributes:
        segment_id: The narration.
        name: The thing, in the narration's words.
        action: What is done with it.
        sides: Hands that may act.
        t_s: The narrated instant.
        start_s: Start of the time around it.
        end_s: End of that time.
        place: Where the hands are then, shape (3,), metres.
        spread_m: Root mean square distance of the samples from it.
    """

    segment_id: str
    name: str
    action: Literal["take", "put", "use"]
    sides: tuple[str, ...]
    t_s: float
    start_s: float
    end_s: float
    place: Array
    spread_m: float

    @property
    def object_id(self) -> str:
        """Id of the thing: its name."""
        return self.name.replace(" ", "_")

    @property
    def side(self) -> str | None:
        """Hand that acts, `both`, or None where the narration names none."""
        return self.sides[0] if len(self.sides) == 1 else None


@dataclass(frozen=True, slots=True)
class _Stay:
    """Where a thing is for a while: at a place, or in a hand."""

    start_s: float
    end_s: float
    row: int
    place: Array | None
    uncertain_m: float
    sides: tuple[str, ...] = ()


def hand_tracks(joints: pl.DataFrame, world: str) -> HandTracks:
    """The wearer's hands over time, each the mean of its joints.

    Args:
        joints: Rows of `hand_joints` of one recording.
        world: World of the positions.
    """
    own = joints.filter(pl.col("person_id").is_null() & (pl.col("world_frame_id") == world))
    means = own.group_by("hand_side", "t_s").agg(pl.col("x", "y", "z").mean()).sort("t_s")
    return {
        str(side): (rows["t_s"].to_numpy(), rows.select("x", "y", "z").to_numpy())
        for (side,), rows in means.group_by("hand_side", maintain_order=True)
    }


def handlings(
    segments: pl.DataFrame, labels: pl.DataFrame, hands: HandTracks, times_s: Array
) -> dict[str, list[Handling]]:
    """What narrations say of things in the wearer's hands, by thing and in time order.

    Args:
        segments: Rows of `segments` of one recording.
        labels: Its rows of `labels`, columns `LABEL_READS`.
        hands: Its hands.
        times_s: When the camera's pose is known, ascending; an instant is the nearest of these.
    """
    points = {
        row["segment_id"]: row
        for row in segments.filter(
            pl.col("is_point").fill_null(False) & pl.col("narration").is_not_null()
        ).iter_rows(named=True)
        if (row["actor_id"] or "c").casefold() in WEARER_WORDS
    }
    by_object: dict[str, list[Handling]] = defaultdict(list)
    for one in sorted(_told(points, labels), key=lambda one: (one.t_s, one.segment_id, one.name)):
        at = int(nearest(times_s, one.t_s))
        around = one.t_s - AROUND_S, one.t_s + AROUND_S
        known = _mean_place(hands, one.sides, *around)
        if at >= 0 and known is not None:
            place, spread_m = known
            t_s = float(times_s[at])
            by_object[one.object_id].append(
                replace(
                    one,
                    t_s=t_s,
                    start_s=around[0],
                    end_s=around[1],
                    place=place,
                    spread_m=spread_m,
                )
            )
    return dict(by_object)


def handled_things(
    found: Mapping[str, Sequence[Handling]], hands: HandTracks, times_s: Array
) -> dict[str, Thing]:
    """Things by id, with where they are at some times: at rest or in a hand.

    Args:
        found: What is done with each.
        hands: The hands.
        times_s: Ascending; times at which a place is not known are left out of a thing's track.
    """
    size = np.full(3, HAND_M)
    things = {}
    for uid, own in sorted(found.items()):
        places = np.full((len(times_s), 3), np.nan)
        uncertain = np.full(len(times_s), np.nan)
        rows = np.zeros(len(times_s), dtype=np.int64)
        for stay in _stays(own):
            inside = (times_s >= stay.start_s) & (times_s <= stay.end_s)
            if stay.place is not None:
                places[inside], uncertain[inside] = stay.place, stay.uncertain_m
            else:
                places[inside], uncertain[inside] = _in_hand(hands, stay.sides, times_s[inside])
            rows[inside] = stay.row
        known = np.isfinite(uncertain)
        still = np.tile([1.0, 0.0, 0.0, 0.0], (int(known.sum()), 1))
        track = Track(times_s[known], Pose.of(places[known], still), rows[known])
        keys = tuple(f"segments:{one.segment_id}" for one in own)
        if known.any():
            things[uid] = Thing(
                uid, own[0].name, True, -size, size, track, keys, uncertain[known]
            )  # fmt: skip
    return things


def narrated_contacts(found: Mapping[str, Sequence[Handling]]) -> Iterator[Contact]:
    """Contacts of hands with things that are taken or used."""
    for uid, own in sorted(found.items()):
        for at, one in enumerate(own):
            if one.action == "put":
                continue
            after = own[at + 1] if at + 1 < len(own) else None
            is_put = one.action == "take" and after is not None and after.action == "put"
            end_s = after.t_s if after is not None and is_put else one.end_s
            yield Contact(uid, one.t_s, end_s, one.side, (f"segments:{one.segment_id}",))


def narrated_takings(
    found: Mapping[str, Sequence[Handling]], things: Mapping[str, Thing], lead_s: float
) -> Iterator[Taking]:
    """Things that are taken from where they are known to be some time before.

    Args:
        found: What is done with each.
        things: The things.
        lead_s: How long before, in seconds.
    """
    taken = {(uid, one.t_s) for uid, own in found.items() for one in own if one.action == "take"}
    for contact in narrated_contacts(found):
        thing = things.get(contact.object_id)
        if thing is None or (contact.object_id, contact.start_s) not in taken:
            continue
        at = int(thing.track.at(contact.start_s - lead_s))
        if at >= 0:
            times = thing.track.times_s
            during = np.flatnonzero((times > contact.start_s) & (times <= contact.end_s))
            moved = np.linalg.norm(thing.centre(during) - thing.centre(at), axis=-1)
            yield Taking(contact, float(moved.max(initial=0.0)), contact.keys)


def narrated_placements(
    found: Mapping[str, Sequence[Handling]], things: Mapping[str, Thing], end_s: float
) -> Iterator[Placement]:
    """Things that are put down after they were taken.

    Args:
        found: What is done with each.
        things: The things.
        end_s: End of the recording.
    """
    for uid, own in sorted(found.items()):
        stays = {stay.row: stay for stay in _stays(own) if stay.place is not None}
        for at, (one, other) in enumerate(pairwise(own)):
            if (one.action, other.action) != ("take", "put") or uid not in things:
                continue
            rest = stays[at + 1]
            keys = tuple(f"segments:{step.segment_id}" for step in (one, other))
            assert rest.place is not None
            until_s = min(rest.end_s, end_s)
            yield Placement(
                uid, one.t_s, other.t_s, until_s, one.place, rest.place, keys, rest.uncertain_m
            )


def _told(points: Mapping[str, Mapping[str, Any]], labels: pl.DataFrame) -> Iterator[Handling]:
    """Handlings whose place is not looked up yet."""
    clauses: dict[tuple[str, int], list[dict[str, Any]]] = defaultdict(list)
    parsed = labels.filter((pl.col("reader") == OPEN) & pl.col("segment_id").is_in([*points]))
    for row in parsed.select(LABEL_READS).sort("segment_id", "clause", "span_start").to_dicts():
        clauses[row["segment_id"], row["clause"]].append(row)
    for (uid, _), rows in clauses.items():
        verb = next((row for row in rows if row["kind"] == "verb"), None)
        if (
            verb is None
            or verb["status"] != DONE
            or verb["actor_id"] is not None
            or verb["contradicts"] is not None
            or verb["body_part"] not in _SIDES
        ):
            continue
        kinds = verb_kinds(verb["lemma"] or "")
        action = next((kind for kind in ("take", "put") if kind in kinds), "use")
        for noun in (row for row in rows if (row["kind"], row["role"]) == ("noun", "direct")):
            name = _name(points[uid]["narration"], noun)
            if name:
                t_s = float(points[uid]["start_s"])
                sides = _SIDES[verb["body_part"]]
                yield Handling(uid, name, action, sides, t_s, t_s, t_s, np.zeros(3), 0.0)  # type: ignore[arg-type]


def _name(narration: str, noun: Mapping[str, Any]) -> str:
    """A thing in the narration's words from its article on; empty where several things are meant."""
    end = noun["span_end"]
    name = narration[noun["span_start"] : end].casefold()
    if (noun["quantity"] or 1) > 1 or not name.endswith(str(noun["lemma"]).split()[-1]):
        return ""
    before = [word.casefold() for word in _WORD.findall(narration[: noun["span_start"]])]
    articles = words_of(BEFORE, "determiner")
    for n in range(1, min(_PHRASE_WORDS, len(before)) + 1):
        if before[-n] in articles:
            return " ".join([*before[len(before) - n + 1 :], name])
    return name


def _mean_place(
    hands: HandTracks, sides: Sequence[str], start_s: float, end_s: float
) -> tuple[Array, float] | None:
    """Mean place of hands over a time, and their spread; None where one is not known then."""
    samples = []
    for side in sides:
        times, places = hands.get(side, (np.empty(0), np.empty((0, 3))))
        inside = places[(times >= start_s - 1e-9) & (times <= end_s + 1e-9)]
        if not len(inside):
            return None
        samples.append(inside)
    mean = np.mean([one.mean(axis=0) for one in samples], axis=0)
    away = np.concatenate(samples) - mean
    return mean, float(np.sqrt((away**2).sum(axis=1).mean()))


def _in_hand(hands: HandTracks, sides: Sequence[str], times_s: Array) -> tuple[Array, Array]:
    """Places of a thing in the hand at some times, and how far off they may be; not numbers where unknown.

    Between two samples a hand may be as far off the straight line as the nearer one is away.
    """
    unknown = np.full((len(times_s), 3), np.nan), np.full(len(times_s), np.nan)
    if len(sides) != 1 or sides[0] not in hands:
        return unknown
    times, places = hands[sides[0]]
    after = np.searchsorted(times, times_s)
    inside = (after > 0) & (after < len(times))
    after = np.clip(after, 1, max(len(times) - 1, 1))
    if len(times) < 2:
        return unknown
    gap = times[after] - times[after - 1]
    share = (times_s - times[after - 1]) / gap
    way = places[after] - places[after - 1]
    between = places[after - 1] + share[:, None] * way
    off = np.linalg.norm(way, axis=-1) * np.minimum(share, 1 - share)
    inside &= gap <= GAP_S
    return (
        np.where(inside[:, None], between, np.nan),
        np.where(inside, np.hypot(HAND_M, off), np.nan),
    )


def _stays(own: Sequence[Handling]) -> list[_Stay]:
    """Where a thing is, and when; times at which that is not known are in no stay.

    A later stay counts at an instant that belongs to two.
    """
    first, last = own[0], own[-1]
    stays = []
    if first.action != "put":
        stays.append(_Stay(-np.inf, first.t_s, 0, first.place, _off(first)))
    for at, (one, other) in enumerate(pairwise(own)):
        if one.action == "take":
            if other.action == "put" and one.sides == other.sides:
                stays.append(_Stay(one.t_s, other.t_s, at, None, 0.0, one.sides))
            continue
        apart_m = float(np.linalg.norm(one.place - other.place))
        if other.action != "put" and apart_m <= SAME_PLACE_M:
            middle = (one.place + other.place) / 2
            off_m = max(_off(one), _off(other), float(np.hypot(HAND_M, apart_m / 2)))
            stays.append(_Stay(one.t_s, other.t_s, at, middle, off_m))
        else:
            stays.append(_Stay(one.t_s, one.end_s, at, one.place, _off(one)))
    if last.action != "take":
        stays.append(_Stay(last.t_s, np.inf, len(own) - 1, last.place, _off(last)))
    return stays


def _off(one: Handling) -> float:
    return float(np.hypot(HAND_M, one.spread_m))

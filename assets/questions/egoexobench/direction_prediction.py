"""Direction prediction: which fixed camera sees the wearer move in a named direction (EgoExoBench A.3).

The query is the wearer's video of a movement, the options are the same moment in four fixed cameras' views,
and the question names the direction in which one of the four sees the movement. In the paper three annotators
wrote the questions and a fourth person reviewed them. Where people wrote a direction and somebody else accepted it
(`assets.reviews.directions`), the question is in their words; where they rejected a moment, there is none. Elsewhere
the direction follows from the wearer's trajectory and the calibrated places of the fixed cameras.

As in the paper, a described moment is asked about that is marked as visible in the wearer's view and whose words
name a direction or a way of going. What the words say is not used: "to the left" is the wearer's left. Movements
of objects are left to people, because no table says where the objects of Ego-Exo4D are.

A movement is asked about if the wearer goes at least `LEAST_M` and straight, and if four cameras have the wearer in
the picture all the while, not hidden for most of it by somebody else who wears a camera. Whether anything else hides
them is known only where poses of the wearer's body tell; the evidence says so (`lines_of_sight`). The direction in the
asked view lies at least `MARGIN_DEG` inside its sector of 45 degrees (`seen_ways` says how it is measured), and each of
the three other views sees another direction, whichever way it is measured. A movement is asked about once; which of its
views is asked about is chosen by hash.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from assets.labels.narrated_verbs import READS as VERB_READS
from assets.labels.narrated_verbs import NarratedVerbs, Verb
from assets.questions.egoexobench.described import WEARER, described_moments
from assets.questions.egoexobench.lines_of_sight import (
    MOST_HIDDEN,
    POSE_READS,
    hidden_share,
    known_sight,
    ways_of_others,
)
from assets.questions.egoexobench.seen_ways import Track, View, Way, off_deg
from assets.questions.kit.builder import Need, Tables
from assets.questions.kit.choice import by_hash
from assets.questions.kit.clips import Span
from assets.questions.kit.funnel import refuse
from assets.questions.kit.needs import rows_where, take_with_both_views
from assets.questions.kit.recipe import RECORDING_COLUMNS, Clip, Option, Recipe, Row, template
from assets.questions.kit.takes import SYNCHRONOUS, Camera, cameras, synchronous_clocks
from expectations.word_kinds import DIRECTION, words_of

RECIPE = Recipe(
    "egoexobench", "direction_prediction", 1, template(__file__, "direction_prediction.j2")
)
DIRECTIONS = (
    "straight away from the camera, into the background of the picture",
    "diagonally into the background, towards the right side of the picture",
    "straight towards the right side of the picture",
    "diagonally into the foreground, towards the right side of the picture",
    "straight towards the camera, into the foreground of the picture",
    "diagonally into the foreground, towards the left side of the picture",
    "straight towards the left side of the picture",
    "diagonally into the background, towards the left side of the picture",
)
"""Sectors of 45 degrees, clockwise from straight away from the camera."""
SECTOR_DEG = 45.0
MARGIN_DEG = 7.5
OWN_READINGS_DEG = 30.0
"""However it is measured, the way in the asked view lies so near the named direction."""
OTHER_READINGS_DEG = (67.5, 45.0)
"""However it is measured, the way in another view lies so far from a straight or a diagonal direction.

Whoever moves diagonally moves to the right too, if not straight; whoever moves to the right alone does not move
diagonally.
"""
LEAST_M = 0.5
MOST_ASTRAY = 0.2
"""Most that a wearer may leave the straight line, over its length."""
SHORTEST_S = 0.6
DISTRACTORS = 3
MOVES = "the person who filmed the egocentric video"
VIEW = "a view of the same moment"
VISIBLE, ACCEPTED = "visible_to_the_wearer", "accepted_by_people"
NAMED, FILMED = "description_names_a_way", "filmed_by_four_cameras"
GOES, IN_SIGHT = "wearer_goes_straight", "not_hidden_by_another_wearer"
TOLD_APART = "four_views_told_apart"


@dataclass(frozen=True, slots=True)
class Movement:
    """A described movement of a wearer.

    Attributes:
        segment_id: Its description.
        wearer: The wearer's recording.
        span: On the take's clock.
        way: Where the wearer goes.
        sight: What is known of how the fixed cameras see the wearer.
    """

    segment_id: str
    wearer: Camera
    span: Span
    way: Way
    sight: str


def questions(tables: Tables, _reading: str) -> Iterator[Row]:
    """Questions about the described movements of the wearer of a take.

    Args:
        tables: Rows of `recordings`, `clocks`, `segments`, `labels`, `cameras`, `camera_poses` and `body_joints` of the
            take, and of `review_states`.
    """
    clocks = synchronous_clocks(tables["clocks"])
    worn, fixed = (cameras(tables["recordings"], clocks, view) for view in ("ego", "exo"))
    poses, calibrations = tables["camera_poses"], tables["cameras"]
    views = {c.uid: view for c in fixed if (view := View.of(c.uid, poses, calibrations))}
    decided = _decided(tables["review_states"])
    moments = described_moments(tables["segments"])
    narrated = NarratedVerbs(tables["labels"])
    tracks = {c.uid: Track.of(c.uid, poses, calibrations) for c in worn}
    for wearer in worn:
        track = tracks[wearer.uid]
        beside = [(c, t) for c in worn if c is not wearer and (t := tracks[c.uid]) is not None]
        for row in moments.filter(pl.col("recording_id") == wearer.uid).iter_rows(named=True):
            if not row["ego_visible"]:
                refuse(VISIBLE)
                continue
            if row["segment_id"] in decided:
                yield from _by_people(row, wearer, fixed, decided[row["segment_id"]])
                continue
            verbs = narrated.of(row["segment_id"])
            if row["actor_id"] != WEARER or not names_a_way(verbs):
                refuse(NAMED)
                continue
            joints = tables["body_joints"], len(fixed)
            movement = None if track is None else _movement(row, wearer, track, *joints)
            if movement is None:
                refuse(GOES)
                continue
            shown = [c for c in fixed if c.uid in views and _shows(c, views[c.uid], movement)]
            if len(shown) <= DISTRACTORS:
                refuse(FILMED)
                continue
            others = ways_of_others(
                [
                    (t, (c.clock.from_take(movement.span[0]), c.clock.from_take(movement.span[1])))
                    for c, t in beside
                ]
            )
            shown = [
                c for c in shown if hidden_share(views[c.uid], movement.way, others) <= MOST_HIDDEN
            ]
            if len(shown) <= DISTRACTORS:
                refuse(IN_SIGHT)
                continue
            question = _of_movement(movement, shown, views)
            if question is None:
                refuse(TOLD_APART)
                continue
            yield question


def _decided(states: pl.DataFrame) -> dict[str, dict[str, str] | None]:
    """What people state of a description that somebody else accepted; None where they rejected it."""
    standing = states.filter((pl.col("item_kind") == "direction") & (pl.col("state") == "standing"))
    return {
        row["item_id"]: None if row["verdict"] == "reject" else json.loads(row["value"])
        for row in standing.iter_rows(named=True)
    }


def _movement(
    row: dict[str, Any], wearer: Camera, track: Track, joints: pl.DataFrame, n_fixed: int
) -> Movement | None:
    """The movement at a description; None if it is too short, or the wearer does not go straight."""
    start_s, end_s = float(row["shown_from"]), float(row["shown_to"])
    end_s = min(end_s, wearer.row["duration_s"] or end_s)
    if end_s - start_s < SHORTEST_S:
        return None
    way = track.way((start_s, end_s))
    if way is None or way.length_m < LEAST_M or way.strays() > MOST_ASTRAY:
        return None
    span = (wearer.clock.to_take(start_s), wearer.clock.to_take(end_s))
    sight = known_sight(wearer.uid, (start_s, end_s), joints, n_fixed)
    return Movement(str(row["segment_id"]), wearer, span, way, sight)


def names_a_way(verbs: Sequence[Verb]) -> bool:
    """Whether a description says that its own actor goes: in a direction on the ground, or by its verb.

    Args:
        verbs: Verbs of the description.
    """
    ways = words_of(DIRECTION, "way")
    return any(
        verb.is_done and verb.actor_id is None and ("go" in verb.kinds or verb.direction in ways)
        for verb in verbs
    )


def _shows(camera: Camera, view: View, movement: Movement) -> bool:
    return camera.films(movement.span) and view.shows(movement.way)


def _of_movement(movement: Movement, shown: Sequence[Camera], views: dict[str, View]) -> Row | None:
    """The question about a movement; None if no view of it can be told from three others."""
    readings = {c.uid: views[c.uid].readings(movement.way) for c in shown}
    seed = RECIPE.id(str(movement.wearer.row["source"]), movement.segment_id)
    ordered = by_hash(shown, seed, key=lambda c: c.uid)
    for asked in ordered:
        sector = round(readings[asked.uid][0] / SECTOR_DEG) % len(DIRECTIONS)
        off = {uid: [off_deg(r, sector * SECTOR_DEG) for r in own] for uid, own in readings.items()}
        own = off[asked.uid]
        if own[0] > SECTOR_DEG / 2 - MARGIN_DEG or max(own) > OWN_READINGS_DEG:
            continue
        least = OTHER_READINGS_DEG[sector % 2]
        others = [c for c in ordered if c is not asked and min(off[c.uid]) >= least]
        # A view that looks alike is left out only where the take has more than four.
        if len(others) >= DISTRACTORS:
            return _question(movement, sector, asked, others[:DISTRACTORS], readings)
    return None


def _by_people(
    row: Mapping[str, Any],
    wearer: Camera,
    fixed: Sequence[Camera],
    written: Mapping[str, str] | None,
) -> Iterator[Row]:
    """The question in people's words about a moment, if they accepted it and four cameras film it."""
    if written is None:
        refuse(ACCEPTED)
        return
    question = _written(row, wearer, fixed, written)
    if question is None:
        refuse(FILMED)
        return
    yield question


def _written(
    row: Mapping[str, Any], wearer: Camera, fixed: Sequence[Camera], written: Mapping[str, str]
) -> Row | None:
    start_s, end_s = float(row["shown_from"]), float(row["shown_to"])
    end_s = min(end_s, wearer.row["duration_s"] or end_s)
    span = (wearer.clock.to_take(start_s), wearer.clock.to_take(end_s))
    segment_id = str(row["segment_id"])
    anchor = (segment_id, written["view"])
    seed = RECIPE.id(str(wearer.row["source"]), *anchor)
    filming = by_hash([c for c in fixed if c.films(span)], seed, key=lambda c: c.uid)
    asked = [c for c in filming if c.uid == written["view"]]
    others = [c for c in filming if c.uid != written["view"]]
    if not asked or len(others) < DISTRACTORS or end_s - start_s < SHORTEST_S:
        return None
    answer, *distractors = (
        Option(VIEW, clip=_clip(camera, span), evidence=(("clocks", camera.uid),))
        for camera in (*asked, *others[:DISTRACTORS])
    )
    return RECIPE.question(
        anchor=anchor,
        text={
            "moves": written["moves"],
            "direction": written["direction"],
            "narration": row["narration"],
            "written": True,
        },
        answer=answer,
        distractors=distractors,
        media=[wearer.clip(span, segment_id)],
        evidence=[
            ("segments", segment_id, "query"),
            ("review_states", f"{segment_id}/direction", "query"),
            ("clocks", wearer.uid, "query"),
        ],
    )


def _question(
    movement: Movement,
    sector: int,
    asked: Camera,
    others: Sequence[Camera],
    readings: dict[str, list[float]],
) -> Row:
    anchor = (movement.segment_id, asked.uid)
    seed = RECIPE.id(str(movement.wearer.row["source"]), *anchor)
    answer, *distractors = (
        Option(
            VIEW,
            clip=_clip(camera, movement.span),
            evidence=(("clocks", camera.uid), ("cameras", f"{camera.uid}/rgb")),
        )
        for camera in (asked, *others)
    )
    letters = RECIPE.letters(seed, [answer, *distractors])
    query = movement.wearer.clip(movement.span, movement.segment_id)
    elsewhere = sorted((letters[c.uid], _whole(readings[c.uid][0])) for c in others)
    return RECIPE.question(
        anchor=anchor,
        text={
            "moves": MOVES,
            "direction": DIRECTIONS[sector],
            "written": False,
            "wearer": movement.wearer.uid,
            "start_s": query.start_s,
            "end_s": query.end_s,
            "length_m": movement.way.length_m,
            "bearing": _whole(readings[asked.uid][0]),
            "elsewhere": elsewhere,
        },
        answer=answer,
        distractors=distractors,
        media=[query],
        evidence=[
            ("segments", movement.segment_id, "query"),
            ("clocks", movement.wearer.uid, "query"),
            ("cameras", f"{movement.wearer.uid}/rgb", "query"),
            ("segments", movement.segment_id, movement.sight),
        ],
    )


def _whole(degrees: float) -> int:
    return round(degrees) % 360


def _clip(camera: Camera, span: Span) -> Clip:
    start_s, end_s = (camera.clock.from_take(t) for t in span)
    return Clip(camera.row, start_s, end_s)


def _unless_written(need: Need) -> Need:
    """What a source needs unless people wrote directions that were accepted: these need no measurement."""
    reads = {**need.reads, "review_states": ("item_kind", "state", "verdict")}

    def missing(tables: Tables) -> str | None:
        written = (
            (pl.col("item_kind") == "direction")
            & (pl.col("state") == "standing")
            & (pl.col("verdict") == "accept")
        )
        return None if tables["review_states"].filter(written).height else need.missing(tables)

    return Need(reads, missing)


_PLACE = ("tx", "ty", "tz", "qw", "qx", "qy", "qz")
BUILDER = RECIPE.builder(
    questions,
    unit="take",
    reads={
        "recordings": (*RECORDING_COLUMNS, "take_id", "view"),
        "clocks": ("recording_id", "offset_s", "rate", "method"),
        "segments": (
            "segment_id",
            "recording_id",
            "kind",
            "start_s",
            "narration",
            "actor_id",
            "ego_visible",
        ),
        "labels": VERB_READS,
        "cameras": (
            "recording_id",
            "sensor",
            "model",
            "image_space",
            "width_px",
            "height_px",
            "fx_px",
            "fy_px",
            "cx_px",
            "cy_px",
            "distortion",
            *_PLACE,
        ),
        "camera_poses": ("recording_id", "of", "t_s", "world_frame_id", "metric", *_PLACE),
        "body_joints": POSE_READS,
        "review_states": ("item_id", "item_kind", "state", "verdict", "value"),
    },
    needs=(
        take_with_both_views(SYNCHRONOUS),
        rows_where("segments", ("kind",), pl.col("kind") == "atomic", "no description of a moment"),
        *(
            _unless_written(need)
            for need in (
                rows_where(
                    "labels",
                    ("kind",),
                    pl.col("kind") == "verb",
                    "no verb of a description was read: install the extra `words`, or let `narrations` of"
                    " the source be open or both",
                ),
                rows_where(
                    "camera_poses",
                    ("of", "t_s"),
                    (pl.col("of") == "camera") & pl.col("t_s").is_null(),
                    "no fixed camera with a calibrated place",
                ),
                rows_where(
                    "camera_poses",
                    ("of",),
                    pl.col("of") == "device",
                    "no trajectory of the wearer's device",
                ),
            )
        ),
    ),
    limits=(
        "a described movement of the wearer, visible in the egocentric view, of at least"
        f" {LEAST_M} m and straight, that four fixed cameras show in full and no other wearer hides; one of"
        f" them sees it at least {MARGIN_DEG:g} degrees inside a sector of {SECTOR_DEG:g} degrees, the others"
        f" at least {OTHER_READINGS_DEG[1]:g} degrees away from it"
    ),
    rules=(VISIBLE, ACCEPTED, NAMED, GOES, FILMED, IN_SIGHT, TOLD_APART),
    paper=False,
)

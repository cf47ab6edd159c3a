"""Ego4D in its own JSON: videos, narrations, hands and objects, gaze.

No body of `ego4d.json`, `narration.json` or `fho_main.json` could be looked at; the layout is that of
the published schemas and of code that reads the release. Traps: videos are 30 frames a second;
fields called `clip_*` count from the clip, all others from the video; videos of several cameras are
tied by sets with offsets, of which some are not valid; actions may be rejected or no actions at all.

- Annotations lie on whole videos. A clip is a recording of its own where it is here without its
  video, on the clock of that video's take; annotations are not copied to it.
- Gaze does not say whether y counts from the top or the bottom: all its samples are `flagged`.
- `fho_hands_*.json` is not read: what it calls hands are two numbers, their middle, and no boxes.
"""

from __future__ import annotations

import polars as pl

from assets.sources.ego4d_actions import actions_of, box_rows, relation_rows, segment_row
from assets.sources.ego4d_narrations import narration_rows
from assets.sources.ego4d_paths import (
    CLIP,
    EGO4D,
    FHO,
    GAZE,
    LICENCE,
    NARRATION,
    VIDEO,
    chosen,
)
from assets.sources.ego4d_recordings import read_recordings, read_splits
from assets.sources.guard import Guard
from assets.sources.layout import Layout, Part, PartFiles, Rows
from assets.sources.reading import Malformed
from assets.sources.wide_csv import LINE, wide_csv
from expectations.schemas import TABLES


def read_segments(part: PartFiles) -> Rows:
    """Narrations (`atomic`, `coarse`) and actions (`interaction`) with what they are done to."""
    guard = Guard("segments")
    segments: list[dict] = []
    relations: list[dict] = []
    path = chosen(part.large, NARRATION, guard)
    if path is not None:
        segments += narration_rows(part.source, path, part.large[path], guard)
    path = chosen(part.large, FHO, guard)
    if path is not None:
        for action in actions_of(path, part.large[path], guard, guard):
            row = guard.make(
                path, action.uid, lambda p=path, a=action: segment_row(part.source, p, a),
                action.video,
            )  # fmt: skip
            if row is not None:
                segments.append(row)
                relations += relation_rows(part.source, path, action)
    tables = {
        "segments": TABLES["segments"].frame(segments),
        "relations": TABLES["relations"].frame(relations),
    }
    return Rows(tables, tuple(guard.refused))


def read_objects(part: PartFiles) -> Rows:
    """Boxes of things and hands in the frames of actions that count."""
    guard = Guard("boxes")
    # What is wrong with the actions is said once, by the part that fills `segments`.
    silent = Guard("segments")
    path = chosen(part.large, FHO, silent)
    rows: list[dict] = []
    if path is not None:
        for action in actions_of(path, part.large[path], silent, silent):
            rows += box_rows(part.source, path, action, guard)
    return Rows({"boxes": TABLES["boxes"].frame(rows)}, tuple(guard.refused))


def read_sensors(part: PartFiles) -> Rows:
    """Gaze of one video; none of it counts as valid, since nobody says where y is 0."""
    assert part.recording is not None
    uid = str(part.recording["recording_id"])
    guard = Guard("gaze_samples")
    path = chosen(part.files, GAZE, guard)
    if path is None:
        return Rows({}, tuple(guard.refused))
    position = ("norm_pos_x", "norm_pos_y")
    try:
        read = wide_csv(
            guard, path, part.files[path],
            floats=("canonical_timestamp_s",), gaps=position, present=position, recording_id=uid,
        )  # fmt: skip
    except Malformed as error:
        guard.unreadable(path, error, uid)
        return Rows({}, tuple(guard.refused))
    inside = pl.all_horizontal(pl.col(name).is_between(0, 1) for name in position)
    known = pl.all_horizontal(pl.col(name).is_not_null() for name in position)
    rows = read.select(
        pl.lit(part.source).alias("source"),
        pl.lit(uid).alias("recording_id"),
        (pl.col(LINE) - 2).alias("sample"),
        pl.lit(None, pl.Int64).alias("t_ns"),
        pl.col("canonical_timestamp_s").alias("t_s"),
        pl.col(position[0]).alias("x"),
        pl.col(position[1]).alias("y"),
        pl.lit(None, pl.Boolean).alias("worn"),
        pl.lit(None, pl.Boolean).alias("blink"),
        pl.when(~known)
        .then(pl.lit("not_finite"))
        .when(inside)
        .then(pl.lit("flagged"))
        .otherwise(pl.lit("outside"))
        .alias("validity"),
    )
    table = TABLES["gaze_samples"]
    return Rows({"gaze_samples": rows.cast(dict(table.empty().schema))}, tuple(guard.refused))  # type: ignore[arg-type]


LAYOUT = Layout(
    name="ego4d",
    title="Ego4D",
    licence=LICENCE,
    certainty="documented",
    assumed=(
        "how release 2 wraps its narrations; gaze does not say where y counts from, and "
        "all of it is flagged"
    ),
    parts=(
        Part("recordings", read_recordings, None, rf"{VIDEO}|{CLIP}", large=EGO4D),
        Part("segments", read_segments, None, large=rf"{NARRATION}|{FHO}"),
        Part("sensors", read_sensors, GAZE, needs=("recording_id",)),
        Part("objects", read_objects, None, large=FHO),
        Part("splits", read_splits, None, large=EGO4D),
    ),
)

"""3D objects, 2D boxes and fully annotated frames of one Aria Digital Twin recording."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from assets.sources.adt.rgb_frames import (
    BOX_STAMP,
    EDGES,
    RATIO,
    RGB,
    SIDE_PX,
    UID,
    frame_stamps,
    read_boxes_2d,
)
from assets.sources.aria.mps import read_trajectory
from assets.sources.aria.world import Turn
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.folder import Folder
from assets.sources.reading.json import document_of
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed
from assets.sources.reading.wide_csv import LINE, first_of_each, wide_csv
from expectations.schemas import TABLES

TRAJECTORY, BOXES = "aria_trajectory.csv", "2d_bounding_box.csv"
BOXES_3D, SCENE, INSTANCES = "3d_bounding_box.csv", "scene_objects.csv", "instances.json"
_TEXTS = ("instance_name", "category", "motion_type")
NO_STAMP = -1
"""Stamp of what holds for the whole recording."""
_ENDS = [f"p_local_obj_{a}{e}[m]" for a in "xyz" for e in ("min", "max")]
_PLACE = [*(f"t_wo_{a}[m]" for a in "xyz"), *(f"q_wo_{a}" for a in "wxyz")]


def read_objects(part: PartFiles) -> Rows:
    """Objects of one sequence."""
    folder = Folder(part, str(part.recording["recording_id"]) if part.recording else "")
    uid, read = folder.uid, folder.read
    # The sensors part tells what is wrong with the trajectory.
    track = read(
        TRAJECTORY, "objects_3d", lambda g, f, d: read_trajectory(g, f, d, uid), told=False
    )
    boxes = read(BOXES, "boxes", lambda g, f, d: read_boxes_2d(g, f, d, uid))
    names = read(INSTANCES, "objects_3d", _instances) or {}
    stamps = frame_stamps(boxes, track[0] if track else None)
    tables: dict[str, pl.DataFrame] = {}
    reader = RowReader("boxes")
    if boxes is not None and stamps:
        tables["boxes"] = _boxes(reader, boxes, names, stamps, part.source, uid)
        tables["annotated_frames"] = TABLES["annotated_frames"].frame(
            {
                "source": part.source,
                "recording_id": uid,
                "what": "objects",
                "source_frame": at,
                "t_s": (stamp - stamps[0]) / 1e9,
            }
            for at, stamp in enumerate(stamps)
        )
    places = read(SCENE, "objects_3d", lambda g, f, d: _places(g, f, d, uid))
    sizes = read(BOXES_3D, "objects_3d", lambda g, f, d: _sizes(g, f, d, uid))
    if places is not None and sizes is not None:
        if track is None:
            reader.reject(
                f"{uid}/{SCENE}", None, "no_gravity", None,
                "without a readable trajectory nothing tells which way is up in this world",
                f"restore {uid}/{TRAJECTORY}", uid,
            )  # fmt: skip
        elif stamps:
            tables["objects_3d"] = _objects(
                reader, places, sizes, names, track[1], stamps[0], part.source, uid
            )
    return Rows(tables, (*folder.refused, *reader.refused))


def _instances(reader: RowReader, file: str, data: bytes) -> dict[str, dict]:
    """Instances by id, as text: the 64-bit ids do not survive a float."""
    said = document_of(data)
    if not isinstance(said, dict):
        raise Malformed("instances are not an object", type(said).__name__)
    found = {}
    for uid, one in said.items():
        texts = [one.get(key) for key in _TEXTS] if isinstance(one, dict) else [None]
        if not isinstance(texts[0], str) or not all(isinstance(t, str | None) for t in texts):
            reader.reject(
                file, uid, "unreadable_row", uid, "instance has no name, or one that is not text",
                "correct the instance", None,
            )  # fmt: skip
            continue
        found[uid] = one
    return found


def _named(names: Mapping[str, dict], key: str, out: str) -> pl.Expr:
    return (
        pl.col(UID)
        .replace_strict(
            {u: one.get(key) for u, one in names.items()}, default=None, return_dtype=pl.String
        )
        .alias(out)
    )


def _boxes(
    reader: RowReader,
    boxes: pl.DataFrame,
    names: Mapping[str, dict],
    stamps: list[int],
    source: str,
    uid: str,
) -> pl.DataFrame:
    """Rows of `boxes`: as drawn on the sensor, and turned upright (90 degrees clockwise).

    Edges are the indices of the first and last pixel inside, so that a box reaches one pixel
    further than its last.
    """
    x_min, x_max, y_min, y_max = (pl.col(n) for n in EDGES)
    unknown = boxes.filter(~pl.col(UID).is_in(list(names)))
    for row in unknown.unique(UID, keep="first", maintain_order=True).iter_rows(named=True):
        reader.reject(
            f"{uid}/{BOXES}", row[LINE], "unknown_object", row[UID],
            "2D boxes of an object that instances.json does not name", "restore instances.json", uid,
        )  # fmt: skip
    known = boxes.filter(pl.col(UID).is_in(list(names)))
    inside = (x_min >= 0) & (y_min >= 0) & (x_max < SIDE_PX) & (y_max < SIDE_PX)
    frames = dict(zip(stamps, range(len(stamps)), strict=True))
    unit = 1.0 / SIDE_PX
    key = pl.format("{}|{}|{}", pl.lit(RGB), BOX_STAMP, UID)
    return TABLES["boxes"].fit(
        known.with_columns(
            pl.lit(source).alias("source"),
            pl.lit(uid).alias("recording_id"),
            pl.format("{}|{}", pl.lit(uid), key).alias("box_id"),
            pl.col(BOX_STAMP).replace_strict(frames, return_dtype=pl.Int64).alias("source_frame"),
            ((pl.col(BOX_STAMP) - stamps[0]) / 1e9).alias("t_s"),
            _named(names, "instance_name", "class_name"),
            pl.col(UID).alias("object_id"),
            pl.lit("sensor").alias("image_space"),
            ((SIDE_PX - 1 - y_max) * unit).clip(0, 1).alias("x_min"),
            (x_min * unit).clip(0, 1).alias("y_min"),
            ((SIDE_PX - y_min) * unit).clip(0, 1).alias("x_max"),
            ((x_max + 1) * unit).clip(0, 1).alias("y_max"),
            pl.concat_list(EDGES).alias("raw"),
            pl.lit("xxyy_px").alias("raw_form"),
            (~inside).alias("clipped"),
            pl.col(RATIO).alias("visibility"),
            pl.lit("projected").alias("method"),
            pl.lit(f"{uid}/{BOXES}").alias("source_file"),
            key.alias("source_key"),
        )
    )


def _places(reader: RowReader, file: str, data: bytes, uid: str) -> pl.DataFrame:
    return wide_csv(
        reader, file, data, ints=(BOX_STAMP,), floats=_PLACE, texts=(UID,), recording_id=uid
    )


def _sizes(reader: RowReader, file: str, data: bytes, uid: str) -> pl.DataFrame:
    rows = wide_csv(
        reader, file, data, ints=(BOX_STAMP,), floats=_ENDS, texts=(UID,), recording_id=uid
    )
    return first_of_each(reader, file, rows, [UID, BOX_STAMP], uid).rename({LINE: "size_line"})


def _objects(
    reader: RowReader,
    places: pl.DataFrame,
    sizes: pl.DataFrame,
    names: Mapping[str, dict],
    turn: Turn,
    start_ns: int,
    source: str,
    uid: str,
) -> pl.DataFrame:
    """Rows of `objects_3d`: the pose T_world_object per stamp with its box in the object's frame."""
    always = sizes.filter(pl.col(BOX_STAMP) == NO_STAMP).drop(BOX_STAMP)
    moving = sizes.filter(pl.col(BOX_STAMP) != NO_STAMP)
    joined = pl.concat(
        [
            places.join(always, on=UID, how="inner"),
            places.join(moving, on=[UID, BOX_STAMP], how="inner"),
        ],
        how="diagonal",
    ).unique(LINE, keep="first")
    known = joined.filter(pl.col(UID).is_in(list(names)))
    lost = places.filter(~pl.col(LINE).is_in(known[LINE].implode()))
    for row in lost.unique(UID, keep="first", maintain_order=True).iter_rows(named=True):
        what = "name in instances.json" if row[UID] not in names else "3D box"
        reader.reject(
            f"{uid}/{SCENE}", row[LINE], "unknown_object", row[UID],
            f"object without a {what}", "restore the file from the release", uid,
        )  # fmt: skip
    stands = pl.col(BOX_STAMP) == NO_STAMP
    motion = pl.when(_named(names, "motion_type", "m") == "dynamic").then(pl.lit("dynamic"))
    ends = zip((f"{a}_{e}_m" for a in "xyz" for e in ("min", "max")), _ENDS, strict=True)
    return (
        known.sort(UID, BOX_STAMP)
        .with_columns(
            pl.lit(source).alias("source"),
            pl.lit(uid).alias("recording_id"),
            pl.col(UID).alias("object_id"),
            pl.int_range(pl.len(), dtype=pl.Int64).over(UID).alias("pose"),
            pl.when(~stands).then((pl.col(BOX_STAMP) - start_ns) / 1e9).alias("t_s"),
            _named(names, "instance_name", "name"),
            _named(names, "category", "category"),
            motion.otherwise(pl.lit("static")).alias("motion"),
            pl.lit(uid).alias("world_frame_id"),
            *turn.position(*_PLACE[:3]),
            *turn.rotation(*_PLACE[3:]),
            *(pl.col(theirs).alias(ours) for ours, theirs in ends),
            pl.lit("annotated").alias("method"),
        )
        .select(TABLES["objects_3d"].schema.keys())
        .cast(TABLES["objects_3d"].schema)
    )

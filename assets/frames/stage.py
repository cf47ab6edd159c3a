"""Frames of a source: one unit per recording."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from assets.frames.build import FramesResult, build_frames
from assets.frames.images import frames_of_images
from assets.options import Options, Tell
from assets.sources.stage import root_of
from assets.stage import Inputs, Stage, Unit
from expectations.contracts import Refusal
from resources.media.packets import Stream
from resources.media.video import VideoError, read_packets
from resources.roots.base import Root, UnreadableFile
from resources.store.incremental import Output


def _units(inputs: Inputs) -> Iterator[Unit]:
    """Recordings."""
    for uid in inputs.units_with_rows("recordings"):
        yield Unit(uid, inputs.keys([uid]))


def _compute(
    inputs: Inputs, units: Sequence[Unit], _options: Options, _tell: Tell
) -> Iterator[Output]:
    root = root_of(inputs.settings, inputs.partition)
    for batch in inputs.batches(units):
        for unit in batch.units:
            tables = batch.of(unit)
            row = tables["recordings"].row(0, named=True)
            if row["media_kind"] == "image_sequence":
                yield _from_images(row, tables["images"])
            else:
                yield _from_video(root, row, tables["frame_stamps"], tables["gaze_samples"])


def _from_images(row: dict[str, Any], images: pl.DataFrame) -> Output:
    uid = row["recording_id"]
    if row["media"] == "missing":
        return Output([uid], {})
    result = frames_of_images(row, images)
    tables = {"streams": result.streams, "frames": result.frames}
    return Output([uid], tables, [(uid, r) for r in result.refusals])


def _from_video(
    root: Root, row: dict[str, Any], frame_stamps: pl.DataFrame, gaze: pl.DataFrame
) -> Output:
    uid = row["recording_id"]
    if row["media"] == "missing" or row["media_kind"] != "video":
        return Output([uid], {})
    streams: list[Stream | None] = []
    refused: list[Refusal] = []
    for path in row["media_paths"]:
        try:
            with root.open(path) as handle:
                streams.append(read_packets(handle))
        except UnreadableFile as error:
            streams.append(None)
            refused.append(replace(error.refusal, table="streams", recording_id=uid))
        except VideoError as error:
            streams.append(None)
            refused.append(
                Refusal(
                    file=path,
                    row=None,
                    rule=f"video_{error.reason}",
                    value=None,
                    message=str(error).replace("file object", "the file"),
                    remedy="restore the file; what needs its pixels is left out until then",
                    table="streams",
                    recording_id=uid,
                )
            )
    if not any(streams):
        # The unreadable files are refused; that nothing can be placed in time follows from it.
        return Output([uid], {}, [(uid, r) for r in refused])
    result: FramesResult = build_frames(row, streams, frame_stamps, gaze)
    refused.extend(result.refusals)
    tables = {"streams": result.streams, "frames": result.frames}
    return Output([uid], tables, [(uid, r) for r in refused])


STAGE = Stage(
    name="frames",
    group="frames",
    summary="Video indexed without decoding, on a 25 fps grid, with gaze registered to its ticks.",
    partition="source",
    tables=("streams", "frames"),
    derived_from={
        "streams": ("recordings",),
        "frames": ("recordings", "images", "frame_stamps", "gaze_samples"),
    },
    reads={
        "recordings": (
            "source",
            "recording_id",
            "media",
            "media_kind",
            "time_base",
            "media_paths",
            "media_hashes",
        ),
        "images": ("recording_id", "source_frame", "t_s"),
        "frame_stamps": None,
        "gaze_samples": None,
    },
    units=_units,
    compute=_compute,
    code=(build_frames, read_packets, frames_of_images),
    by_recording=True,
    lineage={
        "frames": {
            "gaze_x": [("gaze_samples", "x")],
            "gaze_y": [("gaze_samples", "y")],
            "gaze_valid": [("gaze_samples", "validity")],
            "gaze_samples": [("gaze_samples", "sample")],
            "gaze_residual_ms": [("gaze_samples", "t_ns"), ("frame_stamps", "frame_stamps_ns")],
            "source_pts": [("recordings", "media_paths"), ("images", "source_frame")],
            "t_s": [("recordings", "media_paths"), ("images", "t_s")],
        },
        "streams": {"codec": [("recordings", "media_paths")]},
    },
)

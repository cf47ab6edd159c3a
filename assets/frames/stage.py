"""Frames of a source: one unit per recording."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import polars as pl

from assets.frames.build import FramesResult, build_frames
from assets.frames.images import frames_of_images
from assets.sources.stage import STAGES as SOURCE_STAGES
from assets.sources.stage import root_of
from assets.unit_stage import UnitStage
from expectations.contracts import Refusal
from expectations.schemas import TABLES
from expectations.schemas.identity import digest
from resources.config import Settings
from resources.media.packets import Stream
from resources.media.video import VideoError, read_packets
from resources.roots.base import Root, UnreadableFile
from resources.store.code_version import code_version
from resources.store.incremental import Output, Stage
from resources.store.ledger import read_complete

STAGE = Stage("frames", (TABLES["streams"], TABLES["frames"]))
_RECORDING = ("recording_id", "media", "media_kind", "time_base", "media_paths", "media_hashes")
_IMAGES = ("source_frame", "t_s")


def wanted(settings: Settings, source: str) -> dict[str, str]:
    """Recordings and what their frames are made from."""
    recordings = read_complete(settings.store, SOURCE_STAGES["recordings"].name, source)
    gaze = read_complete(settings.store, SOURCE_STAGES["sensors"].name, source)
    code = code_version(build_frames, read_packets, frames_of_images)
    units = {}
    for uid, entry in recordings.items():
        if "recordings" not in entry.tables:
            continue
        parts = [code, entry.inputs("recordings", _RECORDING), entry.inputs("images", _IMAGES)]
        if uid in gaze:
            for name in ("frame_stamps", "gaze_samples"):
                parts.append(gaze[uid].inputs(name, TABLES[name].content_columns))
        units[uid] = digest(parts)
    return units


def _compute(settings: Settings, source: str, todo: list[str]) -> Iterator[Output]:
    root = root_of(settings, source)
    for at in range(0, len(todo), 50):
        units = todo[at : at + 50]
        tables = {
            name: settings.store.read(TABLES[name], source, units).partition_by(
                "recording_id", as_dict=True
            )
            for name in ("recordings", "images", "frame_stamps", "gaze_samples")
        }
        for uid in units:
            row = tables["recordings"][uid,].row(0, named=True)
            if row["media_kind"] == "image_sequence":
                yield _sequence(row, tables["images"].get((uid,), TABLES["images"].empty()))
                continue
            yield _one(
                root,
                row,
                tables["frame_stamps"].get((uid,), TABLES["frame_stamps"].empty()),
                tables["gaze_samples"].get((uid,), TABLES["gaze_samples"].empty()),
            )


_UNITS = UnitStage(STAGE, wanted, _compute, by_recording=True)
bring_up = _UNITS.bring_up
is_fresh = _UNITS.is_fresh


def _sequence(row: dict[str, Any], images: pl.DataFrame) -> Output:
    uid = row["recording_id"]
    if row["media"] == "missing":
        return Output([uid], {})
    made = frames_of_images(row, images)
    tables = {"streams": made.streams, "frames": made.frames}
    return Output([uid], tables, [(uid, r) for r in made.refusals])


def _one(root: Root, row: dict[str, Any], frame_stamps: pl.DataFrame, gaze: pl.DataFrame) -> Output:
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
        # What could not be read was said; that nothing can be placed in time follows from it.
        return Output([uid], {}, [(uid, r) for r in refused])
    made: FramesResult = build_frames(row, streams, frame_stamps, gaze)
    refused.extend(made.refusals)
    tables = {"streams": made.streams, "frames": made.frames}
    return Output([uid], tables, [(uid, r) for r in refused])

"""Streams and frames of one recording, from its packets, device stamps and gaze samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from assets.frames.clock import PartClock, align_part
from assets.frames.gaze import TickGaze, register
from assets.frames.grid import CFR_RATE, Grid, constant_rate
from assets.frames.timeline import MAX_SPAN_S, NS, Part, Timeline, place_parts
from expectations.contracts import Refusal
from expectations.schemas import TABLES
from resources.media.packets import Index, Stream, index_frames

STEP_NS = NS // CFR_RATE


@dataclass(frozen=True, slots=True)
class FramesResult:
    """What one recording gives.

    Attributes:
        streams: Rows of `streams`, one per part that presents a frame.
        frames: Rows of `frames` on the `cfr25` grid.
        refusals: What was dropped, repaired or could not be placed.
        clocks: How device stamps were mapped, one per part that has them.
    """

    streams: pl.DataFrame
    frames: pl.DataFrame
    refusals: list[Refusal]
    clocks: tuple[PartClock, ...] = ()


def build_frames(
    recording: Mapping[str, Any],
    streams: Sequence[Stream | None],
    frame_stamps: pl.DataFrame,
    gaze: pl.DataFrame,
) -> FramesResult:
    """Frame table of one recording.

    Args:
        recording: Its row of `recordings` (source, recording_id, media_paths are read).
        streams: One stream per media part, in order; null for a part that could not be read (the
            caller refuses it with the reader's reason).
        frame_stamps: Its rows of `frame_stamps` (device stamps of the frames of a part); may be
            empty.
        gaze: Its rows of `gaze_samples`; may be empty. Samples with a device stamp are placed by
            the clock, others by the time their file states.

    Returns:
        Tables in their schemas' columns and what was refused. Where the first part presents no
        frame there is no time zero, and both tables are empty.
    """
    source, recording_id = recording["source"], recording["recording_id"]
    paths: Sequence[str] = recording.get("media_paths") or ()
    notes: list[Refusal] = []
    stamps = {
        int(part): np.asarray(values, dtype=np.int64)
        for part, values in zip(frame_stamps["part"], frame_stamps["frame_stamps_ns"], strict=True)
    }
    parts: list[Part] = []
    indexes: dict[int, Index] = {}
    joined: dict[int, PartClock] = {}
    for part, stream in enumerate(streams):
        file = paths[part] if part < len(paths) else None
        found = _index_part(part, stream, recording_id, file, notes)
        if found is None:
            # Later parts can be placed by their clock alone; the first is where time starts.
            if part == 0 or not stamps.keys() >= set(range(part + 1, len(streams))):
                rest = len(streams) - part - 1
                notes.append(
                    Refusal(
                        file=file,
                        row=f"part {part}",
                        rule="no_time_zero" if part == 0 else "part_unplaced",
                        value=f"{rest} later parts",
                        message="this part presents no frame, so its time and that of later parts "
                        "is unknown; they are left out",
                        remedy="restore the file",
                        table="streams",
                        recording_id=recording_id,
                    )
                )
                break
            continue
        parts.append(found[0])
        indexes[part] = found[1]
        if part in stamps:
            clock, clock_notes = align_part(
                part,
                found[0].times_ns,
                stamps[part],
                stored=found[1].stored,
                packets=len(stream.packets) if stream is not None else None,
                recording_id=recording_id,
                file=file,
            )
            notes += clock_notes
            if clock is not None:
                joined[part] = clock
    if not parts:
        return FramesResult(TABLES["streams"].empty(), TABLES["frames"].empty(), notes)

    timeline, place_notes = place_parts(parts, joined, recording_id=recording_id)
    notes += place_notes
    grid = constant_rate(timeline.stamps, timeline.unit)
    times, placed = _gaze_times(gaze, joined, timeline, recording_id, notes)
    on_ticks = _register(gaze, times, placed, grid, recording_id, notes)
    return FramesResult(
        streams=_stream_rows(source, recording_id, streams, parts, indexes, timeline),
        frames=_frame_rows(source, recording_id, grid, timeline, on_ticks),
        refusals=notes,
        clocks=tuple(joined.values()),
    )


def _index_part(
    part: int, stream: Stream | None, recording_id: str, file: str | None, notes: list[Refusal]
) -> tuple[Part, Index] | None:
    """Index of a part, or null where it presents no frame one could place."""
    if stream is None:
        return None
    index = index_frames(stream, recording_id=recording_id, file=file)
    notes += index.refusals
    if stream.rotation_deg is None:
        notes.append(
            Refusal(
                file=file,
                row=f"part {part}",
                rule="no_rotation",
                value=None,
                message="no frame could be decoded to learn its rotation; stored as 0",
                remedy="check that the file plays",
                table="streams",
                recording_id=recording_id,
            )
        )
    if not len(index.pts):
        notes.append(
            Refusal(
                file=file,
                row=f"part {part}",
                rule="no_frame",
                value=f"{len(stream.packets)} packets",
                message="the video presents no frame",
                remedy="check that the file plays, or remux it with presentation stamps",
                table="streams",
                recording_id=recording_id,
            )
        )
        return None
    found = Part(part, index.pts, stream.time_base_num, stream.time_base_den)
    if found.span * found.num > MAX_SPAN_S * found.den:
        notes.append(
            Refusal(
                file=file,
                row=f"part {part}",
                rule="implausible_span",
                value=f"stamps {index.pts[0]} to {index.pts[-1]} in {found.num}/{found.den} s",
                message=f"the stamps span more than {MAX_SPAN_S // 3600} h: one of them is broken",
                remedy="remux the file",
                table="streams",
                recording_id=recording_id,
            )
        )
        return None
    return found, index


def _gaze_times(
    gaze: pl.DataFrame,
    clocks: Mapping[int, PartClock],
    timeline: Timeline,
    recording_id: str,
    notes: list[Refusal],
) -> tuple[np.ndarray, np.ndarray]:
    """Recording time of each sample in int64 ns, and whether it has one."""
    if gaze.is_empty():
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=bool)
    device, stamped = _filled(gaze["t_ns"], 0)
    times = np.zeros(len(gaze), dtype=np.int64)
    placed = np.zeros(len(gaze), dtype=bool)
    for part, clock in clocks.items():
        local, inside = clock.part_times(device)
        take = stamped & inside & ~placed
        times[take] = local[take] + timeline.offset_ns[part]
        placed |= take
    stated = gaze["t_s"].to_numpy()  # null is NaN
    usable = ~stamped & np.isfinite(stated) & (np.abs(stated) <= MAX_SPAN_S)
    times[usable] = np.rint(stated[usable] * NS).astype(np.int64)
    placed |= usable
    if stamped.any() and not clocks:
        notes.append(
            Refusal(
                file=None,
                row=None,
                rule="no_clock",
                value=f"{int(stamped.sum())} samples",
                message="gaze has device stamps but no frame of the video has; not placed",
                remedy="restore the scene video's time file",
                table="gaze_samples",
                recording_id=recording_id,
            )
        )
    return times, placed


def _filled(column: pl.Series, missing: int | bool) -> tuple[np.ndarray, np.ndarray]:
    """Values with something in place of null, and which are there."""
    if not column.null_count():
        return column.to_numpy(), np.ones(len(column), dtype=bool)
    return column.fill_null(missing).to_numpy(), column.is_not_null().to_numpy()


def _positions(gaze: pl.DataFrame) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where each sample lies (null is NaN), and whether the tracker calls it valid."""
    if gaze.is_empty():
        return np.zeros(0), np.zeros(0), np.zeros(0, dtype=bool)
    valid, _ = _filled(gaze["validity"] == "valid", False)
    return gaze["x"].to_numpy(), gaze["y"].to_numpy(), valid


def _register(
    gaze: pl.DataFrame,
    times: np.ndarray,
    placed: np.ndarray,
    grid: Grid,
    recording_id: str,
    notes: list[Refusal],
) -> TickGaze:
    x, y, valid = _positions(gaze)
    on_ticks = register(
        times[placed],
        x[placed],
        y[placed],
        valid[placed],
        ticks=len(grid.frame),
        step_ns=STEP_NS,
    )
    outside = on_ticks.unregistered + int((~placed).sum())
    if outside:
        notes.append(
            Refusal(
                file=None,
                row=None,
                rule="outside_video",
                value=f"{outside} of {len(gaze)} samples",
                message="samples before, after or between the parts of the video; at no tick",
                remedy="nothing to do if few; else check that gaze and video belong together",
                table="gaze_samples",
                recording_id=recording_id,
            )
        )
    if on_ticks.crowded:
        notes.append(
            Refusal(
                file=None,
                row=None,
                rule="crowded_tick",
                value=f"{on_ticks.crowded} samples",
                message="more samples at one tick than any eye tracker takes; left out",
                remedy="check the stamps of the gaze file",
                table="gaze_samples",
                recording_id=recording_id,
            )
        )
    return on_ticks


def _frame_rows(
    source: str, recording_id: str, grid: Grid, timeline: Timeline, gaze: TickGaze
) -> pl.DataFrame:
    schema, ticks = TABLES["frames"].schema, len(grid.frame)
    columns = {
        "tick": np.arange(ticks, dtype=np.int32),
        "t_s": grid.t_s,
        "part": timeline.part[grid.frame],
        "source_frame": grid.frame.astype(np.int32),
        "source_pts": timeline.pts[grid.frame],
        "residual_ms": grid.residual_ms,
        "gaze_x": pl.Series(gaze.x, nan_to_null=True),
        "gaze_y": pl.Series(gaze.y, nan_to_null=True),
        "gaze_valid": gaze.valid,
        "gaze_samples": gaze.samples,
        "gaze_residual_ms": pl.Series(gaze.residual_ms, nan_to_null=True),
    }
    for name, value in (("source", source), ("recording_id", recording_id), ("grid", grid.name)):
        columns[name] = pl.Series([value]).new_from_index(0, ticks)
    return pl.DataFrame({name: columns[name] for name in schema.names()}, schema=schema)


def _stream_rows(
    source: str,
    recording_id: str,
    streams: Sequence[Stream | None],
    parts: Sequence[Part],
    indexes: Mapping[int, Index],
    timeline: Timeline,
) -> pl.DataFrame:
    rows: list[dict[str, Any]] = []
    for part in parts:
        stream, index = streams[part.part], indexes[part.part]
        assert stream is not None
        gaps = (np.diff(index.pts) * part.num).astype(np.float64)  # of hours of video: in place
        gaps *= 1000.0
        gaps /= part.den
        rows.append(
            {
                "source": source,
                "recording_id": recording_id,
                "part": part.part,
                "stream": stream.index,
                "codec": stream.codec,
                "width_px": stream.width_px,
                "height_px": stream.height_px,
                "rotation_deg": stream.rotation_deg or 0,
                "time_base_num": part.num,
                "time_base_den": part.den,
                "frames": len(index.pts),
                "first_pts": int(index.pts[0]),
                "last_pts": int(index.pts[-1]),
                "offset_s": timeline.offset_ns[part.part] / NS,
                "interval_min_ms": float(gaps.min()) if len(gaps) else None,
                "interval_median_ms": float(np.median(gaps)) if len(gaps) else None,
                "interval_max_ms": float(gaps.max()) if len(gaps) else None,
                "reordered": index.reordered,
                "discarded": index.discarded,
                "duplicates": index.duplicates,
                "unstamped": index.unstamped,
            }
        )
    schema = TABLES["streams"].schema
    return pl.DataFrame({n: [row[n] for row in rows] for n in schema.names()}, schema=schema)

"""Cloud export "Timeseries + Scene Video": gaze, frame stamps and blinks as CSV.

Layout: format note of Pupil Invisible, A. The local exporter's `gaze.csv` (without ids) reads too.
Enrichment exports (marker and reference mappers) carry a `gaze.csv` in other coordinates and are
refused by their header.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import polars as pl

from assets.sources.pupil.rows import (
    Faults,
    PupilRows,
    camera_row,
    device_of,
    folder_prefix,
    gaze_frame,
    read_info,
    size_of,
)
from assets.sources.reading.json import document_of
from assets.sources.reading.values import Malformed, text_of
from expectations.schemas import TABLES

TIME, GAZE_X, GAZE_Y = "timestamp [ns]", "gaze x [px]", "gaze y [px]"
BLINK_START, BLINK_END = "start timestamp [ns]", "end timestamp [ns]"
RECORDING_ID, SECTION = "recording id", "section id"

_INTEGER = r"^\s*[+-]?\d+\s*$"
_RESTORE = "export the recording again"


def read_cloud(
    files: Mapping[str, bytes],
    *,
    source: str,
    recording_id: str,
    names: Collection[str] | None = None,
    folder: str = "",
    size: tuple[int, int] | None = None,
) -> PupilRows:
    """Rows of a Cloud export.

    Sections of `world_timestamps.csv` are parts, in order of their first stamp. Blinks come from
    the gaze file's own column or the intervals of `blinks.csv`; either counts.

    Args:
        files: Bytes by file name, videos left out.
        source: Source.
        recording_id: Recording.
        names: All names in the folder, videos included; the keys of `files` if null.
        folder: Path put before file names in rows and refusals.
        size: Scene image size in pixels; the device's own if null.
    """
    faults = Faults(recording_id)
    listed = set(files) if names is None else set(names) | set(files)
    info = read_info(files, faults)
    path = folder_prefix(folder)
    camera = _scene_camera(files, faults)
    device = device_of(info, listed) or (camera[0] if camera else None)
    size = size or size_of(device)
    own = info.get("recording_id") or info.get("recording_uuid")
    own = own if isinstance(own, str) else None
    cameras = TABLES["cameras"].empty()
    if camera:
        cameras = camera_row(
            camera[1],
            camera[2],
            size=size,
            source=source,
            recording_id=recording_id,
            file=path + "scene_camera.json",
            faults=faults,
        )
    gaze = _gaze(files, size, own, source, recording_id, faults)
    clocks = _clocks(files, listed, own, source, recording_id, path, faults)
    return PupilRows(gaze, clocks, cameras, faults.in_folder(folder), device)


def _table(
    files: Mapping[str, bytes],
    name: str,
    table: str,
    required: Collection[str],
    faults: Faults,
    *,
    may_be_empty: bool = False,
) -> pl.DataFrame | None:
    """A CSV file as text columns with `line` numbers; rows of another width are refused.

    Cells of these files are plain numbers and ids; a quote is read as a character and then fails
    where a number is wanted.
    """
    data = files.get(name)
    if data is None:
        return None
    try:
        text = text_of(data)
    except Malformed as error:
        faults.add(table, name, "not_utf8", None, str(error), _RESTORE)
        return None
    lines = pl.Series("text", text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    header = [cell.strip() for cell in lines[0].split(",")]
    missing = [column for column in required if column not in header]
    if missing:
        mapped = [c for c in header if "on surface" in c or "[normalized]" in c]
        faults.add(
            table,
            name,
            "enrichment_export" if mapped else "missing_column",
            ", ".join(mapped or missing),
            "an enrichment export in the coordinates of a surface or image, not of the scene"
            if mapped
            else f"the header lacks {', '.join(missing)}",
            'use the export "Timeseries + Scene Video"',
            row=1,
        )
        return None
    twice = sorted({column for column in header if column and header.count(column) > 1})
    if twice:
        faults.add(
            table,
            name,
            "column_twice",
            ", ".join(twice),
            f"the header has {', '.join(twice)} twice",
            _RESTORE,
            row=1,
        )
        return None
    rows = (
        pl.DataFrame({"text": lines})
        .with_row_index("line", offset=1)
        .slice(1)
        .filter(pl.col("text").str.strip_chars() != "")
        .with_columns(cells=pl.col("text").str.split(","))
    )
    if rows.is_empty() and not may_be_empty:
        faults.add(table, name, "no_rows", None, "the file has a header and no row", _RESTORE)
    fits = rows["cells"].list.len() == len(header)
    odd = rows.filter(~fits)
    faults.add_rows(
        table,
        name,
        "column_count",
        odd["line"].to_list(),
        odd["text"].to_list(),
        f"row has not the header's {len(header)} columns; left out",
        _RESTORE,
    )
    rows = rows.filter(fits)
    return rows.select(
        pl.col("line").cast(pl.Int64()),
        *(
            pl.col("cells").list.get(header.index(column)).str.strip_chars().alias(column)
            for column in dict.fromkeys(header)
        ),
    )


def _integers(
    rows: pl.DataFrame, column: str, name: str, table: str, faults: Faults
) -> pl.DataFrame:
    """Rows whose column is an int64, as such; never through a float (1.7e18 has 61 bits)."""
    whole = pl.col(column).str.contains(_INTEGER)
    read = rows.with_columns(
        pl.when(whole).then(pl.col(column).str.to_integer(strict=False)).alias("_value")
    )
    odd = read.filter(pl.col("_value").is_null())
    faults.add_rows(
        table,
        name,
        "not_an_integer",
        odd["line"].to_list(),
        odd[column].to_list(),
        f"{column} is no 64-bit integer; row left out",
        "export again; do not open the file in a spreadsheet",
    )
    return read.filter(pl.col("_value").is_not_null()).with_columns(
        pl.col("_value").cast(pl.Int64()).alias(column)
    )


def _own_rows(
    rows: pl.DataFrame, own: str | None, name: str, table: str, faults: Faults
) -> pl.DataFrame:
    """Rows of this recording, where file and info both name it."""
    if own is None or RECORDING_ID not in rows.columns:
        return rows
    other = rows.filter(pl.col(RECORDING_ID) != own)
    faults.add_rows(
        table,
        name,
        "other_recording",
        other["line"].to_list(),
        other[RECORDING_ID].to_list(),
        "row belongs to another recording than info.json names; left out",
        "export recordings one by one",
    )
    return rows.filter(pl.col(RECORDING_ID) == own)


def _gaze(
    files: Mapping[str, bytes],
    size: tuple[int, int] | None,
    own: str | None,
    source: str,
    recording_id: str,
    faults: Faults,
) -> pl.DataFrame:
    name, table = "gaze.csv", "gaze_samples"
    rows = _table(files, name, table, (TIME, GAZE_X, GAZE_Y), faults)
    if rows is None:
        return TABLES[table].empty()
    if size is None:
        faults.add(
            table,
            name,
            "unknown_device",
            None,
            "neither info.json nor scene_camera.json tells the device: pixels have no image size",
            "restore info.json",
        )
        return TABLES[table].empty()
    rows = _integers(_own_rows(rows, own, name, table, faults), TIME, name, table, faults)
    for column in (GAZE_X, GAZE_Y):
        rows = rows.with_columns(pl.col(column).alias("_text")).with_columns(
            pl.col(column).cast(pl.Float64(), strict=False)
        )
        bad = pl.col(column).is_null() & (pl.col("_text") != "")
        odd = rows.filter(bad)
        faults.add_rows(
            table,
            name,
            "not_a_number",
            odd["line"].to_list(),
            odd["_text"].to_list(),
            f"{column} is not a number; row left out",
            _RESTORE,
        )
        rows = rows.filter(~bad)
    worn: pl.Series | None = None
    if "worn" in rows.columns:
        # Exporters write flags as 1, 1.0, 1.000, true or True.
        word = pl.col("worn").str.to_lowercase()
        value = word.replace({"true": "1", "false": "0"}).cast(pl.Float64(), strict=False)
        bad = ~value.is_in([0.0, 1.0]).fill_null(False) & (word != "")
        odd = rows.filter(bad)
        faults.add_rows(
            table,
            name,
            "worn_value",
            odd["line"].to_list(),
            odd["worn"].to_list(),
            "worn is neither true nor false; row left out",
            _RESTORE,
        )
        rows = rows.filter(~bad)
        worn = rows.select(value == 1.0).to_series()
    x, y = (rows[c].fill_null(np.nan).to_numpy() for c in (GAZE_X, GAZE_Y))
    infinite = ~(np.isfinite(x) & np.isfinite(y))
    faults.add_rows(
        table,
        name,
        "not_finite",
        rows["line"].to_numpy()[infinite],
        [f"{a}, {b}" for a, b in zip(x[infinite], y[infinite], strict=True)],
        "position is not a number; kept as a sample without position",
        "nothing to do if few",
    )
    stamps = rows[TIME].to_numpy()
    blink: pl.Series | None = None
    if "blink id" in rows.columns:
        blink = rows["blink id"] != ""
    closed = _blinks(files, stamps, own, faults)
    if closed is not None:
        blink = closed if blink is None else blink | closed
    return gaze_frame(
        source=source,
        recording_id=recording_id,
        sample=rows["line"].to_numpy() - 2,  # line 1 is the header
        t_ns=stamps,
        t_s=None,
        x=x / size[0],
        y=y / size[1],
        worn=worn,
        blink=blink,
    )


def _blinks(
    files: Mapping[str, bytes], stamps: np.ndarray, own: str | None, faults: Faults
) -> pl.Series | None:
    """Whether each stamp lies inside an interval of `blinks.csv`, both ends included."""
    name, table = "blinks.csv", "gaze_samples"
    # Some people do not blink while they are recorded.
    rows = _table(files, name, table, (BLINK_START, BLINK_END), faults, may_be_empty=True)
    if rows is None:
        return None
    rows = _own_rows(rows, own, name, table, faults)
    for column in (BLINK_START, BLINK_END):
        rows = _integers(rows, column, name, table, faults)
    start, end = rows[BLINK_START].to_numpy(), rows[BLINK_END].to_numpy()
    # Intervals begun minus intervals over: positive inside, whatever their order or overlap.
    begun = np.searchsorted(np.sort(start), stamps, side="right")
    over = np.searchsorted(np.sort(end), stamps, side="left")
    return pl.Series(begun > over)


def _clocks(
    files: Mapping[str, bytes],
    names: Collection[str],
    own: str | None,
    source: str,
    recording_id: str,
    path: str,
    faults: Faults,
) -> pl.DataFrame:
    name, table = "world_timestamps.csv", "frame_stamps"
    rows = _table(files, name, table, (TIME,), faults)
    if rows is None:
        return TABLES[table].empty()
    rows = _integers(_own_rows(rows, own, name, table, faults), TIME, name, table, faults)
    if SECTION not in rows.columns:
        rows = rows.with_columns(pl.lit("").alias(SECTION))
    sections = (
        rows.group_by(SECTION, maintain_order=True)
        .agg(pl.col(TIME), pl.col(TIME).min().alias("first"))
        .sort("first")
    )
    videos = [n for n in names if n.endswith(".mp4")]
    if videos and len(videos) != len(sections):
        faults.add(
            table,
            name,
            "section_count",
            f"{len(sections)} sections, {len(videos)} videos",
            "sections and videos do not pair; frame stamps are left out",
            "export the recording again with all its videos",
        )
        return TABLES[table].empty()
    return TABLES[table].frame(
        {
            "source": source,
            "recording_id": recording_id,
            "part": part,
            "clock": "device",
            "frame_stamps_ns": stamps,
            "source_file": path + name,
        }
        for part, stamps in enumerate(sections[TIME].to_list())
    )


def _scene_camera(
    files: Mapping[str, bytes], faults: Faults
) -> tuple[str, np.ndarray, np.ndarray] | None:
    """Device, matrix and distortion of `scene_camera.json`."""
    name = "scene_camera.json"
    data = files.get(name)
    if data is None:
        return None
    try:
        content: Any = document_of(data)
        # Neon's key differs, and it has no `version`.
        key = "dist_coefs" if "dist_coefs" in content else "distortion_coefficients"
        device = "pupil_invisible" if key == "dist_coefs" else "neon"
        matrix = np.array(content["camera_matrix"], dtype=np.float64)
        distortion = np.array(content[key], dtype=np.float64).ravel()
    except (ValueError, TypeError, KeyError, OverflowError) as error:
        faults.add(
            "cameras",
            name,
            "not_a_calibration",
            f"{type(error).__name__}: {error}",
            "no camera_matrix and distortion coefficients can be read",
            _RESTORE,
        )
        return None
    return device, matrix, distortion

"""What every Pupil layout gives: rows, cameras, and what was wrong, however it was stored."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from assets.sources.reading.json import document_of
from assets.sources.reading.values import Malformed
from expectations.contracts import Refusal
from expectations.schemas import TABLES

INVISIBLE_SIZE = (1088, 1080)
"""Scene image of Pupil Invisible in pixels (format note, A)."""

NEON_SIZE = (1600, 1200)
"""Scene image of Neon."""

SHOWN_FAULTS = 20
"""Faulty rows of one rule and file that get a refusal each; the rest share one."""

INFO_KEYS = (
    "recording_id",
    "recording_uuid",
    "start_time",
    "start_time_synced",
    "data_format_version",
)
"""What is read of `info.json`. Names of wearers are never read."""

_SCENE = re.compile(r"(?:PI world|Neon Scene Camera) v1 ps(\d+)\.(mp4|mjpeg|time)")


@dataclass(frozen=True, slots=True)
class PupilRows:
    """Canonical rows of one recording.

    Attributes:
        gaze: Rows of `gaze_samples`.
        clocks: Rows of `clocks`, one per part of the scene video.
        cameras: Rows of `cameras`, none or one.
        refusals: What was repaired or refused.
        device: `pupil_invisible`, `neon`, or null where nothing tells.
    """

    gaze: pl.DataFrame
    clocks: pl.DataFrame
    cameras: pl.DataFrame
    refusals: list[Refusal] = field(default_factory=list)
    device: str | None = None


def folder_prefix(folder: str) -> str:
    """What stands before the names of a folder's files: nothing where they lie in the root."""
    return folder.rstrip("/") + "/" if folder else ""


@dataclass(slots=True)
class Faults:
    """Collects refusals of one recording."""

    recording_id: str
    rows: list[Refusal] = field(default_factory=list)

    def add(
        self,
        table: str,
        file: str | None,
        rule: str,
        value: object,
        message: str,
        remedy: str,
        row: object = None,
    ) -> None:
        """One refusal; its value is cut at 200 characters."""
        self.rows.append(
            Refusal(
                file or "",
                row,
                rule,
                value,
                message,
                remedy,
                table=table,
                recording_id=self.recording_id,
            )
        )

    def in_folder(self, folder: str) -> list[Refusal]:
        """The refusals, their files named from the root; those without a file name the folder."""
        path = folder_prefix(folder)
        return [
            replace(one, file=path + one.file if one.file else (folder or None))
            for one in self.rows
        ]

    def add_rows(
        self,
        table: str,
        file: str,
        rule: str,
        at: Sequence[int] | np.ndarray,
        values: Sequence[object],
        message: str,
        remedy: str,
    ) -> None:
        """One refusal per faulty row, up to `SHOWN_FAULTS`, then one for all others."""
        for row, value in list(zip(at, values, strict=True))[:SHOWN_FAULTS]:
            self.add(table, file, rule, value, message, remedy, row=row)
        more = len(at) - SHOWN_FAULTS
        if more > 0:
            rest = at[SHOWN_FAULTS:]
            self.add(
                table,
                file,
                rule,
                f"{more} more rows",
                message,
                remedy,
                row=f"{rest[0]} to {rest[-1]}",
            )


def scene_parts(names: Collection[str]) -> list[tuple[int, str | None, str | None]]:
    """Parts of a native folder's scene video in numeric order: number, video name, time name.

    Where any video is named, parts without one are left out: a part's place in this list is the
    place of its video among the recording's media.
    """
    videos: dict[int, str] = {}
    times: dict[int, str] = {}
    for name in sorted(names):
        match = _SCENE.fullmatch(name)
        if match:
            (times if match[2] == "time" else videos)[int(match[1])] = name
    return [(number, videos.get(number), times.get(number)) for number in sorted(videos or times)]


def read_info(files: Mapping[str, bytes], faults: Faults) -> dict[str, Any]:
    """The few keys of `info.json` that are read; empty without the file."""
    data = files.get("info.json")
    if data is None:
        return {}
    try:
        info = document_of(data)
    except Malformed as error:
        faults.add(
            "recordings",
            "info.json",
            "not_json",
            error.value,
            f"info.json cannot be read: {error}",
            "restore the file from the device",
        )
        return {}
    if not isinstance(info, dict):
        faults.add(
            "recordings",
            "info.json",
            "not_an_object",
            type(info).__name__,
            "info.json holds no object",
            "restore the file from the device",
        )
        return {}
    return {key: info[key] for key in INFO_KEYS if key in info}


def device_of(info: Mapping[str, Any], names: Collection[str]) -> str | None:
    """Device by format version, else by file names and calibration keys seen by the caller."""
    version = str(info.get("data_format_version", ""))
    if version.startswith("1."):
        return "pupil_invisible"
    if version.startswith("2."):
        return "neon"
    if any(name.startswith("Neon ") for name in names):
        return "neon"
    if any(name.startswith("PI ") for name in names):
        return "pupil_invisible"
    return None


def size_of(device: str | None) -> tuple[int, int] | None:
    """Scene image size of a device."""
    return {"pupil_invisible": INVISIBLE_SIZE, "neon": NEON_SIZE}.get(device or "")


def camera_row(
    matrix: np.ndarray,
    distortion: np.ndarray,
    *,
    size: tuple[int, int] | None,
    source: str,
    recording_id: str,
    file: str,
    faults: Faults,
) -> pl.DataFrame:
    """A row of `cameras`, or none with a refusal where the numbers are not calibration."""
    fine = (
        matrix.shape == (3, 3)
        and distortion.shape == (8,)
        and bool(np.isfinite(matrix).all() and np.isfinite(distortion).all())
        and matrix[0, 0] > 0
        and matrix[1, 1] > 0
    )
    if not fine:
        faults.add(
            "cameras",
            file.rpartition("/")[2],  # the caller puts the folder before it
            "calibration_values",
            np.array2string(matrix.ravel(), precision=3, threshold=9),
            "no 3x3 matrix with positive focal lengths and 8 finite coefficients",
            "restore the calibration from the device or the cloud",
        )
        return TABLES["cameras"].empty()
    return TABLES["cameras"].frame(
        [
            {
                "source": source,
                "recording_id": recording_id,
                "sensor": "rgb",
                "model": "opencv_rational",
                "image_space": "stored",
                "width_px": size[0] if size else None,
                "height_px": size[1] if size else None,
                "fx_px": float(matrix[0, 0]),
                "fy_px": float(matrix[1, 1]),
                "cx_px": float(matrix[0, 2]),
                "cy_px": float(matrix[1, 2]),
                "distortion": distortion.tolist(),
                "source_file": file,
            }
        ]
    )


def gaze_frame(
    *,
    source: str,
    recording_id: str,
    sample: np.ndarray,
    t_ns: np.ndarray | None,
    t_s: np.ndarray | None,
    x: np.ndarray,
    y: np.ndarray,
    worn: pl.Series | None,
    blink: pl.Series | None,
    flagged: np.ndarray | None = None,
) -> pl.DataFrame:
    """Rows of `gaze_samples` with their validity.

    Of several reasons the first of not finite, not worn, flagged, blink, outside is given. A
    position is inside from 0 to 1, both included; unknown worn or blink (null) does not invalidate.

    Args:
        source: Source.
        recording_id: Recording.
        sample: Row numbers in the file(s).
        t_ns: Device stamps, int64, if the files have them.
        t_s: Stated times in seconds, if they have those.
        x: Horizontal position over width, float64.
        y: Vertical position over height, float64.
        worn: Boolean series with nulls, or null if not recorded.
        blink: Boolean series with nulls, or null if not recorded.
        flagged: Samples the file itself marks as invalid.
    """
    count = len(sample)
    nothing = pl.Series([None] * count, dtype=pl.Boolean())
    frame = pl.DataFrame(
        {
            "sample": sample.astype(np.int64),
            "t_ns": pl.Series(t_ns, dtype=pl.Int64()) if t_ns is not None else [None] * count,
            "t_s": pl.Series(t_s, dtype=pl.Float64()) if t_s is not None else [None] * count,
            "x": x.astype(np.float64),
            "y": y.astype(np.float64),
            "worn": nothing if worn is None else worn,
            "blink": nothing if blink is None else blink,
            "flagged": np.zeros(count, dtype=bool) if flagged is None else flagged,
        },
        schema_overrides={"t_ns": pl.Int64(), "t_s": pl.Float64()},
    )
    finite = pl.col("x").is_finite() & pl.col("y").is_finite()
    inside = pl.col("x").is_between(0, 1) & pl.col("y").is_between(0, 1)
    validity = (
        pl.when(~finite)
        .then(pl.lit("not_finite"))
        .when(pl.col("worn").eq(False).fill_null(False))
        .then(pl.lit("not_worn"))
        .when(pl.col("flagged"))
        .then(pl.lit("flagged"))
        .when(pl.col("blink").fill_null(False))
        .then(pl.lit("blink"))
        .when(~inside)
        .then(pl.lit("outside"))
        .otherwise(pl.lit("valid"))
    )
    return (
        frame.with_columns(
            validity=validity,
            source=pl.lit(source),
            recording_id=pl.lit(recording_id),
        )
        # A position that is not a number is not a position.
        .with_columns(
            pl.when(finite).then(pl.col("x")).alias("x"),
            pl.when(finite).then(pl.col("y")).alias("y"),
        )
        .select(TABLES["gaze_samples"].schema.names())
        .cast(TABLES["gaze_samples"].schema)
    )

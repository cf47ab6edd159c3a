"""Native folder of the Companion app: raw gaze, times and worn flags, in numbered parts.

Layout and rules: format note of Pupil Invisible, B. The same binary layout serves Neon.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

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
    scene_parts,
    size_of,
)
from expectations.schemas import TABLES

_GAZE_PART = re.compile(r"gaze ps(\d+)\.(raw|time)")
_GAZE_DTYPE = re.compile(
    rb'\[?\s*\(\s*"x"\s*,\s*"float32"\s*\)\s*,\s*\(\s*"y"\s*,\s*"float32"\s*\)\s*,?\s*\]?\s*'
)
_INVISIBLE_CALIBRATION = 5 + 8 * (9 + 8 + 9)  # serial, matrix, distortion, rotation
_NEON_CALIBRATION = 803  # version, serial, then three cameras


def read_native(
    files: Mapping[str, bytes],
    *,
    source: str,
    recording_id: str,
    names: Collection[str] | None = None,
    folder: str = "",
    size: tuple[int, int] | None = None,
) -> PupilRows:
    """Rows of a native folder.

    `gaze_200hz` (computed in the cloud, regular) is preferred to the real-time `gaze ps<N>`, with
    its own worn flags; both or neither. Blinks are not part of a native Invisible folder and stay
    unknown. Stamps of scene frames are passed on as stored, a broken first one included: whether
    they pair with the video's frames is decided where both are known.

    Args:
        files: Bytes by file name, videos left out. `wearer.json` is never read.
        source: Source.
        recording_id: Recording.
        names: All names in the folder, videos included; the keys of `files` if null.
        folder: Path put before file names in rows and refusals.
        size: Scene image size in pixels; the device's own if null.
    """
    faults = Faults(recording_id)
    listed = set(files) if names is None else set(names) | set(files)
    device = device_of(read_info(files, faults), listed)
    size = size or size_of(device)
    path = folder_prefix(folder)
    if size is None:
        faults.add(
            "gaze_samples",
            None,
            "unknown_device",
            None,
            "neither info.json nor a file name tells the device, so pixels have no image size",
            "restore info.json",
        )
        gaze = TABLES["gaze_samples"].empty()
    else:
        gaze = _gaze(files, size, source, recording_id, faults)
    clocks = _clocks(files, listed, source, recording_id, path, faults)
    cameras = _calibration(files, size, source, recording_id, path, faults)
    return PupilRows(gaze, clocks, cameras, faults.in_folder(folder), device)


def _whole(data: bytes, width: int, name: str, faults: Faults) -> int:
    """Records of `width` bytes in `data`; a rest is refused."""
    count, rest = divmod(len(data), width)
    if rest:
        faults.add(
            "gaze_samples",
            name,
            "ragged_file",
            f"{len(data)} bytes",
            f"{rest} bytes beyond the last record of {width} bytes; left out",
            "copy the file again from the device",
        )
    return count


def _gaze_sets(files: Mapping[str, bytes], faults: Faults) -> list[tuple[str, str, str | None]]:
    """Names of raw, time and worn files to read, in order."""
    fine = {"gaze_200hz.raw", "gaze_200hz.time"}
    numbers = sorted({int(m[1]) for m in map(_GAZE_PART.fullmatch, files) if m})
    if fine & files.keys():
        worn = "worn_200hz.raw"
        complete = fine <= files.keys()
        if complete and (worn in files or not numbers):
            if worn not in files:
                _worn_missing(worn, faults)
            return [("gaze_200hz.raw", "gaze_200hz.time", worn if worn in files else None)]
        faults.add(
            "gaze_samples",
            min(fine & files.keys()),
            "incomplete_200hz",
            ", ".join(sorted((fine | {worn}) - files.keys())),
            "gaze_200hz is not complete; the real-time gaze is used instead",
            "restore the missing file",
        )
    sets: list[tuple[str, str, str | None]] = []
    for number in numbers:
        raw, time, worn = (f"gaze ps{number}.raw", f"gaze ps{number}.time", f"worn ps{number}.raw")
        if raw not in files or time not in files:
            faults.add(
                "gaze_samples",
                raw if raw in files else time,
                "part_incomplete",
                f"part {number}",
                f"{time if raw in files else raw} is missing; the part's gaze is left out",
                "restore the missing file",
            )
            continue
        if worn not in files:
            _worn_missing(worn, faults)
        sets.append((raw, time, worn if worn in files else None))
    return sets


def _worn_missing(name: str, faults: Faults) -> None:
    faults.add(
        "gaze_samples",
        name,
        "worn_missing",
        None,
        "no worn flags; whether the glasses were worn is unknown",
        "restore the file, or leave it: unknown counts as worn",
    )


def _gaze(
    files: Mapping[str, bytes],
    size: tuple[int, int],
    source: str,
    recording_id: str,
    faults: Faults,
) -> pl.DataFrame:
    dtype = files.get("gaze.dtype")
    if dtype is not None and not _GAZE_DTYPE.fullmatch(dtype.strip()):
        faults.add(
            "gaze_samples",
            "gaze.dtype",
            "gaze_dtype",
            dtype[:200].decode("utf-8", "replace"),
            "gaze is stored in another layout than two float32 (x, y); left out",
            "export the recording with a version of the app that is known here",
        )
        return TABLES["gaze_samples"].empty()
    parts: list[pl.DataFrame] = []
    first = 0
    for raw, time, worn in _gaze_sets(files, faults):
        counts = {
            raw: _whole(files[raw], 8, raw, faults),
            time: _whole(files[time], 8, time, faults),
        }
        if worn is not None:
            counts[worn] = len(files[worn])
        count = min(counts.values())
        if len(set(counts.values())) > 1:
            faults.add(
                "gaze_samples",
                raw,
                "length_mismatch",
                ", ".join(f"{n}: {c}" for n, c in counts.items()),
                f"files of one part differ in length; cut to the shortest, {count}",
                "nothing to do if few: the app was stopped while writing",
            )
        xy = np.frombuffer(files[raw], dtype="<f4", count=2 * count).reshape(-1, 2)
        stamps = np.frombuffer(files[time], dtype="<u8", count=count)
        fits = stamps < 2**63
        flags = np.frombuffer(files[worn], dtype="u1", count=count) if worn is not None else None
        rows = first + np.arange(count)
        faults.add_rows(
            "gaze_samples",
            time,
            "stamp_range",
            rows[~fits],
            stamps[~fits].tolist(),
            "stamp beyond what 63 bits of nanoseconds hold; row left out",
            "copy the file again from the device",
        )
        odd = np.zeros(count, dtype=bool)
        worn_flags: pl.Series | None = None
        if flags is not None and worn is not None:
            odd = (flags != 0) & (flags != 255)
            worn_flags = pl.Series(flags == 255).set(pl.Series(odd), None).filter(pl.Series(fits))
            faults.add_rows(
                "gaze_samples",
                worn,
                "worn_value",
                rows[odd],
                flags[odd].tolist(),
                "worn flag is neither 0 nor 255; sample marked as flagged",
                "copy the file again from the device",
            )
        with np.errstate(invalid="ignore"):  # damaged floats may be signalling NaNs
            position = xy.astype(np.float64)
        infinite = ~np.isfinite(position).all(axis=1)
        faults.add_rows(
            "gaze_samples",
            raw,
            "not_finite",
            rows[infinite],
            [f"{a}, {b}" for a, b in xy[infinite].tolist()],
            "position is not a number; kept as a sample without position",
            "nothing to do if few",
        )
        parts.append(
            gaze_frame(
                source=source,
                recording_id=recording_id,
                sample=rows[fits],
                t_ns=stamps[fits].astype(np.int64),
                t_s=None,
                x=position[fits, 0] / size[0],
                y=position[fits, 1] / size[1],
                worn=worn_flags,
                blink=None,
                flagged=odd[fits],
            )
        )
        first += max(counts[raw], counts[time])
    return pl.concat(parts) if parts else TABLES["gaze_samples"].empty()


def _clocks(
    files: Mapping[str, bytes],
    names: Collection[str],
    source: str,
    recording_id: str,
    path: str,
    faults: Faults,
) -> pl.DataFrame:
    rows: list[dict] = []
    for part, (number, video, time) in enumerate(scene_parts(names)):
        if time is None or time not in files:
            faults.add(
                "frame_stamps",
                video,
                "time_missing",
                f"part {number}",
                "the scene video has no time file; gaze cannot be placed on this part",
                "restore the time file from the device",
            )
            continue
        data = files[time]
        count = _whole(data, 8, time, faults)
        stamps = np.frombuffer(data, dtype="<u8", count=count)
        if not data:
            faults.add(
                "frame_stamps",
                time,
                "time_missing",
                f"part {number}",
                "the scene video's time file is empty; gaze cannot be placed on this part",
                "restore the time file from the device",
            )
            continue
        if bool(np.any(stamps >= 2**63)):
            faults.add(
                "frame_stamps",
                time,
                "stamp_range",
                int(stamps[stamps >= 2**63][0]),
                "stamp beyond what 63 bits of nanoseconds hold; the part has no clock",
                "copy the file again from the device",
            )
            continue
        rows.append(
            {
                "source": source,
                "recording_id": recording_id,
                "part": part,
                "clock": "device",
                "frame_stamps_ns": stamps.astype(np.int64).tolist(),
                "source_file": path + time,
            }
        )
    return TABLES["frame_stamps"].frame(rows)


def _calibration(
    files: Mapping[str, bytes],
    size: tuple[int, int] | None,
    source: str,
    recording_id: str,
    path: str,
    faults: Faults,
) -> pl.DataFrame:
    data = files.get("calibration.bin")
    if data is None:
        return TABLES["cameras"].empty()
    # Invisible: 5 bytes of serial. Neon: 1 of version and 6 of serial, more cameras behind.
    start = {_INVISIBLE_CALIBRATION: 5, _NEON_CALIBRATION: 7}.get(len(data))
    if start is None:
        faults.add(
            "cameras",
            "calibration.bin",
            "calibration_size",
            f"{len(data)} bytes",
            f"neither {_INVISIBLE_CALIBRATION} (Invisible) nor {_NEON_CALIBRATION} bytes (Neon)",
            "copy the file again from the device",
        )
        return TABLES["cameras"].empty()
    numbers = np.frombuffer(data, dtype="<f8", count=17, offset=start)
    return camera_row(
        numbers[:9].reshape(3, 3),
        numbers[9:],
        size=size,
        source=source,
        recording_id=recording_id,
        file=path + "calibration.bin",
        faults=faults,
    )

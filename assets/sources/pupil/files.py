"""Gaze of one recording from bytes: native folder, Cloud export, or EgoExoLearn's arrays.

Pure: whoever calls reads the files. Malformed rows become refusals, the rest goes on.
"""

from __future__ import annotations

import io
import tokenize
from collections.abc import Collection
from typing import Literal

import numpy as np

from assets.sources.pupil.cloud import read_cloud
from assets.sources.pupil.native import read_native
from assets.sources.pupil.rows import Faults, PupilRows, gaze_frame, scene_parts
from expectations.schemas import TABLES

__all__ = ["PupilRows", "classify", "read_cloud", "read_native", "read_npy", "scene_parts"]

NPY_RATE = 30
"""Rows per second of EgoExoLearn's gaze arrays (format note of EgoExoLearn, Gaze)."""

_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}

# What numpy raises on a header that is not valid, its tokenizer's and parser's errors included.
_NO_ARRAY = (
    ValueError,
    TypeError,
    EOFError,
    OSError,
    SyntaxError,
    tokenize.TokenError,
    RecursionError,
    MemoryError,
)


def classify(names: Collection[str]) -> Literal["native", "cloud"] | None:
    """Which layout a folder has, by the names of its files.

    A folder that holds both (an export unpacked into a native folder) is native: its stamps are
    the device's own.
    """
    if any(n.startswith(("gaze ps", "gaze_200hz.", "PI world v1 ps")) for n in names):
        return "native"
    if "gaze.csv" in names or "world_timestamps.csv" in names:
        return "cloud"
    return None


def read_npy(data: bytes, *, source: str, recording_id: str, file: str) -> PupilRows:
    """Rows of EgoExoLearn's processed gaze: (N, 3) of x, y and validity, row i at i / 30 s.

    Positions are over the image's width and height; validity is 1 or 0 (`flagged`). Nothing in the
    file is executed: arrays of objects are refused by their header.

    Args:
        data: The `.npy` file.
        source: Source.
        recording_id: Recording.
        file: Path for rows and refusals.
    """
    faults = Faults(recording_id)
    empty = {t: TABLES[t].empty() for t in ("gaze_samples", "frame_stamps", "cameras")}
    array = _array(data, file, faults)
    if array is None:
        return PupilRows(
            empty["gaze_samples"],
            empty["frame_stamps"],
            empty["cameras"],
            faults.rows,
            "pupil_invisible",
        )
    with np.errstate(invalid="ignore"):  # damaged floats may be signalling NaNs
        values = array.astype(np.float64)
    rows = np.arange(len(values))
    flag = values[:, 2]
    odd = (flag != 0) & (flag != 1)
    faults.add_rows(
        "gaze_samples",
        file,
        "validity_value",
        rows[odd],
        flag[odd].tolist(),
        "validity is neither 0 nor 1; sample marked as flagged",
        "download the file again",
    )
    infinite = ~np.isfinite(values[:, :2]).all(axis=1)
    faults.add_rows(
        "gaze_samples",
        file,
        "not_finite",
        rows[infinite],
        [f"{a}, {b}" for a, b in values[infinite, :2].tolist()],
        "position is not a number; kept as a sample without position",
        "nothing to do if few",
    )
    gaze = gaze_frame(
        source=source,
        recording_id=recording_id,
        sample=rows,
        t_ns=None,
        t_s=rows / NPY_RATE,
        x=values[:, 0],
        y=values[:, 1],
        worn=None,
        blink=None,
        flagged=flag != 1,
    )
    return PupilRows(gaze, empty["frame_stamps"], empty["cameras"], faults.rows, "pupil_invisible")


def _array(data: bytes, file: str, faults: Faults) -> np.ndarray | None:
    """The array, if its header is that of (N, 3) floats and the bytes are all there."""
    buffer = io.BytesIO(data)
    try:
        version = np.lib.format.read_magic(buffer)
        if version not in _HEADERS:
            raise ValueError(f"format version {version}")
        shape, _, dtype = _HEADERS[version](buffer)
        if dtype.kind != "f" or len(shape) != 2 or shape[1] != 3:
            raise ValueError(f"{dtype} of shape {shape}, wanted floats of shape (N, 3)")
        size = shape[0] * shape[1] * dtype.itemsize
        if len(data) - buffer.tell() != size:
            raise ValueError(f"{len(data) - buffer.tell()} bytes of data, header says {size}")
        return np.load(io.BytesIO(data), allow_pickle=False)
    except _NO_ARRAY as error:
        faults.add(
            "gaze_samples",
            file,
            "not_a_gaze_array",
            str(error),
            "the file is not a readable array of gaze",
            "download the file again",
        )
        return None

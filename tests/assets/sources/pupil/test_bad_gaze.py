"""One fault at a time in gaze, stamps and calibration: the other recordings never notice."""

from __future__ import annotations

import io
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

if TYPE_CHECKING:
    from conftest import Refused, Sample

NPY = "gazes_30fps_npy/{released}.npy"
RAW = "pupil/{native}/gaze ps1.raw"
TIME = "pupil/{native}/gaze ps1.time"
WORN = "pupil/{native}/worn ps1.raw"
SCENE = "pupil/{native}/PI world v1 ps1.time"
CLOUD = "pupil/{cloud}-d810bfb7"


def _mine(sample: Sample, kind: str) -> pl.Expr:
    return pl.col("recording_id") == sample.uid[kind]


def _npy(array: np.ndarray, allow_pickle: bool = False) -> bytes:
    out = io.BytesIO()
    np.save(out, array, allow_pickle=allow_pickle)
    return out.getvalue()


class _Payload:
    """Unpickling it writes a file."""

    def __init__(self, trap: Path) -> None:
        self.trap = trap

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return (Path.write_text, (self.trap, "it ran"))


# -- the released array ----------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["object array", "bare pickle", "pickle behind a float header"])
def test_pickles_are_not_run(sample: Sample, form: str) -> None:
    trap = sample.root.parent / "trap"
    loaded = pickle.loads(pickle.dumps(_Payload(sample.root.parent / "proof")))
    assert loaded is not None
    assert (sample.root.parent / "proof").exists(), "the payload would write"
    held = np.empty((2, 3), dtype=object)
    held[:] = _Payload(trap)
    data = _npy(held, allow_pickle=True)
    if form == "bare pickle":
        data = pickle.dumps(_Payload(trap))
    elif form == "pickle behind a float header":
        data = _npy(np.zeros((2, 3), np.float32))[:-24] + pickle.dumps(_Payload(trap))
    path = NPY.format(**sample.uid)
    sample.put(path, data)
    sample.ingest()
    (said,) = sample.quarantine()
    assert (said["table"], said["file"], said["rule"]) == ("gaze_samples", path, "not_a_gaze_array")
    assert not trap.exists()
    now = sample.rows("gaze_samples")
    assert now.equals(sample.before["gaze_samples"].filter(~_mine(sample, "released")))


def _header(text: bytes) -> bytes:
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


NO_ARRAYS = {
    "empty": lambda _: b"",
    "magic only": lambda d: d[:6],
    "header cut": lambda d: d[:60],
    "rows cut": lambda d: d[:-5],
    "rows too many": lambda d: d + b"\0" * 12,
    "two columns": lambda _: _npy(np.zeros((4, 2), np.float32)),
    "one row of three": lambda _: _npy(np.zeros(3, np.float32)),
    "whole numbers": lambda _: _npy(np.zeros((4, 3), np.int64)),
    "strings": lambda _: _npy(np.array([["a", "b", "c"]])),
    "complex": lambda _: _npy(np.zeros((4, 3), np.complex64)),
    "a zip": lambda _: b"PK\x03\x04" + b"\0" * 40,
    "header of code": lambda _: _header(b"__import__('os').system('true')\n"),
    "header of brackets": lambda _: _header(b"(" * 5000 + b"\n"),
    "header that promises terabytes": lambda _: _header(
        b"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999, 3), }\n"
    ),
    "header with a negative shape": lambda _: _header(
        b"{'descr': '<f4', 'fortran_order': False, 'shape': (-1, 3), }\n"
    ),
}


@pytest.mark.parametrize("name", sorted(NO_ARRAYS))
def test_a_file_that_is_no_gaze_array(sample: Sample, name: str) -> None:
    path = NPY.format(**sample.uid)
    sample.put(path, NO_ARRAYS[name](sample.get(path)))
    sample.ingest()
    (said,) = sample.quarantine()
    assert (said["file"], said["rule"], said["recording_id"]) == (
        path,
        "not_a_gaze_array",
        sample.uid["released"],
    )
    now = sample.rows("gaze_samples")
    assert now.equals(sample.before["gaze_samples"].filter(~_mine(sample, "released")))
    assert sample.rows("recordings").equals(sample.before["recordings"])


def test_samples_of_an_array_that_are_no_positions(sample: Sample) -> None:
    path = NPY.format(**sample.uid)
    array = np.load(sample.root / path).copy()
    array[3, 0], array[4, 1], array[5, 2] = np.nan, np.inf, 0.5
    sample.put(path, _npy(array))
    sample.check(
        [
            ("gaze_samples", path, "3", "not_finite", f"nan, {array[3, 1].astype(float)}"),
            ("gaze_samples", path, "4", "not_finite", f"{array[4, 0].astype(float)}, inf"),
            ("gaze_samples", path, "5", "validity_value", "0.5"),
        ],
        other={"gaze_samples": ["x", "y", "validity"]},
    )
    now, then = sample.rows("gaze_samples"), sample.before["gaze_samples"]
    touched = _mine(sample, "released") & pl.col("sample").is_in([3, 4, 5])
    assert now.filter(touched)["validity"].to_list() == ["not_finite", "not_finite", "flagged"]
    assert now.filter(touched)["x"].is_null().to_list() == [True, True, False]
    assert now.filter(~touched).equals(then.filter(~touched))


# -- the native folder -----------------------------------------------------------------------------


def _count(sample: Sample) -> int:
    return len(sample.get(TIME.format(**sample.uid))) // 8


@pytest.mark.parametrize(
    ("path", "width", "by"), [(RAW, 8, 3), (TIME, 8, 5), (WORN, 1, 2), (WORN, 1, 1)]
)
def test_files_of_unequal_length_are_cut_to_the_shortest(
    sample: Sample, path: str, width: int, by: int
) -> None:
    count = _count(sample)
    path = path.format(**sample.uid)
    sample.put(path, sample.get(path)[: -width * by])
    names = {n.format(**sample.uid).rpartition("/")[2]: n for n in (RAW, TIME, WORN)}
    said = ", ".join(f"{n}: {count - by if path.endswith(n) else count}" for n in names)
    sample.check(
        [("gaze_samples", RAW.format(**sample.uid), None, "length_mismatch", said)],
        {"gaze_samples": _mine(sample, "native") & (pl.col("sample") >= count - by)},
    )


@pytest.mark.parametrize("path", [RAW, TIME])
def test_a_file_cut_inside_a_record(sample: Sample, path: str) -> None:
    count = _count(sample)
    path = path.format(**sample.uid)
    sample.put(path, sample.get(path)[:-3])
    sample.ingest()
    said = {(r["file"], r["rule"]) for r in sample.quarantine()}
    raw = RAW.format(**sample.uid)
    assert said == {(path, "ragged_file"), (raw, "length_mismatch")}
    last = _mine(sample, "native") & (pl.col("sample") == count - 1)
    assert sample.rows("gaze_samples").equals(sample.before["gaze_samples"].filter(~last))


@pytest.mark.parametrize("path", [RAW, TIME, WORN])
def test_an_empty_file_leaves_the_recording_without_gaze(sample: Sample, path: str) -> None:
    sample.put(path.format(**sample.uid), b"")
    sample.ingest()
    (said,) = sample.quarantine()
    assert (said["rule"], said["recording_id"]) == ("length_mismatch", sample.uid["native"])
    mine = _mine(sample, "native")
    assert sample.rows("gaze_samples").equals(sample.before["gaze_samples"].filter(~mine))
    assert sample.rows("frame_stamps").equals(sample.before["frame_stamps"])


@pytest.mark.parametrize("path", [RAW, TIME])
def test_an_absent_file_leaves_the_recording_without_gaze(sample: Sample, path: str) -> None:
    (sample.root / path.format(**sample.uid)).unlink()
    other = RAW if path == TIME else TIME
    sample.check(
        [("gaze_samples", other.format(**sample.uid), None, "part_incomplete", "part 1")],
        {"gaze_samples": _mine(sample, "native")},
    )


def test_absent_worn_flags_are_unknown(sample: Sample) -> None:
    path = WORN.format(**sample.uid)
    (sample.root / path).unlink()
    sample.check(
        [("gaze_samples", path, None, "worn_missing", None)],
        other={"gaze_samples": ["worn", "validity"]},
    )


def test_positions_that_are_no_numbers(sample: Sample) -> None:
    path = RAW.format(**sample.uid)
    xy = np.frombuffer(sample.get(path), "<f4").reshape(-1, 2).copy()
    xy[7], xy[8], xy[9, 0] = (np.nan, np.nan), (np.inf, 1.0), -np.inf
    y = float(xy[9, 1])
    sample.put(path, xy.tobytes())
    sample.check(
        [
            ("gaze_samples", path, "7", "not_finite", "nan, nan"),
            ("gaze_samples", path, "8", "not_finite", "inf, 1.0"),
            ("gaze_samples", path, "9", "not_finite", f"-inf, {y}"),
        ],
        other={"gaze_samples": ["x", "y", "validity"]},
    )


def test_stamps_beyond_63_bits(sample: Sample) -> None:
    path = TIME.format(**sample.uid)
    stamps = np.frombuffer(sample.get(path), "<u8").copy()
    stamps[11] = 2**64 - 1  # what a negative time looks like
    sample.put(path, stamps.tobytes())
    sample.check(
        [("gaze_samples", path, "11", "stamp_range", str(2**64 - 1))],
        {"gaze_samples": _mine(sample, "native") & (pl.col("sample") == 11)},
    )


@pytest.mark.parametrize("change", [lambda d: d[:-4], lambda _: b"\0\0\0"])
def test_scene_stamps_cut_inside_a_record(sample: Sample, change: Callable[[bytes], bytes]) -> None:
    path = SCENE.format(**sample.uid)
    size = len(sample.get(path))
    sample.put(path, change(sample.get(path)))
    left = len(sample.get(path))
    sample.check(
        [("gaze_samples", path, None, "ragged_file", f"{left} bytes")],
        other={"frame_stamps": ["frame_stamps_ns"]},
    )
    mine = sample.rows("frame_stamps").filter(_mine(sample, "native"))
    assert mine["frame_stamps_ns"].list.len().to_list() == [left // 8]
    assert left // 8 < size // 8


def test_gaze_of_a_recording_nobody_lists(sample: Sample) -> None:
    stranger = "00000000-ac78-11ee-819f-80615f12b59e"
    sample.put(f"gazes_30fps_npy/{stranger}.npy", sample.get(NPY.format(**sample.uid)))
    sample.put(f"pupil/{stranger}-x/gaze.csv", b"")  # no folder of the layout: of no use here
    path = f"gazes_30fps_npy/{stranger}.npy"
    sample.check([(None, path, None, "unknown_recording", stranger)])


def test_one_recording_in_two_folders(sample: Sample) -> None:
    """A Cloud export beside the native folder: the native one is read, as if alone."""
    uid = sample.uid["native"]
    cloud = CLOUD.format(**sample.uid)
    for path in sorted((sample.root / cloud).iterdir()):
        sample.put(f"pupil/{uid}-12345678/{path.name}", path.read_bytes())
    sample.check([("recordings", f"pupil/{uid}-12345678", None, "recording_twice", f"pupil/{uid}")])


# -- the Cloud export ------------------------------------------------------------------------------

CELLS: dict[str, tuple[int, str, str, str | None]] = {
    "stamp as float": (2, "1.7e18", "not_an_integer", "1.7e18"),
    "stamp negative": (2, "-5", "", None),
    "stamp too large": (2, "9" * 30, "not_an_integer", "9" * 30),
    "position a word": (3, "left", "not_a_number", "left"),
    "worn a word": (5, "maybe", "worn_value", "maybe"),
    "worn two": (5, "2", "worn_value", "2"),
    "worn nan": (5, "nan", "worn_value", "nan"),
    "other recording": (1, "somebody", "other_recording", "somebody"),
}


@pytest.mark.parametrize("name", sorted(n for n in CELLS if CELLS[n][2]))
def test_a_broken_row_of_the_export(sample: Sample, name: str) -> None:
    column, cell, rule, value = CELLS[name]
    path = f"{CLOUD.format(**sample.uid)}/gaze.csv"
    cells = sample.line(path, 6).split(b",")
    cells[column] = cell.encode()
    sample.put_line(path, 6, b",".join(cells))
    sample.check(
        [("gaze_samples", path, "6", rule, value)],
        {"gaze_samples": _mine(sample, "cloud") & (pl.col("sample") == 4)},
    )


@pytest.mark.parametrize(
    "words", [("1", "0"), ("1.000", "0.000"), ("True", "FALSE"), ("1e0", "0e0"), ("+1", "-0")]
)
def test_every_way_to_write_worn(sample: Sample, words: tuple[str, str]) -> None:
    path = f"{CLOUD.format(**sample.uid)}/gaze.csv"
    lines = sample.get(path).rstrip(b"\n").split(b"\n")
    made = [lines[0]]
    for line in lines[1:]:
        cells = line.split(b",")
        cells[5] = words[0 if float(cells[5]) else 1].encode()
        made.append(b",".join(cells))
    sample.put(path, b"\n".join([*made, b""]))
    sample.check([])


FILES: dict[str, tuple[str, Callable[[bytes], bytes], list[tuple[str, str]], tuple[str, ...]]] = {
    # name: (file, change, (table, rule), tables that lose the recording)
    "gaze empty": (
        "gaze.csv",
        lambda _: b"",
        [("gaze_samples", "missing_column")],
        ("gaze_samples",),
    ),
    "gaze column missing": (
        "gaze.csv",
        lambda d: d.replace(b"gaze x [px]", b"x", 1),
        [("gaze_samples", "missing_column")],
        ("gaze_samples",),
    ),
    "gaze not UTF-8": (
        "gaze.csv",
        lambda d: d + b"\xff",
        [("gaze_samples", "not_utf8")],
        ("gaze_samples",),
    ),
    "world empty": (
        "world_timestamps.csv",
        lambda _: b"",
        [("frame_stamps", "missing_column")],
        ("frame_stamps",),
    ),
    "camera no JSON": (
        "scene_camera.json",
        lambda _: b"{",
        [("cameras", "not_a_calibration")],
        ("cameras",),
    ),
    "camera nested": (
        "scene_camera.json",
        lambda _: b"[" * 99_999,
        [("cameras", "not_a_calibration")],
        ("cameras",),
    ),
    "camera NaN": (
        "scene_camera.json",
        lambda d: d.replace(b"0.0", b"NaN", 1),
        [("cameras", "not_a_calibration")],
        ("cameras",),
    ),
    "camera not finite": (
        "scene_camera.json",
        lambda d: (
            json.dumps({**json.loads(d), "camera_matrix": [["1e999"] * 3] * 3})
            .encode()
            .replace(b'"1e999"', b"1e999")
        ),
        [("cameras", "calibration_values")],
        ("cameras",),
    ),
}


@pytest.mark.parametrize("name", sorted(FILES))
def test_a_broken_file_of_the_export(sample: Sample, name: str) -> None:
    file, change, said, losing = FILES[name]
    path = f"{CLOUD.format(**sample.uid)}/{file}"
    sample.put(path, change(sample.get(path)))
    sample.ingest()
    assert [(r["table"], r["rule"]) for r in sample.quarantine()] == said
    assert {r["file"] for r in sample.quarantine()} == {path}
    for table in ("gaze_samples", "frame_stamps", "cameras", "recordings", "segments"):
        expected = sample.before[table]
        if table in losing:
            expected = expected.filter(~_mine(sample, "cloud"))
        assert sample.rows(table).equals(expected), table


@pytest.mark.parametrize(
    "info", [b"", b"{", b"[]", b"[" * 99_999, b"\xff", b'{"a": ' + b"9" * 5000 + b"}"]
)
def test_a_broken_info_file_is_told(sample: Sample, info: bytes) -> None:
    sample.put(f"pupil/{sample.uid['native']}/info.json", info)
    sample.ingest()
    (said,) = sample.quarantine()
    assert said["file"] == f"pupil/{sample.uid['native']}/info.json"
    assert sample.rows("gaze_samples").equals(sample.before["gaze_samples"])


def test_a_calibration_of_another_size(sample: Sample) -> None:
    path = f"pupil/{sample.uid['native']}/calibration.bin"
    sample.put(path, sample.get(path)[:-1])
    refused: list[Refused] = [("cameras", path, None, "calibration_size", "212 bytes")]
    sample.check(refused, {"cameras": _mine(sample, "native")})

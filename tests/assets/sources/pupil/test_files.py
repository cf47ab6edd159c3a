"""Pupil and EgoExoLearn gaze files, from bytes; faults made by hand, numbers from real excerpts."""

from __future__ import annotations

import io
import json
import pickle
import re
import struct
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from assets.sources.pupil.files import (
    PupilRows,
    classify,
    read_cloud,
    read_native,
    read_npy,
    scene_parts,
)
from expectations.schemas import TABLES

UTC = 1_760_676_790_465_965_535  # odd: a float64 would round it
INFO = json.dumps(
    {"data_format_version": "1.2", "recording_id": "q", "wearer_name": "Ada"}
).encode()
HEADER = (
    "section id,recording id,timestamp [ns],gaze x [px],gaze y [px],worn,fixation id,blink id,"
    "azimuth [deg],elevation [deg]"
)


def native(**files: bytes) -> PupilRows:
    """Keyword names stand for file names: `__` for a blank, `_dot_` for a dot."""
    named = {k.replace("__", " ").replace("_dot_", "."): v for k, v in files.items()}
    return read_native({"info.json": INFO, **named}, source="s", recording_id="r")


def gaze_csv(*rows: str, header: str = HEADER, newline: str = "\n", bom: bool = False) -> bytes:
    text = newline.join((header, *rows)) + newline
    return text.encode("utf-8-sig" if bom else "utf-8")


def cloud(**files: bytes) -> PupilRows:
    named = {k.replace("_dot_", "."): v for k, v in files.items()}
    return read_cloud({"info.json": INFO, **named}, source="s", recording_id="r")


def xy(*pairs: tuple[float, float]) -> bytes:
    return np.array(pairs, dtype="<f4").tobytes()


def times(*stamps: int) -> bytes:
    return np.array(stamps, dtype="<u8").tobytes()


def rules(rows: PupilRows) -> list[str]:
    return [r["rule"] for r in rows.refusals]


def check_schema(rows: PupilRows) -> None:
    for name, frame in (
        ("gaze_samples", rows.gaze),
        ("frame_stamps", rows.clocks),
        ("cameras", rows.cameras),
    ):
        assert frame.schema == TABLES[name].schema
    for row in rows.refusals:
        assert set(row) == {
            "table",
            "recording_id",
            "file",
            "row",
            "rule",
            "value",
            "message",
            "remedy",
        }
        assert row["recording_id"] == "r"
        assert row["message"]
        assert row["remedy"]


# --- layouts -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "kind"),
    [
        (["gaze ps1.raw", "gaze ps1.time", "info.json"], "native"),
        (["PI world v1 ps1.mp4", "PI world v1 ps1.time"], "native"),
        (["gaze_200hz.raw", "gaze_200hz.time"], "native"),
        (["gaze.csv", "world_timestamps.csv", "info.json"], "cloud"),
        (["gaze.csv", "gaze ps1.raw"], "native"),
        (["info.json", "a.mp4"], None),
        ([], None),
    ],
)
def test_classify(names: list[str], kind: str | None) -> None:
    assert classify(names) == kind


def test_parts_are_ordered_by_number_and_follow_the_videos() -> None:
    names = [f"PI world v1 ps{n}.{e}" for n in (10, 2, 1) for e in ("mp4", "time")]
    assert [n for n, _, _ in scene_parts(names)] == [1, 2, 10]
    names.remove("PI world v1 ps2.mp4")
    assert [n for n, _, _ in scene_parts(names)] == [1, 10]
    assert [n for n, _, _ in scene_parts([n for n in names if n.endswith("time")])] == [1, 2, 10]


# --- native ------------------------------------------------------------------------------------


def test_native_parts_join_in_numeric_order() -> None:
    files = {}
    for n in (10, 2, 1):
        files[f"gaze__ps{n}_dot_raw"] = xy((108.8 * n, 540))
        files[f"gaze__ps{n}_dot_time"] = times(UTC + n)
        files[f"worn__ps{n}_dot_raw"] = bytes([255])
    rows = native(**files)
    check_schema(rows)
    assert not rows.refusals
    assert rows.device == "pupil_invisible"
    assert rows.gaze["t_ns"].to_list() == [UTC + 1, UTC + 2, UTC + 10]
    assert rows.gaze["sample"].to_list() == [0, 1, 2]
    assert rows.gaze["x"].to_list() == pytest.approx([0.1, 0.2, 1.0], abs=1e-6)
    assert rows.gaze["y"].to_list() == [0.5, 0.5, 0.5]


def test_native_lengths_that_differ_are_cut_to_the_shortest() -> None:
    rows = native(
        gaze__ps1_dot_raw=xy((1, 1), (2, 2), (3, 3)) + b"\0\0",
        gaze__ps1_dot_time=times(UTC, UTC + 1),
        worn__ps1_dot_raw=bytes([255, 0, 255, 255]),
    )
    check_schema(rows)
    assert rules(rows) == ["ragged_file", "length_mismatch"]
    assert "gaze ps1.raw: 3, gaze ps1.time: 2, worn ps1.raw: 4" in rows.refusals[1]["value"]
    assert rows.gaze["validity"].to_list() == ["valid", "not_worn"]


@pytest.mark.parametrize(("raw", "time", "worn"), [(1, 3, 4), (3, 1, 4), (4, 3, 1), (0, 2, 2)])
def test_native_any_file_may_be_the_shortest(raw: int, time: int, worn: int) -> None:
    rows = native(
        gaze__ps1_dot_raw=xy(*[(i, i) for i in range(raw)]),
        gaze__ps1_dot_time=times(*[UTC + i for i in range(time)]),
        worn__ps1_dot_raw=bytes([255] * worn),
    )
    check_schema(rows)
    assert rules(rows) == ["length_mismatch"]
    assert rows.gaze["t_ns"].to_list() == [UTC + i for i in range(min(raw, time, worn))]


@pytest.mark.parametrize(
    ("position", "worn", "validity", "rule"),
    [
        ((544, 540), 255, "valid", []),
        ((544, 540), 0, "not_worn", []),
        ((544, 540), 7, "flagged", ["worn_value"]),
        ((-1, 540), 255, "outside", []),
        ((544, 1081), 255, "outside", []),
        ((-1, 540), 0, "not_worn", []),
        ((1088, 1080), 255, "valid", []),
        ((float("nan"), 540), 255, "not_finite", ["not_finite"]),
        ((544, float("inf")), 255, "not_finite", ["not_finite"]),
    ],
)
def test_native_validity(position: tuple, worn: int, validity: str, rule: list[str]) -> None:
    rows = native(
        gaze__ps1_dot_raw=xy(position),
        gaze__ps1_dot_time=times(UTC),
        worn__ps1_dot_raw=bytes([worn]),
    )
    check_schema(rows)
    assert rows.gaze["validity"].to_list() == [validity]
    assert rules(rows) == rule
    assert rows.gaze["x"].is_null().item() == (validity == "not_finite")


REALTIME = {
    "gaze__ps1_dot_raw": xy((1, 1)),
    "gaze__ps1_dot_time": times(UTC),
    "worn__ps1_dot_raw": b"\xff",
}
REGULAR = {
    "gaze_200hz_dot_raw": xy((2, 2), (3, 3)),
    "gaze_200hz_dot_time": times(UTC, UTC + 5),
    "worn_200hz_dot_raw": b"\xff\xff",
}


@pytest.mark.parametrize(
    ("leave_out", "samples", "rule"),
    [
        ([], 2, []),
        (["worn_200hz_dot_raw"], 1, ["incomplete_200hz"]),
        (["gaze_200hz_dot_time"], 1, ["incomplete_200hz"]),
        (list(REGULAR), 1, []),
        (["worn_200hz_dot_raw", *REALTIME], 2, ["worn_missing"]),
        (["worn__ps1_dot_raw", *REGULAR], 1, ["worn_missing"]),
        (["gaze__ps1_dot_time", *REGULAR], 0, ["part_incomplete"]),
    ],
)
def test_regular_gaze_is_preferred_with_its_flags_or_not_at_all(
    leave_out: list[str], samples: int, rule: list[str]
) -> None:
    rows = native(**{k: v for k, v in (REALTIME | REGULAR).items() if k not in leave_out})
    check_schema(rows)
    assert len(rows.gaze) == samples
    assert rules(rows) == rule


def test_native_clocks_keep_a_broken_first_stamp_for_the_frame_stage() -> None:
    rows = native(PI__world__v1__ps1_dot_time=times(UTC + 10**9, UTC, UTC + 33))
    assert rows.clocks["frame_stamps_ns"].to_list() == [[UTC + 10**9, UTC, UTC + 33]]
    assert rows.clocks["part"].to_list() == [0]


def test_a_video_without_time_file_leaves_its_part_without_clock() -> None:
    files = {"info.json": INFO, "PI world v1 ps2.time": times(UTC)}
    names = ["PI world v1 ps1.mp4", "PI world v1 ps2.mp4", *files]
    rows = read_native(files, source="s", recording_id="r", names=names, folder="pupil/r")
    assert rows.clocks["part"].to_list() == [1]
    assert rows.clocks["source_file"].to_list() == ["pupil/r/PI world v1 ps2.time"]
    assert rules(rows) == ["time_missing"]
    assert rows.refusals[0]["file"] == "pupil/r/PI world v1 ps1.mp4"


def test_an_empty_time_file_is_told_and_gives_no_clock() -> None:
    files = {"info.json": INFO, "PI world v1 ps1.time": b"", "PI world v1 ps2.time": times(UTC)}
    names = ["PI world v1 ps1.mp4", "PI world v1 ps2.mp4", *files]
    rows = read_native(files, source="s", recording_id="r", names=names, folder="pupil/r")
    assert rows.clocks["part"].to_list() == [1]
    assert [(r["rule"], r["file"]) for r in rows.refusals] == [
        ("time_missing", "pupil/r/PI world v1 ps1.time")
    ]


def test_stamps_beyond_int64_are_refused() -> None:
    rows = native(
        gaze__ps1_dot_raw=xy((1, 1), (2, 2)),
        gaze__ps1_dot_time=times(2**63, UTC),
        worn__ps1_dot_raw=b"\xff\xff",
        PI__world__v1__ps1_dot_time=times(2**64 - 1),
    )
    assert rules(rows) == ["stamp_range", "stamp_range"]
    assert rows.gaze["sample"].to_list() == [1]
    assert rows.clocks.is_empty()


def test_invisible_calibration() -> None:
    matrix = [700.0, 0, 544, 0, 701, 540, 0, 0, 1]
    data = b"abcde" + struct.pack("<26d", *matrix, *range(8), *range(9))
    rows = native(calibration_dot_bin=data)
    check_schema(rows)
    camera = rows.cameras.row(0, named=True)
    assert (camera["fx_px"], camera["fy_px"], camera["cx_px"], camera["cy_px"]) == (
        700,
        701,
        544,
        540,
    )
    assert camera["distortion"] == list(range(8))
    assert (camera["width_px"], camera["height_px"]) == (1088, 1080)


@pytest.mark.parametrize(
    ("data", "rule"),
    [
        (b"abcde", "calibration_size"),
        (b"abcde" + struct.pack("<26d", *([float("nan")] * 26)), "calibration_values"),
    ],
)
def test_a_calibration_that_is_none(data: bytes, rule: str) -> None:
    rows = native(calibration_dot_bin=data)
    assert rules(rows) == [rule]
    assert rows.cameras.is_empty()


def test_another_gaze_layout_is_not_guessed() -> None:
    rows = native(**REALTIME, gaze_dot_dtype=b'[("x", "float64"), ("y", "float64")]')
    assert rules(rows) == ["gaze_dtype"]
    assert rows.gaze.is_empty()


@pytest.mark.parametrize("info", [b"{", b"[1]", b"\xff\xfe"])
def test_broken_info_leaves_the_device_to_file_names(info: bytes) -> None:
    files = {"info.json": info, "PI world v1 ps1.time": times(UTC), "gaze ps1.raw": xy((1088, 540))}
    files |= {"gaze ps1.time": times(UTC), "worn ps1.raw": b"\xff"}
    rows = read_native(files, source="s", recording_id="r")
    check_schema(rows)
    assert rows.device == "pupil_invisible"
    assert rows.gaze["x"].to_list() == [1.0]
    assert len(rows.refusals) == 1


def test_an_unknown_device_has_no_positions() -> None:
    files = {"gaze ps1.raw": xy((1, 1)), "gaze ps1.time": times(UTC)}
    rows = read_native(files, source="s", recording_id="r")
    assert rules(rows) == ["unknown_device"]
    assert read_native(files, source="s", recording_id="r", size=(10, 10)).gaze["x"].to_list() == [
        0.1
    ]


# --- cloud -------------------------------------------------------------------------------------


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", [False, True])
def test_cloud_gaze(newline: str, bom: bool) -> None:
    rows = cloud(
        gaze_dot_csv=gaze_csv(
            f"a,q,{UTC},544.0,270.0,1.0,1,,0,0",
            f"a,q,{UTC + 1},544.0,270.0,0.0,,,0,0",
            f"a,q,{UTC + 2},544.0,270.0,True,,7,0,0",
            f"a,q,{UTC + 3},-3.5,270.0,1,,,0,0",
            f"a,q,{UTC + 4},544.0,270.0,,,,0,0",
            newline=newline,
            bom=bom,
        )
    )
    check_schema(rows)
    assert not rows.refusals
    assert rows.gaze["t_ns"].to_list() == [UTC + i for i in range(5)]
    assert rows.gaze["validity"].to_list() == ["valid", "not_worn", "blink", "outside", "valid"]
    assert rows.gaze["worn"].to_list() == [True, False, True, True, None]
    assert rows.gaze["x"][0] == 0.5
    assert rows.gaze["y"][0] == 0.25


def test_local_exporter_without_ids() -> None:
    header = HEADER.replace("section id,recording id", "file")
    rows = cloud(gaze_dot_csv=gaze_csv(f"x.raw,{UTC},544,540,False,,,0,0", header=header))
    assert not rows.refusals
    assert rows.gaze["validity"].to_list() == ["not_worn"]


@pytest.mark.parametrize(
    ("row", "rule", "value"),
    [
        ("a,q,1.7546902300770959e18,1,1,1.0,,,0,0", "not_an_integer", "1.7546902300770959e18"),
        ("a,q,,1,1,1.0,,,0,0", "not_an_integer", ""),
        (f"a,q,{2**63},1,1,1.0,,,0,0", "not_an_integer", str(2**63)),
        (f"a,q,{UTC},one,1,1.0,,,0,0", "not_a_number", "one"),
        (f'a,q,{UTC},1,"2",1.0,,,0,0', "not_a_number", '"2"'),
        (f"a,q,{UTC},1,1,perhaps,,,0,0", "worn_value", "perhaps"),
        (f"a,q,{UTC},1,1,1.0,,,0", "column_count", f"a,q,{UTC},1,1,1.0,,,0"),
        (f"a,q,{UTC},1,1,1.0,,,0,0,0", "column_count", f"a,q,{UTC},1,1,1.0,,,0,0,0"),
        (f"a,other,{UTC},1,1,1.0,,,0,0", "other_recording", "other"),
    ],
)
def test_a_malformed_row_is_refused_and_the_rest_goes_on(row: str, rule: str, value: str) -> None:
    good = f"a,q,{UTC},544,540,1.0,,,0,0"
    rows = cloud(gaze_dot_csv=gaze_csv(good, row, good))
    check_schema(rows)
    assert [(r["rule"], r["row"], r["value"]) for r in rows.refusals] == [(rule, "3", value)]
    assert rows.gaze["sample"].to_list() == [0, 2]


@pytest.mark.parametrize("cell", ["nan", "inf", "-inf", ""])
def test_a_position_that_is_no_number_is_kept_without_it(cell: str) -> None:
    rows = cloud(gaze_dot_csv=gaze_csv(f"a,q,{UTC},{cell},540,1.0,,,0,0"))
    check_schema(rows)
    assert rules(rows) == ["not_finite"]
    assert rows.gaze.select("x", "y", "validity").row(0) == (None, None, "not_finite")


def test_many_faulty_rows_share_a_refusal() -> None:
    rows = cloud(gaze_dot_csv=gaze_csv(*[f"a,q,{UTC},x,1,1,,,0,0"] * 100))
    assert len(rows.refusals) == 21
    assert rows.refusals[-1]["value"] == "80 more rows"
    assert rows.refusals[-1]["row"] == "22 to 101"


@pytest.mark.parametrize(
    ("data", "rule"),
    [
        (gaze_csv(header="timestamp [ns],gaze x [px]"), "missing_column"),
        (b"", "missing_column"),
        (b"\xff\xfe\x00", "not_utf8"),
        (gaze_csv(header=HEADER), "no_rows"),
        (gaze_csv(header=HEADER.replace("worn", "gaze y [px]")), "column_twice"),
    ],
)
def test_headers(data: bytes, rule: str) -> None:
    rows = cloud(gaze_dot_csv=data)
    check_schema(rows)
    assert rules(rows) == [rule]
    assert rows.gaze.is_empty()


def test_blinks_close_intervals_at_both_ends() -> None:
    header = HEADER.replace(",blink id", "")
    blinks = (
        "section id,recording id,blink id,start timestamp [ns],end timestamp [ns],duration [ms]\n"
        f"a,q,1,{UTC + 10},{UTC + 20},1\n"
    )
    rows = cloud(
        gaze_dot_csv=gaze_csv(
            *[f"a,q,{UTC + t},544,540,1.0,,0,0" for t in (9, 10, 15, 20, 21)], header=header
        ),
        blinks_dot_csv=blinks.encode(),
    )
    assert not rows.refusals
    assert rows.gaze["blink"].to_list() == [False, True, True, True, False]


def test_sections_are_parts_in_order_of_time() -> None:
    data = "section id,recording id,timestamp [ns]\n" + "".join(
        f"{s},q,{t}\n" for s, t in (("b", UTC + 50), ("b", UTC + 83), ("a", UTC), ("a", UTC + 33))
    )
    rows = cloud(world_timestamps_dot_csv=data.encode())
    check_schema(rows)
    assert rows.clocks["frame_stamps_ns"].to_list() == [[UTC, UTC + 33], [UTC + 50, UTC + 83]]
    assert rows.clocks["part"].to_list() == [0, 1]
    unpaired = read_cloud(
        {"info.json": INFO, "world_timestamps.csv": data.encode()},
        source="s",
        recording_id="r",
        names=["a.mp4"],
    )
    assert rules(unpaired) == ["section_count"]
    assert unpaired.clocks.is_empty()


@pytest.mark.parametrize("data", [b"{}", b"[]", b"{", b'{"camera_matrix": "x", "dist_coefs": []}'])
def test_a_scene_camera_that_is_none(data: bytes) -> None:
    rows = cloud(scene_camera_dot_json=data)
    assert rules(rows) == ["not_a_calibration"]
    assert rows.cameras.is_empty()


def test_names_of_wearers_are_never_read() -> None:
    class Watched(dict[str, bytes]):
        def __getitem__(self, key: str) -> bytes:
            assert key != "wearer.json"
            return super().__getitem__(key)

        def get(self, key: str, default: object = None) -> object:  # type: ignore[override]
            assert key != "wearer.json"
            return super().get(key, default)

    files = Watched({"info.json": INFO, "wearer.json": b'{"name": "Ada"}', "gaze.csv": b"bad"})
    for read in (read_native, read_cloud):
        rows = read(files, source="s", recording_id="r")
        assert "Ada" not in str(rows)


# --- EgoExoLearn arrays ------------------------------------------------------------------------


def npy(array: np.ndarray, **kwargs: bool) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, **kwargs)
    return buffer.getvalue()


def read(data: bytes) -> PupilRows:
    rows = read_npy(data, source="s", recording_id="r", file="g.npy")
    check_schema(rows)
    return rows


def test_npy_rows() -> None:
    nan = float("nan")
    values = [[0.25, 0.5, 1], [0.5, 0.5, 0], [1.2, 0.5, 1], [nan, 0.5, 1], [0.5, 0.5, 2]]
    rows = read(npy(np.array(values, dtype="<f4")))
    assert rows.gaze["t_s"].to_list() == [i / 30 for i in range(5)]
    assert rows.gaze["t_ns"].null_count() == 5
    assert rows.gaze["validity"].to_list() == [
        "valid",
        "flagged",
        "outside",
        "not_finite",
        "flagged",
    ]
    assert rows.gaze["x"].to_list()[:2] == [0.25, 0.5]
    assert [(r["rule"], r["row"]) for r in rows.refusals] == [
        ("validity_value", "4"),
        ("not_finite", "3"),
    ]


class Bomb:
    def __reduce__(self) -> tuple:
        raise AssertionError("pickled data was executed")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"not an array",
        npy(np.zeros((4, 2), np.float32)),
        npy(np.zeros(12, np.float32)),
        npy(np.zeros((4, 3), np.int64)),
        npy(np.zeros((4, 3), np.float32))[:-1],
        npy(np.zeros((4, 3), np.float32)) + b"trailing",
        npy(np.array([[None] * 3], dtype=object), allow_pickle=True),
        pickle.dumps([1, 2, 3]),
        npy(np.zeros((4, 3), np.float32)).replace(b"(4, 3)", b"(9, 3)"),
        b"PK\x03\x04" + bytes(60),
    ],
)
def test_a_file_that_is_no_gaze_array_is_refused(data: bytes) -> None:
    rows = read(data)
    assert rules(rows) == ["not_a_gaze_array"]
    assert rows.gaze.is_empty()


def test_an_array_of_no_rows_is_one() -> None:
    rows = read(npy(np.zeros((0, 3), np.float32)))
    assert not rows.refusals
    assert rows.gaze.is_empty()


# --- real excerpts -----------------------------------------------------------------------------


def folder_files(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in folder.iterdir() if p.name != "wearer.json"}


@pytest.mark.parametrize(
    ("name", "samples", "not_worn", "frames", "first"),
    [
        ("demo_recording", 1788, 0, [292], 1760676790465965534),
        ("multi_part", 4200, 242, [142, 244, 542], 1760838203683159380),
    ],
)
def test_real_native_folders(
    shared: Path, name: str, samples: int, not_worn: int, frames: list[int], first: int
) -> None:
    files = folder_files(shared / "data/pupil-invisible/neon_native_analogue" / name)
    assert classify(files) == "native"
    for leave_out in ((), ("gaze_200hz.raw", "gaze_200hz.time", "worn_200hz.raw")):
        left = {k: v for k, v in files.items() if k not in leave_out}
        rows = read_native(left, source="s", recording_id="r")
        check_schema(rows)
        assert not rows.refusals
        assert rows.device == "neon"
        assert len(rows.gaze) == samples
        assert (rows.gaze["validity"] == "not_worn").sum() == not_worn
        assert rows.gaze["t_ns"][0] == first
        assert rows.gaze["t_ns"].is_sorted()
        assert rows.clocks["frame_stamps_ns"].list.len().to_list() == frames
        _same_as_the_bytes(rows, left, bool(leave_out), (1600, 1200))
    # Neon's calibration as its scene_camera.json of the same kind: 1600 x 1200, f about 890.
    camera = rows.cameras.row(0, named=True)
    assert (camera["width_px"], camera["height_px"]) == (1600, 1200)
    assert camera["fx_px"] == pytest.approx(888.41, abs=0.01)
    assert camera["cx_px"] == pytest.approx(805.10, abs=0.01)


def _same_as_the_bytes(
    rows: PupilRows, files: Mapping[str, bytes], by_part: bool, size: tuple[int, int]
) -> None:
    """Ten samples, chosen by hash, unpacked one by one from the files' bytes."""
    if by_part:
        parts = sorted(
            (n.removesuffix(".raw") for n in files if re.fullmatch(r"gaze ps\d+\.raw", n)),
            key=lambda n: int(n[len("gaze ps") :]),
        )
    else:
        parts = ["gaze_200hz"]
    places = b"".join(files[f"{part}.raw"] for part in parts)
    stamps = b"".join(files[f"{part}.time"] for part in parts)
    assert len(places) == len(stamps) == 8 * len(rows.gaze)
    samples = range(len(rows.gaze))
    for at in sorted(samples, key=lambda n: sha256(str(n).encode()).digest())[:10]:
        x, y = struct.unpack_from("<ff", places, 8 * at)
        (stamp,) = struct.unpack_from("<q", stamps, 8 * at)
        row = rows.gaze.row(at, named=True)
        assert (row["sample"], row["t_ns"]) == (at, stamp)
        assert (row["x"], row["y"]) == pytest.approx((x / size[0], y / size[1]), rel=1e-6)


def test_real_enrichment_export_is_refused_by_its_header(shared: Path) -> None:
    files = folder_files(shared / "data/pupil-invisible/cloud_marker_mapper_export")
    assert classify(files) == "cloud"
    rows = read_cloud(files, source="s", recording_id="r")
    assert rules(rows) == ["enrichment_export"]
    assert rows.gaze.is_empty()


@pytest.mark.parametrize(
    ("file", "device", "size", "fx", "k1"),
    [
        ("pupil_invisible_scene_camera.json", "pupil_invisible", (1088, 1080), 761.295, -0.1252),
        ("neon_scene_camera.json", "neon", (1600, 1200), 884.827, -0.1293),
    ],
)
def test_real_scene_cameras(
    shared: Path, file: str, device: str, size: tuple, fx: float, k1: float
) -> None:
    data = (shared / "data/pupil-invisible" / file).read_bytes()
    rows = read_cloud({"scene_camera.json": data}, source="s", recording_id="r")
    check_schema(rows)
    assert not rows.refusals
    assert rows.device == device
    camera = rows.cameras.row(0, named=True)
    assert (camera["width_px"], camera["height_px"]) == size
    assert camera["fx_px"] == pytest.approx(fx, abs=1e-3)
    assert camera["distortion"][0] == pytest.approx(k1, abs=1e-4)
    assert len(camera["distortion"]) == 8


def test_samples_are_numbered_within_all_parts() -> None:
    files = {
        "gaze__ps1_dot_raw": xy((1, 1), (2, 2), (3, 3)),
        "gaze__ps1_dot_time": times(UTC, UTC + 1),
        "gaze__ps2_dot_raw": xy((4, 4)),
        "gaze__ps2_dot_time": times(UTC + 9),
    }
    rows = native(**files)
    assert rows.gaze["sample"].to_list() == [0, 1, 3]
    assert rows.gaze.select(pl.col("sample").is_unique().all()).item()

"""Broken files of Aria datasets: no reader raises, each file costs what it holds and is named."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from assets.sources import adt, egoexo4d
from assets.sources.layout import Layout, PartFiles
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed
from assets.sources.reading.wide_csv import wide_csv

BROKEN: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "bytes": lambda _: bytes(range(256)) * 4,
    "list": lambda _: b"[]",
    "object": lambda _: b"{}",
    "nothing": lambda _: b"null",
    "numbers": lambda _: b"[1, 2, {}, null, NaN]",
    "half": lambda data: data[: len(data) // 2],
    "swapped columns": lambda data: data.replace(b",", b";"),
    "html": lambda _: b"<html>not found</html>",
    "header only": lambda data: data.split(b"\n", 1)[0] + b"\n",
}


def real(shared: Path, name: str) -> dict[str, bytes]:
    if name == "adt":
        folder = shared / "data/adt"
        files = {
            f"seq/{p.relative_to(folder)}": p.read_bytes() for p in folder.rglob("*") if p.is_file()
        }
        mps = shared / "data/aria-mps/gen1_mps_sample/trajectory/online_calibration.jsonl"
        return files | {"seq/mps/slam/online_calibration.jsonl": mps.read_bytes()[:20_000]}
    folder = shared / "data/ego-exo4d"
    uid = json.loads((folder / "samples/takes.json").read_text())[0]["take_uid"]
    note = {
        "annotations": {
            uid: [{"annotation_uid": "a", "descriptions": [{"text": "C sits.", "timestamp": 1.0}]}]
        }
    }
    step = {"start_time": 1.0, "end_time": 2.0, "step_unique_id": 3, "step_name": "x"}
    home = "takes/cmu_bike01_2"
    return {
        "takes.json": (folder / "samples/takes.json").read_bytes(),
        "annotations/splits.json": (folder / "samples/splits.json").read_bytes(),
        "annotations/atomic_descriptions_val.json": json.dumps(note).encode(),
        "annotations/keystep_val.json": json.dumps(
            {"annotations": {uid: {"segments": [step]}}, "vocabulary": {"3": "x"}}
        ).encode(),
        f"{home}/trajectory/gopro_calibs.csv": (folder / "gopro_calibs.csv").read_bytes(),
        f"{home}/trajectory/closed_loop_trajectory.csv": (
            shared / "data/adt/aria_trajectory.csv"
        ).read_bytes(),
        "captures/cmu_bike01/timesync.csv": b"aria01_214-1_capture_timestamp_ns\n"
        + b"1\n" * 20_000,
    }


def read(layout: Layout, files: dict[str, bytes]) -> list[dict]:
    """Refusals of all parts, as the stage reads them."""
    refused: list[dict] = []
    for part in layout.parts:
        mine = {p: d for p, d in sorted(files.items()) if part.claims(p)}
        uid = {"recording_id": "seq", "media_paths": []} if part.per_recording else None
        try:
            refused.extend(part.read(PartFiles("it", mine, {}, uid)).refused)
        except Malformed as error:
            refused.append({"rule": "unreadable_file", "message": str(error)})
    return refused


@pytest.mark.parametrize("how", BROKEN)
@pytest.mark.parametrize("layout", [adt.LAYOUT, egoexo4d.LAYOUT], ids=lambda one: one.name)
def test_no_broken_file_stops_the_rest(shared: Path, layout: Layout, how: str) -> None:
    files = real(shared, layout.name)
    whole = len(read(layout, files))
    for path in files:
        # Gaze without depth is not asked where the ground truth is there.
        if path.endswith("general_eye_gaze.csv") or not any(p.claims(path) for p in layout.parts):
            continue
        broken = BROKEN[how](files[path])
        refused = read(layout, files | {path: broken})
        # Formless data is said; what keeps its form (an empty list, fewer rows) may say nothing.
        if how in ("bytes", "html"):
            assert len(refused) > whole or any(path in str(one.get("file")) for one in refused), (
                path
            )


@pytest.mark.parametrize(
    ("data", "rows", "refused"),
    [
        (b"a,b,t\n1,0.5,x\n", [(1, 0.5, "x")], []),
        (b"\xef\xbb\xbfa,b,t\n1,0.5, x \n", [(1, 0.5, "x")], []),
        (b"t,extra,b,a\nx,9,0.5,1\n", [(1, 0.5, "x")], []),
        (b"a,b,t\n1,nan,x\n2,1,y\n", [(2, 1.0, "y")], [("2", "nan")]),
        (b"a,b,t\n1.5,1,x\n", [], [("2", "1.5")]),
        (b"a,b,t\n1\n", [], [("2", "1")]),
        (b"a,b,t\n1,1,x,9\n2,1,y\n", [(2, 1.0, "y")], [("2", "1,1,x,9")]),
        (b"a,b,t\n1,1,\xff\n2,1,y\n", [(2, 1.0, "y")], [("2", "1,1,\\udcff")]),
        (b"a,b,t\n1,1,x\0\n\n2,1,y\n", [(2, 1.0, "y")], [("2", "1,1,x\\0")]),
        (b"a,b,t\r\n1,1,x\r\n\r\n2,1,y", [(1, 1.0, "x"), (2, 1.0, "y")], []),
        (b'a,b,t\n1,1,"x,\ny"\n2,1,y\n', [(1, 1.0, "x,\ny"), (2, 1.0, "y")], []),
        (b'a,b,t\n1,1,"x\n2,1,y\n', [(2, 1.0, "y")], [("2", '1,1,"x')]),
        (b"a,b,t\n9007199254740993,1,x\n", [(9007199254740993, 1.0, "x")], []),
    ],
)
def test_wide_files(data: bytes, rows: list, refused: list) -> None:
    reader = RowReader("boxes")
    made = wide_csv(reader, "f.csv", data, ints=("a",), floats=("b",), texts=("t",))
    assert made.select("a", "b", "t").rows() == rows
    assert [(r["row"], r["value"]) for r in reader.refused] == refused


def test_gaps_are_null_and_other_words_are_not() -> None:
    reader = RowReader("gaze_rays")
    made = wide_csv(
        reader, "f.csv", b"a,depth\n1,\n2,0.5\n3,far\n", ints=("a",), gaps=("depth", "none")
    )
    assert made.select("a", "depth", "none").rows() == [(1, None, None), (2, 0.5, None)]
    assert [r["value"] for r in reader.refused] == ["far"]


def test_many_bad_rows_are_told_once() -> None:
    reader = RowReader("boxes")
    wide_csv(reader, "f.csv", b"a\n" + b"x\n" * 250, ints=("a",))
    assert len(reader.refused) == 101
    assert reader.refused[-1]["value"] == "150"


@pytest.mark.parametrize(
    "data",
    [b"", b"\n\n", b"a,t\n", b"a,t\n\n\n", b"a,t,a\n1,x,2\n", b"t\nx\n", b"\xff,a,t\n1,1,x\n"],
)
def test_wide_files_without_rows_or_with_another_header_are_refused_whole(data: bytes) -> None:
    with pytest.raises(Malformed):
        wide_csv(RowReader("boxes"), "f.csv", data, ints=("a",), texts=("t",))


def test_lines_keep_their_number_around_rows_that_are_refused() -> None:
    data = b"a\n0\n1\n2,2\n\n4\n"
    assert wide_csv(RowReader("boxes"), "f.csv", data, ints=("a",))["line"].to_list() == [2, 3, 6]

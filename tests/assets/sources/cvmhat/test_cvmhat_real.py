"""CVMHAT as released, against the same files read by other means."""

from __future__ import annotations

import csv
import hashlib
import io
import time
import zipfile
from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.io import loadmat

from assets.sources.cvmhat import LAYOUT
from assets.sources.layout import Part, PartFiles, Rows
from expectations.contracts import check
from expectations.schemas import TABLES

Files = dict[str, bytes]
HOME = "CVMHAT_dataset-anno"
WIDTH, HEIGHT = 2704, 1520
EDGES = ("x_min", "y_min", "x_max", "y_max")


def chosen(keys: list[str], count: int = 10) -> list[str]:
    return sorted(keys, key=lambda k: hashlib.sha256(k.encode()).hexdigest())[:count]


@pytest.fixture(scope="module")
def files(shared: Path) -> Files:
    found = {}
    for name in ("GT.zip", "GT_txt.zip"):
        with zipfile.ZipFile(shared / "data/cvmhat" / HOME / name) as archive:
            for member in archive.namelist():
                if not member.endswith("/"):
                    found[f"{HOME}/{member}"] = archive.read(member)
    return found


def part(name: str) -> Part:
    found = LAYOUT.part(name)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def made(files: Files) -> dict[str, Rows]:
    """Boxes of each recording."""
    by_recording: dict[str, Files] = {}
    for path, data in files.items():
        by_recording.setdefault(part("objects").recording_of(path), {})[path] = data
    began = time.process_time()
    rows = {
        uid: part("objects").read(PartFiles("real", held, {}, {"recording_id": uid}))
        for uid, held in by_recording.items()
    }
    assert time.process_time() - began < 12
    return rows


@pytest.fixture(scope="module")
def boxes(made: dict[str, Rows]) -> pl.DataFrame:
    return pl.concat(rows.tables["boxes"] for rows in made.values())


def test_recordings(files: Files) -> None:
    rows = part("recordings").read(PartFiles("real", files))
    assert rows.refused == ()
    table = rows.tables["recordings"]
    # 15 takes have text, one more has MATLAB alone.
    assert table.height == 32 and table["take_id"].n_unique() == 16
    assert Counter(table["view"]) == {"ego": 16, "exo": 16}
    assert set(table["environment_id"]) == {"canteen", "55", "library", "square", "playground"}
    assert set(table["time_base"]) == {"index_only"} and set(table["media"]) == {"missing"}
    clocks = rows.tables["clocks"]
    assert set(clocks["method"]) == {"same_index"} and clocks["residual_ms"].null_count() == 32


def test_every_line_is_a_box_or_refused(
    files: Files, made: dict[str, Rows], boxes: pl.DataFrame
) -> None:
    """30 sequences with 3,332 to 13,438 lines each."""
    lines = {
        path.rpartition("/")[2][:-4]: data.count(b"\n")
        for path, data in files.items()
        if path.endswith(".txt") and "GT_txt" in path
    }
    assert len(lines) == 30 and sum(lines.values()) == 175_337
    assert lines["V0-S_canteen_0-G_1_hor"] == 3_332 and max(lines.values()) == 13_438
    twice = {"V0-S_canteen_0-G_3_hor": 2, "V1-S_55-G_1_top": 2, "V1-S_55-G_2_top": 2}
    found = dict(boxes.group_by("recording_id").len().rows())
    assert {uid: found[uid] + twice.get(uid, 0) for uid in lines} == lines
    for uid, rows in made.items():
        rules = Counter(one["rule"] for one in rows.refused)
        # The sequence without text boxes one person twice as well.
        want = {"person_twice": 2} if uid in {*twice, "V0-S_canteen_1-G_1_hor"} else {}
        if "library" in uid and uid.endswith("_top"):
            want["forms_differ"] = 1
        assert rules == want, uid
    assert check(TABLES["boxes"], boxes).refused == []
    assert boxes["box_id"].n_unique() == boxes.height


def test_ten_lines_of_text(files: Files, boxes: pl.DataFrame) -> None:
    lines = {}
    for path, data in files.items():
        if path.endswith(".txt"):
            uid = path.rpartition("/")[2][:-4]
            for row in csv.reader(io.StringIO(data.decode())):
                lines[f"{uid}/{row[0]}/{row[1]}"] = (uid, [int(v) for v in row])
    keys = [*chosen(list(lines)), *chosen([k for k, (_, v) in lines.items() if v[2] < 0], 3)]
    rows = {r["box_id"]: r for r in boxes.filter(pl.col("box_id").is_in(keys)).to_dicts()}
    for key in keys:
        uid, (frame, person, x, y, w, h, *rest) = lines[key]
        box = rows[key]
        assert rest == [-1] * 4
        assert (box["recording_id"], box["source_frame"], box["track_id"]) == (
            uid, frame, str(person),
        )  # fmt: skip
        assert box["person_id"] == f"{uid[:-4]}/{person}"
        assert (box["raw"], box["raw_form"], box["t_s"]) == ([x, y, w, h], "xywh_px", None)
        whole = [x / WIDTH, y / HEIGHT, (x + w) / WIDTH, (y + h) / HEIGHT]
        assert [box[e] for e in EDGES] == pytest.approx(np.clip(whole, 0, 1), abs=1e-6)
        assert box["clipped"] == (min(whole) < 0 or max(whole) > 1)


def test_ten_boxes_of_matlab(files: Files, boxes: pl.DataFrame) -> None:
    """The take that lies in MATLAB alone."""
    told = {}
    for view in ("hor", "top"):
        uid = f"V0-S_canteen_1-G_1_{view}"
        cells = loadmat(io.BytesIO(files[f"{HOME}/GT/{uid}.mat"]))["objs_inter"]
        assert cells.shape == (600, 2)
        for name, numbers in cells:
            for row in numbers.reshape(-1, 5).tolist() if numbers.size else ():
                told[f"{uid}/{int(name[0][:4])}/{row[4]}"] = row[:4]
    own = boxes.filter(pl.col("recording_id").str.starts_with("V0-S_canteen_1-G_1_"))
    assert own.height == len(told) - 1  # a person boxed twice
    assert own.filter(pl.col("track_id") == "0").height == 600
    keys = chosen(own["box_id"].to_list())
    for row in own.filter(pl.col("box_id").is_in(keys)).to_dicts():
        assert (row["raw"], row["raw_form"]) == (told[row["box_id"]], "xyxy_px")


def test_the_wearer_is_seen_from_above_alone(boxes: pl.DataFrame) -> None:
    wearer = boxes.filter(pl.col("track_id") == "0")
    assert wearer["recording_id"].str.ends_with("_top").all()
    assert wearer["recording_id"].n_unique() == 16


def test_people_are_the_same_in_both_views(boxes: pl.DataFrame) -> None:
    """A take has people that both views box in one picture: what a question needs."""
    seen = boxes.select("person_id", "source_frame", view=pl.col("recording_id").str.tail(3))
    both = seen.filter(pl.col("view") == "hor").join(
        seen.filter(pl.col("view") == "top"), on=["person_id", "source_frame"]
    )
    takes = both["person_id"].str.split("/").list.first()
    assert takes.n_unique() == 16 and both.height > 60_000


def test_annotated_pictures(made: dict[str, Rows]) -> None:
    counts = {uid: rows.tables["annotated_frames"].height for uid, rows in made.items()}
    assert counts["V1-S_library-G_1_top"] == 1200 and counts["V1-S_55-G_2_hor"] == 900
    assert counts["V1-S_55-G_1_top"] == 1199  # the first picture boxes a person twice
    assert sum(counts.values()) == sum(-(-n // 100) * 100 for n in counts.values()) - 4

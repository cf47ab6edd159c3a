"""CVMHAT: the simulated square against its truth, and each trap by name."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from scipy.io import savemat

from assets.sources.cvmhat import LAYOUT
from resources.worlds.square import SquareSpec, plan_square, refused_cvmhat, write_cvmhat
from resources.worlds.square.cvmhat import boxes_of, picture
from tests.assets.sources.reading_parts import Read, read_parts

if TYPE_CHECKING:
    from conftest import Source

TAKE = "V0-S_street_1-G_1"
HOR, TOP = f"GT_txt/{TAKE}_hor.txt", f"GT_txt/{TAKE}_top.txt"
LINE = "1,2,270,152,135,304,-1,-1,-1,-1"
CORNERS = ("x_min", "y_min", "x_max", "y_max")


def mat(pictures: dict[str, list[list[float]]], dtype: object = np.uint16) -> bytes:
    cells = np.empty((len(pictures), 2), dtype=object)
    for at, (name, rows) in enumerate(pictures.items()):
        cells[at, 0] = name
        cells[at, 1] = np.array(rows, dtype=dtype).reshape(-1, 5) if rows else np.zeros((0, 0))  # type: ignore[arg-type]
    out = io.BytesIO()
    savemat(out, {"objs_inter": cells}, do_compression=True)
    return out.getvalue()


def xml(objects: str, size: str = "") -> str:
    return f"<annotation>{size}{objects}</annotation>"


def person(name: str, box: str = "rectangle", left: float = 270) -> str:
    edges = f"<xmin>{left}</xmin><ymin>152</ymin><xmax>405</xmax><ymax>456</ymax>"
    return f"<object><name>{name}</name><{box}>{edges}</{box}></object>"


def read(files: dict[str, Any]) -> Read:
    media = [path for path in files if path.endswith(".jpg")]
    return read_parts(LAYOUT, {p: c for p, c in files.items() if p not in media}, media)


def told(source: Read) -> list[tuple[str, str | None, str]]:
    return sorted((q["rule"], q["row"], q["value"]) for q in source.refused)


def test_the_simulated_square(tmp_path: Path, source_of: Callable[..., Source]) -> None:
    """Everybody who is truly seen has a box, in every form, and nobody else has."""
    spec = SquareSpec("cvmhat", takes=4, frames=20, render="small")
    write_cvmhat(spec, tmp_path / "root")
    source, square = source_of("cvmhat", tmp_path / "root"), plan_square(spec)
    source.ingest()
    found = [(q["table"], q["file"], q["row"], q["rule"]) for q in source.quarantine()]
    refused = refused_cvmhat(square)
    assert sorted(found, key=str) == sorted(refused, key=str) and len(refused) == 9
    boxes = source.rows("boxes")
    unread = {(f"{square.takes[3].name}_hor", 4)}  # a document type in its file
    (twice,) = {q["row"] for q in source.quarantine() if q["rule"] == "person_twice"}
    for take in square.takes:
        for view in ("hor", "top"):
            uid = f"{take.name}_{view}"
            true = {
                (frame, str(box.person), float(box.left), float(box.top))
                for frame in take.frames
                if (uid, frame) not in unread
                for box in boxes_of(picture(take, view, frame, spec.size), frame)
                if uid != f"{square.takes[0].name}_hor" or f"{frame}/{box.person}" != twice
            }
            rows = boxes.filter(pl.col("recording_id") == uid)
            left, top = (pl.col("raw").list.get(n).alias(str(n)) for n in range(2))
            assert true == set(rows.select("source_frame", "track_id", left, top).rows())
    images = source.rows("images").group_by("recording_id").len()
    assert sorted(images["len"]) == [17, *[20] * 7]
    recordings = source.rows("recordings")
    assert set(recordings["media"]) == {"present"}
    assert recordings.select("width_px", "height_px").unique().sort("width_px").rows() == [
        (None, None),
        (2704, 1520),
    ]
    annotated = dict(source.rows("annotated_frames").group_by("recording_id").len().rows())
    # Five pictures hold a row that could not be used.
    assert annotated.pop(f"{square.takes[0].name}_hor") == 15
    assert annotated.pop(f"{square.takes[3].name}_hor") == 19
    assert set(annotated.values()) == {20}


def test_what_is_said_of_a_take() -> None:
    source = read(
        {
            HOR: LINE,
            TOP: "1,0,10,10,50,50,-1,-1,-1,-1\n1,2,600,300,90,90,-1,-1,-1,-1\n",
            f"{TAKE}_hor/0001.jpg": b"",
            f"{TAKE}_hor/0002.jpg": b"",
        }
    )
    assert source.refused == []
    hor, top = source.rows("recordings").to_dicts()
    expected = {
        "take_id": TAKE, "view": "ego", "environment_id": "street", "person_id": f"{TAKE}/0",
        "media_kind": "image_sequence", "time_base": "index_only", "media": "present",
        "declared_fps": None, "width_px": None,
    }  # fmt: skip
    assert {name: hor[name] for name in expected} == expected
    assert (top["view"], top["person_id"], top["media"]) == ("exo", None, "missing")
    clocks = source.rows("clocks").select("take_id", "method", "residual_ms").rows()
    assert clocks == [(TAKE, "same_index", None)] * 2
    images = source.rows("images").select("source_frame", "t_s").rows()
    assert images == [(1, None), (2, None)]
    box = source.rows("boxes").filter(pl.col("recording_id") == f"{TAKE}_hor").to_dicts()[0]
    assert box["raw"] == [270, 152, 135, 304]
    expected = [270 / 2704, 152 / 1520, 405 / 2704, 456 / 1520]
    assert [box[c] for c in CORNERS] == pytest.approx(expected)
    # The one person whom both views show in the same picture, under one id.
    both = source.rows("boxes").filter(pl.col("person_id") == f"{TAKE}/2")
    assert both["recording_id"].to_list() == [f"{TAKE}_hor", f"{TAKE}_top"]
    assert source.rows("annotated_frames").select("what", "source_frame").rows() == [
        ("people", 1),
        ("people", 1),
    ]


@pytest.mark.parametrize(
    "text",
    [LINE, f"{LINE}\n", f"{LINE}\r\n", LINE.replace(",", " "), LINE.replace(",", ", ")],
    ids=["bare", "line feed", "CRLF", "blanks as the readme has them", "commas and blanks"],
)
def test_forms_of_a_line(text: str) -> None:
    source = read({HOR: text})
    assert source.refused == []
    assert source.rows("boxes")["raw"].to_list() == [[270, 152, 135, 304]]


def test_no_line_is_taken_for_a_header() -> None:
    source = read({HOR: f"{LINE}\n{LINE.replace('1,2', '2,2', 1)}\n"})
    assert source.rows("boxes")["source_frame"].to_list() == [1, 2]


@pytest.mark.parametrize(
    ("numbers", "inside"),
    [
        ("-25,100,60,100", (0, 100, 35, 200)),
        ("100,-2,60,100", (100, 0, 160, 98)),
        ("2650,1400,80,126", (2650, 1400, 2704, 1520)),
    ],
)
def test_boxes_beyond_the_picture(numbers: str, inside: tuple[int, ...]) -> None:
    source = read({HOR: f"1,2,{numbers},-1,-1,-1,-1"})
    (box,) = source.rows("boxes").to_dicts()
    assert box["clipped"] and box["raw"] == [float(n) for n in numbers.split(",")]
    sides = (2704, 1520, 2704, 1520)
    expected = [value / side for value, side in zip(inside, sides, strict=True)]
    assert [box[c] for c in CORNERS] == pytest.approx(expected)


BAD = {
    "letters": ("7,two,1,1,9,9,-1,-1,-1,-1", [("unreadable_row", "2", "two")]),
    "fewer fields": ("7,2,1,1,9,9,-1", [("unreadable_row", "2", "7,2,1,1,9,9,-1")]),
    "more fields": (
        "7,2,1,1,9,9,-1,-1,-1,-1,5",
        [("unreadable_row", "2", "7,2,1,1,9,9,-1,-1,-1,-1,5")],
    ),
    "a quote": ('7,"2,1,1,9,9,-1,-1,-1,-1', [("unreadable_row", "2", "'2")]),
    "not finite": ("7,2,nan,1,9,9,-1,-1,-1,-1", [("unreadable_row", "2", "nan")]),
    "frame 0": ("0,2,1,1,9,9,-1,-1,-1,-1", [("frame_number", "0/2", "1, 1, 10, 10")]),
    "person -1": ("7,-1,1,1,9,9,-1,-1,-1,-1", [("person_number", "7/-1", "1, 1, 10, 10")]),
    "no width": ("7,2,5,5,0,9,-1,-1,-1,-1", [("no_area", "7/2", "5, 5, 5, 14")]),
    "beside the picture": ("7,2,2800,5,9,9,-1,-1,-1,-1", [("no_area", "7/2", "2800, 5, 2809, 14")]),
    "the wearer": ("7,0,5,5,9,9,-1,-1,-1,-1", [("wearer_in_own_view", "7/0", "5, 5, 14, 14")]),
    "twice": (
        "7,2,5,5,9,9,-1,-1,-1,-1\n7,2,50,5,9,9,-1,-1,-1,-1",
        [("person_twice", "7/2", "5, 5, 14, 14"), ("person_twice", "7/2", "50, 5, 59, 14")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_lines_are_told_and_the_rest_is_read(case: str) -> None:
    lines, expected = BAD[case]
    source = read({HOR: f"{LINE}\n{lines}\n7,3,1,1,9,9,-1,-1,-1,-1\n"})
    assert told(source) == expected
    assert all(q["remedy"] and q["file"] == HOR for q in source.refused)
    frames = source.rows("boxes").select("source_frame", "track_id").rows()
    assert frames == [(1, "2"), (7, "3")]
    # Absence may not be concluded from a picture that was not read whole.
    whole = [1, 7] if case == "frame 0" else [1]
    assert source.rows("annotated_frames")["source_frame"].to_list() == whole


def test_wearer_from_above() -> None:
    source = read({TOP: "1,0,5,5,9,9,-1,-1,-1,-1"})
    assert source.refused == []
    assert source.rows("boxes")["person_id"].to_list() == [f"{TAKE}/0"]


# -- XML and MATLAB --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["rectangle", "bndbox"])
def test_names_of_an_xml_box(name: str) -> None:
    size = "<size><width>1352</width><height>760</height></size>"
    folder = f"CVMHAT/GT_xml/{TAKE}_hor"
    source = read(
        {f"{folder}/0003.xml": xml(person("2", name), size), f"{folder}/0004.xml": xml("", size)}
    )
    assert source.refused == []
    (box,) = source.rows("boxes").to_dicts()
    assert (box["source_frame"], box["track_id"], box["raw_form"]) == (3, "2", "xyxy_px")
    assert box["raw"] == [270, 152, 405, 456] and box["x_min"] == pytest.approx(270 / 1352)
    # A picture with nobody in it is annotated too.
    assert source.rows("annotated_frames")["source_frame"].to_list() == [3, 4]
    assert source.rows("recordings").select("width_px", "height_px").rows() == [(1352, 760)]


DOCTYPE = '<!DOCTYPE annotation [<!ENTITY a "{}">]>'
BAD_XML = {
    "an entity": (DOCTYPE.format("2") + xml(person("&a;")), "annotation"),
    "a file from outside": (
        '<!DOCTYPE annotation [<!ENTITY a SYSTEM "file:///etc/passwd">]>' + xml(person("&a;")),
        "annotation",
    ),
    "a document type outside": (
        '<!DOCTYPE annotation SYSTEM "http://127.0.0.1/a.dtd">' + xml(person("2")),
        "annotation",
    ),
    "cut off": (xml(person("2"))[:40], None),
    "no XML": ("frame 1", None),
    "nothing": ("", None),
    "deep": ("<a>" * 100 + "</a>" * 100, "a"),
    "unknown encoding": ('<?xml version="1.0" encoding="x-none"?>' + xml(person("2")), None),
}


@pytest.mark.parametrize("case", BAD_XML)
def test_bad_xml_costs_its_picture(case: str) -> None:
    text, value = BAD_XML[case]
    folder = f"GT_xml/{TAKE}_top"
    source = read({f"{folder}/0001.xml": text, f"{folder}/0002.xml": xml(person("2"))})
    (said,) = source.refused
    assert (said["rule"], said["value"], said["file"]) == (
        "unreadable_file", value, f"{folder}/0001.xml",
    )  # fmt: skip
    assert source.rows("boxes")["source_frame"].to_list() == [2]
    assert source.rows("annotated_frames")["source_frame"].to_list() == [2]


@pytest.mark.parametrize(
    ("bad", "value"),
    [
        (person("somebody"), "somebody"),
        ("<object><name>4</name></object>", None),
        (person("4").replace("<ymin>152</ymin>", ""), None),
        (person("4").replace("152", "x"), "x"),
    ],
    ids=["name", "no box", "three edges", "no number"],
)
def test_bad_objects_of_xml(bad: str, value: str | None) -> None:
    source = read({f"GT_xml/{TAKE}_top/0001.xml": xml(bad + person("2"))})
    (said,) = source.refused
    assert (said["rule"], said["row"], said["value"]) == ("unreadable_row", "object 0", value)
    assert source.rows("boxes")["track_id"].to_list() == ["2"]
    assert source.rows("annotated_frames").is_empty()


@pytest.mark.parametrize("dtype", [np.uint16, np.int16, np.float64])
def test_numbers_of_matlab(dtype: type) -> None:
    """Released pictures have any of the three; one with nobody has no numbers at all."""
    rows = [[270, 152, 405, 456, 2], [600, 200, 690, 420, 5]]
    given = mat({"0046.jpg": rows, "0047.jpg": []}, dtype)
    source = read({f"GT/{TAKE}_hor.mat": given})
    assert source.refused == []
    boxes = source.rows("boxes").select("source_frame", "track_id", "raw").rows()
    assert boxes == [(46, "2", rows[0][:4]), (46, "5", rows[1][:4])]
    assert source.rows("annotated_frames")["source_frame"].to_list() == [46, 47]


@pytest.mark.parametrize(
    ("pictures", "value"),
    [
        ({"one.jpg": [[1, 1, 9, 9, 2]]}, "one.jpg"),
        ({"0001.jpg": [[1, 1, 9, 9, 2.5]]}, "0001.jpg"),
        ({"0001.jpg": [[1, float("nan"), 9, 9, 2]]}, "0001.jpg"),
    ],
    ids=["name", "id", "not finite"],
)
def test_bad_pictures_of_matlab(pictures: dict, value: str) -> None:
    given = mat({**pictures, "0002.jpg": [[1, 1, 9, 9, 3]]}, np.float64)
    source = read({f"GT/{TAKE}_hor.mat": given})
    assert told(source) == [("unreadable_row", "1", value)]
    assert source.rows("boxes")["track_id"].to_list() == ["3"]


def test_forms_of_one_recording() -> None:
    """Text counts; another form is told only where it says something else."""
    same = mat({"0001.jpg": [[270, 152, 405, 456, 2]]})
    other = mat({"0001.jpg": [[276, 158, 399, 450, 2]]})
    source = read(
        {
            HOR: LINE,
            f"GT/{TAKE}_hor.mat": same,
            TOP: LINE,
            f"GT/{TAKE}_top.mat": other,
            f"GT_xml/{TAKE}_top/0001.xml": xml(person("2")),
        }
    )
    (said,) = source.refused
    assert (said["rule"], said["value"], said["file"]) == (
        "forms_differ", "1 of 1 boxes", f"GT/{TAKE}_top.mat",
    )  # fmt: skip
    assert set(source.rows("boxes")["raw_form"]) == {"xywh_px"}


def test_a_form_that_cannot_be_read_gives_way() -> None:
    source = read({HOR: " \n", f"GT/{TAKE}_hor.mat": mat({"0001.jpg": [[1, 1, 9, 9, 3]]})})
    assert [(q["rule"], q["file"]) for q in source.refused] == [("unreadable_file", HOR)]
    assert source.rows("boxes")["raw_form"].to_list() == ["xyxy_px"]


def test_pictures_without_annotations() -> None:
    name = "V9-S_park-G_2_top"
    source = read({f"CVMHAT/data/{name}/{n:04d}.jpg": b"" for n in (1, 3)})
    (row,) = source.rows("recordings").to_dicts()
    assert (row["recording_id"], row["media"], row["scene"]) == (name, "present", "park")
    assert source.rows("images")["source_frame"].to_list() == [1, 3]
    assert source.rows("boxes").is_empty() and source.refused == []


def test_annotated_pictures_that_are_absent() -> None:
    lines = "\n".join(LINE.replace("1,2", f"{n},2", 1) for n in range(1, 10))
    source = read({HOR: lines, f"{TAKE}_hor/0002.jpg": b""})
    (said,) = source.refused
    assert (said["rule"], said["value"]) == (
        "annotated_without_picture",
        "1, 3, 4, 5, 6 and 3 more",
    )
    assert source.rows("boxes").height == 9

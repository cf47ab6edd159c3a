"""TF2023: the simulated square against its truth, and each trap by name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from assets.sources.tf2023 import LAYOUT
from resources.worlds.square import SquareSpec, plan_square, refused_tf2023, write_tf2023
from resources.worlds.square.draw import from_side
from resources.worlds.square.tf2023 import is_eval, pairs, people_in
from tests.assets.sources.reading_parts import Read, read_parts

if TYPE_CHECKING:
    from conftest import Source

CORNERS = ("x_min", "y_min", "x_max", "y_max")
TRAIN = "TF2023train.json"
GOOD = ["10", "00001.jpg", "T", "1", "2351"]
OUTLINES = "TF2023/data/10/Segmentation/T/{:05d}.json"


def shape(label: object, *points: tuple[float, float], **more: object) -> dict[str, Any]:
    return {"label": label, "points": [list(p) for p in points], "shape_type": "polygon", **more}


SQUARE = ((10, 20), (30, 20), (30, 60), (10, 60))


def outlines(*shapes: object, **more: object) -> dict[str, Any]:
    return {"imageHeight": 100, "imageWidth": 200, "shapes": list(shapes), **more}


def read(files: dict[str, Any]) -> Read:
    media = [path for path in files if path.endswith(".jpg")]
    return read_parts(LAYOUT, {p: c for p, c in files.items() if p not in media}, media)


def told(source: Read) -> list[tuple[str, str | None, str | None]]:
    return sorted((q["rule"], q["row"], q["value"]) for q in source.refused)


def test_the_simulated_square(tmp_path: Path, source_of: Callable[..., Source]) -> None:
    """Everybody who is truly seen has a box, and every pair its list and its wearer."""
    spec = SquareSpec("tf2023", takes=3, frames=24)
    write_tf2023(spec, tmp_path / "root")
    source, square = source_of("tf2023", tmp_path / "root"), plan_square(spec)
    source.ingest()
    found = [(q["table"], q["file"], q["row"], q["rule"]) for q in source.quarantine()]
    refused = refused_tf2023(square)
    assert sorted(found, key=str) == sorted(refused, key=str) and len(refused) == 8
    boxes, people = source.rows("boxes"), source.rows("listed_people")
    in_parts = 0
    for index, take in enumerate(square.takes):
        rows = boxes.filter(pl.col("recording_id") == f"{take.name}_T")
        cut = {5} if index == 0 else set()
        shown = {f: from_side(take, f, spec.size) for f in take.frames}
        true = {(f, str(n)) for f, picture in shown.items() for n in people_in(picture)}
        assert set(rows.select("source_frame", "track_id").rows()) == {
            (f, n) for f, n in true if f not in cut
        }
        for row in rows.to_dicts():
            # The box ends with the pixels that show the person, but for specks beside them.
            mask = shown[row["source_frame"]].cover == int(row["track_id"]) + 1
            left, top, right, bottom = (round(v) for v in row["raw"])
            inside = mask[top:bottom, left:right]
            assert all(edge.any() for edge in (inside[0], inside[-1], inside[:, 0], inside[:, -1]))
            assert mask.sum() - inside.sum() < 12
            in_parts += len(row["polygons"]) > 1
        said = people.filter(pl.col("recording_id") == f"{take.name}_T")
        assert said.select("source_frame", "wearer_id", "raw").sort("source_frame", "wearer_id")\
            .rows() == sorted(
            (p.frame, f"{p.scene}/{p.wearer}", p.people) for p in pairs(square, index)
        )  # fmt: skip
        assert set(said["split"]) == {"test" if is_eval(index) else "train"}
    assert in_parts >= 3
    images = dict(source.rows("images").group_by("recording_id").len().rows())
    lost = [take.name for i, take in enumerate(square.takes) if is_eval(i)]
    assert f"{lost[0]}_2" not in images and set(images.values()) == {21, 24}
    missing = source.rows("recordings").filter(pl.col("media") == "missing")
    assert missing["recording_id"].to_list() == [f"{lost[0]}_2"]


def test_an_item() -> None:
    source = read({TRAIN: [GOOD]})
    assert source.refused == []
    (row,) = source.rows("listed_people").to_dicts()
    assert (row["recording_id"], row["ego_recording_id"], row["source_frame"]) == (
        "10_T",
        "10_1",
        1,
    )
    # The order is kept as it is.
    assert (row["people"], row["raw"]) == (["10/2", "10/3", "10/5", "10/1"], "2351")
    assert (row["wearer_id"], row["split"]) == ("10/1", "train")
    recordings = source.rows("recordings")
    expected = [("10_1", "ego", "10", "10/1", "train"), ("10_T", "exo", "10", None, "train")]
    columns = ("recording_id", "view", "take_id", "person_id", "split")
    assert recordings.select(columns).rows() == expected
    assert set(recordings["time_base"]) == {"index_only"} and set(recordings["media"]) == {
        "missing"
    }
    clocks = source.rows("clocks").select("take_id", "method", "residual_ms").rows()
    assert clocks == [("10", "same_index", None)] * 2
    splits = source.rows("splits").select("recording_id", "split", "position").rows()
    assert splits == [("10_1", "train", 0), ("10_T", "train", 0)]


def test_a_wearer_who_is_not_in_the_picture() -> None:
    source = read({TRAIN: [[*GOOD[:4], "235"], [*GOOD[:3], "2", "253"]]})
    assert source.refused == []
    people = source.rows("listed_people").sort("wearer_id")
    listed = people.select(pl.col("people").list.contains(pl.col("wearer_id")))
    assert listed["people"].to_list() == [False, True]


BAD: dict[str, tuple[object, str, str]] = {
    "four texts": (GOOD[:4], "unreadable_row", str(GOOD[:4])),
    "a number": ([10, *GOOD[1:]], "unreadable_row", str([10, *GOOD[1:]])),
    "an object": ({"scene": "10"}, "unreadable_row", "{'scene': '10'}"),
    "another camera": (
        [*GOOD[:2], "X", *GOOD[3:]],
        "unreadable_row",
        str([*GOOD[:2], "X", *GOOD[3:]]),
    ),
    "a person twice": ([*GOOD[:4], "2321"], "unreadable_row", "2321"),
    "person 0": ([*GOOD[:4], "20"], "unreadable_row", str([*GOOD[:4], "20"])),
    "nobody": ([*GOOD[:4], ""], "unreadable_row", str([*GOOD[:4], ""])),
    "a path": (
        [GOOD[0], "../00001.jpg", *GOOD[2:]],
        "unreadable_row",
        str([GOOD[0], "../00001.jpg", *GOOD[2:]]),
    ),
    "again": (GOOD, "pair_twice", "10/1/1"),
    "others in the same picture": ([*GOOD[:3], "2", "2354"], "lists_disagree", "2354"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_items_are_told_and_the_rest_is_read(case: str) -> None:
    item, rule, value = BAD[case]
    source = read({TRAIN: [GOOD, item, ["10", "00002.jpg", "T", "1", "13"]]})
    assert told(source) == [(rule, "1", value)]
    assert source.refused[0]["table"] == "listed_people"
    assert source.rows("listed_people")["source_frame"].to_list() == [1, 2]


def test_one_picture_for_two_wearers() -> None:
    source = read({TRAIN: [GOOD, [*GOOD[:3], "2", "1532"]]})
    assert source.refused == []
    assert source.rows("listed_people")["raw"].to_list() == ["2351", "1532"]
    assert source.rows("recordings")["recording_id"].to_list() == ["10_1", "10_2", "10_T"]


def test_outlines_become_a_box() -> None:
    """A person behind a post has two outlines: one box around both, which are kept."""
    right = ((40, 25), (52, 25), (52, 70))
    files = {
        OUTLINES.format(7): outlines(shape("3", *SQUARE), shape("5", *SQUARE), shape("3", *right))
    }
    source = read({TRAIN: [GOOD], **files})
    assert source.refused == []
    three, five = source.rows("boxes").to_dicts()
    assert three["raw"] == [10, 20, 52, 70] and five["raw"] == [10, 20, 30, 60]
    assert (three["raw_form"], three["method"], three["clipped"]) == ("polygon_px", "mask", False)
    assert [three[c] for c in CORNERS] == pytest.approx([0.05, 0.2, 0.26, 0.7])
    assert three["polygons"] == [[10, 20, 30, 20, 30, 60, 10, 60], [40, 25, 52, 25, 52, 70]]
    assert (three["person_id"], three["source_frame"], three["t_s"]) == ("10/3", 7, None)
    annotated = source.rows("annotated_frames").select("recording_id", "what", "source_frame")
    assert annotated.rows() == [("10_T", "people", 7)]


def test_outlines_beyond_the_picture() -> None:
    out = shape("3", (-4, 90), (20, 90), (20, 104.5), (-4, 104.5))
    source = read({TRAIN: [GOOD], OUTLINES.format(1): outlines(out)})
    (box,) = source.rows("boxes").to_dicts()
    assert box["raw"] == [-4, 90, 20, 104.5] and box["clipped"]
    assert [box[c] for c in CORNERS] == pytest.approx([0.0, 0.9, 0.1, 1.0])


def test_a_rectangle_is_an_outline() -> None:
    drawn = shape("3", (30, 60), (10, 20), shape_type="rectangle")
    source = read({TRAIN: [GOOD], OUTLINES.format(1): outlines(drawn)})
    assert source.rows("boxes")["raw"].to_list() == [[10, 20, 30, 60]]


BAD_SHAPES: dict[str, tuple[object, str]] = {
    "a dog": (shape("dog", *SQUARE), "dog"),
    "no text": (shape(4, *SQUARE), "4"),
    "a line": (shape("4", *SQUARE[:2]), "[[10, 20], [30, 20]]"),
    "a circle": (shape("4", *SQUARE[:2], shape_type="circle"), "circle"),
    "letters": ({**shape("4"), "points": [[1, 2], [3, 4], [5, "x"]]}, "x"),
    "three numbers": ({**shape("4"), "points": [[1, 2], [3, 4], [5, 6, 7]]}, "[5, 6, 7]"),
    "no object": ("4", "4"),
}


@pytest.mark.parametrize("case", BAD_SHAPES)
def test_bad_shapes_are_told_and_the_rest_is_read(case: str) -> None:
    bad, value = BAD_SHAPES[case]
    files = {OUTLINES.format(1): outlines(shape("3", *SQUARE), bad), OUTLINES.format(2): outlines()}
    source = read({TRAIN: [GOOD], **files})
    assert told(source) == [("unreadable_row", "shape 1", value)]
    assert source.rows("boxes")["track_id"].to_list() == ["3"]
    # Absence may not be concluded from a picture that was not read whole.
    assert source.rows("annotated_frames")["source_frame"].to_list() == [2]


@pytest.mark.parametrize(
    ("content", "value"),
    [
        (b'{"shapes": [', None),
        ([], None),
        ([1], "list"),
        ({"imageHeight": 10, "imageWidth": 10}, "dict"),
        (outlines(imageWidth=0), "0 x 100"),
        (outlines(imageHeight=None), "None"),
    ],
    ids=["cut off", "an empty list", "a list", "no shapes", "no width", "no height"],
)
def test_bad_files_of_outlines(content: object, value: str | None) -> None:
    good = {OUTLINES.format(2): outlines(shape("3", *SQUARE))}
    source = read({TRAIN: [GOOD], OUTLINES.format(1): content, **good})
    (said,) = source.refused
    assert (said["rule"], said["file"]) == ("unreadable_file", OUTLINES.format(1))
    assert value is None or said["value"] == (None if value == "None" else value)
    assert source.rows("annotated_frames")["source_frame"].to_list() == [2]


def test_somebody_outside_the_picture() -> None:
    away = shape("4", (300, 20), (320, 20), (320, 60))
    source = read({TRAIN: [GOOD], OUTLINES.format(1): outlines(away, shape("3", *SQUARE))})
    assert told(source) == [("unreadable_row", "1/4", "[300.0, 20.0, 320.0, 60.0]")]
    assert source.rows("boxes")["track_id"].to_list() == ["3"]


def test_places_of_pictures() -> None:
    """The three places of the camera T, the first one first; other cameras have one."""
    home = "TF2023/data/10"
    places = [
        *(f"{home}/frame/T/{n:05d}.jpg" for n in (1,)),
        *(f"{home}/Segmentation/T/{n:05d}.jpg" for n in (1, 2)),
        *(f"{home}/Segmentation/{n:05d}.jpg" for n in (1, 2, 3)),
        f"{home}/frame/1/00001.jpg",
    ]
    source = read({TRAIN: [GOOD], **dict.fromkeys(places, b"")})
    assert source.refused == []
    found = source.rows("images").select("recording_id", "source_frame", "path", "t_s").rows()
    assert found == [
        ("10_1", 1, places[-1], None),
        ("10_T", 1, places[0], None),
        ("10_T", 2, places[2], None),
        ("10_T", 3, places[5], None),
    ]
    recordings = source.rows("recordings").select("media", "media_kind").unique().rows()
    assert recordings == [("present", "image_sequence")]


def test_pictures_without_lists() -> None:
    source = read({"data/12/frame/2/00004.jpg": b""})
    rows = source.rows("recordings").select("recording_id", "media", "split").rows()
    assert rows == [("12_2", "present", None), ("12_T", "missing", None)]


def test_listed_pictures_that_are_absent() -> None:
    items = [["10", f"{n:05d}.jpg", "T", "1", "123"] for n in range(1, 9)]
    source = read({TRAIN: items, "TF2023/data/10/frame/1/00002.jpg": b""})
    (said,) = source.refused
    expected = ("listed_without_picture", "1, 3, 4, 5, 6 and 2 more", "10_1")
    assert (said["rule"], said["value"], said["recording_id"]) == expected


def test_a_scene_in_both_lists() -> None:
    source = read({TRAIN: [GOOD], "TF2023eval.json": [["10", "00002.jpg", "T", "1", "12"]]})
    assert set(source.rows("recordings")["split"]) == {"test"}
    assert sorted(source.rows("splits")["split"]) == ["test", "test", "train", "train"]

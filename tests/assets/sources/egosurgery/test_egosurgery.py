"""EgoSurgery: the sample against its truth, and each trap of the formats note by name."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from assets.sources.egosurgery import LAYOUT
from assets.sources.egosurgery.files import shot_of, what_of
from assets.sources.reading.values import Malformed
from resources.worlds.surgery import SurgerySpec, plan_surgery, write_egosurgery
from resources.worlds.surgery.egosurgery import Session, sessions, spoilt
from tests.assets.sources.reading_parts import Read, read_parts

if TYPE_CHECKING:
    from conftest import Source

SPEC = SurgerySpec(videos=4, duration_s=60, render="small")


CLASSES = [{"supercategory": "", "id": i, "name": n} for i, n in enumerate(("Hook", "Gauze"))]


def picture(name: str, image_id: int = 0, video_id: int = 1, frame_id: int = 1) -> dict[str, Any]:
    return {
        "id": image_id, "width": 1920, "height": 1080, "file_name": name, "license": 1,
        "flickr_url": None, "coco_url": None, "date_captured": None, "flickr_640_url": None,
        "video_id": video_id, "frame_id": frame_id,
    }  # fmt: skip


def box(key: int = 0, image_id: int = 0, category: int = 0, **changed: object) -> dict[str, Any]:
    made = {
        "id": key, "image_id": image_id, "category_id": category, "iscrowd": 0,
        "segmentation": [[1338, 463, 1920, 463, 1920, 886, 1338, 886]],
        "area": 246186.0, "bbox": [1338, 463, 581, 423],
    }  # fmt: skip
    return {**made, **changed}


def coco(images: list[dict], annotations: list[dict]) -> dict[str, Any]:
    return {
        "images": images, "annotations": annotations, "categories": copy.deepcopy(CLASSES),
        "info": {}, "licenses": [], "videos": [{"id": 1, "name": "val/09"}],
    }  # fmt: skip


def write(files: dict[str, Any], media: tuple[str, ...] = ()) -> Read:
    return read_parts(LAYOUT, files, media)


# -- the sample ------------------------------------------------------------------------------------


def test_the_sample(tmp_path: Path, source_of: Callable[..., Source]) -> None:
    write_egosurgery(SPEC, tmp_path / "root")
    source = source_of("egosurgery", tmp_path / "root")
    source.ingest()
    truth = sessions(plan_surgery(SPEC))
    _recordings(source, truth)
    _phases(source, truth)
    for what in ("tools", "hands"):
        _boxes(source, truth, what)
    _splits_and_classes(source, truth)
    found = Counter((q["table"], q["rule"]) for q in source.quarantine())
    lost = sum(bool(s.lost & set(s.looked_at("tools"))) for s in truth)
    assert found == {
        ("segments", "unreadable_row"): 2,
        ("segments", "contradicting_phase"): 1,
        ("boxes", "unreadable_row"): 8,
        ("recordings", "annotated_without_picture"): lost,
    }


def _recordings(table: Source, truth: tuple[Session, ...]) -> None:
    rows = table.rows("recordings").select("recording_id", "split", "media", "time_base").rows()
    assert rows == [(s.uid, s.split, "present", "nominal_fps") for s in truth]
    assert [s.uid for s in truth] == ["31_1", "31_2", "32_1", "33_1"]
    images = table.rows("images")
    expected = [(s.uid, n, 2.0 * n - 2) for s in truth for n in s.numbers if n not in s.lost]
    assert images.select("recording_id", "source_frame", "t_s").rows() == expected


def _phases(table: Source, truth: tuple[Session, ...]) -> None:
    """Every picture in a span had its phase, and no other picture is in one."""
    rows = table.rows("segments")
    assert rows["precision_s"].unique().to_list() == [2.0]
    for session in truth:
        told: dict[int, Any] = {}
        spans = rows.filter(pl.col("recording_id") == session.uid)
        for start, end, phase in spans.select("start_s", "end_s", "class_name").rows():
            told |= dict.fromkeys(range(round(start / 2) + 1, round(end / 2) + 1), phase)
        assert told == session.phased()
        assert len(session.phased()) < len(session.numbers) - 4, "the sample has a gap"


def _boxes(table: Source, truth: tuple[Session, ...], what: str) -> None:
    frames = table.rows("annotated_frames").filter(pl.col("what") == what)
    boxes = table.rows("boxes").filter(pl.col("box_id").str.starts_with(f"{what}/"))
    for session in truth:
        looked, bad = session.looked_at(what), spoilt(session, what)
        of_session = frames.filter(pl.col("recording_id") == session.uid)
        assert of_session["source_frame"].to_list() == [n for n in looked if n != bad]
        told = boxes.filter(pl.col("recording_id") == session.uid)
        true = Counter((n, b.name, b.left, b.top) for n in looked for b in session.boxed(what, n))
        found = Counter(
            (row["source_frame"], row["class_name"], *map(int, row["raw"][:2]))
            for row in told.rows(named=True)
        )
        assert found == true
    assert any(not s.boxed(what, n) for s in truth for n in s.looked_at(what)), "nothing in view"
    sides = boxes.select("class_name", "hand_owner", "hand_side").unique().drop_nulls()
    assert set(sides.rows()) == ({
        ("Own hands left", "wearer", "left"), ("Own hands right", "wearer", "right"),
        ("Other hands left", "other", "left"), ("Other hands right", "other", "right"),
    } if what == "hands" else set())  # fmt: skip


def _splits_and_classes(table: Source, truth: tuple[Session, ...]) -> None:
    splits = set(table.rows("splits").select("split_set", "recording_id", "split").rows())
    boxed = {(what, s.uid, s.split) for s in truth for what in ("tools", "hands")}
    listed = {("listed", uid, "train") for uid in ("31_1", "31_2", "33_1")}
    assert splits == boxed | listed | {("listed", "32_1", "val")}
    counts = table.rows("taxonomies").group_by("taxonomy").len().sort("taxonomy").rows()
    assert counts == [("object", 4), ("phase", 9), ("tool", 15)]
    first = table.rows("taxonomies").filter(pl.col("class_id") == 0)["label"].to_list()
    assert first == ["Own hands left", "disinfection", "Bipolar Forceps"]


# -- traps -----------------------------------------------------------------------------------------


def test_ids_restart_in_every_split_file() -> None:
    """Pictures and boxes 0 of both files, in videos 1 of both."""
    made = {
        f"egosurgery_tool/instances_{split}.json": coco(
            [picture(f"{split}/{video}/{video}_1_0213.jpg")], [box(category=at)]
        )
        for at, (split, video) in enumerate((("val", "16"), ("test", "22")))
    }
    source = write(made)
    rows = source.rows("boxes").select("recording_id", "box_id", "class_name", "class_id").rows()
    assert rows == [("22_1", "tools/test/0", "Gauze", 1), ("16_1", "tools/val/0", "Hook", 0)]


def test_frame_id_is_no_number_of_a_picture() -> None:
    files = {
        "egosurgery_tool/instances_val.json": coco(
            [picture("val/16/16_1_0213.jpg", 7, 1, 1), picture("val/16/16_1_0215.jpg", 8, 1, 2)],
            [box(image_id=8)],
        )
    }
    source = write(files)
    frames = source.rows("annotated_frames").select("source_frame", "t_s").rows()
    assert frames == [(213, 424.0), (215, 428.0)]
    # Number 214 lies between two annotated pictures and was not looked at.
    assert source.rows("boxes")["source_frame"].to_list() == [215]
    assert source.refused == []


@pytest.mark.parametrize("size", [[582, 423], [581, 423], [581, 422], [582, 422]])
def test_boxes_are_up_to_a_pixel_smaller_than_their_outline(size: list[int]) -> None:
    made = box(bbox=[1338, 463, *size])
    source = write(
        {"egosurgery_tool/instances_val.json": coco([picture("val/16/16_1_0001.jpg")], [made])}
    )
    (row,) = source.rows("boxes").to_dicts()
    assert (row["raw"], row["raw_form"], row["method"]) == ([1338, 463, *size], "xywh_px", "manual")
    assert row["polygons"] == [[1338, 463, 1920, 463, 1920, 886, 1338, 886]]
    assert row["x_max"] == pytest.approx((1338 + size[0]) / 1920) and not row["clipped"]


BAD: dict[str, dict[str, Any]] = {
    "category nobody lists": box(category=2),
    "box off its outline": box(bbox=[1338, 463, 500, 423]),
    "box of three": box(bbox=[1, 2, 3]),
    "box without area": box(bbox=[5, 5, 0, 4], segmentation=[]),
    "outline of one point": box(segmentation=[[1, 2]]),
    "no number": box(bbox=[1, 2, "x", 4]),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_box_costs_its_picture_the_cover(case: str) -> None:
    images = [picture("val/16/16_1_0001.jpg"), picture("val/16/16_1_0002.jpg", 1)]
    good = [box(1, 0, 1), box(2, 1)]
    source = write({"egosurgery_tool/instances_val.json": coco(images, [BAD[case], *good])})
    assert source.rows("annotated_frames")["source_frame"].to_list() == [2]
    assert source.rows("boxes")["source_frame"].sort().to_list() == [1, 2]
    (said,) = source.refused
    assert (said["rule"], said["recording_id"]) == ("unreadable_row", "16_1") and said["remedy"]


def test_bad_pictures_and_boxes_of_none() -> None:
    images = [
        picture("val/16/16_1_0001.jpg"),
        picture("val/10/16_1_0002.jpg", 1),
        picture("val/16/nine.jpg", 2),
        picture("val/16/16_1_0001.jpg", 3),
    ]
    source = write(
        {"egosurgery_tool/instances_val.json": coco(images, [box(), box(1, 9), box(0, 0, 1)])}
    )
    assert source.rows("annotated_frames")["source_frame"].to_list() == []
    assert source.rows("boxes").height == 1
    assert source.rules() == {
        ("recordings", "unreadable_row"): 3,
        ("boxes", "unreadable_row"): 1,
        ("boxes", "box_twice"): 1,
    }


def test_unannotated_pictures_end_a_phase() -> None:
    numbers = {1: "closure", 2: "closure", 5: "closure", 6: "closure", 7: "dressing"}
    lines = [f"02_1_{n:04d},{phase}" for n, phase in numbers.items()]
    source = write({"egosurgery_phase/02_1.csv": "\n".join(["Frame,Phase", *lines]) + "\n"})
    rows = source.rows("segments").sort("start_s")
    assert rows.select("class_name", "class_id", "start_s", "end_s").rows() == [
        ("closure", 7, 0.0, 4.0),
        ("closure", 7, 8.0, 12.0),
        ("dressing", 8, 12.0, 14.0),
    ]
    assert rows["split"].to_list() == ["train"] * 3


def test_both_splits_of_one_video_are_kept_and_told() -> None:
    source = write(
        {
            "egosurgery_phase/04_1.csv": "Frame,Phase\n04_1_0001,closure\n",
            "egosurgery_tool/instances_test.json": coco(
                [picture("test/04/04_1_0001.jpg")], [box()]
            ),
        }
    )
    splits = source.rows("splits").select("split_set", "recording_id", "split").rows()
    assert splits == [("phase", "04_1", "train"), ("tools", "04_1", "test")]
    assert source.rows("recordings")["split"].to_list() == ["test"]
    assert source.rows("segments")["split"].to_list() == ["train"]
    (said,) = source.refused
    assert (said["rule"], said["value"]) == ("contradicting_splits", "phases train, tools test")


def test_a_category_with_two_names_is_said_and_keeps_the_first() -> None:
    tree = coco([picture("test/04/04_1_0001.jpg")], [box()])
    tree["categories"].append({**tree["categories"][0], "name": "another"})
    source = write({"egosurgery_tool/instances_test.json": tree})
    assert source.rows("boxes")["class_name"].to_list() == ["Hook"]
    said = [row for row in source.refused if row["value"] == "another"]
    assert said
    assert "that is used" in said[0]["message"]


@pytest.mark.parametrize(
    ("name", "uid", "number"),
    [
        ("train/01/01_1_0124.jpg", "01_1", 124),
        ("04_1_640.jpg", "04_1", 640),
        ("/egocross_testbed/EgoSurgery/generated/04/frames/osl_q2/04_1_915.jpg", "04_1", 915),
        ("4_12_0001", "04_12", 1),
    ],
)
def test_names_with_and_without_zeros(name: str, uid: str, number: int) -> None:
    made = shot_of(name)
    assert (made.recording_id, made.number, made.t_s) == (uid, number, 2.0 * (number - 1))


@pytest.mark.parametrize("name", ["01_1_0000.jpg", "01_1.jpg", "train/02/01_1_0001.jpg", "a_1_1"])
def test_names_that_are_none(name: str) -> None:
    with pytest.raises(Malformed):
        shot_of(name)


def test_masks_do_not_mix_with_boxes() -> None:
    """The same picture, once with boxes of tools and once with masks."""
    images, given = [picture("val/16/16_1_0001.jpg")], [box()]
    source = write(
        {
            "egosurgery_tool/instances_val.json": coco(images, given),
            "egosurgery_hts/tool/instances_val.json": coco(images, given),
            "egosurgery_hts/hand_tool_val.json": coco(images, given),
        }
    )
    rows = source.rows("boxes").select("box_id", "method").rows()
    assert rows == [("hts_hand_tools/val/0", "mask"), ("hts_tools/val/0", "mask"), ("tools/val/0", "manual")]  # fmt: skip
    assert source.rows("annotated_frames")["what"].to_list() == ["hts_hand_tools", "hts_tools", "tools"]  # fmt: skip
    assert what_of("a/egosurgery_hts/hands/instances_val.json") == "hts_hands"


def test_annotations_alone_and_pictures_alone() -> None:
    source = write(
        {
            "egosurgery_phase/02_1.csv": "Frame,Phase\n02_1_0001,closure\n",
        },
        ("train/01/01_1_0001.jpg", "train/01/01_1_0003.jpg"),
    )
    rows = source.rows("recordings").select("recording_id", "media", "split").rows()
    assert rows == [("01_1", "present", "train"), ("02_1", "missing", "train")]
    assert source.rows("images").select("source_frame", "t_s").rows() == [(1, 0.0), (3, 4.0)]


def test_files_that_cannot_be_read() -> None:
    source = write(
        {
            "egosurgery_phase/02_1.csv": "Frame;Phase\n",
            "egosurgery_tool/instances_val.json": b"{",
            "egosurgery_tool/instances_test.json": {"images": []},
        }
    )
    assert {rule for _, rule in source.rules()} == {"unreadable_file"}
    assert len(source.refused) == 5

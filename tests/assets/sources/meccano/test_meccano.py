"""MECCANO: the sample against its truth, and each trap of the formats note by name."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from assets.sources.meccano import LAYOUT
from resources.worlds.workbench import WorkbenchSpec, plan_workbench, write_meccano
from resources.worlds.workbench.meccano import (
    GAZE_HZ,
    REFUSED,
    boxed,
    boxed_next,
    frame_of,
    gaze_at,
    handled,
    split_of,
    steps,
    uid,
)
from resources.worlds.workbench.truth import HANDS
from tests.assets.sources.reading_parts import medium, read_parts

if TYPE_CHECKING:
    from conftest import Source

SPEC = WorkbenchSpec(kind="toy", duration_s=24, render="small")
BENCHES = plan_workbench(SPEC).benches
HEADER = "video_id,action_id,action_name,start_frame,end_frame\n"
VERBS = HEADER.replace("action", "verb")
ACTIVE = "MECCANO_active_object_bounding_box_annotations/"
NEXT = "MECCANO_NAO_bounding_box_annotations/MECCANO_NAO_bounding_box_annotations/"
HANDS_AT = "MECCANO_hands_bounding_box_annotations/MECCANO_hands_bounding_box_annotations/Train/"
VIA = "filename,file_size,file_attributes,region_count,region_id,region_shape_attributes,region_attributes\n"


def actions(*rows: str, header: str = HEADER, split: str = "train") -> dict[str, str]:
    text = header + "".join(f"{row}\n" for row in rows)
    return {f"MECCANO_action_annotations/MECCANO_{split}_actions.csv": text}


def coco(
    name: str = "01_00013.jpg", box: tuple[float, ...] = (480, 270, 960, 540)
) -> dict[str, Any]:
    return {
        "images": [{"id": 5, "file_name": name, "width": 1920, "height": 1080}],
        "annotations": [{"id": 0, "image_id": 5, "category_id": 2, "bbox": list(box)}],
        "categories": [{"id": 2, "name": "tire"}],
    }


def via(frame: int, count: int, at: int, side: str = "SX_Hand", x: float = 0) -> str:
    shape = json.dumps({"name": "rect", "x": x, "y": 0, "width": 192, "height": 108})
    cells = [f"{frame:05d}.jpg", "1", "{}", str(count), str(at)]
    quoted = [json.dumps({"class": side}), shape][::-1]
    if not count:
        quoted = ["{}", "{}"]
    return ",".join([*cells, *('"' + q.replace('"', '""') + '"' for q in quoted)]) + "\n"


# -- the sample ------------------------------------------------------------------------------------


def test_the_sample(tmp_path: Path, source_of: Callable[..., Source]) -> None:
    write_meccano(SPEC, tmp_path / "root")
    source = source_of("meccano", tmp_path / "root")
    source.ingest()
    assert source.rows("recordings").select("recording_id", "split", "media_kind").rows() == [
        ("0021", "train", "video"),
        ("0022", "val", "video"),
        ("0023", "test", "image_sequence"),
    ]
    assert source.rows("images").height == SPEC.duration_s * 12
    _steps(source)
    _objects(source)
    _hands(source)
    _gaze(source)
    sets = {(n, s) for _, n, s, *_ in source.rows("splits").rows()}
    assert len(sets) == 6 * 3
    assert Counter((q["table"], q["rule"]) for q in source.quarantine()) == REFUSED


def _steps(table: Source) -> None:
    rows = table.rows("segments")
    for kind in ("keystep", "atomic"):
        columns = ("recording_id", "split", "class_name", "start_s", "end_s")
        told = rows.filter(pl.col("kind") == kind).select(columns).rows()
        expected = [
            (uid(b), split_of(b), f"{verb}_{thing}" if kind == "keystep" else verb, start, end)
            for b in BENCHES
            for verb, thing, start, end in steps(b)
        ]
        assert sorted(told) == sorted(expected)
    direct = table.rows("relations").filter(pl.col("role") == "direct")
    assert Counter(direct["object"]) == Counter(s[1] for b in BENCHES for s in steps(b))


def _objects(table: Source) -> None:
    boxes, frames = table.rows("boxes"), table.rows("annotated_frames")
    for what, listed, prefix in (
        ("active_objects", boxed, ""),
        ("next_objects", boxed_next, "next active "),
    ):
        held = boxes.filter(pl.col("box_id").str.starts_with(what))
        expected = [
            (uid(b), n, f"{prefix}{a.thing}") for b in BENCHES for n, al in listed(b) for a in al
        ]
        columns = ("recording_id", "source_frame", "class_name")
        assert sorted(held.select(columns).rows()) == sorted(expected)
        looked = {(uid(b), n) for b in BENCHES for n, _ in listed(b)}
        # A box of a class that is none spoils the first frame of the first bench.
        spoilt = {(uid(BENCHES[0]), boxed(BENCHES[0])[0][0])} if what == "active_objects" else set()
        told = frames.filter(pl.col("what") == what).select("recording_id", "source_frame").rows()
        assert set(told) == looked - spoilt


def _hands(table: Source) -> None:
    boxes = table.rows("boxes").filter(pl.col("hand_side").is_not_null())
    true = {
        (uid(b), n, hand): box
        for b in BENCHES
        for n in handled(b)
        for hand in HANDS
        if (box := b.hand_box(hand, (n - 1) / 12)) is not None
    }
    columns = ("recording_id", "source_frame", "hand_side")
    assert set(boxes.select(columns).rows()) == set(true)
    for row in boxes.rows(named=True):
        box = true[tuple(row[c] for c in columns)]
        edges = [row[n] for n in ("x_min", "y_min", "x_max", "y_max")]
        assert edges == pytest.approx(box, abs=1e-4)
    frames = table.rows("annotated_frames").filter(pl.col("what") == "hands")
    assert frames.height == sum(len(handled(b)) for b in BENCHES) - 1
    empty = frames.join(boxes, on=("recording_id", "source_frame"), how="anti")
    assert empty.height > 0, "frames without a hand"


def _gaze(table: Source) -> None:
    rows = table.rows("gaze_samples").filter(pl.col("recording_id") == "0022")
    assert rows.height == SPEC.duration_s * GAZE_HZ
    for row in rows.gather_every(101).rows(named=True):
        x, y = gaze_at(BENCHES[1], row["sample"])
        assert (row["x"], row["y"]) == pytest.approx((x, y), abs=1e-3)
        assert row["t_s"] == pytest.approx(row["sample"] / GAZE_HZ, abs=1 / 12)
        assert (row["validity"] == "valid") == (0 <= x <= 1 and 0 <= y <= 1)


def test_a_frame_of_the_plan_is_a_frame_of_the_files() -> None:
    assert [frame_of(t) for t in (0.0, 0.5, 36.0)] == [1, 7, 433]


# -- traps -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("header", [HEADER, ""])
@pytest.mark.parametrize("video", ["1", "0001"])
def test_frames_are_names_and_the_last_is_included(header: str, video: str) -> None:
    made = read_parts(LAYOUT, actions(f"{video},7,take_tire,00013.jpg,00024.jpg", header=header))
    (row,) = made.rows("segments").rows(named=True)
    assert (row["recording_id"], row["start_s"], row["end_s"]) == ("0001", 1.0, 2.0)
    assert (row["kind"], row["class_id"], row["split"]) == ("keystep", 7, "train")
    assert row["source_key"] == ("2" if header else "1")


def test_lines_of_a_file_without_header_count_from_one() -> None:
    rows = ("1,7,take_tire,00013.jpg,00024.jpg", "1,7,take_tire,13,00024.jpg")
    made = read_parts(LAYOUT, actions(*rows, header=""))
    assert [one["row"] for one in made.refused] == ["2"]


def test_verbs_overlap_actions_and_are_kept_apart() -> None:
    path = "MECCANO_verb_temporal_annotations/MECCANO_verb_annotations_train.csv"
    row = "1,0,take,00013.jpg,00024.jpg\n"
    made = read_parts(LAYOUT, {**actions("1,7,take_tire,00013.jpg,00024.jpg"), path: VERBS + row})
    assert Counter(made.rows("segments")["kind"]) == {"keystep": 1, "atomic": 1}
    assert set(made.rows("taxonomies").select("taxonomy", "label").rows()) == {
        ("action", "take_tire"),
        ("verb", "take"),
    }


def test_boxes_name_videos_by_two_digits() -> None:
    made = read_parts(LAYOUT, {f"{ACTIVE}instances_meccano_train.json": coco()})
    (row,) = made.rows("boxes").rows(named=True)
    assert (row["recording_id"], row["source_frame"], row["t_s"]) == ("0001", 13, 1.0)
    edges = [row[n] for n in ("x_min", "y_min", "x_max", "y_max")]
    assert edges == [0.25, 0.25, 0.75, 0.75]
    assert made.rows("recordings")["recording_id"].to_list() == ["0001"]


def test_active_and_next_active_objects_share_their_file_names() -> None:
    name = "instances_meccano_train.json"
    made = read_parts(LAYOUT, {f"{ACTIVE}{ACTIVE}{name}": coco(), f"{NEXT}{name}": coco()})
    assert made.rows("boxes").select("box_id", "class_name").rows() == [
        ("active_objects/train/0", "tire"),
        ("next_objects/train/0", "next active tire"),
    ]
    assert set(made.rows("annotated_frames")["what"]) == {"active_objects", "next_objects"}
    assert not made.refused


def test_ids_of_boxes_begin_anew_in_each_split() -> None:
    files = {
        f"{ACTIVE}instances_meccano_{s}.json": coco(f"{n}_00001.jpg")
        for s, n in (("train", "01"), ("val", "07"))
    }
    made = read_parts(LAYOUT, files)
    assert made.rows("boxes").height == 2 and not made.refused


def test_italian_sides_and_frames_without_hands() -> None:
    text = VIA + via(1, 2, 0) + via(1, 2, 1, "DX_Hand", x=960) + via(13, 0, 0)
    made = read_parts(LAYOUT, {f"{HANDS_AT}0001.csv": text})
    assert made.rows("boxes").select("hand_side", "x_min").rows() == [("left", 0.0), ("right", 0.5)]
    frames = made.rows("annotated_frames").select("what", "source_frame", "t_s").rows()
    assert frames == [("hands", 1, 0.0), ("hands", 13, 1.0)]


@pytest.mark.parametrize(
    ("rows", "rule"),
    [
        (via(1, 2, 0), "region_count"),
        (via(1, 1, 0, "Hand"), "unreadable_row"),
        (via(1, 2, 0) + via(1, 2, 1), "box_twice"),
        (via(1, 1, 0, x=1920), "unreadable_row"),
    ],
)
def test_a_frame_that_lost_a_hand_is_not_annotated(rows: str, rule: str) -> None:
    made = read_parts(LAYOUT, {f"{HANDS_AT}0001.csv": VIA + rows})
    assert made.rows("annotated_frames").height == 0
    assert made.rules() == {("boxes", rule): 1}


def test_gaze_is_spread_over_its_frame_whatever_the_columns_are_called() -> None:
    rows = ["00001.jpg,0,960,540", "00001.jpg,5,2000,540", "00013.jpg,1000,nan,nan"]
    text = "a,b,c,d\n" + "\n".join(rows) + "\n"
    files = {"MECCANO_Gaze_data/MECCANO_Gaze_data/Train/0001_gaze-data.csv": text}
    made = read_parts(LAYOUT, files)
    assert made.rows("gaze_samples").select("t_s", "x", "validity").rows() == [
        (0.0, 0.5, "valid"),
        (1 / 24, 2000 / 1920, "outside"),
        (1.0, None, "not_finite"),
    ]


def test_splits_that_contradict_the_release_are_told() -> None:
    made = read_parts(LAYOUT, actions("1,7,take_tire,00001.jpg,00012.jpg", split="test"))
    assert made.rows("recordings")["split"].to_list() == ["train"]
    assert made.rules() == {("recordings", "contradicting_splits"): 1}


def test_media_with_and_without_annotations_and_the_reverse() -> None:
    media = [medium("MECCANO_RGB_Videos/MECCANO_RGB_Videos/0002.mp4", 9.0), "frames/0003/00013.jpg"]
    made = read_parts(LAYOUT, actions("1,7,take_tire,00001.jpg,00012.jpg"), media)
    assert made.rows("recordings").select("recording_id", "media", "media_kind").rows() == [
        ("0001", "missing", "video"),
        ("0002", "present", "video"),
        ("0003", "present", "image_sequence"),
    ]
    assert made.rows("images").select("source_frame", "t_s").rows() == [(13, 1.0)]

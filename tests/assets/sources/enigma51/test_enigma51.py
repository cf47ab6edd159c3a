"""ENIGMA-51: the sample against its truth, and each trap of the formats note by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from assets.sources.enigma51 import LAYOUT
from resources.worlds.workbench import Bench, WorkbenchSpec, plan_workbench, write_enigma51
from resources.worlds.workbench.enigma51 import (
    ASKED,
    REFUSED,
    annotated,
    frame_of,
    has_points,
    outlined,
    uid,
)
from resources.worlds.workbench.truth import HANDS
from tests.assets.sources.reading_parts import Read, medium, read_parts

if TYPE_CHECKING:
    from conftest import Source

SPEC = WorkbenchSpec(duration_s=24, render="small")
BENCHES = plan_workbench(SPEC).benches
HEADER = "video_id,frame,timestamp,interaction_category\n"


def member(**changed: object) -> dict[str, Any]:
    thing = {"id": 3, "class_id": 7, "class_name": "pliers", "bbox": [1136, 639, 227.2, 127.8]}
    hand = {"hand_side": "right", "bbox": [0, 0, 568, 639]}
    act = {"category": "take", "hand_side": "right", "object_id": 3}
    return {"interactions": [act], "objects": [thing], "hands": [hand], **changed}


def events(*rows: str, name: str = "ht_hr_fc_hd") -> dict[str, str]:
    return {f"test_csv/{name}.csv": HEADER + "".join(f"{row}\n" for row in rows)}


def master(**members: object) -> dict[str, object]:
    return {"ENIGMA-51_annotations_master.json": {k.strip("_"): v for k, v in members.items()}}


def questions(**changed: object) -> dict[str, object]:
    row: dict[str, Any] = {
        "id": "Q5_1", "video_id": "46", "question": "What did I use with [VQ]?",
        "question_image": {"pliers": [[30, [0.25, 0.5, 0.5, 1.002]]]},
        "answers": {"1": {"register": [[60, [0, 0, 0.5, 0.5]]]}, "2": {"socket_1": []}},
        "correct": 1, **changed,
    }  # fmt: skip
    return {"Q5_ENIGMA_TEST.json": {name: {"17": value} for name, value in row.items()}}


# -- the sample ------------------------------------------------------------------------------------


def test_the_sample(tmp_path: Path, source_of: Callable[..., Source]) -> None:
    write_enigma51(SPEC, tmp_path / "root")
    source = source_of("enigma51", tmp_path / "root")
    source.ingest()
    columns = ("recording_id", "split", "media_kind", "media")
    assert source.rows("recordings").select(columns).rows() == [
        ("901", None, "video", "present"),
        ("902", "test", "video", "present"),
        ("903", "test", "image_sequence", "present"),
    ]
    _events(source)
    _boxes(source)
    _questions(source)
    stated = source.rows("images").filter(pl.col("source_frame") == 45)["t_s"].to_list()
    assert stated == [1.5]
    assert Counter((q["table"], q["rule"]) for q in source.quarantine()) == REFUSED


def _events(table: Source) -> None:
    """Every event at its frame, with its hand and thing."""
    told = table.rows("segments").join(
        table.rows("relations").filter(pl.col("relation") == "direct object"), on="segment_id"
    )
    columns = ("recording_id", "start_s", "class_name", "hand_side", "object")
    expected = [(uid(b), e.t_s, e.category, e.hand, e.thing) for b in BENCHES for e in b.events()]
    assert sorted(told.select(columns).rows()) == sorted(expected)
    assert table.rows("segments").height == len(expected)
    assert set(table.rows("segments").select("kind", "is_point").rows()) == {("interaction", True)}
    again = Counter((b, e.thing) for b in BENCHES for e in b.events() if "first" in e.category)
    assert max(again.values()) > 1, "a second contact"


def _boxes(table: Source) -> None:
    boxes, frames = table.rows("boxes"), table.rows("annotated_frames")
    for bench in BENCHES:
        of_bench = frames.filter(pl.col("recording_id") == uid(bench))
        last = bench is BENCHES[-1]
        for what, listed in (("objects", annotated(bench)), ("mask_objects", outlined(bench))):
            found = of_bench.filter(pl.col("what") == what)["source_frame"].to_list()
            assert found == listed[: -1 if last and what == "mask_objects" else None]
        for kind, listed in (("master", annotated(bench)), ("mask", outlined(bench))):
            held = boxes.filter(
                pl.col("box_id").str.starts_with(f"{kind}/{uid(bench)}_"),
            )
            hands = held.filter(pl.col("hand_side").is_not_null())
            seen = {
                (n, hand): box
                for n in listed
                for hand in HANDS
                if (box := bench.hand_box(hand, n / 30)) is not None
            }
            assert set(hands.select("source_frame", "hand_side").rows()) == set(seen)
            for row in hands.rows(named=True):
                true = seen[row["source_frame"], row["hand_side"]]
                assert (row["x_min"], row["y_max"]) == pytest.approx((true[0], true[3]), abs=1e-4)
            assert held.height - hands.height == len(listed) * len(bench.things)
    _contacts(boxes)


def _contacts(boxes: pl.DataFrame) -> None:
    """What a hand begins to touch, by the names of the boxes."""
    touched = boxes.filter(pl.col("contact").is_not_null()).join(
        boxes.select("box_id", "class_name"), left_on="contact", right_on="box_id", suffix="_held"
    )
    columns = ("recording_id", "source_frame", "hand_side", "class_name_held")
    expected = {
        (uid(b), frame_of(e.t_s), e.hand, e.thing)
        for b in BENCHES
        for e in b.events()
        if e.category in ("take", "first_contact")
    }
    assert set(touched.select(columns).rows()) == expected


def _questions(table: Source) -> None:
    rows = table.rows("imported_questions")
    asked = [bench for bench in BENCHES if has_points(bench)]
    assert rows.height == ASKED * len(asked)
    for row in rows.rows(named=True):
        bench: Bench = next(b for b in asked if uid(b) == row["media"][0]["recording_id"])
        first = row["source_key"].partition("#")[2]
        pairs = [(a.thing, b.thing) for a, b in zip(bench.acts, bench.acts[1:], strict=False)]
        assert (first, row["options"][row["answer"][0]]) in pairs


# -- traps -----------------------------------------------------------------------------------------


def test_an_event_of_several_files_is_one_and_the_frame_is_the_truth() -> None:
    files = {
        **events("46,842,28.066,first_contact", "46,1465,48.833,take"),
        **events("46,1465,48.833,take", "46,1466,48.866,release", name="ht_hr"),
    }
    made = read_parts(LAYOUT, files)
    rows = made.rows("segments")
    found = dict(rows.select("segment_id", "start_s").rows())
    assert found["46_842/first_contact"] == 842 / 30
    assert sorted(found) == ["46_1465/take", "46_1466/release", "46_842/first_contact"]
    assert not made.refused


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("46,842,28.080,take", "not at 28.080 s"),
        ("46,-1,0.000,take", "count from 0"),
        ("46,1.5,0.050,take", "not a whole number"),
        ("P46,30,1.000,take", "whole numbers"),
        ("46,30,1.000,touch", "one of take"),
    ],
)
def test_rows_that_are_no_events(row: str, said: str) -> None:
    made = read_parts(LAYOUT, events(row, "46,30,1.000,take"))
    assert made.rows("segments").height == 1
    assert [said in one["message"] for one in made.refused] == [True]


def test_the_paper_writes_categories_otherwise() -> None:
    made = read_parts(LAYOUT, events("46,30,1.000,first-contact", "46,60,2.000,De-contact"))
    assert made.rows("segments")["class_name"].to_list() == ["first_contact", "decontact"]


def test_two_hands_at_once_are_two_events_and_replace_the_bare_point() -> None:
    both = [{"category": "take", "hand_side": s, "object_id": 3} for s in ("left", "right")]
    made = read_parts(
        LAYOUT, {**events("46,30,1.000,take"), **master(_46_30=member(interactions=both))}
    )
    assert made.rows("segments")["segment_id"].to_list() == [
        "46_30/take/left/object 3",
        "46_30/take/right/object 3",
    ]
    direct = made.rows("relations").filter(pl.col("role") == "direct")
    assert direct.select("hand_side", "object").rows() == [("left", "pliers"), ("right", "pliers")]


def test_a_hand_names_what_it_begins_to_touch() -> None:
    made = read_parts(LAYOUT, master(_46_30=member(), _46_60=member(interactions=[])))
    hands = made.rows("boxes").filter(pl.col("hand_side") == "right").sort("source_frame")
    assert hands["contact"].to_list() == ["master/46_30/object/3", None]


def test_a_frame_with_an_unreadable_hand_is_not_annotated_for_hands() -> None:
    hands = [{"hand_side": "middle", "bbox": [0, 0, 5, 5]}]
    made = read_parts(LAYOUT, master(_46_30=member(hands=hands)))
    assert made.rows("annotated_frames")["what"].to_list() == ["objects"]


def test_keys_are_text_and_frames_are_not_padded() -> None:
    made = read_parts(LAYOUT, {}, ["frames/63_5057.jpg", "frames/63_600.jpg", "frames/107_1.jpg"])
    images = made.rows("images").select("recording_id", "source_frame", "t_s").rows()
    assert images == [("107", 1, 1 / 30), ("63", 600, 20.0), ("63", 5057, 5057 / 30)]


def test_stored_frames_are_copies_where_the_video_is_here() -> None:
    made = read_parts(LAYOUT, {}, [medium("videos/63.mp4", 9.0), "frames/63_60.jpg"])
    assert made.rows("images").height == 0
    assert made.rows("recordings").select("media_kind", "media_paths").rows() == [
        ("video", ["videos/63.mp4"])
    ]


def test_outlines_count_pixels_of_the_video() -> None:
    square = [568, 0, 1136, 0, 1136, 639, 568, 639]
    held = {
        "objects": [
            {"class_id": 4, "segmentation": [square]},
            {"class_id": 4, "segmentation": [square]},
        ],
        "hands": [{"hand_side": "left", "segmentation": [square]}],
    }
    made = read_parts(LAYOUT, {"exported_SAMHQ_ENIGMA.json": {"46_30": held}})
    rows = made.rows("boxes")
    assert rows.height == 3
    corners = rows.select("x_min", "y_min", "x_max", "y_max").unique().rows()
    assert corners == [(0.25, 0.0, 0.5, 0.5)]
    assert set(rows["method"]) == {"mask"}
    assert set(made.rows("annotated_frames")["what"]) == {"mask_objects", "mask_hands"}


def test_questions_are_columns_and_answers_count_from_one() -> None:
    made = read_parts(LAYOUT, questions())
    (row,) = made.rows("imported_questions").rows(named=True)
    assert (row["options"], row["answer"], row["answer_text"]) == (
        ["register", "socket_1"],
        [0],
        "register",
    )
    assert [(m["role"], m["start_s"]) for m in row["media"]] == [
        ("query", None),
        ("reference", 1.0),
    ]
    boxes = made.rows("boxes").sort("source_frame")
    assert boxes["class_name"].to_list() == ["pliers", "register"]
    assert boxes["clipped"].to_list() == [True, False]
    assert boxes["raw"][0].to_list() == [0.25, 0.5, 0.5, 1.002]


@pytest.mark.parametrize(
    "changed",
    [
        {"correct": 3},
        {"correct": 0},
        {"answers": {"2": {"register": []}, "3": {"socket_1": []}}},
        {"answers": {"1": {"pliers": []}, "2": {"socket_1": []}}},
        {"video_id": None},
        {"id": 5},
    ],
)
def test_questions_that_cannot_be_used(changed: dict[str, object]) -> None:
    made = read_parts(LAYOUT, questions(**changed))
    assert made.rows("imported_questions").height == 0
    assert made.rules() == {("imported_questions", "unreadable_row"): 1}


def test_the_master_file_comes_before_the_boxes_of_questions() -> None:
    made: Read = read_parts(LAYOUT, {**questions(), **master(_46_30=member())})
    ids = made.rows("boxes")["box_id"].to_list()
    assert [i for i in ids if i.startswith("question/")] == ["question/46_60/register"]

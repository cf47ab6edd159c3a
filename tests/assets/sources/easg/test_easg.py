"""Ego-EASG: every trap of its files, on small ones made here, and what a row becomes."""

from __future__ import annotations

import json
import pickle
from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
import pytest

from assets.sources.easg import LAYOUT
from assets.sources.easg.words import acting_side, role_of, text_triplets, thing_name
from assets.sources.layout import Medium, PartFiles, Rows
from assets.sources.reading.values import Malformed
from expectations.contracts import check
from expectations.schemas import TABLES

CLIP = "e9be1118-a5cf-4431-b2e8-e3edcfa9f949"
OTHER = "df0fa70d-600e-477b-aaea-275f86ff7010"
VIDEO = "41416e77-3b9a-4685-bd1b-ba26b5ba19b2"
AID = "00ab" * 16
DOWN = "easg-downstream/ALL_GRAPHS_FOR_DOWNSTREAM.json"
TRAIN = "easg-generation/annts_in_new_format/easg_train.pkl"
NARRATIONS = "easg-labeling-system/input-preparation/narration_annotation_mappings_unict_all.json"
MAPPING = "easg-labeling-system/input-preparation/clip_video_uids_mapping.json"
PLACE = "Camera wearer - verb - place; place - direct object - wood; place - with - right_hand"
START = 8759


def boxes(*rows: tuple[float, float, float, float]) -> np.ndarray:
    return np.array(rows, np.float32)


def entry(obj: str, rel: str, verb: str = "place", **bbox: np.ndarray) -> dict[str, Any]:
    return {"obj": obj, "bbox": bbox, "verb": verb, "rel": rel}


def pickled(
    frames: tuple[int, int, int], *entries: dict[str, Any], clip: str = CLIP
) -> dict[str, Any]:
    pre, pnr, post = frames
    return {
        f"{clip}_{pnr:06d}": {
            "annotations": {AID: list(entries)},
            "clip_frame_number": {"pre": pre, "pnr": pnr, "post": post},
        }
    }


def written(*graphs: list[Any], clip: str = CLIP, **more: Any) -> dict[str, Any]:
    return {
        clip: {"graphs": list(graphs), "summaries": [], "split": "train", "min_ts": 0,
               "max_ts": 1, "video_uid": VIDEO, **more}
    }  # fmt: skip


def graph(pnr: int, pre: int, post: int, text: str = PLACE, start: int = START) -> list[Any]:
    return [pnr + start, pre + start, post + start, [text, "place", "wood"]]


WOOD = boxes((0.25, 0.5, 0.25, 0.25))
ONE = {
    DOWN: written(graph(62, 48, 69)),
    TRAIN: pickled((48, 62, 69), entry("wood", "dobj", pre=WOOD, pnr=WOOD)),
}


def read(part: str, files: Mapping[str, Any] = ONE, media: tuple[str, ...] = ()) -> Rows:
    """What a part makes of files given as values."""
    declared = LAYOUT.part(part)
    assert declared is not None
    data = {
        path: value
        if isinstance(value, bytes)
        else pickle.dumps(value, 4)
        if path.endswith(".pkl")
        else json.dumps(value).encode()
        for path, value in sorted(files.items())
        if declared.claims(path)
    }
    held = {p: Medium(p, 1, f"hash of {p}", 9.0) for p in media if declared.claims_medium(p)}
    return declared.read(PartFiles("it", data, held))


def segments(files: Mapping[str, Any]) -> dict[str, dict]:
    rows = read("segments", files).tables["segments"].rows(named=True)
    return {row["segment_id"]: row for row in rows}


def rules(rows: Rows) -> list[tuple[str | None, str]]:
    return [(one["row"], one["rule"]) for one in rows.refused]


# -- times -----------------------------------------------------------------------------------------


def test_frames_of_the_video_become_seconds_of_the_clip() -> None:
    row = segments(ONE)[f"{CLIP}_000062"]
    assert (row["start_s"], row["end_s"]) == (48 / 30, 69 / 30)
    assert (row["recording_id"], row["kind"], row["class_name"]) == (
        CLIP,
        "interaction",
        "place wood",
    )
    assert row["is_point"] is False


def test_one_number_per_clip_is_found_from_graphs_that_both_files_hold() -> None:
    frames = [(48, 62, 69), (100, 140, 150), (200, 205, 230)]
    held: dict[str, Any] = {}
    for one in frames:
        held |= pickled(one, entry("wood", "dobj"))
    lone = (500, 555, 666)
    down = written(*(graph(n, a, b) for a, n, b in [*frames, lone]))
    found = segments({DOWN: down, TRAIN: held})
    assert found[f"{CLIP}_000555"]["start_s"] == 500 / 30
    assert len(found) == 4


def test_a_clip_whose_start_no_file_tells_has_no_times() -> None:
    rows = read("segments", {DOWN: ONE[DOWN]})
    assert rules(rows) == [(CLIP, "clip_start_unknown")]
    assert rows.tables["segments"].is_empty()
    (said,) = rows.refused
    assert (said["value"], said["recording_id"]) == ("1 graphs", CLIP)


def test_a_start_that_could_be_two_is_none() -> None:
    """Two graphs of the video fit the one of the pickle."""
    files = {DOWN: written(graph(62, 48, 69), graph(162, 148, 169)), TRAIN: ONE[TRAIN]}
    assert (CLIP, "clip_start_unknown") in rules(read("segments", files))
    # What the pickle itself tells stays.
    assert list(segments(files)) == [f"{CLIP}_000062"]


def test_ego4d_json_tells_the_start() -> None:
    declared = {"clips": [{"clip_uid": CLIP, "video_uid": VIDEO, "video_start_frame": START,
                           "video_end_frame": START + 9480}]}  # fmt: skip
    files = {DOWN: ONE[DOWN], "v2/ego4d.json": declared}
    assert segments(files)[f"{CLIP}_000062"]["start_s"] == 48 / 30
    rows = read("recordings", files).tables["recordings"]
    assert rows["duration_s"].to_list() == [316.0]


def test_recordings_are_placed_on_their_video() -> None:
    made = read("recordings")
    (row,) = made.tables["recordings"].rows(named=True)
    assert (row["take_id"], row["view"], row["split"]) == (VIDEO, "ego", "train")
    (clock,) = made.tables["clocks"].rows(named=True)
    assert (clock["take_id"], clock["offset_s"], clock["method"]) == (
        VIDEO,
        START / 30,
        "frame_aligned",
    )


def test_a_point_has_no_length() -> None:
    files = {TRAIN: pickled((62, 62, 62), entry("wood", "dobj"))}
    row = segments(files)[f"{CLIP}_000062"]
    assert row["is_point"] is True
    assert row["start_s"] == row["end_s"]


def test_a_box_says_its_frame_by_its_moment() -> None:
    rows = read("objects").tables["boxes"].sort("t_s")
    assert rows.select("moment", "source_frame", "t_s", "segment_id").rows() == [
        ("pre", 48, 48 / 30, f"{CLIP}_000062"),
        ("contact", 62, 62 / 30, f"{CLIP}_000062"),
    ]


# -- graphs ----------------------------------------------------------------------------------------


def test_an_empty_graph_is_refused() -> None:
    empty = [1 + START, START, 2 + START, ["", "", ""]]
    files = {DOWN: written(graph(62, 48, 69), empty), TRAIN: ONE[TRAIN]}
    rows = read("segments", files)
    assert rules(rows) == [(f"{CLIP}|{1 + START}", "empty_graph")]
    assert rows.tables["segments"].height == 1


def test_graphs_of_one_pnr_are_told_apart() -> None:
    files = {DOWN: written(graph(62, 48, 69), graph(62, 50, 80)), TRAIN: ONE[TRAIN]}
    assert {k: (r["start_s"], r["end_s"]) for k, r in segments(files).items()} == {
        f"{CLIP}_000062": (48 / 30, 69 / 30),
        f"{CLIP}_000062:50-80": (50 / 30, 80 / 30),
    }


def test_both_files_tell_of_one_graph() -> None:
    """Relations are joined whatever their spelling; boxes and narration come from the pickle."""
    held = pickled(
        (48, 62, 69),
        entry("wood", "dobj", "take-off", pnr=WOOD),
        entry("right_hand", "with", "take-off"),
        entry("table", "on", "take-off"),
    )
    text = "Camera wearer - verb - take off; take off - direct object - wood; take off - with - right hand"
    files = {DOWN: written(graph(62, 48, 69, text)), TRAIN: held,
             NARRATIONS: {"mappings": [{AID: {"narration_text": "CameraWearer takes off wood "}}]}}  # fmt: skip
    rows = read("segments", files)
    assert rows.tables["segments"]["narration"].to_list() == ["CameraWearer takes off wood"]
    columns = ("subject", "relation", "object", "role", "hand_side")
    assert sorted(rows.tables["relations"].select(columns).rows(), key=str) == sorted(
        [
            ("Camera wearer", "verb", "take off", None, "right"),
            ("take off", "direct object", "wood", "direct", "right"),
            ("take off", "with", "right hand", "hand", "right"),
            ("take-off", "on", "table", "location", None),
        ],
        key=str,
    )


@pytest.mark.parametrize(
    ("graph_", "frames"),
    [
        ([1, 2], None),
        ([1, 2, 3, ["no triplet", "a", "b"]], None),
        ([10 + START, 20 + START, 30 + START, [PLACE, "place", "wood"]], None),
        ([1, 0, "x", [PLACE, "place", "wood"]], None),
        ([1, 0, 2, PLACE], None),
    ],
)
def test_a_broken_graph_is_refused_and_its_neighbour_read(graph_: list[Any], frames: None) -> None:
    files = {DOWN: written(graph_, graph(62, 48, 69)), TRAIN: ONE[TRAIN]}
    rows = read("segments", files)
    assert [one["rule"] for one in rows.refused] == ["unreadable_row"]
    assert rows.tables["segments"].height == 1


def test_a_graph_before_the_clip_is_refused() -> None:
    early = graph(62 - 100, 48 - 100, 69 - 100)
    files = {DOWN: written(early, graph(62, 48, 69), graph(99, 90, 120)), TRAIN: {
        **ONE[TRAIN], **pickled((90, 99, 120), entry("wood", "dobj"))}}  # fmt: skip
    assert rules(read("segments", files)) == [(f"{CLIP}|{early[0]}", "unreadable_row")]


@pytest.mark.parametrize(
    ("change", "value"),
    [
        ("clip_frame_number", {"pre": 48, "pnr": 63, "post": 69}),
        ("clip_frame_number", {"pre": 48, "pnr": 62}),
        ("clip_frame_number", {"pre": 63, "pnr": 62, "post": 69}),
        ("annotations", {AID: [{"obj": "wood"}]}),
        ("annotations", {AID: [entry("wood", "dobj", pnr=np.zeros((4,), np.float32))]}),
        ("annotations", {AID: [entry("wood", "dobj", now=WOOD)]}),
        ("annotations", {AID: [entry("wood", "dobj", pnr=boxes((np.nan, 0, 1, 1)))]}),
        ("annotations", []),
    ],
)
def test_a_broken_pickled_graph_is_refused_and_its_neighbour_read(change: str, value: Any) -> None:
    (key,) = ONE[TRAIN]
    held = {key: {**ONE[TRAIN][key], change: value}, **pickled((1, 2, 3), entry("cup", "dobj"))}
    rows = read("segments", {TRAIN: held})
    assert rules(rows) == [(key, "unreadable_row")]
    assert rows.tables["segments"]["segment_id"].to_list() == [f"{CLIP}_000002"]


def test_a_pickle_that_would_run_is_one_refusal() -> None:
    evil = b"cos\nsystem\n(Vtrue\ntR."
    rows = read("segments", {TRAIN: b"\x80\x02" + evil})
    assert rules(rows) == [(None, "unreadable_file")]
    assert "os.system" in rows.refused[0]["value"]


def test_what_is_wrong_is_said_by_one_part_only() -> None:
    files = {DOWN: written(graph(62, 48, 69), [1]), TRAIN: b"no"}
    assert [len(read(part, files).refused) for part in ("recordings", "segments", "objects")] == [
        0,
        3,
        0,
    ]


# -- boxes -----------------------------------------------------------------------------------------


def box_rows(*entries: dict[str, Any]) -> list[dict]:
    rows = read("objects", {TRAIN: pickled((48, 62, 69), *entries)}).tables["boxes"]
    return rows.sort("box_id").rows(named=True)


def test_boxes_are_left_top_width_height_in_shares() -> None:
    (row,) = box_rows(entry("wood", "dobj", pnr=WOOD))
    edges = tuple(row[n] for n in ("x_min", "y_min", "x_max", "y_max"))
    assert edges == (0.25, 0.5, 0.5, 0.75)
    assert (row["raw"], row["raw_form"], row["clipped"]) == (
        [0.25, 0.5, 0.25, 0.25],
        "xywh_norm",
        False,
    )


def test_boxes_beyond_the_picture_are_cut_and_say_so() -> None:
    (row,) = box_rows(entry("wood", "dobj", pnr=boxes((-0.125, 0.5, 0.5, 0.75))))
    edges = tuple(row[n] for n in ("x_min", "y_min", "x_max", "y_max"))
    assert edges == (0.0, 0.5, 0.375, 1.0)
    assert row["clipped"] is True
    assert row["raw"] == [-0.125, 0.5, 0.5, 0.75]


def test_a_box_outside_the_picture_breaks_the_contract() -> None:
    made = read(
        "objects", {TRAIN: pickled((1, 2, 3), entry("a", "dobj", pnr=boxes((1.1, 0, 0.2, 1))))}
    )
    refused = check(TABLES["boxes"], made.tables["boxes"], {}).refused
    assert [one["rule"] for one in refused] == ["box_has_area"]


def test_both_hands_are_two_boxes() -> None:
    rows = box_rows(entry("both_hands", "with", pnr=boxes((0.5, 0, 0.25, 1), (0, 0, 0.25, 1))))
    assert [(r["class_name"], r["hand_side"], r["x_min"]) for r in rows] == [
        ("both hands", "both", 0.0),
        ("both hands", "both", 0.5),
    ]
    assert [r["box_id"][-1] for r in rows] == ["0", "1"]


@pytest.mark.parametrize("name", ["left_hand", "left hand"])
def test_two_spellings_of_a_hand_are_one(name: str) -> None:
    (row,) = box_rows(entry(name, "with", pnr=WOOD))
    assert (row["class_name"], row["hand_side"]) == ("left hand", "left")


def test_an_entry_given_twice_counts_once() -> None:
    same = entry("wood", "dobj", pnr=WOOD)
    assert len(box_rows(same, same)) == 1


def test_ids_of_boxes_do_not_follow_their_order() -> None:
    one, two = entry("cup", "dobj", pnr=WOOD), entry("cup", "on", pnr=boxes((0, 0, 0.1, 0.1)))
    assert box_rows(one, two) == box_rows(two, one)


# -- words -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("left_hand", "left hand"),
        ("Right Hand", "right hand"),
        ("both_hands", "both hands"),
        ("hand", "hand"),
        ("handle", "handle"),
        ("TABLE", "TABLE"),
        ("left_handle", "left_handle"),
    ],
)
def test_hands_have_one_name(name: str, expected: str) -> None:
    assert thing_name(name) == expected


@pytest.mark.parametrize(
    ("relation", "thing", "role"),
    [
        ("verb", "take", None),
        ("direct object", "cup", "direct"),
        ("with", "knife", "tool"),
        ("with", "left hand", "hand"),
        ("from", "fridge", "source"),
        ("into", "cup", "target"),
        ("in", "bowl", "container"),
        ("on", "table", "location"),
        ("beside", "table", "other"),
    ],
)
def test_roles(relation: str, thing: str, role: str | None) -> None:
    assert role_of(relation, thing) == role


@pytest.mark.parametrize(
    ("parts", "side"),
    [
        ([("cut", "with", "left hand")], "left"),
        ([("cut", "with", "left hand"), ("cut", "with", "right hand")], "both"),
        ([("cut", "from", "left hand")], None),
        ([("cut", "with", "knife")], None),
        ([("hold", "in", "both hands")], "both"),
        ([("hold", "with", "left hand")], None),
    ],
)
def test_a_verbs_hand(parts: list, side: str | None) -> None:
    verb = "cut" if parts[0][0] == "cut" else ("hold" if side else "cut")
    assert acting_side(verb, parts) == side


def test_a_text_of_triplets_is_cut_at_its_separators() -> None:
    assert text_triplets(PLACE) == (
        ("Camera wearer", "verb", "place"),
        ("place", "direct object", "wood"),
        ("place", "with", "right hand"),
    )
    with pytest.raises(Malformed):
        text_triplets("Camera wearer - verb")


# -- media and the master file ---------------------------------------------------------------------


@pytest.mark.parametrize("folder", ["clips", "v2/clips", "v1/clips", "v2/clips_540ss"])
def test_clips_lie_where_ego4d_puts_them(folder: str) -> None:
    (row,) = (
        read("recordings", media=(f"{folder}/{CLIP}.mp4",)).tables["recordings"].rows(named=True)
    )
    assert (row["media"], row["media_paths"]) == ("present", [f"{folder}/{CLIP}.mp4"])


def test_whole_clips_go_before_scaled_ones_and_other_clips_are_no_part() -> None:
    media = (f"v2/clips_540ss/{CLIP}.mp4", f"v2/clips/{CLIP}.mp4", f"v2/clips/{OTHER}.mp4")
    made = read("recordings", media=media)
    (row,) = made.tables["recordings"].rows(named=True)
    assert row["media_paths"] == [f"v2/clips/{CLIP}.mp4"]
    assert made.refused == ()


def test_the_mapping_names_the_video_of_clips_that_only_the_pickles_hold() -> None:
    files = {TRAIN: pickled((1, 2, 3), entry("a", "dobj"), clip=OTHER), MAPPING: {OTHER: VIDEO}}
    (row,) = read("recordings", files).tables["recordings"].rows(named=True)
    assert (row["recording_id"], row["take_id"], row["split"]) == (OTHER, VIDEO, "train")


MASTER = "EASG_unict_master_final.json"


def master(uid: str, **groundings: Any) -> dict[str, Any]:
    triplets = [["CW", "verb", "place"], ["place", "dobj", "cup:0"], ["place", "on", "cup:1"]]
    return {CLIP: {"split": "val", "W": 200, "H": 100, "graphs": [
        {"graph_uid": uid, "triplets": triplets, "groundings": groundings}]}}  # fmt: skip


PIXELS = {"left": 50, "top": 25, "width": 100, "height": 100}


def test_master_boxes_are_pixels_and_twins_are_told_apart() -> None:
    both = {"cup:0": PIXELS, "cup:1": {**PIXELS, "left": 0}}
    files = {MASTER: master(f"{CLIP}_000062", pnr=both)}
    rows = read("objects", files).tables["boxes"].sort("object_id")
    assert rows.select(
        "class_name", "object_id", "x_min", "y_max", "clipped", "raw_form"
    ).rows() == [
        ("cup", "cup:0", 0.25, 1.0, True, "xywh_px"),
        ("cup", "cup:1", 0.0, 1.0, True, "xywh_px"),
    ]
    (row,) = segments(files).values()
    assert (row["start_s"], row["is_point"]) == (62 / 30, True)
    (recording,) = read("recordings", files).tables["recordings"].rows(named=True)
    assert (recording["width_px"], recording["height_px"], recording["split"]) == (200, 100, "val")


@pytest.mark.parametrize("uid", [f"{CLIP}_000062", AID])
def test_a_master_graph_joins_the_pickled_one(uid: str) -> None:
    files = {**ONE, MASTER: master(uid, pre={"cup:0": PIXELS})}
    rows = read("objects", files).tables["boxes"]
    assert rows.select("object_id", "moment", "source_frame", "segment_id").rows() == [
        ("cup:0", "pre", 48, f"{CLIP}_000062")
    ]
    assert list(segments(files)) == [f"{CLIP}_000062"]


def test_a_master_graph_without_a_time_is_refused() -> None:
    rows = read("segments", {MASTER: master("abc")})
    assert rules(rows) == [("abc", "graph_without_time")]


@pytest.mark.parametrize("part", ["recordings", "segments", "objects"])
def test_rows_keep_their_contracts(part: str) -> None:
    for name, frame in read(part).tables.items():
        assert not list(check(TABLES[name], frame, {}).refused)
        assert frame.height or name == "images"


def test_no_files_of_graphs_is_said() -> None:
    rows = read("recordings", {MAPPING: {CLIP: VIDEO}})
    assert rules(rows) == [(None, "file_missing")]


def test_vocabularies_count_lines_from_0() -> None:
    rows = read("taxonomies", {"verbs.txt": b"add\nadjust\n", "objects.txt": b"TABLE\n"})
    found = rows.tables["taxonomies"].select("taxonomy", "class_id", "label").sort(pl.all()).rows()
    assert found == [("object", 0, "TABLE"), ("verb", 0, "add"), ("verb", 1, "adjust")]

"""Ego-Exo4D's poses of bodies and hands: the real frame, and what may be wrong with such files."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assets.sources.egoexo4d.joints import JOINTS, read_joints
from assets.sources.egoexo4d.recordings import Camera, Take
from assets.sources.layout import PartFiles, Rows
from expectations.schemas import TABLES

REAL = "data/ego-exo4d/samples/body_annotation_one_frame.json"
EGO = Camera("walk_2|aria01", "aria01", True, "aria", "aria01_214-1.mp4")
TAKE = Take("u1", "walk_2", "walk", 100, 700, (EGO,), {})
HOME = "annotations/ego_pose/train"


def place(x: object) -> dict:
    return {"x": x, "y": 0.5, "z": -1.25, "num_views_for_3d": 3}


def pose(**joints: object) -> list[dict]:
    """One frame's pose; names are given with underscores for hyphens."""
    solid = {name.replace("_", "-"): at for name, at in joints.items()}
    return [{"annotation3D": solid, "annotation2D": {"cam01": {}}}]


def read(files: dict[str, Any], takes: tuple[Take, ...] = (TAKE,)) -> Rows:
    raw = {p: d if isinstance(d, bytes) else json.dumps(d).encode() for p, d in files.items()}
    pieces = {path: lambda d=data: iter([d[:7], d[7:]]) for path, data in raw.items()}
    return read_joints(PartFiles("it", {}, large=pieces), takes)


def body(rows: Rows) -> pl.DataFrame:
    return rows.tables["body_joints"].sort(TABLES["body_joints"].key)


def rules(rows: Rows) -> list[tuple[str, str | None]]:
    return sorted((one["rule"], one["row"]) for one in rows.refused)


def test_the_real_frame(shared: Path) -> None:
    text = (shared / REAL).read_bytes()
    rows = read({f"{HOME}/body/annotation/u1.json": text})
    made = body(rows)
    (one,) = json.loads(text)["416"]
    assert made.height == len(one["annotation3D"]) == 17
    told = {row["joint"]: row for row in made.iter_rows(named=True)}
    for name, at in one["annotation3D"].items():
        row = told[name.replace("-", "_")]
        assert (row["x"], row["y"], row["z"], row["views"]) == (*(at[a] for a in "xyz"), at["num_views_for_3d"])  # fmt: skip
    assert set(made["sample"]) == {416}
    assert made["t_s"][0] == pytest.approx(13.8667, abs=1e-4)
    assert set(made["recording_id"]) == {"walk_2|aria01"}
    assert set(made["world_frame_id"]) == {"walk"}
    assert made["person_id"].null_count() == 17
    assert rows.refused == ()
    # z up: whoever stands has the head over the hips over the knees over the ankles.
    levels = [told[f"left_{n}"]["z"] for n in ("ear", "shoulder", "hip", "knee", "ankle")]
    assert levels == sorted(levels, reverse=True)


def test_hands_have_a_side_and_underscores() -> None:
    solid = {"left_wrist": place(1), "right_thumb_1": place(2), "right_pinky_4": place(3)}
    rows = read({f"{HOME}/hand/annotation/u1.json": {"7": [{"annotation3D": solid}]}})
    made = rows.tables["hand_joints"].sort("x")
    assert made.select("hand_side", "joint", "x").rows() == [
        ("left", "wrist", 1.0),
        ("right", "thumb_1", 2.0),
        ("right", "pinky_4", 3.0),
    ]
    assert body(rows).is_empty()


def test_what_people_marked_goes_before_what_a_model_found() -> None:
    rows = read(
        {
            f"{HOME}/body/automatic/u1.json": {
                "4": pose(nose=place(40), left_eye=place(41)),
                "5": pose(nose=place(50)),
                "6": pose(nose=place(60)),
            },
            f"{HOME}/body/annotation/u1.json": {"4": pose(nose=place(4)), "6": []},
        }
    )
    # A frame is whole of one kind: no eye of the model beside the nose that people marked.
    assert body(rows).select("sample", "joint", "x", "annotation").rows() == [
        (4, "nose", 4.0, "manual"),
        (5, "nose", 50.0, "automatic"),
        (6, "nose", 60.0, "automatic"),
    ]
    assert rows.refused == ()


FAULTS: dict[str, tuple[Any, list[tuple[str, str | None]]]] = {
    "another frame than the take has": (
        {"0": pose(nose=place(1)), "600": pose(nose=place(2))},
        [("outside_recording", "600")],
    ),
    "a frame that is not a number": (
        {"0": pose(nose=place(1)), "-3": pose(nose=place(1)), "4.5": pose(nose=place(1))},
        [("unreadable_row", "-3"), ("unreadable_row", "4.5")],
    ),
    "a hand's spelling in a body": (
        {"0": [{"annotation3D": {"nose": place(1), "left_wrist": place(2)}}]},
        [("unknown_joint", "0/left_wrist")],
    ),
    "a joint without a number": (
        {
            "0": pose(
                nose=place(1), left_eye=place("far"), left_ear=place(None), left_hip=place(True)
            )
        },
        [("unreadable_row", f"0/left-{n}") for n in ("ear", "eye", "hip")],
    ),
    "a joint that is not an object": (
        {"0": pose(nose=place(1), left_eye=[1, 2, 3])},
        [("unreadable_row", "0/left-eye")],
    ),
    "numbers JSON does not know": (
        b'{"0": [{"annotation3D": {"nose": {"x": 1, "y": 0.5, "z": -1.25}}}],'
        b' "1": [{"annotation3D": {"nose": {"x": NaN, "y": 1, "z": 1}}}]}',
        [("unreadable_row", "1")],
    ),
    "two poses of one wearer": (
        {"0": pose(nose=place(1)), "1": [*pose(nose=place(1)), *pose(nose=place(2))]},
        [("unreadable_row", "1")],
    ),
    "a pose in pixels only": (
        {"0": pose(nose=place(1)), "1": [{"annotation2D": {}}], "2": ["what"]},
        [("unreadable_row", "1"), ("unreadable_row", "2")],
    ),
    "a file that is cut off": (
        json.dumps({"0": pose(nose=place(1)), "1": pose(nose=place(1))}).encode()[:-20],
        [("unreadable_file", None)],
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_costs_what_it_touches(name: str) -> None:
    file, told = FAULTS[name]
    rows = read({f"{HOME}/body/annotation/u1.json": file})
    assert body(rows).select("sample", "joint", "x").rows() == [(0, "nose", 1.0)]
    assert rules(rows) == told
    assert {one["recording_id"] for one in rows.refused} == {"walk_2|aria01"}
    assert {one["table"] for one in rows.refused} == {"body_joints"}


def test_a_take_that_is_not_listed_and_one_given_twice() -> None:
    rows = read(
        {
            f"{HOME}/body/annotation/u1.json": {"0": pose(nose=place(1))},
            "annotations/ego_pose/val/body/annotation/u1.json": {"1": pose(nose=place(9))},
            f"{HOME}/hand/annotation/u2.json": {"0": []},
        }
    )
    assert body(rows)["x"].to_list() == [1.0]
    assert [(one["rule"], one["file"].split("/")[-1]) for one in rows.refused] == [
        ("given_twice", "u1.json"),
        ("unknown_take", "u2.json"),
    ]


def test_pixels_of_undistorted_pictures_are_left_out(shared: Path) -> None:
    """They lie far outside of the stored pictures at times, and in the Aria's unturned sensor."""
    (one,) = json.loads((shared / REAL).read_text())["416"]
    flat = [at["x"] for at in one["annotation2D"]["aria01"].values()]
    assert min(flat) < 0 or max(flat) > 512
    without = {"416": [{"annotation3D": one["annotation3D"]}]}
    whole = read({f"{HOME}/body/annotation/u1.json": (shared / REAL).read_bytes()})
    assert body(whole).equals(body(read({f"{HOME}/body/annotation/u1.json": without})))
    assert not [name for name in body(whole).columns if name.endswith("_px")]


def test_joints_missing_from_a_pose_are_absent() -> None:
    rows = read({f"{HOME}/body/annotation/u1.json": {"9": pose(left_knee=place(1))}})
    assert body(rows)["joint"].to_list() == ["left_knee"]


@pytest.mark.parametrize(
    ("path", "is_one"),
    [
        (f"{HOME}/body/annotation/u1.json", True),
        ("take_ego_pose/annotations/ego_pose/val/hand/automatic/u1.json", True),
        ("annotations/ego_pose/train/camera_pose/u1.json", False),
        ("annotations/ego_pose/test/body/annotation/u1.json", False),
    ],
)
def test_paths(path: str, is_one: bool) -> None:
    assert (re.fullmatch(JOINTS, path) is not None) is is_one

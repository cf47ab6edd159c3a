"""EgoPet: the sample against its truth, and each trap of the formats note by name."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from assets.sources.egopet import LAYOUT
from assets.sources.layout import Medium
from resources.worlds.animal import AnimalSpec, plan_animals, write_egopet
from resources.worlds.animal.egopet import BROKEN, trajectory
from tests.assets.sources.reading_parts import Read, read_parts

if TYPE_CHECKING:
    from conftest import Source

SHA = "0a1b" * 16
STEM = f"edited_{SHA}_segment_081"
VIDEO = f"training_set/edited_{SHA}/{STEM}.mp4"
INTERACTIONS = "csv/object_interaction_train.csv"
WALKS = "csv/locomotion_prediction_train.csv"


def read(files: dict[str, Any], *media: str | Medium) -> Read:
    return read_parts(LAYOUT, files, media)


def interactions(*rows: str) -> str:
    head = "animal,ds_type,video_id,segment_id,start_time,end_time,total_time,interacting_object,video_path"
    return "\n".join([head, *rows]) + "\n"


def row(start: str, end: str, thing: str, total: int = 60, **changed: str) -> str:
    made = {"animal": "cat", "ds_type": "train", "sha": SHA, "number": "81", "path": VIDEO}
    made |= changed
    return (
        f"{made['animal']},{made['ds_type']},{made['sha']},{made['number']},{start},{end},{total},"
        f"{thing},{made['path']}"
    )


def walks(*rows: str) -> str:
    head = "animal,ds_type,segment_id,stride,start_time,end_time,video_path"
    return "\n".join([head, *rows]) + "\n"


# -- the sample ------------------------------------------------------------------------------------


def test_the_sample(tmp_path: Path, source_of: Callable[..., Source]) -> None:
    spec = AnimalSpec(render="small")
    write_egopet(spec, tmp_path / "root", workers=1)
    source = source_of("egopet", tmp_path / "root")
    source.ingest()
    world = plan_animals(spec)
    clips = {clip.stem: clip for clip in world.clips}
    recordings = {r["recording_id"]: r for r in source.rows("recordings").rows(named=True)}
    absent = recordings.keys() - clips.keys()
    assert len(absent) == 1 and {recordings[uid]["media"] for uid in absent} == {"missing"}
    for uid, clip in clips.items():
        told = recordings[uid]
        known = clip.searched or clip.stride is not None or clip.split == "val"
        animal = clip.animal if known and clip.listed_as is None else None
        assert (told["species"], told["split"], told["media"]) == (animal, clip.split, "present")
        assert told["media_duration_s"] == pytest.approx(clip.duration_s, abs=0.05)
    assert {told["species"] for told in recordings.values()} == {
        "cat",
        "dog",
        "turtle",
        "eagle",
        None,
    }
    rows = source.rows("segments").filter(pl.col("kind") == "interaction")
    found = set(rows.select("recording_id", "start_s", "end_s", "class_name").rows())
    assert found == {
        (clip.stem, i.start_s, i.end_s, i.name)
        for clip in world.clips
        if clip.searched
        for i in clip.interactions
    }
    # Searched and without interactions: that is how absence is known.
    listed = source.rows("splits").filter(pl.col("split_set") == "object_interaction")
    silent = set(listed["recording_id"]) - set(rows["recording_id"]) - absent
    assert silent == {c.stem for c in world.clips if c.searched and not c.interactions} != set()
    assert any(
        clip.interactions[-1].end_s > clip.total_s for clip in world.clips if clip.interactions
    )
    said = Counter((q["table"], q["rule"]) for q in source.quarantine())
    assert said == {
        # The row of broken ones whose path names no segment is told with the recordings.
        ("segments", "unreadable_row"): sum(rule == "unreadable_row" for rule, _ in BROKEN) - 1,
        ("segments", "lists_differ"): 1,
        ("recordings", "unreadable_row"): 1,
        ("recordings", "contradicting_species"): 1,
    }
    _poses(source, {uid: c for uid, c in clips.items() if c.stride is not None})


def _poses(source: Source, clips: dict[str, Any]) -> None:
    """Headings are the drawn ones; the world has z up and no unit."""
    rows = source.rows("camera_poses")
    assert rows["metric"].unique().to_list() == [False]
    assert set(rows["recording_id"]) == clips.keys()
    for uid, clip in clips.items():
        mine = rows.filter(pl.col("recording_id") == uid).sort("pose")
        assert mine["t_s"].to_list() == pytest.approx([n / 30 for n in range(mine.height)])
        assert mine["tz"].abs().max() == 0.0
        for at in (0, mine.height // 3, mine.height - 1):
            pose = mine.row(at, named=True)
            ahead = rotate(pose, (0.0, 0.0, 1.0))
            assert math.degrees(math.atan2(ahead[0], ahead[1])) == pytest.approx(
                clip.yaw_deg(pose["t_s"]), abs=1e-3
            )
            assert rotate(pose, (0.0, -1.0, 0.0)) == pytest.approx((0, 0, 1), abs=1e-6)


def rotate(pose: dict[str, float], v: tuple[float, float, float]) -> tuple[float, float, float]:
    """A vector turned by the pose's quaternion, by its matrix."""
    w, x, y, z = (pose[f"q{axis}"] for axis in "wxyz")
    rows = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )
    return tuple(sum(a * b for a, b in zip(line, v, strict=True)) for line in rows)  # type: ignore[return-value]


# -- traps -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lists", "expected"),
    [
        (("0:00;0:05", "0:03;0:09", "person;ball"), [(0, 3, "person"), (5, 9, "ball")]),
        (("NONE", "NONE", "NONE"), []),
        (("NONE;NONE", "NONE;NONE", "NONE;NONE"), []),
        (("0:03;0:09;NONE", "0:04;0:10;NONE", "dog;dog;NONE"), [(3, 4, "dog"), (9, 10, "dog")]),
        (("11:12", "11:14", "person"), [(672, 674, "person")]),
    ],
)
def test_lists_with_semicolons(lists: tuple[str, str, str], expected: list) -> None:
    made = read({INTERACTIONS: interactions(row(*lists, 700))})
    found = made.rows("segments").sort("start_s").select("start_s", "end_s", "class_name").rows()
    assert found == expected and made.refused == []
    # Without interactions too, the segment was searched for them.
    assert made.rows("splits").select("split_set", "recording_id").rows() == [("object_interaction", STEM)]  # fmt: skip


def test_numbers_lack_the_zeros_of_names() -> None:
    made = read({INTERACTIONS: interactions(row("0:01", "0:02", "ball"))})
    assert made.rows("recordings")["recording_id"].to_list() == [STEM]
    assert made.rows("segments")["recording_id"].to_list() == [STEM]


BAD: dict[str, tuple[str, str, str]] = {
    "another number": (row("0:01", "0:02", "ball", number="8"), "recordings", "unreadable_row"),
    "another video": (row("0:01", "0:02", "ball", sha="f" * 64), "recordings", "unreadable_row"),
    "no split": (row("0:01", "0:02", "ball", ds_type="test"), "recordings", "unreadable_row"),
    "no path": (row("0:01", "0:02", "ball", path="x.mp4"), "recordings", "unreadable_row"),
    "half a NONE": (row("NONE", "0:02", "ball"), "segments", "unreadable_row"),
    "NONE for what": (row("0:01", "0:02", "NONE"), "segments", "unreadable_row"),
    "seconds alone": (row("1", "2", "ball"), "segments", "unreadable_row"),
    "sixty seconds": (row("0:10", "0:60", "ball"), "segments", "unreadable_row"),
    "far beyond the end": (row("0:01", "1:02", "ball"), "segments", "unreadable_row"),
    "ends before it starts": (row("0:05", "0:02", "ball"), "segments", "end_after_start"),
    "lists differ": (row("0:01;0:04", "0:02", "ball"), "segments", "lists_differ"),
    "twice": (row("0:30;0:30", "0:40;0:40", "dog;dog"), "segments", "interaction_twice"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_row_is_told_and_the_rest_is_read(case: str) -> None:
    line, table, rule = BAD[case]
    made = read({INTERACTIONS: interactions(line, row("0:50", "0:55", "cat"))})
    assert made.rules() == {(table, rule): 1}
    assert (50.0, 55.0) in made.rows("segments").select("start_s", "end_s").rows()
    assert all(one["remedy"] and one["message"] for one in made.refused)


def test_ends_a_second_beyond_the_stated_length_are_kept() -> None:
    made = read({INTERACTIONS: interactions(row("0:58", "1:01", "ball"))})
    assert made.rows("segments").select("end_s", "precision_s").rows() == [(61.0, 1.0)]
    assert made.refused == []


def test_a_list_without_header_and_commas() -> None:
    made = read({"csv/egopet_pretrain.csv": f"{VIDEO} 1\n{VIDEO}\nelsewhere/{STEM}.mp4 1\n"})
    rows = made.rows("splits").select("split_set", "recording_id", "split", "position").rows()
    assert rows == [("pretrain", STEM, "train", 0)]
    assert made.rules() == {("recordings", "unreadable_row"): 2}


def test_both_ways_of_foldering() -> None:
    other = f"edited_{'f' * 64}_segment_1"
    made = read(
        {}, VIDEO, f"egopet/training_and_validation_test_set/validation/sea_turtle/{other}.mp4"
    )
    rows = made.rows("recordings").select("recording_id", "split", "species", "media").rows()
    assert rows == [(STEM, "train", None, "present"), (other, "val", "sea turtle", "present")]


def test_one_segment_in_both_folders() -> None:
    made = read({}, VIDEO, f"training_and_validation_test_set/train/cat/{STEM}.mp4")
    assert made.rows("recordings")["species"].to_list() == ["cat"]
    assert made.rules() == {("recordings", "media_twice"): 1}


def test_splits_are_spelled_in_two_ways() -> None:
    walk = f"cat,training_set,{STEM},5,0,30,{VIDEO}"
    made = read({INTERACTIONS: interactions(row("0:01", "0:02", "ball")), WALKS: walks(walk)})
    assert made.rows("segments")["split"].to_list() == ["train", "train"]
    assert made.rows("recordings")["split"].to_list() == ["train"] and made.refused == []


def test_the_quarter_of_training_repeats_rows() -> None:
    walk = walks(f"cat,training_set,{STEM},5,0,30,{VIDEO}")
    made = read({WALKS: walk, "csv/locomotion_prediction_train_25.csv": walk})
    assert made.rows("segments")["segment_id"].to_list() == [f"{STEM}/locomotion/5"]
    assert made.rows("splits")["split_set"].to_list() == ["locomotion", "locomotion_25"]


def test_contradicting_animals_leave_none() -> None:
    walk = walks(f"dog,training_set,{STEM},5,0,30,{VIDEO}")
    made = read({INTERACTIONS: interactions(row("0:01", "0:02", "ball")), WALKS: walk})
    assert made.rows("recordings")["species"].to_list() == [None]
    (said,) = made.refused
    assert (said["rule"], said["value"]) == ("contradicting_species", "cat, dog")


# -- trajectories ----------------------------------------------------------------------------------

WALK = {WALKS: walks(f"cat,training_set,{STEM},5,0,30,{VIDEO}")}


def path_of(stride: int) -> str:
    return f"interp_trajectories/{STEM}_calib_eth_stride_{stride}_interp.txt"


@pytest.mark.parametrize(
    ("stamps", "expected"),
    [((0.0, 1.0, 2.0), (0.0, 1 / 30, 2 / 30)), ((0.0, 0.033, 0.067), (0.0, 0.033, 0.067))],
    ids=["frames", "seconds"],
)
def test_stamps(stamps: tuple[float, ...], expected: tuple[float, ...]) -> None:
    text = "".join(f"{t} 1 2 3 0 0 0 1\n" for t in stamps)
    made = read({**WALK, path_of(5): text})
    assert made.rows("camera_poses")["t_s"].to_list() == pytest.approx(expected)


def test_w_is_the_last_number_of_a_pose() -> None:
    """A camera turned by 90 degrees to the right about the axis that points down."""
    half = math.sqrt(0.5)
    made = read({**WALK, path_of(5): f"# t tx ty tz qx qy qz qw\n0 1 2 3 0 {half} 0 {half}\n"})
    (pose,) = made.rows("camera_poses").to_dicts()
    assert (pose["tx"], pose["ty"], pose["tz"]) == (1.0, 3.0, -2.0)
    assert rotate(pose, (0, 0, 1)) == pytest.approx((1, 0, 0))
    assert rotate(pose, (0, -1, 0)) == pytest.approx((0, 0, 1))
    assert (pose["of"], pose["metric"]) == ("camera", False)


def test_bad_poses_and_a_second_stride() -> None:
    text = "0 0 0 0 0 0 0 1\n1 0 0 0 0 0 0\n2 0 0 0 1 1 1 1\n3 0 x 0 0 0 0 1\n4 0 0 0 0 0 0 1\n"
    made = read({**WALK, path_of(10): text, path_of(5): text})
    assert made.rows("camera_poses").select("pose", "t_s").rows() == [(0, 0.0), (1, 4 / 30)]
    assert made.rules() == {("camera_poses", "unreadable_row"): 3, ("camera_poses", "trajectory_twice"): 1}  # fmt: skip


def test_a_path_of_the_sample_has_a_pose_a_frame() -> None:
    clip = next(c for c in plan_animals(AnimalSpec()).clips if c.stride)
    assert len(trajectory(clip).splitlines()) == round(clip.duration_s * 30)

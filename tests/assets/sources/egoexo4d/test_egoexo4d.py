"""Ego-Exo4D: the real list of takes and calibrations, and annotations in the documented forms."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assets.options import Options, silent
from assets.sources.egoexo4d.recordings import SPLIT_LIST
from assets.sources.egoexo4d.segments import flag
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed
from assets.sources.stage import STAGE as SOURCES
from expectations.schemas import TABLES
from resources.config import Settings, SourceConfig
from resources.store.tables import TableStore

DATA = "data/ego-exo4d"
TAKE, UID = "cmu_bike01_2", "ed3ec638-8363-4e1d-9851-c7936cbfad8c"
OTHER = "cmu_bike01_4"
START, END = 7170, 10498


class Release:
    """A root made of the real list of takes, to which tests add documented files."""

    def __init__(self, shared: Path, home: Path) -> None:
        self.root = home / "root"
        self.root.mkdir()
        shutil.copyfile(shared / DATA / "samples/takes.json", self.root / "takes.json")
        self.settings = Settings(
            home,
            TableStore(str(home / "store")),
            home / "page.html",
            {"it": SourceConfig("it", "egoexo4d", str(self.root))},
        )

    def put(self, path: str, content: object) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            target.write_bytes(content)
        else:
            target.write_text(content if isinstance(content, str) else json.dumps(content))

    def ingest(self) -> None:
        SOURCES.refresh(self.settings, "it", Options(), silent)

    def rows(self, table: str) -> pl.DataFrame:
        return self.settings.store.read(TABLES[table]).sort(TABLES[table].key)

    def rules(self) -> list[tuple[str, str | None]]:
        return self.rows("quarantine").select("rule", "value").sort("rule", "value").rows()


@pytest.fixture
def release(shared: Path, tmp_path: Path) -> Release:
    return Release(shared, tmp_path)


def test_recordings_of_the_real_list(release: Release) -> None:
    release.put(f"takes/{TAKE}/frame_aligned_videos/downscaled/448/cam02.mp4", b"small")
    # A mirror that unpacked its parts into a folder of their own.
    release.put(f"takes/takes/{TAKE}/frame_aligned_videos/cam01.mp4", b"whole")
    release.put(f"takes/{TAKE}/frame_aligned_videos/downscaled/448/cam01.mp4", b"small")
    release.ingest()
    rows = {r["recording_id"]: r for r in release.rows("recordings").iter_rows(named=True)}
    mine = {k: r for k, r in rows.items() if r["take_id"] == TAKE}
    assert set(mine) == {f"{TAKE}|{c}" for c in ("aria01", "cam01", "cam02", "cam03", "cam04")}
    ego = mine[f"{TAKE}|aria01"]
    assert (ego["view"], ego["device"], ego["media"]) == ("ego", "aria", "missing")
    assert (ego["scenario"], ego["environment_id"], ego["person_id"]) == (
        "Remove a Wheel",
        "97",
        "657",
    )
    # Half open: 110.93 s at 30 fps.
    assert ego["declared_frames"] == END - START == round(ego["duration_s"] * 30)
    assert {r["view"] for k, r in mine.items() if "cam" in k} == {"exo"}
    assert mine[f"{TAKE}|cam01"]["media_paths"] == [
        f"takes/takes/{TAKE}/frame_aligned_videos/cam01.mp4"
    ]
    assert mine[f"{TAKE}|cam02"]["media"] == "present"
    assert mine[f"{TAKE}|cam01"]["device"] == "hero10"
    assert release.rows("clocks")["method"].unique().to_list() == ["frame_aligned"]
    assert release.rules() == []
    assert SOURCES.is_fresh(release.settings, "it", Options())


def test_splits_of_takes_that_are_here(release: Release, shared: Path) -> None:
    splits = json.loads((shared / DATA / "samples/splits.json").read_text())
    splits["take_uid_to_split"] = {UID: "val", "not-here": "train"}
    release.put("annotations/splits.json", splits)
    release.ingest()
    row = release.rows("splits").row(0, named=True)
    assert (row["recording_id"], row["split"]) == (f"{TAKE}|aria01", "val")
    assert release.rows("splits").height == 1
    exo = release.rows("recordings").filter(pl.col("recording_id") == f"{TAKE}|cam01")
    assert exo["split"].to_list() == ["val"]


def test_misspelt_cameras_and_a_second_one_on_the_head(release: Release) -> None:
    """Names of cameras are kept as they are; of two on the head the glasses are the wearer's."""
    takes = json.loads((release.root / "takes.json").read_text())
    take = next(one for one in takes if one["take_name"] == TAKE)
    videos, cameras = take["frame_aligned_videos"], take["capture"]["cameras"]
    renamed = {"aria01": "aria03", "cam01": "moblie", "cam02": "gp05"}
    for old, new in renamed.items():
        videos[new] = videos.pop(old)
        (said,) = (c for c in cameras if c["cam_id"] == old)
        said |= {"cam_id": new, "is_ego": new != "moblie"}
    release.put("takes.json", takes)
    release.put(
        "annotations/keystep_train.json",
        {"annotations": {UID: {"take_uid": UID, "segments": [
            {"start_time": 1.0, "end_time": 2.0, "step_unique_id": 1, "step_name": "Turn"}
        ]}}},
    )  # fmt: skip
    release.ingest()
    views = {
        row["recording_id"].split("|")[1]: row["view"]
        for row in release.rows("recordings").iter_rows(named=True)
        if row["take_id"] == TAKE
    }
    assert views == {
        "aria03": "ego", "gp05": "ego", "moblie": "exo", "cam03": "exo", "cam04": "exo",
    }  # fmt: skip
    assert release.rows("segments")["recording_id"].to_list() == [f"{TAKE}|aria03"]


def test_the_real_list_of_splits(shared: Path) -> None:
    """An excerpt of it, of takes that are not here."""
    path = "annotations/splits.json"
    data = (shared / DATA / "samples/splits.json").read_bytes()
    reader = RowReader("splits")
    found = SPLIT_LIST.parse({path: data}, reader)
    assert (len(found), reader.refused) == (7, [])
    assert Counter(found.values()) == {"train": 5, "val": 1, "test": 1}
    said = json.loads(data)
    assert found == said["take_uid_to_split"]
    # The one take that the excerpt of the list the other way round has in common with it.
    both = [(u, split) for split, held in said["split_to_take_uids"].items() for u in held if u in found]  # fmt: skip
    assert both == [("7e70d53b-6a4c-405c-97ba-e23ed06e4f53", "test")]
    assert found[both[0][0]] == "test"


def description(text: str, at: float, **more: Any) -> dict:
    return {
        "text": text,
        "timestamp": at,
        "ego_visible": False,
        "best_exo": None,
        "unsure": False,
    } | more


def test_descriptions_in_both_spellings(release: Release) -> None:
    release.put(
        "annotations/atomic_descriptions_train.json",
        {
            "annotations": {
                UID: [
                    {
                        "annotation_uid": "p1",
                        "rejected": False,
                        "descriptions": [
                            description("C moves his right hand.", 0.03831, narration_subject="C"),
                            description(
                                "C moves his right hand.", 3.94343, subject="C", unsure="0"
                            ),
                            description("O waves.", 5, subject="O", unsure="1"),
                        ],
                    },
                    {
                        "annotation_uid": "p2",
                        "rejected": "1",
                        "reject_reason": "blurred",
                        "descriptions": [],
                    },
                ],
                "take-not-here": [],
            }
        },
    )
    release.ingest()
    rows = release.rows("segments").sort("start_s")
    assert rows["start_s"].to_list() == rows["end_s"].to_list() == [0.03831, 3.94343]
    assert rows["actor_id"].to_list() == ["C", "C"]
    assert rows["is_point"].to_list() == [True, True]
    assert rows["recording_id"].to_list() == [f"{TAKE}|aria01"] * 2
    assert release.rules() == [
        ("marked_unsure", "O waves."),
        ("rejected_pass", "blurred"),
        ("unknown_take", "take-not-here"),
    ]


def test_keysteps_and_their_repetition_in_the_benchmark(release: Release) -> None:
    step = {
        "start_time": 0.85598,
        "end_time": 33.20377,
        "step_id": 31,
        "step_unique_id": 843,
        "step_name": "Unbox package",
        "step_description": "Unbox covid19 test package",
        "is_essential": True,
    }
    later = step | {"start_time": 40.0, "end_time": 41.5}
    release.put(
        "annotations/keystep_train.json",
        {
            "annotations": {
                UID: {"take_uid": UID, "segments": [step, step | {"start_time": "soon"}]}
            },
            "vocabulary": {"843": "Unbox package"},
        },
    )
    release.put(
        "annotations/keystep_benchmark/keystep_segment_train.json",
        {"segments": [{**one, "take_uid": UID} for one in (step, later)]},
    )
    release.ingest()
    rows = release.rows("segments").sort("start_s")
    assert rows.select("start_s", "end_s", "class_id", "class_name", "kind").rows() == [
        (0.85598, 33.20377, 843, "Unbox package", "keystep"),
        (40.0, 41.5, 843, "Unbox package", "keystep"),
    ]
    assert rows["source_file"][0] == "annotations/keystep_train.json"
    assert release.rows("taxonomies").select("class_id", "label").rows() == [(843, "Unbox package")]
    assert release.rules() == [("unreadable_row", "soon")]


@pytest.mark.parametrize(
    ("value", "means"), [(True, True), ("1", True), (False, False), ("0", False), (None, False)]
)
def test_flags(value: object, means: bool) -> None:
    assert flag(value) is means


def test_a_flag_that_is_none() -> None:
    with pytest.raises(Malformed):
        flag("maybe")


def test_real_gopro_calibration(release: Release, shared: Path) -> None:
    text = (shared / DATA / "gopro_calibs.csv").read_text()
    lines = text.splitlines()
    # The file of the release has a leading blank before the camera's name.
    assert lines[1].startswith(" cam01,")
    bad = lines[1].replace(" cam01", "cam02")[: lines[1].rindex(",")] + "0"
    assert bad.endswith(",0")
    release.put(f"takes/{TAKE}/trajectory/gopro_calibs.csv", "\n".join([*lines, bad]))
    release.ingest()
    row = release.rows("cameras").row(0, named=True)
    assert (row["recording_id"], row["model"]) == (f"{TAKE}|cam01", "kannala_brandt")
    assert (row["width_px"], row["height_px"], row["cx_px"]) == (3840, 2160, 1920.0)
    assert row["distortion"] == [0.036902, 0.057131, -0.057154, 0.018458]
    pose = release.rows("camera_poses").row(0, named=True)
    assert (pose["of"], pose["t_s"], pose["tx"], pose["qw"]) == ("camera", None, 1.691723, 0.346871)
    assert release.rows("cameras").height == 1
    assert release.rules() == [("not_localised", "0")]


def trajectory(stamps_us: list[int]) -> str:
    head = (
        "graph_uid,tracking_timestamp_us,utc_timestamp_ns,tx_world_device,ty_world_device,tz_world_device,"
        "qx_world_device,qy_world_device,qz_world_device,qw_world_device,gravity_x_world,gravity_y_world,"
        "gravity_z_world,quality_score"
    )
    rows = [f"g,{us},-1,{at},0,1.6,0,0,0,1,0,0,-9.81,0.9" for at, us in enumerate(stamps_us)]
    return "\n".join([head, *rows])


def timesync(missing: frozenset[int] = frozenset()) -> str:
    head = "cam01_pts,aria01_214-1_capture_timestamp_ns"
    stamp = [
        f"{row},{'' if row in missing else 10**12 + row * 33_333_333}" for row in range(END + 5)
    ]
    return "\n".join([head, *stamp])


def test_poses_and_gaze_are_placed_by_the_captures_clock(release: Release) -> None:
    first_us = (10**12 + START * 33_333_333) // 1000
    release.put("captures/cmu_bike01/timesync.csv", timesync())
    # A kilohertz from 10 ms before the take's first frame on.
    stamps = [first_us - 10_000 + 1000 * at for at in range(200)]
    release.put(f"takes/{TAKE}/trajectory/closed_loop_trajectory.csv", trajectory(stamps))
    release.put(
        f"takes/{TAKE}/eye_gaze/general_eye_gaze_2d.csv",
        f"frame_num,tracking_timestamp_us,x,y\n0,{first_us},704,352\n3,{first_us + 100_000},2000,10\n",
    )
    release.ingest()
    poses = release.rows("camera_poses").sort("pose")
    # One pose per frame within reach, never the nearest of all frames.
    assert poses["t_s"].to_list() == pytest.approx(
        [0, 0.0333, 0.0667, 0.1, 0.1333, 0.1667, 0.189], abs=2e-3
    )
    assert poses["tx"][0] == 10
    stamps_ns = release.rows("frame_stamps").row(0, named=True)["frame_stamps_ns"]
    assert len(stamps_ns) == END - START
    assert stamps_ns[0] == 10**12 + START * 33_333_333
    gaze = release.rows("gaze_samples")
    assert gaze.select("x", "y", "validity").rows()[0] == (0.5, 0.25, "valid")
    assert gaze["validity"].to_list() == ["valid", "outside"]


def test_a_dropped_frame_has_no_stamp(release: Release) -> None:
    first_us = (10**12 + START * 33_333_333) // 1000
    release.put("captures/cmu_bike01/timesync.csv", timesync(frozenset({START})))
    release.put(
        f"takes/{TAKE}/trajectory/closed_loop_trajectory.csv",
        trajectory([first_us + 33_333 * at for at in range(4)]),
    )
    release.ingest()
    assert release.rows("frame_stamps").is_empty()
    # The first frame has no stamp; time still starts at it.
    assert release.rows("camera_poses").sort("pose")["t_s"].to_list() == pytest.approx(
        [0.0333, 0.0667, 0.1], abs=1e-3
    )


ROW = START + 100


@pytest.mark.parametrize(
    ("line", "rule", "lost"),
    [
        # what stands where a row of the take stood; its refusal; whether the frame has no stamp
        ("1,2,3", "unreadable_row", True),
        ("1,12x", "unreadable_row", True),
        ("1,\0", "unreadable_row", True),
        ('1,"12', "unreadable_row", True),
        (f"1,{10**12 + (ROW - 1) * 33_333_333}", "stamp_not_after_last", True),
    ],
)
def test_a_row_that_cannot_be_read_leaves_the_rows_behind_it_in_their_places(
    release: Release, line: str, rule: str, lost: bool
) -> None:
    lines = timesync().split("\n")
    lines[ROW + 1] = line
    release.put("captures/cmu_bike01/timesync.csv", "\n".join(lines))
    first_us = (10**12 + START * 33_333_333) // 1000
    stamps = [first_us + 33_333 * at for at in range(200)]
    release.put(f"takes/{TAKE}/trajectory/closed_loop_trajectory.csv", trajectory(stamps))
    release.ingest()
    # The trajectory counts its frames in `tx`: each frame but the lost one has its own pose.
    poses = release.rows("camera_poses").sort("pose")
    assert poses["tx"].to_list() == [float(at) for at in range(200) if not (lost and at == 100)]
    assert poses["t_s"].to_list() == pytest.approx([x / 30 for x in poses["tx"]], abs=1e-3)
    (said,) = release.rows("quarantine").rows(named=True)
    assert (said["rule"], said["row"]) == (rule, str(ROW + 2))
    assert said["file"] == "captures/cmu_bike01/timesync.csv"


def test_two_poses_of_one_stamp_and_one_without_length_name_their_file(release: Release) -> None:
    path = f"takes/{TAKE}/trajectory/closed_loop_trajectory.csv"
    release.put("captures/cmu_bike01/timesync.csv", timesync())
    first_us = (10**12 + START * 33_333_333) // 1000
    lines = trajectory([first_us + 33_333 * at for at in range(9)]).split("\n")
    again = lines[4].replace(",3,0,1.6,", ",7,0,1.6,")
    assert again != lines[4]
    short = lines[8].replace(",0,0,0,1,", ",0,0,0,0.5,")
    assert short != lines[8]
    release.put(path, "\n".join([*lines[:5], again, lines[5], lines[5], *lines[6:8], short]))
    release.ingest()
    said = release.rows("quarantine").rows(named=True)
    found = sorted((r["rule"], r["file"], (r["row"] or "")[:1]) for r in said)
    # An equal row says nothing new; the others are named with the file they stand in.
    assert found == [("contradicting_row", path, "6"), ("unit_quaternion", path, "s")]


def test_a_take_listed_twice_otherwise_and_splits_of_unlisted_takes(release: Release) -> None:
    takes = json.loads((release.root / "takes.json").read_text())
    mine = next(take for take in takes if take["take_uid"] == UID)
    release.put("takes.json", [*takes, mine, {**mine, "timesync_start_idx": START + 1}])
    release.put("annotations/splits.json", {"take_uid_to_split": {UID: "val", "no-take": "train"}})
    release.ingest()
    said = release.rows("quarantine").sort("rule").rows(named=True)
    assert [(r["rule"], r["file"]) for r in said] == [
        ("contradicting_row", "takes.json"),
        ("unknown_take", "annotations/splits.json"),
    ]
    ego = release.rows("recordings").filter(pl.col("recording_id") == f"{TAKE}|aria01")
    assert ego["declared_frames"].to_list() == [END - START]


def test_without_a_clock_poses_have_no_place(release: Release) -> None:
    release.put(f"takes/{TAKE}/trajectory/closed_loop_trajectory.csv", trajectory([1, 2]))
    release.ingest()
    assert release.rows("camera_poses").is_empty()
    assert [rule for rule, _ in release.rules()] == ["no_device_clock"]

"""HD-EPIC: the simulated kitchen, and each trap by name."""

from __future__ import annotations

import json
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from assets.sources.hd_epic import LAYOUT
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.json import json_trees
from assets.sources.reading.pickled_frames import frame_pickle
from assets.sources.reading.values import Malformed
from expectations.contracts import check
from expectations.schemas import TABLES
from resources.worlds.flat import FlatSpec, plan_flat
from resources.worlds.flat.hd_epic import frame_bytes, moves_of, narrations, steps_of, write_hd_epic

if TYPE_CHECKING:
    from conftest import Source

SPEC = FlatSpec("easg", takes=4, seed="hd", render="none")
IDS = ("P01-20240202-110200", "P02-20240202-110201", "P01-20240203-110202", "P02-20240203-110203")
UID = "P01-20240202-110250"
PICKLE = "narrations-and-action-segments/HD_EPIC_Narrations.pkl"
TABLE = "narrations-and-action-segments/HD_EPIC_Narrations.csv"


def rows_of(part: str, files: dict[str, Any], uid: str | None = None) -> Rows:
    found = LAYOUT.part(part)
    assert found is not None
    data = {
        p: c if isinstance(c, bytes) else (c if isinstance(c, str) else json.dumps(c)).encode()
        for p, c in files.items()
    }
    assert all(found.claims(path) for path in data)
    made = found.read(PartFiles("it", data, {}, {"recording_id": uid} if uid else None))
    for name, rows in made.tables.items():
        assert check(TABLES[name], rows, {}).accepted.height or rows.is_empty()
    return made


def refused(made: Rows) -> list[tuple[str, object]]:
    return [(r["rule"], r["value"]) for r in made.refused]


# -- the simulated kitchen -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hd")
    write_hd_epic(SPEC, folder, workers=1)
    return folder


def test_the_simulated_kitchen(root: Path, source_of: Callable[..., Source]) -> None:
    source = source_of("hd_epic", root)
    source.ingest()
    said = sorted((q["table"], q["rule"], q["row"]) for q in source.quarantine())
    assert said == [
        ("segments", "end_after_start", "P02-20240203-110203-14"),
        ("segments", "end_after_start", f"activity|{IDS[0]}|background|7|7.0|Clean up"),
        ("segments", "unreadable_row", "7"),
    ]
    takes = dict(zip(IDS, plan_flat(SPEC).takes, strict=True))
    recordings = source.rows("recordings")
    assert recordings["recording_id"].to_list() == [*sorted(IDS), "P03-20240301-090000"]
    assert set(recordings["media"]) == {"missing"}
    segments = source.rows("segments")
    actions = segments.filter(pl.col("kind") == "action")
    assert {(r["recording_id"], r["start_s"], r["end_s"]) for r in actions.rows(named=True)} == {
        (uid, round(a.start_s, 2), round(a.end_s, 2))
        for uid, take in takes.items()
        for a in take.actions
    } - {(IDS[3], *(round(getattr(takes[IDS[3]].actions[-1], n), 2) for n in ("start_s", "end_s")))}
    steps = segments.filter(pl.col("kind") == "keystep")
    assert {(r["recording_id"], r["step_order"], r["start_s"]) for r in steps.rows(named=True)} == {
        (uid, at, round(actions[0].start_s, 3))
        for uid, take in takes.items()
        for at, actions in enumerate(steps_of(take).values())
    }
    lasting = segments.filter(
        (pl.col("kind") == "coarse") & pl.col("class_name").str.starts_with("Go")
    )
    lengths = dict(recordings.select("recording_id", "duration_s").rows())
    assert {r["recording_id"]: r["end_s"] for r in lasting.rows(named=True)} == {
        uid: lengths[uid] for uid in IDS
    }
    relations = source.rows("relations").filter(pl.col("role") == "direct")
    hands = {(uid, n, a.hand) for uid, take in takes.items() for n, a in enumerate(take.actions, 1)}
    assert {
        (r["recording_id"], int(r["segment_id"].rpartition("-")[2]), r["hand_side"])
        for r in relations.rows(named=True)
    } == hands - {(IDS[3], len(takes[IDS[3]].actions), takes[IDS[3]].actions[-1].hand)}
    _compare_tracks(source, takes)
    _compare_sensors(source, takes)
    questions = source.rows("imported_questions")
    for row in questions.filter(pl.col("question_set").str.contains("counting")).rows(named=True):
        uid = row["media"][0]["recording_id"]
        moves = list(moves_of(takes[uid]))
        count = sum(m.instance == moves[0].instance for m in moves)
        assert row["answer_text"] == str(count) == row["options"][row["answer"][0]]
        assert [m["role"] for m in row["media"]] == ["video 1", "image 1"]
        assert row["media"][1]["start_s"] == row["media"][1]["end_s"] > 0
        assert re.search(r"<BBOX [0-9. ]+> seen at <TIME 00:00:\d(\.\d+)? video 1>", row["text"])


def _compare_tracks(source: Source, takes: dict) -> None:
    tracks, boxes = source.rows("tracks"), source.rows("boxes")
    for uid, take in takes.items():
        moves = sorted(moves_of(take), key=lambda m: m.start_s)
        told = tracks.filter(pl.col("recording_id") == uid).sort("start_s").rows(named=True)
        assert [r["name"] for r in told] == [take.name_of(m.instance) for m in moves]
        for row, move in zip(told, moves, strict=True):
            assert row["moves"]
            assert abs(row["start_s"] - move.start_s) < 1 / 30
            assert abs(row["end_s"] - move.end_s) < 1 / 30
            # Furniture is a fixture; a plate is none.
            for place, name in (("start_place", move.start_place), ("end_place", move.end_place)):
                fixture = f"{uid[:3]}_{name.replace(' ', '_')}.001"
                assert row[place] == (None if name[-1].isdigit() else fixture), (uid, move)
            of_track = boxes.filter(pl.col("track_id") == row["track_id"])
            assert 1 <= of_track.height <= 2
            for box in of_track.rows(named=True):
                sight = take.sights("ego", take.picture_time(box["source_frame"] / 30))[
                    move.instance
                ]
                width = take.camera("ego").width_px
                assert box["x_min"] == pytest.approx(sight.x_min / width, abs=1e-4)
                assert box["y_max"] == pytest.approx(sight.y_max / width, abs=1e-4)
    assert boxes["box_id"].n_unique() == boxes.height > 15


def _compare_sensors(source: Source, takes: dict) -> None:
    """Time 0 is the first frame; gaze has the direction that the flat says."""
    poses, gaze = source.rows("camera_poses"), source.rows("gaze_rays")
    assert source.rows("frame_stamps").height == 4
    assert set(source.rows("cameras")["sensor"]) == {"rgb", "slam_left", "slam_right"}
    assert poses["world_frame_id"].n_unique() == 2  # one kitchen each
    for uid, take in takes.items():
        mine = poses.filter(pl.col("recording_id") == uid)
        assert mine["t_s"].min() == pytest.approx(0, abs=1e-4)
        assert mine["t_s"].max() == pytest.approx(take.duration_s, abs=0.2)
        rays = gaze.filter(pl.col("recording_id") == uid)
        for row in rays.rows(named=True)[::40]:
            target = take.gaze_target(max(row["t_s"], 0.0))[1]
            far = (
                (take.camera_pose("ego", max(row["t_s"], 0.0)).position - target) ** 2
            ).sum() ** 0.5
            assert row["depth_m"] == pytest.approx(far, abs=0.15)


# -- narrations ------------------------------------------------------------------------------------


def narration(**changed: object) -> dict[str, Any]:
    """The row of the release's documentation."""
    return {
        "unique_narration_id": f"{UID}-1", "participant_id": "P01", "video_id": UID,
        "narration": "Open the upper cupboard by holding the handle of the cupboard with the left hand.",
        "start_timestamp": 7.44, "end_timestamp": 8.75,
        "nouns": ["upper cupboard", "handle of cupboard"], "verbs": ["open", "hold"],
        "pairs": [("open", "upper cupboard"), ("hold", "handle of cupboard")],
        "main_actions": [("open", "upper cupboard")], "verb_classes": [3, 34], "noun_classes": [3, 3],
        "pair_classes": [(3, 3), (34, 3)], "main_action_classes": [(3, 3)], "hands": ["left hand"],
        "narration_timestamp": 8.0, **changed,
    }  # fmt: skip


def as_csv(*rows: dict[str, Any]) -> str:
    def cell(value: object) -> str:
        return '"' + str(value).replace('"', '""') + '"'

    return "\n".join([",".join(rows[0]), *(",".join(map(cell, r.values())) for r in rows)]) + "\n"


@pytest.mark.parametrize("form", ["pickle", "csv"])
def test_a_narration_in_both_forms(form: str) -> None:
    rows = [
        narration(),
        narration(unique_narration_id=f"{UID}-2", hands=["left hand", "right hand"]),
    ]
    files = {PICKLE: frame_bytes(rows)} if form == "pickle" else {TABLE: as_csv(*rows)}
    made = rows_of("segments", files)
    assert refused(made) == []
    first = made.tables["segments"].row(0, named=True)
    assert (first["segment_id"], first["start_s"], first["end_s"]) == (f"{UID}-1", 7.44, 8.75)
    assert (first["class_name"], first["released_verbs"]) == ("open upper cupboard", [3, 34])
    told = made.tables["relations"].select(
        "segment_id", "subject", "relation", "object", "hand_side"
    )
    assert set(told.filter(pl.col("segment_id") == f"{UID}-1").rows()) == {
        (f"{UID}-1", *one, "left")
        for one in (
            ("Camera wearer", "verb", "open"), ("Camera wearer", "verb", "hold"),
            ("open", "direct object", "upper cupboard"),
            ("hold", "direct object", "handle of cupboard"), ("open", "with", "left hand"),
        )
    }  # fmt: skip
    # Which of two hands does which of two things is not said.
    assert set(told.filter(pl.col("segment_id") == f"{UID}-2")["hand_side"]) == {None}


@pytest.mark.parametrize("protocol", [3, 4, 5])
def test_a_pickled_table_is_read_without_pandas(protocol: int) -> None:
    frame = pickle.loads(frame_bytes(narrations(plan_flat(SPEC))))
    columns = ["unique_narration_id", "start_timestamp", "pairs", "verb_classes", "hands"]
    read = frame_pickle(pickle.dumps(frame, protocol=protocol), columns)
    assert read == {name: frame[name].tolist() for name in columns}


class _Runs:
    def __reduce__(self) -> tuple[Any, ...]:
        return (exec, ("raise SystemExit('a pickle was run')",))


@pytest.mark.parametrize(
    "data",
    [
        pickle.dumps(_Runs()), pickle.dumps([_Runs()]), pickle.dumps({"a": [1]}), b"", b"\x80\x05",
        frame_bytes([narration()])[:-200], frame_bytes([narration(hands=[_Runs()])]),
        frame_bytes([{"unique_narration_id": "x", "start_timestamp": 1.0}]),
    ],
    ids=range(8),
)  # fmt: skip
def test_a_pickle_that_is_no_such_table_names_the_remedy(data: bytes) -> None:
    made = rows_of("segments", {PICKLE: data})
    (said,) = made.refused
    assert (said["rule"], said["file"]) == ("unreadable_file", PICKLE)
    assert "to_csv('HD_EPIC_Narrations.csv'" in said["remedy"]


def test_broken_narrations_do_not_cost_the_others() -> None:
    rows = [
        narration(unique_narration_id="P01-20240202-110251-1"), narration(start_timestamp="soon"),
        narration(pairs="[('open',)]"), narration(pairs="open()"), narration(verb_classes="[True]"),
        narration(unique_narration_id=f"{UID}-9"),
    ]  # fmt: skip
    made = rows_of("segments", {TABLE: as_csv(*rows)})
    assert made.tables["segments"]["segment_id"].to_list() == [f"{UID}-9"]
    assert [rule for rule, _ in refused(made)] == ["unreadable_row"] * 5


# -- recipes, activities, sounds, priming ----------------------------------------------------------


def test_recipes() -> None:
    span = {"video": UID, "start": 16.667, "end": 17.09}
    recipe = {
        "participant": "P01", "name": "Nespresso", "type": "adapted", "source": "",
        "steps": {"P01_R01_S02": "Press the button", "P01_R01_S01": "Put one capsule in"},
        "captures": [
            {"videos": [UID],
             "ingredients": {"P01_R01_I01": {"name": "milk", "amount": "N/A", "calories": "N/A",
                                             "weigh": [], "add": [{**span, "start": "N/A"}, span]}},
             "step_times": {"P01_R01_S01": [span, span], "P01_R01_S07": [span]},
             "prep_times": {"P01_R01_S02": [{**span, "end": 20}]}},
        ],
    }  # fmt: skip
    made = rows_of(
        "segments", {"high-level/complete_recipes.json": {"P01_R01": recipe, "P01_R02": 3}}
    )
    rows = made.tables["segments"].select("kind", "class_name", "step_order", "end_s").rows()
    # The order of the steps is that of the recipe, not of their ids.
    assert sorted(set(rows), key=str) == [
        ("interaction", "add milk", None, 17.09),
        ("keystep", "Put one capsule in", 1, 17.09),
        ("phase", "prepare: Press the button", 0, 20.0),
    ]
    assert [rule for rule, _ in refused(made)] == ["unreadable_row"] * 3
    assert [value for _, value in refused(made)][:2] == ["P01_R01_S07", "N/A"]
    # The same span twice has one key, and the contract keeps one.
    assert [r["rule"] for r in check(TABLES["segments"], made.tables["segments"], {}).refused] == [
        "unique_key"
    ]
    recordings = rows_of("recordings", {"high-level/complete_recipes.json": {"P01_R01": recipe},
                                        "scene-and-object-movements/assoc_info.json": {UID: {}}})  # fmt: skip
    assert recordings.tables["recordings"]["scenario"].to_list() == ["Nespresso"]


def test_activities_that_last_to_the_end() -> None:
    path = "high-level/activities/P08_recipe_timestamps.csv"
    header = "video_id,recipe_id,high_level_activity_label,start_time,end_time\n"
    rows = f"{UID},R01,Make coffee,0.0,end\n{UID},,Tidy,0.0,7\n{UID},R02,Make coffee,0.0,end\n{UID},,,0,1\n"
    urls = {
        "youtube-links/HD_EPIC_YouTube_URLs.csv": f"video_id,youtube_url,duration\n{UID},x,396.27\n"
    }
    made = rows_of("segments", {path: header + rows, **urls})
    told = made.tables["segments"].select("class_name", "end_s").rows()
    assert told == [("Make coffee", 396.27), ("Tidy", 7.0), ("Make coffee", 396.27)]
    assert made.tables["segments"]["segment_id"].n_unique() == 3
    assert len(made.refused) == 1
    alone = rows_of("segments", {path: header + rows})
    assert [value for _, value in refused(alone)] == [UID, UID, None]


def test_sounds_have_no_ids() -> None:
    text = (
        "participant_id,video_id,start_timestamp,stop_timestamp,start_sample,stop_sample,class,class_id\n"
        f"P01,{UID},00:00:00.476,00:00:02.520,22848,120960,rustle,4\n"
        f"P01,{UID},00:00:0,00:00:02.520,22848,120960,rustle,x\n"
    )
    made = rows_of("segments", {"audio-annotations/HD_EPIC_Sounds.csv": text})
    (row,) = made.tables["segments"].rows(named=True)
    assert row["segment_id"] == f"sound|{UID}|0.476|2.520|4"
    assert (row["kind"], row["class_name"], row["start_s"]) == ("sound", "rustle", 0.476)
    assert refused(made) == [("unreadable_row", "x")]


@pytest.mark.parametrize(
    ("primed", "span", "value"),
    [
        (177, (5.9, 283 / 30), "yes"),
        (-1, (0.0, 283 / 30), "no"),
        (-2, None, None),
        (-3, None, None),
    ],
)
def test_priming(primed: int, span: tuple[float, float] | None, value: str | None) -> None:
    event = {"frame": 283, "3d_location": [0, 0, 0],
             "prime_stats": {"prime_window_start": 0, "frame_primed": primed}}  # fmt: skip
    made = rows_of(
        "segments", {"eye-gaze-priming/priming_info.json": {UID: {"0": {"start": event}}}}
    )
    rows = made.tables["object_states"].select("start_s", "end_s", "value", "attribute").rows()
    assert rows == ([] if span is None else [(*span, value, "primed_pick_up")])
    assert len(made.refused) == (primed == -3)


# -- objects, questions, sensors -------------------------------------------------------------------


def test_masks_tell_of_the_end_they_are_nearer_to() -> None:
    def track(uid: str, *masks: str) -> dict[str, Any]:
        return {"track_id": uid, "time_segment": [10.0, 20.0], "masks": list(masks)}

    associations = {UID: {"a1": {"name": "cup", "tracks": [
        track("t1", "m2", "m1"), track("t2", "m3"), track("t3"), track("t4", "m4", "m9"),
        {"track_id": "t5", "time_segment": [1.0], "masks": []},
    ]}}}  # fmt: skip

    def mask(frame: int, fixture: str | None, box: object = (0, 0, 704, 1500)) -> dict[str, Any]:
        return {
            "frame_number": frame,
            "3d_location": [float("nan"), 0, 0],
            "bbox": box,
            "fixture": fixture,
        }

    masks = {UID: {"m1": mask(300, "P01_counter.001"), "m2": mask(600, "P01_sink.001"),
                   "m3": mask(598, "P01_sink.001"), "m4": mask(0, "Null"),
                   "m5": mask(9, "of no track"), "m9": mask(1, "P01_x", (1, 2))}}  # fmt: skip
    made = rows_of("objects", {"scene-and-object-movements/assoc_info.json": associations,
                               "scene-and-object-movements/mask_info.json": masks})  # fmt: skip
    tracks = made.tables["tracks"].sort("track_id").select("track_id", "start_place", "end_place")
    assert tracks.rows() == [
        ("t1", "P01_counter.001", "P01_sink.001"), ("t2", None, "P01_sink.001"),
        ("t3", None, None), ("t4", None, None),
    ]  # fmt: skip
    boxes = {r["source_key"]: r for r in made.tables["boxes"].rows(named=True)}
    assert sorted(boxes) == ["m1", "m2", "m3", "m4"]
    # Frames count from 0: the first is at time 0.
    assert (boxes["m4"]["t_s"], boxes["m1"]["t_s"], boxes["m1"]["object_id"]) == (0.0, 10.0, "a1")
    assert (boxes["m1"]["x_max"], boxes["m1"]["y_max"], boxes["m1"]["clipped"]) == (0.5, 1.0, True)
    assert [rule for rule, _ in refused(made)] == ["unreadable_row"] * 2


def question(**changed: object) -> dict[str, Any]:
    return {
        "inputs": {"video 1": {"id": UID}}, "question": "How often in <TIME 00:03:1.8 video 1>?",
        "choices": ["0", "3", "4", "2", "1"], "correct_idx": 0, **changed,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "rule"),
    [
        ({}, True), ({"choices": [["a", "b"], ["b", "a"]], "correct_idx": 1}, True),
        ({"correct_idx": 5}, False), ({"correct_idx": None}, False), ({"choices": "abc"}, False),
        ({"inputs": {}}, False), ({"inputs": {"video 1": {"id": "P01"}}}, False),
        ({"inputs": {"video 1": {"id": UID, "start_time": "00:00:01"}}}, False),
        ({"inputs": {"video 1": {"id": UID, "start_time": "0:0:9", "end_time": "0:0:8"}}}, False),
        ({"question": float("nan")}, False),
    ],
)  # fmt: skip
def test_questions_one_by_one(changed: dict, rule: bool) -> None:
    document = {"a_0": question(**changed), "a_1": question()}
    made = rows_of("questions", {"vqa-benchmark/a.json": document})
    rows = {r["released_id"]: r for r in made.tables["imported_questions"].rows(named=True)}
    assert set(rows) == ({"a_0", "a_1"} if rule else {"a_1"})
    assert rows["a_1"]["text"] == "How often in <TIME 00:03:1.8 video 1>?"
    assert (rows["a_1"]["answer"], rows["a_1"]["answer_text"]) == ([0], "0")
    if "choices" in changed and rule:
        assert (rows["a_0"]["options"], rows["a_0"]["answer"]) == (["a, b", "b, a"], [1])


def test_a_key_that_is_no_text() -> None:
    document = json.dumps({"a_\ud800": question(), "a_1": question()})
    made = rows_of("questions", {"vqa-benchmark/a.json": document})
    assert made.tables["imported_questions"]["released_id"].to_list() == ["a_1"]
    assert [rule for rule, _ in refused(made)] == ["unreadable_row"]


def test_inputs_with_several_videos_and_pictures() -> None:
    inputs = {f"video {n}": {"id": UID, "start_time": "00:01:19.170", "end_time": "0:01:21.25"}
              for n in range(1, 12)}  # fmt: skip
    inputs["image 1"] = {"time": "00:03:1.8", "id": UID}
    made = rows_of("questions", {"vqa-benchmark/a.json": {"a_0": question(inputs=inputs)}})
    media = made.tables["imported_questions"]["media"][0].to_list()
    assert [m["role"] for m in media] == [*(f"video {n}" for n in range(1, 12)), "image 1"]
    assert (media[0]["start_s"], media[0]["end_s"]) == (79.17, 81.25)
    assert (media[-1]["start_s"], media[-1]["end_s"]) == (181.8, 181.8)


def test_gaze_needs_the_clock_of_the_video(root: Path) -> None:
    home = f"SLAM-and-Gaze/P01/GAZE_HAND/mps_{IDS[0]}_vrs"
    stamps = f"Videos/P01/{IDS[0]}_mp4_to_vrs_time_ns.csv"
    gaze = (root / home / "eye_gaze/general_eye_gaze.csv").read_bytes()
    files: dict[str, Any] = {f"{home}/eye_gaze/general_eye_gaze.csv": gaze}
    made = rows_of("sensors", files, IDS[0])
    assert (made.tables, [rule for rule, _ in refused(made)]) == ({}, ["clock_unknown"])
    lines = (root / stamps).read_text().splitlines()
    # The video starts 2 s after the glasses: gaze before is before time 0.
    files[stamps] = "\n".join([lines[0], *lines[61:]]) + "\n"
    made = rows_of("sensors", files, IDS[0])
    assert made.tables["gaze_rays"]["t_s"][0] == pytest.approx(-60 * 0.033333, abs=1e-4)
    # A file with a torn row cannot say which frame is which.
    files[stamps] = "\n".join([*lines[:9], "1,2,x", *lines[9:]])
    torn = rows_of("sensors", files, IDS[0])
    assert "frame_stamps" not in torn.tables
    assert {rule for rule, _ in refused(torn)} == {
        "unreadable_row",
        "unreadable_file",
        "clock_unknown",
    }


def test_trajectories_in_numbered_folders_are_told() -> None:
    path = "SLAM-and-Gaze/P01/SLAM/multi/vrs_to_multi_slam.json"
    made = rows_of("recordings", {path: {f"P01/{UID}.vrs": "3"}})
    (said,) = made.refused
    assert (said["rule"], said["value"], said["recording_id"]) == ("trajectory_by_number", "3", UID)
    assert f"mps_{UID}_vrs/slam" in said["remedy"]


@pytest.mark.parametrize(
    ("data", "members"),
    [
        (b"{}", None), (b' {"a" : 1 , "b":[{}]} ', [("a", 1), ("b", [{}])]), (b'{"a":1,}', None),
        (b'{"a":1 "b":2}', None), (b"[1]", None), (b"", None), (b'{"a":1}x', None),
        (b'{"a":1,"a":2}', None), (b'{"a":', None), (b"{1:2}", None), (b"\xff", None),
    ],
)  # fmt: skip
def test_members_one_by_one(data: bytes, members: list | None) -> None:
    if members is None:
        with pytest.raises(Malformed):
            list(json_trees(data))
    else:
        assert list(json_trees(data)) == members

"""Ego4D's own JSON: the sample against its truth, and each trap of the formats note by name."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from assets.sources.ego4d import LAYOUT
from assets.sources.layout import Medium, PartFiles, Rows
from resources.worlds.flat import FlatSpec, plan_flat
from resources.worlds.flat.ego4d import (
    ABSENT,
    CLIP_START_S,
    CLIPPED,
    LATE_S,
    REFUSED,
    boxed,
    moments,
    own_actions,
    videos_of,
    write_ego4d,
)

if TYPE_CHECKING:
    from conftest import Source

A, B, C = (f"{d * 8}-{d * 4}-4{d * 3}-8{d * 3}-{d * 12}" for d in "abc")
SPEC = FlatSpec("lemma", takes=3, seed="ego4d", render="small")


def read(part: str, document: object, name: str, media: tuple[str, ...] = ()) -> Rows:
    """What a part makes of one file, read in pieces of seven bytes."""
    declared = LAYOUT.part(part)
    assert declared is not None and declared.is_large(name)
    data = json.dumps(document).encode()
    pieces = [data[at : at + 7] for at in range(0, len(data), 7)]
    seen = {m: Medium(m, 1, f"hash of {m}", 9.0) for m in media if declared.claims_medium(m)}
    return declared.read(PartFiles("it", {}, seen, large={name: lambda: iter(pieces)}))


def by(rows: Rows, table: str, key: str) -> dict[Any, dict]:
    return {row[key]: row for row in rows.tables[table].rows(named=True)}


def rules(rows: Rows) -> Counter:
    return Counter((one["table"], one["rule"]) for one in rows.refused)


# -- the sample ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("ego4d") / "root"
    write_ego4d(SPEC, path, workers=1)
    return path


def test_the_sample(root: Path, source_of: Callable[..., Source]) -> None:
    source = source_of("ego4d", root)
    source.ingest()
    assert Counter((q["table"], q["rule"]) for q in source.quarantine()) == REFUSED
    videos = videos_of(plan_flat(SPEC))
    assert [v.index for v in videos] == [0, 1, 1, CLIPPED]
    recordings = {r["recording_id"]: r for r in source.rows("recordings").rows(named=True)}
    clip = videos[3].clip_uid
    assert recordings.keys() == {*(v.uid for v in videos), ABSENT, clip}
    missing = {uid for uid, row in recordings.items() if row["media"] == "missing"}
    assert missing == {ABSENT, videos[3].uid}
    for video in videos[:3]:
        row = recordings[video.uid]
        assert row["media_duration_s"] == pytest.approx(video.duration_s, abs=0.05)
        assert (row["declared_frames"], row["width_px"]) == (
            video.frames,
            video.take.camera(video.camera).width_px,
        )
    clocks = {r["recording_id"]: r for r in source.rows("clocks").rows(named=True)}
    pair = [clocks[v.uid] for v in videos[1:3]]
    assert [(c["method"], c["offset_s"]) for c in pair] == [("timesync", 0.0), ("timesync", LATE_S)]
    assert pair[0]["take_id"] == pair[1]["take_id"] == recordings[videos[2].uid]["take_id"]
    # An invalid set ties nothing.
    assert clocks[ABSENT]["method"] == clocks[videos[0].uid]["method"] == "alone"
    assert clocks[clip]["offset_s"] == CLIP_START_S
    assert clocks[clip]["take_id"] == videos[3].uid
    _segments(source, videos)
    _boxes(source, videos)
    _gaze(source, root, videos[0].uid)
    splits = source.rows("splits")
    assert set(splits.select("recording_id", "split_set", "split").rows()) == {
        (v.uid, "fho", ("train", "val")[v.index % 2]) for v in videos
    }


def _segments(source: Source, videos: list) -> None:
    rows = source.rows("segments")
    points = rows.filter(pl.col("kind") == "atomic")
    for video in videos:
        mine = points.filter(pl.col("recording_id") == video.uid)
        expected = Counter(
            (round(a.contact_s - video.start_s, 6), "C" if a.actor == video.wearer else "O")
            for step in (1, 2)
            for a in video.actions[::step]
        )
        found = Counter((round(r["start_s"], 6), r["actor_id"]) for r in mine.rows(named=True))
        assert found == expected
    assert points["is_point"].all()
    assert not points["narration"].str.contains("#|\n").any()
    assert points["narration_original"].str.contains("#unsure").sum() > 5
    assert set(points["actor_id"]) == {"C", "O"}
    coarse = rows.filter(pl.col("kind") == "coarse")
    assert coarse.height == len(videos)
    acts = rows.filter(pl.col("kind") == "interaction")
    assert Counter(acts["recording_id"]) == {v.uid: len(own_actions(v)) for v in videos}
    for video in videos:
        mine = acts.filter(pl.col("recording_id") == video.uid)
        assert sorted(mine["start_s"]) == pytest.approx(
            sorted(a.start_s - video.start_s for a in own_actions(video))
        )


def _boxes(source: Source, videos: list) -> None:
    rows = source.rows("boxes")
    found = {
        (r["recording_id"], r["source_frame"], r["moment"], r["hand_side"], *r["raw"])
        for r in rows.rows(named=True)
    }
    expected = {
        (video.uid, frame, {"pre_frame": "pre", "pnr_frame": "contact"}.get(name, "post"),
         kind.removesuffix("_hand") if kind.endswith("_hand") else None,
         s.x_min, s.y_min, s.x_max - s.x_min, s.y_max - s.y_min)
        for video in videos[:3]
        for action in own_actions(video)
        for name, frame in moments(video, action).items()
        for kind, _, s in boxed(video, action, frame)
    }  # fmt: skip
    assert len(expected) > 50
    assert found == expected
    assert (rows["t_s"] * 30 - rows["source_frame"]).abs().max() < 1e-9  # type: ignore[operator]


def _gaze(source: Source, root: Path, uid: str) -> None:
    rows = source.rows("gaze_samples")
    with (root / f"v2/gaze/{uid}.csv").open(newline="") as file:
        raw = list(csv.DictReader(file))
    assert rows.height == len(raw)
    for at in (0, 17, len(raw) - 1):
        row = rows.row(at, named=True)
        told = (row["sample"], row["t_s"], row["x"], row["y"])
        said = [float(raw[at][n]) for n in ("canonical_timestamp_s", "norm_pos_x", "norm_pos_y")]
        assert told == (at, *said)
    assert set(rows["validity"]) <= {"flagged", "outside"}


def test_other_processes_write_the_same_and_other_kinds_are_refused(
    root: Path, tmp_path: Path
) -> None:
    write_ego4d(FlatSpec("lemma", 3, "ego4d", "none"), tmp_path, workers=1)
    for path in tmp_path.rglob("*.json"):
        assert path.read_bytes() == (root / path.relative_to(tmp_path)).read_bytes()
    assert not list(tmp_path.rglob("*.mp4"))
    with pytest.raises(ValueError, match="kind="):
        write_ego4d(FlatSpec("easg"), tmp_path)


# -- traps -----------------------------------------------------------------------------------------


def video(uid: str, **said: object) -> dict:
    return {"video_uid": uid, "duration_sec": 60.0, "scenarios": ["Cooking", "Eating"], **said}


def one_set(number: int, *videos: tuple[str, float], valid: object = True) -> dict:
    listed = [{"video_uid": uid, "video_start_offset_sec": at} for uid, at in videos]
    return {"concurrent_video_set_id": number, "valid": valid, "videos": listed}


def metadata(videos: list, sets: list, clips: list | None = None) -> dict:
    return {"videos": videos, "concurrent_video_sets": sets, "clips": clips or []}


def test_sets_that_do_not_hold_are_told_and_tie_nothing() -> None:
    sets = [
        one_set(1, (A, 0.0), (B, 2.5)),
        one_set(2, (B, 1.0)),
        one_set(3, (C, 0.0), valid=False),
        one_set(4, ("no-uid", 0.0)),
        one_set(5, (A.replace("a", "f"), 0.0)),
    ]
    made = read("recordings", metadata([video(A), video(B), video(C)], sets), "ego4d.json")
    clocks = by(made, "clocks", "recording_id")
    assert [(clocks[u]["take_id"], clocks[u]["offset_s"]) for u in (A, B, C)] == [
        ("concurrent_1", 0.0), ("concurrent_1", 2.5), (C, 0.0),
    ]  # fmt: skip
    assert rules(made) == {
        ("clocks", "video_in_two_sets"): 1,
        ("clocks", "set_not_valid"): 1,
        ("clocks", "unreadable_row"): 1,
        ("clocks", "unknown_video"): 1,
    }


def test_a_clip_is_a_recording_only_where_its_video_is_absent() -> None:
    clip_a, clip_b = A.replace("a", "d"), B.replace("b", "e")
    clips = [
        {"clip_uid": c, "video_uid": v, "video_start_sec": 10, "video_end_sec": 40}
        for c, v in ((clip_a, A), (clip_b, B))
    ]
    media = (f"v2/full_scale/{A}.mp4", f"v2/clips/{clip_a}.mp4", f"v1/clips/{clip_b}.mp4")
    document = metadata([video(A), video(B)], [one_set(7, (A, 0.0), (B, 2.5))], clips)
    made = read("recordings", document, "v2/ego4d.json", media)
    rows = by(made, "recordings", "recording_id")
    assert rows.keys() == {A, B, clip_b}
    assert rows[clip_b]["duration_s"] == 30.0
    assert by(made, "clocks", "recording_id")[clip_b]["offset_s"] == 12.5
    assert rows[A]["scenario"] == "Cooking; Eating"


@pytest.mark.parametrize("wrapped", [False, True])
def test_narrations_are_found_in_both_releases(wrapped: bool) -> None:
    point = {
        "timestamp_sec": 3.5,
        "annotation_uid": "n",
        "narration_text": "#C C lifts a #unsure \n",
    }
    again = {**point, "narration_text": "#O Woman Y waves"}
    untold = {**point, "narration_text": " \n"}
    summary = {
        "start_sec": 1,
        "end_sec": 9,
        "summary_text": "#Summary C cooks",
        "annotation_uid": "s",
    }
    told = {
        A: {
            "status": "complete",
            "narration_pass_1": {"narrations": [point, again, untold], "summaries": [summary]},
            "narration_pass_2": {"narrations": [{**point, "annotation_uid": "m"}], "summaries": []},
        },
        B: {"status": "redacted", "narration_pass_1": {"narrations": [point], "summaries": []}},
    }
    document = {"version": "v2", "videos": told} if wrapped else told
    made = read("segments", document, "annotations/narration.json")
    rows = made.tables["segments"].rows(named=True)
    assert [(r["kind"], r["actor_id"], r["narration"], r["is_point"]) for r in rows] == [
        ("atomic", "C", "C lifts a", True),
        ("atomic", "O", "Woman Y waves", True),
        ("coarse", None, "C cooks", None),
        ("atomic", "C", "C lifts a", True),
    ]
    assert rows[0]["narration_original"] == point["narration_text"]
    assert len({r["segment_id"] for r in rows}) == 4
    assert rules(made) == {("segments", "unreadable_row"): 1, ("segments", "redacted"): 1}


def action(**said: object) -> dict:
    return {
        "uid": "u", "start_sec": 100.0, "end_sec": 108.0, "clip_start_sec": 8.0,
        "is_valid_action": True, "is_rejected": False, "structured_verb": "cut",
        "narration_text": "#C C cuts", "frames": None, **said,
    }  # fmt: skip


def hands_and_objects(actions: list, **said: object) -> dict:
    interval = {"clip_id": "1", "clip_uid": None, "narrated_actions": actions, **said}
    meta = {"width": 200, "height": 100}
    return {"videos": [{"video_uid": A, "video_metadata": meta, "annotated_intervals": [interval]}]}


def test_what_the_release_does_not_count_is_left_out_and_counted() -> None:
    actions = [
        action(),
        action(uid="v", is_rejected=True, reject_reason="blurred"),
        action(uid="w", is_valid_action=False),
        action(uid="x", is_invalid_annotation=True),
        action(uid="y", is_valid_action="yes"),
        action(uid="z", is_valid_action=None),
        "nothing",
    ]
    made = read("segments", hands_and_objects(actions), "v2/annotations/fho_main.json")
    (row,) = made.tables["segments"].rows(named=True)
    # Seconds of the video, not of the clip.
    assert (row["start_s"], row["end_s"], row["kind"]) == (100.0, 108.0, "interaction")
    assert rules(made) == {
        ("segments", "rejected_action"): 1,
        ("segments", "no_valid_action"): 2,
        ("segments", "invalid_annotation"): 1,
        ("segments", "unreadable_row"): 2,
    }
    hidden = read("segments", hands_and_objects([action()], redacted=True), "fho_main.json")
    assert hidden.tables["segments"].is_empty()
    assert rules(hidden) == {("segments", "redacted"): 1}


def test_boxes_are_pixels_from_the_top_left() -> None:
    box = {"object_type": "object_of_change", "structured_noun": "onion", "instance_number": 2,
           "bbox": {"x": 150, "y": 10, "width": 100, "height": 20}}  # fmt: skip
    hand = {**box, "object_type": "right_hand", "structured_noun": None,
            "bbox": {"x": 20, "y": 50, "width": 20, "height": 10}}  # fmt: skip
    centre = {**hand, "object_type": "left_hand", "bbox": [55.0, 60.0]}
    frames = [
        {"frame_type": "pnr_frame", "frame_number": 3060, "boxes": [box, hand, centre]},
        {"frame_type": "pre_45", "frame_number": 3000, "boxes": [box]},
    ]
    document = hands_and_objects([action(frames=frames)])
    made = read("objects", document, "fho_main.json")
    rows = {(r["class_name"], r["moment"]): r for r in made.tables["boxes"].rows(named=True)}
    assert rows.keys() == {("onion", "contact"), ("right hand", "contact"), ("onion", None)}
    onion = rows["onion", "contact"]
    edges = [onion[n] for n in ("x_min", "y_min", "x_max", "y_max")]
    assert edges == pytest.approx([0.75, 0.1, 1.0, 0.3])
    assert (onion["clipped"], onion["object_id"], onion["t_s"]) == (True, "onion:2", 102.0)
    assert rows["right hand", "contact"]["hand_side"] == "right"
    assert rules(made) == {("boxes", "unreadable_row"): 1}
    relations = read("segments", document, "fho_main.json").tables["relations"]
    assert set(relations.select("subject", "relation", "object").rows()) == {
        ("Camera wearer", "verb", "cut"),
        ("cut", "direct object", "onion"),
    }


@pytest.mark.parametrize(
    "frames", [5, "x", [5], [{"boxes": 5}], [{"frame_type": [], "boxes": [5]}]]
)
def test_frames_of_no_form_are_refused_and_their_action_stays(frames: object) -> None:
    document = hands_and_objects([action(frames=frames)])
    assert read("segments", document, "fho_main.json").tables["segments"].height == 1
    assert rules(read("objects", document, "fho_main.json")) == {("boxes", "unreadable_row"): 1}


def test_a_split_of_no_form_is_refused_alone() -> None:
    document = metadata([video(A, split_fho=["train"]), video(B, split_fho="val")], [])
    made = read("recordings", document, "ego4d.json")
    assert [by(made, "recordings", "recording_id")[u]["split"] for u in (A, B)] == [None, "val"]
    splits = read("splits", document, "ego4d.json")
    assert splits.tables["splits"]["recording_id"].to_list() == [B]
    assert rules(splits) == {("splits", "unknown_split"): 1}


def test_gaze_is_marked_and_rows_without_a_time_are_refused() -> None:
    part = LAYOUT.part("sensors")
    assert part is not None
    text = io.StringIO()
    csv.writer(text).writerows(
        [
            ("component_idx", "canonical_timestamp_s", "world_index", "norm_pos_x", "norm_pos_y"),
            (0, 0.0, 10583.0, 0.44, 0.44),
            (0, 0.004, 10583.0, 1.5, 0.44),
            (0, 0.008, 10583.0, "", ""),
            (0, "", 10583.0, 0.4, 0.4),
        ]
    )
    path = f"v2/gaze/{A}.csv"
    assert part.recording_of(path) == A
    made = part.read(PartFiles("it", {path: text.getvalue().encode()}, {}, {"recording_id": A}))
    assert made.tables["gaze_samples"]["validity"].to_list() == ["flagged", "outside", "not_finite"]
    assert rules(made) == {("gaze_samples", "unreadable_row"): 1}


@pytest.mark.parametrize("text", ["", "[]", '{"videos": [', '{"videos": {}}', "{}"])
def test_broken_documents_are_refused_by_name(text: str) -> None:
    for part, name in (("recordings", "ego4d.json"), ("segments", "fho_main.json"),
                       ("segments", "narration.json")):  # fmt: skip
        declared = LAYOUT.part(part)
        assert declared is not None
        made = declared.read(PartFiles("it", {}, large={name: lambda: [text.encode()]}))
        # A list without members tells of no video: nothing is lost by it.
        good = name == "narration.json" and text in ("[]", '{"videos": {}}', "{}")
        good |= name == "fho_main.json" and text == '{"videos": {}}'
        if not good and name != "ego4d.json":
            assert {one["rule"] for one in made.refused} == {"unreadable_file"}, (name, text)
        assert all(frame.is_empty() for frame in made.tables.values())

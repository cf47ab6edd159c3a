"""EPIC-KITCHENS-100 and HD-EPIC on the real files, against readers that share no code with ours."""

from __future__ import annotations

import ast
import csv
import hashlib
import json
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assets.sources.epic_kitchens import LAYOUT as EPIC
from assets.sources.hd_epic import LAYOUT as HD
from assets.sources.layout import Layout, PartFiles, Rows
from expectations.contracts import check
from expectations.schemas import TABLES

SOURCE_TRAIN = "UDA_annotations/EPIC_100_uda_source_train.csv"
TARGET_TRAIN = "UDA_annotations/EPIC_100_uda_target_train_timestamps.csv"
SOUNDS = "epic-sounds/EPIC_Sounds_validation.csv"


def read(layout: Layout, root: Path) -> dict[str, Rows]:
    files = {p.relative_to(root).as_posix(): p.read_bytes() for p in root.rglob("*") if p.is_file()}
    return {
        part.name: part.read(
            PartFiles("real", {p: d for p, d in sorted(files.items()) if part.claims(p)})
        )
        for part in layout.parts
        if not part.per_recording
    }


def chosen(keys: Iterable[str], count: int = 10) -> list[str]:
    """Some keys that nobody picked by hand."""
    return sorted(keys, key=lambda key: hashlib.sha256(key.encode()).hexdigest())[:count]


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def seconds(text: str) -> float:
    hours, minutes, rest = text.split(":")
    return round(int(hours) * 3600 + int(minutes) * 60 + float(rest), 6)


# -- EPIC-KITCHENS ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def epic_root(shared: Path) -> Path:
    return shared / "data/epic-kitchens"


@pytest.fixture(scope="module")
def epic(epic_root: Path) -> dict[str, Rows]:
    return read(EPIC, epic_root)


def segment(made: dict[str, Rows], uid: str) -> dict[str, Any]:
    return (
        made["segments"]
        .tables["segments"]
        .row(by_predicate=pl.col("segment_id") == uid, named=True)
    )


def test_actions_are_read_in_time(epic_root: Path) -> None:
    part = EPIC.part("segments")
    assert part is not None
    data = (epic_root / SOURCE_TRAIN).read_bytes()
    began = time.process_time()
    rows = part.read(PartFiles("real", {SOURCE_TRAIN: data})).tables["segments"]
    assert time.process_time() - began < 3
    assert rows.height == 16_115


def test_counts(epic: dict[str, Rows], epic_root: Path) -> None:
    rows = epic["segments"].tables["segments"]
    files = {
        path.rpartition("/")[2]: count for path, count in rows.group_by("source_file").len().rows()
    }
    assert files["EPIC_100_uda_source_train.csv"] == 16_115
    assert files["EPIC_100_test_timestamps.csv"] == 13_092
    assert files["EPIC_100_uda_target_train_timestamps.csv"] == 26_115
    assert files["EPIC_Sounds_validation.csv"] == 8_035
    held_back = epic_root / "EPIC_100_validation.csv"
    assert files.get("EPIC_100_validation.csv", 0) == (9_668 if held_back.exists() else 0)
    assert epic["segments"].refused == ()
    recordings = epic["recordings"].tables["recordings"]
    assert recordings.height == 700
    # 37 participants in 45 kitchens, as the paper says.
    assert recordings["person_id"].n_unique() == 37
    assert recordings["environment_id"].n_unique() == 45
    assert recordings["environment_id"].null_count() == 0
    classes = epic["taxonomies"].tables["taxonomies"]
    assert dict(classes.group_by("taxonomy").len().rows()) == {"noun": 305, "verb": 97}


def test_every_row_keeps_its_contract(epic: dict[str, Rows]) -> None:
    for rows in epic.values():
        assert rows.refused == ()
        for name, frame in rows.tables.items():
            assert not check(TABLES[name], frame, {}).refused, name


@pytest.mark.parametrize("file", [SOURCE_TRAIN, TARGET_TRAIN, "EPIC_100_test_timestamps.csv"])
def test_ten_actions_by_another_reader(epic: dict[str, Rows], epic_root: Path, file: str) -> None:
    told = {row["narration_id"]: row for row in table(epic_root / file)}
    for uid in chosen(told):
        row, found = told[uid], segment(epic, uid)
        assert found["recording_id"] == row["video_id"]
        assert found["start_s"] == seconds(row["start_timestamp"])
        assert found["end_s"] == seconds(row["stop_timestamp"])
        assert found["narration"] == row.get("narration")
        if "verb_class" in row:
            assert found["released_verbs"] == [int(row["verb_class"])]
            assert found["released_nouns"] == ast.literal_eval(row["all_noun_classes"])
        else:
            assert (found["released_verbs"], found["released_nouns"]) == (None, None)


def test_relations_are_verb_and_nouns(epic: dict[str, Rows], epic_root: Path) -> None:
    rows = epic["segments"].tables["relations"]
    told = {row["narration_id"]: row for row in table(epic_root / SOURCE_TRAIN)}
    assert set(rows["segment_id"]) == set(told)
    relations: dict[str, list[dict[str, Any]]] = {}
    for row in rows.filter(pl.col("segment_id").is_in(chosen(told, 50))).rows(named=True):
        relations.setdefault(row["segment_id"], []).append(row)
    for uid in chosen(told, 50):
        nouns = ast.literal_eval(told[uid]["all_nouns"])
        assert {r["object"] for r in relations[uid] if r["relation"] == "verb"} == {
            told[uid]["verb"]
        }
        things = {r["object"] for r in relations[uid] if r["relation"] != "verb"}
        # `head:modifier` is said the other way round.
        assert {frozenset(t.split()) for t in things} == {
            frozenset(w for part in n.split(":") for w in part.split()) for n in nouns
        }


def test_ten_sounds_by_another_reader(epic: dict[str, Rows], epic_root: Path) -> None:
    told = {row["annotation_id"]: row for row in table(epic_root / SOUNDS)}
    lengths = {
        r["video_id"]: float(r["duration"]) for r in table(epic_root / "EPIC_100_video_info.csv")
    }
    late = [
        u for u, row in told.items() if seconds(row["stop_timestamp"]) > lengths[row["video_id"]]
    ]
    assert len(late) > 5
    for uid in {*chosen(told), *late}:
        row, found = told[uid], segment(epic, f"sound|{uid}")
        assert found["recording_id"] == row["video_id"]
        assert (found["class_name"], found["class_id"]) == (row["class"], int(row["class_id"]))
        end = seconds(row["stop_timestamp"])
        assert found["end_s"] == min(end, lengths[row["video_id"]])
        assert found["stated_end_s"] == (end if uid in late else None)


def test_ten_videos_and_pictures_by_another_reader(epic: dict[str, Rows], epic_root: Path) -> None:
    made = {r["recording_id"]: r for r in epic["recordings"].tables["recordings"].rows(named=True)}
    told = {row["video_id"]: row for row in table(epic_root / "EPIC_100_video_info.csv")}
    for uid in chosen(told):
        row, found = told[uid], made[uid]
        assert (found["duration_s"], found["declared_fps"]) == (
            float(row["duration"]),
            float(row["fps"]),
        )
        assert f"{found['width_px']}x{found['height_px']}" == row["resolution"]
        assert found["media"] == "missing"


def test_stated_times_of_pictures(epic_root: Path) -> None:
    """All 50,729 pictures: the rule holds but for 120, whose stated times are taken."""
    part = EPIC.part("objects")
    assert part is not None
    path = "visor/frames_to_timestamps.json"
    data = (epic_root / path).read_bytes()
    stamps = json.loads(data)["timestamps"]
    assert len(stamps) == 50_729
    videos: dict[str, list[str]] = {}
    for name in stamps:
        videos.setdefault(name.partition("_frame_")[0], []).append(name)
    square = [[[1.0, 1.0], [9.0, 1.0], [9.0, 9.0]]]
    ruled = 0
    for uid in {*chosen(videos, 3), "P02_02"}:
        document = {
            "video_annotations": [
                {
                    "image": {"name": name},
                    "annotations": [{"id": "a", "name": "x", "segments": square}],
                }
                for name in videos[uid]
            ]
        }
        file = f"GroundTruth-SparseAnnotations/annotations/train/{uid}.json"
        files = {file: json.dumps(document).encode(), path: data}
        boxes = part.read(PartFiles("real", files, {}, {"recording_id": uid})).tables["boxes"]
        assert boxes.height == len(videos[uid])
        for row in boxes.rows(named=True):
            assert row["t_s"] == stamps[f"{uid}_frame_{row['source_frame']:010d}.jpg"]
            base = 50 if len(uid) == 7 else 60
            ruled += abs((row["source_frame"] - 1) / base - row["t_s"]) < 1e-6
        if uid == "P02_02":
            assert sum(abs((r - 1) / 60 - t) > 1e-3 for r, t in
                       boxes.select("source_frame", "t_s").rows()) == 120  # fmt: skip
    assert ruled > 0


# -- HD-EPIC ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def hd_root(shared: Path) -> Path:
    return shared / "data/hd-epic"


@pytest.fixture(scope="module")
def hd(hd_root: Path) -> dict[str, Rows]:
    began = time.process_time()
    rows = read(HD, hd_root)
    assert time.process_time() - began < 6
    return rows


def test_hd_counts(hd: dict[str, Rows]) -> None:
    assert hd["recordings"].tables["recordings"].height == 156
    assert hd["recordings"].tables["recordings"]["person_id"].n_unique() == 9
    tracks = hd["objects"].tables["tracks"]
    assert (tracks.height, tracks["object_id"].n_unique()) == (19_812, 8_382)
    kinds = dict(hd["segments"].tables["segments"].group_by("kind").len().rows())
    # 1,490 activities but for three rows that name no video or no activity.
    assert kinds == {"coarse": 1_487, "keystep": 1_937, "phase": 2_115, "interaction": 812}
    assert [r["value"] for r in hd["segments"].refused] == [None, *["P09-2024623-154547"] * 2]
    classes = dict(hd["taxonomies"].tables["taxonomies"].group_by("taxonomy").len().rows())
    assert classes == {"noun": 303, "verb": 106}
    rules = Counter(
        r["rule"]
        for rows in hd.values()
        for name, frame in rows.tables.items()
        for r in check(TABLES[name], frame, {}).refused
    )
    assert rules == {"end_after_start": 7, "unique_key": 2}


def test_ten_tracks_by_another_reader(hd: dict[str, Rows], hd_root: Path) -> None:
    document = json.loads((hd_root / "scene-and-object-movements/assoc_info.json").read_text())
    told = {
        track["track_id"]: (video, uid, held["name"], *track["time_segment"])
        for video, objects in document.items()
        for uid, held in objects.items()
        for track in held["tracks"]
    }
    made = {r["track_id"]: r for r in hd["objects"].tables["tracks"].rows(named=True)}
    assert set(made) == set(told)
    for uid in chosen(told):
        row = made[uid]
        found = tuple(row[n] for n in ("recording_id", "object_id", "name", "start_s", "end_s"))
        assert found == told[uid]


def test_ten_steps_by_another_reader(hd: dict[str, Rows], hd_root: Path) -> None:
    recipes = json.loads((hd_root / "high-level/complete_recipes.json").read_text())
    told = Counter(
        (span["video"], recipe["steps"][step], list(recipe["steps"]).index(step), span["start"],
         span["end"])
        for recipe in recipes.values()
        for capture in recipe["captures"]
        for step, spans in capture["step_times"].items()
        for span in spans
    )  # fmt: skip
    rows = hd["segments"].tables["segments"].rows(named=True)
    names = ("recording_id", "class_name", "step_order", "start_s", "end_s")
    assert Counter(tuple(r[n] for n in names) for r in rows if r["kind"] == "keystep") == told


def test_activities_by_another_reader(hd: dict[str, Rows], hd_root: Path) -> None:
    lengths = {
        r["video_id"]: float(r["duration"])
        for r in table(hd_root / "youtube-links/HD_EPIC_YouTube_URLs.csv")
    }
    told = Counter(
        (r["video_id"], r["high_level_activity_label"].strip(), float(r["start_time"]),
         lengths[r["video_id"]] if r["end_time"] == "end" else float(r["end_time"]))
        for path in sorted((hd_root / "high-level/activities").glob("*.csv"))
        for r in table(path)
        if r["video_id"] in lengths and r["high_level_activity_label"].strip()
    )  # fmt: skip
    rows = hd["segments"].tables["segments"].rows(named=True)
    names = ("recording_id", "class_name", "start_s", "end_s")
    assert Counter(tuple(r[n] for n in names) for r in rows if r["kind"] == "coarse") == told


def test_questions_by_another_reader(hd: dict[str, Rows], hd_root: Path) -> None:
    paths = sorted((hd_root / "vqa-benchmark").glob("*.json"))
    assert len(paths) == 28
    rows = hd["questions"].tables["imported_questions"]
    assert hd["questions"].refused == ()
    made = {(r["question_set"], r["released_id"]): r for r in rows.rows(named=True)}
    total = 0
    for path in paths:
        document = json.loads(path.read_text())
        total += len(document)
        for uid in chosen(document, 3):
            said, row = document[uid], made[path.stem, uid]
            assert row["text"] == said["question"]
            assert row["answer"] == [said["correct_idx"]]
            flat = [", ".join(c) if isinstance(c, list) else c for c in said["choices"]]
            assert row["options"] == flat
            assert [m["role"] for m in row["media"]] == list(said["inputs"])
            for medium, one in zip(row["media"], said["inputs"].values(), strict=True):
                assert medium["recording_id"] == one["id"]
                start, end = (
                    one.get("start_time", one.get("time")),
                    one.get("end_time", one.get("time")),
                )
                assert medium["start_s"] == (None if start is None else seconds(start))
                assert medium["end_s"] == (None if end is None else seconds(end))
    assert rows.height == total

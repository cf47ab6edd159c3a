"""The released annotations: counts taken by hand, rows compared with readers that share no code."""

from __future__ import annotations

import csv
import hashlib
import json
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assets.labels.stage import STAGE as LABELS
from assets.options import Options, silent
from assets.sources.stage import STAGE as SOURCES
from expectations.schemas import TABLES
from resources.config import BenchmarkConfig, Settings, SourceConfig
from resources.store.tables import TableStore
from tests.stages import refresh_pairs, refresh_questions

COARSE = "annotations/coarse_annotations.tar.gz"
TAS = "temporal_action_segmentation_benchmark/tas_annotation"
ASKED = 10


class Release:
    def __init__(self, root: Path, home: Path) -> None:
        self.root = root
        self.settings = Settings(
            home,
            TableStore(str(home / "store")),
            home / "page.html",
            {"real": SourceConfig("real", "egoexolearn", str(root), sentence_match="none")},
            {"egobridge": BenchmarkConfig("egobridge", ("real",))},
        )

    def rows(self, table: str) -> pl.DataFrame:
        return self.settings.store.read(TABLES[table])


@pytest.fixture(scope="module")
def release(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Release:
    made = Release(shared / "data/egoexolearn", tmp_path_factory.mktemp("release"))
    SOURCES.refresh(made.settings, "real", Options(), silent)
    return made


def test_recordings(release: Release) -> None:
    rows = release.rows("recordings")
    assert rows.height == 745
    counted = rows.group_by("view", "scene").len().sort("view", "scene").rows()
    assert counted == [
        ("ego", "kitchen", 316),
        ("ego", "lab", 116),
        ("exo", "kitchen", 271),
        ("exo", "lab", 42),
    ]
    assert rows["media"].unique().to_list() == ["missing"]
    assert rows["media_paths"].list.len().sum() == 0
    assert sorted(rows["scenario"].unique()) == [f"task{n}" for n in range(1, 9)]
    # All lab exo ids look like ego ids: the view is the list's, never the id's.
    lab = rows.filter((pl.col("view") == "exo") & (pl.col("scene") == "lab"))["recording_id"]
    assert lab.str.contains("-ac78-").all()


def test_recordings_of_no_list_get_a_split(release: Release) -> None:
    """The lab's and two others, in the shares of the 585 that are listed."""
    rows = release.rows("recordings")
    counted = rows.group_by("split_from", "scene").len().sort("split_from", "scene").rows()
    assert counted == [
        ("hashed", "kitchen", 2),
        ("hashed", "lab", 158),
        ("published", "kitchen", 585),
    ]
    listed, hashed = (
        dict(rows.filter(split_from=said).group_by("split").len().iter_rows())
        for said in ("published", "hashed")
    )
    assert listed == {"train": 387, "val": 81, "test": 117}
    for split, count in listed.items():
        assert hashed[split] / 160 == pytest.approx(count / 585, abs=0.08), split


def test_segments(release: Release) -> None:
    rows = release.rows("segments")
    fine = rows.filter(pl.col("source_file") == "annotations/fine_annotation_test.csv")
    assert fine.height == 23_174
    assert fine["recording_id"].n_unique() == 621
    assert fine["narration"].null_count() == 23_174
    told = rows.filter(pl.col("released_verbs").is_not_null())
    assert told.height == 3_204
    assert told["narration"].null_count() == 0
    assert told["source_file"].unique().to_list() == [
        "association_benchmark/annotations/exo_train.csv"
    ]
    coarse = rows.filter(pl.col("kind") == "coarse")
    assert coarse.height == 6_691 - 2
    assert coarse["is_point"].sum() == 2
    assert coarse["recording_id"].n_unique() == 316
    assert rows.height == 23_174 + 3_204 + 6_689


def test_quarantine(release: Release) -> None:
    """Two items without a class, as the format note says."""
    rows = release.rows("quarantine")
    said = sorted(
        (r["file"].removeprefix(f"{COARSE}:l1/")[:8], r["row"], r["rule"])
        for r in rows.iter_rows(named=True)
        if r["table"] == "segments"
    )
    assert said == [
        ("bee95466", "20", "unreadable_row"),
        ("bee95466", "21", "unreadable_row"),
    ]
    (other,) = rows.filter(pl.col("table") != "segments").rows(named=True)
    assert (other["rule"], other["recording_id"]) == (
        "contradicting_split",
        "bee95524-ac78-11ee-819f-80615f12b59e",
    )
    assert rows["remedy"].str.len_chars().min() > 0


def test_vocabularies_and_splits(release: Release) -> None:
    classes = release.rows("taxonomies")
    assert dict(classes.group_by("taxonomy").len().rows()) == {
        "verb": 125,
        "noun": 627,
        "coarse": 27,
    }
    known = {
        (t, c): label for t, c, label in classes.select("taxonomy", "class_id", "label").rows()
    }
    for taxonomy, class_id, word in (
        ("noun", 296, "meat"),
        ("noun", 268, "knife"),
        ("verb", 17, "cut"),
        ("verb", 36, "hold"),
    ):
        assert word in known[taxonomy, class_id]
    listed = release.rows("splits").group_by("split_set", "split").len()
    assert {(a, b): n for a, b, n in listed.rows()} == {
        ("segmentation_ego", "train"): 173,
        ("segmentation_ego", "val"): 57,
        ("segmentation_ego", "test"): 85,
        ("segmentation_ego_gaze", "train"): 172,
        ("segmentation_ego_gaze", "val"): 56,
        ("segmentation_ego_gaze", "test"): 84,
        ("segmentation_exo", "train"): 214,
        ("segmentation_exo", "val"): 25,
        ("segmentation_exo", "test"): 32,
        ("planning_ego", "train"): 173,
        ("planning_ego", "val"): 57,
        ("planning_ego", "test"): 85,
        ("planning_ego_gaze", "train"): 172,
        ("planning_ego_gaze", "val"): 56,
        ("planning_ego_gaze", "test"): 84,
        ("planning_exo", "train"): 210,
        ("planning_exo", "val"): 24,
        ("planning_exo", "test"): 32,
        ("association_exo", "train"): 134,
    }
    assert dict(classes.group_by("taxonomy").agg(pl.col("closed_position").count()).rows()) == {
        "verb": 19,
        "noun": 31,
        "coarse": 0,
    }
    first = classes.filter((pl.col("closed_position") == 0) & (pl.col("taxonomy") == "noun"))
    assert first["class_id"].to_list() == [390]  # the file's order, not that of the numbers


def test_declared_lengths_are_not_trusted(release: Release) -> None:
    """Lab exo recordings share one declared length and are annotated far beyond it."""
    recordings, segments = release.rows("recordings"), release.rows("segments")
    shared_by = recordings.group_by("duration_s").len().sort("len", descending=True).row(0)
    assert shared_by[0] == pytest.approx(126.28)
    assert shared_by[1] > 5
    beyond = segments.join(recordings, on="recording_id").filter(
        pl.col("end_s") > pl.col("duration_s") + 60
    )
    assert beyond.height > 50


# -- row by row, by readers of the test's own ------------------------------------------------------


def _by_hash(items: list[Any], key: Callable[[Any], str]) -> list[Any]:
    return sorted(items, key=lambda item: hashlib.sha256(key(item).encode()).hexdigest())[:ASKED]


def _fine(root: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    path = root / "annotations/fine_annotation_test.csv"
    with path.open(encoding="utf-8", newline="") as file:
        for row in _by_hash(list(csv.DictReader(file)), lambda r: r["annotation_id"]):
            yield (
                f"fine:{row['annotation_id']}",
                {
                    "recording_id": row["video_uid"],
                    "start_s": float(row["start_sec"]),
                    "end_s": float(row["end_sec"]),
                    "split": row["subset"],
                },
            )


def _narrations(root: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    path = root / "association_benchmark/annotations/exo_train.csv"
    with path.open(encoding="utf-8", newline="") as file:
        for row in _by_hash(list(csv.DictReader(file)), lambda r: r["annotation_id"]):
            yield (
                f"fine:{row['annotation_id']}",
                {
                    "recording_id": row["video_uid"],
                    "start_s": float(row["start_sec"]),
                    "end_s": float(row["end_sec"]),
                    "narration": row["narration_en"],
                    "narration_original": row["narration_ch"],
                    "released_verbs": json.loads(row["verb"]),
                    "released_nouns": json.loads(row["noun"]),
                    "split": "train",
                },
            )


def _coarse(root: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    names = {
        c["value"]: c["key"] for c in json.loads((root / TAS / "semantic_en.json").read_text())
    }
    items = []
    with tarfile.open(root / COARSE) as archive:
        for member in archive:
            handle = archive.extractfile(member)
            if handle:
                items += [(Path(member.name).stem, item) for item in json.load(handle)]
    assert len(items) == 6_691
    good = [i for i in items if i[1]["attribute"] and i[1]["end"] > i[1]["start"]]
    for uid, item in _by_hash(good, lambda i: i[0] + i[1]["id"]):
        yield (
            f"coarse:{uid}:{item['id']}",
            {
                "recording_id": uid,
                "start_s": float(item["start"]),
                "end_s": float(item["end"]),
                "class_id": int(item["attribute"]),
                "class_name": names[item["attribute"]],
                "narration": item["textAttribute_en"],
            },
        )


@pytest.mark.parametrize("read", [_fine, _narrations, _coarse])
def test_ten_segments(release: Release, read: Callable[[Path], Iterator[tuple[str, dict]]]) -> None:
    rows = {r["segment_id"]: r for r in release.rows("segments").iter_rows(named=True)}
    asked = list(read(release.root))
    assert len(asked) == ASKED
    for key, expected in asked:
        found = rows[key]
        assert {name: found[name] for name in expected} == expected, key


def test_ten_recordings(release: Release) -> None:
    items = json.loads((release.root / "video_meta_downsampled.json").read_text())
    rows = {r["recording_id"]: r for r in release.rows("recordings").iter_rows(named=True)}
    lists = {
        (p.name.split("_")[0], p.name.split("_")[1]): p.read_text().split()
        for p in (release.root / TAS / "splits").iterdir()
        if "gaze" not in p.name
    }
    for item in _by_hash(items, lambda i: i["video_uid"]):
        row, uid = rows[item["video_uid"]], item["video_uid"]
        assert (row["view"], row["scene"], row["scenario"]) == (
            item["view"],
            item["scene"],
            item["task"],
        )
        assert row["declared_frames"] == item["num_frames"]
        assert row["duration_s"] == item["num_frames"] / item["fps"]
        assert (row["width_px"], row["height_px"]) == (item["width"], item["height"])
        splits = {s for (_, s), lines in lists.items() if f"{uid}.txt" in lines}
        assert (row["split"] in splits) == (row["split_from"] == "published") == bool(splits)


# -- the stages that need annotations only ---------------------------------------------------------


@pytest.mark.slow
def test_labels_pairs_and_questions_need_no_media(release: Release) -> None:
    settings = release.settings
    LABELS.refresh(settings, "real", Options(), silent)
    refresh_pairs(settings, "real", Options(), silent)
    refresh_questions(settings, "egobridge", Options(), silent)
    labels = release.rows("labels")
    told = release.rows("segments").filter(
        pl.col("narration").is_not_null() & (pl.col("kind") == "fine")
    )
    assert told.height == 3_204
    labelled = told.join(labels, on="segment_id", how="semi").height
    assert labelled > 0.9 * told.height
    # Classes come from the released vocabularies only.
    assert labels.filter(pl.col("kind") == "verb")["class_id"].is_between(0, 124).all()
    assert labels.filter(pl.col("kind") == "noun")["class_id"].is_between(0, 626).all()
    questions = release.rows("questions")
    assert questions.filter(pl.col("media_present")).is_empty()
    refused = release.rows("quarantine").filter(~pl.col("stage").str.starts_with("sources."))
    assert refused.is_empty(), refused
    assert SOURCES.is_fresh(settings, "real", Options())

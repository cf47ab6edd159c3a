"""The released sets: made anew from the annotations, read from released files, and scored.

Labels of frames of the lists `val` are those that the official evaluator scored as a perfect
prediction, written in the form of the release.
"""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from assets.options import Options, silent
from assets.scores.metrics import anticipation, planning
from assets.scores.metrics.multilabel import many_hot_of_ids
from assets.scores.task_sets import score_set
from assets.sources.stage import STAGE as SOURCES
from assets.task_sets.anticipation import files as anticipation_files
from assets.task_sets.anticipation import make as make_anticipation
from assets.task_sets.released_truth import describe_truth
from assets.task_sets.stage import STAGE as TASK_SETS
from assets.task_sets.stage import named
from assets.task_sets.task_set import Made as MadeSet
from assets.task_sets.task_set import positions, task_sets
from expectations.schemas import TABLES
from expectations.set_checks.task_sets import check_task_sets
from pipelines.cli.set_export import export_set
from resources.config import Settings, SourceConfig
from resources.store.tables import TableStore

TAS = "temporal_action_segmentation_benchmark/tas_annotation"
AHEAD = "action_anticipation_planning_benchmark"


class Made:
    """Sets of the release and their files."""

    def __init__(self, root: Path, home: Path) -> None:
        self.root = root
        self.home = home
        self.settings = Settings(
            home,
            TableStore(str(home / "store")),
            home / "page.html",
            {"real": SourceConfig("real", "egoexolearn", str(root))},
        )

    def items(self, name: str) -> pl.DataFrame:
        return self.settings.store.read(TABLES["task_sets"], "real", [name])

    def files(self, task: str) -> Iterator[tuple[Path, Path]]:
        """Files of a set in parity, and their names below the official folder."""
        out = (self.home / task).resolve()
        if not out.exists():
            export_set(self.settings, "real", f"{task}/parity", out)
        for path in sorted(out.rglob("*")):
            if path.is_file():
                yield path, path.relative_to(out)


@pytest.fixture(scope="module")
def oracles(shared: Path) -> Path:
    return shared / "oracles"


@pytest.fixture(scope="module")
def runs(oracles: Path) -> list[dict]:
    """Runs of the official evaluator over whole lists."""
    text = (oracles / "tas/dataset_runs.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture(scope="module")
def made(shared: Path, runs: list[dict], tmp_path_factory: pytest.TempPathFactory) -> Made:
    home = tmp_path_factory.mktemp("sets")
    shutil.copytree(shared / "data/egoexolearn", home / "raw", copy_function=shutil.copyfile)
    labels = home / "raw" / TAS / "gts_fps25"
    labels.chmod(0o755)
    for run in runs:
        if run["kind"] == "identity":
            for name, pairs in run["pred_rle"].items():
                lines = (label for label, n in pairs for _ in range(n))
                (labels / name).write_bytes("\r\n".join(lines).encode())
    found = Made(home / "raw", home)
    SOURCES.refresh(found.settings, "real", Options(), silent)
    TASK_SETS.refresh(found.settings, "real", Options(), silent)
    return found


def stored(made: Made, name: str) -> MadeSet:
    tables = ("task_sets", "set_classes", "released_truth")
    return MadeSet(*(made.settings.store.read(TABLES[t], "real", [name]) for t in tables))


def test_frames_and_lists_of_segmentation(made: Made) -> None:
    """All files of frames that are here, and of the split lists what has such a file."""
    here = {path.name for path, name in made.files("segmentation") if "gts_fps25" in name.parts}
    tried = []
    for path, name in made.files("segmentation"):
        official = made.root / TAS / name
        if name.parent.name == "splits":
            end = b"\r\n" if b"\r\n" in official.read_bytes() else b"\n"
            listed = official.read_text().split()
            expected = end.join(one.encode() for one in listed if one in here)
            assert path.read_bytes() == expected, name
            tried.append(f"{name.stem} {len(expected.split()) == len(listed)}")
        elif official.exists():
            assert path.read_bytes() == official.read_bytes(), name
            tried.append("gts_fps25")
    assert tried.count("gts_fps25") == 126
    # Exocentric recordings have labels where their file is here, and nowhere else.
    assert {t for t in tried if t.startswith("exo")} >= {
        "exo_val_annotations True",
        "exo_train_annotations False",
    }
    assert sum(t.startswith("ego") and t.endswith("True") for t in tried) == 6


def printed(stdout: str) -> dict[str, float]:
    """Metrics of the official printout."""
    return {name: float(value) for name, value in re.findall(r"(\S+): ([0-9.]+)", stdout)}


def test_scores_of_segmentation_are_those_of_the_official_program(
    made: Made, runs: list[dict]
) -> None:
    found = stored(made, "segmentation/parity")
    worst = 0.0
    for run in runs:
        (listed,) = run["scored_lists"]
        name, _, split = listed.removesuffix("_annotations.bundle").rpartition("_")
        items = found.items.filter((pl.col("list") == name) & (pl.col("split") == split))
        predictions = {k.removesuffix(".txt"): v for k, v in run["pred_rle"].items()}
        scores = score_set("segmentation", items, found.classes, predictions, "parity")
        ours = dict(scores.select("metric", "value").iter_rows())
        for metric, value in printed(run["stdout"]).items():
            # The program prints four digits, of Edit all.
            assert ours[metric] == pytest.approx(value, abs=1e-9 if metric == "Edit" else 5.1e-5)
            worst = max(worst, abs(ours[metric] - value))
        assert scores["n"].unique().to_list() == [run["videos"]]
    assert len(runs) == 30
    assert worst < 5.1e-5


def test_annotations_of_two_recordings_are_not_what_was_released(made: Made) -> None:
    found = stored(made, "segmentation/parity")
    odd = found.truth.filter(pl.col("n_differing") > 0)
    assert odd.select("list", "split").unique().sort("list").rows() == [
        ("ego", "val"),
        ("ego_gaze", "val"),
    ]
    assert odd["recording_id"].n_unique() == 2
    (line,) = [one for one in describe_truth(found.truth, found.items) if one.startswith("ego val")]
    assert line.startswith("ego val: the targets of 57 of 57 recordings are read from released")
    assert "; 2 of 57 annotated recordings differ (" in line


def test_scores_of_planning_are_those_of_the_official_program(made: Made, oracles: Path) -> None:
    """Of lists that are here; the recorded labels are the rows of the list, in its order.

    They were recorded without the loader, which knows no step where less than two seconds were seen.
    """
    found = stored(made, "planning/parity")
    known = positions(found.classes, "coarse")
    tried = {}
    for run in json.loads((oracles / "planning_ed/full_lists.json").read_text(encoding="utf-8")):
        split, _, name = run["list"].partition("_")
        items = found.items.filter((pl.col("list") == name) & (pl.col("split") == split))
        items = items.sort("position")
        if items.is_empty() or (split, name) == ("test", "ego"):
            continue  # the list of the egocentric test split is not here, but made from annotations
        asked = [[known[c] for c in classes] for classes in items["classes"]]
        assert asked == run["labels"]
        early = (items["end_s"] < 2).to_list()
        labels = [[-1] * 8 if e else one for e, one in zip(early, asked, strict=True)]
        expected = planning.score(run["samples"], labels, "parity").official()
        if not any(early):
            assert expected == pytest.approx(run["out"], abs=1e-9)
        plans = dict(zip(items["item_id"], run["samples"], strict=True))
        scores = score_set("planning", items, found.classes, plans, "parity")
        ours = dict(scores.select("metric", "value").iter_rows())
        assert ours["AUED"] == pytest.approx(expected["action_AUED"], abs=1e-9)
        for z in range(1, 9):
            assert ours[f"ED@{z}"] == pytest.approx(expected[f"action_ED_{z - 1}"], abs=1e-9)
        tried[run["list"]] = sum(early)
    assert tried == {"val_ego": 0, "val_exo": 2}


@pytest.mark.parametrize("kind", ["verb", "noun"])
def test_scores_of_anticipation_are_those_of_the_official_program(
    made: Made, oracles: Path, kind: str
) -> None:
    """As for planning: the loader gives no label where its context begins before the recording."""
    found = stored(made, "anticipation/parity")
    known = positions(found.classes, kind)
    (run,) = [
        run
        for run in json.loads((oracles / "anticipation_recall/full.json").read_text())
        if (run["split"], run["kind"]) == ("exo_val", kind)
    ]
    items = found.items.filter((pl.col("list") == "exo") & (pl.col("split") == "val"))
    items = items.sort("position").filter(pl.col(f"{kind}s").list.len() > 0)
    with np.load(oracles / f"anticipation_recall/full_exo_val_{kind}.npz") as held:
        scored, labels = held["scores"], held["labels"].astype(float)
    asked = many_hot_of_ids([[known[c] for c in one] for one in items[f"{kind}s"]], len(known))
    assert (asked == labels).all()
    recorded = anticipation.score(scored, labels, "parity").official()
    assert recorded["macro_recall_top5"] == pytest.approx(run["out"]["macro_recall_top5"], abs=1e-9)
    labels[(items["target_start_s"] - 1 - 2 < 0).to_numpy()] = 0
    predictions = {key: {kind: row} for key, row in zip(items["item_id"], scored, strict=True)}
    scores = score_set("anticipation", items, found.classes, predictions, "parity")
    ours = dict(scores.filter(pl.col("kind") == kind).select("metric", "value").iter_rows())
    expected = anticipation.score(scored, labels, "parity").official()
    assert ours == pytest.approx(expected, abs=1e-9)


def test_tables_of_anticipation_are_written_as_they_were_released(made: Made) -> None:
    """Tables that are here, and lists of their rows where the released one is not cumulative."""
    tried = []
    folder = made.root / AHEAD / "anticpation_annotation"
    files = {name.as_posix(): path for path, name in made.files("anticipation")}
    for name, path in files.items():
        official = folder / name
        clean = official if official.exists() else folder / name.replace("/list", "_gazed/list")
        if clean.exists():
            assert path.read_bytes() == clean.read_bytes(), name
            tried.append(name)
    assert {t.partition("/")[2] for t in tried} == {
        *(f"{v}_{s}_valid.csv" for v in ("ego", "exo") for s in ("train", "val")),
        *("valid_verbs.txt", "valid_nouns.txt"),
        "list_exo_train_ego_exo-feature.txt",
        "list_exo_val_ego_exo-feature.txt",
    }


def test_lists_of_skill_are_written_as_they_were_released(made: Made, tmp_path: Path) -> None:
    official = made.root / "skill_benchmark/annotations"
    for path in export_set(made.settings, "real", "skill/parity", tmp_path):
        assert path.read_bytes() == (official / path.name).read_bytes()
    assert (tmp_path / "annotations/skill_train.txt").is_file()


def test_segmentation_of_the_paper(made: Made) -> None:
    found = made.items("segmentation/paper")
    # The paper counts 173, 57 and 85; one recording is listed both in val and in test, and two that
    # are in no list have their split by hash.
    counted = dict(found.group_by("split").len().rows())
    assert counted == {"train": 174, "val": 56, "test": 86}
    assert found["recording_id"].is_unique().all()
    frames = found["runs"].list.eval(pl.element().struct.field("n")).list.sum()
    assert frames.sum() > 6_000_000


def test_lists_of_planning(made: Made) -> None:
    """All lists that are here; the counts are those of the release."""
    rows = {}
    for path, name in made.files("planning"):
        official = made.root / AHEAD / "planning_annotation" / name
        if official.exists():
            assert path.read_bytes() == official.read_bytes(), name
        rows[name.name] = path.read_text().count("\n") + 1
    assert rows == {
        "train_ego_anno_list.txt": 2171,
        "val_ego_anno_list.txt": 773,
        "test_ego_anno_list.txt": 1153,
        "train_ego_gaze_anno_list.txt": 2166,
        "val_ego_gaze_anno_list.txt": 761,
        "test_ego_gaze_anno_list.txt": 1138,
        "train_exo_anno_list.txt": 2359,
        "val_exo_anno_list.txt": 281,
    }


def test_planning_of_the_paper_sees_up_to_the_start(made: Made) -> None:
    found = made.items("planning/paper")
    assert (found["end_s"] == found["target_start_s"]).all()
    assert (found["classes"].list.len() == 8).all()


def test_plans_that_annotations_give_are_the_released_ones(made: Made) -> None:
    """All egocentric ones, each with the segment that it asks for."""
    found = stored(made, "planning/parity")
    ego = found.truth.filter(pl.col("list") != "exo")
    assert ego["n_differing"].to_list() == [0] * ego.height
    assert ego.height > 400
    items = found.items.filter((pl.col("list") != "exo") & pl.col("split").is_not_null())
    assert items["segment_id"].null_count() == 0


def test_table_of_anticipation_by_the_rule(made: Made) -> None:
    """Without the table: each released row whose narration is here, no other, in its order."""
    folder = made.root / AHEAD / "anticpation_annotation/balanced_full_annotation"
    with (folder / "exo_train_valid.csv").open(newline="", encoding="gb18030") as file:
        released = list(csv.reader(file))
    association = made.root / "association_benchmark/annotations/exo_train.csv"
    with association.open(newline="", encoding="utf-8") as file:
        here = {row["annotation_id"] for row in csv.DictReader(file)}
    expected = [row for row in released[1:] if row[1] in here]
    task, store = task_sets()["anticipation"], made.settings.store
    held = {name: store.read(TABLES[name], "real") for name in {*task.reads, "released_rows"}}
    held["released_rows"] = held["released_rows"].filter(pl.col("task") == "association")
    rows = named(make_anticipation(held, "parity"), "real", "anticipation/parity")
    files = anticipation_files(MadeSet(rows["task_sets"], rows["set_classes"]), held)
    table = files["balanced_full_annotation/exo_train_valid.csv"]
    found = list(csv.reader(io.StringIO(table, newline="")))[1:]
    assert len(found) >= 3_115
    assert [row[1] for row in found] == [row[1] for row in expected]
    equal = same_order = 0
    for ours, theirs in zip(found, expected, strict=True):
        assert (ours[0], ours[6]) == (theirs[0], theirs[6])
        assert [float(t) for t in ours[2:4]] == pytest.approx([float(t) for t in theirs[2:4]])
        for at in (4, 5):
            assert sorted(json.loads(ours[at])) == sorted(json.loads(theirs[at]))
        same_order += ours[4:6] == theirs[4:6]
        equal += ours == theirs
    # Order of the classes, and the last digit of times: not all can be told from the list.
    assert same_order >= 0.994 * len(found)
    assert equal >= 0.988 * len(found)
    for name in ("valid_verbs.txt", "valid_nouns.txt"):
        ours = files[f"balanced_full_annotation/{name}"]
        assert ours.encode() == (folder / name).read_bytes()


def test_anticipation_of_the_paper_says_why_it_is_empty(made: Made) -> None:
    """Egocentric narrations are not in the excerpt: no class is in both views."""
    assert made.items("anticipation/paper").is_empty()


def test_checks_find_what_the_release_shares_and_nothing_in_the_paper(made: Made) -> None:
    store = made.settings.store
    own = [
        f"{t}/{m}"
        for t in ("segmentation", "planning", "anticipation")
        for m in ("paper", "parity")
    ]
    verdicts = check_task_sets(
        *(
            store.read(TABLES[name], "real", own)
            for name in ("task_sets", "set_classes", "released_truth")
        )
    )
    said = {(r["set"], r["check"]) for r in verdicts.to_dicts() if r["verdict"] != "pass"}
    assert said == {
        ("anticipation/parity", "split_leakage"),
        ("segmentation/parity", "released_truth"),
        ("segmentation/parity", "split_leakage"),
        ("planning/parity", "split_leakage"),
        ("planning/parity", "answer_shown"),
    }
    assert verdicts.filter(pl.col("verdict") == "refuse").is_empty()

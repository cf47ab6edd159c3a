"""Which sets a source gets, and what makes them anew."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from assets.labels.stage import STAGE as LABELS
from assets.options import Options, silent
from assets.sources.stage import STAGE as SOURCES
from assets.task_sets.stage import STAGE as TASK_SETS
from assets.task_sets.task_set import Made, TaskSet, by_list, positions, task_sets
from expectations.schemas import TABLES
from expectations.schemas.task_sets import TASKS
from pipelines.cli.set_export import export_notes, export_set
from resources.config import Settings, SourceConfig
from resources.errors import ExpectedError
from resources.store.tables import TableStore
from resources.worlds import HouseholdSpec, plan
from resources.worlds.household.egoexolearn import write_annotations

FINE = "annotations/fine_annotation_trainvaltest_en.csv"
TAS = "temporal_action_segmentation_benchmark/tas_annotation"
PLANS = "action_anticipation_planning_benchmark/planning_annotation"
OWN = ("anticipation", "planning", "segmentation")


def settings(home: Path, layout: str = "egoexolearn") -> Settings:
    store = TableStore(str(home / "store"))
    return Settings(
        home, store, home / "page.html", {"s": SourceConfig("s", layout, str(home / "raw"))}
    )


def up(made: Settings) -> dict[str, str]:
    """Bring everything up; units of sets that were computed, and the input hashes."""
    SOURCES.refresh(made, "s", Options(), silent)
    LABELS.refresh(made, "s", Options(), silent)
    before = TASK_SETS.input_hashes(made, "s")
    TASK_SETS.refresh(made, "s", Options(), silent)
    assert TASK_SETS.is_fresh(made, "s", Options())
    return before


@pytest.fixture
def home(tmp_path: Path) -> Settings:
    write_annotations(plan(HouseholdSpec(ego=2, exo=1, render="none")), tmp_path / "raw")
    return settings(tmp_path)


def test_sets_are_found_by_their_declaration() -> None:
    found = task_sets()
    assert {*OWN} <= found.keys() <= {*TASKS}
    assert all(isinstance(t, TaskSet) and t.name == name for name, t in found.items())
    # Columns that are read exist.
    for task in found.values():
        for table, columns in task.reads.items():
            assert set(columns or ()) <= set(TABLES[table].schema), (task.name, table)
            assert table in TASK_SETS.deps, (task.name, table)


def changed(before: dict[str, str], after: dict[str, str]) -> set[str]:
    assert before.keys() == after.keys()
    return {u for u in before if before[u] != after[u] and u.partition("/")[0] in OWN}


def edit(home: Settings, path: str, change: Callable[[str], str]) -> None:
    file = home.home / "raw" / path
    said = file.read_text()
    assert change(said) != said
    file.write_text(change(said))


def test_a_set_is_made_anew_only_where_what_it_reads_changed(home: Settings) -> None:
    first = up(home)
    assert {f"{t}/{m}" for t in OWN for m in ("paper", "parity")} <= first.keys()
    assert changed(first, up(home)) == set()
    # Words that carry the same labels move no set of these.
    edit(home, FINE, lambda text: text.replace("The left hand", "The left  hand", 1))
    second = up(home)
    assert changed(first, second) <= {"anticipation/paper", "anticipation/parity"}
    # A class name is in all sets' tables of classes that have it.
    edit(
        home,
        "temporal_action_segmentation_benchmark/tas_annotation/semantic_en.json",
        lambda text: text.replace("Tidy up", "Clear away"),
    )
    third = up(home)
    assert {"planning/paper", "segmentation/parity"} <= changed(second, third)
    labels = home.store.read(TABLES["set_classes"], "s", ["planning/paper"])["label"]
    assert "Clear away" in labels.to_list()
    assert "Tidy up" not in labels.to_list()


def test_released_files_are_the_truth_of_parity_and_move_their_own_set_alone(
    home: Settings, tmp_path: Path
) -> None:
    """Files that we export and put in the place of released ones change nothing; edited ones do."""
    first = up(home)
    made = {name: home.store.read(TABLES["task_sets"], "s", [name]) for name in first}
    export_set(home, "s", "segmentation/parity", home.home / "raw" / TAS)
    export_set(home, "s", "planning/parity", home.home / "raw" / PLANS)
    second = up(home)
    assert changed(first, second) == {"segmentation/parity", "planning/parity"}
    for name, before in made.items():
        assert_frame_equal(before, home.store.read(TABLES["task_sets"], "s", [name]))
    truth = home.store.read(TABLES["released_truth"], "s")
    assert set(truth["set"]) == {"segmentation/parity", "planning/parity"}
    assert truth["n_differing"].to_list() == [0] * truth.height

    uid = truth["recording_id"][0]
    edit(home, f"{TAS}/gts_fps25/{uid}.txt", lambda text: "1" + text[text.index("\n") :])
    third = up(home)
    assert changed(second, third) == {"segmentation/parity"}
    (odd,) = (
        home.store.read(TABLES["released_truth"], "s").filter(pl.col("n_differing") > 0).to_dicts()
    )
    assert (odd["set"], odd["recording_id"], odd["n_differing"]) == ("segmentation/parity", uid, 1)
    item = home.store.read(TABLES["task_sets"], "s", ["segmentation/parity"])
    assert item.filter(pl.col("recording_id") == uid)["runs"][0][0] == {"class_id": 1, "n": 1}

    (path,) = sorted((home.home / "raw" / PLANS / "annotation").iterdir())[:1]
    line = path.read_text().splitlines()[0]
    edit(home, f"{PLANS}/annotation/{path.name}", lambda text: text.replace(line, f"{line}|more"))
    assert changed(third, up(home)) == {"planning/parity"}
    refused = home.store.read(TABLES["quarantine"]).filter(pl.col("table") == "released_rows")
    assert refused.select("file", "row", "value").rows() == [
        (f"{PLANS}/annotation/{path.name}", "1", f"{line}|more")
    ]
    (said,) = [n for n in export_notes(home, "s", "segmentation/parity") if "differ" in n]
    assert said.startswith(f"truth: ego {odd['split']}: the targets of ")
    assert " annotated recordings differ (1 of " in said
    assert said.endswith(f": {uid}")
    notes = export_notes(home, "s", "planning/parity")
    assert f"as released: annotation/{path.name}" in notes
    # The list is written as it stands, without the refused row.
    out = tmp_path / "out"
    export_set(home, "s", "planning/parity", out)
    kept = path.read_text().splitlines()[1:]
    assert (out / "annotation" / path.name).read_text().split("\n") == kept


def test_a_source_that_cannot_feed_a_set_gets_none(tmp_path: Path) -> None:
    """Without coarse classes no segmentation and planning; without one view no anticipation."""
    write_annotations(plan(HouseholdSpec(ego=2, exo=0, render="none")), tmp_path / "raw")
    (
        tmp_path / "raw/temporal_action_segmentation_benchmark/tas_annotation/semantic_en.json"
    ).unlink()
    found = up(settings(tmp_path))
    assert not {u for u in found if u.partition("/")[0] in OWN}


def test_parity_is_of_the_released_layout_alone(home: Settings) -> None:
    up(home)
    other = Settings(
        home.home, home.store, home.page, {"s": SourceConfig("s", "own", str(home.home))}
    )
    assert {u.partition("/")[2] for u in TASK_SETS.input_hashes(other, "s")} == {"paper"}


def test_export_writes_what_the_official_code_reads(home: Settings, tmp_path: Path) -> None:
    up(home)
    out = tmp_path / "out"
    written = export_set(home, "s", "segmentation/paper", out)
    frames = [p for p in written if p.parent.name == "gts_fps25"]
    items = home.store.read(TABLES["task_sets"], "s", ["segmentation/paper"])
    assert {p.stem for p in frames} == set(items["recording_id"])
    declared = dict(
        home.store.read(TABLES["recordings"], "s").select("recording_id", "declared_frames").rows()
    )
    for path in frames:
        assert len(path.read_text().split("\n")) == declared[path.stem]


def test_export_says_what_is_missing(home: Settings, tmp_path: Path) -> None:
    up(home)
    for source, name, said in (
        ("nobody", "planning/paper", "no source 'nobody'; known"),
        ("s", "planning", "no set of s 'planning'; known: .*planning/"),
        ("s", "anticipation/parity", "is empty"),
    ):
        with pytest.raises(ExpectedError, match=said):
            export_set(home, source, name, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_items_by_list_and_positions() -> None:
    head = {"view": "ego", "list": "ego", "recording_id": "r"}
    items = [
        {**head, "item_id": i, "split": s, "position": p}
        for i, s, p in (("a", "val", 1), ("b", "val", 0), ("c", None, 0), ("d", "train", 0))
    ]
    classes = [
        {"kind": "verb", "class_id": c, "label": "", "n": 1, "kept": p is not None, "position": p}
        for c, p in ((4, 1), (9, 0), (5, None))
    ]
    made = Made.of(items, classes)
    assert {k: [i["item_id"] for i in v] for k, v in by_list(made.items).items()} == {
        ("ego", "train"): ["d"],
        ("ego", "val"): ["b", "a"],
    }
    assert list(positions(made.classes, "verb").items()) == [(9, 0), (4, 1)]
    assert made.items.schema == TABLES["task_sets"].schema
    assert isinstance(made.classes, pl.DataFrame)

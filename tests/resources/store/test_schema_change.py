"""An installation that was written by the version before: what merges, what is made anew."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from assets.sources.layout import Layout, Part, Rows
from assets.sources.manifest import FILES, take_manifest
from expectations.contracts import Refusal
from expectations.schemas import TABLES, Column, Table
from resources.roots.base import LocalRoot
from resources.roots.open import open_root
from resources.store import schema_change
from resources.store.incremental import Output, Report, StageTables, run_stage
from resources.store.ledger import read_ledger
from resources.store.tables import OutdatedTable, TableStore

BEFORE = (
    Column("unit", pl.String(), "Unit."),
    Column("k", pl.Int64(), "Key."),
    Column("v", pl.Int64(), "Value."),
    Column("at", pl.Int64(), "Clock.", volatile=True),
)
NOW = {
    "same": BEFORE,
    "column added": (*BEFORE, Column("w", pl.String(), "New.", nullable=True)),
    "column gone": (*BEFORE[:2], BEFORE[3]),
    "type changed": (*BEFORE[:2], Column("v", pl.Float64(), "Value."), BEFORE[3]),
    "volatile type changed": (*BEFORE[:3], Column("at", pl.String(), "Clock.", volatile=True)),
    "rule added": (*BEFORE[:2], Column("v", pl.Int64(), "Value.", low=-5), BEFORE[3]),
    "nested type changed": (
        *BEFORE[:2],
        Column("v", pl.Struct({"a": pl.Int64}), "Value."),
        BEFORE[3],
    ),
}
UNITS = {"p": ["a", "b"], "q": ["c"]}


def stage_of(columns: tuple[Column, ...]) -> StageTables:
    beside = Table("beside", "labels", "row", BEFORE, ("k",), "unit")
    return StageTables("labels", (beside, Table("t", "labels", "row", columns, ("k",), "unit")))


def rows(table: Table, unit: str) -> pl.DataFrame:
    values = {"unit": unit, "k": 1, "v": 7, "at": 3, "w": "x"}
    frame = pl.DataFrame([{n: values[n] for n in table.schema}])
    if isinstance(table.schema.get("v"), pl.Struct):
        frame = frame.with_columns(v=pl.struct(a=pl.lit(7)))
    return frame.cast(dict(table.schema))  # type: ignore[arg-type]


def run(
    store: TableStore, stage: StageTables, partition: str, units: list[str] | None = None
) -> Report:
    wanted = dict.fromkeys(UNITS[partition] if units is None else units, "made of the same")

    def compute(todo: list[str]) -> Iterable[Output]:
        for unit in todo:
            refused = [(unit, Refusal(None, None, "r", None, "m", "x", table="t"))]
            frames = {t.name: rows(t, unit) for t in stage.tables}
            yield Output([unit], frames, refused if unit == "a" else [])

    return run_stage(store, stage, partition, lambda: wanted, compute)


def content(store: TableStore, stage: StageTables) -> Mapping[str, list]:
    return {
        t.name: store.read(t).sort(t.unit).select(sorted(t.schema)).rows(named=True)
        for t in (*stage.tables, TABLES["quarantine"])
    }


@pytest.fixture
def store(tmp_path: Path) -> TableStore:
    made = TableStore(str(tmp_path / "t"))
    for partition in UNITS:
        run(made, stage_of(BEFORE), partition)
    return made


@pytest.mark.parametrize("change", NOW)
def test_it_ends_as_if_written_anew(store: TableStore, tmp_path: Path, change: str) -> None:
    stage = stage_of(NOW[change])
    computed = {p: run(store, stage, p).computed for p in UNITS}
    assert computed == ({p: [] for p in UNITS} if change == "same" else UNITS)
    anew = TableStore(str(tmp_path / "anew"))
    for partition in UNITS:
        run(anew, stage, partition)
    assert content(store, stage) == content(anew, stage)
    # And it has come to rest.
    assert [run(store, stage, p).computed for p in UNITS] == [[], []]


def test_what_is_added_merges_and_nothing_is_emptied(store: TableStore) -> None:
    stage = stage_of(NOW["column added"])
    table = stage.tables[1]
    assert store.read(table)["w"].to_list() == [None] * 3
    run(store, stage, "q")
    assert dict(store.read(table).select("unit", "w").iter_rows()) == {
        "a": None,
        "b": None,
        "c": "x",
    }


@pytest.mark.parametrize("change", ["type changed", "volatile type changed"])
def test_what_cannot_be_read_is_said_until_it_is_made_anew(store: TableStore, change: str) -> None:
    stage = stage_of(NOW[change])
    with pytest.raises(OutdatedTable, match="table t was written by another version"):
        store.read(stage.tables[1])
    run(store, stage, "p")
    # The other partition is empty, and its ledger knows of nothing that it could miss.
    assert store.read(stage.tables[1])["unit"].sort().to_list() == UNITS["p"]
    assert read_ledger(store, "labels", "q") == {}
    assert store.read(stage.tables[0], "q").is_empty()
    run(store, stage, "q")
    assert store.read(stage.tables[0])["unit"].sort().to_list() == ["a", "b", "c"]


def test_units_that_went_at_the_same_time_leave_nothing(store: TableStore) -> None:
    stage = stage_of(NOW["type changed"])
    run(store, stage, "p", ["b"])
    for table in stage.tables:
        assert store.read(table, "p")["unit"].to_list() == ["b"]
    assert store.read(TABLES["quarantine"]).is_empty()


@pytest.mark.parametrize("after", [0, 1, 2])
def test_a_process_that_dies_in_between_is_made_up_for(
    store: TableStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    stage = stage_of(NOW["type changed"])
    done: list[str] = []
    recreate = TableStore.recreate

    def dies(self: TableStore, table: Table) -> None:
        if len(done) == after:
            raise KeyboardInterrupt
        done.append(table.name)
        recreate(self, table)

    with monkeypatch.context() as patched:
        patched.setattr(TableStore, "recreate", dies)
        if after < 2:
            with pytest.raises(KeyboardInterrupt):
                run(store, stage, "p")
        else:
            run(store, stage, "p")
    for partition in UNITS:
        run(store, stage, partition)
    anew = TableStore(str(tmp_path / "anew"))
    for partition in UNITS:
        run(anew, stage, partition)
    assert content(store, stage) == content(anew, stage)


def test_a_ledger_of_another_version_makes_all_anew(store: TableStore, monkeypatch) -> None:
    ledger = TABLES["ledger"]
    columns = tuple(
        replace(c, dtype=pl.String()) if c.name == "n_rows" else c for c in ledger.columns
    )
    old = replace(ledger, columns=columns)
    held = {partition: store.read(ledger, partition) for partition in store.partitions(ledger)}
    store.recreate(old)
    for partition, kept in held.items():
        as_it_was = kept.with_columns(pl.col("n_rows").cast(pl.String))
        store.replace(old, partition, kept["unit"], as_it_was)
    stage = stage_of(BEFORE)
    assert read_ledger(store, "labels", "p") == {}
    tables = {t.name: t for t in (*stage.tables, ledger, TABLES["quarantine"], TABLES["calls"])}
    monkeypatch.setattr(schema_change, "TABLES", tables)
    assert {p: run(store, stage, p).computed for p in UNITS} == UNITS
    assert [run(store, stage, p).computed for p in UNITS] == [[], []]
    assert store.read(stage.tables[1])["unit"].sort().to_list() == ["a", "b", "c"]


def test_replies_are_never_thrown_away(store: TableStore) -> None:
    calls = TABLES["calls"]
    columns = tuple(
        replace(c, dtype=pl.Int64()) if c.name == "prompt" else c for c in calls.columns
    )
    old = replace(calls, columns=columns)
    store.append(old, "run", old.frame([{"call_key": "k"}]))
    run(store, stage_of(NOW["type changed"]), "p")
    with pytest.raises(OutdatedTable):
        store.append(calls, "run", calls.frame([{"call_key": "k2"}]))
    assert store.read(old).height == 1


# -- the listing of files --------------------------------------------------------------------------

LAYOUT = Layout("x", "X", "CC0", "verified", (Part("recordings", lambda _: Rows({}), r".+\.csv"),))


@pytest.mark.parametrize(
    ("change", "read_again"),
    [
        (lambda c: tuple(x for x in c if x.name not in ("archive", "whole")), 0),
        (lambda c: tuple(replace(x, dtype=pl.Int32()) if x.name == "bytes" else x for x in c), 2),
    ],
    ids=["before archives", "another type"],
)
def test_a_listing_of_the_version_before(tmp_path: Path, change, read_again: int) -> None:
    root = tmp_path / "root"
    root.mkdir()
    for name in ("a.csv", "b.csv"):
        (root / name).write_text(name)
    held = LocalRoot(str(root)).list().files
    store = TableStore(str(tmp_path / "t"))
    old = replace(FILES, columns=change(FILES.columns))
    place = open_root(str(root))
    said = [
        {
            "source": "it",
            "path": f.path,
            "bytes": f.bytes,
            "stamp": f.stamp,
            "content": place.content(f),
            "part": "recordings",
            "is_media": False,
        }
        for f in held
    ]
    store.replace(old, "it", [f.path for f in held], old.frame(said))
    manifest = take_manifest(store, "it", LAYOUT, place)
    assert manifest.hashed == read_again
    assert {p: f["content"] for p, f in manifest.files.items()} == {
        r["path"]: r["content"] for r in said
    }
    assert take_manifest(store, "it", LAYOUT, place).hashed == 0

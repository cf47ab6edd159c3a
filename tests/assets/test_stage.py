"""What a stage does not declare it cannot read, and what Dagster shows of it follows from its declaration."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dagster as dg
import polars as pl
import pytest

from assets.dagster.graph import upstream
from assets.options import Options, silent
from assets.report.stage import STAGE as PAGE
from assets.stage import (
    Batch,
    DeclaredView,
    Inputs,
    OwnRun,
    Stage,
    UndeclaredRead,
    Unit,
    ledger_name,
    merge_reads,
    with_keys,
)
from expectations.checks.keys import asset_key
from expectations.schemas import TABLES
from pipelines.definitions import STAGES, definitions
from resources.config import Settings, SourceConfig, load_settings
from resources.store.incremental import Output, StageTables, run_stage
from resources.store.ledger import read_ledger
from resources.store.tables import TableStore
from tests.installation import CONFIG

BOOKKEEPING = {"files", "ledger", "quarantine"}
every_stage = pytest.mark.parametrize("stage", [*STAGES, PAGE], ids=lambda stage: stage.name)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    store = TableStore(str(tmp_path / "tables"))
    source = SourceConfig("house", "egoexolearn", str(tmp_path))
    return Settings(tmp_path, store, tmp_path / "page.html", {"house": source})


# -- every stage -----------------------------------------------------------------------------------


@every_stage
def test_an_undeclared_table_cannot_be_read(stage: Stage, settings: Settings) -> None:
    inputs = Inputs(settings, stage, "house")
    readable = {*stage.reads, *stage.tables, *stage.adds_to, *BOOKKEEPING}
    others = TABLES.keys() - readable
    assert others
    for name in sorted(others):
        with pytest.raises(UndeclaredRead, match=f"stage {stage.name} reads table {name}"):
            inputs.store.read(TABLES[name], "house")
        with pytest.raises(UndeclaredRead, match=name):
            inputs.store.stamp(TABLES[name], "house")
        for look in (inputs.read, inputs.stored_units, inputs.units_with_rows):
            with pytest.raises(UndeclaredRead, match=name):
                look(name)
        with pytest.raises(UndeclaredRead, match=name):
            inputs.row_hashes({name: None})


@every_stage
def test_an_undeclared_column_cannot_be_read(stage: Stage, settings: Settings) -> None:
    inputs = Inputs(settings, stage, "house")
    for name, declared in stage.reads.items():
        table = TABLES[name]
        rows = inputs.store.read(table, "house")
        assert rows.columns == list(table.schema if declared is None else declared)
        for column in set(table.schema) - set(rows.columns):
            with pytest.raises(UndeclaredRead, match=column):
                inputs.store.read(table, "house", columns=[column])
            with pytest.raises(UndeclaredRead, match=column):
                inputs.read(name, (column,))
            with pytest.raises(UndeclaredRead, match=column):
                inputs.row_hashes({name: (column,)})


@every_stage
def test_the_ledger_shows_the_writers_of_declared_tables_only(
    stage: Stage, settings: Settings
) -> None:
    inputs = Inputs(settings, stage, "house")
    known = {ledger_name(name) for name in (*stage.reads, *stage.tables, *stage.adds_to)}
    for name in TABLES.keys() - BOOKKEEPING:
        if ledger_name(name) in known:
            assert read_ledger(inputs.store, ledger_name(name), "house") == {}
        else:
            with pytest.raises(UndeclaredRead, match=rf"ledger of {ledger_name(name)}\.house"):
                read_ledger(inputs.store, ledger_name(name), "house")


@pytest.fixture(scope="module")
def specs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dg.AssetSpec]:
    config = tmp_path_factory.mktemp("graph") / "parallax.toml"
    config.write_text(CONFIG)
    found = definitions(load_settings(config)).resolve_all_asset_specs()
    return {spec.key.to_user_string(): spec for spec in found}


@every_stage
def test_dagster_depends_on_what_is_declared(stage: Stage, specs: dict[str, dg.AssetSpec]) -> None:
    """Every table that is read is an edge of the stage, or one of its relays was made from it."""
    writers = {name: one for one in STAGES for name in one.tables}
    edges: set[str] = set()
    relayed: set[str] = set()
    for table in stage.tables or (stage.name,):
        found = upstream(stage, table, STAGES)
        assert found.relays <= set(found.tables)
        edges |= {dep.asset_key.path[-1] for dep in specs[asset_key(table).to_user_string()].deps}
        relayed |= {name for relay in found.relays for name in writers[relay].deps}
    read = set(stage.reads) - set(stage.tables)
    raw = {"sample-egoexolearn"} if stage.name == "sources" else set()
    assert edges - set(stage.tables) <= read | raw
    assert read <= edges | relayed
    assert stage.partition == "benchmark" or not relayed


@every_stage
def test_column_lineage_names_columns_that_exist_and_are_read(
    stage: Stage, specs: dict[str, dg.AssetSpec]
) -> None:
    for table in stage.tables:
        lineage = specs[asset_key(table).to_user_string()].metadata["dagster/column_lineage"]
        assert isinstance(lineage, dg.TableColumnLineage)
        shown = lineage.deps_by_column
        assert set(shown) <= set(TABLES[table].schema)
        assert set(stage.lineage.get(table, ())) <= set(shown)
        derives = stage.name != "sources" and stage.derived_from.get(table) != ()
        assert bool(shown) == derives
        for column, origins in shown.items():
            assert origins, column
            for origin in origins:
                name = origin.asset_key.path[-1]
                declared = None if name in stage.tables else stage.reads[name]
                assert origin.column_name in (declared or TABLES[name].schema), (column, origin)


def test_every_table_is_recorded_by_the_stage_that_writes_it() -> None:
    for stage in STAGES:
        if stage.own is None:
            assert {ledger_name(name) for name in stage.tables} == {stage.name}
    # The listing of a source's files has no units: it is compared with what lies there.
    written = [name for stage in STAGES for name in stage.tables if name != "files"]
    assert len(written) == len(set(written))
    assert set(written) == TABLES.keys() - BOOKKEEPING


# -- the mechanism ---------------------------------------------------------------------------------


def _units(inputs: Inputs) -> Iterator[Unit]:
    for uid in inputs.units_with_rows("segments"):
        yield Unit(uid, inputs.keys([uid]))


def _make(batch: Batch) -> Iterator[Output]:
    for unit in batch.units:
        SEEN.append((unit.name, batch.of(unit)["segments"]))
        yield Output([unit.name], {})


SEEN: list[tuple[str, pl.DataFrame]] = []
SEGMENTS = TABLES["segments"]
READER = Stage(
    name="labels",
    group="labels",
    summary="Reads one column.",
    partition="source",
    tables=("labels",),
    reads={"segments": ("segment_id",)},
    units=_units,
    make=_make,
)


def write_segments(settings: Settings, texts: dict[str, str]) -> None:
    """Store a segment with a text for each recording, as the stage of sources does."""
    rows = SEGMENTS.frame(
        {
            "source": "house",
            "segment_id": f"s-{uid}",
            "recording_id": uid,
            "kind": "fine",
            "start_s": 0.0,
            "end_s": 1.0,
            "is_point": False,
            "narration": text,
            "source_file": "f",
            "source_key": uid,
        }
        for uid, text in texts.items()
    )
    tables = StageTables("sources.segments", (SEGMENTS,))
    run_stage(
        settings.store,
        tables,
        "house",
        lambda: texts,
        lambda todo: [Output(todo, {"segments": rows.filter(pl.col("recording_id").is_in(todo))})],
    )


def refresh(settings: Settings) -> list[str]:
    """Units that were computed."""
    SEEN.clear()
    (report,) = READER.refresh(settings, "house", Options(), silent)
    assert sorted(name for name, _ in SEEN) == report.computed
    return report.computed


def test_make_is_handed_the_declared_columns_of_its_unit(settings: Settings) -> None:
    write_segments(settings, {"a": "one", "b": "two"})
    assert refresh(settings) == ["a", "b"]
    for name, rows in SEEN:
        assert rows.columns == ["segment_id"]
        assert rows["segment_id"].to_list() == [f"s-{name}"]
        with pytest.raises(pl.exceptions.ColumnNotFoundError):
            rows["narration"]


def test_a_change_of_an_undeclared_column_recomputes_nothing(settings: Settings) -> None:
    write_segments(settings, {"a": "one", "b": "two"})
    refresh(settings)
    write_segments(settings, {"a": "another", "b": "two"})
    assert READER.is_fresh(settings, "house", Options())
    assert refresh(settings) == []
    write_segments(settings, {"a": "another", "b": "two", "c": "three"})
    assert refresh(settings) == ["c"]


def test_a_table_with_an_empty_key_counts_not_and_loads_nothing(settings: Settings) -> None:
    write_segments(settings, {"a": "one"})
    inputs = Inputs(settings, READER, "house")
    before = inputs.input_hash(Unit("a", {"segments": ()}))
    (batch,) = inputs.batches([Unit("a", {"segments": ()})])
    assert batch.of(batch.units[0])["segments"].is_empty()
    write_segments(settings, {"a": "one", "b": "two"})
    inputs.forget()
    assert inputs.input_hash(Unit("a", {"segments": ()})) == before
    assert inputs.input_hash(Unit("a")) != before


def test_a_view_shows_what_a_stage_writes_whole(settings: Settings) -> None:
    view = DeclaredView.of(settings.store, READER)
    assert view.read(TABLES["labels"], "house").columns == TABLES["labels"].schema.names()


def test_reads_are_merged_by_column() -> None:
    merged = merge_reads({"labels": ("term",)}, {"labels": ("kind", "term"), "frames": None})
    assert merged == {"labels": ("term", "kind"), "frames": None}
    assert merge_reads(merged, {"labels": None, "frames": ("t_s",)}) == {
        "labels": None,
        "frames": None,
    }
    assert with_keys({"clocks": ("rate",)})["clocks"] == (*TABLES["clocks"].key, "rate")


def _refresh(_inputs: Inputs, _options: Options, _tell: Any) -> list:
    return []


def _is_fresh(_inputs: Inputs, _options: Options) -> bool:
    return True


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"reads": {"segments": ("no_such",)}}, "unknown columns of segments"),
        ({"reads": {"no_such": None}}, "unknown table no_such"),
        ({"make": None}, "give `units` with `make` or `compute`"),
        ({"own": OwnRun(_refresh, _is_fresh)}, "or `own` alone"),
        ({"tables": ("frames",)}, "which another ledger records"),
        ({"lineage": {"labels": {"term": [("segments", "narration")]}}}, "does not read"),
        ({"lineage": {"labels": {"no_such": []}}}, "unknown columns of labels"),
    ],
)
def test_a_declaration_that_cannot_hold_is_refused(change: dict[str, Any], message: str) -> None:
    fields = {name: getattr(READER, name) for name in READER.__dataclass_fields__}
    with pytest.raises(ValueError, match=message):
        Stage(**{**fields, **change})

"""The ledger: what units were made from, and who may read them when."""

from __future__ import annotations

import multiprocessing
import time
from dataclasses import replace

import polars as pl
import pytest

from expectations.schemas import TABLES, Column, Rule, Table
from resources.ledger import (
    Entry,
    IncompleteUpstream,
    read_complete,
    read_ledger,
    schema_fingerprint,
    scope,
    table_digest,
    write_entries,
)
from resources.tables import TableStore

SPAWN = multiprocessing.get_context("spawn")


def entry(unit: str, **changes: object) -> Entry:
    made = Entry(unit, "made", "ok", "content", 1, {"t": (2, {"a": "1", "b": "2"})})
    return replace(made, **changes)


@pytest.fixture
def store(tmp_path) -> TableStore:
    return TableStore(str(tmp_path))


def test_entries_come_back_as_they_were_by_stage_and_partition(store):
    write_entries(store, "labels", "s", [entry("a"), entry("b", tables={}, n_refused=0)])
    write_entries(store, "labels", "t", [entry("a", made_from="other")])
    assert read_ledger(store, "labels", "s") == {
        "a": entry("a"),
        "b": entry("b", tables={}, n_refused=0),
    }
    write_entries(store, "labels", "s", [entry("c")], gone=["a"])
    assert list(read_ledger(store, "labels", "s")) == ["b", "c"]
    assert read_ledger(store, "labels", "t")["a"].made_from == "other"
    assert read_ledger(store, "frames", "s") == {}
    version = store.version(TABLES["ledger"])
    write_entries(store, "labels", "s", [])
    assert store.version(TABLES["ledger"]) == version


def test_a_reader_depends_on_the_columns_it_reads_and_on_no_other():
    one, other = entry("a"), entry("a", tables={"t": (2, {"a": "1", "b": "9"})})
    assert one.inputs("t", ["a"]) == other.inputs("t", ["a"])
    assert one.inputs("t", ["a", "b"]) != other.inputs("t", ["a", "b"])
    fewer = entry("a", tables={"t": (1, {"a": "1", "b": "2"})})
    assert one.inputs("t", ["a"]) != fewer.inputs("t", ["a"])
    # Swapped values, and a table without rows.
    swapped = entry("a", tables={"t": (2, {"a": "2", "b": "1"})})
    assert one.inputs("t", ["a", "b"]) != swapped.inputs("t", ["a", "b"])
    none = entry("a", tables={})
    assert none.inputs("t", ["a"]) != one.inputs("t", ["a"])
    assert none.inputs("t", ["a"]) == entry("b", tables={}).inputs("t", ["a"])


def test_half_written_units_are_read_by_nobody(store):
    half = Entry("b", "", "writing", "", 0, {})
    write_entries(store, "labels", "s", [entry("a"), half])
    with pytest.raises(IncompleteUpstream, match=r"labels of s .* 1 units"):
        read_complete(store, "labels", "s")
    write_entries(store, "labels", "s", [entry("b")])
    assert list(read_complete(store, "labels", "s")) == ["a", "b"]


def _writes(store: TableStore, begun) -> None:
    with store.lock(scope("labels", "s")):
        write_entries(store, "labels", "s", [Entry("a", "", "writing", "", 0, {})])
        begun.set()
        time.sleep(1.5)
        write_entries(store, "labels", "s", [entry("a", made_from="new")])


def test_a_unit_that_is_being_written_is_waited_for(store):
    write_entries(store, "labels", "s", [entry("a")])
    begun = SPAWN.Event()
    writer = SPAWN.Process(target=_writes, args=(store, begun))
    writer.start()
    assert begun.wait(60)
    assert read_complete(store, "labels", "s")["a"].made_from == "new"
    writer.join()


def test_the_digest_of_a_table_is_that_of_its_content_alone():
    entries = {"a": entry("a"), "b": entry("b", tables={})}
    said = table_digest(entries, "t")
    assert (
        table_digest({"a": entry("a", made_from="x", content_hash="y"), "c": entries["b"]}, "t")
        == said
    )
    assert table_digest({"z": entry("z")}, "t") != said
    assert table_digest({"a": entry("a", tables={"t": (2, {"a": "1", "b": "3"})})}, "t") != said
    assert table_digest({"a": entry("a", status="writing")}, "t") == table_digest({}, "t")


def test_what_a_contract_checks_counts_and_how_it_is_worded_does_not():
    def table(**changes: object) -> Table:
        said = {"meaning": "M.", "low": 0.0, "rule": pl.col("a") > 0, "message": "m", **changes}
        column = Column("a", pl.Int64(), said["meaning"], low=said["low"])
        rule = Rule("r", said["rule"], said["message"], "remedy")
        return Table(
            "t", "s", "row", (column, Column("u", pl.String(), "U.")), ("a",), "u", (rule,)
        )

    base = schema_fingerprint([table()])
    assert schema_fingerprint([table(meaning="Other.", message="other")]) == base
    assert schema_fingerprint([table(low=1.0)]) != base
    assert schema_fingerprint([table(rule=pl.col("a") > 1)]) != base

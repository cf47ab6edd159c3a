"""The ledger: what units were made from, and who may read them when."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import threading
import time
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from deltalake import DeltaTable

from expectations.schemas import TABLES, Column, Rule, Table
from resources.store import ledger
from resources.store.ledger import (
    Entry,
    IncompleteUpstream,
    read_complete,
    read_ledger,
    schema_fingerprint,
    scope,
    table_digest,
    write_entries,
)
from resources.store.tables import TableStore

SPAWN = multiprocessing.get_context("spawn")


def entry(unit: str, **changes: object) -> Entry:
    made = Entry(unit, "made", "ok", "content", 1, {"t": (2, {"a": "1", "b": "2"})})
    return replace(made, **changes)


@pytest.fixture
def store(tmp_path) -> TableStore:
    return TableStore(str(tmp_path))


def test_entries_come_back_as_they_were_by_stage_and_partition(store):
    write_entries(store, "labels", "s", [entry("a"), entry("b", tables={}, n_refused=0)])
    write_entries(store, "labels", "t", [entry("a", input_hash="other")])
    assert read_ledger(store, "labels", "s") == {
        "a": entry("a"),
        "b": entry("b", tables={}, n_refused=0),
    }
    write_entries(store, "labels", "s", [entry("c")], gone=["a"])
    assert list(read_ledger(store, "labels", "s")) == ["b", "c"]
    assert read_ledger(store, "labels", "t")["a"].input_hash == "other"
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
        write_entries(store, "labels", "s", [entry("a", input_hash="new")])


def test_a_unit_that_is_being_written_is_waited_for(store):
    write_entries(store, "labels", "s", [entry("a")])
    begun = SPAWN.Event()
    writer = SPAWN.Process(target=_writes, args=(store, begun))
    writer.start()
    assert begun.wait(60)
    assert read_complete(store, "labels", "s")["a"].input_hash == "new"
    writer.join()


def test_the_digest_of_a_table_is_that_of_its_content_alone():
    entries = {"a": entry("a"), "b": entry("b", tables={})}
    said = table_digest(entries, "t")
    assert (
        table_digest({"a": entry("a", input_hash="x", content_hash="y"), "c": entries["b"]}, "t")
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


def _kept_folder(store: TableStore) -> None:
    shutil.copytree(store.url, f"{store.url}.kept")
    write_entries(store, "labels", "s", [entry("a", input_hash="after")])
    assert read_ledger(store, "labels", "s")["a"].input_hash == "after"
    shutil.rmtree(store.url)
    shutil.move(f"{store.url}.kept", store.url)


def _new_folder(store: TableStore) -> None:
    shutil.rmtree(store.url)
    write_entries(store, "labels", "s", [entry("a", input_hash="anew")])


def _other_types(store: TableStore) -> None:
    location = store.location(TABLES["ledger"])
    schema = (
        DeltaTable(location)
        .schema()
        .to_json()
        .replace('"name":"n_rows","type":"long"', '"name":"n_rows","type":"string"')
    )
    assert schema != DeltaTable(location).schema().to_json()
    DeltaTable.create(
        location,
        schema=type(DeltaTable(location).schema()).from_json(schema),
        mode="overwrite",
        partition_by=["partition_key"],
    )


MOVES = {
    "replaced": lambda s: write_entries(s, "labels", "s", [entry("a", input_hash="new")]),
    "only its status": lambda s: write_entries(s, "labels", "s", [entry("a", status="writing")]),
    "written again as it was": lambda s: write_entries(s, "labels", "s", [entry("a")]),
    "one more": lambda s: write_entries(s, "labels", "s", [entry("c")]),
    "one gone": lambda s: write_entries(s, "labels", "s", [], gone=["a"]),
    "all gone": lambda s: write_entries(s, "labels", "s", [], gone=["a", "b"]),
    "another share": lambda s: write_entries(s, "labels", "t", [entry("a", input_hash="t")]),
    "compacted": lambda s: s.compact(TABLES["ledger"], scope("labels", "s")),
    "vacuumed": lambda s: s.vacuum(TABLES["ledger"], 0),
    "made anew": lambda s: s.recreate(TABLES["ledger"]),
    "of other types": _other_types,
    "folder gone": lambda s: shutil.rmtree(s.url),
    "a new folder": _new_folder,
    "a folder put back": _kept_folder,
}
LEFT = {
    "replaced": {"a": "new", "b": "made"},
    "one more": {"a": "made", "b": "made", "c": "made"},
    "one gone": {"b": "made"},
    "all gone": {},
    "made anew": {},
    "of other types": {},
    "folder gone": {},
    "a new folder": {"a": "anew"},
}


@pytest.mark.parametrize("what", MOVES)
def test_what_others_did_to_the_store_is_read(store, what):
    write_entries(store, "labels", "s", [entry("a"), entry("b")])
    reader = TableStore(store.url)
    assert set(read_ledger(reader, "labels", "s")) == {"a", "b"}
    MOVES[what](store)
    read = read_ledger(reader, "labels", "s")
    assert {u: e.input_hash for u, e in read.items()} == LEFT.get(what, {"a": "made", "b": "made"})
    assert [u for u, e in read.items() if e.status != "ok"] == ["a"] * (what == "only its status")
    if what != "of other types":
        write_entries(store, "labels", "s", [entry("z")])
        assert set(read_ledger(reader, "labels", "s")) == {*read, "z"}


def test_only_what_was_written_since_is_parsed_again(store, monkeypatch):
    parsed: list[str] = []
    real = ledger._entry
    monkeypatch.setattr(ledger, "_entry", lambda row: parsed.append(row["unit"]) or real(row))
    for partition in ("s", "t"):
        write_entries(store, "labels", partition, [entry("a")])
    for _ in range(2):
        # What a caller does to its answer is its own.
        read_ledger(store, "labels", "s").clear()
        assert read_ledger(store, "labels", "s") == {"a": entry("a")}
        read_ledger(store, "labels", "t")["b"] = entry("b")
    assert parsed == ["a", "a"]
    write_entries(store, "labels", "t", [entry("c")])
    assert [list(read_ledger(store, "labels", p)) for p in "st"] == [["a"], ["a", "c"]]
    assert parsed == ["a", "a", "a", "c"]


def test_readers_and_writers_get_over_checkpoints_and_old_commits_that_are_dropped(store):
    def write(unit: str) -> None:
        for number in range(12):
            write_entries(store, "labels", "s", [entry(unit, input_hash=f"{number:02d}")])

    table = TABLES["ledger"]
    log = Path(store.location(table), "_delta_log")
    write_entries(store, "labels", "s", [entry("u0", input_hash=""), entry("u1", input_hash="")])
    opened = store.scan(table, scope("labels", "s"))
    writers = [threading.Thread(target=write, args=(f"u{n}",)) for n in range(2)]
    for writer in writers:
        writer.start()
    last = {"u0": "", "u1": ""}
    while any(writer.is_alive() for writer in writers):
        now = {u: e.input_hash for u, e in read_ledger(store, "labels", "s").items()}
        assert now.keys() == last.keys() and all(now[u] >= last[u] for u in now)
        last = now
        time.sleep(0.02)
    assert len(list(log.glob("*.checkpoint.parquet"))) == 2
    # Half a year later commits before a checkpoint go; a reader that had begun has its files.
    long_ago = time.time() - 180 * 86400
    for path in log.iterdir():
        os.utime(path, (long_ago, long_ago))
    write("u2")
    assert not (log / f"{1:020d}.json").exists()
    left = {u: e.input_hash for u, e in read_ledger(store, "labels", "s").items()}
    assert left == dict.fromkeys(["u0", "u1", "u2"], "11")
    assert opened.collect()["input_hash"].to_list() == ["", ""]
    # A process that died before it said which checkpoint is the last.
    (log / "_last_checkpoint").unlink()
    write_entries(store, "labels", "s", [], gone=["u2"])
    assert list(read_ledger(TableStore(store.url), "labels", "s")) == ["u0", "u1"]


def test_rows_of_another_writer_are_not_held_as_those_of_an_empty_ledger(store, monkeypatch):
    real = TableStore.stamp

    def stamp(self, *given):
        found = real(self, *given)
        write_entries(store, "labels", "s", [entry("a")])
        return found

    with monkeypatch.context() as patch:
        patch.setattr(TableStore, "stamp", stamp)
        read_ledger(store, "labels", "s")
    write_entries(store, "labels", "s", [], gone=["a"])
    assert read_ledger(store, "labels", "s") == {}

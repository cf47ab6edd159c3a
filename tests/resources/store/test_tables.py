"""The table store, on a folder of this machine and on a real S3 server."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from deltalake import DeltaTable

from expectations.schemas import Column, Table
from resources.store import files as module
from resources.store.tables import StoreError, TableStore

TABLE = Table(
    "samples",
    "frames",
    "sample of a recording",
    (
        Column("recording_id", pl.String(), "Recording."),
        Column("sample", pl.Int64(), "Number."),
        Column("x", pl.Float64(), "Value.", nullable=True),
        Column("words", pl.List(pl.String), "Words.", nullable=True),
    ),
    ("recording_id", "sample"),
    "recording_id",
)


@pytest.fixture(params=["folder", "s3"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> TableStore:
    """A new store of either kind."""
    if request.param == "folder":
        return TableStore(str(tmp_path / "store"))
    return request.getfixturevalue("s3_store")


@pytest.fixture
def small_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of 8 kB, so that few rows make several."""
    monkeypatch.setattr(module, "FILE_BYTES", 8 << 10)


def rows(*units: str, n: int = 3, seed: int = 0) -> pl.DataFrame:
    """`n` rows of each unit that do not compress away."""
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "recording_id": [u for u in units for _ in range(n)],
            "sample": list(range(n)) * len(units),
            "x": rng.random(n * len(units)),
            "words": [["a", str(i)] for i in range(n * len(units))],
        },
        schema=TABLE.schema,
    )


def files(store: TableStore, partition: str | None = None) -> list[module.DataFile]:
    """Files of the table as committed."""
    delta = store._open(TABLE)
    return [] if delta is None else store._files(delta, TABLE, partition)


def test_a_table_never_written_is_empty(store):
    assert store.read(TABLE).equals(TABLE.empty())
    assert store.read(TABLE, "p", ["a"], ["x"]).schema == {"x": pl.Float64}
    assert store.partitions(TABLE) == []
    assert store.version(TABLE) is None
    assert store.compact(TABLE, "p") == (0, 0)
    assert store.vacuum(TABLE, 0) == 0


def test_a_new_table_is_created_once_by_those_who_write_it_together(tmp_path):
    for turn in range(10):
        fresh = TableStore(str(tmp_path / f"store{turn}"))
        with ThreadPoolExecutor(8) as writers:
            opened = list(writers.map(fresh._open_or_create, [TABLE] * 8))
        assert {delta.version() for delta in opened} == {0}


def test_replacing_units_touches_no_other(store):
    store.replace(TABLE, "p", ["a", "b", "c"], rows("a", "b", "c"))
    store.replace(TABLE, "q", ["a"], rows("a", seed=7))
    new = rows("b", n=5, seed=1)
    # `c` loses its rows, `d` is a unit without any.
    store.replace(TABLE, "p", ["b", "c", "d"], new)
    expected = pl.concat([rows("a", "b", "c").filter(pl.col("recording_id") == "a"), new])
    assert store.read(TABLE, "p").equals(expected)
    assert store.read(TABLE, "q").equals(rows("a", seed=7))
    assert store.read(TABLE).height == 11
    assert store.partitions(TABLE) == ["p", "q"]
    assert store.read(TABLE, "p", ["b"], ["x", "sample"]).equals(new.select("x", "sample"))
    assert store.read(TABLE, "p", []).height == 0
    assert store.read(TABLE, None, ["a"]).height == 6


def test_every_write_is_one_commit_and_nothing_to_write_is_none(store):
    store.replace(TABLE, "p", ["a", "b"], rows("a", "b"))
    version = store.version(TABLE)
    store.replace(TABLE, "p", ["a"], rows("a", n=9))
    assert store.version(TABLE) == version + 1
    store.replace(TABLE, "p", ["zz"], TABLE.empty())
    store.append(TABLE, "p", TABLE.empty())
    assert store.version(TABLE) == version + 1


def test_appended_rows_join_what_is_there(store):
    store.append(TABLE, "p", rows("b"))
    store.append(TABLE, "p", rows("a"))
    store.append(TABLE, "p", rows("b", seed=3).with_columns(pl.col("sample") + 3))
    assert store.read(TABLE, "p", ["b"])["sample"].sort().to_list() == [0, 1, 2, 3, 4, 5]
    assert store.read(TABLE, "p").height == 9


@pytest.mark.parametrize("partition", ["a/b", "", "..", ".hidden", "a b", "a=b", "ä", "a\n"])
def test_partition_names_are_file_names(tmp_path, partition):
    store = TableStore(str(tmp_path))
    for write in (
        lambda: store.replace(TABLE, partition, ["a"], rows("a")),
        lambda: store.append(TABLE, partition, rows("a")),
    ):
        with pytest.raises(StoreError, match="partition"):
            write()


def test_rows_of_units_that_are_not_replaced_are_refused(tmp_path):
    store = TableStore(str(tmp_path))
    with pytest.raises(StoreError, match="b"):
        store.replace(TABLE, "p", ["a"], rows("a", "b"))
    with pytest.raises(StoreError, match="Int32"):
        store.append(TABLE, "p", rows("a").with_columns(pl.col("sample").cast(pl.Int32)))
    assert store.version(TABLE) is None


@pytest.mark.parametrize("unit", ["ü/ß %20", "a'b\"c", "\\", "1", "nan", "x" * 300])
def test_any_text_names_a_unit(tmp_path, unit):
    store = TableStore(str(tmp_path))
    store.replace(TABLE, "p", [unit, "m"], rows(*sorted([unit, "m"])))
    store.replace(TABLE, "p", [unit], rows(unit, n=1))
    assert store.read(TABLE, "p", [unit]).height == 1
    assert store.read(TABLE, "p", ["m"]).height == 3


@pytest.mark.usefixtures("small_files")
def test_a_unit_of_many_files_keeps_its_order_through_anything(tmp_path):
    store = TableStore(str(tmp_path))
    big = rows("b", n=4_000)
    store.replace(TABLE, "p", ["a", "b", "c"], pl.concat([rows("a"), big, rows("c")]))
    mine = [f for f in files(store, "p") if f.first_unit == "b"]
    assert len(mine) > 4
    assert all(f.is_one_unit for f in mine), "small units do not share its files"

    def check() -> None:
        assert store.read(TABLE, "p", ["b"]).equals(big)
        got = store.read(TABLE, "p")["recording_id"]
        assert got.equals(got.sort())

    check()
    # Neighbours come, change and go; the tail of `b` is small enough to tempt.
    for unit, n in (("b2", 3), ("c", 5), ("ab", 2), ("bb", 300), ("b2", 0)):
        store.replace(TABLE, "p", [unit], rows(unit, n=n))
        check()
    store.compact(TABLE, "p")
    check()


@pytest.mark.usefixtures("small_files")
def test_replacing_one_of_many_rewrites_one_file_also_after_many_replacements(tmp_path):
    """By counting: the share of rows rewritten stays small, and files stay of their size."""
    store = TableStore(str(tmp_path))
    units = [f"u{i:04}" for i in range(1000)]
    store.replace(TABLE, "p", units, rows(*units, n=80))
    whole = sum(f.size for f in files(store))
    count = len(files(store))
    assert count > 50

    def rewritten(unit: str, n: int, seed: int) -> int:
        before = {f.path for f in files(store)}
        store.replace(TABLE, "p", [unit], rows(unit, n=n, seed=seed))
        return sum(f.size for f in files(store) if f.path not in before)

    for number in range(100):
        # A unit's size varies by half, as recordings do.
        cost = rewritten(units[number * 37 % 1000], 40 + number * 13 % 81, number)
        assert cost <= 0.03 * whole, f"replacement {number}"
    assert len(files(store)) <= 1.2 * count
    assert store.read(TABLE, "p")["recording_id"].n_unique() == 1000


@pytest.mark.usefixtures("small_files")
def test_units_that_come_one_by_one_do_not_scatter_files(tmp_path):
    store = TableStore(str(tmp_path))
    units = [f"u{i * 7919 % 200:03}" for i in range(200)]
    for unit in units:
        store.replace(TABLE, "p", [unit], rows(unit, n=20))
    at_once = TableStore(str(tmp_path / "at_once"))
    at_once.replace(TABLE, "p", units, rows(*sorted(units), n=20))
    assert len(files(store)) <= 2 * len(files(at_once))


@pytest.mark.usefixtures("small_files")
def test_compaction_keeps_content_and_order_and_ends(store):
    wanted = []
    for number in range(12):
        part = rows(f"u{number % 6}", n=40, seed=number).with_columns(
            pl.col("sample") + 40 * number
        )
        store.append(TABLE, "p", part)
        wanted.append(part)
    store.append(TABLE, "q", rows("u1"))
    before, after = store.compact(TABLE, "p")
    assert before == 12
    assert after < before
    expected = pl.concat(wanted).sort("recording_id", "sample")
    assert store.read(TABLE, "p").equals(expected)
    assert store.read(TABLE, "q").height == 3
    version = store.version(TABLE)
    assert store.compact(TABLE, "p") == (after, after)
    assert store.version(TABLE) == version


def test_vacuum_deletes_orphans_and_nothing_that_lives(store):
    store.replace(TABLE, "p", ["a", "b"], rows("a", "b"))
    old = {f.path for f in files(store)}
    store.replace(TABLE, "p", ["a"], rows("a", n=4))
    # What a writer leaves that was killed before its commit.
    (orphan,) = store._write(TABLE, "p", rows("c"))
    expected = store.read(TABLE)

    assert store.vacuum(TABLE, 24) == 0, "another process may be about to commit it"
    assert store.read(TABLE).equals(expected)
    assert store.vacuum(TABLE, 0) == 2
    assert store.read(TABLE).equals(expected)
    for path in (orphan.path, *old):
        location = f"{store.location(TABLE)}/{path}"
        there = Path(location).exists() if store.is_local else store.filesystem().exists(location)
        assert not there
    store.replace(TABLE, "p", ["b"], rows("b", n=1))
    assert store.read(TABLE).height == 5


def test_a_column_declared_later_is_null_in_older_rows(tmp_path):
    store = TableStore(str(tmp_path))
    store.replace(TABLE, "p", ["a", "b"], rows("a", "b"))
    more = Table(
        "samples",
        "frames",
        "sample of a recording",
        (*TABLE.columns[:3], Column("y", pl.Int32(), "New.", nullable=True)),
        TABLE.key,
        TABLE.unit,
    )
    assert store.read(more)["y"].null_count() == 6
    new = rows("b").drop("words").with_columns(y=pl.lit(1, pl.Int32))
    store.replace(more, "p", ["b"], new)
    assert store.read(more, "p", ["b"]).equals(new)
    assert store.read(more, "p", ["a"])["y"].null_count() == 3
    # Readers beside this project see it too.
    fields = {f.name for f in DeltaTable(store.location(more)).schema().fields}
    assert "y" in fields


def _writer(store: TableStore, worker: int, barrier, times: int) -> None:
    barrier.wait()
    for number in range(times):
        # Own units in shared files, and one unit that both replace.
        for unit in (f"u{worker}{number % 3}", "shared"):
            store.replace(TABLE, "p", [unit], rows(unit, n=2, seed=worker))
        store.append(
            TABLE, "log", rows(f"w{worker}", n=1).with_columns(sample=pl.lit(number, pl.Int64))
        )


def test_two_processes_write_one_partition_and_lose_nothing(store):
    times = 6
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(2)
    workers = [context.Process(target=_writer, args=(store, n, barrier, times)) for n in (1, 2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(120)
    assert [w.exitcode for w in workers] == [0, 0]
    got = store.read(TABLE, "p").group_by("recording_id").len().sort("recording_id")
    assert got.rows() == [(u, 2) for u in ("shared", "u10", "u11", "u12", "u20", "u21", "u22")]
    log = store.read(TABLE, "log").sort("recording_id", "sample")
    assert log["recording_id"].to_list() == ["w1"] * times + ["w2"] * times
    assert log["sample"].to_list() == [*range(times), *range(times)]


def _write_until_killed(store: TableStore, ready) -> None:
    number = 0
    while True:
        number += 1
        store.replace(TABLE, "p", ["a", "b"], rows("a", "b", n=1 + number % 50, seed=number))
        ready.set()


def test_a_killed_writer_leaves_a_whole_state(tmp_path):
    store = TableStore(str(tmp_path))
    context = multiprocessing.get_context("spawn")
    ready = context.Event()
    worker = context.Process(target=_write_until_killed, args=(store, ready))
    worker.start()
    assert ready.wait(60)
    for wait in (0.0, 0.03, 0.11):
        time.sleep(wait)
        seen = store.read(TABLE, "p").group_by("recording_id").len()
        assert seen["len"].n_unique() == 1, "both units are of one commit"
    os.kill(worker.pid, signal.SIGKILL)
    worker.join()
    store.replace(TABLE, "p", ["b"], rows("b", n=2))
    assert store.read(TABLE, "p", ["b"]).height == 2


def test_s3_keys_do_not_show(s3_store):
    assert "secret" not in repr(s3_store)


def test_reading_follows_the_writer_in_the_same_process(store: TableStore) -> None:
    told: list[int] = []
    reading: Callable[[], int] = lambda: store.read(TABLE, "p").height  # noqa: E731
    for n in (1, 2, 3):
        store.replace(TABLE, "p", ["a"], rows("a", n=n))
        told.append(reading())
    assert told == [1, 2, 3]

"""Locks: one holder at a time; a dead one's lock is had by the next."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from pathlib import Path

import pytest

from resources.store import locks
from resources.store.locks import FileLock, LeaseLock, LockLostError
from resources.store.tables import TableStore

LEASE_S = 2.0
SPAWN = multiprocessing.get_context("spawn")


@pytest.fixture(params=["folder", "s3"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> TableStore:
    """A store of either kind whose leases end soon."""
    if request.param == "folder":
        return TableStore(str(tmp_path))
    made = request.getfixturevalue("s3_store")
    return TableStore(made.url, made.storage_options, lease_s=LEASE_S)


def _count(store: TableStore, path: str, times: int) -> None:
    """Add one to a number in a file, unsafely."""
    for _ in range(times):
        with store.lock("number"):
            number = int(Path(path).read_text())
            time.sleep(0.01)
            Path(path).write_text(str(number + 1))


def test_two_processes_never_hold_it_together(store, tmp_path):
    number = tmp_path / "number"
    number.write_text("0")
    workers = [SPAWN.Process(target=_count, args=(store, str(number), 8)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert number.read_text() == "16"


def _hold(store: TableStore, held) -> None:
    with store.lock("one") as lock:
        held.set()
        while True:
            time.sleep(0.1)
            lock.check()


def test_the_lock_of_a_killed_process_is_taken_over_and_not_before(store):
    held = SPAWN.Event()
    holder = SPAWN.Process(target=_hold, args=(store, held))
    holder.start()
    assert held.wait(60)
    waiter = SPAWN.Process(target=_count_once, args=(store,))
    waiter.start()
    # A living holder renews: longer than a lease nobody else gets it.
    waiter.join(LEASE_S * 2.5)
    assert waiter.is_alive()
    killed = time.monotonic()
    os.kill(holder.pid, signal.SIGKILL)
    holder.join()
    waiter.join(LEASE_S * 4 + 10)
    assert waiter.exitcode == 0
    assert time.monotonic() - killed < LEASE_S * 4 + 5


def _count_once(store: TableStore) -> None:
    with store.lock("one"):
        pass


def test_other_names_do_not_wait_and_it_can_be_had_again(store):
    with store.lock("a") as lock, store.lock("b"):
        lock.check()
    with store.lock("a"):
        pass


def test_it_is_freed_by_an_error(store):
    with pytest.raises(KeyError), store.lock("a"):
        raise KeyError
    with store.lock("a"):
        pass


def test_a_holder_that_was_away_too_long_is_told_and_frees_nothing(s3_store):
    """Frozen for more than a lease, while another process took over."""
    options = s3_store.storage_options
    frozen = LeaseLock(s3_store.url, "x", options, lease_s=1.0)
    frozen.__enter__()
    frozen._stop.set()  # No renewal any more, as in a stopped process.
    frozen._renewer.join()
    with LeaseLock(s3_store.url, "x", options, lease_s=1.0) as other:
        with pytest.raises(LockLostError, match="run again"):
            frozen.check()
        frozen.__exit__()
        other.check()
        third = SPAWN.Process(target=_take, args=(s3_store, 1.0))
        third.start()
        third.join(4)
        assert third.is_alive(), "the second still holds it"
    third.join(20)
    assert third.exitcode == 0


def _take(store: TableStore, lease_s: float) -> None:
    with LeaseLock(store.url, "x", store.storage_options, lease_s):
        pass


def test_a_deleted_lock_file_is_noticed(tmp_path):
    path = tmp_path / "locks" / "a.lock"
    with FileLock(path) as lock:
        lock.check()
        path.unlink()
        with pytest.raises(LockLostError, match="deleted"):
            lock.check()
        with FileLock(path) as other:
            other.check()


def test_a_wait_for_another_process_is_said_with_who_holds_the_lock(store, monkeypatch, caplog):
    monkeypatch.setattr(locks, "SAID_AFTER_S", 0.1)
    held = SPAWN.Event()
    holder = SPAWN.Process(target=_hold, args=(store, held))
    holder.start()
    assert held.wait(60)
    killer = threading.Timer(1.0, holder.kill)
    killer.start()
    with store.lock("one"):
        (record,) = caplog.records
    holder.join(10)
    assert record.getMessage().startswith("waiting for ")
    if store.is_local:
        assert f"process {holder.pid} of " in record.getMessage()
    assert "one" in record.getMessage()


def test_a_short_wait_is_not_said(tmp_path, caplog):
    with FileLock(tmp_path / "x.lock"):
        pass
    with FileLock(tmp_path / "x.lock"):
        pass
    assert not caplog.records

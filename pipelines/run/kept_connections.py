"""Dagster's SQLite databases, opened once by a process and not once for every event.

Dagster connects anew for each event it stores. That builds an engine each time, and SQLite copies the log of
a database into it when its last connection is closed, which waits for the disk: together longer than many
small stages take. Each run has a log of its own, which Dagster creates table by table after reading all its
migrations; here it is a copy of an empty one.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import dagster as dg
from dagster._core.storage.event_log import SqliteEventLogStorage
from dagster._core.storage.event_log.sqlite.sqlite_event_log import INDEX_SHARD_NAME
from dagster._core.storage.runs import SqliteRunStorage
from dagster._core.storage.sqlite import create_db_conn_string
from sqlalchemy import create_engine, event
from sqlalchemy.engine import Connection, Engine

_LOCKED_S = 60.0


def keep_connections(instance: dg.DagsterInstance) -> None:
    """Let an instance keep its connections to SQLite until it is disposed of.

    Storages of another kind are left as they are. A process that is killed loses nothing that Dagster had
    committed; if the machine itself fails, the last events of the run history may be lost.

    Args:
        instance: An instance that was just opened.
    """
    # The storages are built by Dagster from its configuration: only how they connect is replaced.
    for storage in (instance.event_log_storage, instance.run_storage):
        kind = _KEPT.get(type(storage))
        if kind is not None:
            storage.__class__ = kind


class _Engines:
    """Engines by the database they connect to: that of all runs, and that of one run at a time."""

    def __init__(self) -> None:
        self._shared: Engine | None = None
        self._run: tuple[str, Engine] | None = None

    def of_all_runs(self, database: str) -> Engine:
        if self._shared is None:
            self._shared = _engine(database)
        return self._shared

    def of_run(self, database: str) -> Engine:
        if self._run is None or self._run[0] != database:
            if self._run is not None:
                self._run[1].dispose()
            self._run = database, _engine(database)
        return self._run[1]

    def close(self) -> None:
        for engine in (self._shared, self._run and self._run[1]):
            if engine is not None:
                engine.dispose()
        self._shared = self._run = None


def _engine(database: str) -> Engine:
    engine = create_engine(database, pool_size=1, connect_args={"timeout": _LOCKED_S})

    @event.listens_for(engine, "connect")
    def _(opened: Any, _record: Any) -> None:
        # The databases have write-ahead logs, which stay whole without waiting for the disk.
        opened.execute("PRAGMA synchronous=NORMAL").close()

    return engine


def _engines(storage: Any) -> _Engines:
    return vars(storage).setdefault("kept_engines", _Engines())


class _KeptEventLog(SqliteEventLogStorage):
    """An event log that keeps its connections."""

    @contextmanager
    def _connect(self, shard: str) -> Iterator[Connection]:
        with self._db_lock:
            engines = _engines(self)
            kept = engines.of_all_runs if shard == INDEX_SHARD_NAME else engines.of_run
            engine = kept(self.conn_string_for_shard(shard))
            if shard not in self._initialized_dbs:
                if shard == INDEX_SHARD_NAME or not self._create_log(self.path_for_shard(shard)):
                    self._initdb(engine)
                self._initialized_dbs.add(shard)
            with engine.connect() as connection, connection.begin():
                yield connection

    def _create_log(self, path: str) -> bool:
        """Create the log of a run as a copy of an empty one, if it does not exist; whether that was done."""
        if os.path.exists(path):
            return False
        # Not among the logs, whose folder Dagster lists.
        folder = Path(self._base_dir).parent
        own = f"creating-{os.getpid()}"
        empty, copied = folder / f"empty-log-{dg.__version__}.db", folder / f"{own}.copy"
        if not empty.exists():
            engine = _engine(create_db_conn_string(str(folder), own))
            self._initdb(engine)
            engine.dispose()
            (folder / f"{own}.db").replace(empty)
        shutil.copyfile(empty, copied)
        try:
            # Fails where another process has created it meanwhile, or where there are no links.
            os.link(copied, path)
        except OSError:
            return False
        finally:
            with suppress(FileNotFoundError):
                copied.unlink()
        return True

    def dispose(self) -> None:
        super().dispose()
        _engines(self).close()


class _KeptRunStorage(SqliteRunStorage):
    """A storage of runs that keeps its connections."""

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        engine = _engines(self).of_all_runs(self._conn_string)
        with engine.connect() as connection, connection.begin():
            yield connection

    def dispose(self) -> None:
        super().dispose()
        _engines(self).close()


_KEPT: dict[type, type] = {
    SqliteEventLogStorage: _KeptEventLog,
    SqliteRunStorage: _KeptRunStorage,
}

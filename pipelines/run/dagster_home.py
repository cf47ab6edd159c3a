"""Dagster's home of this installation: where it is, and how an instance of it is opened.

Dagster creates its SQLite databases when an instance is first opened, and two processes that come
first at the same time leave two schema versions in them, which no later process can open. Here one
process at a time opens the home, and new databases are written beside and moved into place, so that
they are complete or absent, also when a process is killed while it creates them.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from resources.errors import ExpectedError
from resources.store.locks import FileLock

if TYPE_CHECKING:
    import dagster as dg

CONFIGURATION = Path(__file__).resolve().parents[2] / "dagster.yaml"
_STORAGES = ("history", "schedules")
"""Folders of Dagster's SQLite storage below its home."""
_DATABASES = ("history/runs.db", "history/runs/index.db", "schedules/schedules.db")
_LOCKED_S = 60.0


class DagsterHomeError(ExpectedError, RuntimeError):
    """Dagster's home cannot be used: broken machinery, and no fault of the data."""


def home_in_use() -> Path:
    """The home named in `DAGSTER_HOME`, as the `parallax` command sets it.

    Raises:
        DagsterHomeError: None is named.
    """
    named = os.environ.get("DAGSTER_HOME")
    if not named:
        raise DagsterHomeError(
            "DAGSTER_HOME names no folder: use the `parallax` command, or set it"
        )
    return Path(named)


def open_instance(home: Path) -> dg.DagsterInstance:
    """Open the Dagster instance of a home, which is created first where it is absent.

    Safe in several processes at once. Once this has returned, programs that open the home by
    themselves, such as those started by `dagster dev`, find complete databases.

    Args:
        home: Folder of the instance.

    Returns:
        The instance; a context manager that closes it.

    Raises:
        DagsterHomeError: The folder cannot be written, or its databases are damaged.
    """
    import dagster as dg

    from pipelines.run.kept_connections import keep_connections

    with _prepared(home):
        instance = dg.DagsterInstance.from_config(str(home))
    keep_connections(instance)
    return instance


def prepare_home(home: Path) -> None:
    """Create a home where it is absent, and refuse a damaged one, as `open_instance` does.

    Dagster is imported only where its databases have to be created.

    Args:
        home: Folder of the instance.

    Raises:
        DagsterHomeError: The folder cannot be written, or its databases are damaged.
    """
    with _prepared(home):
        pass


@contextmanager
def _prepared(home: Path) -> Iterator[None]:
    """A home with complete databases, which no other process opens meanwhile."""
    try:
        home.mkdir(parents=True, exist_ok=True)
        with FileLock(home / ".opening.lock"):
            _write_configuration(home)
            _create_storages(home)
            for name in _DATABASES:
                _require_usable(home, name)
            yield
    except OSError as error:
        raise DagsterHomeError(
            f"Dagster's home {home} cannot be written ({error}): make room or give access to it, or "
            "name another folder in PARALLAX_DAGSTER_HOME"
        ) from error


def _write_configuration(home: Path) -> None:
    """Put the instance configuration of the project into the home."""
    text = CONFIGURATION.read_text(encoding="utf-8")
    target = home / CONFIGURATION.name
    if target.exists() and target.read_text(encoding="utf-8") == text:
        return
    # Renamed into place: programs that Dagster starts read the file without our lock.
    fresh = target.with_suffix(".new")
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(target)


def _create_storages(home: Path) -> None:
    """Create the databases that are absent, beside the home's own, and move them into place."""
    absent = [name for name in _STORAGES if not (home / name).exists()]
    if not absent:
        return
    import dagster as dg

    beside = home / ".creating"
    shutil.rmtree(beside, ignore_errors=True)  # of a process that was killed here
    beside.mkdir()
    shutil.copyfile(home / CONFIGURATION.name, beside / CONFIGURATION.name)
    with dg.DagsterInstance.from_config(str(beside)):
        pass
    for name in absent:
        created = beside / name
        # A configuration that stores elsewhere creates no folder; an empty one says that this is done.
        created.mkdir(exist_ok=True)
        created.rename(home / name)
    shutil.rmtree(beside)


def _require_usable(home: Path, name: str) -> None:
    """Refuse a database that Dagster could not open, before it answers with a traceback.

    Raises:
        DagsterHomeError: It is not a database, or was given several schema versions.
    """
    path = home / name
    if not path.exists():
        return
    try:
        with closing(
            sqlite3.connect(f"{path.as_uri()}?mode=rw", uri=True, timeout=_LOCKED_S)
        ) as db:
            versions = _schema_versions(db)
    except sqlite3.DatabaseError as error:
        raise DagsterHomeError(_damaged(home, name, str(error))) from error
    if len(versions) > 1:
        fault = f"it has {len(versions)} schema versions ({', '.join(versions)}) instead of one"
        raise DagsterHomeError(_damaged(home, name, fault))


def _schema_versions(db: sqlite3.Connection) -> list[str]:
    """Schema versions that a database says it has."""
    named = db.execute("SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'").fetchone()
    if named is None:
        return []
    return [row[0] for row in db.execute("SELECT version_num FROM alembic_version ORDER BY 1")]


def _damaged(home: Path, name: str, fault: str) -> str:
    folders = " and ".join(str(home / storage) for storage in _STORAGES)
    return (
        f"Dagster's database {home / name} is damaged: {fault}; move {folders} away and run again "
        "(they hold only the run history that Dagster shows: tables, scores and replies are kept)"
    )

"""SQL over the tables of the store, by DuckDB, which sees nothing else.

DuckDB's own extension for Delta has to be downloaded, so the state of a table is read here: the files
of its last commit become an Arrow dataset, which DuckDB scans for the columns and rows it needs. DuckDB
opens no file itself, on no disk and in no bucket, so that no SQL can read another file or write one.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
from pyarrow import fs

from expectations.schemas import TABLES, Table
from expectations.schemas.views import VIEWS, words
from resources.errors import ExpectedError
from resources.store.tables import TableStore
from resources.texts import joined_lines

BATCH_ROWS = 10_000
_ROWS = duckdb.ExpectedResultType.QUERY_RESULT
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SETTINGS: dict[str, Any] = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_persistent_secrets": "false",
    "lock_configuration": "true",
}
_NO_FILES = (
    "SQL reads the tables of the store and no files, and writes none; `--with NAME=FILE` adds a CSV, "
    "JSON lines or Parquet file as a table, and `--out FILE` writes a result"
)
_READ_ONLY = "the tables of the store are read-only in SQL; `parallax run` writes them"
_GONE = "a file of the table was deleted while it was read; ask again"
_MESSAGES = {
    "No such file or directory": _GONE,
    "NoSuchKey": _GONE,
    "file system operations are disabled": _NO_FILES,
    "but it exists in the": "DuckDB's extensions are not available here: only tables of the store can be read",
    "Can only delete from base table": _READ_ONLY,
    "Can only update base table": _READ_ONLY,
    "is not an table": _READ_ONLY,
}


class QueryError(ExpectedError, ValueError):
    """A piece of SQL cannot be run; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a piece of SQL.

    Attributes:
        sql: Its text.
        gives_rows: Whether it asks for rows, and does not only prepare something.
    """

    sql: str
    gives_rows: bool


class Session:
    """A DuckDB database in memory whose views are the tables of a store.

    All tables and views are known from the start, with their columns, whether or not they were ever
    written. The rows of a table are looked up when a statement names it, at its last commit then.

    Args:
        store: The store.
        files: Further tables by name, each a CSV, JSON lines or Parquet file.

    Raises:
        QueryError: A further table has the name of another, or its file cannot be read.
    """

    def __init__(self, store: TableStore, files: Mapping[str, Path] | None = None) -> None:
        self._store = store
        # Only used, and only made, where a query needs more memory than there is.
        spill = os.path.join(tempfile.gettempdir(), f"parallax-sql-{os.getpid()}")
        self._duckdb = duckdb.connect(":memory:", config={**_SETTINGS, "temp_directory": spill})
        for table in TABLES.values():
            self._duckdb.register(table.name, _schema(table).empty_table())
        for view in VIEWS.values():
            self._duckdb.execute(f'CREATE TEMP VIEW "{view.name}" AS {view.sql}')
        for name, path in (files or {}).items():
            self._duckdb.register(name, _file(name, path))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give up the database; the session cannot be used any more."""
        self._duckdb.close()

    def statements(self, sql: str) -> list[Statement]:
        """The statements of a piece of SQL, none of them run.

        Raises:
            QueryError: It is not SQL.
        """
        try:
            found = self._duckdb.extract_statements(sql)
        except duckdb.Error as error:
            raise QueryError(_sentence(error)) from None
        return [Statement(s.query.strip(), _gives_rows(s)) for s in found]

    def run(self, statement: Statement) -> pa.RecordBatchReader | None:
        """Run one statement.

        Returns:
            Its rows, read as they are asked for; None for a statement that gives none.

        Raises:
            QueryError: It cannot be run.
            StoreError: A table that it names cannot be read.
        """
        self._load(statement.sql)
        with errors_as_sentences():
            relation = self._duckdb.sql(statement.sql)
            return None if relation is None else relation.to_arrow_reader(BATCH_ROWS)

    def frame(self, sql: str) -> pl.DataFrame:
        """Rows of a single query.

        Raises:
            QueryError: It cannot be run, or is not one query.
            StoreError: A table that it names cannot be read.
        """
        found = self.statements(sql)
        reader = self.run(found[0]) if len(found) == 1 else None
        if reader is None:
            raise QueryError(f"{sql.strip()!r} is not one query; give a single SELECT")
        with errors_as_sentences():
            frame = pl.from_arrow(reader.read_all())
        assert isinstance(frame, pl.DataFrame)
        return frame

    def _load(self, sql: str) -> None:
        """Make the tables that a statement names, by itself or through a view, their last state."""
        named = words(sql)
        for view in VIEWS.values():
            if view.name in named:
                named |= view.words
        for name in sorted(named & TABLES.keys()):
            rows = dataset(self._store, TABLES[name])
            with errors_as_sentences():
                # A statement may have put a view of its own in the place of the table.
                self._duckdb.execute(f'DROP VIEW IF EXISTS temp.main."{name}"')
                self._duckdb.register(name, rows)


@contextmanager
def errors_as_sentences() -> Iterator[None]:
    """Raise as a `QueryError` what goes wrong while rows are read.

    Raises:
        QueryError: A file of a table is gone or cannot be read, or DuckDB cannot go on.
        KeyboardInterrupt: A person stopped the query.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except duckdb.InterruptException:
        raise KeyboardInterrupt from None
    except (duckdb.Error, pa.ArrowException, OSError) as error:
        raise QueryError(_sentence(error)) from None
    except RuntimeError as error:
        # How DuckDB's Python client reports Ctrl-C.
        if str(error) != "Query interrupted":
            raise
        raise KeyboardInterrupt from None


def dataset(store: TableStore, table: Table) -> ds.Dataset:
    """The rows of a table at its last commit, none of them read yet.

    Raises:
        OutdatedTable: A column was written with another type.
    """
    files = store.files(table)
    kind = ds.ParquetFileFormat()
    location = store.location(table)
    if store.is_local:
        place: fs.FileSystem = fs.SubTreeFileSystem(location, fs.LocalFileSystem())
    else:
        remote = fs.PyFileSystem(fs.FSSpecHandler(store.filesystem()))
        place = fs.SubTreeFileSystem(location.partition("://")[2], remote)
    unit = ds.field(table.unit)
    fragments = [
        # The range of units spares opening files that a condition on the unit leaves out.
        kind.make_fragment(f.path, place, (unit >= f.first_unit) & (unit <= f.last_unit))
        for f in files
    ]
    return ds.FileSystemDataset(fragments, _schema(table), kind, place)


def _gives_rows(statement: duckdb.Statement) -> bool:
    if statement.expected_result_type == [_ROWS]:
        return True
    try:
        return statement.type == duckdb.StatementType.MULTI  # PIVOT
    except ValueError:  # a kind of statement that the Python client does not know
        return False


def _schema(table: Table) -> pa.Schema:
    return _arrow_schema(tuple(table.schema.items()))


@cache
def _arrow_schema(columns: tuple[tuple[str, pl.DataType], ...]) -> pa.Schema:
    return pl.DataFrame(schema=columns).to_arrow().schema


def _file(name: str, path: Path) -> pa.Table:
    """Rows of a file that a person adds as a table."""
    if not _NAME.fullmatch(name) or name in TABLES or name in VIEWS:
        raise QueryError(
            f"{name!r} cannot name a further table: use letters, digits and `_`, and no name of a "
            "table or view of the store"
        )
    readers = {
        ".csv": pl.read_csv,
        ".parquet": pl.read_parquet,
        ".jsonl": pl.read_ndjson,
        ".ndjson": pl.read_ndjson,
    }
    read = readers.get(path.suffix.lower())
    if read is None:
        raise QueryError(f"{path} has no ending of {', '.join(readers)}: rename or convert it")
    try:
        return read(path).to_arrow()
    except (OSError, pl.exceptions.PolarsError) as error:
        raise QueryError(f"{path} cannot be read: {joined_lines(str(error))}") from None


def _sentence(error: Exception) -> str:
    """What DuckDB reports over several lines, with a drawing, as one sentence."""
    text = str(error)
    for mark, message in _MESSAGES.items():
        if mark in text:
            return message
    body, _, line = text.partition("\n\nLINE ")
    first, *hints = body.split("\n")
    message = first.partition("Error: ")[2] or first
    hints = [hint.strip() for hint in hints if hint.strip()]
    message = "; ".join([message.rstrip("!. "), *(hint[0].lower() + hint[1:] for hint in hints)])
    at = line.split("\n")[0].strip()
    return joined_lines(f"{message} (line {at})" if at else message).replace('""', '"')

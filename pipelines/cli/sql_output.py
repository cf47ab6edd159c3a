"""What `parallax sql` prints and writes: results in four formats, and the prompt."""

from __future__ import annotations

import json
import math
import os
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from itertools import chain, islice
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa

from expectations.schemas import TABLES
from expectations.schemas.views import VIEWS
from pipelines.cli.written_files import writing
from resources.masking import mask
from resources.store.sql import QueryError, Session, Statement, errors_as_sentences
from resources.store.tables import StoreError, TableStore
from resources.texts import printable

Format = Literal["table", "csv", "json", "parquet"]
SUFFIXES: dict[str, Format] = {".csv": "csv", ".json": "json", ".parquet": "parquet"}
WIDEST = 60
"""Characters of a cell in a printed table; the other formats cut nothing."""
GREETING = (
    "Tables of {store}, read-only. End a statement with `;`. \\d lists the tables, \\d NAME the "
    "columns of one, \\q leaves."
)
FIRST, FURTHER = "sql> ", "...> "
_NULL = "NULL"


def table_lines(names: Sequence[str], rows: Iterable[Sequence[Any]], most: int) -> Iterator[str]:
    """A result as a table for a terminal.

    Args:
        names: Names of its columns.
        rows: Its rows; no more are taken than are shown, and one.
        most: At most so many rows are shown.

    Yields:
        Its lines: a header, the rows, and how many there are.
    """
    rows = iter(rows)
    shown = [list(row) for row in islice(rows, most)]
    cells = [[_cut(_cell(value)) for value in row] for row in shown]
    heads = [_cut(printable(name)) for name in names]
    widths = [max(_width(text) for text in column) for column in zip(heads, *cells, strict=True)]
    right = [
        any(isinstance(row[i], (int, float, Decimal)) for row in shown)
        and all(
            row[i] is None
            or (isinstance(row[i], (int, float, Decimal)) and not isinstance(row[i], bool))
            for row in shown
        )
        for i in range(len(heads))
    ]
    yield _line(heads, widths, right)
    yield "  ".join("-" * width for width in widths)
    for row in cells:
        yield _line(row, widths, right)
    if next(rows, None) is not None:
        yield f"({len(shown)} rows shown, more exist: --rows shows more, --format csv all)"
    else:
        yield f"({len(shown)} row{'' if len(shown) == 1 else 's'})"


def csv_lines(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    """A result as CSV: null is an empty cell, an empty text is quoted, lists and structs are JSON."""
    yield ",".join(map(_csv, names))
    for row in rows:
        yield ",".join(map(_csv, row))


def json_lines(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    """A result as one JSON array with an object for each row.

    Raises:
        QueryError: Two columns have one name.
    """
    if len(set(names)) != len(names):
        raise QueryError(
            f"two columns of the result have one name ({', '.join(names)}); give one another with AS"
        )
    yield "["
    last = None
    for row in rows:
        if last is not None:
            yield f"{last},"
        last = _json(dict(zip(names, row, strict=True)))
    if last is not None:
        yield last
    yield "]"


def run_statements(
    session: Session,
    statements: Sequence[Statement],
    kind: Format,
    show: Callable[[str], None],
    most: int,
) -> None:
    """Run statements in their order and print what they give.

    Args:
        session: Where they run.
        statements: The statements.
        kind: `table`, `csv` or `json`.
        show: Prints a line.
        most: At most so many rows of each result are printed as a table.

    Raises:
        QueryError: A statement cannot be run, or several give rows and the format holds one result.
        StoreError: A table that is named cannot be read.
    """
    if kind != "table":
        require_one_result(statements, kind)
    for statement in statements:
        reader = session.run(statement)
        if reader is None or not statement.gives_rows:
            continue
        with errors_as_sentences():
            names, rows = reader.schema.names, _rows(reader)
            if kind == "table":
                lines = table_lines(names, rows, most)
            else:
                lines = csv_lines(names, rows) if kind == "csv" else json_lines(names, rows)
            for line in lines:
                show(mask(line))


def write_result(
    session: Session,
    statements: Sequence[Statement],
    kind: Format,
    path: Path,
    store: TableStore,
    most: int,
) -> None:
    """Run statements and write the one result to a file, which is replaced once it is whole.

    Raises:
        QueryError: As `run_statements`; or the path names no file, or one in the store.
        UnwritableFile: The system refuses to write the file.
        StoreError: A table that is named cannot be read.
    """
    if not path.name:
        raise QueryError(f"{str(path)!r} names no file; name one to write the result to")
    if store.is_local and path.resolve().is_relative_to(Path(store.url).resolve()):
        raise QueryError(
            f"{path} lies in the store, which SQL does not write; choose another place"
        )
    require_one_result(statements, kind)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with writing(path):
            if kind == "parquet":
                _write_parquet(session, statements, part)
            else:
                with part.open("w", encoding="utf-8", newline="\n") as file:
                    run_statements(
                        session, statements, kind, lambda line: print(line, file=file), most
                    )
            part.replace(path)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def require_one_result(statements: Sequence[Statement], kind: Format) -> None:
    """Refuse several results where a format, or a file, holds one.

    Raises:
        QueryError: Not exactly one statement gives rows.
    """
    count = sum(statement.gives_rows for statement in statements)
    if count != 1:
        raise QueryError(
            f"{count} statements give rows and {kind} holds one result; leave one, or make the "
            "others views (CREATE VIEW name AS ...)"
        )


def _write_parquet(session: Session, statements: Sequence[Statement], path: Path) -> None:
    from pyarrow import parquet

    for statement in statements:
        reader = session.run(statement)
        if reader is None or not statement.gives_rows:
            continue
        with errors_as_sentences(), parquet.ParquetWriter(path, reader.schema) as writer:
            for batch in reader:
                writer.write_batch(batch)


def _rows(reader: pa.RecordBatchReader) -> Iterator[Sequence[Any]]:
    """Rows of a result, batch by batch; columns may share a name."""
    return chain.from_iterable(
        zip(*(column.to_pylist() for column in batch.columns), strict=True) for batch in reader
    )


def converse(
    session: Session,
    ask: Callable[[str], str],
    show: Callable[[str], None],
    fail: Callable[[str], None],
    most: int,
) -> None:
    """Read statements from a prompt and show what they give, until its reader leaves.

    Args:
        session: Where they run.
        ask: Shows a prompt and returns the line typed; EOFError at the end of the input.
        show: Prints a line.
        fail: Prints an error.
        most: At most so many rows of each result are shown.
    """
    typed = ""
    while True:
        try:
            line = ask(FURTHER if typed else FIRST)
        except EOFError:
            return
        except KeyboardInterrupt:
            typed = ""
            show("")
            continue
        word, _, name = line.strip().rstrip(";").partition(" ")
        if not typed and word.lower() in ("\\q", "exit", "quit"):
            return
        if not typed and word == "\\d":
            for text in describe(name.strip()):
                show(text)
            continue
        if not typed and word.startswith("\\"):
            fail(
                f"no command {word}: \\d lists the tables, \\d NAME the columns of one, \\q leaves"
            )
            continue
        typed += f"{line}\n"
        if not typed.strip():
            typed = ""
        if not typed.rstrip().endswith(";"):
            continue
        sql, typed = typed, ""
        try:
            run_statements(session, session.statements(sql), "table", show, most)
        except (QueryError, StoreError) as error:
            fail(str(error))
        except KeyboardInterrupt:
            fail("stopped")


def describe(name: str = "") -> Iterator[str]:
    """Lines on all tables and views, or on the columns of one."""
    every = {**TABLES, **VIEWS}
    if not name:
        width = max(map(len, every))
        for one in every.values():
            yield f"{one.name:<{width}}  one row per {one.row}"
        return
    if name not in every:
        yield f"no table or view {name!r}; \\d lists them"
        return
    yield f"{name}: one row per {every[name].row}"
    width = max(len(column.name) for column in every[name].columns)
    for column in every[name].columns:
        unit = f" [{column.unit}]" if column.unit else ""
        yield f"  {column.name:<{width}}  {column.meaning}{unit}"


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    padded = []
    for text, width, to_right in zip(cells, widths, right, strict=True):
        space = " " * (width - _width(text))
        padded.append(space + text if to_right else text + space)
    return "  ".join(padded).rstrip()


def _cell(value: Any) -> str:
    """A value as a table shows it."""
    if value is None:
        return _NULL
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, str):
        return printable(value)
    return printable(_text(value))


def _number(value: float) -> str:
    """A number with at most six decimals, or six digits where it is very small or large."""
    if not math.isfinite(value) or (value and not 1e-3 <= abs(value) < 1e15):
        return f"{value:.6g}"
    return f"{value:.6f}".rstrip("0").rstrip(".")


def _cut(text: str) -> str:
    if _width(text) <= WIDEST:
        return text
    while _width(text) >= WIDEST:
        text = text[:-1] if len(text) <= WIDEST else text[:WIDEST]
    return f"{text}…"


def _width(text: str) -> int:
    """Columns of a terminal that a text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def _csv(value: Any) -> str:
    text = "" if value is None else _text(value)
    if value == "" or any(c in text for c in ',"\n\r'):
        return '"' + text.replace('"', '""') + '"'
    return text


def _text(value: Any) -> str:
    """A value as plain text; lists and structs as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    text = _json(value)
    return json.loads(text) if text.startswith('"') else text


def _json(value: Any) -> str:
    return json.dumps(_plain(value), ensure_ascii=False, allow_nan=False)


def _plain(value: Any) -> Any:
    """A value in the types of JSON; what is not a number there is null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, (str, int)):
        return value
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, dict):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, pa.MonthDayNano):
        # A tuple too: an interval, written as ISO 8601 does.
        return f"P{value.months}M{value.days}DT{value.nanoseconds / 1e9:.9g}S"
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, timedelta):
        return value.total_seconds()
    return value.isoformat() if isinstance(value, (date, datetime, time)) else str(value)


def use_readline() -> None:
    """Let the prompt edit lines, recall earlier ones and complete names, where Python can."""
    with suppress(ImportError):
        import readline

        names = sorted((*TABLES, *VIEWS))

        def complete(start: str, number: int) -> str | None:
            return next(islice((n for n in names if n.startswith(start)), number, None), None)

        readline.set_completer(complete)
        readline.parse_and_bind("tab: complete")

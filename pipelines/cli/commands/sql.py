"""The command that asks the tables in SQL."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipelines.cli.shell import show, show_problem

if TYPE_CHECKING:
    from pipelines.cli.sql_output import Format


def sql(
    query: Annotated[
        str | None, typer.Argument(help="SQL to run; without it, a prompt opens.")
    ] = None,
    file: Annotated[Path | None, typer.Option("--file", help="File with the SQL to run.")] = None,
    format_: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="table, csv, json or parquet (default: by the ending of --out, else table).",
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", help="File to write the result to.")] = None,
    rows: Annotated[
        int, typer.Option(min=1, help="Show at most this many rows of a result as a table.")
    ] = 40,
    with_: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="NAME=FILE",
            help="Also offer a CSV, JSON lines or Parquet file as a table (repeatable).",
        ),
    ] = None,
) -> None:
    """Ask the tables in SQL (DuckDB), read-only: their current rows and nothing superseded."""
    from pipelines.cli import sql_output
    from resources.config import load_settings
    from resources.store.sql import Session

    text = _text(query, file)
    kind = _format(format_, out)
    further = _further(with_ or ())
    store = load_settings().store
    with Session(store, further) as session:
        if text is None:
            sql_output.use_readline()
            show(sql_output.GREETING.format(store=store.url))
            sql_output.converse(session, input, show, _show_error, rows)
            return
        statements = session.statements(text)
        if out is None:
            # Another program gets texts as they are, a terminal only what it cannot obey.
            say = show if sys.stdout.isatty() else typer.echo
            sql_output.run_statements(session, statements, kind, say, rows)
        else:
            sql_output.write_result(session, statements, kind, out, store, rows)


def _show_error(message: str) -> None:
    from resources.masking import mask

    show_problem(mask(message))


def _text(query: str | None, file: Path | None) -> str | None:
    """The SQL given as an argument, in a file or through a pipe; None if a person is to type it."""
    from resources.store.sql import QueryError

    if query is not None and file is not None:
        raise QueryError("give the SQL as an argument or with --file, not both")
    if file is not None:
        try:
            return file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or error
            raise QueryError(f"{file} cannot be read: {reason}") from None
    if query is not None:
        return query
    return None if sys.stdin.isatty() else sys.stdin.read()


def _format(name: str | None, out: Path | None) -> Format:
    """The format that was chosen, or that the ending of the output file stands for."""
    from pipelines.cli.sql_output import SUFFIXES
    from resources.store.sql import QueryError

    if name is None:
        return "table" if out is None else SUFFIXES.get(out.suffix.lower(), "table")
    if name == "parquet" and out is None:
        raise QueryError("parquet is not text: name a file with --out")
    if name == "table":
        return name
    for kind in SUFFIXES.values():
        if name == kind:
            return kind
    raise QueryError(f"unknown format {name!r}; use table, csv, json or parquet")


def _further(options: Iterable[str]) -> dict[str, Path]:
    """Files by the name of the table that each is offered as."""
    from resources.store.sql import QueryError

    files: dict[str, Path] = {}
    for option in options:
        name, _, path = option.partition("=")
        if not name or not path:
            raise QueryError(f"--with {option!r} is not NAME=FILE; write for example mine=mine.csv")
        if name in files:
            raise QueryError(f"--with names {name!r} twice; give each file a name of its own")
        files[name] = Path(path)
    return files

"""The command that asks the tables in SQL."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from pipelines.cli.shell import show_problem


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
    further = dict(_further(one) for one in with_ or ())
    store = load_settings().store
    with Session(store, further) as session:
        if text is None:
            sql_output.use_readline()
            typer.echo(sql_output.GREETING.format(store=store.url))
            sql_output.converse(session, input, typer.echo, _show_error, rows)
            return
        statements = session.statements(text)
        if out is None:
            sql_output.run_statements(session, statements, kind, typer.echo, rows)
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


def _format(name: str | None, out: Path | None):
    from pipelines.cli.sql_output import SUFFIXES
    from resources.store.sql import QueryError

    if name is None:
        return "table" if out is None else SUFFIXES.get(out.suffix.lower(), "table")
    if name == "parquet" and out is None:
        raise QueryError("parquet is not text: name a file with --out")
    if name not in ("table", *SUFFIXES.values()):
        raise QueryError(f"unknown format {name!r}; use table, csv, json or parquet")
    return name


def _further(given: str) -> tuple[str, Path]:
    from resources.store.sql import QueryError

    name, sign, path = given.partition("=")
    if not sign or not path:
        raise QueryError(f"--with {given!r} is not NAME=FILE")
    return name, Path(path)

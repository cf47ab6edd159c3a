"""The command that writes questions for people to reply to."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pipelines.cli import names
from pipelines.cli.shell import show


def reply_sheet(
    run: Annotated[
        str, typer.Argument(help="Run whose questions people are asked.", autocompletion=names.runs)
    ],
    out: Annotated[
        Path, typer.Option("--out", help="CSV or JSONL file to write; it must not be there yet.")
    ],
    benchmark: Annotated[
        list[str] | None,
        typer.Option("--benchmark", help="Only this benchmark.", autocompletion=names.benchmarks),
    ] = None,
) -> None:
    """Write the questions of a run for people to reply to, as a file for engine `human`."""
    from pipelines.cli.reply_sheets import sheet_csv, sheet_json_lines, sheet_rows
    from pipelines.cli.written_files import writing
    from resources.config import load_settings
    from resources.errors import ExpectedError, require_known

    forms = {".csv": sheet_csv, ".jsonl": sheet_json_lines}
    settings = load_settings()
    require_known("run", [run], settings.runs)
    benchmarks = settings.runs[run].benchmarks or tuple(settings.benchmarks)
    require_known("benchmark of this run", benchmark or (), benchmarks)
    if out.suffix not in forms:
        raise ExpectedError(f"{out} ends in neither .csv nor .jsonl: name such a file")
    if out.exists():
        # It may hold a person's replies.
        raise ExpectedError(f"{out} is there already; name another file")
    rows = list(sheet_rows(settings, run, benchmark or benchmarks))
    # Spreadsheets take a CSV without the mark for another encoding than UTF-8.
    encoding = "utf-8-sig" if out.suffix == ".csv" else "utf-8"
    with writing(out), out.open("x", encoding=encoding, newline="") as handle:
        handle.write(forms[out.suffix](rows))
    show(f"{len(rows)} questions to reply to: {out}")

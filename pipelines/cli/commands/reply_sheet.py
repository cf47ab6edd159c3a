"""The commands that write questions for people to reply to, and answers for people to judge."""

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
        Path,
        typer.Option("--out", help="CSV, JSONL or HTML file to write; it must not be there yet."),
    ],
    benchmark: Annotated[
        list[str] | None,
        typer.Option("--benchmark", help="Only this benchmark.", autocompletion=names.benchmarks),
    ] = None,
    per_subtask: Annotated[
        int, typer.Option(min=1, help="Questions drawn of each subtask, for an HTML page.")
    ] = 30,
    per_group: Annotated[
        int | None,
        typer.Option(min=1, help="Questions drawn of each group of subtasks instead."),
    ] = None,
) -> None:
    """Write the questions of a run for people to reply to, as a file for engine `human` or as a page."""
    from pipelines.cli.reply_sheets import sheet_csv, sheet_json_lines, sheet_rows
    from pipelines.cli.written_files import writing
    from resources.config import load_settings
    from resources.errors import ExpectedError, require_known

    forms = {".csv": sheet_csv, ".jsonl": sheet_json_lines}
    settings = load_settings()
    require_known("run", [run], settings.runs)
    benchmarks = settings.runs[run].benchmarks or tuple(settings.benchmarks)
    require_known("benchmark of this run", benchmark or (), benchmarks)
    if out.suffix not in (*forms, ".html"):
        raise ExpectedError(f"{out} ends in none of .csv, .jsonl and .html: name such a file")
    if out.exists():
        # It may hold a person's replies.
        raise ExpectedError(f"{out} is there already; name another file")
    if out.suffix == ".html":
        from pipelines.cli.reply_page import page_questions, reply_page

        shown = list(page_questions(settings, run, benchmark or benchmarks, per_subtask, per_group))
        with writing(out), out.open("x", encoding="utf-8") as handle:
            handle.write(reply_page(run, f"{out.stem}.jsonl", shown))
        licences = sorted({question.licence for question in shown})
        show(f"{len(shown)} questions to reply to: {out}")
        show(
            f"the page holds frames; pass it on only as their licences allow: {', '.join(licences)}"
        )
        return
    rows = list(sheet_rows(settings, run, benchmark or benchmarks))
    # Spreadsheets take a CSV without the mark for another encoding than UTF-8.
    encoding = "utf-8-sig" if out.suffix == ".csv" else "utf-8"
    with writing(out), out.open("x", encoding=encoding, newline="") as handle:
        handle.write(forms[out.suffix](rows))
    show(f"{len(rows)} questions to reply to: {out}")


def judge_sheet(
    run: Annotated[
        str, typer.Argument(help="Run whose answers people judge.", autocompletion=names.runs)
    ],
    judge: Annotated[str, typer.Argument(help="Judge, with engine `human`, that they are.")],
    out: Annotated[
        Path, typer.Option("--out", help="CSV or JSONL file to write; it must not be there yet.")
    ],
    benchmark: Annotated[
        list[str] | None,
        typer.Option("--benchmark", help="Only this benchmark.", autocompletion=names.benchmarks),
    ] = None,
    per_subtask: Annotated[
        int | None, typer.Option(min=1, help="Answers drawn of each subtask; all without it.")
    ] = None,
) -> None:
    """Write what a judge is asked about a run's answers, for people to mark."""
    from pipelines.cli.judge_sheets import judge_rows, judge_sheet_csv
    from pipelines.cli.reply_sheets import sheet_json_lines
    from pipelines.cli.written_files import writing
    from resources.config import load_settings
    from resources.errors import ExpectedError, require_known

    forms = {".csv": judge_sheet_csv, ".jsonl": sheet_json_lines}
    settings = load_settings()
    require_known("run", [run], settings.runs)
    require_known("judge", [judge], settings.judges)
    judged = [name for name, one in settings.benchmarks.items() if judge in one.judges]
    require_known("benchmark that names this judge", benchmark or (), judged)
    if out.suffix not in forms:
        raise ExpectedError(f"{out} ends in neither .csv nor .jsonl: name such a file")
    if out.exists():
        # It may hold a person's marks.
        raise ExpectedError(f"{out} is there already; name another file")
    rows = list(judge_rows(settings, run, judge, benchmark or judged, per_subtask))
    if not rows:
        raise ExpectedError(
            f"run {run} has no answers that judge {judge} is asked about: see docs/judges.md for what is judged"
        )
    encoding = "utf-8-sig" if out.suffix == ".csv" else "utf-8"
    with writing(out), out.open("x", encoding=encoding, newline="") as handle:
        handle.write(forms[out.suffix](rows))
    show(f"{len(rows)} answers to mark: {out}")

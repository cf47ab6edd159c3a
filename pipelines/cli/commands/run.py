"""The command that updates everything."""

from __future__ import annotations

from typing import Annotated

import typer

from pipelines.cli.shell import INCOMPLETE, dagster_home_folder, show_problem

Sources = Annotated[
    list[str] | None, typer.Option("--source", help="Only this source (repeatable).")
]


def run(
    source: Sources = None,
    recordings: Annotated[
        str | None, typer.Option(help="Only these recordings (comma-separated ids).")
    ] = None,
    subtask: Annotated[
        list[str] | None, typer.Option(help="Only this subtask (repeatable).")
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Compute at most this many units per stage.")
    ] = None,
    allow_deletes: Annotated[
        bool,
        typer.Option(
            "--allow-deletes",
            help="Allow large deletions when files have been removed from a source.",
        ),
    ] = False,
    verify: Annotated[
        bool, typer.Option("--verify", help="First re-read every byte of every raw file.")
    ] = False,
    retry_errors: Annotated[
        bool,
        typer.Option("--retry-errors", help="Retry model calls that have used up their attempts."),
    ] = False,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1,
            envvar="PARALLAX_WORKERS",
            help="Update this many sources, benchmarks or evaluations side by side (default: one per "
            "core and 3 GB of memory, at most 4).",
        ),
    ] = None,
) -> None:
    """Update everything; recompute only what changed.

    Exit code 0: everything is up to date. 3: everything is, except that some model calls failed or
    could not be made. 1: the run stopped for a reason it names. 70: a defect of the program.
    """
    from assets.options import Options
    from resources.config import load_settings
    from resources.errors import require_known

    dagster_home_folder()
    from pipelines.cli.source_status import verify_source
    from pipelines.cli.views import score_table
    from pipelines.run.failed_calls import failed_call_lines
    from pipelines.run.orchestrate import ModelsUnavailable, update
    from pipelines.run.side_by_side import default_workers

    options = Options(
        recordings=tuple(r for r in (recordings or "").split(",") if r),
        subtasks=tuple(subtask or ()),
        limit=limit,
        allow_deletes=allow_deletes,
        retry_errors=retry_errors,
    )
    problems: list[str] = []
    stopped: frozenset[str] = frozenset()
    settings = load_settings()
    require_known("source", source or (), settings.sources)
    if verify:
        for name in source or sorted(settings.sources):
            typer.echo(verify_source(settings, name))
    try:
        counts = update(
            settings, tuple(source or ()), options, typer.echo, workers or default_workers()
        )
    except ModelsUnavailable as stop:
        counts, stopped = stop.counts, stop.partitions
        problems.append(str(stop))
    problems += failed_call_lines(settings, source or (), stopped)
    typer.echo("")
    typer.echo(score_table(settings))
    typer.echo("")
    typer.echo(f"{counts['made']} stages updated, {counts['reused']} already up to date")
    if settings.page.is_file():
        typer.echo(f"report: {settings.page}")
    for problem in problems:
        show_problem(problem)
    if problems:
        raise typer.Exit(INCOMPLETE)

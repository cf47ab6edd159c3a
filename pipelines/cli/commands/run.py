"""The command that updates everything."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated

import typer

from pipelines.cli import names
from pipelines.cli.interrupts import interruptible
from pipelines.cli.shell import INCOMPLETE, dagster_home_folder, show, show_problem

Sources = Annotated[
    list[str] | None,
    typer.Option("--source", help="Only this source (repeatable).", autocompletion=names.sources),
]


@interruptible
def run(
    source: Sources = None,
    benchmark: Annotated[
        list[str] | None,
        typer.Option(
            "--benchmark",
            help="Only this benchmark, and of its sources only the stages it reads (repeatable).",
            autocompletion=names.benchmarks,
        ),
    ] = None,
    run_: Annotated[
        list[str] | None,
        typer.Option(
            "--run",
            help="Only this configured run, on the benchmarks it asks (repeatable).",
            autocompletion=names.runs,
        ),
    ] = None,
    only: Annotated[
        bool,
        typer.Option(
            "--only",
            help="Ask and score the questions as they are stored: do not look at sources, and do not "
            "build or judge questions.",
        ),
    ] = False,
    plan: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Only print what would be computed and asked, and roughly what it costs.",
        ),
    ] = False,
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
    suites: Annotated[
        bool,
        typer.Option(
            "--suites/--no-suites",
            envvar="PARALLAX_SUITES",
            help="Judge the expectation suites of tables that changed, before the reports are written.",
        ),
    ] = True,
) -> None:
    """Update everything; recompute only what changed.

    With --benchmark or --run, what these read is updated first, and nothing else is looked at; with --only,
    what they read stays as it is.

    Exit code 0: everything is up to date. 3: everything is, except that some model calls failed or
    could not be made. 1: the run stopped for a reason it names. 70: a defect of the program.
    """
    from assets.configuration import load_configuration
    from assets.options import Options
    from resources.config import ConfigError

    dagster_home_folder()
    from pipelines.cli.diagnosis import first_look, line
    from pipelines.cli.progress import shown
    from pipelines.cli.source_status import verify_source
    from pipelines.cli.views import score_table
    from pipelines.run.failed_calls import failed_call_lines
    from pipelines.run.orchestrate import ModelsUnavailable, update
    from pipelines.run.side_by_side import default_workers
    from pipelines.run.steps import Scope, left_alone, steps
    from pipelines.run.suites import judge_changed_suites
    from pipelines.suite_pages import folder

    scope = Scope(tuple(source or ()), tuple(benchmark or ()), tuple(run_ or ()), only)
    options = Options(
        recordings=() if recordings is None else _ids(recordings),
        subtasks=tuple(subtask or ()),
        limit=limit,
        allow_deletes=allow_deletes,
        retry_errors=retry_errors,
    )
    problems: list[str] = []
    stopped: frozenset[str] = frozenset()
    settings = load_configuration()
    scope.check(settings)
    if verify and only:
        raise ConfigError(
            "--verify reads sources and --only leaves them alone; leave out one of them"
        )
    chosen = list(steps(settings, scope))
    others = left_alone(settings, chosen)
    if plan:
        if verify:
            raise ConfigError("--verify stores what it reads; leave it out of a --dry-run")
        from pipelines.run.dry_run import dry_run, plan_lines

        for planned in plan_lines(dry_run(settings, scope, options)):
            show(planned)
        if others:
            show(others)
        return
    partitions = {step.partition for step in chosen}
    for finding in first_look(settings, partitions):
        show(line(finding))
    if verify:
        for name in sorted(step.partition for step in chosen if step.kind == "source"):
            show(verify_source(settings, name))
    try:
        with shown() as display:

            def judge(partitions: Collection[str]) -> None:
                judge_changed_suites(settings, partitions, display.say)

            totals = update(
                settings,
                scope,
                options,
                display,
                workers or default_workers(),
                before_reports=judge if suites else None,
            )
    except ModelsUnavailable as stop:
        totals, stopped = stop.totals, stop.partitions
        problems.append(str(stop))
    problems += failed_call_lines(settings, partitions - stopped)
    show()
    show(score_table(settings, [s.partition for s in chosen if s.kind == "evaluation"]))
    show()
    for total in totals.lines():
        show(total)
    if others:
        show(others)
    if settings.page.is_file():
        show(f"report: {settings.page}")
    suite_list = folder(settings) / "index.html"
    if suites and suite_list.is_file():
        show(f"expectation suites: {suite_list}")
    for problem in problems:
        show_problem(problem)
    if problems:
        raise typer.Exit(INCOMPLETE)


def _ids(text: str) -> tuple[str, ...]:
    """Ids of recordings, as `--recordings` names them."""
    from resources.config import ConfigError

    ids = tuple(name for part in text.split(",") if (name := part.strip()))
    if not ids:
        raise ConfigError(f"--recordings {text!r} names no recording; name one, or leave it out")
    return ids

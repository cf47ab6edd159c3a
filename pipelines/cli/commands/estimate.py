"""The command that says what a run would cost."""

from __future__ import annotations

from typing import Annotated

import typer

from pipelines.cli import names
from pipelines.cli.shell import show


def estimate(
    source: Annotated[
        list[str] | None,
        typer.Option(
            "--source", help="Only this source (repeatable).", autocompletion=names.sources
        ),
    ] = None,
    benchmark: Annotated[
        list[str] | None,
        typer.Option(
            "--benchmark", help="Only this benchmark (repeatable).", autocompletion=names.benchmarks
        ),
    ] = None,
    run: Annotated[
        list[str] | None,
        typer.Option("--run", help="Only this run (repeatable).", autocompletion=names.runs),
    ] = None,
    subtask: Annotated[
        list[str] | None, typer.Option(help="Only this subtask (repeatable).")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="As `parallax run --limit`.")] = None,
    retry_errors: Annotated[
        bool,
        typer.Option("--retry-errors", help="Count calls that have used up their attempts too."),
    ] = False,
) -> None:
    """Say what the model calls of a run would cost: questions, tokens, frames, money and time.

    Nothing is changed and no model is asked. Tokens and time are those of past calls of the same model;
    where there are none, texts are counted by the model's own tokenizer if it is on this machine, else by
    their length. What calls did cost is in the table `costs`.
    """
    from assets.configuration import load_configuration
    from assets.options import Options
    from pipelines.run.dry_run import dry_run
    from pipelines.run.estimates import estimate_lines
    from pipelines.run.steps import Scope

    settings = load_configuration()
    scope = Scope(tuple(source or ()), tuple(benchmark or ()), tuple(run or ()))
    scope.check(settings)
    options = Options(subtasks=tuple(subtask or ()), limit=limit, retry_errors=retry_errors)
    for line in estimate_lines(settings, dry_run(settings, scope, options, as_stored=True)):
        show(line)

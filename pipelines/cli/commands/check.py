"""The command that runs the quality checks."""

from __future__ import annotations

from typing import Annotated

import typer

from pipelines.cli import names
from pipelines.cli.interrupts import interruptible
from pipelines.cli.shell import FAILED, dagster_home_folder, show


@interruptible
def check(
    name: Annotated[
        list[str] | None,
        typer.Option(
            "--name",
            help="Only this check, e.g. suite, gates or set_checks (repeatable).",
            autocompletion=names.checks,
        ),
    ] = None,
    partition: Annotated[
        list[str] | None,
        typer.Option(
            "--of",
            help="Only this source, benchmark or evaluation (repeatable).",
            autocompletion=names.partitions,
        ),
    ] = None,
) -> None:
    """Run the quality checks on stored tables. Exit code 1 if a check fails with an error."""
    from resources.config import load_settings

    home = dagster_home_folder()
    from pipelines.checks import QUALITY, judge_all
    from pipelines.definitions import definitions
    from pipelines.run.dagster_home import open_instance
    from resources.errors import require_known

    require_known("check", name or (), {quality.name for quality in QUALITY})
    settings = load_settings()
    partitions = {*settings.sources, *settings.benchmarks, *settings.evaluations()}
    require_known("source, benchmark or evaluation", partition or (), partitions)
    with open_instance(home) as instance:
        judged = judge_all(instance, definitions(settings), name or (), partition or (), show)
    if any(j.is_error and not j.passed for j in judged):
        raise typer.Exit(FAILED)

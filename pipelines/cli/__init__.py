"""The `parallax` command."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from pipelines.cli.commands import (
    check,
    dev,
    doctor,
    estimate,
    init,
    overview,
    reply_sheet,
    report,
    review,
    run,
    sample,
    sets,
    sql,
    store,
)
from pipelines.cli.shell import CommandGroup

app = typer.Typer(
    cls=CommandGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
for command in (
    init.init,
    sample.sample,
    run.run,
    estimate.estimate,
    reply_sheet.reply_sheet,
    reply_sheet.judge_sheet,
    doctor.doctor,
    check.check,
    sets.sets,
    sets.score_sets,
    sets.association,
    sets.export_questions,
    sets.tuning_sets,
    overview.status,
    overview.plan,
    overview.why,
    sql.sql,
    store.digest,
    store.gc,
    dev.dev,
):
    app.command()(command)
app.command("open")(report.open_report)
app.add_typer(review.app, name="review")


@app.callback()
def main(
    debug: Annotated[
        bool,
        typer.Option("--debug", envvar="PARALLAX_DEBUG", help="Show the traceback of an error."),
    ] = False,
) -> None:
    """Build benchmarks from raw video datasets, run models on them and score them."""
    from resources.masking import guard_process

    if debug:
        # Processes that this one starts read it too.
        os.environ["PARALLAX_DEBUG"] = "1"
    guard_process()

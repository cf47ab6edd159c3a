"""The `parallax` command."""

from __future__ import annotations

import typer

from pipelines.cli.commands import check, dev, overview, review, run, sample, sets, store

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for command in (
    sample.sample,
    run.run,
    check.check,
    sets.sets,
    sets.score_sets,
    sets.association,
    overview.status,
    overview.plan,
    overview.why,
    store.digest,
    store.gc,
    dev.dev,
):
    app.command()(command)
app.add_typer(review.app, name="review")


@app.callback()
def main() -> None:
    """Build benchmarks from raw video datasets, run models on them and score them."""
    from resources.masking import guard_process

    guard_process()

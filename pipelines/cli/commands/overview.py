"""Commands that show what there is, what to fetch and where a number comes from."""

from __future__ import annotations

from typing import Annotated

import typer

from pipelines.cli import names
from pipelines.cli.shell import show


def status() -> None:
    """Show each source and what was read from it, questions per recipe, and rows per table."""
    from pipelines.cli.views import status_text
    from resources.config import load_settings

    show(status_text(load_settings()))


def plan(
    benchmark: Annotated[
        list[str] | None,
        typer.Option("--benchmark", help="Only this benchmark.", autocompletion=names.benchmarks),
    ] = None,
    subtask: Annotated[
        list[str] | None, typer.Option("--subtask", help="Only this subtask.")
    ] = None,
    layout: Annotated[
        list[str] | None,
        typer.Option(
            "--layout",
            help="Layout of a dataset; by default those of the configured sources.",
            autocompletion=names.layouts,
        ),
    ] = None,
) -> None:
    """List the release files to download for a benchmark or subtask, with sizes where known."""
    from pipelines.cli.fetch_plan import plan_lines
    from resources.config import load_settings

    for line in plan_lines(load_settings(), benchmark or (), subtask or (), layout or ()):
        show(line)


def why(
    key: Annotated[
        str,
        typer.Argument(
            help="A score (`benchmark.run/slice`), a question id or its first characters, or a row of "
            "any table (`table/key`).",
            autocompletion=names.evaluations,
        ),
    ],
) -> None:
    """Trace a score, question or row back to replies, annotations, recordings and file hashes."""
    from pipelines.cli.lineage import explain
    from resources.config import load_settings

    show(explain(load_settings(), key))

"""The `parallax` command."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated

import typer

from pipelines.cli.review import app as review_app

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.add_typer(review_app, name="review")
CALLS_FAILED = 3
"""Exit code of a run that updated everything it could, but some model calls failed."""
Sources = Annotated[
    list[str] | None, typer.Option("--source", help="Only this source (repeatable).")
]


@app.callback()
def main() -> None:
    """Build benchmarks from raw video datasets, run models on them and score them."""
    from resources.masking import guard_process

    guard_process()


def _home() -> Path:
    """Dagster's home folder for this installation, also set as DAGSTER_HOME; writes nothing."""
    from resources.config import ConfigError, load_settings

    try:
        home = Path(os.environ.get("PARALLAX_DAGSTER_HOME") or load_settings().home / ".dagster")
    except ConfigError as error:
        raise _fail(error) from None
    os.environ["DAGSTER_HOME"] = str(home.absolute())
    os.environ.setdefault("DAGSTER_DISABLE_TELEMETRY", "1")
    return home.absolute()


def _fail(error: Exception) -> typer.Exit:
    from resources.masking import mask

    typer.secho(f"parallax: {mask(str(error))}", fg="red", err=True)
    return typer.Exit(1)


@app.command()
def sample(
    layout: Annotated[
        list[str] | None,
        typer.Option("--layout", help="Only this layout or sample world (repeatable)."),
    ] = None,
    root: Annotated[
        Path | None, typer.Option(help="Folder to write to; needs a single --layout.")
    ] = None,
    ego: Annotated[
        int, typer.Option(help="Number of egocentric recordings in the household world.")
    ] = 10,
    exo: Annotated[
        int, typer.Option(help="Number of exocentric recordings in the household world.")
    ] = 8,
    render: Annotated[
        str, typer.Option(help="Video size: full, small or none (annotations only).")
    ] = "full",
    every: Annotated[
        bool, typer.Option("--all", help="All layouts, not only those of the demo.")
    ] = False,
    force: Annotated[bool, typer.Option(help="Overwrite existing sample worlds.")] = False,
) -> None:
    """Write the sample worlds: simulated recordings in the raw layouts of real datasets."""
    from assets.sources.registry import layouts
    from resources.config import load_settings
    from resources.worlds.samples import (
        LAYOUTS,
        NoSampleError,
        bring_up_sample,
        sample_of,
        samples,
    )
    from resources.worlds.tools.side_by_side import kept_workers

    settings = load_settings()
    try:
        declared = layouts(settings.plugins, settings.home).values()
    except ValueError as error:
        raise _fail(error) from None
    known = {one.name: sample_of(one.name, one.sample) for one in declared if one.sample}
    known |= samples(render, ego, exo)
    chosen = layout or list(known if every else LAYOUTS)
    unknown = sorted(set(chosen) - known.keys())
    if unknown:
        raise _fail(ValueError(f"no sample world {unknown}; known: {sorted(known)}"))
    if root is not None and len(chosen) != 1:
        raise _fail(ValueError("--root takes exactly one --layout"))
    home = settings.home / "data" / "sample"

    def write(name: str) -> int:
        return bring_up_sample(known[name], root or home / name, force, typer.echo)

    try:
        # Two worlds at a time, so that the end of one leaves no process of the pool idle.
        with kept_workers(2), ThreadPoolExecutor(2) as threads:
            size = sum(threads.map(write, chosen))
    except NoSampleError as error:
        raise _fail(error) from None
    typer.echo(f"sample worlds: {len(chosen)}, {size / 1e6:.1f} MB")


@app.command()
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
    could not be made. 1: the run stopped for another reason.
    """
    from assets.options import Options
    from resources.config import ConfigError, load_settings

    _home()
    from pipelines.cli.source_status import verify_source
    from pipelines.cli.views import score_table
    from pipelines.run.dagster_home import DagsterHomeError
    from pipelines.run.failed_calls import failed_call_lines
    from pipelines.run.launch import EXPECTED, RunFailed
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
    try:
        settings = load_settings()
        for name in source or ():
            if name not in settings.sources:
                raise ConfigError(f"no source {name!r}; known: {sorted(settings.sources)}")
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
    except (*EXPECTED, DagsterHomeError, RunFailed) as error:
        raise _fail(error) from None
    typer.echo("")
    typer.echo(score_table(settings))
    typer.echo("")
    typer.echo(f"{counts['made']} stages updated, {counts['reused']} already up to date")
    if settings.page.is_file():
        typer.echo(f"report: {settings.page}")
    for problem in problems:
        typer.secho(f"parallax: {problem}", fg="red", err=True)
    if problems:
        raise typer.Exit(CALLS_FAILED)


@app.command()
def check(
    name: Annotated[
        list[str] | None,
        typer.Option("--name", help="Only this check: suite, gates or set_checks."),
    ] = None,
    partition: Annotated[
        list[str] | None, typer.Option("--of", help="Only this source or benchmark.")
    ] = None,
) -> None:
    """Run the quality checks on stored tables. Exit code 1 if a check fails with an error."""
    from resources.config import ConfigError, load_settings

    home = _home()
    from pipelines.checks import QUALITY, judge_all
    from pipelines.definitions import definitions
    from pipelines.run.dagster_home import DagsterHomeError, open_instance

    unknown = set(name or ()) - {quality.name for quality in QUALITY}
    if unknown:
        raise _fail(ValueError(f"unknown check {sorted(unknown)}; use suite, gates or set_checks"))
    try:
        settings = load_settings()
        instance = open_instance(home)
    except (ConfigError, DagsterHomeError) as error:
        raise _fail(error) from None
    with instance:
        judged = judge_all(instance, definitions(settings), name or (), partition or (), typer.echo)
    if any(j.is_error and not j.passed for j in judged):
        raise typer.Exit(1)


@app.command()
def sets(
    source: Annotated[str, typer.Argument(help="Source of the set.")],
    name: Annotated[str, typer.Option("--set", help="Name of the set, e.g. `planning/parity`.")],
    out: Annotated[Path, typer.Option("--out", help="Output folder.")],
) -> None:
    """Export a task set in the format of the official release."""
    from pipelines.cli.set_export import export_set
    from resources.config import load_settings
    from resources.store.ledger import IncompleteUpstream

    try:
        written = export_set(load_settings(), source, name, out)
    except (IncompleteUpstream, ValueError) as error:
        raise _fail(error) from None
    typer.echo(f"{len(written)} files written to {out}")


@app.command()
def score_sets(
    source: Annotated[str, typer.Argument(help="Source of the set.")],
    name: Annotated[str, typer.Option("--set", help="Name of the set, e.g. `planning/paper`.")],
    predictions: Annotated[
        Path, typer.Option("--predictions", help="Prediction file, or a folder of them.")
    ],
    out: Annotated[Path | None, typer.Option("--out", help="CSV file for the scores.")] = None,
) -> None:
    """Score prediction files against a task set."""
    from pipelines.cli.set_scores import score_predictions
    from resources.config import load_settings
    from resources.store.ledger import IncompleteUpstream

    settings = load_settings()
    target = out or settings.home / "data" / "set_scores" / source / f"{name.replace('/', '-')}.csv"
    try:
        found = score_predictions(settings, source, name, predictions, target)
    except (IncompleteUpstream, OSError, RuntimeError, ValueError) as error:
        raise _fail(error) from None
    for one in found.refusals:
        typer.echo(f"refused: {one.file} {one.row or ''}: {one.message}; {one.remedy}")
    if found.note:
        typer.echo(found.note)
    for row in found.scores.iter_rows(named=True):
        place = " ".join(str(row[c]) for c in ("list", "split", "kind") if row[c] is not None)
        value = "-" if row["value"] is None else f"{row['value']:.4f}"
        why = "" if row["reason"] is None else f"  ({row['reason']})"
        counts = f"n={row['n']} missing={row['n_missing']}"
        typer.echo(f"{place}  {row['metric']}  {value}  {counts}{why}")
    typer.echo(f"written: {found.path}")


@app.command()
def association(
    source: Annotated[str, typer.Argument(help="Source of the questions.")],
    out: Annotated[Path, typer.Option("--out", help="Output folder.")],
) -> None:
    """Export 20-option association questions in the format of the official release."""
    from pipelines.cli.association_export import export_association
    from resources.config import load_settings
    from resources.store.tables import StoreError

    try:
        written = export_association(load_settings(), source, out)
    except (StoreError, ValueError) as error:
        raise _fail(error) from None
    typer.echo(f"{len(written)} files written to {out}")


@app.command()
def status() -> None:
    """Show each source and what was read from it, questions per recipe, and rows per table."""
    from pipelines.cli.views import status_text
    from resources.config import load_settings
    from resources.store.tables import StoreError

    try:
        typer.echo(status_text(load_settings()))
    except StoreError as error:
        raise _fail(error) from None


@app.command()
def plan(
    benchmark: Annotated[
        list[str] | None, typer.Option("--benchmark", help="Only this benchmark.")
    ] = None,
    subtask: Annotated[
        list[str] | None, typer.Option("--subtask", help="Only this subtask.")
    ] = None,
    layout: Annotated[
        list[str] | None,
        typer.Option(
            "--layout", help="Layout of a dataset; by default those of the configured sources."
        ),
    ] = None,
) -> None:
    """List the release files to download for a benchmark or subtask, with sizes where known."""
    from pipelines.cli.fetch_plan import PlanError, plan_lines
    from resources.config import load_settings

    try:
        for line in plan_lines(load_settings(), benchmark or (), subtask or (), layout or ()):
            typer.echo(line)
    except PlanError as error:
        raise _fail(error) from None


@app.command()
def why(
    key: Annotated[str, typer.Argument(help="A question id, or a score as `benchmark.run/slice`.")],
) -> None:
    """Trace a score or question back to replies, annotations, recordings and file hashes."""
    from pipelines.cli.lineage import UnknownKey, explain
    from resources.config import load_settings

    try:
        typer.echo(explain(load_settings(), key))
    except UnknownKey as error:
        raise _fail(error) from None


@app.command()
def digest(
    by: Annotated[str, typer.Option(help="Group by table, partition or unit.")] = "table",
) -> None:
    """Print content digests of all tables, computed from their rows."""
    from pipelines.cli.views import digest_lines
    from resources.config import load_settings

    for line in digest_lines(load_settings(), by):
        typer.echo(line)


@app.command()
def gc(
    keep_hours: Annotated[
        float, typer.Option(help="Keep table versions newer than this many hours.")
    ] = 24.0,
) -> None:
    """Compact tables and delete data files of old table versions."""
    from pipelines.cli.views import collect_garbage
    from resources.config import load_settings

    for line in collect_garbage(load_settings(), keep_hours):
        typer.echo(line)


@app.command()
def dev(port: Annotated[int, typer.Option(help="Port of the Dagster UI.")] = 3000) -> None:
    """Open the Dagster UI."""
    home = _home()
    from pipelines.run.dagster_home import DagsterHomeError, open_instance

    try:
        # The programs that `dagster dev` starts open the home at the same moment, without our lock.
        open_instance(home).dispose()
    except DagsterHomeError as error:
        raise _fail(error) from None
    typer.echo(f"Dagster home: {home}")
    command = [str(Path(sys.executable).with_name("dagster")), "dev", "-m", "pipelines.definitions"]
    raise typer.Exit(subprocess.call([*command, "-p", str(port)], cwd=home))

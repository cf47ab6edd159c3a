"""The `parallax` command."""

from __future__ import annotations

import os
import subprocess
import sys
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
"""Exit code of a run that brought everything up to date except that model calls failed."""
Sources = Annotated[list[str] | None, typer.Option("--source", help="Only this source.")]


@app.callback()
def main() -> None:
    """Video datasets into benchmarks, models through benchmarks: incremental, in Dagster."""
    from resources.masking import guard_process

    guard_process()


def _home() -> Path:
    """Folder of Dagster's home of this installation, named to Dagster; nothing is written yet."""
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
        typer.Option("--layout", help="Only this layout, or this world by name (repeatable)."),
    ] = None,
    root: Annotated[Path | None, typer.Option(help="Folder to write one into.")] = None,
    ego: Annotated[int, typer.Option(help="Egocentric recordings of the household.")] = 10,
    exo: Annotated[int, typer.Option(help="Exocentric recordings of the household.")] = 8,
    render: Annotated[str, typer.Option(help="full, small or none (annotations only).")] = "full",
    every: Annotated[
        bool, typer.Option("--all", help="Every layout, not only those of the demonstration.")
    ] = False,
    force: Annotated[bool, typer.Option(help="Write again where it is there already.")] = False,
) -> None:
    """Write the sample worlds: simulated takes in the raw layouts of datasets."""
    from resources.config import load_settings
    from resources.worlds.samples import LAYOUTS, NoSampleError, bring_up_sample, samples
    from resources.worlds.tools.side_by_side import kept_workers

    known = samples(render, ego, exo)
    chosen = layout or list(known if every else LAYOUTS)
    unknown = sorted(set(chosen) - known.keys())
    if unknown:
        raise _fail(ValueError(f"no sample world {unknown}; known: {sorted(known)}"))
    if root is not None and len(chosen) != 1:
        raise _fail(ValueError("--root holds one layout: name it by --layout"))
    home, size = load_settings().home / "data" / "sample", 0
    with kept_workers(2):
        for name in chosen:
            try:
                size += bring_up_sample(known[name], root or home / name, force, typer.echo)
            except NoSampleError as error:
                raise _fail(error) from None
    typer.echo(f"sample worlds: {len(chosen)}, {size / 1e6:.1f} MB")


@app.command()
def run(
    source: Sources = None,
    recordings: Annotated[
        str | None, typer.Option(help="Only these recordings, separated by commas.")
    ] = None,
    subtask: Annotated[list[str] | None, typer.Option(help="Only this subtask.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="At most so many units a stage.")] = None,
    allow_deletes: Annotated[
        bool, typer.Option("--allow-deletes", help="Delete what is gone, however much it is.")
    ] = False,
    verify: Annotated[
        bool, typer.Option("--verify", help="First read every byte of every file, large media too.")
    ] = False,
    retry_errors: Annotated[
        bool,
        typer.Option("--retry-errors", help="Ask model calls again that failed too often."),
    ] = False,
) -> None:
    """Bring everything up to date: only what changed is made again.

    Ends with 0 if all is up to date, with 3 if it is except that model calls failed or could not be
    made, and with 1 if something else stopped.
    """
    from assets.options import Options
    from resources.config import ConfigError, load_settings
    from resources.models import EngineUnavailableError
    from resources.roots.base import RootError
    from resources.store.ledger import IncompleteUpstream
    from resources.store.locks import LockLostError
    from resources.store.tables import StoreError

    _home()
    from pipelines.cli.source_status import verify_source
    from pipelines.cli.views import score_table
    from pipelines.run.dagster_home import DagsterHomeError
    from pipelines.run.failed_calls import failed_call_lines
    from pipelines.run.orchestrate import ModelsUnavailable, RunFailed, bring_up_to_date

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
            counts = bring_up_to_date(settings, tuple(source or ()), options, typer.echo)
        except ModelsUnavailable as stop:
            counts, stopped = stop.counts, stop.partitions
            problems.append(str(stop))
        problems += failed_call_lines(settings, source or (), stopped)
    except (
        ConfigError,
        DagsterHomeError,
        EngineUnavailableError,
        IncompleteUpstream,
        LockLostError,
        RootError,
        RunFailed,
        StoreError,
    ) as error:
        raise _fail(error) from None
    typer.echo("")
    typer.echo(score_table(settings))
    typer.echo("")
    typer.echo(f"{counts['reused']} stages reused, {counts['made']} made")
    if settings.page.is_file():
        typer.echo(f"page: {settings.page}")
    for problem in problems:
        typer.secho(f"parallax: {problem}", fg="red", err=True)
    if problems:
        raise typer.Exit(CALLS_FAILED)


@app.command()
def check(
    name: Annotated[
        list[str] | None, typer.Option("--name", help="Only this check: suite, gates, set_checks.")
    ] = None,
    partition: Annotated[
        list[str] | None, typer.Option("--of", help="Only this source or benchmark.")
    ] = None,
) -> None:
    """Judge what is stored: suites, gates and set checks. Ends with 1 if one is an error."""
    from resources.config import ConfigError, load_settings

    home = _home()
    from pipelines.checks import QUALITY, judge_all
    from pipelines.definitions import definitions
    from pipelines.run.dagster_home import DagsterHomeError, open_instance

    unknown = set(name or ()) - {quality.name for quality in QUALITY}
    if unknown:
        raise _fail(ValueError(f"no check is named {sorted(unknown)}"))
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
    source: Annotated[str, typer.Argument(help="Source the set was made of.")],
    name: Annotated[str, typer.Option("--set", help="Set, as `planning/parity`.")],
    out: Annotated[Path, typer.Option("--out", help="Folder to write into.")],
) -> None:
    """Write a set of a task in the official files' form."""
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
    source: Annotated[str, typer.Argument(help="Source the set was made of.")],
    name: Annotated[str, typer.Option("--set", help="Set, as `planning/paper`.")],
    predictions: Annotated[Path, typer.Option("--predictions", help="File or folder of them.")],
    out: Annotated[Path | None, typer.Option("--out", help="CSV file to write.")] = None,
) -> None:
    """Score predictions for a set of a task."""
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
        typer.echo(f"refused: {one['file']} {one['row'] or ''}: {one['message']}; {one['remedy']}")
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
    source: Annotated[str, typer.Argument(help="Source the questions are about.")],
    out: Annotated[Path, typer.Option("--out", help="Folder to write into.")],
) -> None:
    """Write association questions with 20 options in the official files' form."""
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
    """What is configured, listed, present, readable and used, and what each stage holds."""
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
        typer.Option("--layout", help="This dataset; else those of the configured sources."),
    ] = None,
) -> None:
    """What to fetch: the files of a dataset's release that subtasks need, with known sizes."""
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
    """Walk from a score or question to replies, segments, recordings and file hashes."""
    from pipelines.cli.lineage import UnknownKey, explain
    from resources.config import load_settings

    try:
        typer.echo(explain(load_settings(), key))
    except UnknownKey as error:
        raise _fail(error) from None


@app.command()
def digest(
    by: Annotated[str, typer.Option(help="table, partition or unit.")] = "table",
) -> None:
    """Digests of the tables' content, computed from the rows themselves."""
    from pipelines.cli.views import digest_lines
    from resources.config import load_settings

    for line in digest_lines(load_settings(), by):
        typer.echo(line)


@app.command()
def gc(
    keep_hours: Annotated[float, typer.Option(help="Keep states of the last hours.")] = 24.0,
) -> None:
    """Put tables in order and delete files that no recent state needs."""
    from pipelines.cli.views import collect_garbage
    from resources.config import load_settings

    for line in collect_garbage(load_settings(), keep_hours):
        typer.echo(line)


@app.command()
def dev(port: Annotated[int, typer.Option(help="Port of the UI.")] = 3000) -> None:
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

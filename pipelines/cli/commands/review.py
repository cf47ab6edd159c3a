"""The `parallax review` commands: what is doubtful goes out to people, how their decisions stand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from pipelines.cli import names
from resources.texts import one_line

app = typer.Typer(help="Doubtful labels, translations and pairs out to people, their decisions in.")
SHOWN = 10
SHOWN_CHARS = 160
What = Annotated[str, typer.Option("--what", help="labels, translations or pairs.")]


@app.command()
def queue(
    source: Annotated[
        str, typer.Argument(help="Source whose items are doubtful.", autocompletion=names.sources)
    ],
    out: Annotated[Path, typer.Option("--out", help="File to write; it must not be there yet.")],
    what: What = "labels",
    form: Annotated[str, typer.Option("--format", help="csv or label-studio.")] = "csv",
    round_: Annotated[int, typer.Option("--round", min=1, help="Annotation round.")] = 1,
    limit: Annotated[int | None, typer.Option(min=1, help="At most so many items.")] = None,
) -> None:
    """Write what is doubtful and not decided, for reviewers to fill in."""
    from assets.reviews.stage import queue as doubtful
    from assets.sources.reviews.forms import queue_csv, queue_label_studio
    from resources.config import load_settings
    from resources.errors import ExpectedError, require_known

    forms = {"csv": queue_csv, "label-studio": queue_label_studio}
    settings = load_settings()
    require_known("source", [source], settings.sources)
    require_known("format", [form], forms)
    rows = doubtful(settings, source, what)
    rows = rows if limit is None else rows.head(limit)
    # Spreadsheets take a CSV without the mark for another encoding than UTF-8.
    encoding = "utf-8-sig" if form == "csv" else "utf-8"
    try:
        # A file that is there may hold a reviewer's work.
        with out.open("x", encoding=encoding, newline="") as handle:
            handle.write(forms[form](rows, round_))
    except FileExistsError:
        raise ExpectedError(f"{out} is there already; name another file") from None
    typer.echo(f"{rows.height} {what} of {source} to decide on: {out}")
    if form == "label-studio":
        typer.echo(f"labeling interface of the project: parallax review interface --what {what}")


@app.command()
def interface(what: What = "labels") -> None:
    """Print the labeling interface for a Label Studio project."""
    from assets.reviews.stage import QUEUES
    from assets.sources.reviews.forms import label_studio_interface
    from resources.errors import require_known

    require_known("kind of item", [what], QUEUES)
    typer.echo(label_studio_interface(what.removesuffix("s")))


@app.command()
def status(
    source: Annotated[
        list[str] | None,
        typer.Option("--source", help="Only this source.", autocompletion=names.sources),
    ] = None,
) -> None:
    """How decisions stand: by round and reviewer, and which do not count and why."""
    from resources.config import load_settings
    from resources.errors import require_known

    settings = load_settings()
    require_known("source", source or (), settings.sources)
    names = source or [n for n, s in sorted(settings.sources.items()) if s.layout != "reviews"]
    for name in names:
        for line in status_lines(settings, name):
            typer.echo(line)
    for line in stray_lines(settings):
        typer.echo(line)


def status_lines(settings, source: str) -> Iterator[str]:
    """Rounds, states and what does not count, of one source."""
    import polars as pl

    from assets.reviews.stage import QUEUES
    from assets.reviews.stage import queue as doubtful
    from expectations.schemas import TABLES

    store = settings.store
    changes = store.read(TABLES["review_changes"], source).sort("item_kind", "round", "reviewer")
    states = store.read(TABLES["review_states"], source).sort("item_kind", "item_id")
    yield f"{source}: {states.height} items judged"
    for row in changes.iter_rows(named=True):
        yield (
            f"  round {row['round']}, {row['item_kind']}s by {one_line(row['reviewer'], SHOWN_CHARS)}: "
            f"{row['items']} items, {row['accepted']} accepted, {row['rejected']} rejected, "
            f"{row['corrected']} corrected ({row['changed']} changed); {row['standing']} count, "
            f"{row['superseded']} superseded, {row['stale']} stale, {row['conflicts']} in conflict, "
            f"{row['unusable']} unusable"
        )
    idle = states.filter(pl.col("state") != "standing")
    for row in idle.head(SHOWN).iter_rows(named=True):
        why = one_line(f"{row['item_id']} ({row['reviewer']}): {row['message']}", SHOWN_CHARS)
        yield f"  {row['state']} {row['item_kind']} {why}"
    if idle.height > SHOWN:
        yield f"  and {idle.height - SHOWN} more that do not count: table review_states"
    left = [f"{doubtful(settings, source, what).height} {what}" for what in QUEUES]
    yield f"  to decide: {', '.join(left)}"


def stray_lines(settings) -> Iterator[str]:
    """Decisions that no configured source takes."""
    from expectations.schemas import TABLES

    for name, configured in sorted(settings.sources.items()):
        if configured.layout != "reviews":
            continue
        rows = settings.store.read(TABLES["reviews"], name, columns=("source",))
        for judged, count in sorted(rows["source"].value_counts().iter_rows()):
            taker = settings.sources.get(judged)
            if taker is None or name not in taker.reviews:
                source = one_line(judged, SHOWN_CHARS)
                yield (
                    f"{count} decisions in {name} are on {source}, which does not take them: "
                    f'add reviews = ["{name}"] to it'
                )

"""The `parallax review` commands: what is doubtful goes out to people, how their decisions stand."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pipelines.cli import names
from pipelines.cli.shell import show

app = typer.Typer(help="Doubtful labels, translations and pairs out to people, their decisions in.")
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
    from pipelines.cli.written_files import writing
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
    if out.exists():
        # It may hold a reviewer's work.
        raise ExpectedError(f"{out} is there already; name another file")
    with writing(out), out.open("x", encoding=encoding, newline="") as handle:
        handle.write(forms[form](rows, round_))
    show(f"{rows.height} {what} of {source} to decide on: {out}")
    if form == "label-studio":
        show(f"labeling interface of the project: parallax review interface --what {what}")


@app.command()
def interface(what: What = "labels") -> None:
    """Print the labeling interface for a Label Studio project."""
    from assets.reviews.stage import QUEUES
    from assets.sources.reviews.forms import label_studio_interface
    from resources.errors import require_known

    require_known("kind of item", [what], QUEUES)
    show(label_studio_interface(what.removesuffix("s")))


@app.command()
def status(
    source: Annotated[
        list[str] | None,
        typer.Option("--source", help="Only this source.", autocompletion=names.sources),
    ] = None,
) -> None:
    """How decisions stand: by round and reviewer, and which do not count and why."""
    from pipelines.cli.review_status import status_lines, stray_lines
    from resources.config import load_settings
    from resources.errors import require_known

    settings = load_settings()
    require_known("source", source or (), settings.sources)
    chosen = source or [n for n, s in sorted(settings.sources.items()) if s.layout != "reviews"]
    for name in chosen:
        for line in status_lines(settings, name):
            show(line)
    for line in stray_lines(settings):
        show(line)

"""The `parallax review` commands: what is doubtful goes out to people, how their decisions stand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipelines.cli import names
from pipelines.cli.shell import show

if TYPE_CHECKING:
    import polars as pl

    from resources.config import Settings

app = typer.Typer(
    help="Doubtful labels, translations and pairs, rows of scene graphs, and samples of questions and rewordings, out to"
    " people; their decisions in."
)
What = Annotated[
    str,
    typer.Option(
        "--what", help="labels, translations, pairs, directions, graphs, questions or wordings."
    ),
]
PURPOSE = "review"


@app.command()
def queue(
    name: Annotated[
        str,
        typer.Argument(
            help="Source whose items are doubtful; of questions and wordings the benchmark.",
            autocompletion=names.sources,
        ),
    ],
    out: Annotated[Path, typer.Option("--out", help="File to write; it must not be there yet.")],
    what: What = "labels",
    form: Annotated[str, typer.Option("--format", help="csv or label-studio.")] = "csv",
    round_: Annotated[int, typer.Option("--round", min=1, help="Annotation round.")] = 1,
    limit: Annotated[int | None, typer.Option(min=1, help="At most so many items.")] = None,
    per_subtask: Annotated[int, typer.Option(min=1, help="Questions drawn of each subtask.")] = 20,
    per_group: Annotated[
        int | None,
        typer.Option(min=1, help="Questions drawn of each group of subtasks instead."),
    ] = None,
    frames: Annotated[
        Path | None,
        typer.Option(
            "--frames",
            help="Folder for the frames of questions, wordings or directions; it must be new.",
        ),
    ] = None,
) -> None:
    """Write what is doubtful and not decided, for reviewers to fill in."""
    from assets.sources.reviews.forms import queue_csv, queue_label_studio
    from pipelines.cli.written_files import writing
    from resources.config import load_settings
    from resources.errors import ExpectedError, require_known

    forms = {"csv": queue_csv, "label-studio": queue_label_studio}
    settings = load_settings()
    require_known("kind of item", [what], _kinds())
    of_benchmark = what in (_QUESTIONS, _WORDINGS)
    known = settings.benchmarks if of_benchmark else settings.sources
    require_known("benchmark" if of_benchmark else "source", [name], known)
    require_known("format", [form], forms)
    # Spreadsheets take a CSV without the mark for another encoding than UTF-8.
    encoding = "utf-8-sig" if form == "csv" else "utf-8"
    if out.exists():
        # It may hold a reviewer's work.
        raise ExpectedError(f"{out} is there already; name another file")
    if frames is not None and what not in _SHOWN:
        raise ExpectedError(f"--frames {frames} is for {' and '.join(_SHOWN)} alone")
    if frames is not None and frames.exists():
        raise ExpectedError(f"--frames {frames} is there already; name another folder")
    if what == _DIRECTIONS:
        from pipelines.cli.direction_queue import directions_of

        rows = directions_of(settings, name, round_, limit, frames)
    elif what == _WORDINGS:
        from pipelines.cli.wording_queue import wordings_of

        rows = wordings_of(settings, name, frames)
    elif what == _GRAPHS:
        from pipelines.cli.graph_queue import graphs_of

        rows = graphs_of(settings, name)
    else:
        rows = _rows(settings, name, what, (per_subtask, per_group), frames)
    rows = rows if limit is None else rows.head(limit)
    with writing(out), out.open("x", encoding=encoding, newline="") as handle:
        handle.write(forms[form](rows, round_))
    show(f"{rows.height} {what} of {name} to decide on: {out}")
    if form == "label-studio":
        show(f"labeling interface of the project: parallax review interface --what {what}")


_DIRECTIONS = "directions"
_GRAPHS = "graphs"
_QUESTIONS = "questions"
_WORDINGS = "wordings"
_SHOWN = (_DIRECTIONS, _QUESTIONS, _WORDINGS)
"""Kinds of items whose frames can be written."""


def _kinds() -> tuple[str, ...]:
    from assets.reviews.stage import QUEUES

    return (*QUEUES, _DIRECTIONS, _GRAPHS, _QUESTIONS, _WORDINGS)


def _rows(
    settings: Settings,
    name: str,
    what: str,
    sizes: tuple[int, int | None],
    frames: Path | None,
) -> pl.DataFrame:
    """Queue of a kind of item other than directions and wordings; of questions with their frames, where a folder is named."""
    if what != _QUESTIONS:
        from assets.reviews.stage import queue as doubtful

        return doubtful(settings, name, what)
    import polars as pl

    from assets.question_reviews.queue import question_queue, undecided
    from assets.questions.kit.directions import LETTERS, NAMES
    from expectations.schemas import TABLES
    from pipelines.cli.shown_questions import (
        Draw,
        as_looked_at,
        local_files,
        published_questions,
        sampled_questions,
        write_frames,
    )

    settings = as_looked_at(settings, name)
    reviews = settings.store.read(TABLES["question_reviews"], name)
    questions = undecided(published_questions(settings, name), reviews)
    # Of a question with several valid answers people examine every one, and not a sample.
    draw = Draw(PURPOSE, *sizes, whole=("sequences",))
    drawn = sampled_questions(settings, name, questions, draw)
    written = {} if frames is None else write_frames(settings, drawn, frames)
    places = {
        key: local_files(frames, paths) for key, paths in written.items() if frames is not None
    }
    rows = pl.DataFrame([one.row for one in drawn], schema=questions.schema)
    return question_queue(rows, reviews, places, dict(zip(LETTERS, NAMES, strict=True)))


@app.command()
def interface(what: What = "labels") -> None:
    """Print the labeling interface for a Label Studio project."""
    from assets.sources.reviews.forms import label_studio_interface
    from resources.errors import require_known

    require_known("kind of item", [what], _kinds())
    show(label_studio_interface(what.removesuffix("s")))


@app.command()
def status(
    source: Annotated[
        list[str] | None,
        typer.Option("--source", help="Only this source.", autocompletion=names.sources),
    ] = None,
) -> None:
    """How decisions stand: by round and reviewer, and which do not count and why."""
    from pipelines.cli.review_status import question_lines, status_lines, stray_lines, wording_lines
    from resources.config import load_settings
    from resources.errors import require_known

    settings = load_settings()
    require_known("source", source or (), settings.sources)
    chosen = source or [n for n, s in sorted(settings.sources.items()) if s.layout != "reviews"]
    for name in chosen:
        for line in status_lines(settings, name):
            show(line)
    for benchmark in () if source else sorted(settings.benchmarks):
        for line in (*question_lines(settings, benchmark), *wording_lines(settings, benchmark)):
            show(line)
    for line in stray_lines(settings):
        show(line)

"""Commands that export task sets and questions, and score predictions of sets."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from pipelines.cli import names
from pipelines.cli.shell import show


class Form(StrEnum):
    """Forms of released question files."""

    EGOCROSS = "egocross"
    EGOEXOBENCH = "egoexobench"
    EGOPROX = "egoprox"


class Grouping(StrEnum):
    """What a tuning set is made of."""

    CATEGORY = "category"
    SOURCE = "source"


def sets(
    source: Annotated[str, typer.Argument(help="Source of the set.", autocompletion=names.sources)],
    name: Annotated[
        str,
        typer.Option(
            "--set",
            help="Name of the set, e.g. `planning/parity`; `skill/parity` for lists of skill.",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", help="Output folder.")],
) -> None:
    """Export a task set in the format of the official release."""
    from pipelines.cli.set_export import export_notes, export_set
    from resources.config import load_settings

    settings = load_settings()
    written = export_set(settings, source, name, out)
    for line in export_notes(settings, source, name):
        show(line)
    show(f"{len(written)} files written to {out}")


def score_sets(
    source: Annotated[str, typer.Argument(help="Source of the set.", autocompletion=names.sources)],
    name: Annotated[str, typer.Option("--set", help="Name of the set, e.g. `planning/paper`.")],
    predictions: Annotated[
        Path, typer.Option("--predictions", help="Prediction file, or a folder of them.")
    ],
    out: Annotated[Path | None, typer.Option("--out", help="CSV file for the scores.")] = None,
) -> None:
    """Score prediction files against a task set."""
    from pipelines.cli.set_scores import score_predictions
    from resources.config import load_settings

    settings = load_settings()
    target = out or settings.home / "data" / "set_scores" / source / f"{name.replace('/', '-')}.csv"
    scored = score_predictions(settings, source, name, predictions, target)
    for refusal in scored.refusals:
        show(f"refused: {refusal.file} {refusal.row or ''}: {refusal.message}; {refusal.remedy}")
    if scored.note:
        show(scored.note)
    for line in scored.truth:
        show(f"truth: {line}")
    for row in scored.scores.iter_rows(named=True):
        place = " ".join(str(row[c]) for c in ("list", "split", "kind") if row[c] is not None)
        value = "-" if row["value"] is None else f"{row['value']:.4f}"
        why = "" if row["reason"] is None else f"  ({row['reason']})"
        counts = f"n={row['n']} missing={row['n_missing']}"
        show(f"{place}  {row['metric']}  {value}  {counts}{why}")
    show(f"written: {scored.path}")


def association(
    source: Annotated[
        str, typer.Argument(help="Source of the questions.", autocompletion=names.sources)
    ],
    out: Annotated[Path, typer.Option("--out", help="Output folder.")],
) -> None:
    """Export 20-option association questions in the format of the official release."""
    from pipelines.cli.association_export import export_association
    from resources.config import load_settings

    written = export_association(load_settings(), source, out)
    show(f"{len(written)} files written to {out}")


def export_questions(
    run: Annotated[
        str,
        typer.Argument(help="Run whose questions and frames count.", autocompletion=names.runs),
    ],
    benchmark: Annotated[
        str, typer.Option("--benchmark", help="Benchmark.", autocompletion=names.benchmarks)
    ],
    out: Annotated[Path, typer.Option("--out", help="Output folder.")],
    form: Annotated[
        Form, typer.Option("--form", help="Released files whose form is written.")
    ] = Form.EGOEXOBENCH,
) -> None:
    """Export questions with the frames a run would send, in the form of a benchmark's release."""
    from pipelines.cli.question_export import export_items, export_questions, export_samples
    from resources.config import load_settings
    from resources.errors import require_known

    settings = load_settings()
    require_known("run", [run], settings.runs)
    benchmarks = settings.runs[run].benchmarks or tuple(settings.benchmarks)
    require_known("benchmark of this run", [benchmark], benchmarks)
    if form is Form.EGOPROX:
        show(f"{export_samples(settings, run, benchmark, out)} questions written to {out}")
        return
    if form is Form.EGOCROSS:
        written, misstated = export_items(settings, run, benchmark, out)
        show(f"{written} questions written to {out}")
        if misstated:
            show(
                f"{misstated} of them show frames at another rate than the scripts state in their prompt"
            )
        return
    written, beyond = export_questions(settings, run, benchmark, out)
    show(f"{written} questions written to {out}")
    if beyond:
        show(f"{beyond} of them have options beyond D, which the official scorer never reads")


def tuning_sets(
    run: Annotated[
        str,
        typer.Argument(
            help="Run whose questions, prompts and frames count.", autocompletion=names.runs
        ),
    ],
    apart_from: Annotated[
        str,
        typer.Option("--apart-from", help="Run that asks the test set.", autocompletion=names.runs),
    ],
    out: Annotated[Path, typer.Option("--out", help="Output folder.")],
    by: Annotated[
        Grouping, typer.Option("--by", help="What a set is made of.")
    ] = Grouping.CATEGORY,
    most: Annotated[
        int | None,
        typer.Option(
            "--most", min=1, help="Most questions in a set; 800 of a category, 1,200 of a source."
        ),
    ] = None,
    reasons: Annotated[
        bool, typer.Option("--reasons", help="Whether replies explain the answer first.")
    ] = False,
) -> None:
    """Export EgoProx's questions as sets that LLaMA-Factory tunes a model on."""
    from assets.questions.egoprox.tuning_form import MOST
    from pipelines.cli.tuning_export import export_tuning_sets
    from resources.config import load_settings
    from resources.errors import require_known

    settings = load_settings()
    require_known("run", [run, apart_from], settings.runs)
    for name in (run, apart_from):
        benchmarks = settings.runs[name].benchmarks or tuple(settings.benchmarks)
        require_known(f"benchmark of run {name}", ["egoprox"], benchmarks)
    most = most or MOST[by]
    written = export_tuning_sets(
        settings, run, apart_from, "egoprox", out, by=by, most=most, reasons=reasons
    )
    for name, n in written.items():
        show(f"{name}: {n} questions" + (f" of {most} wanted" if n < most else ""))
    show(f"written: {out}")

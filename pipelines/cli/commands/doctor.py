"""The command that checks what an installation needs."""

from __future__ import annotations

from collections import Counter

import typer

from pipelines.cli.interrupts import interruptible
from pipelines.cli.shell import FAILED, dagster_home_folder, show
from resources.texts import printable

_COLOURS = {"ok": "green", "warning": "yellow", "problem": "red"}


@interruptible
def doctor() -> None:
    """Check keys, servers, engines, packages, roots, store and disks, and say what to do.

    Exit code 1 where there is a problem; warnings alone are not problems. Nothing is computed or asked of a model.
    """
    from resources.config import load_settings

    settings = load_settings()
    home = dagster_home_folder()
    from pipelines.cli.diagnosis import diagnosis, line

    counts: Counter[str] = Counter()
    for finding in diagnosis(settings, home):
        counts[finding.level] += 1
        level, text = finding.level, printable(line(finding))
        typer.echo(typer.style(level, fg=_COLOURS[level]) + text.removeprefix(level))
    problems, warnings = (
        f"{counts[level]} {level}{'' if counts[level] == 1 else 's'}"
        for level in ("problem", "warning")
    )
    show(f"{problems}, {warnings}")
    if counts["problem"]:
        raise typer.Exit(FAILED)

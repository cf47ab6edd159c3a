"""Commands on the stored tables."""

from __future__ import annotations

from typing import Annotated

import typer

from pipelines.cli import names
from pipelines.cli.shell import show

MOST_HOURS = 24 * 365 * 100


def digest(
    by: Annotated[
        str, typer.Option(help="Group by table, partition or unit.", autocompletion=names.groupings)
    ] = "table",
) -> None:
    """Print content digests of all tables, computed from their rows."""
    from pipelines.cli.views import digest_lines
    from resources.config import load_settings
    from resources.errors import require_known

    require_known("grouping", [by], names.GROUPINGS)
    for line in digest_lines(load_settings(), by):
        show(line)


def gc(
    keep_hours: Annotated[
        float,
        typer.Option(min=0, max=MOST_HOURS, help="Keep table versions newer than this many hours."),
    ] = 24.0,
) -> None:
    """Compact tables and delete data files of old table versions."""
    from pipelines.cli.views import collect_garbage
    from resources.config import load_settings

    for line in collect_garbage(load_settings(), keep_hours):
        show(line)

"""The command that writes sample worlds."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated

import typer

from pipelines.cli import names
from pipelines.cli.interrupts import interruptible
from pipelines.cli.shell import show


@interruptible
def sample(
    layout: Annotated[
        list[str] | None,
        typer.Option(
            "--layout",
            help="Only this layout or sample world (repeatable).",
            autocompletion=names.layouts,
        ),
    ] = None,
    root: Annotated[
        Path | None, typer.Option(help="Folder to write to; needs a single --layout.")
    ] = None,
    ego: Annotated[
        int,
        typer.Option(min=0, max=2**17, help="Egocentric recordings in the household world."),
    ] = 10,
    exo: Annotated[
        int,
        typer.Option(min=0, max=2**16, help="Exocentric recordings in the household world."),
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
    from resources.errors import ExpectedError, require_known
    from resources.worlds.samples import (
        LAYOUTS,
        bring_up_sample,
        sample_of,
        samples,
    )
    from resources.worlds.tools.side_by_side import kept_workers

    settings = load_settings()
    require_known("video size", [render], ("full", "small", "none"))
    declared = layouts(settings.plugins, settings.home).values()
    known = {one.name: sample_of(one.name, one.sample) for one in declared if one.sample}
    known |= samples(render, ego, exo)
    chosen = layout or list(known if every else LAYOUTS)
    require_known("sample world", chosen, known)
    if root is not None and len(chosen) != 1:
        raise ExpectedError("--root takes exactly one --layout")
    home = settings.home / "data" / "sample"

    def write(name: str) -> int:
        return bring_up_sample(known[name], root or home / name, force, show)

    # Two worlds at a time, so that the end of one leaves no process of the pool idle.
    with kept_workers(2), ThreadPoolExecutor(2) as threads:
        size = sum(threads.map(write, chosen))
    show(f"sample worlds: {len(chosen)}, {size / 1e6:.1f} MB")

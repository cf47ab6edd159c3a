"""The command that opens the report."""

from __future__ import annotations

import webbrowser
from typing import Annotated

import typer

from pipelines.cli.shell import show


def open_report(
    browser: Annotated[
        bool, typer.Option(help="Start a browser; without, only the path is printed.")
    ] = True,
) -> None:
    """Open the report in a browser, and print where it is."""
    from resources.config import load_settings
    from resources.errors import ExpectedError

    page = load_settings().page
    if not page.is_file():
        raise ExpectedError(f"there is no report at {page} yet: `parallax run` writes it")
    show(str(page.absolute()))
    if browser and not webbrowser.open(page.absolute().as_uri()):
        show("no browser could be started here: open that file in one")

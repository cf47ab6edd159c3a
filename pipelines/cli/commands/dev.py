"""The command that opens the Dagster UI."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from pipelines.cli.shell import dagster_home_folder, show


def dev(
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port of the Dagster UI.")] = 3000,
) -> None:
    """Open the Dagster UI."""
    home = dagster_home_folder()
    from pipelines.run.dagster_home import prepare_home
    from pipelines.run.dev_server import serve
    from resources.config import config_path

    # The programs of the UI open the home at the same moment, without our lock.
    prepare_home(home)
    show(f"Dagster home: {home}")
    # They work in another folder, where the configuration of this one would not be found.
    os.environ["PARALLAX_CONFIG"] = str(config_path().absolute())
    raise typer.Exit(serve(home, port, show))

"""The command that opens the Dagster UI."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from pipelines.cli.shell import dagster_home_folder


def dev(port: Annotated[int, typer.Option(help="Port of the Dagster UI.")] = 3000) -> None:
    """Open the Dagster UI."""
    home = dagster_home_folder()
    from pipelines.run.dagster_home import open_instance
    from resources.config import config_path

    # The programs that `dagster dev` starts open the home at the same moment, without our lock.
    open_instance(home).dispose()
    typer.echo(f"Dagster home: {home}")
    command = [str(Path(sys.executable).with_name("dagster")), "dev", "-m", "pipelines.definitions"]
    # It works in another folder, where the configuration of this one would not be found.
    environment = {**os.environ, "PARALLAX_CONFIG": str(config_path().absolute())}
    raise typer.Exit(subprocess.call([*command, "-p", str(port)], cwd=home, env=environment))

"""What every command shares: where Dagster's home is, and how a command ends on an error."""

from __future__ import annotations

import os
from pathlib import Path

import typer


def dagster_home_folder() -> Path:
    """Dagster's home folder for this installation, also set as DAGSTER_HOME; writes nothing."""
    from resources.config import ConfigError, load_settings

    try:
        home = Path(os.environ.get("PARALLAX_DAGSTER_HOME") or load_settings().home / ".dagster")
    except ConfigError as error:
        raise fail(error) from None
    os.environ["DAGSTER_HOME"] = str(home.absolute())
    os.environ.setdefault("DAGSTER_DISABLE_TELEMETRY", "1")
    return home.absolute()


def fail(error: Exception) -> typer.Exit:
    """Show an error as one line, without secrets; raise what is returned to end with exit code 1."""
    from resources.masking import mask

    typer.secho(f"parallax: {mask(str(error))}", fg="red", err=True)
    return typer.Exit(1)

"""The command that writes a first configuration."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pipelines.cli.shell import show


def init(
    folder: Annotated[Path, typer.Argument(help="Folder with your data.")] = Path(),
    file: Annotated[Path, typer.Option("--file", help="Configuration file to write.")] = Path(
        "parallax.toml"
    ),
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Write a commented configuration for the datasets, servers and keys that are here."""
    from pipelines.cli.init import configuration_text, is_text, look, next_steps
    from pipelines.cli.written_files import writing
    from resources.config import config_path, load_settings
    from resources.errors import ExpectedError

    if not folder.is_dir():
        raise ExpectedError(f"{folder} is not a folder: name the folder that holds your data")
    if not is_text(str(folder.absolute())):
        raise ExpectedError(
            f"{folder}: the name is not UTF-8, which a configuration has to be; rename it"
        )
    if file.exists() and not force:
        raise ExpectedError(
            f"{file} exists: name another file by `--file`, or overwrite it with `--force`"
        )
    findings = look(folder)
    text = configuration_text(findings, file.absolute().parent)
    with writing(file):
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("w" if force else "x", encoding="utf-8") as handle:
            handle.write(text)
    settings = load_settings(file)
    for source in settings.sources.values():
        show(f"{source.name}: layout {source.layout}, {source.root}")
    if not settings.sources:
        show(f"no dataset recognised among {findings.files:,} files below {findings.folder}")
    for name in findings.variables:
        show(f"environment variable {name}: a run is suggested")
    show(f"written: {file}")
    show()
    show("next:")
    is_found = config_path().absolute() == file.absolute()
    for line in next_steps(file, is_found):
        show(f"  {line}")

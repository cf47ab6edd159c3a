"""What every command shares: where Dagster's home is, and how a command ends on an error.

A command raises what is wrong. `CommandGroup` shows it in one line and chooses the exit code.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup

from pipelines.cli.interrupts import end_interrupted
from resources.texts import printable

FAILED = 1
"""Exit code: the command could not do what was asked, and said why."""
INCOMPLETE = 3
"""Exit code of a run that updated everything it could, but not everything."""
DEFECT = 70
"""Exit code: a defect of the program (EX_SOFTWARE of sysexits.h)."""
_DEBUG = "--debug"


def dagster_home_folder() -> Path:
    """Dagster's home folder for this installation, also set as DAGSTER_HOME; writes nothing."""
    from resources.config import load_settings

    home = Path(os.environ.get("PARALLAX_DAGSTER_HOME") or load_settings().home / ".dagster")
    os.environ["DAGSTER_HOME"] = str(home.absolute())
    os.environ.setdefault("DAGSTER_DISABLE_TELEMETRY", "1")
    return home.absolute()


class CommandGroup(TyperGroup):
    """The commands, with one ending for all errors; `--debug` is taken before or behind a command."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Move `--debug` to the front, where the group itself reads it."""
        end = args.index("--") if "--" in args else len(args)
        if _DEBUG in args[:end]:
            rest = [word for word in args[:end] if word != _DEBUG] + args[end:]
            args = [_DEBUG, *rest] if rest else [_DEBUG, "--help"]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run a command; errors end it with one line and an exit code."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            end_interrupted()
        except BrokenPipeError:
            raise
        except Exception as error:
            if _is_of_the_shell(error):
                raise
            raise fail(error) from None


def fail(error: Exception) -> typer.Exit:
    """Show an error as one line, without secrets; raise what is returned to end the command."""
    from pipelines.errors import debugging, defect, sentence, traceback_text

    if debugging():
        typer.echo(_printable(traceback_text(error)), err=True)
    expected = sentence(error)
    if expected is not None:
        show_problem(expected)
        return typer.Exit(FAILED)
    more = "" if debugging() else f"; `{_DEBUG}` shows where it comes from"
    show_problem(f"unexpected error, a defect of Parallax or of a plug-in: {defect(error)}{more}")
    return typer.Exit(DEFECT)


def show(text: str = "") -> None:
    """Print lines; what a terminal would obey in texts from data is written out."""
    typer.echo(_printable(text))


def show_problem(text: str) -> None:
    """One red line on the error stream; the text holds no secret."""
    typer.secho(f"parallax: {printable(text)}", fg="red", err=True)


def _printable(text: str) -> str:
    return "\n".join(map(printable, text.split("\n")))


def _is_of_the_shell(error: Exception) -> bool:
    """Whether an exception is one by which the command line itself ends a command."""
    return isinstance(error, typer.Exit | typer.Abort) or type(error).__module__.startswith(
        ("typer._click", "click")
    )

"""One of Dagster's own programs, as `parallax dev` starts it: `python -m pipelines.run.ui_program`.

It is imported at once and begins when what it needs answers; it ends when `parallax dev` is gone.
"""

from __future__ import annotations

import importlib
import os
import sys
import time
import urllib.request

from pipelines.run.processes import end_with

_LOOK_EVERY_S = 0.05
_ANSWER_WITHIN_S = 2.0


def main() -> None:
    """Arguments: the process to end with, what to wait for (a socket or an address), and a program.

    The program is a module with a function, as `dagster_webserver.cli:main`, with its arguments.
    """
    parent, needed, program, *arguments = sys.argv[1:]
    end_with(parent)
    module, _, function = program.partition(":")
    imported = importlib.import_module(module)
    while needed and not answers(needed):
        time.sleep(_LOOK_EVERY_S)
    sys.argv = [module, *arguments]
    getattr(imported, function)()


def answers(needed: str) -> bool:
    """Whether a socket exists, or an address answers."""
    if not needed.startswith("http://"):
        return os.path.exists(needed)
    try:
        with urllib.request.urlopen(needed, timeout=_ANSWER_WITHIN_S):  # noqa: S310 - ours
            return True
    except OSError:
        return False


if __name__ == "__main__":
    main()

"""How a run is shown: bars in a terminal, plain lines in a log."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from pipelines.cli.shell import show
from pipelines.run.progress import Display, LogLines


@contextmanager
def shown() -> Iterator[Display]:
    """What shows a run on standard output: bars where it is a terminal that can move its cursor."""
    if not sys.stdout.isatty() or os.environ.get("TERM", "dumb") == "dumb":
        yield LogLines(show)
        return
    from pipelines.cli.bars import Bars

    with Bars() as bars:
        yield bars

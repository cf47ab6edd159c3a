"""What people read about an error: one sentence, and a traceback only where they ask for it."""

from __future__ import annotations

import os
import site
import traceback
from collections.abc import Iterator
from pathlib import Path

from resources.errors import ExpectedError
from resources.masking import mask
from resources.outages import outage
from resources.texts import joined_lines

DEBUG = "PARALLAX_DEBUG"
_LONGEST, _LONGEST_DEFECT = 3000, 500
"""Characters that are shown of an expected error, and of one that nobody expected."""
_ROOT = Path(__file__).resolve().parents[1]


class Defect(Exception):
    """An error that another process did not expect; the message is what `defect` says of it."""


def sentence(error: BaseException) -> str | None:
    """What an expected error says, on one line and without secrets; None for a defect.

    Failures of disks, stores and databases count as expected whatever library raises them, and so does
    an expected error that Dagster wrapped.
    """
    for one in _unwrapped(error):
        if isinstance(one, ExpectedError):
            return mask(joined_lines(str(one), _LONGEST))
    text = outage(error)
    return None if text is None else mask(text)


def defect(error: BaseException) -> str:
    """An exception that nobody expected, on one line and without secrets: its type, text and place."""
    if isinstance(error, Defect):
        return mask(joined_lines(str(error), _LONGEST))
    libraries = (*site.getsitepackages(), os.path.dirname(os.__file__))
    where = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith(("<", *libraries))
    ]
    place = ""
    if where:
        file = where[-1].filename.removeprefix(f"{_ROOT}/")
        place = f", at {file}:{where[-1].lineno}"
    return mask(f"{type(error).__name__}: {joined_lines(str(error), _LONGEST_DEFECT)}{place}")


def debugging() -> bool:
    """Whether tracebacks are asked for (`--debug`, or PARALLAX_DEBUG in the environment)."""
    return os.environ.get(DEBUG, "").lower() not in ("", "0", "false", "no")


def traceback_text(error: BaseException) -> str:
    """The traceback of an exception and of those it came from, without secrets."""
    return mask("".join(traceback.format_exception(error)))


def _unwrapped(error: BaseException) -> Iterator[BaseException]:
    """An exception, and what Dagster wrapped in it."""
    seen: set[int] = set()
    one: BaseException | None = error
    while one is not None and id(one) not in seen:
        seen.add(id(one))
        yield one
        if not type(one).__module__.startswith("dagster"):
            return
        one = getattr(one, "user_exception", None) or one.__cause__

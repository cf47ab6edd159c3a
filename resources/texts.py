"""Text from outside (files, models, servers, exceptions) as a person may be shown it on a terminal."""

from __future__ import annotations

import re

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
# Polars and Delta draw this arrow before each cause of an error.
_ARROW = "\u21b3"


def printable(text: str) -> str:
    """Text on one line: characters that cannot be printed, line breaks included, are written out."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def one_line(text: str, limit: int = 300) -> str:
    """A foreign text as one short line, control characters written out."""
    return printable(text if len(text) <= limit else text[:limit] + "...")


def joined_lines(text: str, limit: int | None = None) -> str:
    """A text of several lines, such as the message of an exception, as one line to be read.

    Line breaks and other white space become single spaces and colours are dropped; other characters that
    cannot be printed are written out.

    Args:
        text: Any text.
        limit: Most characters; a longer text ends in `...`.
    """
    line = printable(" ".join(_COLOURS.sub("", text).replace(_ARROW, " ").split()))
    return line if limit is None or len(line) <= limit else line[: limit - 3] + "..."

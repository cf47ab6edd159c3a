"""Text from outside (files, models, servers, exceptions) as one line that a person may be shown."""

from __future__ import annotations


def printable(text: str) -> str:
    """Text on one line: characters that cannot be printed, line breaks included, are written out."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def one_line(text: str, limit: int = 300) -> str:
    """A foreign text as one short line, control characters written out."""
    return printable(text if len(text) <= limit else text[:limit] + "...")

"""Texts from datasets and models, as a terminal may show them."""

from __future__ import annotations


def printable(text: str) -> str:
    """Text without characters that move a terminal's cursor, or change its colours or direction.

    Line breaks and tabs become spaces, and other such characters their escaped code.
    """
    return "".join(
        c if c.isprintable() else " " if c in "\n\r\t" else f"\\u{ord(c):04x}" for c in text
    )

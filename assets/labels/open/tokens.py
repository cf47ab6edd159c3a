"""A word that is handed to the parser, and the place in the narration it stands for."""

from __future__ import annotations

from typing import NamedTuple

SAME = "="
"""Stands for whoever acted before; of a subject that a list of verbs leaves out."""
WEARER = ""
"""Name of the person whose action a segment describes: the wearer, or who is filmed."""


class Token(NamedTuple):
    """A word handed to the parser.

    Attributes:
        text: What the parser reads.
        start: First character of the narration it stands for.
        end: Character after it; equal to `start` for a word that the narration leaves out.
        person: Who is meant: `WEARER`, a name such as `man x`, or None where this is not a person.
        prefix: Words that belong to a thing's name and would be taken for something else: `cutting` of a
            board, `socket` of a wrench.
        name: What a thing is called that the parser reads under a plainer word; empty where it reads the word itself.
        tail: The same at the end of a name, in the singular: the `slice` of carrot slices.
    """

    text: str
    start: int
    end: int
    person: str | None = None
    prefix: str = ""
    name: str = ""
    tail: str = ""

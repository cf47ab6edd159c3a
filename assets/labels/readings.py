"""What the reader makes of a word or phrase."""

from __future__ import annotations

from typing import NamedTuple

from assets.labels.lexicon import Entry


class Reading(NamedTuple):
    """A word or phrase read as verb or noun of a class.

    Attributes:
        first: Index of its first word.
        last: Index of its last word.
        kind: `verb` or `noun`.
        entry: What it names.
        rule: Rule that read it.
    """

    first: int
    last: int
    kind: str
    entry: Entry
    rule: str

"""How large the datasets' releases are, so far as that is known, and how well it is known.

The sizes lie in `releases.csv` beside this file: of a part's files or media, in bytes; empty where a
release is known to hold something whose size nobody says.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

CERTAINTIES = ("verified", "documented", "inferred")


@dataclass(frozen=True, slots=True)
class Released:
    """Something a dataset's full release holds.

    Attributes:
        layout: Layout of the dataset.
        part: Part of the layout it belongs to.
        is_media: Whether it is pixels.
        what: Files, in words.
        bytes: Size, None where it is not known.
        certainty: One of `CERTAINTIES`.
        said_in: Where the size is from.
    """

    layout: str
    part: str
    is_media: bool
    what: str
    bytes: int | None
    certainty: str
    said_in: str


@cache
def released() -> tuple[Released, ...]:
    """All that is declared."""
    text = Path(__file__).with_name("releases.csv").read_text(encoding="utf-8")
    return tuple(
        Released(
            row["layout"],
            row["part"],
            row["media"] == "true",
            row["what"],
            int(row["bytes"]) if row["bytes"] else None,
            row["certainty"],
            row["said_in"],
        )
        for row in csv.DictReader(text.splitlines())
    )


def sizes_of(layout: str, part: str, *, is_media: bool) -> Iterable[Released]:
    """What is known of a part's files or media."""
    return [r for r in released() if (r.layout, r.part, r.is_media) == (layout, part, is_media)]

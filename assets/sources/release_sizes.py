"""How large the datasets' releases are, so far as that is known, and how well it is known.

The sizes of a dataset lie in `release_sizes.csv` in its layout's folder: of a part's files or media, in
bytes; empty where a release is known to hold something whose size nobody says.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass

from assets.sources.layout import Layout

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


def released(layout: Layout) -> tuple[Released, ...]:
    """All that a layout declares of its release."""
    return tuple(
        Released(
            layout.name,
            row["part"],
            row["media"] == "true",
            row["what"],
            int(row["bytes"]) if row["bytes"] else None,
            row["certainty"],
            row["said_in"],
        )
        for row in csv.DictReader(layout.text_beside("release_sizes.csv").splitlines())
    )


def sizes_of(layout: Layout, part: str, *, is_media: bool) -> Iterable[Released]:
    """What is known of a part's files or media."""
    return [r for r in released(layout) if (r.part, r.is_media) == (part, is_media)]

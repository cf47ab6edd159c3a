"""Readings of sentences by the open reader, of which those that are kept are not read again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from assets.labels.open.reader import OpenLabel
from assets.labels.reading_workers import read_in_workers

Readings = dict[str, list[OpenLabel]]


class Kept(Protocol):
    """Texts by sentence, of one version of the reader and its parser."""

    def get(self, texts: Iterable[str], /) -> dict[str, str]:
        """Kept texts of some sentences."""
        ...

    def add(self, values: Mapping[str, str], /) -> None:
        """Keep texts."""


def read_once(kept: Kept, narrations: Sequence[str], parser: str) -> Readings:
    """Readings of narrations; those that are kept are not read again, and new ones are kept.

    Args:
        kept: What was read before.
        narrations: Narrations as written; equal ones count once.
        parser: Name of an installed spaCy model.

    Raises:
        ParserUnavailableError: The model is not installed.
    """
    known = kept.get(narrations)
    readings = {text: _decoded(value) for text, value in known.items()}
    new = sorted(set(narrations) - readings.keys())
    if new:
        read = dict(zip(new, read_in_workers(new, parser), strict=True))
        kept.add({text: json.dumps(labels) for text, labels in read.items()})
        readings |= read
    return readings


def _decoded(value: str) -> list[OpenLabel]:
    return [OpenLabel(*fields) for fields in json.loads(value)]

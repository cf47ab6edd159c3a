"""Rows of `labels` that the open reader gives for sentences of a test."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from assets.labels.open.reader import read_narrations
from assets.labels.open_rows import open_rows
from expectations.schemas import TABLES


def labels_of(narrations: Mapping[str, str], recording_id: str = "R") -> pl.DataFrame:
    """Rows of reader `open` for narrations by segment."""
    segments = pl.DataFrame(
        {
            "source": ["s"] * len(narrations),
            "recording_id": [recording_id] * len(narrations),
            "segment_id": list(narrations),
            "narration": list(narrations.values()),
        }
    )
    texts = list(dict.fromkeys(narrations.values()))
    readings = dict(zip(texts, read_narrations(texts), strict=True))
    return open_rows(segments, readings, TABLES["labels"].empty())

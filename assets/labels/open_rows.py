"""Rows of `labels` that the open reader gives: lemmas instead of classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from assets.labels.contradictions import contradictions
from assets.labels.open.reader import OpenLabel
from expectations.schemas import TABLES
from expectations.schemas.labels import OPEN

_LABELS = TABLES["labels"]


def open_rows(
    segments: pl.DataFrame,
    readings: Mapping[str, Sequence[OpenLabel]],
    by_vocabulary: pl.DataFrame,
) -> pl.DataFrame:
    """Rows of the open reader, with what each says otherwise than the vocabulary's reader.

    Args:
        segments: Rows of `segments`: source, recording_id, segment_id, narration.
        readings: Labels of every narration.
        by_vocabulary: Rows of `labels` of the vocabulary's reader; none where a source has no vocabulary.

    Returns:
        Rows of `labels` in key order.
    """
    classed: dict[str, list[dict]] = {}
    for row in by_vocabulary.iter_rows(named=True):
        classed.setdefault(row["segment_id"], []).append(row)
    rows: list[dict] = []
    narrated = segments.filter(pl.col("narration").is_not_null())
    columns = narrated.select("source", "recording_id", "segment_id", "narration")
    for source, recording_id, segment_id, narration in columns.iter_rows():
        labels = readings[narration]
        against = contradictions(classed.get(segment_id, ()), labels)
        for label, contradicts in zip(labels, against, strict=True):
            rows.append(
                {
                    "source": source,
                    "recording_id": recording_id,
                    "segment_id": segment_id,
                    "reader": OPEN,
                    "class_label": label.lemma,
                    **label._asdict(),
                    "contradicts": contradicts,
                }
            )
    return _LABELS.frame(rows).sort(_LABELS.key, nulls_last=True)

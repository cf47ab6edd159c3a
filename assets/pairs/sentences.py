"""Sentences of the segments that pairs show, each once per recording, and their vectors."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from assets.pairs.candidates import HARD_NEGATIVES
from assets.pairs.choice import stable_hash
from expectations.schemas import TABLES


def sentence_key(narration: str) -> str:
    """Key of a sentence: a hash of its text as written."""
    return stable_hash("sentence", narration)


def recordings_compared(pairs: pl.DataFrame) -> list[str]:
    """Recordings of pairs with 20 options, ascending: only their sentences are compared.

    Args:
        pairs: Rows of `pairs`; negatives come from the positive's recording.
    """
    hard = pairs.filter(pl.col("negative_segment_ids").list.len() >= HARD_NEGATIVES)
    columns = ("query_recording_id", "positive_recording_id")
    return sorted({uid for name in columns for uid in hard[name]})


def sentences_of(segments: pl.DataFrame) -> list[str]:
    """Different narrations of fine segments, ascending."""
    narrations = segments.filter(pl.col("kind") == "fine")["narration"].drop_nulls()
    return sorted(n for n in narrations.unique() if n.strip())


def vector_rows(
    segments: pl.DataFrame, vectors: Mapping[str, np.ndarray], model: str
) -> pl.DataFrame:
    """Rows of `sentence_vectors`.

    Args:
        segments: Rows of `segments`.
        vectors: Unit vector of every sentence of `sentences_of`, float32.
        model: Name of the embedder that made them.
    """
    table = TABLES["sentence_vectors"]
    rows = []
    for (source, uid), part in segments.group_by(["source", "recording_id"]):
        rows += [
            {
                "source": source,
                "recording_id": uid,
                "sentence": sentence_key(text),
                "model": model,
                "vector": vectors[text].tolist(),
            }
            for text in sentences_of(part)
        ]
    return table.frame(rows).sort(table.key)

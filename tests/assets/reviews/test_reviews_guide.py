"""The guide says what is: its forms are read, its words exist."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from assets.reviews.stage import QUEUES
from assets.sources.reviews.values import direction_value, graph_patch, label_list
from assets.translations.check import RULES
from expectations.schemas import TABLES
from expectations.schemas.reviews import PATCH_COLUMNS, STATES, VERDICTS
from pipelines.definitions import definitions
from pipelines.run.steps import Scope, steps
from resources.config import load_settings

GUIDE = (Path(__file__).parents[3] / "docs/reviews.md").read_text(encoding="utf-8")


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", GUIDE, re.DOTALL)


def test_its_configuration_and_its_labels_are_read(tmp_path: Path) -> None:
    path = tmp_path / "parallax.toml"
    path.write_text('store = "tables"\n' + "\n".join(blocks("toml")), encoding="utf-8")
    settings = load_settings(path)
    assert settings.sources["house"].reviews == ("house-reviews",)
    assert (settings.translation.engine, settings.translation.second) == ("qwen", "larger")
    assert set(settings.text_models) == {"qwen", "larger"}
    assert not settings.runs
    by_class, by_lemma, direction, patch = blocks("json")
    assert len(label_list(json.loads(by_class))) == len(label_list(json.loads(by_lemma))) == 2
    assert direction_value(json.loads(direction))["moves"] == "the ball"
    assert graph_patch(json.loads(patch))["reason"] == "link"


@pytest.mark.parametrize(
    "words", [QUEUES, RULES, VERDICTS, [s for s in STATES if s != "standing"], list(PATCH_COLUMNS)]
)
def test_every_word_is_explained(words: list[str]) -> None:
    assert [word for word in words if not re.search(rf"[`*]{word}[`*:]", GUIDE)] == []


def test_decisions_come_before_what_they_judge(tmp_path: Path) -> None:
    path = tmp_path / "parallax.toml"
    path.write_text('store = "tables"\n' + blocks("toml")[0], encoding="utf-8")
    settings = load_settings(path)
    assert [s.partition for s in steps(settings, Scope())] == ["house-reviews", "house"]
    assert [s.partition for s in steps(settings, Scope(("house",)))] == ["house-reviews", "house"]
    specs = definitions(settings, expensive_checks=False).resolve_all_asset_specs()
    readers = {"labels", "translations", "review_states"}
    for spec in specs:
        name = spec.key.to_user_string()
        if name in readers:
            (dep,) = [d for d in spec.deps if d.asset_key.to_user_string() == "reviews"]
            mapping = dep.partition_mapping
            assert mapping is not None, name
            keys = mapping.downstream_partition_keys_by_upstream_partition_key  # type: ignore[attr-defined]
            assert keys == {"house-reviews": {"house"}, "house": set()}
    assert readers <= TABLES.keys()

"""What the configuration says, and what the demonstrations configure."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assets.protocols.declared import check_protocols
from resources.config import ConfigError, Settings, load_settings
from resources.worlds.samples import LAYOUTS, samples

SOURCE = 'store = "tables"\n[sources.house]\nlayout = "egoexolearn"\nroot = "raw"\n'


def read(folder: Path, line: str = "") -> Settings:
    (folder / "parallax.toml").write_text(SOURCE + line)
    return load_settings(folder / "parallax.toml")


@pytest.mark.parametrize(("line", "positives"), [("", 3), ("positives_per_query = 1", 1)])
def test_positives_per_query(line: str, positives: int, tmp_path: Path) -> None:
    assert read(tmp_path, line).sources["house"].positives_per_query == positives


@pytest.mark.parametrize("value", ["0", "-1", "1.5", "true", '"3"'])
def test_positives_per_query_is_a_count(value: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="positives_per_query"):
        read(tmp_path, f"positives_per_query = {value}")


@pytest.mark.parametrize(
    ("line", "said"), [("", None), ("hashed_splits = false", False), ("hashed_splits = true", True)]
)
def test_hashed_splits(line: str, said: bool | None, tmp_path: Path) -> None:
    assert read(tmp_path, line).sources["house"].hashed_splits is said
    with pytest.raises(ConfigError, match="hashed_splits"):
        read(tmp_path, 'hashed_splits = "no"')


def _at_most(limit: int | None, other: int | None) -> bool:
    """Whether `limit` is not above `other`; None is no limit."""
    return other is None or (limit is not None and limit <= other)


def test_the_large_demonstration_has_every_layout_and_asks_what_the_small_one_asks() -> None:
    home = Path(__file__).parents[2]
    small, large = load_settings(home / "parallax.toml"), load_settings(home / "demo-all.toml")
    datasets = [s for s in large.sources.values() if s.layout != "reviews"]
    assert {Path(s.root).name for s in datasets} == samples().keys()
    assert {s.layout for s in small.sources.values()} == set(LAYOUTS)
    # The search for duplicate videos needs four takes of one split, which the small one has no time for.
    assert large.benchmarks.keys() - small.benchmarks.keys() == {"egoexobench_duplicates"}
    assert small.benchmarks.keys() <= large.benchmarks.keys()
    for name, benchmark in small.benchmarks.items():
        # Benchmarks may ask about more sources there, and every limit may be higher; the rest is the same.
        asked = large.benchmarks[name]
        assert set(benchmark.sources) <= set(asked.sources)
        assert _at_most(benchmark.blind_limit, asked.blind_limit)
        assert (
            replace(asked, sources=benchmark.sources, blind_limit=benchmark.blind_limit)
            == benchmark
        )
    # Chains of actions need keysteps, which no world of the small one has.
    assert "sample-training" in large.benchmarks["egoprox"].sources
    chains = large.runs.keys() - small.runs.keys()
    assert {large.runs[name].protocol for name in chains} == {"egoprox_chain"}
    for name, run in small.runs.items():
        asked = large.runs[name]
        assert _at_most(run.limit, asked.limit)
        assert replace(asked, limit=run.limit) == run
    assert large.store.url != small.store.url


def test_a_protocol_that_nobody_declares_is_named(tmp_path: Path) -> None:
    for body, who in (
        ('[runs.r]\nengine = "random"\nprotocol = "nothing"\n', "runs.r"),
        ('[benchmarks.b]\nsources = []\nprotocol = "nothing"\n', "benchmarks.b"),
    ):
        (tmp_path / "parallax.toml").write_text('store = "tables"\n' + body)
        settings = load_settings(tmp_path / "parallax.toml")
        with pytest.raises(ConfigError, match=f'{who}.protocol = "nothing" is not .*`direct`'):
            check_protocols(settings)

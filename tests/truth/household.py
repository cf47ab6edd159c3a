"""A simulated household written as raw files, and every table the stages make of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from assets.frames.stage import STAGE as FRAMES
from assets.labels.stage import STAGE as LABELS
from assets.options import Options, silent
from assets.sources.stage import STAGE as SOURCES
from expectations.schemas import TABLES
from resources.config import Settings, load_settings
from resources.worlds import HouseholdSpec, Recording, World, plan, write_egoexolearn
from tests.stages import refresh_pairs, refresh_questions

SOURCE, BENCHMARK = "household", "egobridge"
# Fourteen wearers: all native forms and faults, Cloud exports, released copies; seven
# demonstrations, one of them of the validation split and one of training.
SPEC = HouseholdSpec(ego=14, exo=7, render="small")
WORLD = plan(SPEC)


def of_kind(keep: Callable[[Recording], bool]) -> dict[str, Recording]:
    """Recordings of a kind by a name that tells what they are."""
    return {
        "-".join((r.view, r.form, r.quirk or "plain", str(r.index))): r
        for r in WORLD.recordings
        if keep(r)
    }


@dataclass(frozen=True)
class Household:
    """A world, the folder of its raw files, and the tables made of them.

    Attributes:
        world: The truth; tests use it and nothing else does.
        root: Folder of the raw files.
        settings: Configuration whose store holds the tables.
    """

    world: World
    root: Path
    settings: Settings

    def table(self, name: str) -> pl.DataFrame:
        """All rows of a table."""
        scope = BENCHMARK if name == "questions" else SOURCE
        return self.settings.store.read(TABLES[name], scope)

    def of(self, name: str, rec: Recording) -> pl.DataFrame:
        """Rows of one recording."""
        return self.settings.store.read(TABLES[name], SOURCE, [rec.uid])


def make(folder: Path) -> Household:
    """Write the household and bring up every table."""
    write_egoexolearn(WORLD, folder / "raw")
    # All pairs with the same sets, so that each is held against the truth.
    settings = tables_of(folder, SOURCE, BENCHMARK, matched=False)
    return Household(WORLD, folder / "raw", settings)


def tables_of(folder: Path, source: str, *benchmarks: str, matched: bool = True) -> Settings:
    """Bring up every table of the raw files of a household.

    Args:
        folder: Folder that holds them in `raw`; tables are put beside it.
        source: Name they get.
        benchmarks: Benchmarks whose questions are made.
        matched: Whether sentences of pairs are compared.

    Returns:
        Configuration whose store holds the tables.
    """
    config = folder / "parallax.toml"
    config.write_text(
        'store = "tables"\n'
        f'[sources.{source}]\nlayout = "egoexolearn"\nroot = "raw"\n'
        + ("" if matched else 'sentence_match = "none"\n')
        + "".join(f'[benchmarks.{name}]\nsources = ["{source}"]\n' for name in benchmarks),
        encoding="utf-8",
    )
    settings = load_settings(config)
    for refresh in (SOURCES.refresh, FRAMES.refresh, LABELS.refresh, refresh_pairs):
        refresh(settings, source, Options(), silent)
    for benchmark in benchmarks:
        refresh_questions(settings, benchmark, Options(), silent)
    return settings

"""Two sequences of a flat in Aria Digital Twin's form, and the tables the stages compute from them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from assets.navigation.stage import STAGE as NAVIGATION
from assets.options import Options, silent
from assets.questions.kit.builder import Builder
from assets.scene_graphs.stage import STAGE as SCENE_GRAPHS
from assets.sources.stage import STAGE as SOURCES
from expectations.schemas import TABLES
from resources.config import Settings, SourceConfig
from resources.store.tables import TableStore
from resources.worlds.flat import FlatSpec, Take, adt, plan_flat

FLAT = plan_flat(FlatSpec(kind="adt", takes=2, render="small"))


@dataclass(frozen=True)
class Sequences:
    """The sequences as stages left them.

    Attributes:
        settings: Where their tables are.
    """

    settings: Settings

    def table(self, name: str) -> pl.DataFrame:
        """All rows of a table."""
        return self.settings.store.read(TABLES[name])

    def questions(self, builder: Builder) -> list[dict[str, Any]]:
        """Questions about both recordings."""
        given = {name: self.table(name) for name in builder.reads}
        rows: list[dict[str, Any]] = []
        for take in FLAT.takes:
            of_take = pl.col("recording_id") == take.take_id
            rows += builder.make({n: t.filter(of_take) for n, t in given.items()}).to_dicts()
        return rows

    def goal(self, take: Take, question: dict[str, Any]) -> str:
        """The instance in the flat that a question's evidence is about."""
        keys = [e["key"] for e in question["evidence"] if e["table"] == "spatial_facts"]
        facts = self.table("spatial_facts").filter(pl.col("fact_id").is_in(keys))
        (uid,) = facts["object_id"].unique()
        (goal,) = [i for i in take.instances if str(adt.uid(take, i)) == uid]
        return goal


def make(home: Path) -> Sequences:
    """Write the sequences below a folder and compute their tables."""
    adt.write_adt(FLAT, home / "root", workers=1)
    settings = Settings(
        home,
        TableStore(str(home / "store")),
        home / "page.html",
        {"it": SourceConfig("it", "adt", str(home / "root"))},
    )
    for stage in (SOURCES, SCENE_GRAPHS, NAVIGATION):
        stage.refresh(settings, "it", Options(), silent)
    return Sequences(settings)

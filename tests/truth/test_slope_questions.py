"""Questions about the simulated slope, held against what was planned, and judged by the gates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assets.options import Options, silent
from assets.questions.egocross.sport_identification import BUILDER as SPORT
from assets.sources.stage import STAGE as SOURCES
from expectations.gates import EvidenceTables, judge
from expectations.schemas import TABLES
from resources.config import load_settings
from resources.worlds.slope.extremesportfpv import write_extremesportfpv
from resources.worlds.slope.plan import plan_slope
from resources.worlds.slope.truth import SlopeSpec
from tests.derivations.world import seconds, ticks

Tables = dict[str, pl.DataFrame]
SPEC = SlopeSpec(runs=24, render="none")
RUNS = {run.video_id: run for run in plan_slope(SPEC).runs}
BUILDERS = (SPORT,)


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    """Without videos nothing tells how long a run lasts: its length is filled in from the plan."""
    folder: Path = tmp_path_factory.mktemp("slope")
    write_extremesportfpv(SPEC, folder / "raw", workers=1)
    config = folder / "parallax.toml"
    config.write_text(
        'store = "tables"\n[sources.slope]\nlayout = "extremesportfpv"\nroot = "raw"\n',
        encoding="utf-8",
    )
    settings = load_settings(config)
    SOURCES.refresh(settings, "slope", Options(), silent)
    names = {name for builder in BUILDERS for name in builder.reads} | {"segments"}
    found = {name: settings.store.read(TABLES[name], "slope") for name in names}
    lengths = {uid: run.duration_s for uid, run in RUNS.items()}
    length = pl.col("recording_id").replace_strict(lengths, return_dtype=pl.Float64)
    return found | {"recordings": found["recordings"].with_columns(media_duration_s=length)}


def test_the_sport_is_the_runs(tables: Tables) -> None:
    questions = SPORT.make(tables).to_dicts()
    assert len(questions) >= 20
    for q in questions:
        assert q["answer_text"] == RUNS[q["recording_id"]].sport


@pytest.mark.parametrize("builder", BUILDERS, ids=lambda b: b.recipe)
@pytest.mark.parametrize("reading", ["strict", "paper"])
def test_the_gates_agree(builder: Any, reading: str, tables: Tables) -> None:
    builder = builder.under(reading)
    pool = pl.format("slope/{}/unit", pl.col("recipe"))
    questions = builder.make(tables).with_columns(pool=pool)
    frames = {uid: ticks(seconds(run.duration_s)) for uid, run in RUNS.items()}
    given = EvidenceTables(tables, frames, {"egocross_close/1": "every(2)"}, {})
    verdicts = judge(questions, given).filter(~pl.col("gate").is_in(["blind", "reviewed"]))
    assert set(verdicts["verdict"]) == {"pass"}, verdicts.filter(pl.col("verdict") != "pass")

"""Figures of the simulated household against its own plan."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path

import polars as pl
import pytest

from assets.options import Options, silent
from assets.statistics.stage import STAGE as STATISTICS
from expectations.schemas import TABLES
from resources.worlds import HouseholdSpec, plan, write_egoexolearn
from tests.truth.household import SOURCE, tables_of

SPEC = HouseholdSpec(ego=4, exo=2, render="small")


def test_a_household_is_counted_as_it_was_planned(tmp_path: Path) -> None:
    write_egoexolearn(SPEC, tmp_path / "raw", workers=1)
    settings = tables_of(tmp_path, SOURCE, matched=False)
    STATISTICS.refresh(settings, SOURCE, Options(), silent)
    rows = settings.store.read(TABLES["statistics"], SOURCE)
    home = plan(SPEC).recordings

    def bars(figure: str, value: str, part: str = "") -> dict[tuple[str, str], float]:
        found = rows.filter(pl.col("figure") == figure, pl.col("part") == part)
        found = found.select("view", "label", value)
        return {(view, label): n for view, label, n in found.iter_rows()}

    fine = Counter((r.view, "fine") for r in home for _ in r.fine)
    # The release has coarse annotations of kitchens seen by their cooks alone.
    cooks = [r for r in home if r.view == "ego" and r.scene == "kitchen"]
    counted = bars("segments", "n")
    assert {key: counted[key] for key in fine} == fine
    assert counted["ego", "coarse"] == sum(len(r.coarse) for r in cooks)
    assert set(counted) == {*fine, ("ego", "coarse")}
    lasting: dict[tuple[str, str], float] = defaultdict(float)
    for recording in home:
        for action in recording.fine:
            lasting[recording.view, "fine"] += action.end_s - action.start_s
    seconds = bars("segments", "seconds")
    assert {key: seconds[key] for key in fine} == pytest.approx(dict(lasting))
    words = Counter((r.view, str(len(s.narration.text.split()))) for r in home for s in r.fine)
    assert bars("captions", "n", "fine") == words
    recordings = (
        rows.filter(pl.col("figure") == "recordings").group_by("view").agg(pl.col("n").sum())
    )
    assert dict(recordings.iter_rows()) == Counter(r.view for r in home)
    gaze = rows.filter(pl.col("figure") == "gaze")
    assert set(gaze["label"]) == {r.uid for r in home if r.view == "ego"}
    assert gaze["share"].min() > 0.5 and gaze["mean"].max() < 20.0

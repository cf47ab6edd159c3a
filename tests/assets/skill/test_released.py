"""The released list: counts of the format note and the notes on the official files."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from assets.skill.sets import EvidenceTables, make_sets
from assets.sources.egoexolearn import LAYOUT
from expectations.schemas import TABLES
from tests.assets.sources.reading_parts import read_parts

FILES = ("video_meta_downsampled.json", "skill_benchmark/annotations/skill_train.txt")
LISTS = "temporal_action_segmentation_benchmark/tas_annotation/splits"


def test_the_released_list(shared: Path) -> None:
    """Chains, closed ones and clips in or below a cycle; no pair of `paper` crosses splits."""
    root = shared / "data/egoexolearn"
    bundles = [f"{LISTS}/{path.name}" for path in sorted((root / LISTS).iterdir())]
    read = read_parts(LAYOUT, {name: (root / name).read_bytes() for name in (*FILES, *bundles)})
    votes, recordings = read.rows("skill_votes"), read.rows("recordings")
    splits = dict(recordings.select("recording_id", "split").iter_rows())
    nothing = (TABLES["segments"].empty(), TABLES["labels"].empty(), TABLES["take_links"].empty())
    levels = pl.DataFrame(schema={"recording_id": pl.String, "level": pl.Int64})
    told: dict[str, int] = {}
    for action in votes["action"].unique().sort():
        mine = votes.filter(pl.col("action") == action)
        parity = make_sets(EvidenceTables(mine, recordings, *nothing, levels), "parity")
        (report,) = parity["skill_transitivity"].filter(pl.col("split") == "train").rows(named=True)
        for name, value in report.items():
            if name.startswith("n_"):
                told[name] = told.get(name, 0) + value
        if action in ("06", "13"):
            paper = make_sets(EvidenceTables(mine, recordings, *nothing, levels), "paper")[
                "skill_pairs"
            ]
            kept = paper.filter(pl.col("state") == "kept")
            assert 0 < kept.height < mine.height
            for row in kept.rows(named=True):
                sides = {splits[row[f"{side}_recording_id"]] for side in ("first", "second")}
                assert sides == {row["split"]}
    assert told["n_pairs"] == told["n_kept"] == 13_722
    assert told["n_clips"] == 2_093
    assert told["n_chains_3"] == 104_937
    assert round(told["n_closed_3"] / told["n_chains_3"], 2) == 0.69
    assert told["n_clips_in_cycle"] + told["n_clips_below_cycle"] == 1_083

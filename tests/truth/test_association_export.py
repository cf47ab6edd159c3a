"""The household's association questions in the release's form, read again as a release."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from assets.sources.egoexolearn import LAYOUT
from assets.sources.layout import PartFiles
from pipelines.cli.association_export import export_association
from tests.truth.household import SOURCE, WORLD, Household

FINE = {(r.uid, round(f.start_s, 6)): (r, f) for r in WORLD.recordings for f in r.fine}


def test_the_questions_come_in_again_and_say_the_truth(
    household: Household, tmp_path: Path
) -> None:
    written = export_association(household.settings, SOURCE, tmp_path)
    assert [p.stem for p in written] == ["association_test_hard", "association_val_hard"]
    part = LAYOUT.part("questions")
    assert part is not None
    files = {str(p.relative_to(tmp_path)): p.read_bytes() for p in written}
    read = part.read(PartFiles("again", files))
    assert read.refused == ()
    asked = read.tables["imported_questions"]
    own = household.table("questions").filter(pl.col("subtask").str.ends_with("_k20"))
    assert 0 < asked.height <= own.height
    for row in asked.iter_rows(named=True):
        query, *options = ((m["recording_id"], round(m["start_s"], 6)) for m in row["media"])
        rec, done = FINE[query]
        assert row["split"] == rec.split
        assert row["subtask"] == f"association_{rec.view}2{FINE[options[0]][0].view}"
        same = [i for i, o in enumerate(options) if FINE[o][1].sets == done.sets]
        assert row["answer"] == same

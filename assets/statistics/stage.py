"""Statistics of a source: one unit per figure, and one per recording for gaze."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from assets.stage import Batch, Columns, Inputs, Stage, Unit, merge_reads
from assets.statistics.figures import FIGURES, GAZE_READS, gaze
from assets.statistics.plots import plots
from assets.translations.in_use import in_use, with_translations, with_used
from expectations.checks.markdown import picture
from expectations.schemas.core import Reads
from resources.store.incremental import Output

GAZE = "gaze/"
_FIGURES = {figure.name: figure for figure in FIGURES}


def _with_source(reads: Reads) -> dict[str, Columns]:
    """Columns by table, the name of the source among them: figures are counted by source."""
    return {
        table: None if columns is None else ("source", *columns)
        for table, columns in with_translations(reads).items()
    }


def _units(inputs: Inputs) -> Iterator[Unit]:
    """Figures whose tables have rows, and recordings with frames."""
    for figure in FIGURES:
        if all(inputs.units_with_rows(table) for table in figure.reads):
            yield Unit(figure.name, reads=_with_source(figure.reads), code=(figure.make, with_used))
    recordings = set(inputs.units_with_rows("recordings"))
    for uid in inputs.units_with_rows("frames"):
        if uid in recordings:
            keys = inputs.keys([uid], GAZE_READS)
            yield Unit(GAZE + uid, keys, reads=_with_source(GAZE_READS), code=(gaze,))


def _make(batch: Batch) -> Iterator[Output]:
    if batch.units[0].name.startswith(GAZE):
        yield Output(batch.names, {"statistics": gaze(batch.tables)})
        return
    for unit in batch.units:
        figure = _FIGURES[unit.name]
        yield Output([unit.name], {"statistics": figure.make(in_use(batch.of(unit)))})


def _pictures(statistics: pl.DataFrame) -> dict[str, str]:
    return {plot.title: picture(plot.title, plot.svg) for plot in plots(statistics)}


STAGE = Stage(
    name="statistics",
    group="statistics",
    summary="How much of what a source holds: lengths, words by hand, captions, gaze.",
    partition="source",
    tables=("statistics",),
    reads=merge_reads(
        *(_with_source(reads) for reads in (*(f.reads for f in FIGURES), GAZE_READS))
    ),
    units=_units,
    make=_make,
    batch=100,
    plots={"statistics": _pictures},
    lineage={
        "statistics": {
            "label": [("labels", "class_label"), ("recordings", "scenario"), ("segments", "kind")],
            "place": [
                ("segments", "narration"),
                ("translations", "text"),
                ("labels", "class_id"),
            ],
            "part": [("labels", "body_part"), ("task_sets", "split")],
            "n": [("segments", "segment_id"), ("recordings", "recording_id")],
            "seconds": [
                ("segments", "start_s"),
                ("segments", "end_s"),
                ("recordings", "duration_s"),
            ],
            "share": [("frames", "gaze_valid")],
            "mean": [("frames", "gaze_residual_ms")],
            "high": [("frames", "gaze_residual_ms")],
        }
    },
)

"""Statistics of a source: one unit per figure, and one per recording for gaze."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from assets.frames.stage import STAGE as FRAMES
from assets.labels.stage import STAGE as LABELS
from assets.sources.stage import STAGES as SOURCE_STAGES
from assets.statistics.figures import FIGURES, GAZE_READS, gaze
from assets.task_sets.stage import STAGE as TASK_SETS
from assets.translations.in_use import in_use, with_translations, with_used
from assets.translations.stage import STAGE as TRANSLATIONS
from assets.unit_stage import UnitStage
from assets.upstream import Upstream, ledgers
from expectations.schemas import TABLES
from expectations.schemas.core import Reads
from expectations.schemas.identity import digest
from resources.config import Settings
from resources.store.code_version import code_version
from resources.store.incremental import Output, Stage
from resources.store.ledger import Entry

STAGE = Stage("statistics", (TABLES["statistics"],))
GAZE = "gaze/"
_AT_ONCE = 100
_LEDGERS = ledgers((*SOURCE_STAGES.values(), FRAMES, TRANSLATIONS, LABELS, TASK_SETS))
_FIGURES = {figure.name: figure for figure in FIGURES}


def wanted(settings: Settings, source: str) -> dict[str, str]:
    """Figures and recordings with frames, and what their numbers are made from."""
    before = Upstream(settings.store, source, _LEDGERS)
    units = {
        figure.name: digest(
            [
                code_version(figure.make, with_used),
                *before.whole(with_translations(figure.reads)),
            ]
        )
        for figure in FIGURES
        if all(before.holding(table) for table in figure.reads)
    }
    recordings = before.holding("recordings")
    code = code_version(gaze)
    for uid, entry in before.holding("frames").items():
        of_recording = recordings.get(uid)
        if of_recording is not None:
            units[GAZE + uid] = digest([code, *_gaze_inputs(entry, of_recording)])
    return units


def _gaze_inputs(frames: Entry, recording: Entry) -> Sequence[str]:
    return [
        frames.inputs("frames", GAZE_READS["frames"]),
        recording.inputs("recordings", GAZE_READS["recordings"]),
    ]


def _compute(settings: Settings, source: str, todo: list[str]) -> Iterator[Output]:
    for name in todo:
        if not name.startswith(GAZE):
            figure = _FIGURES[name]
            tables = in_use(_read(settings, source, with_translations(figure.reads)))
            yield Output([name], {"statistics": figure.make(tables)})
    recordings = [name.removeprefix(GAZE) for name in todo if name.startswith(GAZE)]
    for at in range(0, len(recordings), _AT_ONCE):
        some = recordings[at : at + _AT_ONCE]
        made = gaze(_read(settings, source, GAZE_READS, some))
        yield Output([GAZE + uid for uid in some], {"statistics": made})


def _read(
    settings: Settings,
    source: str,
    reads: Reads,
    units: list[str] | None = None,
) -> dict[str, pl.DataFrame]:
    return {
        name: settings.store.read(
            TABLES[name], source, units, columns=None if columns is None else ("source", *columns)
        )
        for name, columns in reads.items()
    }


_UNITS = UnitStage(STAGE, wanted, _compute)
bring_up = _UNITS.bring_up
is_fresh = _UNITS.is_fresh

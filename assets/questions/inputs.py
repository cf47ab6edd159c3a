"""Which rows a unit of questions is computed from: those of a pool, take, recording, released set or source."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence

from assets.pairs.stage import members
from assets.questions.kit.builder import UnitKind
from assets.questions.released import recordings_of_sets
from assets.stage import Inputs
from expectations.schemas import TABLES

WHOLE_SOURCE = "all"
"""Unit of recipes that compare all recordings of a source."""


def recordings_by_unit(inputs: Inputs, source: str, kind: UnitKind) -> dict[str, list[str]]:
    """Units of a kind in a source, each with its recordings, ascending."""
    if kind == "question_set":
        asked = inputs.read("imported_questions", ("question_set", "media"), source)
        return dict(recordings_of_sets(asked))
    if kind == "pool":
        pools = members(inputs.store, source)
        return {pool: pools.get(pool, []) for pool in inputs.stored_units("pairs", source)}
    if kind == "scenario":
        return _by_scenario(inputs, source)
    recordings = inputs.read("recordings", ("recording_id", "take_id"), source)
    if kind == "source":
        uids = recordings["recording_id"].sort().to_list()
        return {WHOLE_SOURCE: uids} if uids else {}
    units: dict[str, list[str]] = defaultdict(list)
    for uid, take in recordings.sort("recording_id").iter_rows():
        units[take if kind == "take" else uid].append(uid)
    return units


def _by_scenario(inputs: Inputs, source: str) -> dict[str, list[str]]:
    """Recordings of each scenario, ascending; those without one are in no unit."""
    recordings = inputs.read("recordings", ("recording_id", "scenario"), source)
    units: dict[str, list[str]] = defaultdict(list)
    for uid, scenario in recordings.sort("recording_id").iter_rows():
        if scenario:
            units[scenario].append(uid)
    return units


def unit_keys(
    tables: Collection[str], unit: str, recordings: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """Units of each table that belong to a unit of questions.

    Tables that are cut neither by recording, pool nor released set are left out: they are read whole.

    Args:
        tables: Names of the tables.
        unit: Unit of questions: its pool, take, recording, released set or `WHOLE_SOURCE`.
        recordings: Recordings of the unit.
    """
    keys: dict[str, tuple[str, ...]] = {}
    for name in tables:
        cut_by = TABLES[name].unit
        if cut_by == "recording_id":
            keys[name] = tuple(recordings)
        elif cut_by in ("pool", "question_set"):
            keys[name] = (unit,)
    return keys

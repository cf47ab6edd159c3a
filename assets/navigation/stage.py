"""Where a person can walk, and ways to things: one unit per recording."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator

from assets.stage import Batch, Inputs, Stage, Unit
from expectations.schemas import TABLES
from resources.store.incremental import Output

_PACKAGES = ("numba", "shapely")


def _not_installed() -> list[str]:
    """Packages of the extra `space` that are not there."""
    return [name for name in _PACKAGES if importlib.util.find_spec(name) is None]


def _units(inputs: Inputs) -> Iterator[Unit]:
    """Recordings with things in space and known directions to them."""
    if _not_installed():
        return
    measured = set(inputs.units_with_rows("spatial_facts"))
    calibrated = set(inputs.units_with_rows("calibrations"))
    for uid in inputs.units_with_rows("objects_3d"):
        if uid in measured & calibrated:
            yield Unit(uid, inputs.keys([uid]))


def _note(inputs: Inputs) -> str:
    """Why nothing is planned, where that is not because there is nothing to plan."""
    missing = _not_installed()
    if not missing or not inputs.units_with_rows("spatial_facts"):
        return ""
    return f"{' and '.join(missing)} not installed: no ways are planned; install the extra `space`"


def _make(batch: Batch) -> Iterator[Output]:
    # numba compiles at the first import: only sources with things in space pay for it.
    from assets.navigation.paths import plan_paths

    for unit in batch.units:
        ways = plan_paths(batch.source, unit.name, batch.of(unit))
        tables = {
            "free_space": TABLES["free_space"].frame(ways.maps),
            "paths": TABLES["paths"].frame(ways.paths),
        }
        yield Output([unit.name], tables)


STAGE = Stage(
    name="navigation",
    group="navigation",
    summary="Where a person can walk among the things around them, and ways to what they look for.",
    partition="source",
    tables=("free_space", "paths"),
    reads={
        "calibrations": None,
        "camera_poses": None,
        "objects_3d": None,
        "spatial_facts": (
            "recording_id",
            "fact_id",
            "operator",
            "object_id",
            "t_s",
            "end_s",
            "frame",
            "plane",
            "value",
        ),
    },
    units=_units,
    make=_make,
    by_recording=True,
    batch=5,
    note=_note,
)

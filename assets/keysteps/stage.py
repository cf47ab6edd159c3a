"""Order and places of keysteps: two stages, with one unit per task and per recording."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import polars as pl

from assets.keysteps.order import Performed, observed_order
from assets.keysteps.places import step_places
from assets.stage import Batch, Inputs, Stage, Unit
from expectations.schemas import TABLES
from resources.store.incremental import Output

_STEP = ("segment_id", "recording_id", "kind", "start_s", "end_s", "class_id", "class_name")


def _scenarios(inputs: Inputs) -> Iterator[Unit]:
    """Tasks with keysteps."""
    with_steps = set(_with_keysteps(inputs))
    by_scenario: dict[str, list[str]] = defaultdict(list)
    recordings = inputs.read("recordings", ("recording_id", "scenario"))
    for uid, scenario in recordings.sort("recording_id").iter_rows():
        if uid in with_steps and scenario is not None:
            by_scenario[scenario].append(uid)
    for scenario, uids in sorted(by_scenario.items()):
        yield Unit(scenario, {"segments": tuple(uids), "recordings": tuple(uids)})


def _with_keysteps(inputs: Inputs) -> list[str]:
    inputs.units_with_rows("segments")  # their writer has to be done
    rows = inputs.store.scan(TABLES["segments"], inputs.partition, columns=("recording_id", "kind"))
    steps = rows.filter(pl.col("kind") == "keystep").select(pl.col("recording_id").unique())
    return sorted(steps.collect()["recording_id"])


def _orders(batch: Batch) -> Iterator[Output]:
    for unit in batch.units:
        steps = batch.of(unit)["segments"].filter(
            (pl.col("kind") == "keystep") & pl.col("class_id").is_not_null()
        )
        takes = [
            [Performed(*row) for row in part.select("class_id", "start_s", "end_s").iter_rows()]
            for _, part in sorted(steps.partition_by("recording_id", as_dict=True).items())
        ]
        names = {
            number: name or str(number)
            for number, name in steps.sort("segment_id")
            .select("class_id", "class_name")
            .iter_rows()
        }
        rows = (
            {
                "source": batch.source,
                "scenario": unit.name,
                "first_id": first,
                "first_name": names[first],
                "second_id": second,
                "second_name": names[second],
                "support": seen.support,
                "exceptions": seen.exceptions,
            }
            for (first, second), seen in observed_order(takes).items()
        )
        yield Output([unit.name], {"step_order": TABLES["step_order"].frame(rows)})


def _recordings(inputs: Inputs) -> Iterator[Unit]:
    """Recordings with keysteps, and with hands or objects in space."""
    in_space = {*inputs.units_with_rows("hand_joints"), *inputs.units_with_rows("objects_3d")}
    if in_space:
        for uid in _with_keysteps(inputs):
            if uid in in_space:
                yield Unit(uid, inputs.keys([uid]))


def _places(batch: Batch) -> Iterator[Output]:
    for unit in batch.units:
        tables = batch.of(unit)
        rows = step_places(tables["segments"], tables["hand_joints"], tables["objects_3d"])
        found = TABLES["step_places"].frame({"source": batch.source, **row} for row in rows)
        yield Output([unit.name], {"step_places": found})


ORDER = Stage(
    name="step_order",
    group="keysteps",
    summary="Which keysteps of a task are done before which others, in how many takes.",
    partition="source",
    tables=("step_order",),
    reads={"recordings": ("recording_id", "scenario"), "segments": _STEP},
    units=_scenarios,
    make=_orders,
)
PLACES = Stage(
    name="step_places",
    group="keysteps",
    summary="Where keysteps are done, by the wearer's hands or the object named.",
    partition="source",
    tables=("step_places",),
    reads={
        "segments": _STEP,
        "hand_joints": (
            "recording_id",
            "t_s",
            "person_id",
            "hand_side",
            "world_frame_id",
            "x",
            "y",
            "z",
        ),
        "objects_3d": (
            "recording_id",
            "object_id",
            "t_s",
            "name",
            "world_frame_id",
            "tx",
            "ty",
            "tz",
        ),
    },
    units=_recordings,
    make=_places,
    by_recording=True,
)

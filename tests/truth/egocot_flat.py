"""States that actions of the flat leave behind, as EgoCoT's questions name them, and what gates say of these."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from expectations.gates import EvidenceTables, judge, reads_of
from expectations.schemas import TABLES
from resources.config import Settings
from resources.worlds.flat import FlatSpec, Take, plan_flat
from resources.worlds.flat.own import recordings_of, write_own
from tests.derivations.world import seconds, ticks
from tests.truth.test_states import graphs_of

# What an action of the flat leaves behind, and of what kind that is.
LEAVES = {
    "get": ("hand", "held"), "put": ("hand", "no longer held"),
    "open": ("lid", "open"), "close": ("lid", "closed"),
    "turn on": ("power", "on"), "turn off": ("power", "off"),
}  # fmt: skip
KINDS = {state: kind for kind, state in LEAVES.values()}


def true_state(take: Take, name: str, kind: str, at_s: float) -> str | None:
    """State of a kind that a thing is in by the last of all actions on it, whoever does them."""
    done = [
        LEAVES[a.verb][1]
        for a in sorted(take.actions, key=lambda a: a.end_s)
        if a.end_s <= at_s
        and take.name_of(a.object) == name
        and LEAVES.get(a.verb, ("", ""))[0] == kind
    ]
    return done[-1] if done else None


def own_recordings(folder: Path) -> dict[str, Any]:
    """Write takes as own recordings: settings of their tables, and the plan of each recording's take."""
    spec = FlatSpec("lemma", takes=6, render="none")
    write_own(spec, folder / "raw", workers=1)
    takes = enumerate(plan_flat(spec, "lemma").takes)
    plans = {uid: take for index, take in takes for uid in recordings_of(take, index)}
    return {"settings": graphs_of(folder, "own"), "plans": plans}


def refusals(settings: Settings, questions: list[dict[str, Any]]) -> pl.DataFrame:
    """Verdicts of all gates on questions about the source `flat`, other than that they pass."""
    pool = pl.concat_str("source", pl.lit("/"), "recipe", pl.lit("/unit"))
    asked = TABLES["questions"].frame(questions).with_columns(pool=pool)
    tables = {name: settings.store.read(TABLES[name], "flat") for name in reads_of("egocot")}
    frames = {uid: ticks(seconds(100.0)) for uid in tables["recordings"]["recording_id"]}
    given = EvidenceTables(tables, frames, {"egocot_direct/2": "endpoints(16)"})
    verdicts = judge(asked, given).filter(~pl.col("gate").is_in(["blind", "reviewed"]))
    return verdicts.filter(pl.col("verdict") != "pass")


def lies_there(take: Take, instance: str, place: str, at_s: float) -> bool:
    """Whether a thing rests above a place, by where both truly are."""
    if take.holder_of(instance, at_s)[0]:
        return False
    thing, below = take.thing_at(instance, at_s), take.thing_at(place, at_s)
    return all(below.lo[k] <= thing.centre[k] <= below.hi[k] for k in (0, 1))

"""Scene graphs and spatial facts of a source: one unit per recording."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from assets.scene_graphs.facts import measure
from assets.scene_graphs.graph import StateRules, make_graph, read_rules
from assets.sources.stage import STAGES as SOURCE_STAGES
from assets.unit_stage import UnitStage
from expectations.schemas import TABLES
from expectations.schemas.identity import digest
from resources.config import Settings
from resources.store.code_version import code_version
from resources.store.incremental import Output, Stage
from resources.store.ledger import read_complete

MADE = ("calibrations", "graph_nodes", "graph_edges", "spatial_facts")
STAGE = Stage("scene_graphs", tuple(TABLES[name] for name in MADE))
READ = {
    "recordings": ("recordings",),
    "segments": ("segments", "relations", "object_states"),
    "sensors": ("cameras", "camera_poses", "gaze_rays", "hand_joints"),
    "objects": ("objects_3d", "boxes", "annotated_frames"),
}
"""Tables read, by the part of the sources stage that writes them."""
_COLUMNS = {
    "recordings": (
        "recording_id",
        "view",
        "device",
        "person_id",
        "duration_s",
        "media_duration_s",
    ),
}
_NEEDED = ("relations", "object_states", "cameras", "camera_poses", "objects_3d", "boxes")
"""A recording without any of these has neither graph nor geometry."""
_AT_ONCE = 5
"""Recordings in memory at once: a sequence of two minutes has half a million boxes."""


def load_rules() -> StateRules:
    """Rules from verbs to states, from the file beside this module."""
    return read_rules(Path(__file__).with_name("states.toml").read_text())


def wanted(settings: Settings, source: str) -> dict[str, str]:
    """Recordings with something to measure or to join, and what that is made from."""
    entries = {
        part: read_complete(settings.store, SOURCE_STAGES[part].name, source) for part in READ
    }
    code = code_version(measure, make_graph, load_rules)
    units = {}
    for uid in entries["recordings"]:
        held = {
            name: entries[part][uid].inputs(name, _COLUMNS.get(name, TABLES[name].content_columns))
            for part, names in READ.items()
            if uid in entries[part]
            for name in names
            if name in entries[part][uid].tables
        }
        if "recordings" in held and any(name in held for name in _NEEDED):
            units[uid] = digest(
                [code, *(f"{name}={value}" for name, value in sorted(held.items()))]
            )
    return units


def _compute(settings: Settings, source: str, todo: list[str]) -> Iterator[Output]:
    rules = load_rules()
    for at in range(0, len(todo), _AT_ONCE):
        units = todo[at : at + _AT_ONCE]
        read = {
            name: settings.store.read(TABLES[name], source, units).partition_by(
                "recording_id", as_dict=True
            )
            for names in READ.values()
            for name in names
        }
        for uid in units:
            mine = {name: read[name].get((uid,), TABLES[name].empty()) for name in read}
            # What does not decide whether a unit is made again is not shown to what makes it.
            mine = {n: t.select(_COLUMNS[n]) if n in _COLUMNS else t for n, t in mine.items()}
            facts = measure(source, uid, mine)
            graph = make_graph(source, uid, mine, rules)
            tables = {
                "calibrations": TABLES["calibrations"].frame(facts.calibrations),
                "spatial_facts": TABLES["spatial_facts"].frame(facts.spatial_facts),
                "graph_nodes": TABLES["graph_nodes"].frame(graph.nodes),
                "graph_edges": TABLES["graph_edges"].frame(graph.edges),
            }
            yield Output([uid], tables, [(uid, one) for one in (*facts.refused, *graph.refused)])


_UNITS = UnitStage(STAGE, wanted, _compute, by_recording=True)
bring_up = _UNITS.bring_up
is_fresh = _UNITS.is_fresh

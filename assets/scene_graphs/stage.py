"""Scene graphs and spatial facts of a source: one unit per recording."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from assets.scene_graphs.coverage import coverage
from assets.scene_graphs.facts import measure
from assets.scene_graphs.graph import StateRules, make_graph, read_rules
from assets.scene_graphs.handled import LABEL_READS as HANDLED_READS
from assets.scene_graphs.narrated import READS as LABEL_READS
from assets.scene_graphs.timeline import busiest_timeline
from assets.sources.reviews.patches import PATCHED, graph_patches, patched
from assets.sources.reviews.standing import standing
from assets.sources.stage import reviews_of
from assets.stage import Batch, Inputs, Stage, Unit
from expectations.schemas import TABLES
from expectations.schemas.identity import digest
from expectations.schemas.labels import OPEN
from expectations.schemas.reviews import GRAPH
from resources.config import Settings
from resources.store.incremental import Output

_NEEDED = ("relations", "object_states", "cameras", "camera_poses", "objects_3d", "boxes")
"""A recording without rows in any of these, and without a parsed narration, has neither graph nor geometry."""
_POSE = [("cameras", "qw"), ("boxes", "raw"), ("objects_3d", "tx"), ("camera_poses", "tx")]


def load_rules() -> StateRules:
    """Rules from verbs to states, from the file beside this module."""
    return read_rules(Path(__file__).with_name("states.toml").read_text())


def _decisions(settings: Settings, source: str) -> dict[str, str]:
    """Digest of the decisions on rows of each recording's graph; of recordings without any, none."""
    reviews = reviews_of(settings, source, GRAPH)
    decided: dict[str, list[str]] = defaultdict(list)
    for table, key in PATCHED.items():
        mine = reviews.filter(pl.col("item_id").str.starts_with(f"{table}/"))
        if mine.is_empty():
            continue
        mine = mine.with_columns(pl.col("item_id").str.strip_prefix(f"{table}/").alias(key))
        rows = settings.store.scan(TABLES[table], source, columns=(key, "recording_id"))
        places = rows.filter(pl.col(key).is_in(mine[key].implode())).collect()
        for uid, decision in mine.join(places, on=key).select("recording_id", "decision_id").iter_rows():  # fmt: skip
            decided[uid].append(decision)
    return {uid: digest(sorted(ids)) for uid, ids in decided.items()}


def _units(inputs: Inputs) -> Iterator[Unit]:
    """Recordings with something to measure or to connect."""
    decisions = _decisions(inputs.settings, inputs.partition)
    usable = {uid for table in _NEEDED for uid in inputs.units_with_rows(table)}
    if inputs.units_with_rows("labels"):
        columns = ("recording_id", "reader")
        labels = inputs.store.scan(TABLES["labels"], inputs.partition, columns=columns)
        parsed = labels.filter(pl.col("reader") == OPEN).select("recording_id").unique()
        usable |= set(parsed.collect()["recording_id"])
    for uid in inputs.units_with_rows("recordings"):
        if uid in usable:
            keys = {**inputs.keys([uid]), "reviews": ()}
            # Decisions count where there are any: other recordings stay as they are.
            code = (graph_patches, patched, standing) if uid in decisions else ()
            yield Unit(uid, keys, (decisions.get(uid, ""),), code=code)


def _make(batch: Batch) -> Iterator[Output]:
    rules = load_rules()
    reviews = reviews_of(batch.settings, batch.source, GRAPH)
    for unit in batch.units:
        rows = batch.of(unit)
        patches = graph_patches(batch.source, rows, reviews)
        rows = patched(rows, patches)
        facts = measure(batch.source, unit.name, rows)
        graph = make_graph(batch.source, unit.name, rows, rules)
        tables = {
            "calibrations": TABLES["calibrations"].frame(facts.calibrations),
            "graph_patches": patches,
            "spatial_facts": TABLES["spatial_facts"].frame(facts.spatial_facts),
            "graph_nodes": TABLES["graph_nodes"].frame(graph.nodes),
            "graph_edges": TABLES["graph_edges"].frame(graph.edges),
            "graph_coverage": TABLES["graph_coverage"].frame(
                coverage(batch.source, unit.name, graph.nodes, rows["annotated_frames"])
            ),
        }
        refused = [(unit.name, refusal) for refusal in (*facts.refused, *graph.refused)]
        yield Output([unit.name], tables, refused)


STAGE = Stage(
    name="scene_graphs",
    group="scene_graphs",
    summary="Who did what to what, where things are seen, and facts measured in space.",
    partition="source",
    tables=(
        "calibrations",
        "graph_patches",
        "graph_nodes",
        "graph_edges",
        "graph_coverage",
        "spatial_facts",
    ),
    derived_from={
        "graph_patches": ("reviews", "segments", "relations", "object_states", "boxes"),
        "calibrations": ("recordings", "cameras", "camera_poses", "objects_3d", "boxes"),
        "spatial_facts": (
            "calibrations",
            "annotated_frames",
            "gaze_rays",
            "hand_joints",
            "segments",
            "labels",
        ),
        "graph_nodes": (
            "recordings",
            "segments",
            "relations",
            "labels",
            "object_states",
            "boxes",
            "tracks",
            "graph_patches",
        ),
        "graph_edges": (
            "graph_nodes",
            "relations",
            "labels",
            "object_states",
            "tracks",
            "graph_patches",
        ),
        "graph_coverage": ("graph_nodes", "annotated_frames"),
    },
    reads={
        "recordings": (
            "recording_id",
            "view",
            "device",
            "person_id",
            "duration_s",
            "media_duration_s",
        ),
        "segments": None,
        "relations": None,
        "labels": ("recording_id", *dict.fromkeys((*LABEL_READS, *HANDLED_READS))),
        "object_states": None,
        "cameras": None,
        "camera_poses": None,
        "gaze_rays": None,
        "hand_joints": None,
        "objects_3d": None,
        "boxes": None,
        "tracks": (
            "recording_id",
            "track_id",
            "name",
            "start_s",
            "end_s",
            "moves",
            "start_place",
            "end_place",
        ),
        "annotated_frames": None,
        "reviews": None,
    },
    units=_units,
    make=_make,
    code=(measure, make_graph, coverage, load_rules),
    by_recording=True,
    # A sequence of two minutes has half a million boxes.
    batch=5,
    drawings={"graph_edges": busiest_timeline},
    lineage={
        "calibrations": {"residual_px": _POSE, "axis_angle_deg": _POSE},
        "spatial_facts": {
            "value": [*_POSE, ("boxes", "visibility"), ("hand_joints", "x")],
            "uncertainty": [("hand_joints", "x")],
            "t_s": [
                ("gaze_rays", "t_s"),
                ("hand_joints", "t_s"),
                ("annotated_frames", "t_s"),
                ("segments", "start_s"),
            ],
            "object_name": [("objects_3d", "name"), ("labels", "lemma")],
        },
        "graph_patches": {
            "value": [("reviews", "value")],
            "reason": [("reviews", "value"), ("reviews", "note")],
            "patched_row": [
                ("reviews", "item_id"),
                ("reviews", "item_hash"),
                ("relations", "object"),
                ("object_states", "value"),
                ("boxes", "x_min"),
                ("segments", "start_s"),
            ],
        },
        "graph_nodes": {
            "name": [
                ("relations", "object"),
                ("relations", "subject"),
                ("labels", "lemma"),
                ("labels", "actor_id"),
                ("object_states", "object"),
                ("object_states", "value"),
                ("recordings", "person_id"),
                ("tracks", "end_place"),
            ],
            "boxes": [("boxes", "x_min")],
            "spans": [("segments", "start_s")],
        },
        "graph_edges": {
            "relation": [("relations", "relation"), ("labels", "rule"), ("labels", "status")],
            "to_node": [
                ("relations", "object"),
                ("object_states", "value"),
                ("labels", "lemma"),
                ("tracks", "end_place"),
            ],
            "role": [("relations", "role"), ("labels", "role")],
            "function": [("relations", "relation"), ("relations", "role"), ("labels", "role")],
            "caused_by": [("object_states", "value"), ("relations", "object"), ("labels", "lemma")],
            "preposition": [("relations", "relation"), ("labels", "rule")],
            "ended_by": [("relations", "object"), ("labels", "lemma")],
            "hand_side": [("relations", "hand_side"), ("labels", "body_part")],
            "start_s": [("segments", "start_s"), ("object_states", "start_s")],
            "end_s": [("segments", "end_s"), ("object_states", "end_s")],
        },
        "graph_coverage": {
            "start_s": [("segments", "start_s"), ("annotated_frames", "t_s")],
            "end_s": [("segments", "end_s"), ("annotated_frames", "t_s")],
            "kind": [("relations", "relation"), ("labels", "rule"), ("annotated_frames", "t_s")],
        },
    },
)

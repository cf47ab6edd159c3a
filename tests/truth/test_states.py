"""Annotated states of simulated takes in the scene graph, held against what was really so.

The raw files are read and joined by the stages; what holds when comes from the plan of the flat.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import polars as pl

from assets.options import Options, silent
from assets.scene_graphs.stage import STAGE as SCENE_GRAPHS
from assets.sources.stage import STAGE as SOURCES
from expectations.schemas import TABLES
from resources.config import Settings, load_settings
from resources.worlds.flat import FlatSpec, plan_flat
from resources.worlds.flat.egotaskqa import attributes, moments, write_egotaskqa
from resources.worlds.flat.lemma import video_id, write_lemma
from resources.worlds.flat.own import recordings_of, write_own

# Names under which the scene graph shows what the flat calls an aspect and its value.
SHOWN = {
    ("lid", "open"): "open", ("lid", "closed"): "closed",
    ("cap", "open"): "open", ("cap", "closed"): "closed",
    ("power", "on"): "on", ("power", "off"): "off",
    ("content", "full"): "full", ("content", "empty"): "empty",
    ("shape", "cut"): "cut", ("shape", "whole"): "shape: whole",
}  # fmt: skip


def graphs_of(folder: Path, layout: str) -> Settings:
    config = folder / "parallax.toml"
    config.write_text(
        f'store = "tables"\n[sources.flat]\nlayout = "{layout}"\nroot = "raw"\n', encoding="utf-8"
    )
    settings = load_settings(config)
    for bring_up in (SOURCES.refresh, SCENE_GRAPHS.refresh):
        bring_up(settings, "flat", Options(), silent)
    return settings


def states_of(settings: Settings) -> pl.DataFrame:
    """Edges to states with the names of both ends."""
    nodes = settings.store.read(TABLES["graph_nodes"], "flat")
    edges = settings.store.read(TABLES["graph_edges"], "flat")
    names = nodes.select("node_id", "name", "instance")
    return (
        edges.filter(pl.col("relation") == "has_state")
        .join(names, left_on="from_node", right_on="node_id")
        .join(names.rename({"name": "state"}), left_on="to_node", right_on="node_id")
    )


def test_intervals_of_own_recordings_are_what_was_so(tmp_path: Path) -> None:
    spec = FlatSpec("lemma", takes=2, seed="states", render="small")
    write_own(spec, tmp_path / "raw", workers=1)
    edges = states_of(graphs_of(tmp_path, "own"))
    assert set(edges["source_table"]) >= {"object_states"}
    checked: dict[str, int] = defaultdict(int)
    for index, take in enumerate(plan_flat(spec, "lemma").takes):
        names = {take.name_of(t.instance): t for t in take.things if take.is_unique(t.instance)}
        for uid in recordings_of(take, index):
            for edge in edges.filter(pl.col("recording_id") == uid).iter_rows(named=True):
                thing = names.get(edge["name"])
                if thing is None or edge["end_s"] <= edge["start_s"]:
                    continue
                middle = (edge["start_s"] + edge["end_s"]) / 2
                now = take.state_of(thing.instance, middle).items()
                expected = {SHOWN[aspect, value] for aspect, value in now}
                if edge["source_table"] == "object_states" or edge["state"] in SHOWN.values():
                    assert edge["state"] in expected, edge
                    checked[edge["source_table"]] += 1
    assert checked["object_states"] >= 10


def test_states_of_egotaskqa_hold_at_the_edges_of_their_actions(tmp_path: Path) -> None:
    spec = FlatSpec("lemma", takes=3, render="none")
    write_lemma(spec, tmp_path / "raw")
    write_egotaskqa(spec, tmp_path / "raw")
    settings = graphs_of(tmp_path, "lemma")
    edges = states_of(settings).filter(pl.col("source_table") == "object_states")
    rows = settings.store.read(TABLES["object_states"], "flat")
    assert set(edges["source_row"]) <= set(rows["state_id"])
    found = {
        (edge["recording_id"], edge["name"], edge["state"], at)
        for edge in edges.iter_rows(named=True)
        for at in (edge["start_s"], edge["end_s"])
    }
    # What the flat says of a thing before and after each action, as the graph names it.
    n = 0
    words = {"opened": ("open", "closed"), "on": ("on", "off"), "emptiness": ("empty", "full")}
    for index, take in enumerate(plan_flat(spec).takes):
        for action in take.actions:
            uid = f"{video_id(take, index)}|fpv{action.actor[1]}"
            start, end = (round(t * 24) / 24 for t in (action.start_s, action.end_s))
            for moment, t_s in moments(action):
                for attribute, value in attributes(take, action.object, t_s).items():
                    if attribute in words:
                        state = words[attribute][value == "no"]
                        at = start if moment == "before" else end
                        assert (uid, take.name_of(action.object), state, at) in found
                        n += 1
    assert n > 10
    # A changed state names the action that changed it.
    caused = edges.filter(pl.col("caused_by").is_not_null())
    assert caused.height
    acts = settings.store.read(TABLES["graph_edges"], "flat")
    joined = caused.join(acts, left_on="caused_by", right_on="edge_id")
    assert joined.height == caused.height
    assert (joined["segment_id"] == joined["segment_id_right"]).all()

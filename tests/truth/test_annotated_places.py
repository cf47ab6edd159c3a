"""HD-EPIC's annotated movements: where things are in the graph, and the questions about it, are true."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import polars as pl
import pytest

from assets.options import Options, silent
from assets.questions.gating import STAGE as GATES
from assets.scene_graphs.stage import STAGE as SCENE_GRAPHS
from assets.sources.stage import STAGE as SOURCES
from expectations.gates import published
from expectations.schemas import TABLES
from resources.config import load_settings
from resources.worlds.flat import FlatSpec, Take, plan_flat
from resources.worlds.flat.hd_epic import moves_of, video_of, write_hd_epic
from resources.worlds.flat.places import furniture
from tests.stages import refresh_questions
from tests.truth.test_egocot_places import places_at

ABOUT_PLACES = ("location_visibility_retrospection", "goal_oriented_object_tracking")


@dataclass(frozen=True)
class Kitchens:
    """Takes by recording, with the tables made of them."""

    takes: dict[str, Take]
    tables: dict[str, pl.DataFrame]


@pytest.fixture(scope="module")
def kitchens(tmp_path_factory: pytest.TempPathFactory) -> Kitchens:
    folder = tmp_path_factory.mktemp("movements")
    spec = FlatSpec("easg", takes=4, seed="hd_epic", render="none")
    write_hd_epic(spec, folder / "raw", workers=1)
    (folder / "parallax.toml").write_text(
        'store = "tables"\n[sources.s]\nlayout = "hd_epic"\nroot = "raw"\n'
        '[benchmarks.egocot]\nsources = ["s"]\n',
        encoding="utf-8",
    )
    settings = load_settings(folder / "parallax.toml")
    for stage in (SOURCES, SCENE_GRAPHS):
        stage.refresh(settings, "s", Options(), silent)
    refresh_questions(settings, "egocot", Options(), silent)
    GATES.refresh(settings, "egocot", Options(), silent)
    read = settings.store.read
    tables = {name: read(TABLES[name], "s") for name in ("graph_nodes", "graph_edges")}
    tables |= {name: read(TABLES[name], "egocot") for name in ("questions", "question_gates")}
    takes = {video_of(n): take for n, take in enumerate(plan_flat(spec, "easg").takes)}
    return Kitchens(takes, tables)


def located(kitchens: Kitchens) -> list[dict[str, Any]]:
    names = dict(kitchens.tables["graph_nodes"].select("node_id", "name").iter_rows())
    rows = kitchens.tables["graph_edges"].filter(relation="located").to_dicts()
    return [r | {"thing": names[r["from_node"]], "place": names[r["to_node"]]} for r in rows]


def test_places_in_the_graph_are_those_at_which_things_rest(kitchens: Kitchens) -> None:
    rows = located(kitchens)
    assert len(rows) >= 30
    for row in rows:
        at_s = (row["start_s"] + row["end_s"]) / 2
        take = kitchens.takes[row["recording_id"]]
        assert places_at(take, row["thing"], [row["place"]], at_s) == [row["place"]], row


def test_every_movement_between_fixtures_is_in_the_graph(kitchens: Kitchens) -> None:
    known = {(r["recording_id"], r["thing"], r["place"], r["role"]) for r in located(kitchens)}
    # The last narration of all is broken, and tells no action.
    *_, (last, last_take) = kitchens.takes.items()
    broken_s = last_take.actions[-1].start_s
    for uid, take in kitchens.takes.items():
        for move in moves_of(take):
            if uid == last and move.end_s >= broken_s:
                continue
            for place, role in ((move.start_place, "source"), (move.end_place, "target")):
                if place in furniture():
                    name = take.name_of(move.instance)
                    assert (uid, name, place.replace("_", " "), role) in known, move


def test_questions_about_these_places_are_published_and_true(kitchens: Kitchens) -> None:
    asked = kitchens.tables["questions"].filter(pl.col("subtask").is_in(ABOUT_PLACES))
    kept = published(asked, kitchens.tables["question_gates"])
    assert kept["question_id"].to_list() == asked["question_id"].to_list()
    assert set(asked["subtask"]) == set(ABOUT_PLACES)
    for q in asked.to_dicts():
        clip, take = q["media"][0], kitchens.takes[q["recording_id"]]
        texts = [o["text"] for o in q["options"]]
        told = re.findall(r"moment ([\d.]+) s .* is the (.*)\?", q["text"])
        if told:
            ((at_s, thing),) = told
            at = clip["start_s"] + float(at_s)
        else:
            at = clip["end_s"]
            (thing,) = re.findall(r"of the clip, the (.*) is at the", q["rationale"][2]["text"])
        assert places_at(take, thing, texts, at) == [q["answer_text"]], q["text"]

"""Causes of states, functions of things and their places in scene graphs, held against the plan of the flat.

Own recordings annotate every action and every state of things, EASG's graphs the wearer's actions alone. Both
must be found whole: precision and recall are 1. EgoCoT's questions about causes (`local_cause_outcome_inference`) and
places rest on them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assets.questions.egocot.local_cause_outcome_inference import BUILDER
from expectations.schemas import TABLES
from resources.config import Settings
from resources.worlds.flat import Action, Take
from resources.worlds.flat.easg import FPS
from resources.worlds.flat.own import called
from tests.truth.easg_flat import EasgFlat
from tests.truth.egocot_flat import lies_there
from tests.truth.solvers.exam import Exam, Question, sit
from tests.truth.test_states import SHOWN, graphs_of

Change = tuple[str, str, str]
"""Action, thing and state."""
HELD = {"get": "held", "put": "no longer held"}
OPPOSITE = {"open": "closed", "on": "off", "full": "empty", "held": "no longer held"}
OPPOSITE |= {two: one for one, two in OPPOSITE.items()}


def changes(take: Take, names: dict[str, str], annotated: bool) -> set[Change]:
    """What each action truly changed; of a container's filling only annotators tell."""
    found = {
        (a.action_id, names[a.object], HELD[a.verb])
        for a in take.actions
        if a.verb in HELD and names.get(a.object)
    }
    timeline = {thing.instance: list(thing.states) for thing in take.things}
    for piece, states in take.furniture_states.items():
        first = take.state_of(piece, 0.0)["state"]
        timeline[piece] = [(at, "state", value) for at, value in ((0.0, first), *states)]
    for instance, rows in timeline.items():
        for aspect in {name for _, name, _ in rows}:
            mine = [(at, value) for at, name, value in rows if name == aspect]
            for (_, before), (at, value) in pairwise(mine):
                by = cause(take, instance, at)
                if value != before and (annotated or by.object == instance):
                    found.add((by.action_id, names[instance], SHOWN.get((aspect, value), value)))
    return found


def cause(take: Take, instance: str, at_s: float) -> Action:
    """The one action that was changing an instance at a time."""
    (one,) = (
        a
        for a in take.actions
        if a.contact_s <= at_s <= a.end_s and instance in (a.object, a.target)
    )
    return one


def functions(take: Take, names: dict[str, str]) -> set[Change]:
    """What each thing was truly used for in each action."""
    found = set()
    for a in take.actions:
        found.add((a.action_id, names[a.object], "target"))
        if a.tool:
            found.add((a.action_id, names[a.tool], "tool"))
        if a.verb in ("pour", "wash"):
            found.add((a.action_id, names[a.target], "container"))
    return found


def of_graph(settings: Settings, uid: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Causes with the thing each changed, and edges to things with a function, of a recording."""
    nodes = settings.store.read(TABLES["graph_nodes"], "flat").filter(pl.col("recording_id") == uid)
    edges = settings.store.read(TABLES["graph_edges"], "flat").filter(pl.col("recording_id") == uid)
    names = dict(nodes.select("node_id", "name").iter_rows())
    edges = edges.with_columns(end=pl.col("to_node").replace_strict(names, return_dtype=pl.String))
    things = edges.select(caused_by="edge_id", thing="end")
    causes = edges.filter(pl.col("relation") == "causes").join(things, on="caused_by")
    # The flat knows no cleanness: what the verb says is all there is.
    return causes.filter(pl.col("end") != "washed"), edges.filter(pl.col("function").is_not_null())


def as_changes(rows: pl.DataFrame, key: dict[str, str], *columns: str) -> list[Change]:
    return [
        (key[segment], *values) for segment, *values in rows.select("segment_id", *columns).rows()
    ]


@pytest.fixture(scope="module")
def own(own_flat: dict[str, Any]) -> dict[str, Any]:
    return own_flat


def test_causes_and_functions_of_own_recordings_are_the_true_ones(own: dict[str, Any]) -> None:
    n_changes = n_functions = 0
    for uid, take in own["plans"].items():
        causes, used = of_graph(own["settings"], uid)
        key = {f"{uid}/{a.action_id}": a.action_id for a in take.actions}
        names = {instance: called(take, instance) for instance in take.instances}
        found = as_changes(causes, key, "thing", "end")
        assert len(found) == len(set(found))
        assert set(found) == changes(take, names, annotated=True)
        as_used = as_changes(used, key, "end", "function")
        assert set(as_used) == functions(take, names)
        n_changes, n_functions = n_changes + len(found), n_functions + len(as_used)
    assert n_changes >= 100
    assert n_functions >= 150


def test_a_cause_begins_before_the_state_and_no_other_change_lies_between(
    own: dict[str, Any],
) -> None:
    for uid, take in own["plans"].items():
        causes, _ = of_graph(own["settings"], uid)
        actions = {f"{uid}/{a.action_id}": a for a in take.actions}
        for edge in causes.iter_rows(named=True):
            action = actions[edge["segment_id"]]
            assert edge["start_s"] == pytest.approx(action.start_s)
            assert action.start_s < edge["end_s"] <= action.end_s + 1e-6


def test_causes_and_functions_of_verbs_alone(easg_flat: EasgFlat, tmp_path: Path) -> None:
    (tmp_path / "raw").symlink_to(easg_flat.folder / "raw")
    settings = graphs_of(tmp_path, "easg")
    n_changes = n_functions = 0
    for uid, take in easg_flat.takes.items():
        causes, used = of_graph(settings, uid)
        segments = settings.store.read(TABLES["segments"], "flat")
        mine = segments.filter(pl.col("recording_id") == uid).sort("start_s", "end_s")
        order = sorted(take.actions, key=lambda a: (a.start_s, a.end_s))
        # Annotators give each action a graph; frames are whole.
        assert mine.height == len(order)
        key = {}
        for (segment, start_s), action in zip(
            mine.select("segment_id", "start_s").rows(), order, strict=True
        ):
            assert start_s == pytest.approx(action.start_s, abs=1 / FPS)
            key[segment] = action.action_id
        names = {instance: take.name_of(instance) for instance in take.instances}
        found = as_changes(causes, key, "thing", "end")
        assert set(found) == changes(take, names, annotated=False)
        as_used = as_changes(used, key, "end", "function")
        assert set(as_used) == functions(take, names)
        n_changes, n_functions = n_changes + len(found), n_functions + len(as_used)
    assert n_changes >= 70
    assert n_functions >= 80


# -- places ------------------------------------------------------------------------------------------

Stay = tuple[str, str, str, float, float]
"""Thing, preposition, place, start and end."""


def true_stays(take: Take, names: Mapping[str, str], fps: float) -> list[Stay]:
    """Where things are from the end of each putting to the next taking, and where each was taken from."""
    found: list[Stay] = []
    order = sorted(take.actions, key=lambda a: (a.start_s, a.end_s))
    covered_s = max(a.end_s for a in order)
    for action in order:
        if action.verb == "get":
            at_s = round(action.start_s * fps) / fps
            found.append((names[action.object], "at", names[action.source], at_s, at_s))
        if action.verb == "put":
            taken = (
                a.start_s
                for a in order
                if (a.verb, a.object) == ("get", action.object) and a.start_s > action.end_s
            )
            times = (round(t * fps) / fps for t in (action.end_s, next(taken, covered_s)))
            found.append((names[action.object], "on", names[action.target], *times))
    return sorted(found)


def stays_of(settings: Settings, uid: str) -> list[Stay]:
    store = settings.store
    nodes = store.read(TABLES["graph_nodes"], "flat").filter(pl.col("recording_id") == uid)
    edges = store.read(TABLES["graph_edges"], "flat").filter(
        pl.col("recording_id") == uid, pl.col("relation") == "located"
    )
    names = dict(nodes.select("node_id", "name").iter_rows())
    return sorted(
        (names[e["from_node"]], e["preposition"], names[e["to_node"]], e["start_s"], e["end_s"])
        for e in edges.iter_rows(named=True)
    )


def judge_stays(
    settings: Settings, takes: Mapping[str, Take], names_of: Any, fps: float
) -> Counter[str]:
    """Hold the places of each recording against the plan, and against where things truly are."""
    counted: Counter[str] = Counter()
    for uid, take in takes.items():
        names = names_of(take)
        found, expected = stays_of(settings, uid), true_stays(take, names, fps)
        assert [s[:3] for s in found] == [s[:3] for s in expected]
        for stay, true in zip(found, expected, strict=True):
            assert stay[3:] == pytest.approx(true[3:], abs=1e-6)
            acted_on = {a.object for a in take.actions}
            things = [i for i, name in names.items() if name == stay[0] and i in acted_on]
            places = [i for i, name in names.items() if name == stay[2]]
            for at_s in (stay[3], (stay[3] + stay[4]) / 2, stay[4]):
                assert any(lies_there(take, one, on, at_s) for one in things for on in places)
            counted["moments" if stay[3] == stay[4] else "intervals"] += 1
    return counted


def test_places_of_own_recordings_are_the_true_ones(own: dict[str, Any]) -> None:
    def names(take: Take) -> dict[str, str]:
        return {instance: called(take, instance) for instance in take.instances}

    counted = judge_stays(own["settings"], own["plans"], names, fps=1e9)
    assert counted["intervals"] >= 40
    assert counted["moments"] >= 40


def test_places_of_verbs_and_prepositions_are_the_true_ones(
    easg_flat: EasgFlat, tmp_path: Path
) -> None:
    (tmp_path / "raw").symlink_to(easg_flat.folder / "raw")

    def names(take: Take) -> dict[str, str]:
        return {instance: take.name_of(instance) for instance in take.instances}

    counted = judge_stays(graphs_of(tmp_path, "easg"), easg_flat.takes, names, fps=FPS)
    assert counted["intervals"] >= 20
    assert counted["moments"] >= 20


# -- questions about causes --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def exam(easg_flat: EasgFlat) -> Exam:
    return sit(easg_flat.folder, "easg", BUILDER, "endpoints(2)")


def actions_named(question: Question, take: Take) -> dict[str, Action]:
    """The wearer's action of each option, by its letter."""
    zero = question["media"][0]["start_s"]
    found = {}
    for option in question["options"]:
        start, end = (zero + float(t) for t in re.findall(r"(-?[\d.]+) s", option["text"]))
        (found[option["letter"]],) = (
            a
            for a in take.actions
            if a.actor == "P1" and abs(a.start_s - start) < 0.1 and abs(a.end_s - end) < 0.1
        )
    return found


def last_change(
    question: Question, take: Take, names: dict[str, str], annotated: bool
) -> tuple[str, str]:
    """The action that last changed what is asked about, and the state it left, by the plan."""
    thing, state = re.findall(r"the clip, the (.*) is ([\w ]+)\.", question["text"])[0]
    pair = {state, OPPOSITE[state]}
    acts = {a.action_id: a for a in take.actions}
    made = [
        (acts[action].contact_s, action, left)
        for action, name, left in changes(take, names, annotated)
        if name == thing and left in pair and acts[action].end_s <= question["media"][0]["end_s"]
    ]
    _, action, left = max(made)
    assert left == state
    return action, left


def judge(
    asked: Iterable[Question], takes: Mapping[str, Take], names: Any, annotated: bool
) -> Counter[str]:
    """Hold each question against the plan; how often each state is asked about."""
    states: Counter[str] = Counter()
    for q in asked:
        take = takes[q["recording_id"]]
        action, left = last_change(q, take, names(take), annotated)
        options = actions_named(q, take)
        assert len({a.action_id for a in options.values()}) == 4
        assert [letter for letter, a in options.items() if a.action_id == action] == [q["answer"]]
        states[left] += 1
    return states


def test_the_right_action_made_the_change_and_no_other_did(exam: Exam, easg_flat: EasgFlat) -> None:
    def names(take: Take) -> dict[str, str]:
        return {instance: take.name_of(instance) for instance in take.instances}

    states = judge(exam.questions, easg_flat.takes, names, annotated=False)
    assert states.total() >= 30
    assert len(states) >= 4


def test_so_it_is_where_annotators_say_when_it_changed(own: dict[str, Any]) -> None:
    tables = {name: own["settings"].store.read(TABLES[name], "flat") for name in BUILDER.reads}
    asked = BUILDER.make(tables).to_dicts()

    def names(take: Take) -> dict[str, str]:
        return {instance: called(take, instance) for instance in take.instances}

    assert judge(asked, own["plans"], names, annotated=True).total() >= 15


def test_neither_the_words_nor_the_order_tell_the_cause(exam: Exam) -> None:
    places: Counter[int] = Counter()
    for q in exam.questions:
        starts = {o["letter"]: float(o["text"].split()[3]) for o in q["options"]}
        places[sorted(starts, key=lambda letter: starts[letter]).index(q["answer"])] += 1
    assert len(places) == 4
    assert max(places.values()) <= 0.35 * places.total()
    assert exam.by_chance(exam.share_right(lambda _: None))

"""Graphs of hand-written relations: actions, hands, states, twins, tracks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import polars as pl
import pytest

from assets.scene_graphs.graph import Graph, StateRules, make_graph, read_rules
from assets.scene_graphs.stage import load_rules
from expectations.contracts import check
from expectations.schemas import TABLES
from tests.labelled import labels_of

KEY = {"source": "it", "recording_id": "r"}
RULES = read_rules(
    '[opening.open]\nverbs = ["open"]\nannotated = ["lid=open"]\n'
    '[opening.closed]\nverbs = ["close", "shut down"]\nannotated = ["lid=closed"]\n'
)


def segment(uid: str, start: float, end: float) -> dict:
    return KEY | {"segment_id": uid, "kind": "interaction", "start_s": start, "end_s": end}


def relation(uid: str, subject: str, joint: str, thing: str, **more: Any) -> dict:
    key = f"{uid}|{subject}|{joint}|{thing}"
    roles = {"direct object": "direct", "verb": None}
    said = {"segment_id": uid, "subject": subject, "relation": joint, "object": thing}
    return KEY | {"relation_id": key, "role": roles.get(joint, "other"), **said} | more


def box(uid: str | None, name: str, at: float, number: int = 0, **more: Any) -> dict:
    place = {"x_min": 0.1, "y_min": 0.2, "x_max": 0.3, "y_max": 0.4, "image_space": "upright"}
    key = f"{uid}|{name}|{at}|{number}"
    return KEY | {"box_id": key, "segment_id": uid, "class_name": name, "t_s": at} | place | more


def graph(
    segments: Iterable[dict],
    relations: Iterable[dict],
    boxes: Iterable[dict] = (),
    states: Iterable[dict] = (),
    labels: Iterable[dict] = (),
    tracks: Iterable[dict] = (),
    rules: StateRules = RULES,
    **recording: Any,
) -> Graph:
    said = {
        "recordings": [KEY | {"duration_s": 60.0} | recording],
        "segments": segments,
        "relations": relations,
        "labels": labels,
        "boxes": boxes,
        "object_states": states,
        "tracks": tracks,
    }
    tables = {name: TABLES[name].frame(rows) for name, rows in said.items()}
    made = make_graph("it", "r", tables, rules)
    # What the tables' contracts say, references included.
    nodes = TABLES["graph_nodes"].frame(made.nodes)
    edges = TABLES["graph_edges"].frame(made.edges)
    assert check(TABLES["graph_nodes"], nodes, {}).refused == []
    assert (
        check(TABLES["graph_edges"], edges, {"graph_nodes.node_id": nodes["node_id"]}).refused == []
    )
    assert edges["from_node"].is_in(nodes["node_id"].implode()).all()
    assert edges["to_node"].is_in(nodes["node_id"].implode()).all()
    return made


def edges(made: Graph, *names: str) -> list[tuple]:
    short = {n["node_id"]: n["name"] for n in made.nodes}
    return sorted(
        (short[e["from_node"]], e["relation"], short[e["to_node"]], *(e.get(n) for n in names))
        for e in made.edges
    )  # fmt: skip


TAKE = [
    relation("g1", "Camera wearer", "verb", "pick_up"),
    relation("g1", "pick_up", "direct object", "Cup", hand_side="left"),
    relation("g1", "pick_up", "with", "left hand", role="hand", hand_side="left"),
    relation("g1", "pick_up", "from", "table", role="source"),
]


def test_who_does_what_to_what_with_which_hand() -> None:
    made = graph([segment("g1", 2, 4)], TAKE)
    assert edges(made, "role", "hand_side", "start_s", "end_s") == [
        ("camera wearer", "does", "pick up", None, None, 2, 4),
        ("cup", "located", "table", "source", None, 2, 2),
        ("left hand", "holds", "cup", "direct", "left", 2, 4),
        ("pick up", "acts_on", "cup", "direct", "left", 2, 4),
        ("pick up", "from", "table", "source", None, 2, 4),
        ("pick up", "with", "left hand", "hand", "left", 2, 4),
    ]
    kinds = {(n["name"], n["kind"]) for n in made.nodes}
    assert kinds == {
        ("camera wearer", "person"),
        ("pick up", "action"),
        ("cup", "object"),
        ("table", "object"),
        ("left hand", "hand"),
    }
    assert all(
        e["source_table"] == "relations" and e["source_row"].startswith("g1|") for e in made.edges
    )


def test_a_side_without_a_hand_of_its_own() -> None:
    rows = [
        relation("g1", "P1", "verb", "get", actor_id="P1"),
        relation("g1", "get", "direct object", "cup", hand_side="right", actor_id="P1"),
    ]
    assert ("right hand", "holds", "cup", "right") in edges(
        graph([segment("g1", 0, 1)], rows), "hand_side"
    )


def test_a_hand_whose_side_nobody_says() -> None:
    rows = [*door("g1", "put", "cup"), relation("g1", "put", "using", "hand", role="hand")]
    made = graph([segment("g1", 0, 1)], rows)
    assert ("hand", "holds", "cup") in edges(made)
    assert [(n["kind"], n["hand_side"]) for n in made.nodes if n["name"] == "hand"] == [
        ("hand", None)
    ]


def test_tools_are_acted_on_in_their_role() -> None:
    rows = [
        relation("g1", "main surgeon", "verb", "cut"),
        relation("g1", "cut", "with", "scissors", role="tool"),
        relation("g1", "cut", "direct object", "cystic_duct"),
    ]
    assert edges(graph([segment("g1", 0, 1)], rows), "role") == [
        ("cut", "acts_on", "cystic duct", "direct"),
        ("cut", "acts_on", "scissors", "tool"),
        ("main surgeon", "does", "cut", None),
    ]


def door(uid: str, verb: str, thing: str = "fridge") -> list[dict]:
    return [
        relation(uid, "Camera wearer", "verb", verb),
        relation(uid, verb, "direct object", thing),
    ]


def test_states_hold_until_the_next_of_their_kind() -> None:
    segments = [segment("g1", 2, 4), segment("g2", 10, 11), segment("g3", 5, 6)]
    made = graph(
        segments, [*door("g1", "open"), *door("g2", "shut-down"), *door("g3", "open", "jar")]
    )
    acts = {e["edge_id"]: e["segment_id"] for e in made.edges if e["relation"] == "acts_on"}
    held = [
        (*edge[:3], *edge[3:5], acts[edge[5]])
        for edge in edges(made, "start_s", "end_s", "caused_by")
        if edge[1] == "has_state"
    ]
    assert held == [
        ("fridge", "has_state", "closed", 11, 60, "g2"),
        ("fridge", "has_state", "open", 4, 11, "g1"),
        ("jar", "has_state", "open", 6, 60, "g3"),
    ]


def test_an_action_causes_the_state_it_changes_and_no_other() -> None:
    spans = {"g1": (2, 4), "g2": (5, 6), "g3": (10, 11), "g4": (20, 21)}
    verbs = {"g1": "open", "g2": "open", "g3": "touch", "g4": "shut-down"}
    made = graph(
        [segment(uid, *span) for uid, span in spans.items()],
        [row for uid, verb in verbs.items() for row in door(uid, verb)],
    )
    causes = [edge for edge in made.edges if edge["relation"] == "causes"]
    acts = {edge["edge_id"]: edge for edge in made.edges if edge["relation"] == "acts_on"}
    assert edges(Graph(made.nodes, causes), "segment_id", "start_s", "end_s") == [
        ("open", "causes", "open", "g1", 2, 4),
        ("shut down", "causes", "closed", "g4", 20, 21),
    ]
    held = {e["source_row"]: e for e in made.edges if e["relation"] == "has_state"}
    for edge in causes:
        assert acts[edge["caused_by"]]["from_node"] == edge["from_node"]
        # The state that begins names the same action and the same row.
        state = held[edge["source_row"]]
        assert (state["caused_by"], state["to_node"]) == (edge["caused_by"], edge["to_node"])
    # What is open already is not opened by being opened.
    assert [e["source_row"] for e in held.values() if e["caused_by"] is None] == [
        "g2|open|direct object|fridge"
    ]


def pours(**more: Any) -> list[dict]:
    return [
        relation("g1", "Camera wearer", "verb", "pour"),
        relation("g1", "pour", "direct object", "bottle"),
        relation("g1", "pour", "into", "fridge", role="target") | more,
    ]


@pytest.mark.parametrize(
    ("relations", "states", "expected"),
    [
        pytest.param(pours(), [("lid", "open", 11)], ["pour"], id="a container is filled"),
        pytest.param(
            pours(relation="near"), [("lid", "open", 11)], [], id="what is near is not filled"
        ),
        pytest.param(pours(), [("lid", "open", 9)], [], id="an action does not cause what was before"),
        pytest.param(pours(), [("lid", "open", 10)], [], id="nor what was so when it began"),
        pytest.param(pours(), [("lid", "open", 15)], [], id="it merely precedes what comes later"),
        pytest.param(
            [*door("g1", "open"), *door("g2", "open")], [("lid", "open", 11)], [],
            id="of two actions at once nothing tells",
        ),
        pytest.param(
            door("g1", "lift"), [("lid", "closed", 1), ("lid", "open", 11)], ["lift"],
            id="the only action, whose verb leaves nothing",
        ),
        pytest.param(door("g1", "lift"), [("lid", "open", 11)], [], id="perhaps it was so before"),
        pytest.param(
            door("g1", "take"), [("lid", "closed", 1), ("lid", "open", 11)], [],
            id="what is taken is not opened by that",
        ),
        pytest.param(
            door("g1", "take"), [("light", "dim", 1), ("light", "bright", 11)], ["take"],
            id="no verb is known to leave this state",
        ),
    ],
)  # fmt: skip
def test_what_causes_an_annotated_state(
    relations: list[dict], states: list[tuple[str, str, float]], expected: list[str]
) -> None:
    rules = read_rules(
        '[opening.open]\nverbs = ["open"]\nannotated = ["lid=open"]\ncontainers = ["pour"]\n'
        '[opening.closed]\nverbs = ["close"]\nannotated = ["lid=closed"]\n'
        '[holding.held]\nverbs = ["take"]\n'
    )
    segments = [segment("g1", 10, 12), segment("g2", 10, 12)]
    rows = [state(n, a, v, **over(at, at + 0.5)) for n, (a, v, at) in enumerate(states)]
    made = graph(segments, relations, states=rows, rules=rules)
    assert [
        one
        for one, relation, *_, table in edges(made, "source_table")
        if relation == "causes" and table == "object_states"
    ] == expected


@pytest.mark.parametrize(
    ("verb", "joint", "role", "function"),
    [
        ("cut", "direct object", "direct", "target"),
        ("cut", "with", "tool", "tool"),
        ("wipe", "using", "other", "tool"),
        ("pour", "into", "target", "container"),
        ("wash", "in", "container", "container"),
        ("put", "on", "location", None),
        ("take", "from", "source", None),
        # Flour is mixed with water, a pan covered with a lid: nothing tells a tool from the rest.
        ("mix", "with", "tool", None),
        ("Cover-up", "with", "tool", None),
        ("look", "in", "container", None),
    ],
)
def test_what_a_thing_is_used_for(verb: str, joint: str, role: str, function: str | None) -> None:
    rows = [
        relation("g1", "Camera wearer", "verb", verb),
        relation("g1", verb, joint, "Thing", role=role),
        relation("g1", verb, "with", "left hand", role="hand"),
    ]
    made = graph([segment("g1", 0, 1)], rows)
    names = {node["node_id"]: node["name"] for node in made.nodes}
    found = {names[e["to_node"]]: e.get("function") for e in made.edges if e["relation"] != "holds"}
    assert found["thing"] == function
    assert found["left hand"] is None


def state(number: int, attribute: str, value: str, **more: Any) -> dict:
    said = {"object": "fridge", "attribute": attribute, "value": value}
    return KEY | {"state_id": f"s{number}", "source_file": "f", "source_key": "k"} | said | more


def over(start: float, end: float) -> dict:
    return {"start_s": start, "end_s": end}


def at(segment_id: str, moment: str) -> dict:
    return {"segment_id": segment_id, "moment": moment}


# The wearer opens the fridge from 10 to 12 s and closes it from 20 to 22 s; the recording has 60 s.
VERBS = [("open", 12, 22, "s: g1", "g1"), ("closed", 22, 60, "s: g2", "g2")]


@pytest.mark.parametrize(
    ("read", "opens"),
    [
        ({}, True),
        ({"open": "done"}, True),
        ({"open": "attempted"}, False),
        ({"open": "negated"}, False),
        ({"try": "done", "open": "about_to"}, False),
        # The annotation has another word for it, and nothing was done.
        ({"unscrew": "stopped"}, False),
        ({"unscrew": "stopped", "shake": "done"}, True),
    ],
)
def test_what_was_not_done_leaves_no_state(read: dict[str, str], opens: bool) -> None:
    labels = [
        {"segment_id": "g", "kind": "verb", "lemma": lemma, "status": status}
        for lemma, status in read.items()
    ]
    made = graph(
        [segment("g", 1, 2)],
        [relation("g", "wearer", "verb", "open"), relation("g", "open", "direct object", "jar")],
        labels=labels,
    )
    assert [edge["relation"] for edge in made.edges].count("has_state") == opens
    assert "acts_on" in [edge["relation"] for edge in made.edges]


@pytest.mark.parametrize(
    ("states", "expected"),
    [
        pytest.param([], VERBS, id="verbs alone"),
        pytest.param(
            [state(1, "Lid", "closed", **over(0, 11)), state(2, "lid", "open", **over(11, 21))],
            [("closed", 0, 11, "s1", None), ("open", 11, 21, "s2", "g1"), VERBS[1]],
            id="what is annotated replaces what its own span covers",
        ),
        pytest.param(
            [state(1, "lid", "closed", **at("g1", "after"))],
            [("closed", 12, 22, "s1", None), ("closed", 22, 60, "s: g2", None)],
            id="the annotator contradicts the verb of the segment",
        ),
        pytest.param(
            [state(1, "lid", "closed", **at("g1", "before"))],
            [("closed", 0, 10, "s1", None), *VERBS],
            id="before reaches back to the start",
        ),
        pytest.param(
            [state(1, "lid", "open", **at("g2", "before"))],
            [("open", 12, 20, "s: g1", "g1"), ("open", 12, 20, "s1", None), VERBS[1]],
            id="before reaches back to an equal state",
        ),
        pytest.param(
            [state(1, "lid", "closed", **at("g2", "before"))],
            [("open", 12, 20, "s: g1", "g1"), ("closed", 20, 20, "s1", None),
             ("closed", 22, 60, "s: g2", None)],
            id="before does not overrule another state that lasts",
        ),
        pytest.param(
            [state(1, "lid", "open", **over(11.5, 11.8)), state(2, "lid", "closed", **over(15, 16))],
            [("open", 11.5, 11.8, "s1", "g1"), ("open", 12, 15, "s: g1", None),
             ("closed", 15, 16, "s2", None), ("closed", 22, 60, "s: g2", None)],
            id="an interval ends what a verb left, and lasts as long as it says",
        ),
        pytest.param(
            [state(1, "light", "dim", **at("g1", "before")),
             state(2, "light", "bright", **at("g1", "after"))],
            [("light: dim", 0, 10, "s1", None), *VERBS, ("light: bright", 12, 60, "s2", "g1")],
            id="an attribute of its own, changed by the action",
        ),
        pytest.param(
            [state(1, "humming", "yes", **at("g1", "during")), state(2, "warm", "no", **over(1, 2)),
             state(3, "edible", "N/A", **over(1, 2)), state(4, "edible", "unknow", **over(1, 2))],
            [("not warm", 1, 2, "s2", None), ("humming", 10, 12, "s1", None), *VERBS],
            id="yes, no and what is not known",
        ),
        pytest.param(
            [state(1, "on", "floor", **at("g1", "after")), state(2, "in", "kitchen", **at("g1", "after")),
             state(3, "on", "cart", **at("g2", "after"))],
            [*VERBS, ("on floor", 12, 22, "s1", None), ("in kitchen", 12, 22, "s2", None),
             ("on cart", 22, 60, "s3", "g2")],
            id="several places at once",
        ),
        pytest.param(
            [state(1, "lid", "open", **at("gone", "before"), **over(15, 15))],
            [("open", 12, 15, "s: g1", "g1"), ("open", 12, 15, "s1", None), VERBS[1]],
            id="a moment with a time and no segment",
        ),
    ],
)  # fmt: skip
def test_annotated_states_and_those_of_verbs(states: list[dict], expected: list[tuple]) -> None:
    segments = [segment("g1", 10, 12), segment("g2", 20, 22)]
    made = graph(segments, [*door("g1", "open"), *door("g2", "close")], states=states)
    names = {n["node_id"]: n["name"] for n in made.nodes}
    acts = {e["edge_id"]: e["segment_id"] for e in made.edges if e["relation"] == "acts_on"}
    found = []
    for edge in made.edges:
        if edge["relation"] == "has_state":
            assert names[edge["from_node"]] == "fridge"
            is_verb = edge["source_table"] == "relations"
            assert is_verb or edge["source_table"] == "object_states"
            row = f"s: {edge['segment_id']}" if is_verb else edge["source_row"]
            cause = acts.get(edge["caused_by"] or "")
            found.append((names[edge["to_node"]], edge["start_s"], edge["end_s"], row, cause))
    assert sorted(found, key=str) == sorted(expected, key=str)
    assert made.refused == []
    # A state is not participation: spans of the thing are those of its actions.
    (fridge,) = [n for n in made.nodes if n["name"] == "fridge"]
    assert fridge["spans"] == [over(10, 12), over(20, 22)]


def test_a_state_of_a_thing_that_nothing_else_tells_of() -> None:
    made = graph([], [], states=[state(1, "lid", "open", object="Tea-Box", **over(1, 2))])
    assert edges(made, "source_row") == [("tea box", "has_state", "open", "s1")]
    assert {n["source_table"] for n in made.nodes} == {"object_states"}
    assert next(n for n in made.nodes if n["kind"] == "object")["spans"] == []


def test_a_state_without_a_time_is_refused() -> None:
    made = graph([], [], states=[state(1, "lid", "open", **at("gone", "after"))])
    assert (made.nodes, made.edges) == ([], [])
    assert [one["rule"] for one in made.refused] == ["state_without_time"]


def test_states_find_their_thing_by_instance_or_by_its_only_name() -> None:
    segments = [segment("g1", 0, 1), segment("g2", 2, 3), segment("g3", 4, 5)]
    rows = [*door("g1", "open", "cup"), *door("g2", "open", "jar:0"), *door("g3", "open", "jar:1")]
    boxes = [box("g1", "cup", 0.5, object_id="cup_7")]
    states = [
        state(1, "colour", "red", object="cup", object_id="cup_7", **over(0, 9)),
        state(2, "colour", "blue", object="cup", **over(0, 9)),
        state(3, "colour", "green", object="jar:1", **over(0, 9)),
        state(4, "colour", "grey", object="jar", object_id="jar:9", **over(0, 9)),
    ]
    made = graph(segments, rows, boxes, states)
    instance = {n["node_id"]: n["instance"] for n in made.nodes}
    name = {n["node_id"]: n["name"] for n in made.nodes}
    assert {
        (name[e["to_node"]], instance[e["from_node"]])
        for e in made.edges
        if e["source_table"] == "object_states"
    } == {
        ("colour: red", "cup_7"), ("colour: blue", "cup_7"),
        ("colour: green", "jar:1"), ("colour: grey", "jar:9"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("recording", "subject", "actor", "expected"),
    [
        ({"view": "ego", "person_id": "P1"}, "P1", "P1", "camera wearer"),
        ({"view": "ego", "person_id": "P1"}, "Ada", "P1", "camera wearer"),
        ({"view": "ego", "person_id": "P1"}, "P2", "P2", "p2"),
        ({"view": "exo", "person_id": "P1"}, "P1", "P1", "p1"),
        ({"view": "ego"}, "P1", "P1", "p1"),
        ({"view": "ego"}, "Camera wearer", None, "camera wearer"),
    ],
)
def test_the_wearer_is_the_person_of_an_ego_recording(
    recording: dict, subject: str, actor: str | None, expected: str
) -> None:
    rows = [relation("g1", subject, "verb", "open", actor_id=actor)]
    made = graph([segment("g1", 0, 1)], rows, **recording)
    assert [n["name"] for n in made.nodes if n["kind"] == "person"] == [expected]


def test_what_is_only_boxed_is_a_node() -> None:
    rows = [relation("g1", "Ada", "verb", "see", actor_id="P1"), *door("g1", "see")[1:]]
    boxes = [
        box("g1", "fridge", 0.5),
        box("g1", "shelf", 0.5, object_id="shelf"),
        box("g1", "person", 0.6, person_id="P1"),
        box("g1", "Bo", 0.6, person_id="P2"),
        box(None, "person", 2.0, person_id="P3", track_id="t"),
        box("g1", "left hand", 0.6, person_id="P2", hand_side="left"),
    ]
    made = graph([segment("g1", 0, 1)], rows, boxes)
    found = {(n["kind"], n["name"], n["instance"], len(n["boxes"])) for n in made.nodes}
    assert found == {
        ("action", "see", "g1", 0),
        ("object", "fridge", None, 1),
        ("object", "shelf", "shelf", 1),
        ("person", "ada", "P1", 1),
        ("person", "bo", "P2", 1),
        ("person", "p3", "P3", 1),
        ("hand", "left hand", None, 1),
    }


def test_twins_stay_apart_where_the_source_numbers_them() -> None:
    segments = [segment("g1", 0, 1), segment("g2", 2, 3)]
    rows = [*door("g1", "take", "cup:0"), *door("g2", "take", "cup:1")]
    boxes = [box("g1", "cup", 0.5, object_id="cup:0"), box("g1", "cup", 0.6, object_id="cup:1")]
    cups = [n for n in graph(segments, rows, boxes).nodes if n["kind"] == "object"]
    assert [(n["name"], n["instance"], [b["t_s"] for b in n["boxes"]]) for n in cups] == [
        ("cup", "cup:0", [0.5]),
        ("cup", "cup:1", []),
    ]


def test_an_instance_is_known_by_the_only_box() -> None:
    boxes = [box("g1", "cup", 0.5, object_id="17"), box("g1", "cup", 0.7, object_id="17")]
    made = graph([segment("g1", 0, 1)], door("g1", "take", "cup"), boxes)
    cup = next(n for n in made.nodes if n["kind"] == "object")
    assert (cup["instance"], len(cup["boxes"])) == ("17", 2)


def test_spans_that_touch_are_one() -> None:
    segments = [segment("g1", 0, 2), segment("g2", 2, 3), segment("g3", 5, 6)]
    made = graph(segments, [row for uid in ("g1", "g2", "g3") for row in door(uid, "take", "cup")])
    cup = next(n for n in made.nodes if n["kind"] == "object")
    assert cup["spans"] == [{"start_s": 0, "end_s": 3}, {"start_s": 5, "end_s": 6}]


def test_tracks_that_no_segment_owns() -> None:
    times = [0, 1, 2, 6, 7]
    boxes = [box(None, "grasper", t, n, track_id="4") for n, t in enumerate(times)]
    node = graph([], [], boxes).nodes[0]
    assert (node["kind"], node["name"], node["instance"]) == ("object", "grasper", "4")
    assert node["spans"] == [{"start_s": 0, "end_s": 2}, {"start_s": 6, "end_s": 7}]


def narrated(*sentences: str, **recording: Any) -> Graph:
    """The graph of narrations of a wearer's recording that has no relations, 10 s apart."""
    segments = [segment(str(n), 10.0 * n, 10.0 * n + 2) for n in range(len(sentences))]
    rows = labels_of({str(n): told for n, told in enumerate(sentences)}, "r").to_dicts()
    rows = [row | {"source": "it"} for row in rows]
    return graph(segments, [], labels=rows, **{"view": "ego", **recording})


def test_a_parsed_narration_tells_who_does_what_with_what_to_whom() -> None:
    made = narrated("C gives the cup to the man and opens the door.")
    assert edges(made, "role") == [
        ("camera wearer", "does", "give", None),
        ("camera wearer", "does", "open", None),
        ("door", "has_state", "open", None),
        ("give", "acts_on", "cup", "direct"),
        ("give", "to", "man", "recipient"),
        ("open", "acts_on", "door", "direct"),
        ("open", "causes", "open", None),
    ]
    assert {n["name"]: n["kind"] for n in made.nodes}["man"] == "person"


def test_what_a_narration_tells_names_the_row_of_labels_that_it_comes_from() -> None:
    narration = "C cuts the bread with a knife in the right hand."
    made = narrated(narration)
    names = {node["node_id"]: node["name"] for node in made.nodes}
    rows = {(names[e["from_node"]], names[e["to_node"]]): e["source_row"] for e in made.edges}
    verb = f"0|open|0|verb|{narration.index('cuts')}|cut"
    knife = f"0|open|0|noun|{narration.index('knife')}|knife"
    assert rows["camera wearer", "cut"] == verb
    assert rows["cut", "right hand"] == verb
    assert rows["cut", "bread"] == f"0|open|0|noun|{narration.index('bread')}|bread"
    assert rows["cut", "knife"] == knife
    assert {e["source_table"] for e in made.edges} == {"labels"}
    assert {n["source_row"] for n in made.nodes if n["kind"] == "action"} == {verb}


def test_places_and_tools_of_a_narration_keep_its_prepositions() -> None:
    made = narrated("C pours oil from the bottle into the pan with a spoon.")
    assert edges(made, "role") == [
        ("camera wearer", "does", "pour", None),
        ("pour", "acts_on", "oil", "direct"),
        ("pour", "acts_on", "spoon", "tool"),
        ("pour", "from", "bottle", "source"),
        ("pour", "into", "pan", "target"),
    ]


def test_each_hand_of_a_narration_holds_its_own_thing() -> None:
    made = narrated(
        "C opens the box with his right gloved hand and lifts the lid with the left hand."
    )
    assert [edge for edge in edges(made, "hand_side") if edge[1] in ("holds", "with", "does")] == [
        ("camera wearer", "does", "lift", "left"),
        ("camera wearer", "does", "open", "right"),
        ("left hand", "holds", "lid", "left"),
        ("lift", "with", "left hand", "left"),
        ("open", "with", "right hand", "right"),
        ("right hand", "holds", "box", "right"),
    ]


@pytest.mark.parametrize(
    "sentence",
    [
        "C does not open the box.",
        "C fails to pick up the cup.",
        "C stops cutting the carrot.",
        "C is about to open the fridge.",
    ],
)
def test_what_a_narration_says_was_not_done_makes_no_edge(sentence: str) -> None:
    made = narrated(sentence)
    assert (made.nodes, made.edges) == ([], [])


def test_a_verb_said_twice_is_two_actions() -> None:
    made = narrated("C cuts the onion with the left hand and cuts the carrot with the right hand.")
    holds = [edge[:3] for edge in edges(made) if edge[1] == "holds"]
    assert holds == [("left hand", "holds", "onion"), ("right hand", "holds", "carrot")]


def test_who_acts_in_a_narration_is_who_it_names() -> None:
    made = narrated("The man closes the box.", "The lid opens.", "C takes the cup.")
    assert [edge[:3] for edge in edges(made) if edge[1] in ("does", "has_state")] == [
        ("box", "has_state", "closed"),
        ("camera wearer", "does", "take"),
        ("lid", "has_state", "open"),
        ("man", "does", "close"),
    ]
    seen = narrated("Takes the cup.", view="exo")
    assert ("person", "does", "take") in edges(seen)


def test_relations_and_vocabularies_go_before_narrations() -> None:
    rows = labels_of({"g1": "C opens the door."}, "r").to_dicts()
    rows = [row | {"source": "it"} for row in rows]
    with_relations = graph([segment("g1", 2, 4)], TAKE, labels=rows, view="ego")
    assert {e["source_table"] for e in with_relations.edges} == {"relations"}
    classed = [row | {"reader": "vocabulary", "class_id": 1} for row in rows]
    both = graph([segment("g1", 2, 4)], [], labels=[*rows, *classed], view="ego")
    assert both.edges == []


def test_ids_do_not_depend_on_the_order_of_rows() -> None:
    segments = [segment("g1", 2, 4), segment("g2", 10, 11)]
    rows = [*TAKE, *door("g2", "open")]
    one, two = graph(segments, rows), graph(segments[::-1], rows[::-1])
    assert (one.nodes, one.edges) == (two.nodes, two.edges)


def test_the_file_of_rules_is_whole() -> None:
    rules = load_rules().states
    assert rules["cut"] == ("wholeness", "cut")
    assert rules["turn off"] == ("power", "off")
    assert all(verb == verb.lower() and "-" not in verb and "_" not in verb for verb in rules)


def test_a_verb_leaves_one_state() -> None:
    with pytest.raises(ValueError, match="leaves"):
        read_rules('[a.x]\nverbs = ["do"]\n[b.y]\nverbs = ["do"]\n')
    with pytest.raises(ValueError, match="means"):
        read_rules(
            '[a.x]\nverbs = []\nannotated = ["lid=up"]\n[b.y]\nverbs = []\nannotated = ["lid=up"]\n'
        )


def test_nothing_gives_nothing() -> None:
    made = graph([], [])
    assert (made.nodes, made.edges) == ([], [])
    assert isinstance(TABLES["graph_nodes"].frame(made.nodes), pl.DataFrame)

"""Causes of states, from a scene graph small enough to work out by hand."""

from __future__ import annotations

from collections import Counter

import polars as pl
import pytest

from assets.questions.egocot.local_cause_outcome_inference import BUILDER
from assets.questions.kit.funnel import counting
from tests.assets.questions.egocot.test_active_object_grounding import RIGHT, Graph
from tests.assets.questions.egocot.test_manipulation_state_perception import state

TIMES = {"a": (2.0, 3.0), "b": (4.0, 5.0), "c": (6.0, 7.0), "d": (8.5, 9.5)}


def cause(made: Graph, key: str, thing: str, name: str, span: tuple[float, float]) -> Graph:
    """Say that a deed causes a state of a thing."""
    state(made, thing, name, *span)
    by = next(e for e in made.edges if e["relation"] == "acts_on" and f".{key}" in e["edge_id"])
    made.edges[-1]["caused_by"] = by["edge_id"]
    made.edge(
        f"{key}.causes", by["from_node"], "causes", f"{made.uid}/state/{name}",
        (by["start_s"], span[0]), caused_by=by["edge_id"],
    )  # fmt: skip
    return made


def graph(uid: str = "R", opened: str = "b") -> Graph:
    """Four things are acted on in turn, of which one is a jar that is opened."""
    made = Graph(uid)
    for n, (key, span) in enumerate(TIMES.items()):
        verb, thing = (
            ("open", "jar") if key == opened else ("touch", f"{'one two red blue'.split()[n]} cup")
        )
        made.deed(key, verb, thing, *span, hand=RIGHT)
    return cause(made, opened, "jar", "open", (TIMES[opened][1], 60.0))


def test_the_cause_is_one_of_four_actions_in_turn() -> None:
    (row,) = BUILDER.make(graph().tables()).to_dicts()
    (medium,) = row["media"]
    assert (medium["start_s"], medium["end_s"], medium["sampling"]) == (0.0, 10.25, "endpoints")
    assert row["text"] == (
        "At 10.2 s, the last moment of the clip, the jar is open. Which action of the camera wearer caused"
        " this?"
    )
    assert {option["text"] for option in row["options"]} == {
        f"the action from {start:.1f} s to {end:.1f} s" for start, end in TIMES.values()
    }
    assert row["answer_text"] == "the action from 4.0 s to 5.0 s"
    texts = [step["text"] for step in row["rationale"]]
    assert texts[0] == (
        "From 4.0 s to 5.0 s of the clip, the camera wearer opens the jar with the right hand."
    )
    assert texts[1] == "From 5.0 s to 10.2 s of the clip, the jar is open."
    assert texts[-1] == "So the jar is open because of the action from 4.0 s to 5.0 s."
    assert len(texts) == 6
    roles = {e["role"]: e["key"] for e in row["evidence"]}
    assert roles["cause"] == "R.b.causes"
    assert roles["state_1"] == "R.jar.open.5"


def test_what_merely_precedes_is_no_cause() -> None:
    made = graph()
    made.edges = [e for e in made.edges if e["relation"] != "causes"]
    with counting() as refused:
        assert BUILDER.make(made.tables()).is_empty()
    assert refused["causes_a_state_with_an_opposite"] == 4


@pytest.mark.parametrize("last", ["a", "d"])
def test_the_cause_may_be_the_first_or_the_last(last: str) -> None:
    (row,) = BUILDER.make(graph(opened=last).tables()).to_dicts()
    start, end = TIMES[last]
    assert row["answer_text"] == f"the action from {start:.1f} s to {end:.1f} s"


def test_each_place_is_right_equally_often() -> None:
    """Of eight actions in turn the fourth may be the first to the fourth of four."""
    made = []
    for i in range(8):
        one = Graph(f"R{i}")
        for n in range(8):
            name = "jar" if n == 3 else f"{'one two red jar blue big small old'.split()[n]} cup"
            verb = "open" if n == 3 else "touch"
            one.deed(f"k{n}", verb, name, 2.0 + 2 * n, 3.0 + 2 * n)
        made.append(cause(one, "k3", "jar", "open", (9.0, 60.0)).tables())
    rows = BUILDER.make({name: pl.concat([t[name] for t in made]) for name in made[0]})
    places: Counter[int] = Counter()
    for row in rows.iter_rows(named=True):
        starts = sorted(float(o["text"].split()[3]) for o in row["options"])
        places[starts.index(float(row["answer_text"].split()[3]))] += 1
    assert sorted(places.values()) == [2, 2, 2, 2]


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda g: g.deed("e", "wash", "jar", 7.2, 8.2), id="the jar is used again"),
        pytest.param(lambda g: g.deed("e", "wash", "pan", 4.5, 5.5), id="two at once"),
        pytest.param(lambda g: g.node("R/object/jar 2", "object", "jar"), id="two jars"),
        pytest.param(lambda g: g.nodes["R/state/open"].update(name="peeled"), id="no opposite"),
        pytest.param(lambda g: g.edges[-2].update(end_s=10.0), id="the state ends"),
    ],
)
def test_what_cannot_be_told_is_not_asked(spoil) -> None:
    made = graph()
    spoil(made)
    assert BUILDER.make(made.tables()).is_empty()


@pytest.mark.parametrize("other", ["peeled", "full"])
def test_of_two_states_that_an_action_causes_one_is_asked_about(other: str) -> None:
    made = cause(graph(), "b", "jar", other, (5.0, 60.0))
    for n, edge in enumerate(e for e in made.edges if e["relation"] == "causes"):
        edge["edge_id"] = f"R.cause.{n}"
    (row,) = BUILDER.make(made.tables()).to_dicts()
    (link,) = (e["key"] for e in row["evidence"] if e["role"] == "cause")
    (state_edge,) = (e["key"] for e in row["evidence"] if e["role"] == "state_1")
    ends = {e["edge_id"]: e["to_node"] for e in made.edges}
    assert ends[link] == ends[state_edge]
    assert ends[link].rpartition("/")[2] in row["text"]


def test_order_of_rows_does_not_matter() -> None:
    tables = graph().tables()
    assert BUILDER.make(tables).equals(BUILDER.make({n: t.reverse() for n, t in tables.items()}))

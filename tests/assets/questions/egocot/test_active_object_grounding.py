"""Active object grounding from a scene graph small enough to work out by hand."""

from __future__ import annotations

from collections import Counter
from typing import Any

import polars as pl
import pytest

from assets.questions.egocot.active_object_grounding import BUILDER
from assets.questions.kit.funnel import counting
from expectations.schemas import TABLES

make_questions = BUILDER.make

Rows = list[dict[str, Any]]

WEARER, RIGHT = "R/person/wearer", "R/hand/right"


class Graph:
    """A recording's graph, written deed by deed."""

    def __init__(self, uid: str = "R") -> None:
        self.uid = uid
        self.nodes: dict[str, dict[str, Any]] = {}
        self.edges: Rows = []
        self.boxes: Rows = []
        self.node(WEARER, "person", "Camera wearer")
        self.node(RIGHT, "hand", "right hand", hand_side="right")

    def node(self, node_id: str, kind: str, name: str, **more: Any) -> dict[str, Any]:
        return self.nodes.setdefault(
            node_id,
            {
                "source": "s",
                "recording_id": self.uid,
                "node_id": node_id,
                "kind": kind,
                "name": name,
                "spans": [],
                "boxes": [],
                "source_table": "relations",
                "source_row": node_id,
                **more,
            },
        )

    def edge(
        self, key: str, one: str, relation: str, other: str, span: tuple[float, float], **more: Any
    ) -> None:
        self.edges.append(
            {
                "source": "s",
                "recording_id": self.uid,
                "edge_id": f"{self.uid}.{key}",
                "from_node": one,
                "relation": relation,
                "to_node": other,
                "start_s": span[0],
                "end_s": span[1],
                "source_table": "relations",
                "source_row": key,
                **more,
            }
        )

    def deed(
        self,
        key: str,
        verb: str,
        thing: str,
        start_s: float,
        end_s: float,
        *,
        contact_s: float | None = None,
        hand: str | None = None,
        role: str = "direct",
        actor: str = WEARER,
    ) -> Graph:
        span = (start_s, end_s)
        action, obj = f"R/action/{key}", f"R/object/{thing}"
        self.node(action, "action", verb)
        node = self.node(obj, "object", thing)
        node["spans"].append({"start_s": start_s, "end_s": end_s})
        segment = {"segment_id": f"seg-{key}"}
        self.edge(f"{key}.does", actor, "does", action, span, **segment)
        self.edge(f"{key}.on", action, "acts_on", obj, span, role=role, **segment)
        if hand:
            self.edge(f"{key}.holds", hand, "holds", obj, span, hand_side="right", **segment)
        if contact_s is not None:
            box_id = f"box-{key}"
            corners = {"x_min": 0.4, "y_min": 0.5, "x_max": 0.6, "y_max": 0.75}
            node["boxes"].append({"t_s": contact_s, **corners, "box_id": box_id})
            self.boxes.append(
                {
                    "source": "s",
                    "recording_id": self.uid,
                    "box_id": box_id,
                    "segment_id": f"seg-{key}",
                    "moment": "contact",
                    "t_s": contact_s,
                }
            )
        return self

    def tables(self, **recording: Any) -> dict[str, pl.DataFrame]:
        return {
            "recordings": TABLES["recordings"].frame(
                [
                    {
                        "source": "s",
                        "recording_id": self.uid,
                        "view": "ego",
                        "split": "val",
                        "media": "present",
                        "media_hashes": ["hash"],
                        "duration_s": 100.0,
                        "licence": "free",
                        **recording,
                    }
                ]
            ),
            "graph_nodes": TABLES["graph_nodes"].frame(self.nodes.values()),
            "graph_edges": TABLES["graph_edges"].frame(self.edges),
            "boxes": TABLES["boxes"].frame(self.boxes),
        }


def kitchen() -> Graph:
    """Three things handled early, then an onion cut from 20 to 22 s."""
    return (
        Graph()
        .deed("a", "take", "plate", 13.0, 13.5)
        .deed("b", "open", "tap", 14.0, 14.5)
        .deed("c", "move", "pan", 15.0, 16.0)
        .deed("d", "cut", "onion", 20.0, 22.0, contact_s=20.5, hand=RIGHT)
    )


def of(made: pl.DataFrame, answer: str) -> list[dict[str, Any]]:
    return made.filter(pl.col("answer_text") == answer).to_dicts()


def test_the_question_is_what_the_graph_says() -> None:
    made = make_questions(kitchen().tables())
    assert made.schema == TABLES["questions"].schema
    (row,) = made.to_dicts()  # before the onion less than three other things were there
    assert row["text"] == (
        "At 8.0 s, the last moment of the clip, which object is the camera wearer acting on?"
    )
    (medium,) = row["media"]
    assert (medium["start_s"], medium["end_s"]) == (12.5, 20.5)
    assert medium["sampling"] == "endpoints"
    assert medium["overlays"] == []
    assert {o["text"] for o in row["options"]} == {"onion", "plate", "tap", "pan"}
    (answer,) = [o for o in row["options"] if o["is_answer"]]
    assert (answer["text"], answer["letter"]) == ("onion", row["answer"])
    assert {o["value"] for o in row["options"]} == {
        f"R/object/{name}" for name in ("onion", "plate", "tap", "pan")
    }
    assert (row["answer_text"], row["chance"], row["recording_id"]) == ("onion", 0.25, "R")


def test_every_action_that_is_not_asked_about_is_counted() -> None:
    graph = (
        kitchen()
        .deed("early", "take", "lid", 3.0, 4.0)
        .deed("body", "raise", "hand", 40.0, 41.0)
        .deed("two", "take", "bread", 60.0, 61.0)
        .deed("three", "take", "knife", 60.0, 61.0)
    )
    with counting() as refused:
        assert make_questions(graph.tables()).height == 1
    assert refused == {
        "clip_is_long_enough": 1,
        "object_is_a_thing": 1,
        "one_object_acted_on": 2,
        "three_others_left_alone": 3,
    }


def test_the_rationale_walks_from_hand_to_object() -> None:
    (row,) = make_questions(kitchen().tables()).to_dicts()
    others = [s["evidence"] for s in row["rationale"]][-1]
    assert [(s["step"], s["text"], s["evidence"]) for s in row["rationale"][:3]] == [
        (
            1,
            "At 8.0 s of the clip, the camera wearer is using the right hand.",
            ["graph_edges:R.d.holds"],
        ),
        (
            2,
            'The camera wearer\'s action is "cut": it began at 7.5 s and is still going on at 8.0 s.',
            ["graph_edges:R.d.does", "graph_nodes:R/action/d"],
        ),
        (
            3,
            "The action is performed on the onion, at [0.40, 0.50, 0.60, 0.75] in the picture.",
            ["graph_edges:R.d.on", "graph_nodes:R/object/onion"],
        ),
    ]
    last = row["rationale"][3]["text"]
    assert last.startswith("Within 2 s of that moment, nothing is done with the ")
    assert last.endswith(", so the active object is the onion.")
    assert sorted(others) == [f"graph_nodes:R/object/{n}" for n in ("pan", "plate", "tap")]
    assert row["detailed_answer"] == " ".join(s["text"] for s in row["rationale"])
    evidence = {(e["table"], e["key"], e["role"]) for e in row["evidence"]}
    assert evidence >= {
        ("graph_edges", "R.d.holds", "hand"),
        ("graph_edges", "R.d.does", "action"),
        ("graph_edges", "R.d.on", "answer"),
        ("boxes", "box-d", "answer"),
        ("segments", "seg-d", "answer"),
        ("graph_nodes", "R/object/onion", f"option_{row['answer']}"),
    }
    assert len(evidence) == 9


def test_hands_are_shown_with_their_boxes_and_left_out_where_unknown() -> None:
    graph = kitchen()
    box = {"t_s": 20.5, "x_min": 0.1, "y_min": 0.2, "x_max": 0.3, "y_max": 0.4, "box_id": "h"}
    graph.nodes[RIGHT]["boxes"].append(box)
    (row,) = make_questions(graph.tables()).to_dicts()
    assert row["rationale"][0]["text"] == (
        "At 8.0 s of the clip, the camera wearer is using the right hand, at [0.10, 0.20, 0.30, 0.40] in"
        " the picture."
    )
    graph.edges = [e for e in graph.edges if e["relation"] != "holds"]
    (row,) = make_questions(graph.tables()).to_dicts()
    assert [s["step"] for s in row["rationale"]] == [1, 2, 3]
    assert row["rationale"][0]["text"].startswith('The camera wearer\'s action is "cut"')


def test_both_hands_are_named_as_one_says() -> None:
    graph = kitchen()
    graph.nodes[RIGHT]["name"] = "both hands"
    (row,) = make_questions(graph.tables()).to_dicts()
    assert (
        row["rationale"][0]["text"]
        == "At 8.0 s of the clip, the camera wearer is using both hands."
    )


def test_a_hand_may_be_named_by_the_action() -> None:
    graph = kitchen()
    graph.edges = [e for e in graph.edges if e["relation"] != "holds"]
    graph.edge("d.with", "R/action/d", "acts_on", RIGHT, (20.0, 22.0), role="hand")
    (row,) = make_questions(graph.tables()).to_dicts()
    assert row["rationale"][0]["evidence"] == ["graph_edges:R.d.with"]


def test_without_a_box_of_the_contact_the_moment_is_the_middle() -> None:
    graph = kitchen()
    graph.boxes[0]["moment"] = "pre"
    (row,) = make_questions(graph.tables()).to_dicts()
    assert row["media"][0]["end_s"] == 21.0
    assert "[" not in row["detailed_answer"]


@pytest.mark.parametrize("shift_s", [0.0, 5.0, 12.0, 13.0])
def test_the_clip_is_the_shortest_that_holds_three_other_things(shift_s: float) -> None:
    """At 20.5 s + shift the things of 13, 14 and 15 s must be inside."""
    graph = (
        Graph()
        .deed("a", "take", "plate", 13.0, 13.5)
        .deed("b", "open", "tap", 14.0, 14.5)
        .deed("c", "move", "pan", 15.0, 16.0)
        .deed("d", "cut", "onion", 20.0 + shift_s, 22.0 + shift_s, contact_s=20.5 + shift_s)
    )
    (row,) = make_questions(graph.tables()).to_dicts()
    medium = row["media"][0]
    assert medium["end_s"] == 20.5 + shift_s
    assert medium["start_s"] == {0.0: 12.5, 5.0: 10.5, 12.0: 2.5, 13.0: 3.5}[shift_s]


def far() -> Graph:
    return (
        Graph()
        .deed("a", "take", "plate", 3.0, 3.5)
        .deed("b", "open", "tap", 14.0, 14.5)
        .deed("c", "move", "pan", 15.0, 16.0)
        .deed("d", "cut", "onion", 40.0, 41.0, contact_s=40.5)
    )


def test_things_of_the_half_minute_after_stand_in_where_the_clip_has_too_few() -> None:
    graph = far().deed("e", "wash", "cup", 70.0, 71.0).deed("f", "wash", "lid", 70.6, 71.0)
    (row,) = of(make_questions(graph.tables()), "onion")
    medium = row["media"][0]
    assert (medium["start_s"], medium["end_s"]) == (10.5, 40.5)
    assert {o["text"] for o in row["options"]} == {"onion", "tap", "pan", "cup"}


def early() -> Graph:
    return (
        Graph()
        .deed("a", "take", "plate", 1.0, 1.5)
        .deed("b", "open", "tap", 2.0, 2.5)
        .deed("c", "move", "pan", 3.0, 3.5)
        .deed("d", "cut", "onion", 7.0, 8.0, contact_s=7.5)
    )


REFUSED: dict[str, tuple[Graph, dict[str, Any]]] = {
    "two things acted on": (kitchen().deed("e", "hold", "bread", 20.0, 21.0), {}),
    "another thing half a second later": (kitchen().deed("e", "hold", "bread", 21.0, 22.0), {}),
    "too few things within 30 s": (far(), {}),
    "less than 8 s before": (early(), {}),
    "a distractor used as a tool then": (
        kitchen().deed("e", "cut", "pan", 20.0, 22.0, role="tool"),
        {},
    ),
    "a distractor used within 2 s before": (kitchen().deed("e", "close", "tap", 17.0, 18.5), {}),
    "a distractor used within 2 s after": (kitchen().deed("e", "close", "tap", 22.5, 23.0), {}),
    "after the end of the recording": (kitchen(), {"duration_s": 20.4}),
    "after the end of its video": (kitchen(), {"duration_s": None, "media_duration_s": 20.4}),
    "an observer's camera": (kitchen(), {"view": "exo"}),
}


@pytest.mark.parametrize(("graph", "recording"), REFUSED.values(), ids=REFUSED.keys())
def test_refused(graph: Graph, recording: dict[str, Any]) -> None:
    assert of(make_questions(graph.tables(**recording)), "onion") == []


ALLOWED = {
    "another thing later than half a second": kitchen().deed("e", "hold", "bread", 21.1, 22.0),
    "a distractor used more than 2 s before": kitchen().deed("e", "close", "tap", 17.0, 18.4),
    "a distractor used more than 2 s after": kitchen().deed("e", "close", "tap", 22.6, 23.0),
}


@pytest.mark.parametrize("graph", ALLOWED.values(), ids=ALLOWED.keys())
def test_just_allowed(graph: Graph) -> None:
    (row,) = of(make_questions(graph.tables()), "onion")
    assert "tap" in {o["text"] for o in row["options"]}


@pytest.mark.parametrize(
    "name", ["red onion", "Onion", "onion 2", "onion peel", "left hand", "fingers"]
)
def test_what_may_mean_the_answer_or_the_body_is_no_option(name: str) -> None:
    graph = kitchen()
    graph.nodes["R/object/pan"]["name"] = name
    assert of(make_questions(graph.tables()), "onion") == []


def test_what_is_never_acted_on_is_no_option() -> None:
    """A place on which things are only put is never an answer: who knows that needs no video."""
    graph = kitchen().deed("e", "put", "shelf", 15.5, 16.0, role="location")
    (row,) = of(make_questions(graph.tables()), "onion")
    assert {o["text"] for o in row["options"]} == {"onion", "plate", "tap", "pan"}
    # Nor is it where there are too few others.
    graph.nodes["R/object/pan"]["name"] = "red onion"
    assert of(make_questions(graph.tables()), "onion") == []


HANDLED = ("cup", "pan", "knife", "bread", "plate", "jar")
FIXTURES = ("stove", "tap", "drawer", "oven")


def busy(uid: str) -> Graph:
    """Six things handled three times as often as each of four fixtures, and a table in between."""
    graph = Graph(uid)
    things = (*HANDLED, *FIXTURES[:2], *HANDLED, *FIXTURES[2:], *HANDLED)
    for i, thing in enumerate(things * 2):
        start_s = 10.0 + 3.0 * i
        graph.deed(f"{i}", "use", thing, start_s, start_s + 0.5)
        graph.deed(f"{i}t", "put", "table", start_s, start_s + 0.5, role="location")
    return graph


def test_things_are_offered_as_often_as_they_are_right() -> None:
    """Who leaves out fixtures without looking gains nothing: one of four of them is right."""
    right, shown = Counter[str](), Counter[str]()
    for i in range(8):
        for row in make_questions(busy(f"R{i}").tables(duration_s=300.0)).iter_rows(named=True):
            right[row["answer_text"]] += 1
            shown.update(o["text"] for o in row["options"])
    assert set(shown) == {*HANDLED, *FIXTURES}
    share = {
        kind: sum(right[x] for x in names) / sum(shown[x] for x in names)
        for kind, names in (("handled", HANDLED), ("fixture", FIXTURES))
    }
    assert share == {
        "handled": pytest.approx(0.25, abs=0.03),
        "fixture": pytest.approx(0.25, abs=0.06),
    }


def test_a_state_is_not_a_use() -> None:
    graph = kitchen()
    graph.node("R/state/open", "state", "open")
    graph.edge("x", "R/object/tap", "has_state", "R/state/open", (14.5, 60.0))
    assert len(of(make_questions(graph.tables()), "onion")) == 1


def test_only_what_the_wearer_does_is_asked() -> None:
    graph = kitchen()
    graph.node("R/person/other", "person", "other person")
    graph.deed("e", "wash", "cup", 30.0, 31.0, actor="R/person/other")
    assert of(make_questions(graph.tables()), "cup") == []


def test_an_object_is_asked_again_only_after_two_seconds() -> None:
    graph = kitchen().deed("e", "peel", "onion", 21.5, 22.4, contact_s=22.4)
    assert len(of(make_questions(graph.tables()), "onion")) == 1
    graph = kitchen().deed("e", "peel", "onion", 22.0, 22.6, contact_s=22.5)
    assert len(of(make_questions(graph.tables()), "onion")) == 2


def test_order_of_rows_does_not_matter() -> None:
    graph = kitchen()
    for i, thing in enumerate(("cup", "bread", "knife", "lid", "jar")):
        graph.deed(f"e{i}", "take", thing, 26.0 + 4 * i, 27.0 + 4 * i, contact_s=26.5 + 4 * i)
    tables = graph.tables()
    made = make_questions(tables)
    assert made.height == 9
    assert made.equals(make_questions({n: t.reverse() for n, t in tables.items()}))


def test_a_new_recording_changes_no_question() -> None:
    one = kitchen().tables()
    other = {n: t.with_columns(recording_id=pl.lit("Q")) for n, t in kitchen().tables().items()}
    both = make_questions({n: pl.concat([one[n], other[n]]) for n in one})
    assert both.height == 2
    assert both.filter(pl.col("recording_id") == "R").equals(make_questions(one))


def test_it_reads_no_more_than_it_says() -> None:
    given = kitchen().tables()
    told = {
        name: given[name]
        if columns is None
        else TABLES[name].frame(given[name].select("source", *columns).to_dicts())
        for name, columns in BUILDER.reads.items()
    }
    assert make_questions(told).equals(make_questions(given))

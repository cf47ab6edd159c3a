"""Evidence rows as facts in the time of the clip."""

from __future__ import annotations

from typing import Any

import polars as pl

from assets.scores.grounding.facts import evidence_rows, facts
from assets.scores.grounding.matching import Facts

EDGES = [
    ("acts", "hand", "cup", 12.0, 14.0),
    ("does", "wearer", "take", 12.0, 14.0),
    ("is", "lid", "open", 5.0, 40.0),
    ("later", "hand", "pan", 25.0, 26.0),
    ("before", "hand", "knife", 2.0, 9.5),
]
HAND_BOXES = [
    {"t_s": t_s, "x_min": 0.5, "y_min": y_min, "x_max": 0.7, "y_max": 0.9}
    for t_s, y_min in ((9.0, 0.1), (13.0, 0.2), (21.0, 0.3))
]
NODES = [
    ("hand", "hand", "left hand", HAND_BOXES),
    ("wearer", "person", "camera wearer", None),
    ("take", "action", "take", None),
    ("open", "state", "open", None),
    *((name, "object", name, None) for name in ("cup", "lid", "pan", "knife", "spoon")),
]
ROWS = evidence_rows(
    {
        "graph_edges": pl.DataFrame(
            EDGES, schema=["edge_id", "from_node", "to_node", "start_s", "end_s"], orient="row"
        ),
        "graph_nodes": pl.DataFrame(
            NODES, schema=["node_id", "kind", "name", "boxes"], orient="row"
        ),
        "boxes": pl.DataFrame(
            [("b1", 0.1, 0.2, 0.3, 0.4), ("b2", None, None, None, None)],
            schema=["box_id", "x_min", "y_min", "x_max", "y_max"],
            orient="row",
        ),
        "segments": pl.DataFrame(
            [("step", 13.5, 30.0, "wipe_the-bench"), ("unnamed", 11.0, 11.5, None)],
            schema=["segment_id", "start_s", "end_s", "class_name"],
            orient="row",
        ),
    }
)


def question(
    *evidence: tuple[str, str], steps: tuple[str, ...] = (), **changes: Any
) -> dict[str, Any]:
    medium = {"recording_id": "r", "start_s": 10.0, "end_s": 20.0}
    return {
        "recording_id": "r",
        "text": "Who is it?",
        "media": [{"recording_id": "other", "start_s": 0.0, "end_s": 1.0}, medium],
        "evidence": [{"table": table, "key": key, "role": "x"} for table, key in evidence],
        "rationale": [{"step": 1, "text": "", "evidence": list(steps)}],
    } | changes


def test_spans_count_from_the_start_of_the_clip_and_stay_in_it() -> None:
    found = facts(
        question(*(("graph_edges", key) for key in ("acts", "does", "is", "later", "before"))), ROWS
    )
    # The same span twice is one; what lies outside the clip cannot be cited from it.
    assert found.spans == ((0.0, 10.0), (2.0, 4.0))


def test_things_are_named_by_edges_nodes_and_steps_and_hands_are_no_things() -> None:
    found = facts(
        question(
            ("graph_edges", "acts"),
            ("segments", "s"),
            steps=("graph_nodes:spoon", "graph_edges:is"),
        ),
        ROWS,
    )
    assert found.names == ("cup", "lid", "spoon")
    assert found.other_names == ("left hand", "open")


def test_steps_are_spans_and_their_names_are_no_things() -> None:
    found = facts(question(("segments", "step"), ("segments", "unnamed")), ROWS)
    assert found == Facts(spans=((1.0, 1.5), (3.5, 10.0)), other_names=("wipe the bench",))


def test_times_of_the_question_support_and_are_not_expected() -> None:
    asked = question(
        ("segments", "step"), text="At 9.5 s, the last moment of the 10 s clip, is it?"
    )
    assert facts(asked, ROWS).further_times == (9.5,)


def test_boxes_without_a_place_in_the_upright_picture_are_left_out() -> None:
    found = facts(question(("boxes", "b1"), ("boxes", "b2")), ROWS)
    assert found == Facts(boxes=((0.1, 0.2, 0.3, 0.4),))


def test_hands_and_things_of_the_evidence_are_also_seen_elsewhere_in_the_clip() -> None:
    found = facts(question(("graph_edges", "acts"), ("boxes", "b1")), ROWS)
    assert found.boxes == ((0.1, 0.2, 0.3, 0.4),)
    assert found.further_boxes == ((0.5, 0.2, 0.7, 0.9),)


def test_rows_that_are_gone_say_nothing() -> None:
    assert (
        facts(question(("graph_edges", "gone"), ("boxes", "gone"), ("graph_nodes", "gone")), ROWS)
        == Facts()
    )


def test_without_bounds_the_clip_is_the_recording() -> None:
    whole = question(
        ("graph_edges", "acts"), media=[{"recording_id": "r", "start_s": None, "end_s": None}]
    )
    assert facts(whole, ROWS).spans == ((12.0, 14.0),)

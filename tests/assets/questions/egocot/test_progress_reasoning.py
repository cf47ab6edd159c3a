"""How far two steps have come, from steps few enough to work out by hand."""

from __future__ import annotations

from collections import Counter
from typing import Any

import polars as pl
import pytest

from assets.questions.egocot.progress_reasoning import BUILDER
from assets.questions.kit.funnel import counting
from expectations.schemas import TABLES
from tests.assets.questions.egocot.test_active_object_grounding import Graph

Times = dict[str, tuple[float, float]]
# The four moments are 14, 16, 18 and 20 s: in the middle of a step or pause, or 2 s inside it.
STEPS: Times = {"Crack the egg": (12.0, 15.0), "Beat the egg": (17.0, 19.0), "Fry it": (21.0, 29.0)}
CRACK, BEAT = '"Crack the egg"', '"Beat the egg"'
MOMENTS = {
    f"{CRACK} is under way": 13.5,
    f"{CRACK} is completed and {BEAT} has not begun": 16.0,
    f"{BEAT} is under way": 18.0,
    f"{BEAT} is completed": 20.0,
}


def recipes(n: int = 1, steps: Times = STEPS, **more: Any) -> dict[str, pl.DataFrame]:
    """Steps of a recipe that no scene graph has, in some recordings."""
    tables = [Graph(f"R{i}").tables() for i in range(n)]
    made = {name: pl.concat([t[name] for t in tables]) for name in tables[0]}
    rows = [
        {
            "source": "s",
            "recording_id": f"R{i}",
            "segment_id": f"R{i}/{name}",
            "kind": "keystep",
            "start_s": start,
            "end_s": end,
            "class_name": name,
            **more,
        }
        for i in range(n)
        for name, (start, end) in steps.items()
    ]
    return made | {"segments": TABLES["segments"].frame(rows)}


def first_two(rows: pl.DataFrame) -> list[dict[str, Any]]:
    return [row for row in rows.to_dicts() if f"first {CRACK}" in row["text"]]


def test_each_of_four_moments_is_right_equally_often() -> None:
    rows = first_two(BUILDER.make(recipes(8)))
    assert {row["text"] for row in rows} == {
        f"Two steps follow each other: first {CRACK}, then {BEAT}. At 8.0 s, the last moment of the clip, how"
        " far has the camera wearer got with them?"
    }
    for row in rows:
        assert {option["text"] for option in row["options"]} == set(MOMENTS)
        (medium,) = row["media"]
        assert medium["end_s"] == MOMENTS[row["answer_text"]]
        assert medium["end_s"] - medium["start_s"] == 8.0
        assert medium["sampling"] == "endpoints"
    every = Counter([*MOMENTS].index(row["answer_text"].replace("Beat", "Beat")) for row in rows)
    assert len(every) == 4
    everything = BUILDER.make(recipes(8))
    under_way = everything.filter(pl.col("answer_text").str.ends_with("is under way")).height
    assert under_way * 2 == everything.height == 16


def test_the_rationale_tells_how_far_each_step_has_come() -> None:
    by_answer = {row["answer_text"]: row for row in first_two(BUILDER.make(recipes(8)))}
    texts = {
        answer: [step["text"] for step in row["rationale"]] for answer, row in by_answer.items()
    }
    during, between, _, after = MOMENTS
    assert texts[during] == [
        f"The step {CRACK} begins at 6.5 s of the clip and goes on for 1.5 s after the clip ends, so it is under way.",
        f"The step {BEAT} does not begin until 3.5 s after the clip ends.",
        f"So at 8.0 s {during}.",
    ]
    assert texts[between][0] == (
        f"The step {CRACK} lasts from 4.0 s to 7.0 s of the clip, so it is completed."
    )
    assert texts[after][1] == (
        f"The step {BEAT} lasts from 5.0 s to 7.0 s of the clip, so it is completed."
    )
    evidence = {e["role"]: e["key"].partition("/")[2] for e in by_answer[after]["evidence"]}
    assert evidence["step_1"] == "Crack the egg"
    assert evidence["step_2"] == "Beat the egg"


def test_steps_that_are_actions_name_them_and_those_of_others_are_none() -> None:
    tables = recipes(kind="action", step_order=1)
    graph = Graph("R0")
    for name, person in (("Crack the egg", "camera wearer"), ("Fry it", "P2")):
        graph.node(f"R0/{person}", "person", person)
        graph.node(f"R0/{name}", "action", name)
        segment = {"segment_id": f"R0/{name}"}
        graph.edge(name, f"R0/{person}", "does", f"R0/{name}", STEPS[name], **segment)
    graph.tables()
    made = graph.tables()
    tables |= {name: made[name] for name in ("graph_nodes", "graph_edges")}
    (row,) = BUILDER.make(tables).to_dicts()
    assert [e["key"] for e in row["evidence"] if e["role"] == "action_1"] == ["R0.Crack the egg"]
    assert not [e for e in row["evidence"] if e["role"] == "action_2"]


def test_actions_without_a_place_in_the_procedure_are_no_steps() -> None:
    tables = recipes(kind="action")
    assert BUILDER.make(tables).is_empty()
    (need,) = [n for n in BUILDER.needs if "segments" in n.reads]
    assert need.missing(tables) == "no keysteps, and no actions with a place in a procedure"


@pytest.mark.parametrize(
    ("changed", "rule"),
    [
        ({"Beat the egg": (15.5, 19.0)}, "no_step_at_the_same_time"),
        ({"Beat the egg": (17.0, 17.6)}, "no_step_at_the_same_time"),
        ({"Fry it": (19.5, 29.0)}, "no_step_at_the_same_time"),
        ({"Watch": (11.0, 13.0)}, "no_step_at_the_same_time"),
        ({"Beat the egg": (17.0, 45.0), "Fry it": (50.0, 60.0)}, "fits_in_a_clip"),
        ({"Crack the egg": (5.0, 8.0)}, "fits_in_a_clip"),
        ({"crack the egg": (6.0, 8.0)}, "steps_of_different_names"),
    ],
)
def test_what_cannot_be_told_is_not_asked(changed: Times, rule: str) -> None:
    with counting() as refused:
        assert first_two(BUILDER.make(recipes(steps=STEPS | changed))) == []
    assert refused[rule]


def test_order_of_rows_does_not_matter() -> None:
    tables = recipes(3)
    backwards = {name: rows.reverse() for name, rows in tables.items()}
    assert BUILDER.make(tables).equals(BUILDER.make(backwards))

"""Places at an earlier time of a clip, from a scene graph small enough to work out by hand."""

from __future__ import annotations

from collections import Counter

import pytest

from assets.questions.egocot.location_visibility_retrospection import BUILDER
from assets.questions.kit.funnel import counting
from tests.assets.questions.egocot.places import PLACES, located, moved, together
from tests.assets.questions.egocot.test_active_object_grounding import Graph

paper = BUILDER.under("paper").make


def asked(made: Graph) -> list[tuple[str, str]]:
    """The moment in seconds of the recording and the answer."""
    rows = paper(made.tables()).to_dicts()
    return sorted(
        (f"{row['media'][0]['start_s'] + float(row['text'].split()[5]):.2f}", row["answer_text"])
        for row in rows
    )


def test_the_moment_is_after_a_putting_or_before_a_taking_and_the_clip_goes_on() -> None:
    rows = {row["answer_text"]: row for row in paper(moved().tables()).iter_rows(named=True)}
    assert set(rows) == {"shelf", "table", "sink"}
    row = rows["table"]
    (medium,) = row["media"]
    assert (medium["start_s"], medium["end_s"], medium["sampling"]) == (3.75, 23.75, "endpoints")
    assert row["text"] == (
        "Look back to the moment 5.0 s into the clip. On, in or under which of these is the cup?"
    )
    assert {"table", "sink"} < {option["text"] for option in row["options"]} < {*PLACES, "jar"}
    assert [step["text"] for step in row["rationale"]] == [
        "From 3.2 s to 4.2 s of the clip, the camera wearer puts the cup somewhere with the right hand.",
        "From 4.2 s to 5.0 s of the clip, the cup is on the table.",
        "When the clip ends, at 20.0 s, the cup is on the sink.",
        "So at 5.0 s the cup is on the table.",
    ]
    assert row["rationale"][1]["evidence"] == ["graph_edges:R.cup.table.8"]
    assert row["rationale"][2]["evidence"] == ["graph_edges:R.cup.sink.23"]


def test_of_a_taking_the_first_moment_is_asked() -> None:
    rows = {row["answer_text"]: row for row in paper(moved().tables()).iter_rows(named=True)}
    row = rows["shelf"]
    assert row["media"][0]["start_s"] + float(row["text"].split()[5]) == pytest.approx(
        4.0, abs=0.051
    )
    texts = [step["text"] for step in row["rationale"]]
    assert texts[1].endswith(", when the cup is still at the shelf.")
    # A known end goes before an unknown one.
    assert "the cup is on the table" in texts[2]


def test_what_was_taken_and_not_put_down_is_gone() -> None:
    made = moved()
    made.edges = [
        e for e in made.edges if not e["edge_id"].startswith(("R.cup.sink", "R.e.", "R.c."))
    ]
    row = next(r for r in paper(made.tables()).to_dicts() if r["answer_text"] == "table")
    assert [step["text"] for step in row["rationale"]][2:] == [
        "From 14.2 s to 15.2 s of the clip, the camera wearer takes the cup.",
        "So at 3.0 s the cup is on the table.",
    ]


@pytest.mark.parametrize(
    ("edit", "left"),
    [
        (lambda made: made.node("R/object/cup 2", "object", "cup"), set()),
        (lambda made: made.node("R/object/table 2", "object", "table"), {"shelf", "sink"}),
        (lambda made: located(made, "cup", "box", (8.0, 20.0), "b", ended="d"), {"shelf", "sink"}),
        (lambda made: located(made, "table", "counter", (0.0, 30.0), "c"), {*"shelf sink table".split()}),
    ],
    ids=["two cups", "two tables", "two places at once", "a place that is at a place"],
)  # fmt: skip
def test_what_is_not_clear_makes_none(edit: object, left: set[str]) -> None:
    made = moved()
    edit(made)  # type: ignore[operator]
    assert {answer for _, answer in asked(made)} == left


def test_no_place_is_offered_at_which_the_right_one_is_itself() -> None:
    made = located(moved(), "table", "counter", (0.0, 30.0), "c")
    rows = {row["answer_text"]: row for row in paper(made.tables()).iter_rows(named=True)}
    assert "counter" not in {option["text"] for option in rows["table"]["options"]}


def test_what_is_only_near_a_place_makes_none() -> None:
    made = moved()
    for edge in made.edges:
        if edge["edge_id"].startswith("R.cup."):
            edge["preposition"] = "near"
    assert asked(made) == []


def test_somebody_elses_putting_makes_none() -> None:
    made = moved()
    made.node("R/person/2", "person", "P2")
    for edge in made.edges:
        if edge["relation"] == "does":
            edge["from_node"] = "R/person/2"
    assert asked(made) == []


def test_what_is_still_there_is_the_answer_of_one_question_in_four() -> None:
    """Of those with a known place at the end: of eight recordings, two kinds of ends in each."""
    made = [moved(f"R{n}", back="table" if n % 4 == 0 else "sink") for n in range(8)]
    with counting() as refused:
        kept = BUILDER.make(together(made)).to_dicts()
    ends = Counter(
        next((s["text"] for s in q["rationale"] if s["text"].startswith("When")), "").endswith(
            f"the {q['answer_text']}."
        )
        for q in kept
        if any(s["text"].startswith("When") for s in q["rationale"])
    )
    assert ends[False] == 3 * ends[True]
    assert refused["one_of_four_still_there"] + refused["each_place_as_often_as_offered"] > 0


def test_order_of_rows_does_not_matter() -> None:
    tables = moved().tables()
    assert paper(tables).equals(paper({n: t.reverse() for n, t in tables.items()}))

"""Action order: by hand, against what happens in the flat, and at the rate of LEMMA's takes."""

from __future__ import annotations

from typing import Any

import pytest

from assets.questions.egoexobench.action_order import BUILDER, STATEMENTS
from expectations.schemas import TABLES
from tests.assets.questions.egoexobench.test_action_relation_lemma import (
    TWO,
    Rows,
    act,
    clock,
    lengths_of,
    recording,
    take,
)

Row = dict[str, Any]
THINGS = ("cup", "pan", "jar", "lid", "fork")
# LEMMA's takes, and EgoExoBench's questions about order in them (Figure 6).
TAKES, PUBLISHED = 324, 782
LONG = [recording("v|fpv1", "ego", duration_s=90.0), recording("v|master", "exo", duration_s=90.0)]


def pairs(pause_s: float = 1.0, things: tuple[str, ...] = THINGS) -> Rows:
    """Each thing is taken and then washed; between things the pause is long."""
    found: Rows = []
    for i, thing in enumerate(things):
        start = 15.0 * i
        found += act(2 * i, "get", thing, start, start + 3.0)
        found += act(2 * i + 1, "wash", thing, start + 3.0 + pause_s, start + 6.0 + pause_s)
    return found


def made(acts: Rows, recordings: Rows | None = None, reading: str = "strict") -> Rows:
    return BUILDER.under(reading).make(take(acts, recordings or LONG)).to_dicts()


def said(question: Row) -> str:
    return next(o["value"] for o in question["options"] if o["is_answer"])


def test_both_views_show_the_earlier_action_once() -> None:
    rows = made(pairs())
    assert len(rows) == 10
    earlier = []
    for row in rows:
        assert [m["role"] for m in row["media"]] == ["video_1", "video_2"]
        starts = {m["role"][-1]: m["start_s"] for m in row["media"]}
        first = min(starts, key=lambda n: starts[n])
        assert said(row) == f"{first} before {3 - int(first)}"
        earlier.append(row["media"][int(first) - 1]["recording_id"])
        assert len(set(lengths_of(row).values())) == 1
        one, two = sorted((m["start_s"], m["end_s"]) for m in row["media"])
        assert one[1] <= two[0]
        assert {o["text"] for o in row["options"]} == set(STATEMENTS.values())
        assert row["answer_text"] == STATEMENTS[said(row)]
    assert earlier.count("v|fpv1") == earlier.count("v|master") == 5
    assert {said(row) for row in rows} == {"1 before 2", "2 before 1"}


def test_five_pairs_settle_an_order_and_four_do_not() -> None:
    assert made(pairs(things=THINGS[:4])) == []


def test_one_pair_the_other_way_round_unsettles_it() -> None:
    other = [act(20, "wash", "knife", 75.0, 77.0), act(21, "get", "knife", 78.0, 80.0)]
    assert made([*pairs(), *(row for rows in other for row in rows)]) == []


@pytest.mark.parametrize(("pause_s", "n"), [(0.0, 10), (2.0, 10), (2.1, 0), (-0.5, 0)])
def test_the_pause_is_short_and_there_is_no_overlap(pause_s: float, n: int) -> None:
    assert len(made(pairs(pause_s))) == n


def test_what_has_no_thing_in_common_is_in_no_order() -> None:
    acts = pairs()
    for row in acts:
        if row.get("role") == "direct" and row["segment_id"] in {
            f"P1.{i}" for i in range(1, 10, 2)
        }:
            row["object"] = f"other {row['object']}"
    assert made(acts) == []
    assert len(made(acts, reading="paper")) == 10


def test_a_place_alone_is_no_reason() -> None:
    acts = pairs()
    for row in acts:
        if row.get("role") == "direct":
            row["role"] = "location"
    assert made(acts) == []


def test_what_another_person_does_all_the_while_is_in_no_order() -> None:
    recordings = [{**r, "duration_s": 90.0} for r in TWO]
    long = act(0, "cook", "soup", 1.0, 6.0, actor="P2")
    asked = {
        o for r in made([*pairs(), *long], recordings) for o in r["evidence"][0]["key"].split()
    }
    assert len(made([*pairs(), *long], recordings)) == 8
    assert not {"P1.0", "P1.1"} & asked
    short = act(0, "cook", "soup", 1.0, 3.0, actor="P2")
    assert len(made([*pairs(), *short], recordings)) == 10


def test_cameras_must_be_synchronous() -> None:
    clocks = [clock("v|fpv1"), clock("v|master", method="linear")]
    assert BUILDER.make(take(pairs(), LONG, clocks)).is_empty()


def test_order_of_rows_does_not_matter() -> None:
    tables = take(pairs(), LONG)
    reverse = {name: table.reverse() for name, table in tables.items()}
    assert BUILDER.make(tables).equals(BUILDER.make(reverse))


def test_it_reads_no_more_than_it_says() -> None:
    tables = take(pairs(), LONG)
    told = {
        name: TABLES[name].frame(tables[name].select("source", *columns).to_dicts())
        for name, columns in BUILDER.reads.items()
        if columns is not None
    }
    assert BUILDER.make(told).equals(BUILDER.make(tables))

"""Object relation: by hand, against what happens in the flat, and on as many takes as LEMMA has."""

from __future__ import annotations

from typing import Any

import pytest

from assets.questions.egoexobench.object_relation import BUILDER
from expectations.schemas import TABLES
from tests.assets.questions.egoexobench.test_action_relation_lemma import (
    TWO,
    Rows,
    act,
    clock,
    lengths_of,
    take,
)

Row = dict[str, Any]
ACTS = (
    ("wipe", "cup", 0.0, 4.0),
    ("open", "fridge", 10.0, 14.0),
    ("cut", "apple", 20.0, 24.0),
    ("wash", "plate", 30.0, 34.0),
)
# LEMMA's takes, and EgoExoBench's questions about objects in them (Figure 6).
TAKES, PUBLISHED = 324, 855


def one_person(*more: Rows) -> Rows:
    acts = [row for i, a in enumerate(ACTS) for row in act(i, *a)]
    return [*acts, *(row for rows in more for row in rows)]


def made(acts: Rows, recordings: Rows | None = None, reading: str = "strict") -> Rows:
    return BUILDER.under(reading).make(take(acts, recordings)).to_dicts()


def at(i: int, thing: str, role: str = "location", actor: str = "P1") -> Row:
    """Another thing in an action."""
    return {**act(i, "", thing, 0.0, 1.0, actor)[2], "role": role} | {
        "relation_id": f"{actor}.{i}.at {thing}",
        "relation": "at",
    }


def asked(rows: Rows, view: str = "fpv1") -> dict[str, set[str]]:
    """Segments of the options by the query's, for queries of one camera."""
    return {
        row["media"][0]["segment_id"]: {o["segment_id"] for o in row["options"]}
        for row in rows
        if row["recording_id"] == f"v|{view}"
    }


def test_the_same_moment_in_the_other_view_is_right() -> None:
    rows = made(one_person())
    assert len(rows) == 8  # four actions, both directions
    for row in rows:
        query, *shown = row["media"]
        assert {m["recording_id"] for m in shown} == {"v|master", "v|fpv1"} - {
            query["recording_id"]
        }
        same = [m["start_s"] == query["start_s"] for m in shown]
        assert same == [o["is_answer"] for o in row["options"]]
        assert len(set(lengths_of(row).values())) == 1
        assert not {"cup", "fridge", "apple", "plate"} & set(row["text"].split())


@pytest.mark.parametrize("role", ["direct", "source", "tool", "location", "other"])
def test_a_common_object_in_any_part_is_no_other_object(role: str) -> None:
    # Cup and fridge have too few others left; the apple may still be asked about beside both.
    assert not {"P1.0", "P1.1"} & asked(made(one_person([at(1, "cup", role)]))).keys()
    five = one_person([at(1, "cup", role)], act(4, "close", "door", 40.0, 44.0))
    found = asked(made(five))
    assert found["P1.0"] == {"P1.0", "P1.2", "P1.3", "P1.4"}
    assert found["P1.1"] == {"P1.1", "P1.2", "P1.3", "P1.4"}


def test_what_is_in_the_other_hand_is_seen_too() -> None:
    """The cup is put away before the apple is cut; until then every clip shows it."""

    def one_person(*more: Rows) -> Rows:
        acts = (("get", "cup", 0.0, 4.0), *ACTS[1:])
        rows = [*(act(i, *a) for i, a in enumerate(acts)), *more]
        return [row for rows_of_one in rows for row in rows_of_one]

    away = act(4, "put", "cup", 15.0, 19.0)
    more = [act(5, "close", "door", 40.0, 44.0), act(6, "fill", "pan", 46.0, 50.0)]
    found = asked(made(one_person(away, *more)))
    assert "P1.1" not in found["P1.0"] and "P1.0" not in found["P1.1"]
    assert not {"P1.0", "P1.4"} & found["P1.1"]
    # Without being put away it is in every later clip, and nothing is left to tell it from.
    assert "P1.0" not in asked(made(one_person(*more)))


def test_hands_are_no_objects() -> None:
    assert len(made(one_person(*([at(i, "hand", "hand")] for i in range(4))))) == 8


def test_an_object_in_somebody_elses_hands_rules_a_clip_out_where_it_is_seen() -> None:
    # While the wearer cuts an apple, another person holds the cup.
    acts = one_person(
        act(4, "close", "door", 40.0, 44.0), act(0, "wash", "cup", 21.0, 23.0, actor="P2")
    )
    rows = made(acts, TWO)
    assert asked(rows)["P1.0"] == {"P1.0", "P1.1", "P1.3", "P1.4"}
    assert "P1.2" in asked(rows, "master")["P1.1"]
    # The room's camera asks about the apple and shows the cup too: the cup is not a wrong answer.
    assert asked(rows, "master")["P1.2"] == {"P1.1", "P1.2", "P1.3", "P1.4"}


def test_no_two_options_have_one_object() -> None:
    twice = one_person(act(4, "close", "fridge", 40.0, 44.0))
    for row in made(twice):
        assert not {"P1.1", "P1.4"} <= {o["segment_id"] for o in row["options"]}


def test_what_names_no_object_is_left_out() -> None:
    acts = [r for r in one_person() if r.get("object") != "apple"]
    assert made(acts) == []


def test_the_paper_compares_direct_objects_alone() -> None:
    acts = one_person([at(1, "cup")])
    rows = made(acts, reading="paper")
    assert len(rows) == 8
    assert {row["recipe"] for row in rows} == {"object_relation_paper@1"}
    acts = one_person([at(1, "cup", "direct")])
    assert asked(made(acts, reading="paper")).keys() == {"P1.2", "P1.3"}


def test_order_of_rows_does_not_matter() -> None:
    more = [act(i, f"verb{i}", f"thing{i}", 35.0 + 3 * i, 37.0 + 3 * i) for i in range(4, 8)]
    tables = take(one_person(*more))
    reverse = {name: table.reverse() for name, table in tables.items()}
    assert BUILDER.make(tables).equals(BUILDER.make(reverse))


def test_as_many_takes_as_lemma_has_give_as_many_questions() -> None:
    """Takes of twelve actions each: six things are taken and put away, one after the other."""
    verbs, things = ("get", "put"), ("cup", "pan", "jar", "lid", "bowl", "fork")
    acts = [
        row
        for i in range(12)
        for row in act(i, verbs[i % 2], things[i // 2], 4.5 * i, 4.5 * i + 3.0)
    ]
    assert len(made(acts)) * TAKES >= PUBLISHED
    silent = [clock("v|fpv1"), clock("v|master", method="alone")]
    assert BUILDER.make(take(acts, clocks=silent)).is_empty()


def test_it_reads_no_more_than_it_says() -> None:
    tables = take(one_person())
    told = {
        name: TABLES[name].frame(tables[name].select("source", *columns).to_dicts())
        for name, columns in BUILDER.reads.items()
        if columns is not None
    }
    assert BUILDER.make(told).equals(BUILDER.make(tables))

"""Wearer identification, from a scene small enough to work out by hand (`tests/derivations/people.py`)."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from assets.questions.egoexobench.egocentric_wearer_identification import BUILDER
from expectations.schemas import TABLES
from tests.derivations.registry import fresh

Tables = dict[str, list[dict[str, Any]]]


def one_scene() -> Tables:
    """Five people; 1 and 2 wear cameras."""
    tables = fresh("wearer_identification").tables
    kept = {n: [r for r in rows if r["recording_id"] != "8_T"] for n, rows in tables.items()}
    return {n: rows for n, rows in kept.items() if n in BUILDER.reads}


def made(tables: Tables, *, paper: bool = False) -> pl.DataFrame:
    frames = {name: TABLES[name].frame(rows) for name, rows in tables.items()}
    make = BUILDER.make_as_paper if paper else BUILDER.make
    assert make is not None
    return make(frames)


def offered(row: dict[str, Any]) -> dict[str, set[str]]:
    """People of each option, by its letter."""
    return {
        o["letter"]: {
            e["key"].rpartition("/")[2]
            for e in row["evidence"]
            if e["role"] == f"option_{o['letter']}"
        }
        for o in row["options"]
    }


def test_the_wearer_is_right_and_the_other_wearer_among_the_options() -> None:
    rows = made(one_scene()).to_dicts()
    assert {row["recording_id"] for row in rows} == {"7_1", "7_2"}
    for row in rows:
        query, *options = row["media"]
        assert query["overlays"] == [] and query["recording_id"] == row["recording_id"]
        assert {m["recording_id"] for m in options} == {"7_T"}
        assert len({tuple(m["times_s"]) for m in row["media"]}) == 1
        people = offered(row)
        assert people[row["answer"]] == {row["recording_id"].partition("_")[2]}
        assert {"1", "2"} <= set().union(*people.values())
        assert all(len(one) == 1 for one in people.values())
        keys = [e["key"] for e in row["evidence"] if e["table"] == "listed_people"]
        number = int(query["times_s"][4]) + 1
        assert keys == [f"7_T/{number}/{row['recording_id']}"]


def listed(tables: Tables, people: list[str]) -> None:
    for row in tables["listed_people"]:
        row["people"] = people


def small(tables: Tables) -> None:
    for row in tables["boxes"]:
        if row["person_id"] == "7/1":
            row["y_max"] = row["y_min"] + 0.03


@pytest.mark.parametrize(
    ("spoil", "asked"),
    [
        (lambda t: listed(t, ["7/2", "7/3", "7/4", "7/5"]), {"7_2"}),
        (lambda t: listed(t, ["7/1", "7/2", "7/3"]), set()),
        (lambda t: t.update(listed_people=[]), set()),
        (lambda t: t.update(boxes=[]), set()),
        (small, {"7_2"}),
    ],
    ids=["wearer not listed", "three people", "no list", "no boxes", "wearer too small"],
)
def test_pairs_that_are_not_asked_about(spoil: Any, asked: set[str]) -> None:
    tables = one_scene()
    spoil(tables)
    assert set(made(tables)["recording_id"]) == asked


def test_people_who_hide_each_other_are_not_offered_together() -> None:
    tables = one_scene()
    front = {r["source_frame"]: r["x_min"] for r in tables["boxes"] if r["person_id"] == "7/4"}
    for row in tables["boxes"]:
        if row["person_id"] == "7/5":
            x_min = front[row["source_frame"]] + 0.02
            row.update(x_min=x_min, x_max=x_min + 0.08)
    for row in made(tables).to_dicts():
        assert not {"4", "5"} <= set().union(*offered(row).values())


def test_as_the_paper_says_options_are_one_picture() -> None:
    rows = made(one_scene(), paper=True).to_dicts()
    assert rows
    for row in rows:
        query, *options = row["media"]
        for medium in options:
            assert (medium["media_kind"], medium["times_s"]) == ("image", [query["times_s"][4]])
            assert medium["overlays"][0]["colour"] == "#ff0000"


def test_needs() -> None:
    empty = {name: TABLES[name].empty() for name in BUILDER.reads}
    assert all(need.missing(empty) for need in BUILDER.needs)

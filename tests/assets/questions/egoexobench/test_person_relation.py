"""Person relation, from a take small enough to work out by hand (`tests/derivations/people.py`)."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from assets.questions.egoexobench.person_relation import BUILDER
from expectations.schemas import TABLES
from tests.derivations.people import COUNT
from tests.derivations.registry import fresh

Rows = list[dict[str, Any]]
Tables = dict[str, Rows]


def one_take() -> Tables:
    """Person 0 wears the camera, 1 to 4 are seen by both cameras, 5 from above alone."""
    tables = fresh("person_relation").tables
    kept = {n: [r for r in rows if r["recording_id"] != "U_top"] for n, rows in tables.items()}
    return {n: rows for n, rows in kept.items() if n in BUILDER.reads}


def made(tables: Tables, *, paper: bool = False) -> pl.DataFrame:
    frames = {name: TABLES[name].frame(rows) for name, rows in tables.items()}
    make = BUILDER.make_as_paper if paper else BUILDER.make
    assert make is not None
    return make(frames)


def people(medium: dict[str, Any], tables: Tables) -> set[str]:
    """Who is boxed in a medium, by the left side of the box in each picture."""
    found = set()
    for overlay in medium["overlays"]:
        (row,) = (
            r
            for r in tables["boxes"]
            if r["recording_id"] == medium["recording_id"]
            and r["source_frame"] == overlay["t_s"] + 1
            and abs(r["x_min"] - overlay["x_min"]) < 1e-6
        )
        found.add(row["person_id"])
    return found


def test_four_people_of_both_views_are_boxed_on_the_same_pictures() -> None:
    tables = one_take()
    rows = made(tables).to_dicts()
    # Eight of fourteen pictures: the moment is one of seven, so that each person is asked about once.
    assert len(rows) == 4
    asked = set()
    for row in rows:
        query, *options = row["media"]
        assert (query["recording_id"], {o["recording_id"] for o in options}) == ("T_hor", {"T_top"})
        assert len({tuple(m["times_s"]) for m in row["media"]}) == 1
        times = query["times_s"]
        assert times == [times[0] + i for i in range(8)] and 0 <= times[0] <= COUNT - 8
        for medium in row["media"]:
            assert (medium["media_kind"], medium["sampling"]) == ("frames", "given")
            assert [o["t_s"] for o in medium["overlays"]] == times
            assert {(o["colour"], o["width"], o["label"]) for o in medium["overlays"]} == {
                ("blue", 0.008, "")
            }
        (person,) = people(query, tables)
        boxed = {m["role"]: people(m, tables) for m in options}
        assert set().union(*boxed.values()) == {f"T/{n}" for n in (1, 2, 3, 4)}
        assert boxed[f"option_{row['answer']}"] == {person}
        assert {o["text"] for o in row["options"]} == {"the person in the box"}
        asked.add(person)
    assert asked == {f"T/{n}" for n in (1, 2, 3, 4)}


def without(tables: Tables, **where: Any) -> None:
    rows = tables["boxes"]
    tables["boxes"] = [r for r in rows if any(r[k] != v for k, v in where.items())]


def narrow(tables: Tables, person: str, height: float) -> None:
    for row in tables["boxes"]:
        if row["person_id"] == person:
            row["y_max"] = row["y_min"] + height


@pytest.mark.parametrize(
    "spoil",
    [
        lambda t: without(t, person_id="T/3", recording_id="T_hor"),
        lambda t: without(t, person_id="T/3", recording_id="T_top"),
        lambda t: narrow(t, "T/3", 0.03),
        lambda t: [row.update(method="linear") for row in t["clocks"]],
        # A gap amid the pictures leaves seven in a row at most.
        lambda t: t.update(images=[r for r in t["images"] if r["source_frame"] != 8]),
    ],
    ids=["out of the ego view", "not seen from above", "too small", "no common clock", "a gap"],
)
def test_too_few_people_or_pictures_make_no_question(spoil: Any) -> None:
    tables = one_take()
    spoil(tables)
    assert made(tables).is_empty()


def test_somebody_half_hidden_in_the_query_is_not_asked_about_but_may_be_offered() -> None:
    tables = one_take()
    front = {
        r["source_frame"]: r
        for r in tables["boxes"]
        if (r["recording_id"], r["person_id"]) == ("T_hor", "T/1")
    }
    for row in tables["boxes"]:
        if row["recording_id"] == "T_hor" and row["person_id"] == "T/2":
            x_min = front[row["source_frame"]]["x_min"] + 0.02
            row.update(x_min=x_min, x_max=x_min + 0.08)
    rows = made(tables).to_dicts()
    assert {p for row in rows for p in people(row["media"][0], tables)} == {"T/3", "T/4"}


def test_as_the_paper_says_options_are_one_picture_with_anybody_but_the_wearer() -> None:
    tables = one_take()
    without(tables, person_id="T/1", recording_id="T_top")
    assert made(tables).is_empty()
    rows = made(tables, paper=True).to_dicts()
    assert len(rows) == 3
    for row in rows:
        query, *options = row["media"]
        moment = query["times_s"][4]
        boxed = [people(m, tables) for m in options]
        assert set().union(*boxed) == {"T/2", "T/3", "T/4", "T/5"}
        for medium in options:
            assert (medium["media_kind"], medium["times_s"]) == ("image", [moment])
            assert medium["overlays"][0]["colour"] == "#0000ff"
            assert medium["overlays"][0]["width"] == pytest.approx(3 / 1520)


def test_without_pictures_places_are_those_of_the_annotations() -> None:
    tables = one_take()
    with_pictures = made(tables).to_dicts()
    tables["images"] = []
    for row in tables["recordings"]:
        row.update(media="missing", media_hashes=[])
    rows = made(tables).to_dicts()
    assert not any(row["media_present"] for row in rows)
    times = ([m["times_s"] for m in row["media"]] for row in rows)
    assert [*times] == [[m["times_s"] for m in row["media"]] for row in with_pictures]


def test_needs() -> None:
    reasons = [need.missing for need in BUILDER.needs]
    empty = {name: TABLES[name].empty() for name in BUILDER.reads}
    assert [bool(reason(empty)) for reason in reasons] == [True, True]

"""Action prediction on LEMMA: by hand, against what happens in the flat, and at the rate of its takes."""

from __future__ import annotations

from typing import Any

import pytest

from assets.questions.egoexobench.action_prediction_lemma import BUILDER
from expectations.schemas import TABLES
from tests.assets.questions.egoexobench.test_action_relation_lemma import (
    Rows,
    act,
    clock,
    recording,
    take,
)
from tests.labelled import labels_of

Row = dict[str, Any]
# What is done, 2 s each and 2 s apart.
DONE = ("open door", "get cup", "wash mug", "fill jar", "cut bread", "eat apple", "close lid")
# LEMMA's takes, and EgoExoBench's questions about the next action in them (Figure 6).
TAKES, PUBLISHED = 324, 420


def done(vid: str, names: tuple[str, ...] = DONE) -> Rows:
    """Actions of the wearer of a take."""
    rows = [
        row
        for i, name in enumerate(names)
        for verb, thing in (name.split(),)
        for row in act(i, verb, thing, 4.0 + 4.0 * i, 6.0 + 4.0 * i)
    ]
    return [
        row
        | {key: f"{vid}{row[key][2:]}" for key in ("segment_id", "relation_id") if key in row}
        | {"recording_id": f"{vid}|fpv1"}
        for row in rows
    ]


def cameras(vid: str, **more: Any) -> Rows:
    common = {"take_id": vid, "scenario": "make tea", "split": "test", **more}
    return [recording(f"{vid}|fpv1", "ego", **common), recording(f"{vid}|master", "exo", **common)]


def made(acts: Rows, recordings: Rows, reading: str = "strict") -> dict[str, Row]:
    """Questions by their current action."""
    clocks = [clock(r["recording_id"]) | {"take_id": r["take_id"]} for r in recordings]
    rows = BUILDER.under(reading).make(take(acts, recordings, clocks)).to_dicts()
    return {row["media"][0]["segment_id"]: row for row in rows}


def two_takes(**of_second: Any) -> Rows:
    return [*cameras("a"), *cameras("b", **of_second)]


BOTH = [*done("a"), *done("b")]


def test_what_follows_is_right_and_is_not_shown() -> None:
    rows = made(BOTH, two_takes())
    # Nothing follows the last action.
    assert rows.keys() == {f"{vid}.{i}" for vid in "ab" for i in range(6)}
    row = rows["a.2"]
    query, reference = row["media"]
    assert (query["recording_id"], query["start_s"], query["end_s"]) == ("a|fpv1", 7.0, 15.0)
    assert (reference["role"], reference["recording_id"]) == ("reference", "b|master")
    assert (reference["start_s"], reference["end_s"]) == (0.0, 60.0)
    assert row["answer_text"] == "fill the jar"
    values = {o["value"] for o in row["options"]}
    assert "a.3" in values and "a.2" not in values and len(values) == 4
    assert values <= {f"a.{i}" for i in range(7)}


def test_the_likeliest_actions_around_are_the_distractors() -> None:
    # Elsewhere an apple is eaten, a door opened and a lid closed after washing.
    others: Rows = []
    for n, last in enumerate(("eat pear", "open box", "close tap")):
        others += done(f"u{n}", ("wash pan", last))
    recordings = [
        *two_takes(),
        *(row for n in range(3) for row in cameras(f"u{n}", scenario="tidy up")),
    ]
    row = made([*BOTH, *others], recordings)["a.2"]
    assert {o["value"] for o in row["options"]} == {"a.3", "a.5", "a.0", "a.6"}


def test_an_action_that_is_done_twice_has_no_next() -> None:
    twice = (*DONE[:5], "wash mug", "close lid")
    rows = made([*done("a", twice), *done("b", twice)], two_takes())
    assert not {"a.2", "a.5"} & rows.keys()


def test_what_was_only_attempted_is_neither_next_nor_an_option() -> None:
    given = take(BOTH, two_takes(), [clock(r["recording_id"]) | {"take_id": r["take_id"]} for r in two_takes()])  # fmt: skip
    attempted = labels_of({"a.3": "C fails to fill the jar."}, "a|fpv1")
    rows = BUILDER.make(given | {"labels": attempted}).to_dicts()
    # a.3 is next after a.2; no question is about it, and none offers it.
    assert {r["media"][0]["segment_id"] for r in rows} == {"a.0", "a.1", "a.4", "a.5"} | {f"b.{i}" for i in range(6)}  # fmt: skip
    assert "a.3" not in {o["value"] for r in rows for o in r["options"]}


def test_what_may_be_taken_for_the_next_action_is_no_distractor() -> None:
    again = (*DONE[:5], "fill jar", "close lid")
    acts = [*done("a", again), *done("b", again)]
    for row in acts:
        if row["segment_id"] == "a.5" and "kind" in row:
            row.update(class_name="fill [jar] in [sink]", narration="fill jar in sink")
    assert "a.5" not in {o["value"] for o in made(acts, two_takes())["a.2"]["options"]}


@pytest.mark.parametrize(
    "change",
    [
        {"scenario": "make soup"},
        {"scenario": "make tea, make soup"},
        {"split": "train"},
        {"take_id": "a"},
        {"duration_s": 8.0},
    ],
    ids=str,
)
def test_without_another_take_of_the_task_nothing_is_asked(change: Row) -> None:
    assert "a.2" not in made(BOTH, two_takes(**change))


def test_the_reference_holds_the_same_step() -> None:
    other = (*DONE[:3], "sweep floor", *DONE[4:])
    acts = [*done("a"), *done("b", other)]
    assert "a.2" not in made(acts, two_takes())
    assert "a.1" in made(acts, two_takes())
    assert "a.2" in made(acts, two_takes(), "paper")


def test_the_paper_shows_the_current_action_as_annotated() -> None:
    row = made(BOTH, two_takes(), "paper")["a.2"]
    assert row["recipe"] == "action_prediction_lemma_paper@1"
    assert (row["media"][0]["start_s"], row["media"][0]["end_s"]) == (12.0, 14.0)


def test_order_of_rows_does_not_matter() -> None:
    assert made(BOTH, two_takes()) == made(BOTH[::-1], two_takes()[::-1])


def test_it_reads_no_more_than_it_says() -> None:
    recordings = two_takes()
    clocks = [clock(r["recording_id"]) | {"take_id": r["take_id"]} for r in recordings]
    tables = take(BOTH, recordings, clocks)
    told = {
        name: TABLES[name].frame(tables[name].select("source", *columns).to_dicts())
        for name, columns in BUILDER.reads.items()
        if columns is not None
    }
    assert BUILDER.make(told).equals(BUILDER.make(tables))
    assert BUILDER.make(tables).height == 12

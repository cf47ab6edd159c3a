"""Chain of actions: one take with its task, with the question it makes worked out by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import polars as pl
import pytest

from assets.extract.chains import EGOPROX_DIRECTIONS
from assets.keysteps.order import Performed, observed_order
from assets.keysteps.places import step_places
from assets.questions.egoprox.chain_of_actions import BUILDER, RULES
from assets.questions.kit.directions import LETTERS, NAMES
from assets.questions.kit.funnel import counting
from expectations.schemas import TABLES
from tests.derivations.egoprox.chain_of_actions import GOAL, table
from tests.derivations.world import World

Tables = Mapping[str, pl.DataFrame]


def tables(world: World) -> dict[str, pl.DataFrame]:
    """What the stages before make of a small world's sources."""
    frames = {name: TABLES[name].frame(rows) for name, rows in world.tables.items()}
    steps = frames["segments"].filter(pl.col("kind") == "keystep")
    takes = [
        [Performed(*row) for row in part.select("class_id", "start_s", "end_s").iter_rows()]
        for part in steps.partition_by("recording_id")
    ]
    names = dict(steps.select("class_id", "class_name").iter_rows())
    order = (
        {
            "source": "s",
            "scenario": GOAL,
            "first_id": first,
            "first_name": names[first],
            "second_id": second,
            "second_name": names[second],
            "support": seen.support,
            "exceptions": seen.exceptions,
        }
        for (first, second), seen in observed_order(takes).items()
    )
    objects = TABLES["objects_3d"].empty()
    places = (
        {"source": "s", **row}
        for part in steps.partition_by("recording_id")
        for row in step_places(
            part,
            frames["hand_joints"].filter(pl.col("recording_id") == part["recording_id"][0]),
            objects,
        )
    )
    mounts = frames["cameras"].drop("source").to_dicts()
    calibrations = TABLES["calibrations"].frame(
        {"source": "s"} | {k: v for k, v in row.items() if k in TABLES["calibrations"].schema}
        for row in mounts
    )
    return frames | {
        "calibrations": calibrations,
        "step_order": TABLES["step_order"].frame(order),
        "step_places": TABLES["step_places"].frame(places),
    }


def built(world: World) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """Questions about T1, and what refused the others."""
    given = tables(world)
    given["recordings"] = given["recordings"].filter(pl.col("recording_id") == "T1")
    with counting() as refused:
        rows = BUILDER.make(given).to_dicts()
    return rows, dict(refused)


def after_the_cloth(world: World) -> dict[str, Any]:
    """The question whose clip ends with the third keystep."""
    return next(row for row in built(world)[0] if row["media"][0]["end_s"] == 14.0)


def steps_of(row: dict[str, Any]) -> list[tuple[tuple[int, ...], tuple[str, ...]]]:
    value = {c["number"]: int(c["value"]) for c in row["candidates"]}
    chains = map(json.loads, row["answer_text"].splitlines())
    return [(tuple(value[n] for n in numbers), tuple(moves)) for numbers, moves in chains]


def test_letters_name_the_directions_that_replies_are_read_by() -> None:
    assert dict(zip(LETTERS, NAMES, strict=True)) == EGOPROX_DIRECTIONS


def test_the_question_after_the_third_step() -> None:
    row = after_the_cloth(table())
    # 4 to 5 is to the right, 5 to 6 ahead; by way of 5 first, 4 is to the left and 6 ahead on the right.
    # From there 7 is 5 m to the right and 3 m ahead.
    right = [((4, 5, 6, 7), ("A", "C", "E")), ((5, 4, 6, 7), ("B", "E", "E"))]
    assert steps_of(row) == right
    assert (row["answer_kind"], row["answer"], row["options"]) == ("sequences", None, [])
    assert row["chance"] == 2 / (10 * 9 * 8 * 7 * 8**3)
    medium = row["media"][0]
    assert (medium["start_s"], medium["end_s"], medium["sampling"]) == (0.0, 14.0, "endpoints")
    assert row["text"].splitlines()[:2] == [
        f"Goal: {GOAL}",
        "Candidate keysteps (id: description, total = 10):",
    ]
    shown = [f"{c['number']}: {c['text']}" for c in row["candidates"]]
    assert row["text"].splitlines()[2:] == shown
    values = {int(c["value"]) for c in row["candidates"]}
    assert {1, 2, 3, 4, 5, 6, 7} < values
    assert {(e["role"], e["key"]) for e in row["evidence"]} == {
        ("done", "T1/3"), ("answer", "T1/4"), ("answer", "T1/5"), ("answer", "T1/6"),
        ("answer", "T1/7"),
    }  # fmt: skip


def test_a_question_keeps_its_numbers_when_rows_change_their_order() -> None:
    shuffled = table()
    for rows in shuffled.tables.values():
        rows.reverse()
    assert after_the_cloth(shuffled) == after_the_cloth(table())


def far(world: World) -> None:
    for row in world.tables["hand_joints"]:
        row["x"] += 3.0 * row["t_s"] if row["recording_id"] == "T1" else 0.0


def near(world: World) -> None:
    for row in world.tables["hand_joints"]:
        row["x"], row["y"] = row["x"] * 0.05, row["y"] * 0.05


def turned(world: World) -> None:
    for row in world.tables["hand_joints"]:
        x, y = row["x"], row["y"]
        row["x"], row["y"] = x * 0.924 - y * 0.383, x * 0.383 + y * 0.924


def forget_hands(world: World) -> None:
    world.tables["hand_joints"].clear()


def forget_other_takes(world: World) -> None:
    world.tables["segments"] = [
        row for row in world.tables["segments"] if row["recording_id"] in ("T1", "T4")
    ]


def all_orders(world: World) -> None:
    from tests.derivations.egoprox.chain_of_actions import swap

    swap(world, ("T2", (1, 2, 3, 6, 4, 5, 7)), ("T3", (1, 2, 3, 5, 6, 4, 7)))


def few_keysteps_in_the_task(world: World) -> None:
    world.tables["segments"] = [
        row for row in world.tables["segments"] if row["recording_id"] != "T4"
    ]


def done_again(world: World) -> None:
    for step in (5, 6, 7):
        world.row("segments", segment_id=f"T1/{step}").update(
            class_id=4, class_name="Place the plates"
        )


def spread_over_minutes(world: World) -> None:
    for n, step in enumerate((4, 5, 6, 7), 1):
        row = world.row("segments", segment_id=f"T1/{step}")
        row.update(start_s=row["start_s"] + 60.0 * n, end_s=row["end_s"] + 60.0 * n)


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (forget_hands, "places_known"),
        (far, "places_known"),
        (near, "places_apart"),
        (turned, "directions_clear"),
        (forget_other_takes, "order_known"),
        (all_orders, "at_most_three_orders"),
        (few_keysteps_in_the_task, "ten_candidates"),
        (done_again, "dense_and_not_repeated"),
        (spread_over_minutes, "dense_and_not_repeated"),
    ],
)
def test_what_cannot_be_asked_is_refused_by_its_rule(change: Any, rule: str) -> None:
    world = table()
    change(world)
    rows, refused = built(world)
    assert all(row["media"][0]["end_s"] != 14.0 for row in rows)
    assert refused[rule] > 0
    assert refused.keys() <= set(RULES)


def test_clips_are_ten_to_thirty_seconds_long() -> None:
    rows, refused = built(table())
    assert rows
    for row in rows:
        medium = row["media"][0]
        assert 10.0 <= medium["end_s"] - medium["start_s"] <= 30.0
    # The first two keysteps are over before 10 s, and after the last but two no three are left.
    assert refused["enough_before_and_after"] >= 4

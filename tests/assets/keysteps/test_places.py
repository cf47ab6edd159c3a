"""Places of keysteps: closed forms of means, and which rows count."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

from assets.keysteps.places import hand_positions, is_edge, mean_place, named_object, step_places
from expectations.schemas import TABLES


def joints(
    rows: list[tuple[float, str, str, tuple[float, float, float], str | None]],
) -> pl.DataFrame:
    return TABLES["hand_joints"].frame(
        {
            "source": "s",
            "recording_id": "r",
            "sample": n,
            "t_s": t,
            "hand_side": side,
            "joint": joint,
            "person_id": person,
            "world_frame_id": "w",
            **dict(zip("xyz", at, strict=True)),
        }
        for n, (t, side, joint, at, person) in enumerate(rows)
    )


def steps(*spans: tuple[float, float, str]) -> pl.DataFrame:
    return TABLES["segments"].frame(
        {
            "source": "s",
            "segment_id": f"seg{n}",
            "recording_id": "r",
            "kind": "keystep",
            "start_s": start,
            "end_s": end,
            "class_id": n,
            "class_name": name,
        }
        for n, (start, end, name) in enumerate(spans)
    )


def test_mean_and_spread_of_a_circle() -> None:
    turns = np.linspace(0, 2 * math.pi, 12, endpoint=False)
    circle = np.column_stack([3 + 0.4 * np.cos(turns), -1 + 0.4 * np.sin(turns), turns])
    place = mean_place(circle)
    assert place is not None
    assert (place.x_m, place.y_m) == (pytest.approx(3), pytest.approx(-1))
    # Height does not count as spread: hands go up and down at one place.
    assert place.spread_m == pytest.approx(0.4)
    assert place.samples == 12
    assert mean_place(np.full((2, 3), np.nan)) is None


def test_edges_are_measured_on_the_ground() -> None:
    assert is_edge((0.0, 0.0), (0.18, 0.25))
    assert not is_edge((0.0, 0.0), (0.2, 0.2))


def test_both_hands_weigh_the_same_and_other_people_do_not_count() -> None:
    rows = [
        (1.0, "left", "wrist", (0.0, 0.0, 1.0), None),
        (1.0, "left", "palm", (0.2, 0.0, 1.0), None),
        (1.0, "right", "wrist", (1.1, 0.0, 1.0), None),
        (2.0, "right", "wrist", (2.0, 0.0, 1.0), None),
        (2.0, "right", "palm", (9.0, 9.0, 9.0), "other"),
        (3.5, "right", "wrist", (9.0, 9.0, 9.0), None),
    ]
    found = hand_positions(joints(rows), 1.0, 3.0)
    assert found.tolist() == [[pytest.approx(0.6), 0.0, 1.0], [2.0, 0.0, 1.0]]


def test_a_name_names_one_object_or_none() -> None:
    objects = {"1": "Red cone", "2": "cone", "3": "mat"}
    assert named_object("Place the mat", objects) == "3"
    assert named_object("Place the red cone", objects) is None
    assert named_object("Place the material", objects) is None


def test_steps_have_the_place_of_the_hands_or_of_the_object_they_name() -> None:
    boxes = TABLES["objects_3d"].frame(
        {
            "source": "s",
            "recording_id": "r",
            "object_id": "o",
            "pose": n,
            "t_s": t,
            "name": "mat",
            "motion": "dynamic",
            "world_frame_id": "w",
            "tx": x,
            "ty": 1.0,
            "tz": 0.0,
        }
        for n, (t, x) in enumerate([(0.0, 0.0), (6.0, 2.0), (7.0, 4.0)])
    )
    hands = joints([(1.0, "left", "wrist", (5.0, 6.0, 1.0), None)])
    spans = steps((0.0, 2.0, "Place the mat"), (5.0, 8.0, "Roll the mat"), (8.0, 9.0, "Wave"))
    first, second = step_places(spans, hands, boxes)
    assert (first["segment_id"], first["method"], first["x_m"], first["y_m"]) == (
        "seg0", "hands", 5.0, 6.0,
    )  # fmt: skip
    assert (second["segment_id"], second["method"], second["object_id"]) == ("seg1", "object", "o")
    assert (second["x_m"], second["spread_m"], second["samples"]) == (3.0, 1.0, 2)

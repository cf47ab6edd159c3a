"""Facts measured on simulated sequences against the world that drew them.

The reader knows the files alone. One sequence states its calibration, the other is fitted to its
boxes; directions, fixations and contacts of both must be those of the world.
"""

from __future__ import annotations

import math
from itertools import pairwise

import polars as pl
import pytest

from resources.worlds.flat.places import furniture
from resources.worlds.flat.take import Take
from tests.truth.sequences import FLAT, Sequences


@pytest.fixture(scope="module")
def tables(sequences: Sequences) -> dict[str, pl.DataFrame]:
    names = (
        *("calibrations", "spatial_facts", "objects_3d", "quarantine", "frame_stamps"),
        *("free_space", "paths"),
    )
    return {name: sequences.table(name) for name in names}


def facts(tables: dict[str, pl.DataFrame], take: Take, operator: str) -> list[dict]:
    """Facts of one kind with the world's own name of their object."""
    names = tables["objects_3d"].select("recording_id", "object_id", "name").unique()
    rows = tables["spatial_facts"].join(names, on=["recording_id", "object_id"], how="left")
    mine = (pl.col("recording_id") == take.take_id) & (pl.col("operator") == operator)
    return rows.filter(mine).sort("t_s").to_dicts()


def apart(a: float, b: float) -> float:
    return abs((a - b + 180) % 360 - 180)


def test_both_calibrations_are_the_worlds(tables: dict[str, pl.DataFrame]) -> None:
    rows = tables["calibrations"].sort("method").to_dicts()
    assert [r["method"] for r in rows] == ["estimated", "stated"]
    fitted, stated = rows
    turn = abs(sum(fitted[f"q{a}"] * stated[f"q{a}"] for a in "wxyz"))
    assert turn > 1 - 2e-6  # a tenth of a degree
    assert fitted["fx_px"] == pytest.approx(stated["fx_px"], rel=0.005)
    assert fitted["residual_px"] < 2
    assert tables["quarantine"].is_empty()


@pytest.mark.parametrize("take", FLAT.takes, ids=lambda take: take.take_id)
def test_directions_are_the_worlds(tables: dict[str, pl.DataFrame], take: Take) -> None:
    rows = [r for r in facts(tables, take, "bearing") if r["name"] in take.instances]
    assert len(rows) >= 10
    for row in rows:
        centre = take.thing_at(row["name"], row["t_s"]).centre
        assert apart(take.bearing_deg("ego", centre, row["t_s"]), row["value"]) < 0.5, row[
            "fact_id"
        ]


@pytest.mark.parametrize("take", FLAT.takes, ids=lambda take: take.take_id)
def test_every_planned_glance_is_found_in_its_sector(
    tables: dict[str, pl.DataFrame], take: Take
) -> None:
    assert take.glances
    fixed, ways = facts(tables, take, "fixation"), facts(tables, take, "bearing")
    for glance in take.glances:
        (seen,) = [
            f
            for f in fixed
            if f["name"] == glance.instance and abs(f["t_s"] - glance.fixed_s) < 0.1
        ]
        (way,) = [
            w
            for w in ways
            if w["name"] == glance.instance and abs(w["t_s"] + 1 - seen["t_s"]) < 1e-3
        ]
        assert way["sector"] == glance.sector


@pytest.mark.parametrize("take", FLAT.takes, ids=lambda take: take.take_id)
def test_what_is_carried_is_in_contact(tables: dict[str, pl.DataFrame], take: Take) -> None:
    held = facts(tables, take, "contact")
    got = [a for a in take.actions if a.verb == "get" and a.actor == "P1"]
    assert got
    for action in got:
        (contact,) = [
            c for c in held if c["name"] == action.object and abs(c["t_s"] - action.contact_s) < 0.5
        ]
        assert contact["hand_side"] == action.hand


@pytest.mark.parametrize("take", FLAT.takes, ids=lambda take: take.take_id)
def test_what_is_taken_is_what_the_wearer_gets(tables: dict[str, pl.DataFrame], take: Take) -> None:
    moved = [f for f in facts(tables, take, "afford") if f["value"] > 0.05]
    got = [a for a in take.actions if a.verb == "get"]
    assert got
    assert [f["name"] for f in moved] == [a.object for a in got]
    for fact, action in zip(moved, got, strict=True):
        assert abs(fact["t_s"] - action.contact_s) < 0.5


@pytest.mark.parametrize("take", FLAT.takes, ids=lambda take: take.take_id)
def test_what_is_put_down_is_what_the_wearer_puts(
    tables: dict[str, pl.DataFrame], take: Take
) -> None:
    """When, how far from where it was taken, and where to from where it is a second before."""
    placed, ways = facts(tables, take, "place"), facts(tables, take, "displacement_bearing")
    left, seen = facts(tables, take, "displacement"), facts(tables, take, "place_visible")
    put = [a for a in take.actions if a.verb == "put"]
    assert put
    assert [f["name"] for f in placed] == [a.object for a in put]
    for fact, way, length, action in zip(placed, ways, left, put, strict=True):
        assert abs(fact["t_s"] - action.contact_s) < 0.1
        at = way["t_s"]
        assert at == length["t_s"] == fact["t_s"] - 1.0
        before = take.thing_at(action.object, 0.0).centre
        now = take.thing_at(action.object, at).centre
        end = take.thing_at(action.object, action.end_s).centre
        assert fact["value"] == pytest.approx(math.dist(before, end), abs=0.03)
        assert length["value"] == pytest.approx(math.dist(now, end), abs=0.08)
        eyes = take.camera_pose("ego", at).position
        expected = take.bearing_deg("ego", eyes + (end - now), at)
        assert apart(expected, way["value"]) < 8.0  # a hand covers 8 cm between two frames
    for span in seen:
        where = take.thing_at(span["name"], take.duration_s).centre
        middle = take.picture_time((span["t_s"] + span["end_s"]) / 2)
        pixel = take.camera("ego").project(take.camera_pose("ego", middle).to_local(where[None]))[0]
        assert (pixel > 0).all()
        assert (pixel < take.camera("ego").width_px).all()


@pytest.mark.parametrize("take", FLAT.takes, ids=lambda take: take.take_id)
def test_what_is_visible_is_in_the_pictures(tables: dict[str, pl.DataFrame], take: Take) -> None:
    rows = [r for r in facts(tables, take, "visible") if r["name"] in take.instances]
    assert len(rows) > 20
    for row in rows[:: len(rows) // 8]:
        # The picture shown then: a small world draws three a second.
        at = take.picture_time((row["t_s"] + row["end_s"]) / 2)
        assert take.visible_share("ego", row["name"], at) > 0.02


def paths(tables: dict[str, pl.DataFrame], take: Take) -> list[dict]:
    """Ways of a sequence with the world's own name of where they lead."""
    names = tables["objects_3d"].select("recording_id", "object_id", "name").unique()
    rows = tables["paths"].join(names, on=["recording_id", "object_id"], how="left")
    mine = rows.filter(
        (pl.col("recording_id") == take.take_id) & pl.col("name").is_in(list(take.instances))
    )
    return mine.sort("t_s", "path_id").to_dicts()


@pytest.mark.parametrize("take", FLAT.takes, ids=lambda take: take.take_id)
def test_ways_begin_at_the_wearer_and_end_at_the_thing(
    tables: dict[str, pl.DataFrame], take: Take
) -> None:
    rows = paths(tables, take)
    assert len(rows) > 100
    for row in rows:
        x, y = take.camera_pose("ego", row["t_s"]).position[:2]
        start, end = row["waypoints"][0], row["waypoints"][-1]
        away = math.dist((start["x_m"], start["y_m"]), (x, y))
        assert away == pytest.approx(row["start_offset_m"], abs=0.02)
        assert away < 0.08 or row["start_offset_m"] <= 1.0
        centre = take.thing_at(row["name"], row["t_s"]).centre[:2]
        beside = math.dist((end["x_m"], end["y_m"]), centre)
        assert beside == pytest.approx(row["goal_offset_m"], abs=0.02)
        assert beside <= 1.0


@pytest.mark.parametrize("take", FLAT.takes, ids=lambda take: take.take_id)
def test_nobody_is_sent_through_furniture(tables: dict[str, pl.DataFrame], take: Take) -> None:
    """Every piece that reaches above 0.1 m keeps 0.2 m from the way, less half a cell's diagonal."""
    outlines = {
        name: (piece.bounds[0][:2], piece.bounds[1][:2])
        for name, piece in furniture().items()
        if piece.bounds[1][2] > 0.1 and piece.bounds[0][2] < 1.8
    }
    for row in paths(tables, take):
        for one, other in pairwise(row["waypoints"]):
            n = max(2, round(math.dist(tuple(one.values()), tuple(other.values())) / 0.02))
            for k in range(n + 1):
                x = one["x_m"] + (other["x_m"] - one["x_m"]) * k / n
                y = one["y_m"] + (other["y_m"] - one["y_m"]) * k / n
                for name, ((x0, y0), (x1, y1)) in outlines.items():
                    gap = math.hypot(max(x0 - x, 0, x - x1), max(y0 - y, 0, y - y1))
                    assert gap > 0.2 - 0.0708, (row["path_id"], name)


@pytest.mark.parametrize("take", FLAT.takes, ids=lambda take: take.take_id)
def test_the_first_turn_is_the_worlds(tables: dict[str, pl.DataFrame], take: Take) -> None:
    """From the camera to the second waypoint; the first one lies up to 8 cm beside the camera."""
    compared = 0
    for row in paths(tables, take):
        to, step = row["waypoints"][1], row["steps"][0]
        if row["start_offset_m"] > 0.08 or step["distance_m"] < 1.0:
            continue
        expected = take.bearing_deg("ego", (to["x_m"], to["y_m"], 0.0), row["t_s"])
        tolerance = math.degrees(math.asin(0.08 / step["distance_m"])) + 0.5
        assert apart(expected, step["turn_deg"]) < tolerance, row["path_id"]
        compared += 1
    assert compared > 30


def test_maps_are_kept_as_planned_on(tables: dict[str, pl.DataFrame]) -> None:
    maps = {row["map_id"]: row for row in tables["free_space"].to_dicts()}
    for path in tables["paths"].iter_rows(named=True):
        row = maps[path["map_id"]]
        cells = [free for n, length in enumerate(row["runs"]) for free in [n % 2] * length]
        for point in path["grid_waypoints"]:
            at = math.floor(point["y_m"] / row["cell_m"]) - row["row"]
            across = math.floor(point["x_m"] / row["cell_m"]) - row["column"]
            assert cells[at * row["columns"] + across]
        assert path["object_id"] not in row["in_the_way"]

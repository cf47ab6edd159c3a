"""Direction prediction on the small world of its derivation: borders, and what is not asked about."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

from assets.questions.egoexobench.direction_prediction import BUILDER, DIRECTIONS
from expectations.gates import judge
from expectations.schemas import TABLES
from tests.derivations.egoexobench import direction_prediction as small
from tests.derivations.world import Fault, World

MEASURED = [fault for fault in small.FAULTS if small.ONE in fault.fits]


def world(plant: Callable[[World], Any] | None = None) -> World:
    made = small.by_the_way_seen()
    if plant is not None:
        plant(made)
    return made


def built(given: World) -> pl.DataFrame:
    """Questions about the take of a world."""
    tables = {}
    for name in BUILDER.reads:
        rows = TABLES[name].frame(given.tables[name])
        tables[name] = rows.filter(pl.col("recording_id").str.starts_with("take|"))
    return BUILDER.make(tables)


def directions(given: World) -> list[str]:
    made = built(given).to_dicts()
    return [next(d for d in DIRECTIONS if q["text"].endswith(f"move {d}?")) for q in made]


def stands(degrees: float) -> Callable[[World], None]:
    """Turns the ring of cameras round the middle of the way."""

    def plant(w: World) -> None:
        for letter in "ABCD":
            small._swing(w, letter, degrees)

    return plant


def alters_tables(fault: Fault) -> bool:
    before, after = world(), world(fault.plant)
    return before.tables != after.tables


@pytest.mark.parametrize(
    "fault",
    # Clocks that contradict `recordings` about the take are not tables that a source gives.
    [f for f in MEASURED if alters_tables(f) and f.name != "view_of_another_take"],
    ids=lambda fault: fault.name,
)
def test_whatever_is_built_of_spoiled_tables_passes_the_gates(fault: Fault) -> None:
    given = world(fault.plant)
    made = built(given).with_columns(pool=pl.lit(given.question["pool"]))
    verdicts = judge(made, given.given()) if made.height else pl.DataFrame({"verdict": []})
    refused = [v for v in verdicts.to_dicts() if v["verdict"] == "refuse"]
    # The frames of one fault end early: no builder sees them.
    assert all(v["gate"] == "seen_by_sampling" for v in refused), refused


@pytest.mark.parametrize(
    ("degrees", "expected"),
    [
        (0.0, {DIRECTIONS[n] for n in (0, 2, 4, 6)}),
        (14.5, {DIRECTIONS[n] for n in (0, 2, 4, 6)}),
        (15.5, set()),  # within 7.5 degrees of a border
        (22.5, set()),
        (29.5, set()),
        (30.5, {DIRECTIONS[n] for n in (1, 3, 5, 7)}),
        (45.0, {DIRECTIONS[n] for n in (1, 3, 5, 7)}),
    ],
)
def test_a_direction_near_the_border_of_its_sector_is_not_asked(
    degrees: float, expected: set[str]
) -> None:
    found = directions(world(stands(degrees)))
    assert len(found) == bool(expected)
    assert set(found) <= expected


def test_a_fifth_view_that_looks_like_the_right_one_is_not_shown() -> None:
    right: set[str] = set()
    for n in range(12):

        def five(w: World, n: int = n) -> None:
            for table in ("recordings", "clocks", "cameras", "camera_poses"):
                twin = {**w.row(table, recording_id="take|B"), "recording_id": "take|E"}
                w.tables[table].append(twin)
            w.tables["camera_poses"][-1] |= small._camera("B", 4.2, 8.0)
            w.tables["camera_poses"][-1]["recording_id"] = "take|E"
            # Another description is another question, about a view that is chosen anew.
            for table in ("segments", "labels"):
                w.row(table, segment_id="take|5.0")["segment_id"] = f"take|5.0, {n}"

        (question,) = built(world(five)).to_dicts()
        shown = {m["role"]: m["recording_id"] for m in question["media"]}
        answer = shown[f"option_{question['answer']}"]
        right.add(answer)
        assert len(set(shown.values())) == 5
        if answer in ("take|B", "take|E"):
            assert not {"take|B", "take|E"} <= set(shown.values())
    assert right & {"take|B", "take|E"} and right - {"take|B", "take|E"}


def test_with_four_cameras_of_which_two_look_alike_only_another_view_is_asked() -> None:
    """B and C both see the way lead to the right: that is not asked, and both are wrong about the rest."""
    found = directions(world(lambda w: small._swing(w, "C", 85.0)))
    assert found in ([DIRECTIONS[4]], [DIRECTIONS[6]])


def _without_place_on_device(w: World) -> None:
    for key in ("tx", "ty", "tz", "qw", "qx", "qy", "qz"):
        w.row("cameras", recording_id=small.WORN)[key] = None


def _moving_camera(w: World) -> None:
    row = w.row("camera_poses", recording_id="take|A")
    row["t_s"] = 0.0
    w.tables["camera_poses"].append({**row, "pose": 1, "t_s": 5.0})


def _not_calibrated(w: World) -> None:
    w.tables["cameras"].remove(w.row("cameras", recording_id="take|A"))


def _worn_camera_with_a_fixed_place(w: World) -> None:
    """A head camera that was placed as if it stood still."""
    w.tables["camera_poses"] = [r for r in w.tables["camera_poses"] if r["of"] == "camera"]
    w.tables["camera_poses"].append(small._camera("A") | {"recording_id": small.WORN})


def _in_no_unit(w: World) -> None:
    for row in w.tables["camera_poses"]:
        row["metric"] = False


def _stops_filming(w: World) -> None:
    w.row("recordings", recording_id="take|C")["duration_s"] = 5.5


@pytest.mark.parametrize(
    "plant",
    [
        _without_place_on_device,
        _moving_camera,
        _not_calibrated,
        _worn_camera_with_a_fixed_place,
        _in_no_unit,
        _stops_filming,
        *(
            f.plant
            for f in MEASURED
            if f.name
            in (
                "camera_far_away",
                "camera_looks_straight_down",
                "camera_lies_on_its_side",
                "camera_stands_on_its_head",
                "camera_looks_the_other_way",
                "camera_placed_in_another_world",
                "clock_joined_by_hand",
                "description_names_no_direction",
                "people_rejected_the_moment",
                "movement_not_visible_to_the_wearer",
                "poses_lost_on_the_way",
                "somebody_else_moves",
                "wearer_climbs",
                "wearer_goes_back_and_forth",
                "wearer_goes_in_a_bow",
                "wearer_hardly_moves",
                "wearer_leaves_a_picture",
            )
        ),
    ],
    ids=lambda plant: plant.__name__,
)
def test_nothing_is_asked(plant: Callable[[World], Any]) -> None:
    assert built(world()).height == 1
    assert built(world(plant)).is_empty()


def test_where_the_head_looks_does_not_matter() -> None:
    """Only the device's place counts, with the camera's place on it; its turn moves that by centimetres."""

    def turned(w: World) -> None:
        for row in w.tables["camera_poses"]:
            if row["recording_id"] == small.WORN:
                q = small.times(
                    (row["qw"], row["qx"], row["qy"], row["qz"]), small.turn(2, 30.0 * row["t_s"])
                )
                row.update(zip(("qw", "qx", "qy", "qz"), q, strict=True))

    assert directions(world(turned)) == directions(world())


def test_people_are_followed_where_nothing_was_measured() -> None:
    made = built(small.by_what_people_wrote())
    (question,) = made.to_dicts()
    assert question["text"].endswith(f"does {small.MOVES} move {small.GOES}?")
    given = small.by_what_people_wrote().given()
    verdicts = judge(made.with_columns(pool=pl.lit("s/direction_prediction@1/unit")), given)
    assert set(verdicts.filter(~pl.col("gate").is_in(["blind", "reviewed"]))["verdict"]) == {"pass"}


def _names_a_view_that_stops(w: World) -> None:
    w.row("recordings", recording_id="take|B")["duration_s"] = 5.0


def _not_visible(w: World) -> None:
    w.row("segments", segment_id="take|5.0")["ego_visible"] = False


def _three_views(w: World) -> None:
    w.tables["clocks"].remove(w.row("clocks", recording_id="take|D"))


@pytest.mark.parametrize("plant", [_names_a_view_that_stops, _not_visible, _three_views])
@pytest.mark.parametrize("state", ["standing", "unusable"])
def test_people_cannot_ask_what_is_not_filmed(plant: Callable[[World], Any], state: str) -> None:
    given = small.by_what_people_wrote()
    plant(given)
    given.row("review_states", item_id="take|5.0")["state"] = state
    assert built(given).is_empty()


def test_a_direction_that_nobody_else_accepted_gives_way_to_what_was_measured() -> None:
    given = small.by_the_way_seen()
    written = small.by_what_people_wrote().row("review_states", item_id="take|5.0")
    given.tables["review_states"].append(written | {"state": "unusable"})
    assert directions(given) == directions(world())


@pytest.mark.parametrize(
    ("at", "head_m", "asked"),
    [
        ((3.2, 0.0), small.HEAD_M, False),  # before the camera in the east
        ((0.0, 3.2), small.HEAD_M, False),
        ((4.5, 0.0), small.HEAD_M, True),  # behind it
        ((3.2, 0.8), small.HEAD_M, True),  # beside the line of sight
        ((0.3, 0.4), small.HEAD_M, True),  # beside the wearer
        ((3.2, 0.0), 0.9, True),  # sits: head and chest are seen above
    ],
)
def test_a_view_does_not_count_where_another_wearer_stands_in_between(
    at: tuple[float, float], head_m: float, asked: bool
) -> None:
    made = built(world(lambda w: small.somebody_beside(w, at, head_m)))
    assert made.height == int(asked)


@pytest.mark.parametrize(
    ("views", "joint", "known"),
    [
        (4, "nose", small.CLEAR),
        (4, "left_ankle", small.UNKNOWN),
        (3, "nose", small.UNKNOWN),
        (None, "nose", small.UNKNOWN),
    ],
)
def test_evidence_says_whether_poses_tell_that_nothing_hides_the_wearer(
    views: int | None, joint: str, known: str
) -> None:
    (made,) = built(world(lambda w: small.poses_found_from(w, views, joint))).to_dicts()
    roles = {e["role"] for e in made["evidence"]}
    assert roles & {small.CLEAR, small.UNKNOWN} == {known}


def _lacks(given: World) -> str | None:
    """The first thing that the source of a world lacks."""
    tables = {name: TABLES[name].frame(given.tables[name]) for name in BUILDER.reads}
    reasons = (need.missing(tables) for need in BUILDER.needs)
    return next((why for why in reasons if why is not None), None)


def _without_verbs(w: World) -> None:
    w.tables["labels"] = []


def _without_cameras(w: World) -> None:
    w.tables["camera_poses"] = [r for r in w.tables["camera_poses"] if r["of"] == "device"]


def _without_trajectory(w: World) -> None:
    w.tables["camera_poses"] = [r for r in w.tables["camera_poses"] if r["of"] == "camera"]


@pytest.mark.parametrize(
    ("plant", "reason"),
    [
        (_without_verbs, "install the extra `words`"),
        (_without_cameras, "no fixed camera"),
        (_without_trajectory, "no trajectory"),
    ],
)
def test_a_source_is_told_what_it_lacks_unless_people_wrote_directions(
    plant: Callable[[World], Any], reason: str
) -> None:
    assert _lacks(world()) is None
    assert reason in (_lacks(world(plant)) or "")
    written = small.by_what_people_wrote()
    plant(written)
    assert _lacks(written) is None
    assert built(written).height == 1
    written.row("review_states", item_id="take|5.0")["verdict"] = "reject"
    assert _lacks(written) is not None

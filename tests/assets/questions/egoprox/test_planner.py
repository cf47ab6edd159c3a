"""The planner's tools: rows by hand, with what each tool says and the answer that follows."""

from __future__ import annotations

import importlib
import json
import math
from typing import Any

import pytest

from assets.questions.egoprox.exploitation_relative import BUILDER as EXPLOITATION
from assets.questions.egoprox.exploration_approximate import BUILDER as EXPLORATION
from assets.questions.egoprox.planner import PLANS, follow, kind_of, thing_of, trace
from assets.questions.egoprox.scene import Scene
from assets.questions.egoprox.tools import TOOLS
from expectations.schemas import TABLES
from tests.assets.questions.egoprox.test_chain_of_actions import after_the_cloth
from tests.assets.questions.egoprox.test_chain_of_actions import tables as chain_tables
from tests.assets.questions.egoprox.test_exploitation_relative import afford, place
from tests.assets.questions.egoprox.test_exploitation_relative import tables as uses
from tests.assets.questions.egoprox.test_exploration_approximate import leading
from tests.assets.questions.egoprox.test_exploration_relative import tables as with_ways
from tests.assets.questions.egoprox.test_intention_relative import facts, make_questions
from tests.assets.questions.egoprox.test_intention_relative import tables as with_facts
from tests.assets.report.test_plans import NO_TURN, looking
from tests.derivations.egoprox.chain_of_actions import table as keysteps

Row = dict[str, Any]
MAP = {
    "source": "s", "recording_id": "R", "map_id": "m", "floor_m": 0.0, "cell_m": 0.1,
    "row": 0, "column": 0, "rows": 2, "columns": 100, "runs": [50, 150], "in_the_way": ["8", "9"],
}  # fmt: skip


def scene(rows: list[Row], **more: list[Row]) -> Scene:
    """The camera is at (2, 3) and looks north-west."""
    of = {"source": "s", "recording_id": "R"}
    pose = {**of, "of": "camera", "pose": 0, "t_s": None, "world_frame_id": "w"}
    at = {"tx": 2.0, "ty": 3.0, "tz": 1.6, **looking(135.0)}
    mount = {**of, "method": "stated", "tx": 0.0, "ty": 0.0, "tz": 0.0, **NO_TURN}
    given = {"spatial_facts": rows, "camera_poses": [pose | at], "calibrations": [mount], **more}
    return Scene.of("R", {name: TABLES[name].frame(found) for name, found in given.items()})


def outputs(question: Row, where: Scene) -> dict[str, Any]:
    found = trace(question, where)
    assert found is not None
    assert found.agrees
    assert found.answer == question["answer"]
    return {call.tool: call.result.output for call in found.calls}


def intention() -> Row:
    (row,) = make_questions(with_facts(facts())).to_dicts()
    return row


def test_a_goal_that_is_looked_at_later() -> None:
    row = intention()
    assert (kind_of(row, scene(facts())), thing_of(row, scene(facts()))) == ("intention", "7")
    # The clip is 11 to 19 s.
    assert outputs(row, scene(facts())) == {
        "visibility": {"in_view_s": ["2.0 to 5.0"], "in_view_at_the_end": False},
        "gaze_parser": {"is_looked_at_after_s": 1.0},
        "affordance_detector": {"known": False},
        "spatial_calculator": {"turn_deg": 100.0, "to_the": "right", "distance_m": 1.25},
    }
    rows = {call.tool: call.result.rows for call in trace(row, scene(facts())).calls}  # type: ignore[union-attr]
    assert rows["spatial_calculator"] == (
        "spatial_facts:bearing/7/19",
        "spatial_facts:distance/7/19",
    )


def test_a_way() -> None:
    way = leading(-60.0, 1.3) | {"map_id": "m"}
    rows = facts(event=None)
    (row,) = EXPLORATION.make(with_ways(way, rows=rows)).to_dicts()
    found = outputs(row, scene(rows, paths=[way], free_space=[MAP]))
    assert [*found] == ["visibility", "occupancy_map", "path_planner"]
    assert found["occupancy_map"] == {"map": "m", "free_floor_m2": 1.5, "things_in_the_way": 2}
    assert found["path_planner"] == {
        "turn_deg": 60.0, "to_the": "left", "distance_m": 1.3, "way_m": 4.82, "bends": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "kind", "happens", "calculator"),
    [
        (afford(), "afford", "taken", "spatial_calculator"),
        (place(), "place", "put down", "displacement_calculator"),
    ],
)
def test_what_is_taken_and_put_down(
    rows: list[Row], kind: str, happens: str, calculator: str
) -> None:
    (row,) = EXPLOITATION.make(uses(rows)).to_dicts()
    assert kind_of(row, scene(rows)) == kind
    found = outputs(row, scene(rows))
    assert found["affordance_detector"] == {"is": happens, "after_s": 1.0}
    assert found[calculator] == {"turn_deg": 100.0, "to_the": "right", "distance_m": 0.8}


def test_a_chain() -> None:
    world = keysteps()
    row = after_the_cloth(world)
    given = chain_tables(world)
    mine = {n: t if n == "step_order" else t.filter(recording_id="T1") for n, t in given.items()}
    found = trace(row, Scene.of("T1", mine))
    assert found is not None
    assert found.agrees
    assert sorted(found.answer.splitlines()) == sorted(row["answer_text"].splitlines())
    number = {int(c["value"]): c["number"] for c in row["candidates"]}
    first, second = found.calls[1].result.orders
    assert first == (tuple(number[n] for n in (4, 5, 6, 7)), ("A", "C", "E"))
    assert second == (tuple(number[n] for n in (5, 4, 6, 7)), ("B", "E", "E"))
    # A stored answer with another direction is not what the tools find.
    assert json.loads(row["answer_text"].splitlines()[0])[1] == ["A", "C", "E"]
    other = row | {"answer_text": row["answer_text"].replace('"C"', '"D"')}
    assert not trace(other, Scene.of("T1", mine)).agrees  # type: ignore[union-attr]


def test_a_mirrored_or_missing_bearing_does_not_agree() -> None:
    row = intention()
    mirrored = facts(bearing={"value": -100.0, "sector": 6})
    found = trace(row, scene(mirrored))
    assert found is not None
    assert (found.answer != row["answer"], found.agrees) == (True, False)
    missing = trace(row, scene(facts(bearing=None)))
    assert missing is not None
    assert (missing.answer, missing.agrees) == ("", False)


def test_the_last_tool_that_finds_a_direction_decides() -> None:
    row = intention()
    found = follow(["spatial_calculator", "visibility"], row, scene(facts()))
    assert found.agrees
    assert follow(["visibility", "gaze_parser"], row, scene(facts())).answer == ""


def test_questions_of_other_benchmarks_have_no_trace() -> None:
    assert trace(intention() | {"benchmark": "mine"}, scene(facts())) is None


def test_every_plan_names_tools_and_every_tool_what_it_hands_out() -> None:
    assert {name for names in PLANS.values() for name in names} == TOOLS.keys()
    for tool in TOOLS.values():
        for place_of_it in tool.made_by:
            module, _, name = place_of_it.rpartition(".")
            assert callable(getattr(importlib.import_module(module), name))


def test_turns_across_what_is_behind_are_told_right() -> None:
    """178 degrees to either side are one sector, and one interval from 165 to 195."""
    for value in (178.0, -178.0):
        rows = facts(bearing={"value": value, "sector": 4, "margin_deg": 20.5})
        (row,) = make_questions(with_facts(rows)).to_dicts()
        assert outputs(row, scene(rows))["spatial_calculator"]["turn_deg"] == 178.0
        assert math.isclose(abs(trace(row, scene(rows)).calls[-1].result.turn_deg or 0.0), 178.0)  # type: ignore[union-attr]

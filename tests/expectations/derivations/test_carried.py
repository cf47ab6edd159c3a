"""What is in the wearer's hand is no obstacle, and what stands at the same place is one."""

from __future__ import annotations

import pytest

from expectations.gates import judge
from tests.derivations.egoprox.exploration_relative import END_S, UID, box
from tests.derivations.registry import fresh

# On the way's first leg, 0.5 m before the wearer.
LOW, HIGH = (0.25, -0.5, 0.9), (0.45, -0.3, 1.1)
AT = (0.35, -0.4, 1.1)


@pytest.mark.parametrize(
    ("moves", "hand", "verdict"),
    [
        pytest.param(True, AT, "pass", id="a hand is at a thing that can move"),
        pytest.param(True, (0.35, 0.6, 1.1), "refuse", id="the hand is elsewhere"),
        pytest.param(False, AT, "refuse", id="a hand is at a thing that never moves"),
    ],
)
def test_a_thing_bars_the_way_unless_it_is_in_the_hand(
    moves: bool, hand: tuple[float, float, float], verdict: str
) -> None:
    world = fresh("exploration_relative")
    tray = box("y", "Tray", LOW, HIGH)
    for pose, t_s in enumerate((END_S - 0.1, END_S, END_S + 0.1) if moves else (None,)):
        world.tables["objects_3d"].append(tray | {"pose": pose, "t_s": t_s})
    x, y, z = hand
    world.tables["hand_joints"].append(
        {"source": "s", "recording_id": UID, "sample": 0, "t_s": END_S, "hand_side": "right"}
        | {"joint": "wrist", "x": x, "y": y, "z": z}
    )
    verdicts = judge(world.questions(), world.given())
    (row,) = (one for one in verdicts.to_dicts() if one["gate"] == "consistent")
    assert row["verdict"] == verdict
    assert row["rule"] == ("way_barred" if verdict == "refuse" else row["rule"])

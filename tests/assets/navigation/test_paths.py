"""Ways of a small room: what stands is in the way, what the wearer carries is not."""

from __future__ import annotations

import math
from typing import Any

import polars as pl
import pytest

from assets.navigation.paths import plan_paths

HALF = math.sqrt(0.5)
# The camera's axis lies along the world's x.
AHEAD = {"qw": HALF, "qx": 0.0, "qy": HALF, "qz": 0.0}
NOWHERE = {"tx": 0.0, "ty": 0.0, "tz": 0.0, "qw": 1.0, "qx": 0.0, "qy": 0.0, "qz": 0.0}
TIMES = (0.0, 0.5, 1.0)


def box(
    uid: str,
    low: tuple[float, ...],
    high: tuple[float, ...],
    t_s: float | None = None,
    x: float = 0.0,
) -> dict[str, Any]:
    """A row of `objects_3d`; `x` is how far it was moved."""
    ends = {f"{a}_min_m": v for a, v in zip("xyz", low, strict=True)}
    ends |= {f"{a}_max_m": v for a, v in zip("xyz", high, strict=True)}
    key = {
        "recording_id": "r",
        "object_id": uid,
        "name": uid,
        "category": uid,
        "method": "annotated",
    }
    motion = {"motion": "static" if t_s is None else "dynamic", "world_frame_id": "w"}
    pose = 0 if t_s is None else TIMES.index(t_s)
    return key | motion | ends | {"pose": pose, "t_s": t_s} | NOWHERE | {"tx": x}


def room(start_s: float | None, moved_m: float) -> dict[str, pl.DataFrame]:
    """A tray 0.3 m before the wearer's chest, and a kettle 3 m ahead whose direction is known at 1 s.

    Args:
        start_s: When a hand comes to the tray; None if none does.
        moved_m: How far the tray has come since the first instant.
    """
    poses = [
        {"recording_id": "r", "of": "camera", "world_frame_id": "w", "pose": n, "t_s": t}
        | NOWHERE
        | AHEAD
        | {"tz": 1.6}
        for n, t in enumerate(TIMES)
    ]
    boxes = [
        box("floor", (-1, -2, -0.1), (4, 2, 0.0)),
        box("kettle", (2.9, -0.1, 0.0), (3.1, 0.1, 0.3)),
        *(box("tray", (0.6, -0.3, 1.0), (0.9, 0.3, 1.1), t, -moved_m * (1.0 - t)) for t in TIMES),
    ]
    facts = [
        {"fact_id": "b", "operator": "bearing", "object_id": "kettle", "t_s": 1.0, "end_s": None}
        | {"frame": "camera", "plane": "ground", "value": 0.0}
    ]
    if start_s is not None:
        facts.append(
            {
                "fact_id": "c",
                "operator": "contact",
                "object_id": "tray",
                "t_s": start_s,
                "end_s": 2.0,
            }
            | {"frame": None, "plane": None, "value": None}
        )
    return {
        "calibrations": pl.DataFrame([{"recording_id": "r"} | NOWHERE]),
        "camera_poses": pl.DataFrame(poses),
        "objects_3d": pl.DataFrame(boxes, infer_schema_length=None),
        "spatial_facts": pl.DataFrame(facts, infer_schema_length=None),
    }


@pytest.mark.parametrize(
    ("start_s", "moved_m", "bends"),
    [
        pytest.param(None, 0.5, True, id="no hand is at it"),
        pytest.param(0.0, 0.5, False, id="it is carried"),
        pytest.param(0.0, 0.0, True, id="a hand lies on it and it stands where it stood"),
        pytest.param(1.5, 0.5, True, id="a hand comes to it later"),
    ],
)
def test_what_is_carried_is_not_in_the_way(
    start_s: float | None, moved_m: float, bends: bool
) -> None:
    ways = plan_paths("s", "r", room(start_s, moved_m))
    (path,), (space,) = ways.paths, ways.maps
    assert (len(path["waypoints"]) > 2) == bends
    assert ("tray" in space["in_the_way"]) == bends
    # The goal itself is never in the way, whoever holds it.
    assert path["object_id"] == "kettle"
    assert "kettle" not in space["in_the_way"]

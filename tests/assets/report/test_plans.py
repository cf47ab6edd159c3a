"""Plans of a room: rows by hand, with the place of everything on the drawing worked out by hand."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest

from assets.questions.egoprox.chain_of_actions import BUILDER as CHAIN
from assets.questions.egoprox.exploitation_approximate import BUILDER as EXPLOITATION
from assets.questions.egoprox.exploration_approximate import BUILDER as EXPLORATION
from assets.questions.egoprox.intention_relative import BUILDER as INTENTION
from assets.questions.egoprox.scene import Scene
from assets.report.plan_drawing import MOST_THINGS, WIDTH, Drawing, draw
from assets.report.plan_view import PlanView, has_plan, hull, plan_view
from assets.report.render import render_page
from expectations.schemas import TABLES
from tests.assets.questions.egoprox.test_chain_of_actions import tables as chain_tables
from tests.assets.questions.egoprox.test_exploitation_relative import place
from tests.assets.questions.egoprox.test_exploitation_relative import tables as uses
from tests.assets.questions.egoprox.test_exploration_approximate import leading
from tests.assets.questions.egoprox.test_exploration_relative import tables as with_ways
from tests.assets.questions.egoprox.test_intention_relative import facts
from tests.assets.questions.egoprox.test_intention_relative import tables as with_facts
from tests.assets.report.report_sample import HOSTILE, model, plan
from tests.derivations.egoprox.chain_of_actions import table as keysteps

Point = tuple[float, float]
PLACE = {"source": "s", "recording_id": "R"}
NO_TURN = {"qw": 1.0, "qx": 0.0, "qy": 0.0, "qz": 0.0}


def looking(heading_deg: float) -> dict[str, float]:
    """Quaternion of a camera that looks level in a direction, counter-clockwise from the world's x."""
    # Its axis, z, is laid down on the world's y, then turned about the vertical.
    half, turn = math.sqrt(0.5), math.radians(heading_deg - 90) / 2
    c, s = math.cos(turn), math.sin(turn)
    return {"qw": c * half, "qx": -c * half, "qy": -s * half, "qz": s * half}


def box(uid: str, name: str, x: float, y: float, z: float = 0.8, **more: Any) -> dict[str, Any]:
    """A box of 0.4 by 0.2 by 0.2 m around a point."""
    ends = {
        f"{a}_{e}_m": s * h
        for a, h in zip("xyz", (0.2, 0.1, 0.1), strict=True)
        for e, s in (("min", -1), ("max", 1))
    }
    row = {**PLACE, "object_id": uid, "pose": 0, "t_s": None, "name": name, "motion": "static"}
    return row | {
        "world_frame_id": "w",
        "tx": x,
        "ty": y,
        "tz": z,
        **NO_TURN,
        **ends,
        "method": "annotated",
        **more,
    }


def scene(*boxes: dict[str, Any], heading_deg: float = 90.0, **rows: Any) -> Scene:
    """The camera is at (2, 3), 1.6 m above the floor."""
    pose = {**PLACE, "of": "camera", "pose": 0, "t_s": None, "world_frame_id": "w"}
    at = {"tx": 2.0, "ty": 3.0, "tz": 1.6, **looking(heading_deg)}
    none = {"tx": 0.0, "ty": 0.0, "tz": 0.0, **NO_TURN}
    given = {
        "camera_poses": [pose | at],
        "calibrations": [{**PLACE, "method": "stated", **none}],
        "objects_3d": boxes or [box("7", "mug", 3.0, 4.0)],
        "spatial_facts": facts(),
        **rows,
    }
    return Scene.of("R", {name: TABLES[name].frame(found) for name, found in given.items()})


def question(builder: Any, tables: Any) -> dict[str, Any]:
    (row,) = builder.make(tables).iter_rows(named=True)
    assert has_plan(row)
    return row


def intention(bearing_deg: float = 45.0, **more: Any) -> dict[str, Any]:
    sector = round(bearing_deg / 45) % 8
    return question(
        INTENTION,
        with_facts(
            facts(bearing={"value": bearing_deg, "sector": sector, "margin_deg": 20.0, **more})
        ),
    )


def view_of(row: dict[str, Any], where: Scene) -> PlanView:
    view = plan_view(row, where)
    assert view is not None
    return view


def points(drawing: Drawing, kind: str) -> list[Point]:
    """End points of the lines and arcs of the first shape of a kind."""
    data = next(shape.path for shape in drawing.shapes if shape.kind == kind)
    pairs = re.findall(r"(-?[\d.]+) (-?[\d.]+)(?=[MLAZz]|$)", data)
    return [(float(x), float(y)) for x, y in pairs]


def middle(at: list[Point]) -> Point:
    return sum(x for x, _ in at) / len(at), sum(y for _, y in at) / len(at)


def test_camera_and_goal_are_where_the_rows_say() -> None:
    view = view_of(intention(), scene())
    assert view.camera == view.origin == (2.0, 3.0)
    assert view.heading_deg == pytest.approx(90.0)
    assert view.goal_at == (3.0, 4.0)
    assert view.goal is not None
    assert sorted(view.goal.corners) == pytest.approx(
        sorted([(2.8, 3.9), (3.2, 3.9), (3.2, 4.1), (2.8, 4.1)])
    )
    right = [s for s in view.sectors if s.is_answer]
    assert [(s.low_deg, s.high_deg) for s in right] == [(22.5, 67.5)]
    assert len(view.sectors) == 5


def test_north_is_up_and_east_is_right_at_one_scale() -> None:
    drawing = draw(view_of(intention(), scene()))
    # The options reach 1.15 times as far as the goal, 1.63 m, with 0.6 m around: 4.45 m are shown.
    scale = WIDTH / (2 * (1.15 * math.sqrt(2) + 0.6))
    x, y = points(drawing, "toward")[0]
    goal = middle(points(drawing, "goal"))
    assert goal == pytest.approx((x + scale, y - scale), abs=0.2)
    bar = next(shape.path for shape in drawing.shapes if shape.kind == "bar")
    found = re.match(r"M12 [\d.]+v8h([\d.]+)v-8", bar)
    assert found is not None
    assert float(found[1]) == pytest.approx(scale, abs=0.1)
    assert [label.text for label in drawing.labels if label.kind == "scale"] == ["1 m"]


@pytest.mark.parametrize("heading_deg", [0.0, 90.0, 135.0, -120.0])
@pytest.mark.parametrize("bearing_deg", [45.0, 90.0, 135.0, -45.0, -90.0, -135.0])
def test_what_is_to_the_right_is_drawn_to_the_right(heading_deg: float, bearing_deg: float) -> None:
    """Seen along the arrow, a positive bearing lies clockwise; so does the sector of the answer."""
    angle = math.radians(heading_deg - bearing_deg)
    goal = box("7", "mug", 2 + 1.5 * math.cos(angle), 3 + 1.5 * math.sin(angle))
    drawing = draw(view_of(intention(bearing_deg), scene(goal, heading_deg=heading_deg)))
    camera, target = points(drawing, "toward")
    tip = (
        camera[0] + math.cos(math.radians(heading_deg)),
        camera[1] - math.sin(math.radians(heading_deg)),
    )

    def clockwise_deg(to: Point) -> float:
        ahead, aside = (math.atan2(p[1] - camera[1], p[0] - camera[0]) for p in (tip, to))
        return (math.degrees(aside - ahead) + 180) % 360 - 180

    assert clockwise_deg(target) == pytest.approx(bearing_deg, abs=0.1)
    _, low, high = points(drawing, "sector")
    assert clockwise_deg(low) == pytest.approx(bearing_deg - 22.5, abs=0.1)
    assert clockwise_deg(high) == pytest.approx((bearing_deg + 22.5 + 180) % 360 - 180, abs=0.1)


def test_a_way_is_drawn_from_the_camera_over_its_bends_on_its_map() -> None:
    space = {
        **PLACE,
        "map_id": "m", "floor_m": 0.0, "cell_m": 0.1,
        "row": 30, "column": 20, "rows": 3, "columns": 4,
        # Free: columns 1 and 2 of the first two rows, all of the third.
        "runs": [1, 2, 2, 2, 1, 4], "in_the_way": [],
    }  # fmt: skip
    # The camera looks north-west; 60 degrees to its right is 15 degrees off north.
    way = leading(60.0, 1.3) | {"map_id": "m"}
    row = question(EXPLORATION, with_ways(way))
    goal = box("7", "mug", 4.0, 4.0)
    view = view_of(row, scene(goal, heading_deg=135.0, paths=[way], free_space=[space]))
    bend = 2 + 1.3 * math.sin(math.radians(15)), 3 + 1.3 * math.cos(math.radians(15))
    assert view.way == ((2.0, 3.0), pytest.approx(bend), (4.0, 4.0))
    assert view.free == tuple(
        pytest.approx(one) for one in ((2.1, 3.0, 2.3, 3.2), (2.0, 3.2, 2.4, 3.3))
    )
    (right,) = [s for s in view.sectors if s.is_answer]
    assert (right.low_deg, right.high_deg, right.low_m, right.high_m) == (45.0, 75.0, 1.0, 1.5)
    drawing = draw(view)
    start, first, end = points(drawing, "way")
    scale = (end[0] - start[0]) / 2.0
    assert (first[0] - start[0]) / scale == pytest.approx(bend[0] - 2.0, abs=0.01)
    assert (start[1] - first[1]) / scale == pytest.approx(bend[1] - 3.0, abs=0.01)
    # The sector of 1 to 1.5 m round the camera begins and ends at these distances.
    far = [math.dist(start, point) / scale for point in points(drawing, "sector")]
    assert far == pytest.approx([1.5, 1.5, 1.0, 1.0], abs=0.01)


def test_what_is_put_down_is_drawn_from_where_it_is() -> None:
    """From (3, 4) to (3, 4.6), 0.3 m lower: 0.6 m on the ground of 0.67 m through space."""
    rows = place(
        value=0.0, away_m=0.67, direction={"evidence": ["objects_3d:7/0", "objects_3d:7/1"]}
    )
    row = question(EXPLOITATION, uses(rows))
    moving = {"motion": "dynamic"}
    boxes = (
        box("7", "mug", 3.0, 4.0, 1.1, t_s=39.0, **moving),
        box("7", "mug", 3.0, 4.6, 0.8, t_s=45.0, pose=1, **moving),
    )
    view = view_of(row, scene(*boxes, spatial_facts=rows))
    assert (view.origin, view.goal_at, view.place) == ((3.0, 4.0), (3.0, 4.0), (3.0, 4.6))
    (right,) = [s for s in view.sectors if s.is_answer]
    assert (right.low_deg, right.high_deg) == (-15.0, 15.0)
    # 0.5 to 1 m through space, as seen from above.
    assert right.low_m == pytest.approx(math.sqrt(0.25 - 0.09))
    assert right.high_m == pytest.approx(math.sqrt(1.0 - 0.09))


def test_gaze_is_drawn_then_and_when_the_goal_is_looked_at() -> None:
    pose = {**PLACE, "of": "device", "world_frame_id": "w", "tx": 2.0, "ty": 3.0, "tz": 1.6}
    poses = [pose | {"pose": n, "t_s": t_s, **looking(90.0)} for n, t_s in enumerate((19.0, 20.0))]
    level = {"tx": 0.0, "ty": 0.0, "tz": 0.0}
    # The pupils' frame is upright where the camera's is upside down: turned by 180 degrees about z.
    eyes = {**PLACE, "sensor": "cpf", **level, "qw": 0.0, "qx": 0.0, "qy": 0.0, "qz": 1.0}
    sample = {**PLACE, "pitch_rad": 0.0}
    gaze = [
        sample | {"sample": 0, "t_s": 19.0, "yaw_rad": math.radians(30), "depth_m": 1.5},
        sample | {"sample": 1, "t_s": 20.0, "yaw_rad": math.radians(-45), "depth_m": None},
    ]
    view = view_of(intention(), scene(camera_poses=poses, cameras=[eyes], gaze_rays=gaze))
    now, later = view.gaze
    assert (now.later_s, later.later_s) == (0.0, 1.0)
    # Yaw is positive to the left.
    assert now.end == pytest.approx((2 - 1.5 * 0.5, 3 + 1.5 * math.sqrt(0.75)))
    assert later.end == pytest.approx((2 + math.sqrt(2), 3 + math.sqrt(2)))
    kinds = [shape.kind for shape in draw(view).shapes]
    assert kinds.count("gaze") == kinds.count("gaze later") == 1


def test_a_chain_is_drawn_with_the_moves_of_each_valid_order() -> None:
    given = chain_tables(keysteps())
    given["recordings"] = given["recordings"].filter(recording_id="T1")
    row = next(r for r in CHAIN.make(given).to_dicts() if r["media"][0]["end_s"] == 14.0)
    assert has_plan(row)
    mine = {
        name: rows.filter(recording_id="T1") for name, rows in given.items() if name != "step_order"
    }
    view = view_of(row, Scene.of("T1", mine))
    number = {int(c["value"]): str(c["number"]) for c in row["candidates"]}
    assert {n for _, n, _ in view.steps} == {number[n] for n in (4, 5, 6, 7)}
    at = {n: xy for xy, n, _ in view.steps}
    name = {xy: n for n, xy in at.items()}
    moves = {(name[m.begin], name[m.end]): (m.letter, m.valid) for m in view.moves}
    assert moves == {
        (number[4], number[5]): ("A right", 1),
        (number[5], number[6]): ("C front", 1),
        (number[6], number[7]): ("E front-right", 1),
        (number[5], number[4]): ("B left", 2),
        (number[4], number[6]): ("E front-right", 2),
    }
    drawing = draw(view)
    kinds = [shape.kind for shape in drawing.shapes]
    assert (kinds.count("move"), kinds.count("move also"), kinds.count("step")) == (3, 2, 4)
    # To the right of where the arrow points is to the right on the drawing: turned clockwise.
    one, other = at[number[4]], at[number[5]]
    turn = math.degrees(math.atan2(other[1] - one[1], other[0] - one[0])) - view.heading_deg
    assert (-turn + 180) % 360 - 180 == pytest.approx(90.0, abs=15.0)


def test_without_a_pose_or_the_goal_there_is_no_plan() -> None:
    assert plan_view(intention(), scene(calibrations=[])) is None
    assert plan_view(intention(), scene(box("8", "bowl", 1.0, 1.0))) is None


def test_a_question_about_something_else_has_no_plan() -> None:
    row = intention()
    assert not has_plan(row | {"evidence": [{"table": "labels", "key": "1", "role": "answer"}]})


def test_what_the_wearer_stands_in_is_left_out_and_things_are_few() -> None:
    flat = box("9", "flat", 0.0, 0.0, x_min_m=-9.0, x_max_m=9.0, y_min_m=-9.0, y_max_m=9.0)
    crowd = [box(f"a{n}", "cup", 1.0 + n / 40, 4.5) for n in range(MOST_THINGS + 20)]
    view = view_of(intention(), scene(box("7", "mug", 3.0, 4.0), flat, *crowd))
    assert {thing.name for thing in view.things} == {"cup"}
    drawn = [shape for shape in draw(view).shapes if shape.kind == "thing"]
    assert len(drawn) == MOST_THINGS


def test_a_hull_is_convex_and_counter_clockwise() -> None:
    square = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
    assert hull([*square, (0.5, 0.5), (0.5, 0.0)]) == tuple(square)
    assert hull([(1.0, 2.0), (1.0, 2.0)]) == ((1.0, 2.0),)


def test_names_are_escaped_and_nothing_runs() -> None:
    html = render_page(model(plans={"id-k32": plan(HOSTILE)}))
    start = html.index('<figure class="plan">')
    figure = html[start : html.index("</figure>", start)]
    assert "&lt;script&gt;" in figure
    tags = re.findall(r"<[^>]*>", re.sub(r'="[^"]*"', "", figure))
    assert {tag.strip("</>").split()[0] for tag in tags} <= {
        *("figure", "svg", "path", "title", "text", "figcaption", "ul", "li")
    }
    attributes = set(re.findall(r'([\w-]+)="', figure))
    assert attributes <= {"class", "viewBox", "role", "aria-label", "aria-hidden", "d", "x", "y"}
    assert len(figure) < 8000


def test_a_drawing_says_what_it_shows() -> None:
    drawing = draw(plan())
    assert drawing.about == "Plan seen from above: the camera, the lid, option B as the right one"
    assert dict(drawing.legend) == {
        "camera": "camera at the end of the clip, and where it looks",
        "goal": "lid",
        "sector": "right option (B)",
        "other": "other options",
        "toward": "direction that is asked for",
        "gaze": "where the wearer looks then",
        "gaze later": "where the wearer looks 1.0 s later",
        "floor": "floor a person can walk on",
        "thing": "other things",
    }

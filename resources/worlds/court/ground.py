"""The court itself: floor, lines, a goal in the east, a hoop in the west, a bench, four cameras.

World: metres, z up, x to the east, y to the north; the middle of the court is the origin. The
cameras stand at the corners: to somebody in the middle they are a quarter turn apart, so that a
movement along the ground looks different in each.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from resources.worlds.court.truth import Player, Prop
from resources.worlds.flat.camera import Camera, Pose, aimed
from resources.worlds.flat.palette import PANELS, VIVID, Colour
from resources.worlds.flat.places import Block
from resources.worlds.flat.render import Scene
from resources.worlds.flat.scene import scene_of
from resources.worlds.flat.truth import Render

LENGTH_M: Final = 8.4
BREADTH_M: Final = 6.0
GOAL_X: Final = 3.8
GOAL_HALF_M: Final = 1.2
BALL_M: Final = 0.24
BALL: Final[Colour] = VIVID[7]
BENCH: Final = ((-3.2, 2.3, 0.0), (-0.4, 2.7, 0.45))

SHOES: Final[dict[str, Colour]] = {"left": VIVID[1], "right": VIVID[0]}
_SLEEVES: Final[dict[str, Colour]] = {"left": (250, 250, 250), "right": (30, 30, 30)}
_SHIRTS: Final = tuple(PANELS[n] for n in (0, 3, 8, 14, 17, 24))
PLAYERS: Final = tuple(
    Player(31 + n, shirt, dict(_SLEEVES), dict(SHOES))  # type: ignore[arg-type]
    for n, shirt in enumerate(_SHIRTS)
)
PARTNER: Final = Player(
    0,
    (120, 126, 140),
    {"left": (200, 200, 200), "right": (60, 60, 60)},
    {"left": (150, 90, 60), "right": (70, 90, 110)},
)
PROPS: Final = tuple(
    Prop(name, size, VIVID[colour], essential, spot)
    for name, size, colour, essential, spot in (
        ("red cone", (0.3, 0.3, 0.5), 4, True, (-2.3, -0.2)),
        ("blue cone", (0.3, 0.3, 0.5), 2, True, (-0.9, 0.9)),
        ("green hurdle", (0.2, 0.8, 0.4), 3, True, (0.2, 0.0)),
        ("yellow mat", (0.7, 0.5, 0.2), 5, True, (1.2, 1.0)),
        ("purple flag", (0.16, 0.16, 0.9), 8, False, (0.5, 1.9)),
    )
)
SMALL_THINGS: Final = tuple(
    Prop(name, (0.12, 0.12, 0.09), VIVID[colour], False, (0.0, 0.0))
    for name, colour in (
        ("red cup", 4), ("blue box", 2), ("green jar", 3), ("yellow sponge", 5), ("purple brush", 8)
    )
)  # fmt: skip
"""What is carried about on errands; it belongs nowhere."""
CAMERAS: Final = ("cam01", "cam02", "cam03", "cam04")
_CORNERS: Final = ((-4.7, -3.5), (4.7, -3.5), (4.7, 3.5), (-4.7, 3.5))
_EGO_PX: Final = {"full": 208, "small": 96, "none": 96}
_EXO_PX: Final = {"full": (288, 162), "small": (128, 72), "none": (128, 72)}
_EGO_HALF_RAD: Final = 0.98
_EXO_HALF_RAD: Final = 0.85
SKY: Final[Colour] = (176, 196, 214)
_LINE: Final[Colour] = (216, 218, 212)


def cameras(render: Render) -> tuple[dict[str, Camera], dict[str, Pose]]:
    """The wearer's camera and the four at the corners, and where these stand."""
    side = _EGO_PX[render]
    width, height = _EXO_PX[render]
    found = {"ego": Camera("ego", "fisheye", side, side, side / 2 / _EGO_HALF_RAD, "C")}
    places: dict[str, Pose] = {}
    for name, (x, y) in zip(CAMERAS, _CORNERS, strict=True):
        found[name] = Camera(name, "fisheye", width, height, width / 2 / _EXO_HALF_RAD)
        places[name] = aimed((x, y, 2.3), (0.12 * x, 0.12 * y, 0.5))
    return found, places


def bench_slot(place: int) -> tuple[float, float, float]:
    """Where a thing waits on the bench."""
    return -2.9 + 0.56 * place, 2.5, BENCH[1][2]


@cache
def still() -> Scene:
    """What never moves; nobody owns it."""
    x, y, g = LENGTH_M / 2, BREADTH_M / 2, GOAL_HALF_M
    white: Colour = (238, 238, 234)
    blocks = [
        Block((-9, -9, -0.2), (9, 9, -0.02), (104, 116, 100)),
        Block((-x, -y, -0.02), (x, y, 0.0), (128, 126, 120), plain=True),
        # Fences: somebody is never seen against the sky.
        Block((-9.2, -9.2, 0), (-9, 9.2, 3), (150, 160, 168)),
        Block((9, -9.2, 0), (9.2, 9.2, 3), (168, 156, 150)),
        Block((-9, -9.2, 0), (9, -9, 3), (156, 168, 150)),
        Block((-9, 9, 0), (9, 9.2, 3), (160, 150, 168)),
        Block((GOAL_X, -g - 0.08, 0), (GOAL_X + 0.08, -g, 1.7), white),
        Block((GOAL_X, g, 0), (GOAL_X + 0.08, g + 0.08, 1.7), white),
        Block((GOAL_X, -g - 0.08, 1.7), (GOAL_X + 0.08, g + 0.08, 1.78), white),
        Block((-4.4, -0.06, 0), (-4.28, 0.06, 2.5), (90, 92, 96)),
        Block((-4.28, -0.6, 2.1), (-4.22, 0.6, 2.9), (226, 226, 220)),
        Block((-4.22, -0.22, 2.2), (-3.8, 0.22, 2.24), (150, 70, 40)),
        Block(*BENCH, (170, 142, 112)),
    ]
    for lo, hi in (
        ((-0.04, -y), (0.04, y)),
        ((-x, -y), (x, -y + 0.08)),
        ((-x, y - 0.08), (x, y)),
        ((-x, -y + 0.08), (-x + 0.08, y - 0.08)),
        ((x - 0.08, -y + 0.08), (x, y - 0.08)),
    ):
        blocks.append(Block((*lo, 0.0), (*hi, 0.004), _LINE, plain=True))
    return scene_of(blocks, [0] * len(blocks))

"""Plans squares: who walks which way, and who wears a camera."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

from resources.worlds.square.truth import STEP_S, Colour, Square, SquareSpec, Take, Walker
from resources.worlds.tools.chance import between, unit

COLOURS: Final[tuple[Colour, ...]] = (
    (230, 20, 20), (20, 60, 230), (20, 170, 40), (240, 220, 20), (230, 30, 220), (20, 210, 220),
    (245, 130, 10), (120, 30, 170), (250, 250, 250), (15, 15, 15),
)  # fmt: skip
"""Far apart, and apart from ground, sky, skin and trousers."""
_CVMHAT_PEOPLE: Final = 8
_TF2023_PEOPLE: Final = 6
GAP: Final = (13, 14, 15)
"""Pictures that the first scene lacks."""
_FIRST_SCENE: Final = 61


def plan_square(spec: SquareSpec) -> Square:
    """The truth of a square; equal specs give equal squares, whatever is drawn."""
    make = _worn_take if spec.kind == "cvmhat" else _scene
    return Square(spec, tuple(make(spec, index) for index in range(spec.takes)))


def _worn_take(spec: SquareSpec, index: int) -> Take:
    """Two takes share a shot: another one wears the camera, and everybody has another number."""
    shot, second = divmod(index, 2)
    place = ("plaza", "market", "station", "park")[shot % 4]
    people = [
        _walker(spec, (spec.seed, "shot", shot), n, _CVMHAT_PEOPLE) for n in range(_CVMHAT_PEOPLE)
    ]
    if second:  # the wearer is 0, the others follow in an order of their own
        people = [people[1], *reversed(people[2:]), people[0]]
    name = f"V{shot}-S_{place}_{shot}-G_{1 + 2 * second}"
    return Take(name, tuple(people), 0, (0,), tuple(range(1, spec.frames + 1)))


def _scene(spec: SquareSpec, index: int) -> Take:
    key = (spec.seed, "scene", index)
    # Colours change places from scene to scene: they must not tell who wears a camera.
    colours = sorted(COLOURS[:_TF2023_PEOPLE], key=lambda colour: unit(*key, "colour", colour))
    people = [
        replace(_walker(spec, key, n, _TF2023_PEOPLE), colour=colours[n])
        for n in range(_TF2023_PEOPLE)
    ]
    lost = GAP if index == 0 else ()
    frames = tuple(n for n in range(1, spec.frames + 1) if n not in lost)
    return Take(str(_FIRST_SCENE + index), tuple(people), 1, (1, 2), frames)


def _walker(spec: SquareSpec, key: tuple, number: int, count: int) -> Walker:
    """The first two walk outside and face each other across the square; the others inside.

    Of those inside the last one goes far beyond the side, out of sight and back.
    """
    way = -1 if unit(*key, number, "way") < 0.5 else 1
    speed = between(0.7, 1.3, *key, number, "speed")
    if number < 2:
        radii, middle = (6.6, 3.7), (0.0, 0.0)
        start = between(0, 2 * math.pi, *key, "outside") + number * math.pi * 0.85
        way, speed = (1 if unit(*key, "outside way") < 0.5 else -1), 1.1
    else:
        ring = (number - 2) / (count - 2)
        start = 2 * math.pi * ring + between(-0.3, 0.3, *key, number, "start")
        middle = (1.9 * math.cos(start), 1.1 * math.sin(start))
        size = between(0.7, 1.2, *key, number, "size")
        radii = (1.4 * size, 0.9 * size)
        if number == count - 1 and spec.kind == "cvmhat":
            middle, radii, start = (5.2, 0.0), (4.2, 1.6), -1.4 * way
    turn = way * speed * STEP_S / ((radii[0] + radii[1]) / 2)
    return Walker(f"walker {number}", COLOURS[number], middle, radii, turn, start)

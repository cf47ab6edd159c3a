"""Setting up a course: things from the bench to their spots, in an order that differs by take."""

from __future__ import annotations

from typing import Final

from resources.worlds.court.drill import Script
from resources.worlds.court.ground import PROPS, bench_slot
from resources.worlds.court.performer import DOWN, Performer
from resources.worlds.court.truth import Prop, Step
from resources.worlds.flat.tracks import CARRY, GRIP_M, ThingKey
from resources.worlds.flat.truth import Side

_PACE: Final = 2.6
_REACH_M: Final = 0.5
_AT_BENCH: Final = 1.95
"""Where those stand who take from the bench, y."""
ORDERS: Final = (
    ("red cone", "blue cone", "green hurdle", "yellow mat"),
    ("blue cone", "red cone", "green hurdle", "yellow mat"),
    ("red cone", "blue cone", "yellow mat"),
    ("red cone", "blue cone", "purple flag", "green hurdle", "yellow mat"),
)
"""As it should be, with two steps swapped, with a step left out, with a step too many."""
_PLACES: Final = {prop.instance: (place, prop) for place, prop in enumerate(PROPS)}


def course(order: int, hand: Side) -> tuple[Script, tuple[Step, ...], dict[str, list[ThingKey]]]:
    """Somebody sets up a course with one hand.

    Returns:
        What they do, its steps, and where each thing is when.
    """
    c = Performer("C", (-2.4, 1.0), 1.6)
    keys = {prop.instance: [ThingKey(0.0, bench_slot(n))] for n, prop in enumerate(PROPS)}
    steps = []
    c.wait(0.2)
    for number, name in enumerate(ORDERS[order]):
        begun = c.t
        place, prop = _PLACES[name]
        _take(c, prop, place, hand, keys[name])
        _put(c, prop, hand, keys[name])
        if number == 0:
            foot: Side = "left" if hand == "right" else "right"
            x, y = prop.spot
            c.wait(0.35)
            c.strike(foot, (x, y - 0.3, 0.1), c.t)
            c.note(f"taps the {name} with the {foot} foot", f"{foot} foot", c.t - 0.25, c.t, c.t + 0.3, name)  # fmt: skip
            c.wait(0.4)
        steps.append(Step(name, begun, c.t))
        c.wait(0.05)
    c.wait(0.3)
    return Script(c, None, None, (), False, 0), tuple(steps), keys


def _take(c: Performer, prop: Prop, place: int, hand: Side, keys: list[ThingKey]) -> None:
    x, y, z = bench_slot(place)
    c.pitch = -0.3
    c.go((x, _AT_BENCH), _PACE)
    c.look(1.5708, -0.5, 0.3)
    begun = c.t
    c.hand(hand, (x, y, z + prop.size_m[2] + GRIP_M), 0.45)
    c.t += 0.45
    keys.append(ThingKey(c.t, (0.0, 0.0, 0.0), "C", (hand,)))
    c.note(f"picks up the {prop.instance} with the {hand} hand", f"{hand} hand", begun, c.t, c.t + 0.4, prop.instance)  # fmt: skip
    c.hand_by(hand, CARRY[hand], 0.4)
    c.t += 0.1


def _put(c: Performer, prop: Prop, hand: Side, keys: list[ThingKey]) -> None:
    x, y = prop.spot
    c.go((x, y - _REACH_M), _PACE)
    c.look(1.5708, DOWN, 0.3)
    begun = c.t
    c.hand(hand, (x, y, prop.size_m[2] + GRIP_M), 0.45)
    c.t += 0.45
    keys.append(ThingKey(c.t, (x, y, 0.0)))
    c.note(f"puts the {prop.instance} on the ground with the {hand} hand", f"{hand} hand", begun, c.t, c.t + 0.4, prop.instance)  # fmt: skip
    c.rest()
    c.t += 0.1

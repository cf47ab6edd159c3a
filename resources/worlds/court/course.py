"""Setting up a course: things from the bench to their spots, in an order that differs by take.

In a rehearsal each thing is back on the bench before the next one leaves it. One picture then shows which thing is
under way at that time, and nothing of what came before it.
"""

from __future__ import annotations

from collections.abc import Sequence
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
CLUB_ORDERS: Final = (
    ("yellow mat", "green hurdle", "blue cone", "red cone"),
    ("green hurdle", "yellow mat", "purple flag", "red cone"),
    ("blue cone", "red cone", "yellow mat", "purple flag"),
    ("yellow mat", "blue cone", "green hurdle"),
)
"""Orders in which the players of a club set up a course."""
REHEARSED: Final = (
    ("red cone", "blue cone", "green hurdle", "yellow mat", "purple flag"),
    ("blue cone", "purple flag", "green hurdle", "yellow mat", "red cone"),
    ("yellow mat", "red cone", "green hurdle", "purple flag", "blue cone"),
    ("blue cone", "green hurdle", "purple flag"),
    ("purple flag", "green hurdle", "blue cone"),
    ("red cone", "green hurdle", "yellow mat"),
)
"""Orders of rehearsals. The thing in the middle is always the same, so that half-time tells none from another."""
_STAYS_S: Final = 0.8
"""How long a thing stays where it belongs in a rehearsal, so that one of eight frames shows it."""
_PLACES: Final = {prop.instance: (place, prop) for place, prop in enumerate(PROPS)}


def course(
    order: Sequence[str], hand: Side, rehearsed: bool = False
) -> tuple[Script, tuple[Step, ...], dict[str, list[ThingKey]]]:
    """Somebody sets up a course with one hand.

    Args:
        order: Things in the order in which they are set up.
        hand: The hand that carries them.
        rehearsed: Whether each thing is taken back to the bench before the next one.

    Returns:
        What they do, its steps, and where each thing is when.
    """
    c = Performer("C", (-2.4, 1.0), 1.6)
    keys = {prop.instance: [ThingKey(0.0, bench_slot(n))] for n, prop in enumerate(PROPS)}
    steps = []
    c.wait(0.2)
    for number, name in enumerate(order):
        begun = c.t
        place, prop = _PLACES[name]
        _take(c, prop, place, hand, keys[name])
        _put(c, prop, hand, keys[name])
        if rehearsed:
            _take_back(c, prop, place, hand, keys[name])
        elif number == 0:
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
    _grasp(c, prop, (x, y, z), hand, keys)


def _grasp(
    c: Performer,
    prop: Prop,
    at: tuple[float, float, float],
    hand: Side,
    keys: list[ThingKey],
) -> None:
    """Picks a thing up from where it stands."""
    x, y, z = at
    begun = c.t
    c.hand(hand, (x, y, z + prop.size_m[2] + GRIP_M), 0.45)
    c.t += 0.45
    keys.append(ThingKey(c.t, (0.0, 0.0, 0.0), "C", (hand,)))
    c.note(f"picks up the {prop.instance} with the {hand} hand", f"{hand} hand", begun, c.t, c.t + 0.4, prop.instance)  # fmt: skip
    c.hand_by(hand, CARRY[hand], 0.4)
    c.t += 0.1


def _take_back(c: Performer, prop: Prop, place: int, hand: Side, keys: list[ThingKey]) -> None:
    c.wait(_STAYS_S)
    _grasp(c, prop, (*prop.spot, 0.0), hand, keys)
    x, y, z = bench_slot(place)
    c.go((x, _AT_BENCH), _PACE)
    c.look(1.5708, -0.5, 0.3)
    begun = c.t
    c.hand(hand, (x, y, z + prop.size_m[2] + GRIP_M), 0.45)
    c.t += 0.45
    keys.append(ThingKey(c.t, (x, y, z)))
    c.note(f"puts the {prop.instance} back on the bench with the {hand} hand", f"{hand} hand", begun, c.t, c.t + 0.4, prop.instance)  # fmt: skip
    c.rest()
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

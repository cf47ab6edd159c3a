"""What people do in the flat: fixed scripts for kitchen tasks, one made to measure for ADT."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from resources.worlds.flat.commands import Actor, Command, order_of
from resources.worlds.flat.movement import LEVEL
from resources.worlds.flat.places import EYE_M, Point, furniture, room_of, way
from resources.worlds.flat.scene import still
from resources.worlds.flat.stage import Stage
from resources.worlds.tools.chance import between, digest, pick


@dataclass(frozen=True)
class Task:
    """A task: where people start and what each does.

    Attributes:
        roles: start furniture and script of each person.
        room: where it happens; fixed cameras stand there.
    """

    name: str
    roles: tuple[tuple[str, tuple[Command, ...]], ...]
    room: str = "kitchen"


def _lines(text: str) -> tuple[Command, ...]:
    """Commands written one a line, words apart by commas."""
    rows = (line.split("#")[0].strip() for line in text.strip().splitlines())
    return tuple(tuple(word.strip() for word in row.split(",")) for row in rows if row)


# Things are called by kind; a second cup is `cup2`.
_TEA = _lines("""
step, 1
get, kettle, right
switch, turn on, sink, state, on, left
work, wash, kettle, sink
switch, turn off, sink, state, off, left
step, 2
put, kettle, stove
switch, turn on, stove, state, on
step, 3
get, cup, right
put, cup, kitchen table
step, 4
get, kettle, right
pour, kettle, cup
put, kettle, kitchen table
""")
_CEREAL = _lines("""
step, 1
switch, open, cupboard, state, open, left
get, bowl, both
put, bowl, kitchen table
step, 2
switch, open, fridge, state, open, left
get, bottle, right
switch, close, fridge, state, closed, left
step, 3
pour, bottle, bowl
put, bottle, kitchen table
step, 4
switch, close, cupboard, state, closed
""")
_TOAST = _lines("""
step, 1
get, knife, right
step, 2
cut, bread, knife
step, 3
put, knife, kitchen table
get, plate, both
put, plate, kitchen table
step, 4
get, bread, left
put, bread, plate
step, 5
get, sponge, right
work, wipe, sponge, counter
put, sponge, counter
""")
_DISHES = _lines("""
step, 1
get, cup, right
put, cup, sink
step, 2
switch, turn on, sink, state, on, left
step, 3
get, sponge, right
work, wash, sponge, sink
put, sponge, sink
switch, turn off, sink, state, off, left
step, 4
get, cup, left
put, cup, counter
step, 5
get, plate, both
put, plate, sink
""")
_STEW = _lines("""
step, 1
get, pan, right
switch, turn on, sink, state, on, left
work, wash, pan, sink
switch, turn off, sink, state, off, left
put, pan, stove
step, 2
switch, turn on, stove, state, on
step, 3
get, kettle, right
pour, kettle, pan
put, kettle, counter
step, 4
switch, turn off, stove, state, off
""")
# The three below keep to the table, the fridge and the cupboard, or to the worktop: two can work.
_SALAD = _lines("""
step, 1
switch, open, cupboard, state, open, left
get, bowl, both
put, bowl, kitchen table
step, 2
get, knife, right
cut, bread, knife
put, knife, kitchen table
step, 3
get, bread, left
put, bread, bowl
""")
_DRINKS = _lines("""
step, 1
get, knife, right
cut, bread, knife
put, knife, kitchen table
step, 2
switch, open, fridge, state, open, left
get, bottle, right
switch, close, fridge, state, closed, left
put, bottle, kitchen table
step, 3
switch, open, cupboard, state, open, left
get, jar, left
put, jar, kitchen table
""")
_RINSE = _lines("""
step, 1
get, cup, right
put, cup, sink
switch, turn on, sink, state, on, left
step, 2
get, sponge, right
work, wash, sponge, sink
switch, turn off, sink, state, off, left
put, sponge, counter
step, 3
get, kettle, left
put, kettle, counter
""")
_TIDY = _lines("""
step, 1
get, toy, right
put, toy, shelf
step, 2
get, book, left
put, book, coffee table
step, 3
switch, turn on, lamp, power, on
step, 4
switch, open, box, lid, open
get, cup2, right
put, cup2, desk
step, 5
switch, close, box, lid, closed
""")
_SHORT_TEA = _lines("""
step, 1
get, kettle, right
put, kettle, stove
step, 2
switch, turn on, stove, state, on
step, 3
get, cup, left
put, cup, kitchen table
get, kettle, right
step, 4
pour, kettle, cup
put, kettle, kitchen table
""")
_SHORT_TOAST = _lines("""
step, 1
get, knife, right
step, 2
cut, bread, knife
put, knife, kitchen table
step, 3
get, plate, both
put, plate, kitchen table
get, bread, left
put, bread, plate
""")

# What follows a task of EASG: with few things handled there is little to tell an answer from.
_CLEAR_DISHES = _lines("""
get, plate, both
put, plate, counter
get, sponge, right
put, sponge, sink
""")
_CLEAR_POTS = _lines("""
get, pan, left
put, pan, stove
get, cup, right
put, cup, counter
""")

LEMMA: Final = (
    Task("make tea", (("counter", _TEA),)),
    Task("make cereal", (("kitchen table", _CEREAL), ("counter", _RINSE))),
    Task("make sandwich", (("kitchen table", _TOAST),)),
    Task("wash dishes", (("sink", _DISHES), ("kitchen table", _DRINKS))),
    Task("tidy living room", (("coffee table", _TIDY),), "living"),
    Task("make stew", (("stove", _STEW), ("kitchen table", _SALAD))),
)
EASG: Final = (
    Task("make sandwich", (("kitchen table", _TOAST + _CLEAR_POTS),)),
    Task("make tea", (("counter", _TEA + _CLEAR_DISHES),)),
    Task("make cereal", (("kitchen table", _CEREAL + _CLEAR_POTS),)),
    Task("make stew", (("stove", _STEW + _CLEAR_DISHES),)),
    Task("wash dishes", (("sink", _DISHES + _CLEAR_POTS),)),
    Task("tidy living room", (("coffee table", _TIDY),), "living"),
)
EGOEXO4D: Final = (
    Task("Making Tea", (("counter", _SHORT_TEA),)),
    Task("Making a Sandwich", (("kitchen table", _SHORT_TOAST), ("sink", _RINSE))),
    Task("Making Cereal", (("kitchen table", _CEREAL),)),
    Task("Washing Dishes", (("sink", _DISHES),)),
)

# Glances aim at what stands free: on a shelf or a sofa a box around the furniture holds the thing.
_OPEN: Final = ("counter", "stove", "kitchen table", "coffee table", "desk")
_STATIONS: Final[dict[str, tuple[str, ...]]] = {
    "kitchen": ("kitchen table", "counter", "stove", "sink"),
    "living": ("coffee table", "desk", "sofa", "shelf"),
}


def sees(stage: Stage, eye: tuple[float, float], instance: str) -> bool:
    """Whether nothing still stands between somebody's eyes and a thing's middle and sides."""
    item = stage.items[instance]
    start = np.array([*eye, EYE_M])
    w, d, h = item.kind.size_m
    corners = still().corners
    lo, hi = corners.min(1), corners.max(1)
    others = [o for o in stage.items.values() if o.instance != instance and not o.keys[-1].holder]
    lo = np.concatenate([lo, [np.subtract(o.middle, np.divide(o.kind.size_m, 2)) for o in others]])
    hi = np.concatenate([hi, [np.add(o.middle, np.divide(o.kind.size_m, 2)) for o in others]])
    for dx, dy, dz in ((0, 0, 0.3), (w, 0, 0.2), (-w, 0, 0.2), (0, d, 0.2), (0, -d, 0.2)):
        delta = np.add(item.middle, (dx * 0.45, dy * 0.45, dz * h)) - start
        with np.errstate(divide="ignore", invalid="ignore"):
            a, b = (lo - start) / delta, (hi - start) / delta
        first, last = np.minimum(a, b).max(1), np.maximum(a, b).min(1)
        if ((first < last) & (first < 0.98) & (last > 0)).any():
            return False
    return True


def _goals(actor: Actor, sector: int) -> list[str]:
    """Things one could glance at from here in this sector."""
    stage, out = actor.stage, []
    names = [item.kind.name for item in stage.items.values()]
    for item in stage.items.values():
        if item.keys[-1].holder or item.on not in _OPEN or names.count(item.kind.name) > 1:
            continue
        x, y, _ = item.point
        far = np.hypot(x - actor.xy[0], y - actor.xy[1])
        if (
            room_of(x) != room_of(actor.xy[0])
            or not 0.45 < far < 2.6
            or not sees(stage, actor.xy, item.instance)
        ):
            continue
        if actor.hidden_view(item.instance, sector) is not None:
            out.append(item.instance)
    return out


def glances(actor: Actor, count: int, used: dict[int, int]) -> None:
    """Glances at things around, the sectors used least first."""
    key = actor.stage.key
    for _ in range(count):
        order = sorted(range(8), key=lambda s: (used[s], digest(key, len(actor.glances), s)))
        for sector in order:
            goals = _goals(actor, sector)
            if goals:
                goal = pick(goals, key, len(actor.glances), "goal")
                used[sector] += 1
                actor.do_glance(goal, str(sector))
                break


def roam(actor: Actor, used: dict[int, int], count: int) -> None:
    """An ADT sequence: two things carried through the doorway, glances at four places between."""
    stage, key = actor.stage, actor.stage.key
    rooms = ("kitchen", "living") if room_of(actor.xy[0]) == "kitchen" else ("living", "kitchen")
    spread = [count // 4 + (n < count % 4) for n in range(4)]
    for turn, room in enumerate(rooms):
        first, second = order_of(list(_STATIONS[room]), key, "stations", room)[:2]
        actor.step = 2 * turn
        actor.go(first)
        glances(actor, spread[2 * turn], used)
        if turn == 1:
            roomy = [n for n in (second, *_STATIONS[room]) if stage.has_room(n)]
            actor.do_put(actor.held["right"], roomy[0])
        else:
            actor.go(second)
        glances(actor, spread[2 * turn + 1], used)
        actor.step = 2 * turn + 1
        here = [
            i.instance
            for i in stage.items.values()
            if furniture_room(i.on) == room and i.on in _OPEN and i.kind.name not in ("lamp", "cup")
        ]
        near = sorted(
            here,
            key=lambda i: (
                round(float(np.hypot(*np.subtract(stage.items[i].point[:2], actor.xy)))),
                digest(key, i),
            ),
        )
        if turn == 0:
            actor.do_get(near[0], "right")
    actor.do_wait("0.5")


def errands(actor: Actor, count: int) -> None:
    """Things taken and put elsewhere: each, and then its new place, is looked at, away from, and used at once.

    Where somebody looks a second before a hand is there goes round in steps of 45 degrees.
    """
    stage = actor.stage
    for n in range(count):
        names = [item.kind.name for item in stage.items.values()]
        known = {
            instance: item
            for instance, item in stage.items.items()
            if item.on in _OPEN
            and names.count(item.kind.name) == 1
            and item.kind.name != "lamp"
            and sees(stage, way(item.on, item.on)[0], instance)
        }
        instance = order_of(list(known), stage.key, "errand", n)[0]
        origin = known[instance].on
        actor.go(origin)
        actor.look(known[instance].middle, instance, 1.0)
        _look_away(actor, known[instance].middle, 3 * n % 8, n)
        actor.do_get(instance, "right", "0.05", "0.35")
        rooms = [name for name in _OPEN if name != origin and stage.has_room(name)]
        target = order_of(rooms, stage.key, "target", n)[0]
        actor.go(target)
        place = stage.free_slot(furniture()[target], actor.xy)
        actor.look(place, "", 1.0)
        _look_away(actor, place, (3 * n + 1) % 8, n)
        actor.do_put(instance, target, "0.05", "0.35")
    actor.do_wait("0.5")


def _look_away(actor: Actor, point: Point, sector: int, number: int) -> None:
    """Turns the head so that a place lies in a sector, and keeps it there for a moment."""
    toward, _ = actor.aim(point)
    spread = float(np.radians(between(-14, 14, actor.stage.key, "away", sector, number)))
    actor.turn(toward + float(np.pi) / 4 * sector + spread, LEVEL, 0.4)
    actor.stay(0.8)


def furniture_room(name: str) -> str:
    """Room of a piece of furniture, "" for anything else."""
    return furniture()[name].room if name in furniture() else ""

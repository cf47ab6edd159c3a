"""From a spec to its takes: who does what how well.

Six people do one drill: one of each level, a second of the highest as a reference, a second of the
lowest in the dark. Four of them set up a course: as it should be, with two steps swapped, with one
left out, with one too many.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from resources.worlds.court.body import Body
from resources.worlds.court.course import CLUB_ORDERS, ORDERS, REHEARSED, course
from resources.worlds.court.drill import Script, drill
from resources.worlds.court.ground import PARTNER, PLAYERS, PROPS, cameras
from resources.worlds.court.motion import Ball, Feet
from resources.worlds.court.performer import Performer
from resources.worlds.court.take import Court, Take, TaskName
from resources.worlds.court.truth import CourtSpec, Player, Step
from resources.worlds.flat.tracks import BodyTrack, ThingKey, ThingTrack
from resources.worlds.flat.truth import Side
from resources.worlds.tools.chance import unit

DRILL: Final[TaskName] = "Soccer Drills - Dribbling and Shooting"
COURSE: Final[TaskName] = "Setting Up a Course"
PERFORMED: Final = (0, 1, 2, 3, 3, 0)
"""Level of each player; the last one plays in the dark."""
CLUB: Final = (0, 0, 1, 2, 3, 3)
"""Level of each player of a club, all of whom play in the light: somebody is best, or worst, in ten ways."""
_TAIL_S: Final = 0.4


def plan_court(spec: CourtSpec) -> Court:
    """All takes of a spec; equal specs give equal courts in every process."""
    return _court(spec, PERFORMED, ORDERS, dark=5)


def plan_club(spec: CourtSpec) -> Court:
    """The same of a club: other levels, other orders, and nobody plays in the dark."""
    return _court(spec, CLUB, CLUB_ORDERS)


def _court(
    spec: CourtSpec,
    levels: Sequence[int],
    orders: Sequence[Sequence[str]],
    dark: int | None = None,
) -> Court:
    """A drill by a player of each level, then a course in each order; `dark` is the drill without light."""
    # Which foot each prefers is chance, but half of them prefer the left one.
    flip = unit(spec.seed, "foot") < 0.5
    takes = []
    for n, level in enumerate(levels):
        foot: Side = "left" if (n % 2 == 0) == flip else "right"
        script = drill(level, foot)
        takes.append(_take(spec, f"drill {n}", DRILL, PLAYERS[n], script, level, n == dark))
    for n, order in enumerate(orders):
        hand: Side = "left" if (n % 2 == 0) == flip else "right"
        script, steps, keys = course(order, hand)
        takes.append(_take(spec, f"course {n}", COURSE, PLAYERS[n], script, steps=steps, keys=keys))
    return Court(spec, tuple(takes))


def plan_rehearsals(spec: CourtSpec) -> Court:
    """Takes in which a course is rehearsed, each by another player; `plan_court` has none of them."""
    takes = []
    for n, order in enumerate(REHEARSED):
        hand: Side = "left" if n % 2 else "right"
        script, steps, keys = course(order, hand, rehearsed=True)
        takes.append(
            _take(spec, f"rehearsal {n}", COURSE, PLAYERS[n], script, steps=steps, keys=keys)
        )
    return Court(spec, tuple(takes))


def _take(
    spec: CourtSpec,
    take_id: str,
    task: TaskName,
    player: Player,
    script: Script,
    level: int | None = None,
    dark: bool = False,
    steps: tuple[Step, ...] = (),
    keys: dict[str, list[ThingKey]] | None = None,
) -> Take:
    lenses, places = cameras(spec.render)
    duration = round(script.wearer.t + _TAIL_S, 1)
    people = [(script.wearer, player)]
    if script.partner is not None:
        people.append((script.partner, PARTNER))
    heights = {prop.instance: prop.size_m[2] for prop in PROPS}
    return Take(
        take_id=take_id,
        task=task,
        spec=spec,
        duration_s=duration,
        player=player,
        level=level,
        dark=dark,
        deeds=tuple(
            sorted(
                (deed for performer, _ in people for deed in performer.deeds),
                key=lambda d: (d.contact_s, d.actor),
            )
        ),
        steps=steps,
        goal=script.goal,
        strays=script.strays,
        bodies={performer.who: _body(performer, who, duration) for performer, who in people},
        ball=None if script.start is None else Ball(script.start, script.ball),
        props={name: ThingTrack(tuple(held), heights[name]) for name, held in (keys or {}).items()},
        cameras=lenses,
        fixed=places,
    )


def _body(performer: Performer, player: Player, duration_s: float) -> Body:
    track = BodyTrack(performer.walk, performer.turns, performer.hands, duration_s)
    feet = Feet(track, tuple(performer.strikes))
    return Body(player, track, feet, tuple(performer.jumps))

"""Plans runs: which action follows which, so that no track ever meets itself."""

from __future__ import annotations

from typing import Final

from resources.worlds.slope.truth import (
    DIRECTIONS,
    PACES,
    SPORTS,
    SWING_DEG,
    TRICKS,
    TURN_DEG,
    Action,
    Run,
    Slope,
    SlopeSpec,
    Sport,
)
from resources.worlds.tools.chance import between, pick

SIZE: Final = {"full": (208, 120), "small": (104, 60), "none": (208, 120)}
_FIRST_NUMBER: Final = 101
_MOST_DEG: Final = 75.0
"""A track that never turns further than this from its first heading cannot meet itself."""
_TURNED: Final = {**TURN_DEG, "leftright": SWING_DEG}
_SECONDS: Final = {
    "forward": (2.0, 3.5),
    "left": (2.0, 3.0),
    "right": (2.0, 3.0),
    "curveleft": (3.5, 5.0),
    "curveright": (3.5, 5.0),
    "leftright": (3.0, 4.0),
    "bumpyforward": (2.0, 3.5),
    "walk": (2.0, 3.0),
    "run": (2.5, 4.0),
    "slidestop": (2.0, 2.5),
    "jump": (1.6, 2.2),
    "spin": (2.0, 2.6),
    "flip": (2.0, 2.6),
    "roll": (2.0, 2.6),
}


def plan_slope(spec: SlopeSpec) -> Slope:
    """The truth of a slope; equal specs give equal slopes, whatever is drawn.

    Beside the runs asked for there is one whose video is missing.
    """
    runs = [_run(spec, index) for index in range(spec.runs)]
    return Slope(spec, (*runs, _run(spec, spec.runs, stored=False)))


def _run(spec: SlopeSpec, index: int, *, stored: bool = True) -> Run:
    key = (spec.seed, "slope", index)
    sport = SPORTS[index % len(SPORTS)]
    actions: list[Action] = []
    t_s, heading, before = 1.5, 0.0, ""
    for step in range(spec.actions):
        label = pick(_allowed(sport, step, heading, before), *key, "label", step)
        low, high = _SECONDS[label]
        end_s = round(t_s + between(low, high, *key, "length", step), 1)
        actions.append(Action(label, t_s, end_s))
        heading += TURN_DEG.get(label, 0.0)
        pause = _pause_s(step, label in TRICKS[sport], between(0.0, 1.0, *key, "pause", step))
        t_s, before = round(end_s + pause, 1), label
    return Run(
        f"VID{_FIRST_NUMBER + index}",
        sport,
        tuple(actions),
        round(t_s + 1.5, 1),
        SIZE[spec.render],
        stored,
    )


def _pause_s(step: int, is_trick: bool, share: float) -> float:
    """Seconds without a label after an action: silence is not "forward".

    After a trick the wearer looks ahead again for a while, and sees what comes next.
    """
    if is_trick:
        return 1.6 + 0.3 * share
    return 0.5 + 0.7 * share if step % 4 == 3 else 0.0


def _allowed(sport: Sport, step: int, heading: float, before: str) -> tuple[str, ...]:
    """Labels that may follow: every third is a trick, and no label follows itself."""
    if step % 3 == 2:
        return TRICKS[sport]
    ways = (*DIRECTIONS, *PACES[sport]) if step % 3 == 1 else DIRECTIONS
    return tuple(
        label
        for label in ways
        if label != before and abs(heading + _TURNED.get(label, 0.0)) <= _MOST_DEG
    )

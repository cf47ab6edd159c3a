"""The drill: run in, sidestep, jump, throw, receive, dribble across the court, shoot at the goal.

How well it is done shows: those who know less are slower, let the ball stray and miss the goal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from resources.worlds.court.ground import GOAL_X
from resources.worlds.court.motion import Ball, BallKey
from resources.worlds.court.performer import DOWN, LEVEL, Performer, send
from resources.worlds.flat.tracks import SIDES
from resources.worlds.flat.truth import Side

_SPOT: Final = (-2.9, 0.0)
_AHEAD_M: Final = 0.42
"""How far before the body the ball lies at a touch."""
_TOUCH_M: Final = 1.0
"""How far it goes at a touch."""
_PACE: Final = (1.15, 1.45, 1.75, 2.2)
_STRAYS: Final = ((1, 3), (1,), (), ())
"""Touches at which the ball strays, by level."""
_AIM_Y: Final = (2.2, -1.8, 0.25, 0.85)
"""Where the ball crosses the goal's line, by level; the posts stand at 1.2."""
_OTHER: Final[dict[Side, Side]] = {"left": "right", "right": "left"}
_LOW: Final = Ball.radius_m


@dataclass(frozen=True)
class Script:
    """What a script made.

    Attributes:
        wearer: Who wears the glasses.
        partner: Somebody beside, if there is anybody.
        start: Where the ball lies at first; None if there is none.
        ball: What happens to it.
        goal: Whether it ends in the goal.
        strays: How often it strayed.
    """

    wearer: Performer
    partner: Performer | None
    start: tuple[float, float, float] | None
    ball: tuple[BallKey, ...]
    goal: bool
    strays: int


def drill(level: int, foot: Side) -> Script:
    """The drill as somebody of a level (0 to 3) does it who prefers a foot."""
    wearer, partner = Performer("C", (-2.9, -2.4), 1.4), Performer("O", (-0.6, 1.6), 3.75)
    ball: list[BallKey] = []
    start = (_SPOT[0] + _AHEAD_M, _SPOT[1], _LOW)
    _warm_up(wearer, _PACE[level])
    _throw_in(wearer, partner, ball, start, foot)
    strays = _dribble(wearer, ball, level, foot)
    _clap(partner, wearer.t)
    goal = _shoot(wearer, ball, level, _OTHER[foot])
    return Script(wearer, partner, start, tuple(ball), goal, strays)


def _warm_up(c: Performer, pace: float) -> None:
    c.wait(0.3)
    begun = c.t
    c.look(1.5708, LEVEL, 0.3)
    c.go(_SPOT, pace * 1.2, facing=1.5708)
    c.note("runs forward to the middle of the court", "legs", begun, (begun + c.t) / 2, c.t, direction="forward")  # fmt: skip
    c.look(0.0, LEVEL, 0.35)
    c.wait(0.5)
    for side, y in (("left", 0.9), ("right", 0.0)):
        begun = c.t
        c.go((_SPOT[0], y), 1.4, facing=0.0)
        c.note(f"steps to the {side}", "legs", begun, (begun + c.t) / 2, c.t, direction=side)
        c.wait(0.2)
    begun = c.t
    c.jump(0.4, 0.6)
    c.note("jumps up", "legs", begun, (begun + c.t) / 2, c.t, direction="up")
    c.wait(0.2)


def _throw_in(
    c: Performer,
    o: Performer,
    ball: list[BallKey],
    at: tuple[float, float, float],
    foot: Side,
) -> None:
    begun = c.t
    c.look(0.0, DOWN, 0.3)
    c.both(at, 0.6)
    c.t += 0.6
    ball.append(BallKey(c.t, c.t, at, holder="C"))
    c.note("picks up the ball with both hands", "both hands", begun, c.t, c.t + 0.6, "ball")
    _before(c, 0.6, 0.4, 1.15)
    c.face((*o.xy, 1.2))
    begun = c.t
    _before(c, 0.45, 0.6, 1.4)
    thrown = c.t
    catch = (o.xy[0] - 0.3, o.xy[1] - 0.25, 1.2)
    send(ball, thrown, catch, 0.7, 0.5)
    c.note("throws the ball to O with both hands", "both hands", begun, thrown, thrown + 0.3, "ball")  # fmt: skip
    c.rest()
    c.look(0.0, LEVEL, 0.5)
    o.until(thrown + 0.1)
    begun = o.t
    o.both(catch, 0.6)
    o.t += 0.6
    ball.append(BallKey(o.t, o.t, catch, holder="O"))
    o.note("catches the ball with both hands", "both hands", begun, o.t, o.t + 0.4, "ball")
    down = (o.xy[0] - 0.33, o.xy[1] - 0.26, _LOW)
    o.wait(0.3)
    o.look(o.yaw, DOWN, 0.3)
    send(ball, o.t, down, 0.45, 0.05)
    o.rest()
    o.wait(0.7)
    side: Side = _OTHER[foot]
    o.strike(side, (down[0] + 0.1, down[1] + 0.08, 0.1), o.t)
    send(ball, o.t, at, 0.9)
    o.note(f"passes the ball to C with the {side} foot", f"{side} foot", o.t - 0.25, o.t, o.t + 0.3, "ball")  # fmt: skip
    c.until(o.t + 0.4)
    c.look(0.0, DOWN, 0.4)
    c.until(o.t + 0.9)
    c.strike(foot, (at[0] - 0.06, at[1], at[2] + _LOW), c.t, 0.6)
    c.note(f"stops the ball with the {foot} foot", f"{foot} foot", c.t - 0.25, c.t, c.t + 0.6, "ball")  # fmt: skip
    c.wait(0.6)


def _clap(o: Performer, t_s: float) -> None:
    """Behind the wearer, who is past by then."""
    o.until(t_s)
    begun = o.t
    for side, sign in zip(SIDES, (1.0, -1.0), strict=True):
        o.hand_by(side, (0.35, 0.05 * sign, 1.3), 0.3)
    o.t += 0.3
    o.note("claps with both hands", "both hands", begun, o.t, o.t + 0.4)
    o.rest()


def _before(c: Performer, span_s: float, forward: float, height: float) -> None:
    """Brings both hands, and what they hold, before the body."""
    for side, sign in zip(SIDES, (1.0, -1.0), strict=True):
        c.hand_by(side, (forward, 0.15 * sign, height), span_s)
    c.t += span_s


def _kick(
    c: Performer, ball: list[BallKey], side: Side, x: float, y: float,
    to: tuple[float, float, float], span_s: float, apex_m: float = 0.0,
) -> None:  # fmt: skip
    """A foot sends the ball from (x, y) at the wearer's time."""
    dx, dy = to[0] - x, to[1] - y
    far = max((dx * dx + dy * dy) ** 0.5, 1e-6)
    behind = _LOW + 0.14
    c.strike(side, (x - dx / far * behind, y - dy / far * behind, 0.05), c.t)
    send(ball, c.t, to, span_s, apex_m)


def _dribble(c: Performer, ball: list[BallKey], level: int, foot: Side) -> int:
    """Four touches to the east; gives how often the ball strayed."""
    pace, x = _PACE[level], c.xy[0] + _AHEAD_M
    for touch in range(4):
        side = foot if touch != 2 else _OTHER[foot]
        begun, to = c.t - 0.25, x + _TOUCH_M
        if touch in _STRAYS[level]:
            _stray(c, ball, foot, x, to, 1.1 if touch == 1 else -1.1)
        else:
            span = _TOUCH_M / pace
            _kick(c, ball, side, x, 0.0, (to, 0.0, _LOW), span)
            c.note(f"dribbles the ball forward with the {side} foot", f"{side} foot", begun, c.t, c.t + span, "ball", "forward")  # fmt: skip
        c.go((to - _AHEAD_M, 0.0), pace, facing=0.0)
        x = to
    return len(_STRAYS[level])


def _stray(c: Performer, ball: list[BallKey], foot: Side, x: float, to: float, away: float) -> None:
    """The ball goes astray to a side (`away` metres, left positive) and is brought back to `to`."""
    begun, back = c.t - 0.25, c.xy[0]
    _kick(c, ball, foot, x, 0.0, (x + 0.5, away, _LOW), 0.9)
    c.note(f"loses the ball with the {foot} foot", f"{foot} foot", begun, c.t, c.t + 0.3, "ball")  # fmt: skip
    c.wait(0.3)
    begun, side = c.t, "left" if away > 0 else "right"
    c.go((back + 0.5, away), 1.6, facing=0.0)
    c.note(f"steps to the {side} after the ball", "legs", begun, (begun + c.t) / 2, c.t, direction=side)  # fmt: skip
    c.wait(0.3)
    _kick(c, ball, foot, x + 0.5, away, (to, 0.0, _LOW), 0.7)
    c.note(f"pulls the ball back with the {foot} foot", f"{foot} foot", c.t - 0.25, c.t, c.t + 0.3, "ball")  # fmt: skip
    c.wait(0.2)


def _shoot(c: Performer, ball: list[BallKey], level: int, foot: Side) -> bool:
    x, aim = c.xy[0] + _AHEAD_M, _AIM_Y[level]
    c.wait(0.3)
    _kick(c, ball, foot, x, 0.0, (GOAL_X + 0.3, aim, _LOW), 0.6, 0.25)
    c.note(f"shoots the ball at the goal with the {foot} foot", f"{foot} foot", c.t - 0.25, c.t, c.t + 0.3, "ball")  # fmt: skip
    c.look(0.0, LEVEL, 0.4)
    c.wait(0.9)
    return abs(aim) < 1.0

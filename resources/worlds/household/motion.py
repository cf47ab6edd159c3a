"""What moves: hands and things at any moment of an action, and what stays where afterwards."""

from __future__ import annotations

import math
from bisect import bisect_right

from resources.worlds.household.pose import GONE, PRESSED, REST, Act, Placed, Pose, mix, off
from resources.worlds.household.scene import Point, layout, look
from resources.worlds.household.sentences import two_handed
from resources.worlds.household.tasks import Clause
from resources.worlds.household.things import HOMES
from resources.worlds.household.truth import FineAction, Recording
from resources.worlds.tools.chance import between

_CARRY = frozenset({"take", "put", "add", "scoop", "insert", "remove", "throw", "pass"})
_TOOLED = frozenset({"cut", "peel", "stir", "mix", "wipe", "write", "move", "press", "shake"})
_FIXTURES = frozenset({"stove", "sink", "faucet", "table", "centrifuge", "scale", "tip"})
_SWITCH = {"turn_on": "on", "turn_off": "", "open": "open", "close": "", "fold": "folded"}
# What somebody ends without having begun it was so from the start.
_BEFORE = {"turn_off": "on", "close": "open"}
_TOUCHES = frozenset({"press", "touch"})
_CUTS = {"cut": "cut", "peel": "peeled", "crack": "cut"}
_PUSH_M = 0.09


def _goal(clause: Clause) -> str | None:
    return next((n for p, n in clause.preps if p != "with"), None)


def tap(table: dict[str, Placed]) -> tuple[Point, Point]:
    """Where water leaves the faucet, and where in the sink it falls."""
    return off(table["faucet"].at, 0, -0.05, 0.12), table["sink"].at


def _inside(vessel: Placed) -> Point:
    return off(vessel.at, 0, 0.02, 0.03)


class Stage:
    """A recording's performance, to be asked for any true time."""

    def __init__(self, rec: Recording) -> None:
        self.rec = rec
        self.acts: list[Act] = []
        switched: dict[str, str] = {}
        for clause in (c for fine in rec.fine for c in fine.action.clauses):
            if clause.verb in _SWITCH:
                switched.setdefault(clause.obj, clause.verb)
        table = {
            noun: Placed(at, _BEFORE.get(switched.get(noun, ""), ""))
            for noun, at in layout(rec).items()
        }
        table = self._at_first(table)
        self._left = self._tools_left()
        self._last_use = {n: f.annotation_id for f in rec.fine for n in f.action.nouns}
        self._bins = (-0.8 if HOMES[rec.home].mirrored else 0.8, 0.02, -0.02)
        for fine in rec.fine:
            moving = {c.obj for c in fine.action.clauses} | {
                n for c in fine.action.clauses for p, n in c.preps if p == "with"
            }
            self.acts.append(Act(fine, table, frozenset(moving - {"sink", "table"})))
            table = self._after(fine, table)
        self.final = table
        self._starts = [a.fine.begin_s for a in self.acts]

    def _at_first(self, table: dict[str, Placed]) -> dict[str, Placed]:
        """What is first taken from something lies there before."""
        out, used = dict(table), set[str]()
        for clause in (c for fine in self.rec.fine for c in fine.action.clauses):
            source = next((n for p, n in clause.preps if p == "from"), "table")
            if source != "table" and not used & {clause.obj, source}:
                aside = between(-0.03, 0.03, self.rec.uid, clause.obj, "from")
                out[clause.obj] = Placed(
                    off(table[source].at, aside, 0.0, 0.012), table[clause.obj].state
                )
            used |= {clause.obj, *(n for p, n in clause.preps if p == "with")}
        return out

    def _tools_left(self) -> dict[tuple[str, str], str]:
        """What a tool is left in by an action (of this id): what it is next taken from."""
        out: dict[tuple[str, str], str] = {}
        sources: dict[str, str] = {}
        for fine in reversed(self.rec.fine):
            for clause in reversed(fine.action.clauses):
                for prep, noun in clause.preps:
                    if prep == "with" and (source := sources.get(noun)):
                        out[fine.annotation_id, noun] = source
                sources.update(dict.fromkeys(clause.nouns, ""))
                source = next((n for p, n in clause.preps if p == "from"), "table")
                sources[clause.obj] = "" if source == "table" else source
        return out

    def current(self, t_s: float) -> tuple[int, float]:
        """Index of the latest action begun (-1 before all) and its phase; above 1 it is over."""
        i = bisect_right(self._starts, t_s) - 1
        if i < 0:
            return -1, 0.0
        fine = self.acts[i].fine
        return i, (t_s - fine.begin_s) / (fine.finish_s - fine.begin_s)

    def still(self, index: int, over: bool) -> dict[str, Placed]:
        """The table before the action (or after it when `over`)."""
        if index < 0:
            return self.acts[0].table
        if not over:
            return self.acts[index].table
        return self.acts[index + 1].table if index + 1 < len(self.acts) else self.final

    def pose(self, t_s: float) -> Pose:
        """Hands and moving things at a true time."""
        index, phase = self.current(t_s)
        if index < 0 or phase >= 1.0:
            coming = min(index + 1, len(self.acts) - 1)
            return Pose(focus=self.acts[coming].fine.action.clauses[0].obj)
        act = self.acts[index]
        clauses = act.fine.action.clauses
        if act.fine.slip:
            # The movement falters, goes back and is done again.
            phase = (
                phase * 1.5
                if phase < 0.36
                else 0.54 - (phase - 0.36) * 1.7
                if phase < 0.6
                else phase * 2.175 - 1.175
            )
            phase = min(max(phase, 0.0), 0.999)
        pose = Pose()
        main = "right" if act.fine.hand in ("right", "both", "unspecified") else "left"
        other = "left" if main == "right" else "right"
        if two_handed(act.fine.action):
            grip = act.table[clauses[0].obj].at
            side = -1 if other == "left" else 1
            reach = min(1.0, 6 * phase, 6 * (1 - phase))
            self._clause(act.table, clauses[1], phase, main, other, False, t_s, pose)
            held = pose.things.get(clauses[0].obj, Placed(grip)).at
            pose.hands[other] = mix(REST[other], off(held, 0.075 * side, -0.035, 0.02), reach)
        elif len(clauses) == 2:
            half = 0 if phase < 0.5 else 1
            table = act.table if half == 0 else self._after_clause(act.fine, 0, act.table)
            if half:
                pose.things.update({n: table[n] for n in sorted(act.moving)})
            part = phase * 2 - half
            self._clause(
                table, clauses[half], part, main, other, act.fine.hand == "both", t_s, pose
            )
        else:
            self._clause(
                act.table, clauses[0], phase, main, other, act.fine.hand == "both", t_s, pose
            )
        return pose

    def _dispensed(self, clause: Clause) -> bool:
        """Whether something comes out of a container that goes back to its place."""
        shaker = look(self.rec, clause.obj).shape in ("shaker", "carton", "bottle")
        return clause.verb in ("add", "pour") and shaker

    def _end(
        self, fine: FineAction, number: int, clause: Clause, table: dict[str, Placed]
    ) -> Point:
        """Where the object of a carrying clause ends."""
        key = (fine.annotation_id, number)
        goal = next((n for p, n in clause.preps if p in ("on", "in", "into", "to", "onto")), None)
        if clause.verb == "throw":
            return self._bins
        if clause.obj in _FIXTURES:
            return table[clause.obj].at
        if goal is not None and clause.verb not in ("take", "remove"):
            spread = (
                0.13 if goal == "table" else 0.05 if goal in ("cutting_board", "sink") else 0.025
            )
            dx, dy = between(-spread, spread, *key, "dx"), between(-0.02, 0.02, *key, "dy")
            return off(table[goal].at, dx, dy, 0.012)
        return between(-0.15, 0.15, *key, "x"), between(0.06, 0.14, *key, "y"), 0.0

    def _after_clause(
        self, fine: FineAction, number: int, table: dict[str, Placed]
    ) -> dict[str, Placed]:
        clause = fine.action.clauses[number]
        was, out = table[clause.obj], dict(table)
        into = any(p in ("into", "to") for p, _ in clause.preps)
        if self._dispensed(clause) or (clause.verb == "scoop" and not _goal(clause)):
            return out
        if clause.verb in ("pour", "crack") and into:
            out[clause.obj] = Placed(self._end(fine, number, clause, table), "cut")
        elif clause.verb in _CARRY and clause.verb != "throw":
            state = "cut" if clause.verb in ("add", "scoop") and was.state == "" else was.state
            out[clause.obj] = Placed(self._end(fine, number, clause, table), state)
        elif clause.verb == "throw" and fine.annotation_id == self._last_use[clause.obj]:
            out[clause.obj] = Placed(was.at, GONE)
        elif clause.verb in _SWITCH:
            out[clause.obj] = Placed(was.at, _SWITCH[clause.verb])
        elif clause.verb in _CUTS:
            out[clause.obj] = Placed(was.at, _CUTS[clause.verb])
        elif clause.verb == "move":
            out[clause.obj] = Placed(off(was.at, _PUSH_M, 0.0), was.state)
        return out

    def _after(self, fine: FineAction, table: dict[str, Placed]) -> dict[str, Placed]:
        for number in range(len(fine.action.clauses)):
            table = self._after_clause(fine, number, table)
        tools = sorted(n for c in fine.action.clauses for p, n in c.preps if p == "with")
        for tool in tools:
            place = self._left.get((fine.annotation_id, tool))
            if place is None:
                continue
            table = table | {tool: Placed(_inside(table[place]), table[tool].state)}
        return table

    def _clause(
        self, table: dict[str, Placed], clause: Clause, u: float, main: str, other: str, both: bool,
        t_s: float, pose: Pose,
    ) -> None:  # fmt: skip
        """Fills the pose for one clause at its phase `u`."""
        was = table[clause.obj]
        fine = self.acts[self.current(t_s)[0]].fine
        side = 1 if main == "right" else -1
        reach, busy = min(1.0, 6 * u, 6 * (1 - u)), min(max((u - 0.15) / 0.7, 0.0), 1.0)
        swing = math.sin(2 * math.pi * 2.2 * t_s)
        turn = math.cos(2 * math.pi * 2.2 * t_s)
        tool = next((n for p, n in clause.preps if p == "with"), None)
        goal = _goal(clause)
        poured = clause.verb in ("pour", "squeeze", "crack") or self._dispensed(clause)
        dest = table[goal].at if goal else off(was.at, 0, 0, 0.0)
        pose.focus = clause.obj if clause.obj != "table" or tool is None else tool
        thing, at, angle, state = clause.obj, was.at, was.angle, was.state
        if tool is not None and (clause.verb in _TOOLED or clause.verb == "scoop"):
            wide = 0.05 if clause.verb in ("stir", "mix") else 0.02
            wide = 0.14 if clause.verb == "wipe" and clause.obj == "table" else wide
            # The tool comes from the side of its hand: what it works on stays in sight.
            aside = 0.02 if tool == "cloth" and wide > 0.1 else 0.07
            dx = wide * swing + aside * side
            dy = wide * 0.8 * turn if clause.verb in ("stir", "mix", "wipe") else 0.045 * abs(swing)
            spot = off(was.at, dx, dy - 0.02, 0.03)
            tool_at = mix(table[tool].at, spot, reach, 0.05)
            if u > 0.5 and (place := self._left.get((fine.annotation_id, tool))):
                tool_at = mix(_inside(table[place]), spot, reach)
            if clause.verb in ("cut", "peel", "write", "press"):
                # What is held for the tool lies before the hand, not behind it.
                pose.things[thing] = Placed(at, state)
            pose.things[tool] = Placed(tool_at, table[tool].state, 24.0 * side * reach)
            if clause.verb in _CUTS and busy > 0.5:
                pose.things[thing] = Placed(at, _CUTS[clause.verb])
            if clause.verb in ("stir", "mix"):
                pose.things[thing] = Placed(off(at, 0.02 * turn, 0.015 * swing), state, 25 * swing)
            if clause.verb == "move":
                pose.things[thing] = Placed(mix(at, off(at, _PUSH_M, 0), busy), state)
            grip = 0.0 if tool == "cloth" else -0.075
            pose.hands[main] = mix(
                REST[main],
                off(tool_at, 0.03 * side * (grip < 0), grip, 0.01),
                min(1.0, 8 * u, 8 * (1 - u)),
            )
        elif clause.verb in _CARRY and thing not in _FIXTURES and not poured:
            if clause.verb == "pass":
                a = off(REST[other], 0.03 * side, 0.16, 0.08)
                b = off(REST[main], -0.03 * side, 0.16, 0.08)
                at = mix(was.at, a, u * 4) if u < 0.25 else mix(a, b, (u - 0.35) * 3.3)
                if u > 0.8:
                    at = mix(b, self._end(fine, 0, clause, table), (u - 0.8) * 5)
            else:
                number = fine.action.clauses.index(clause)
                at = mix(was.at, self._end(fine, number, clause, table), (u - 0.25) / 0.5, 0.09)
            pose.things[thing] = Placed(at, state)
            pose.focus = (
                goal
                if goal not in (None, "table") and u > 0.62 and clause.verb != "take"
                else thing
            )
        elif poured or clause.verb in ("wash", "dip", "weigh"):
            lift = {"wash": 0.05, "dip": 0.04, "weigh": 0.03}.get(clause.verb, 0.13)
            back = 0.07 if poured else 0.0
            over = off(dest, back * side, 0.02, lift) if goal else off(was.at, 0, -0.04, 0.10)
            shake = 0.02 if clause.verb == "wash" else 0.0
            # In twice and out again, slowly: eight pictures show it.
            plunge = 0.12 * abs(math.cos(2 * math.pi * busy)) if clause.verb == "dip" else 0.0
            over = off(over, shake * swing, shake * turn, plunge)
            at = mix(was.at, over, reach * 1.5, 0.04)
            angle = (
                100.0 * side * min(1.0, 3 * busy, 3 * (1 - busy))
                if self._dispensed(clause)
                else 0.0
            )
            if reach >= 0.99 and poured:
                pose.stream = (off(at, -0.05 * side, 0, 0), off(dest, 0, 0, 0.01), thing)
            if clause.verb == "wash" and "faucet" in table:
                pose.stream, pose.gush = (tap(table)[0], dest, "water"), True
                pose.foam = at if reach >= 0.99 else None
            pose.things[thing] = Placed(at, state, angle)
            pose.focus = goal if goal is not None and poured and u > 0.6 else thing
        elif clause.verb in ("shake", "show", "rotate", "move", "fold"):
            lift = {"show": 0.16, "shake": 0.07}.get(clause.verb, 0.0)
            width = 0.035 if clause.verb == "shake" else 0.0
            at = mix(was.at, off(was.at, width * swing, 0.02 * (lift > 0), lift), reach * 1.5)
            if clause.verb == "move":
                at = mix(was.at, off(was.at, _PUSH_M, 0.0), busy)
            angle = 170 * busy if clause.verb == "rotate" else 0.0
            late = clause.verb in _SWITCH and busy > 0.5
            pose.things[thing] = Placed(at, _SWITCH.get(clause.verb, "") if late else state, angle)
        else:
            dip = 0.02 * abs(swing)
            at = off(was.at, 0, 0, 0)
            if clause.verb in _SWITCH and busy > 0.5:
                state = _SWITCH[clause.verb]
            elif clause.verb in _TOUCHES and 0.2 < u < 0.8:
                state += PRESSED
            pose.things[thing] = Placed(was.at, state)
            pose.hands[main] = mix(
                REST[main],
                off(at, 0.06 * side, -0.12 if thing in _FIXTURES else -0.065, 0.02 + dip),
                reach,
            )
        if pose.hands[main] == REST[main]:
            grip_at = off(at, 0.055 * side, -0.06, 0.01)
            pose.hands[main] = mix(REST[main], grip_at, min(1.0, 5 * u, 5 * (1 - u)))
        if clause.verb == "pass" and u < 0.6:
            pose.hands[other] = mix(
                REST[other], off(at, -0.055 * side, -0.06, 0.01), min(1.0, 6 * u)
            )
        if both or clause.verb in ("wash", "fold"):
            grip_at = off(at, -0.06 * side, -0.055, 0.01)
            pose.hands[other] = mix(REST[other], grip_at, min(1.0, 5 * u, 5 * (1 - u)))

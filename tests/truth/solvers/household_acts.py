"""Which of the household's actions a clip may show, from what moves in it.

The solver knows what can be done there (which verb with which thing, tool and place), not what is
done in a clip: every action is held against the clip by how much its thing and tool move, whether
its place is near, and what else moves. How much these count for a kind of verb is fitted.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np

from resources.worlds.tasks import TASKS, Clause, script
from tests.truth.solvers.household_action import Action
from tests.truth.solvers.household_motion import Motion
from tests.truth.solvers.household_sight import CLASS, COUNT, PLACES, Array

_KINDS: Final = {
    "take": "take remove", "put": "put insert", "add": "add scoop", "pass": "pass",
    "throw": "throw", "pour": "pour squeeze crack", "cut": "cut peel", "stir": "stir mix",
    "wash": "wash", "dip": "dip weigh", "shake": "shake show rotate", "move": "move fold",
    "on": "turn_on", "off": "turn_off", "press": "press touch", "open": "open close",
    "wipe": "wipe write",
}  # fmt: skip
KIND: Final = {verb: kind for kind, verbs in _KINDS.items() for verb in verbs.split()}
SIGNS: Final = (
    "thing courses", "thing off place", "thing moved", "thing near hand", "thing shift",
    "thing change", "thing net", "place first", "place midway", "place last", "hand at place",
    "tool courses", "tool off place", "tool moved", "glow", "far aside", "others", "way", "up",
)  # fmt: skip
BESIDE: Final = ("two clauses", "tool", "place")
ASIDE_M: Final = 0.55
_NUMBER = {kind: number for number, kind in enumerate(PLACES)}


@cache
def actions() -> tuple[tuple[Clause, ...], ...]:
    """All actions of all tasks, each once."""
    return tuple(sorted({a.clauses for t in TASKS for s in script(t) for a in s.actions}, key=str))


def signs(action: Action, motion: Motion) -> Array:
    """(actions, signs) how well the clip's signs fit each action."""
    courses = np.zeros(COUNT)
    for kind, course in action.courses.items():
        courses[kind] = course.weight * action.known[kind]
    return np.array([_signs(clauses, courses, action, motion) for clauses in actions()])


def _signs(clauses: tuple[Clause, ...], courses: Array, action: Action, motion: Motion) -> Array:
    clause = clauses[-1]
    thing = CLASS.get(clause.obj, -1)
    tool = next((CLASS[n] for p, n in clause.preps if p == "with"), -1)
    goal = next((n for p, n in clause.preps if p != "with"), None)
    to = _NUMBER.get(CLASS.get(goal or "", -1), -1)
    place = to if to >= 0 else _NUMBER.get(thing, -1)
    known, off_place = action.known, motion.weight * motion.known
    size, off_size, near_size = (
        float(np.sqrt(v @ v)) + 1 for v in (courses, off_place, action.near_hand)
    )
    out = dict.fromkeys(SIGNS, 0.0)
    if thing >= 0 and known[thing]:
        out["thing courses"] = courses[thing] / size
        out["thing off place"] = off_place[thing] / off_size
        out["thing moved"] = motion.moved[thing]
        out["thing near hand"] = action.near_hand[thing] / near_size
        out["thing shift"] = motion.shift[thing]
        out["thing change"] = np.tanh(action.change[thing] / 4)
        out["thing net"] = min(motion.net[thing] / 0.2, 1) * motion.moved[thing]
        if thing in action.courses:
            *_, along, up = action.courses[thing].lengths
            out["way"], out["up"] = min(along, 1.5), 2 * min(max(up, 0), 0.4)
    if to >= 0 and thing in action.courses:
        for name, near in zip(
            ("first", "midway", "last"), action.courses[thing].places, strict=True
        ):
            out[f"place {name}"] = near[to]
    if place >= 0:
        out["hand at place"] = action.hand_places[place]
    if tool >= 0 and known[tool]:
        out["tool courses"] = courses[tool] / size
        out["tool off place"] = off_place[tool] / off_size
        out["tool moved"] = motion.moved[tool]
    rest = courses.copy()
    used = {thing, *(CLASS[c.obj] for c in clauses[:-1] if c.obj in CLASS)}
    used |= {tool} if tool >= 0 and known[tool] else set()
    rest[[kind for kind in used if kind >= 0]] = 0
    out["others"] = float(np.sqrt(rest @ rest)) / size
    out["glow"] = motion.glow
    out["far aside"] = float(abs(motion.side) > ASIDE_M)
    return np.array([out[name] for name in SIGNS])


@cache
def _makeup() -> tuple[Array, Array]:
    """Number of each action's kind of verb, and (actions, 3) what it is made of."""
    kinds = list(_KINDS)
    kind = np.array([kinds.index(KIND[clauses[-1].verb]) for clauses in actions()])
    beside = [
        (
            len(clauses) == 2,
            any(p == "with" for p, _ in clauses[-1].preps),
            any(p != "with" for p, _ in clauses[-1].preps),
        )
        for clauses in actions()
    ]
    return kind, np.array(beside, dtype=float)


def spread(found: Array) -> Array:
    """(actions, weights) the signs in the places of the weights that hold for each action."""
    kind, beside = _makeup()
    count, width = len(_KINDS), len(SIGNS) + 1
    own = np.zeros((len(found), count, width))
    own[np.arange(len(found)), kind] = np.column_stack([found, np.ones(len(found))])
    return np.concatenate([own.reshape(len(found), -1), found, beside], axis=1)


def likely(found: Array, weights: Array) -> Array:
    """Probability of each action, from its signs."""
    score = spread(found) @ weights
    odds = np.exp(score - score.max())
    return odds / odds.sum()


def likelies_agree(one: Array, other: Array) -> dict[str, float]:
    """How far two clips may show one action."""
    return {
        "same action": float(np.log(one @ other + 1e-6)),
        "alike actions": float(np.sqrt(one * other).sum()),
        "best alike": float(one.argmax() == other.argmax()),
    }

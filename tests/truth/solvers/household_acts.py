"""Which of the household's actions a clip may show, from what moves in it.

The solver knows what can be done there (which verb with which thing, tool and place), not what is
done in a clip: every action is held against the clip by how much its thing and tool move, whether
its place is near, and what else moves. How much these count for a kind of verb is fitted.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Final

import numpy as np

from resources.worlds.household.tasks import TASKS, Clause, script
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
    "thing gone", "thing far", "thing grown", "thing along", "place moved", "place change",
    "place shift", "tool near hand", "before courses", "before moved", "holds", "alone",
    "less busy hand", "busier hand", "handover", "wobble x", "wobble y", "water", "hole", "lamp",
    "touched", "glow share", "foam",
)  # fmt: skip
BESIDE: Final = ("two clauses", "tool", "place")
ASIDE_M: Final = 0.55
FAR_M: Final = 0.3
WOBBLE_M: Final = 0.1
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
    always = _any_action(action, motion)
    off_place = motion.weight * motion.known
    sizes = [float(np.sqrt(v @ v)) + 1 for v in (courses, off_place, action.near_hand)]
    found = [
        always
        | _thing_and_tool(clauses, courses, off_place, sizes, action, motion)
        | _beside(clauses, courses, action, motion)
        for clauses in actions()
    ]
    return np.nan_to_num(np.array([[signs.get(name, 0.0) for name in SIGNS] for signs in found]))


def _any_action(action: Action, motion: Motion) -> dict[str, float]:
    """Signs that are the same for every action; what they count for is not."""
    less, more = action.hands
    return {
        "glow": motion.glow,
        "far aside": float(abs(motion.side) > ASIDE_M),
        "less busy hand": less,
        "busier hand": more,
        "handover": min(action.handover, 1.0),
        "wobble x": min(motion.wobble[0] / WOBBLE_M, 2.0),
        "wobble y": min(motion.wobble[1] / WOBBLE_M, 2.0),
        "water": motion.shift[CLASS["flow"]],
        "hole": motion.shift[CLASS["hole"]],
        "lamp": motion.shift[CLASS["lamp"]],
        "touched": motion.touched,
        "foam": motion.foam,
        "glow share": motion.shift[CLASS["glow"]],
    }


def _beside(
    clauses: tuple[Clause, ...], courses: Array, action: Action, motion: Motion
) -> dict[str, float]:
    """Signs of a first clause, of the place, and of how the thing ends."""
    clause, known = clauses[-1], action.known
    thing = CLASS.get(clause.obj, -1)
    tool, place = (CLASS.get(name, -1) for name in _tool_and_goal(clause))
    out: dict[str, float] = {}
    if len(clauses) == 1:
        out["alone"] = 1 - action.hands[0]
    elif clauses[0].verb == "hold":
        out["holds"] = action.hands[0]
    elif (before := CLASS.get(clauses[0].obj, -1)) >= 0 and known[before]:
        out["before courses"] = courses[before] / (float(np.sqrt(courses @ courses)) + 1)
        out["before moved"] = motion.moved[before]
    if tool >= 0 and known[tool]:
        near = action.near_hand
        out["tool near hand"] = near[tool] / (float(np.sqrt(near @ near)) + 1)
    if thing >= 0 and known[thing]:
        moved = motion.moved[thing]
        out["thing gone"], out["thing grown"] = motion.gone[thing], motion.grown[thing]
        out["thing far"] = min(motion.far[thing] / FAR_M, 1.0) * moved
        out["thing along"] = min(motion.along[thing], 1.5) * moved
    if place >= 0 and known[place]:
        out["place moved"], out["place shift"] = motion.moved[place], motion.shift[place]
        out["place change"] = np.tanh(action.change[place] / 4)
    return out


def _tool_and_goal(clause: Clause) -> tuple[str, str]:
    """What it is done with, and where; empty where it is not told."""
    tool = next((n for p, n in clause.preps if p == "with"), "")
    return tool, next((n for p, n in clause.preps if p != "with"), "")


def _thing_and_tool(
    clauses: tuple[Clause, ...], courses: Array, off_place: Array, sizes: list[float],
    action: Action, motion: Motion,
) -> dict[str, float]:  # fmt: skip
    """Signs of how the thing and the tool move, from where to where, and of what else moves."""
    clause = clauses[-1]
    thing = CLASS.get(clause.obj, -1)
    tool, goal = _tool_and_goal(clause)
    tool, to = CLASS.get(tool, -1), _NUMBER.get(CLASS.get(goal, -1), -1)
    place = to if to >= 0 else _NUMBER.get(thing, -1)
    known, (size, off_size, near_size) = action.known, sizes
    out: dict[str, float] = {}
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
    used = {thing, *(CLASS[c.obj] for c in clauses[:-1] if c.obj in CLASS)}
    used |= {tool} if tool >= 0 and known[tool] else set()
    others = (size - 1) ** 2 - sum(courses[kind] ** 2 for kind in used if kind >= 0)
    out["others"] = math.sqrt(max(others, 0.0)) / size
    return out


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


def likely(found: Array, weights: Array) -> Array:
    """Probability of each action, from its signs.

    Args:
        found: (actions, signs) signs.
        weights: For each kind of verb its signs' and its own; for all the signs', then `BESIDE`'s.
    """
    kind, beside = _makeup()
    own = weights[: -len(SIGNS) - len(BESIDE)].reshape(len(_KINDS), len(SIGNS) + 1)[kind]
    shared = weights[-len(SIGNS) - len(BESIDE) : -len(BESIDE)]
    score = (found * (own[:, :-1] + shared)).sum(axis=1) + own[:, -1]
    score += beside @ weights[-len(BESIDE) :]
    odds = np.exp(score - score.max())
    return odds / odds.sum()


@cache
def _of_tasks() -> Array:
    """(tasks, actions) whether an action belongs to a task."""
    scripts = [{a.clauses for step in script(task) for a in step.actions} for task in TASKS]
    return np.array([[clauses in told for clauses in actions()] for told in scripts])


def in_one_task(told: Array) -> Array:
    """(clips, actions) probabilities of actions of the one task that all the clips best show."""
    task = _of_tasks()[np.log(told @ _of_tasks().T + 1e-6).sum(axis=0).argmax()]
    inside = (told + 1e-9) * task
    return inside / inside.sum(axis=1, keepdims=True)


def likelies_agree(one: Array, others: Array) -> dict[str, Array]:
    """How far a clip and each of several (clips, actions) may show one action.

    What another of the several shows more likely counts less: hardly two of them show one action.
    """
    return {
        "same action": np.log(others @ one + 1e-4),
        "alike actions": np.sqrt(others * one).sum(axis=1),
        "best alike": (others.argmax(axis=1) == one.argmax()).astype(float),
        "share of action": (others / (others.sum(axis=0) + 0.05)) @ one,
    }

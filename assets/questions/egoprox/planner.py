"""Which tools answer a question, in which order, and what they said (EgoProx 4.3, C.3).

The paper lets a language model choose tools by the type of the question. Here the choice is declared for each type; the
trace of a question follows from stored rows and says how its answer comes about. A model may choose instead
(`planner_steps`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assets.questions.egoprox.bins import interval
from assets.questions.egoprox.scene import Scene, keys_of
from assets.questions.egoprox.tools import TOOLS, Result, name_of
from assets.questions.kit.recipe import Row

PLANS: Mapping[str, tuple[str, ...]] = {
    "intention": ("visibility", "gaze_parser", "affordance_detector", "spatial_calculator"),
    "exploration": ("visibility", "occupancy_map", "path_planner"),
    "afford": ("affordance_detector", "visibility", "spatial_calculator"),
    "place": ("affordance_detector", "visibility", "displacement_calculator"),
    "chain_of_actions": ("keystep_extractor", "chain_constructor"),
}
"""Tools by type of question, in the order in which they are called."""
_MOST_RING_DEG = 360.0


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool.

    Attributes:
        tool: Its name.
        thing: Name of the thing it is asked about; empty if none is.
        result: What it said.
    """

    tool: str
    thing: str
    result: Result


@dataclass(frozen=True, slots=True)
class Trace:
    """How an answer comes about.

    Attributes:
        calls: Calls in order.
        answer: Letter of the option, or the valid sequences one a line; empty where the calls give none.
        agrees: Whether that is the question's own answer.
    """

    calls: tuple[Call, ...]
    answer: str
    agrees: bool


def kind_of(question: Row, scene: Scene) -> str:
    """Type of a question: a key of `PLANS`; empty if it is of none.

    Args:
        question: Row of `questions`.
        scene: Its recording.
    """
    if question["benchmark"] != "egoprox":
        return ""
    first = str(question["subtask"]).partition("_")[0]
    if question["subtask"] in PLANS:
        return str(question["subtask"])
    if first != "exploitation":
        return first if first in PLANS else ""
    events = [scene.facts.get(key) for key in keys_of(question, "spatial_facts", "event")]
    kinds = [event["operator"] for event in events if event is not None]
    return str(kinds[0]) if kinds and kinds[0] in PLANS else ""


def thing_of(question: Row, scene: Scene) -> str:
    """Id of the thing that a question is about; empty if it is about none."""
    for table, rows in (("spatial_facts", scene.facts), ("paths", scene.paths)):
        for key in keys_of(question, table, "answer"):
            if key in rows:
                return str(rows[key]["object_id"])
    return ""


def trace(question: Row, scene: Scene) -> Trace | None:
    """The declared calls for a question with what they say; None for a question of another type.

    Args:
        question: Row of `questions`.
        scene: Its recording.
    """
    kind = kind_of(question, scene)
    return follow(PLANS[kind], question, scene) if kind else None


def follow(tools: Sequence[str], question: Row, scene: Scene) -> Trace:
    """Call tools one after the other; the last that finds a direction or orders decides.

    Args:
        tools: Names of tools.
        question: Row of `questions`.
        scene: Its recording.
    """
    thing = thing_of(question, scene)
    calls = [
        Call(
            name,
            name_of(scene, thing) if TOOLS[name].takes_thing else "",
            TOOLS[name].call(scene, question, thing),
        )
        for name in tools
    ]
    answer = ""
    for call in calls:
        answer = _answer(question, call.result) or answer
    return Trace(tuple(calls), answer, answer == _own_answer(question) != "")


def _own_answer(question: Row) -> str:
    if question["answer_kind"] != "sequences":
        return question["answer"] or ""
    return "\n".join(sorted((question["answer_text"] or "").splitlines()))


def _answer(question: Row, result: Result) -> str:
    """The only option that holds what a tool found, or the valid sequences; empty if there is none."""
    if result.orders:
        return "\n".join(sorted(json.dumps([[*steps], [*moves]]) for steps, moves in result.orders))
    if result.turn_deg is None:
        return ""
    letters = []
    for option in question["options"]:
        named = interval(option["value"] or "")
        if named is None:
            return ""
        inside = (result.turn_deg - named.low_deg) % _MOST_RING_DEG < named.high_deg - named.low_deg
        if named.low_m is not None and named.high_m is not None:
            inside &= named.low_m <= (result.distance_m or 0.0) < named.high_m
        letters += [option["letter"]] if inside else []
    return letters[0] if len(letters) == 1 else ""

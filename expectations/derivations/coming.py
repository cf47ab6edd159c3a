"""What comes after the end of a clip: it must not be shown, and begins when the question says it does."""

from __future__ import annotations

import math
from typing import Any

from expectations.derivations.action_path import ActionPath, action_path, done_forms
from expectations.derivations.actions import active_objects, wearers_actions_of
from expectations.gates.base import CannotTell, Derived, Hidden, Margin, Question, Sight, span_of
from expectations.gates.statements import Choice, Number, Statement
from expectations.gates.tables import EvidenceTables

HORIZON_S = 5.0
"""What is anticipated happens within so long after the clip."""
_AHEAD_S = 1.0
_NEAR_S = 0.5
_ROUNDED_S = 0.05
_EDGE_S = 1e-6
_DIRECT = ("direct",)

Row = dict[str, Any]


def after_clip(question: Question, mine: list[Row], notes: Derived) -> list[Row]:
    """Return what begins after the clip, and note that nothing may be shown of it, nor of what the evidence names.

    Args:
        question: The question.
        mine: All that the wearer does, in time order.
        notes: Filled in.

    Raises:
        CannotTell: Nothing begins after the clip.
    """
    recording, (_, end) = str(question.query["recording_id"]), span_of(question.query)
    named = question.keys_of("segments")
    after = [row for row in mine if row["start_s"] >= end - _EDGE_S]
    going_on = [row for row in mine if row["segment_id"] in named and row["end_s"] > end + _EDGE_S]
    for row in (*after[:1], *going_on):
        what = "what the wearer does next"
        begins = float(row["start_s"])
        notes.hidden.append(Hidden(recording, begins, math.inf, "shows_next_action", what))
    if not after:
        message = "the camera wearer begins nothing after the clip"
        notes.refuse("consistent", "nothing_done_next", message)
        raise CannotTell(message)
    return after


def check_begins(question: Question, action: Row, notes: Derived) -> float:
    """Note that an action begins a second after the clip, and return how many seconds it does.

    Args:
        question: The question.
        action: Row of `segments`.
        notes: Filled in.
    """
    ahead = float(action["start_s"]) - span_of(question.query)[1]
    words = "from the end of the clip to what is done next"
    notes.margins.append(Margin("before_next", round(ahead, 3), _AHEAD_S, "s", words))
    if ahead > HORIZON_S:
        message = f"the next action begins {ahead:.2f} s after the clip, {HORIZON_S:g} s are asked"
        notes.refuse("consistent", "next_is_far", message, ahead, HORIZON_S)
    return ahead


def check_alone(after: list[Row], least_s: float, notes: Derived) -> None:
    """Note how long after the next action another begins.

    Args:
        after: What begins after the clip, in time order.
        least_s: For so long no other may begin.
        notes: Filled in.
    """
    if len(after) > 1:
        alone = float(after[1]["start_s"]) - float(after[0]["start_s"])
        words = "from the start of the next action to that of another"
        notes.margins.append(Margin("next_alone", alone, least_s, "s", words))


def asks(form: str) -> Statement:
    """Return what the question's text must ask.

    Args:
        form: Its wording, with `{horizon}`.
    """
    return Statement("question", (form,), {"horizon": Number(HORIZON_S, 0.0)}, ())


def note_shown_before(
    question: Question, clip: tuple[float, float], given: EvidenceTables, notes: Derived
) -> int:
    """Note the last two actions on one thing that a clip shows from start to end: evidence, sight and explanation.

    Args:
        question: The question.
        clip: Start and end of the clip.
        given: The tables.
        notes: Filled in.

    Returns:
        How many there are; roles of their evidence end with numbers from 1 on.

    Raises:
        CannotTell: The clip shows none.
    """
    shown = [
        row
        for row in wearers_actions_of(str(question.query["recording_id"]), given)
        if row["start_s"] >= clip[0] - _EDGE_S
        and row["end_s"] <= clip[1] + _EDGE_S
        and len(active_objects(row, given, _DIRECT)) == 1
    ]
    if not shown:
        raise CannotTell("the clip shows no action of the camera wearer from start to end")
    last = sorted(shown, key=lambda row: (row["end_s"], row["start_s"]))[-2:]
    for number, row in enumerate(sorted(last, key=lambda row: row["start_s"]), 1):
        (name,) = active_objects(row, given, _DIRECT)
        path = action_path(row, " ".join(name), _DIRECT, row["start_s"], given)
        span, thing = (row["start_s"], row["end_s"]), path.objects[0]
        notes.sights.append(Sight("query", (span,), _NEAR_S, f"what is done to the {thing}"))
        path.rest_whole_on(notes, number)
        notes.statements.append(path.whole_statement(thing, number, clip[0]))
    return len(last)


def no_other(question: Question, happens: str, nodes: tuple[str, ...]) -> Statement:
    """Return the last step of an explanation: of the options only the answer happens within the horizon.

    Args:
        question: The question.
        happens: What options do, as `begins`.
        nodes: Nodes of the things that options name, as `table:key`.
    """
    texts = tuple(str(option["text"]) for option in question.options)
    answer = str((question.answer_option or {}).get("text"))
    return Statement(
        "the other options",
        (
            f"No other option {happens} within {{horizon}} s after the clip ends, so the answer is:"
            " {answer}.",
        ),
        {"horizon": Number(HORIZON_S, 0.0), "answer": Choice((answer,), texts)},
        nodes,
        cited=tuple(frozenset({node}) for node in nodes),
    )


def next_statement(path: ActionPath, ahead_s: float) -> Statement:
    """Return what an explanation says of the action after the clip.

    Args:
        path: The action.
        ahead_s: Seconds from the end of the clip to its start.
    """
    links, does, hands = (
        frozenset(f"graph_edges:{e['edge_id']}" for e in edges)
        for edges in (path.acts_on, path.does, path.hand_edges)
    )
    return Statement(
        "next action",
        done_forms(
            "The next action begins {ahead} s after the clip ends: the camera wearer {done}."
        ),
        {"ahead": Number(ahead_s, _ROUNDED_S), **path.done_slots(path.objects)},
        (*links, *does, *hands),
        cited=(links, does),
    )

"""Right option of hand-object grounded CoT: the hand and the time of what made a thing what it is at the end of the clip."""

from __future__ import annotations

import re
from typing import Any

from expectations.derivations import action_path, actions, hands, thing_states
from expectations.derivations.boxes import boxes_drawn_for, note_answer_box
from expectations.derivations.clips import check_length_between
from expectations.derivations.reads import merge_reads
from expectations.derivations.wording import moment_asked
from expectations.gates.base import (
    CannotTell,
    Derivation,
    Derived,
    Margin,
    Question,
    Sight,
    span_of,
)
from expectations.gates.statements import Choice, Name, Number, Statement
from expectations.gates.tables import EvidenceTables

_SHORTEST_S, _LONGEST_S = 8.0, 60.0
_APART_S = 2.0
_NEAR_S = 0.5
_ROUNDED_S = 0.05
_EDGE_S = 1e-6
_ASKED = re.compile(r"the last moment of the clip, the (\S.*?) is ([\w ]+)\.")
_OPTION = re.compile(r"the (left|right) hand, at (\d+(?:\.\d+)?) s", re.IGNORECASE)
_ASKS = (
    "At {time} s, the last moment of the clip, the {object} is {state}. Which hand of the camera wearer"
    " caused this, and when did that hand act on it?"
)

Row = dict[str, Any]


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    clip = start, end = span_of(question.query)
    recording, moment = (
        str(question.query["recording_id"]),
        moment_asked(question, notes, start, end),
    )
    check_length_between(notes, clip, _SHORTEST_S, _LONGEST_S)
    match = _ASKED.search(question.text)
    if match is None or match[2] not in thing_states.STATES:
        raise CannotTell("the text names no state of a thing that has an opposite")
    thing, state = match.groups()
    in_state = thing_states.in_state(question, thing, state, moment, clip, given, notes)
    slots = {"object": Name((thing,)), "state": Choice((in_state.state,), thing_states.STATES)}
    notes.asks.append(
        Statement("question", (_ASKS,), slots | {"time": Number(moment - start, _ROUNDED_S)}, ())
    )
    if not thing_states.is_caused(in_state, given) or in_state.state != state:
        message = f"what is last done to the {thing} did not make it {state}"
        notes.refuse("consistent", "no_cause", message)
        raise CannotTell(message)
    cause = in_state.path.segment
    side = _only_side(cause, thing, given, notes)
    others = _judge_options(question, cause, side, given, notes)
    time = _time_of(question.answer_option, start)
    if time is None:
        raise CannotTell("the answer names no hand and time")
    notes.sights += [
        Sight("query", ((time - _NEAR_S, time + _NEAR_S),), 0.0, f"the hand on the {thing}"),
        Sight("query", ((moment - _NEAR_S, moment),), 0.0, f"the {thing} at the end of the clip"),
    ]
    untrue = hands.note_other_hand(recording, time, side, given, notes)
    path = action_path.action_path(cause, thing, ("direct",), time, given)
    path.rest_on(notes, "answer")
    for box in boxes_drawn_for(cause, thing, given):
        note_answer_box(box, notes)
    notes.rests_on("state_1", "graph_edges", in_state.edges, "one")
    links = thing_states.causes(in_state, given)
    notes.rests_on("cause", "graph_edges", links, "one")
    notes.statements += [*path.statements(start, given), in_state.statement(1, start, moment)]
    for other in others:
        action_path.note_whole(other, 2, start, given, notes)
    keys = tuple(f"graph_edges:{link}" for link in links)
    things = tuple(f"graph_nodes:{edge['to_node']}" for edge in path.acts_on)
    notes.statements.append(
        Statement(
            "chain",
            ("So the {object} is {state} because of the {side} hand, at {at} s.",),
            slots | {"side": Choice((side,), hands.SIDES), "at": Number(time - start, _ROUNDED_S)},
            (*keys, *things),
            cited=(frozenset(keys),),
            untrue="; ".join(untrue),
        )
    )


def _only_side(cause: Row, thing: str, given: EvidenceTables, notes: Derived) -> str:
    """Side of the one hand that is on the thing.

    Raises:
        CannotTell: No side is annotated, or both are.
    """
    sides = hands.sides(cause, given)
    if len(sides) != 1:
        message = f"the annotations do not say which one hand is on the {thing}"
        notes.refuse("consistent", "hand_not_annotated", message)
        raise CannotTell(message)
    return sides.pop()


def _judge_options(
    question: Question, cause: Row, side: str, given: EvidenceTables, notes: Derived
) -> list[Row]:
    """Judge options that name a hand and a time; return what is done at the times that are not the cause's."""
    start = span_of(question.query)[0]
    others: dict[str, Row] = {}
    for option in question.options:
        letter, match = str(option["letter"]), _OPTION.fullmatch(str(option["text"] or "").strip())
        time = _time_of(option, start)
        notes.rests_on(f"option_{letter}", "graph_nodes", [_node(option)])
        if match is None or time is None:
            notes.option(letter, None, f"{option['text']!r} names no hand and time")
            continue
        done = _done_at(question, time, given)
        segments = {row["segment_id"] for row in done}
        if not done:
            message = f"the camera wearer does nothing at the time of option {letter}"
            notes.refuse("consistent", "nothing_done_then", message)
        of_time = {
            edge["to_node"]
            for uid in segments
            for edge in given.rows("graph_edges", segment_id=uid)
            if edge["relation"] == "does"
        }
        meant = str(option["value"]).partition("|")[0]
        if meant != match[1].lower() or _node(option) not in of_time:
            message = f"option {letter} reads {option['text']!r} and means {option['value']!r}"
            notes.refuse("consistent", "value_differs_from_text", message)
        in_time = cause["segment_id"] in segments
        wrong = [] if in_time else ["time"]
        wrong += [] if match[1].lower() == side else ["hand"]
        notes.option(letter, not wrong, f"wrong of it: {', '.join(wrong) or 'nothing'}")
        if not in_time:
            others.update({str(row["segment_id"]): row for row in done[:1]})
            apart = max(cause["start_s"] - time, time - cause["end_s"], 0.0)
            words = f"from what is done to the thing to the time of option {letter}"
            notes.margins.append(Margin("times_apart", apart + _ROUNDED_S, _APART_S, "s", words))
    return list(others.values())


def _done_at(question: Question, time: float, given: EvidenceTables) -> list[Row]:
    """What the wearer does at a time that a text rounds, if the clip shows all of it."""
    start, end = span_of(question.query)
    return [
        row
        for row in actions.wearers_actions_of(str(question.query["recording_id"]), given)
        if row["start_s"] - _ROUNDED_S <= time <= row["end_s"] + _ROUNDED_S
        and row["start_s"] >= start - _EDGE_S
        and row["end_s"] <= end + _EDGE_S
    ]


def _time_of(option: Row | None, start: float) -> float | None:
    """Time that an option names (s in the recording)."""
    match = _OPTION.fullmatch(str((option or {}).get("text") or "").strip())
    return None if match is None else start + float(match[2])


def _node(option: Row) -> str:
    return str(option["value"]).partition("|")[2]


DERIVATION = Derivation(
    benchmark="egocot",
    subtasks=("hand_object_grounded_cot",),
    reads=merge_reads(actions.READS, action_path.READS, thing_states.READS),
    derive=_derive,
    recipes=("hand_object_grounded_cot",),
    explained_in=("detailed_answer", "rationale"),
)

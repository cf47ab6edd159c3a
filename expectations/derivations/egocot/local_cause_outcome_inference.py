"""Right option of local cause-outcome inference: the action that made a thing what it is at the end of the clip."""

from __future__ import annotations

import re
from typing import Any

from expectations.derivations import action_path, actions, thing_states
from expectations.derivations.clips import check_length_between
from expectations.derivations.reads import merge_reads
from expectations.derivations.wording import moment_asked
from expectations.gates.base import CannotTell, Derivation, Derived, Question, Sight, span_of
from expectations.gates.statements import Choice, Name, Number, Statement
from expectations.gates.tables import EvidenceTables

_SHORTEST_S, _LONGEST_S = 8.0, 60.0
_NEAR_S = 0.5
_ROUNDED_S = 0.05
_EDGE_S = 1e-6
_ASKED = re.compile(r"the last moment of the clip, the (\S.*?) is ([\w ]+)\.")
_OPTION = re.compile(r"the action from (-?\d+(?:\.\d+)?) s to (\d+(?:\.\d+)?) s")
_ASKS = (
    "At {time} s, the last moment of the clip, the {object} is {state}. Which action of the camera"
    " wearer caused this?"
)
Row = dict[str, Any]


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    clip = start, end = span_of(question.query)
    moment = moment_asked(question, notes, start, end)
    check_length_between(notes, clip, _SHORTEST_S, _LONGEST_S)
    asked = _ASKED.search(question.text)
    if asked is None or asked[2] not in thing_states.STATES:
        raise CannotTell("the text names no state of a thing that has an opposite")
    thing, state = asked.groups()
    held = thing_states.in_state(question, thing, state, moment, clip, given, notes)
    slots = {"object": Name((thing,)), "state": Choice((held.state,), thing_states.STATES)}
    time = {"time": Number(moment - start, _ROUNDED_S)}
    notes.asks.append(Statement("question", (_ASKS,), slots | time, ()))
    cause = held.path.segment
    is_cause = thing_states.is_caused(held, given) and held.state == state
    if not is_cause:
        message = f"what is last done to the {thing} did not make it {state}"
        notes.refuse("consistent", "no_cause", message)
    others = _judge_options(question, cause, is_cause, given, notes)
    now = (moment - _NEAR_S, moment)
    notes.sights.append(Sight("query", (now,), 0.0, f"the {thing} at the moment asked about"))
    held.note(notes, 1, start, moment)
    for number, other in enumerate(others, 2):
        action_path.note_whole(other, number, clip[0], given, notes)
    links = thing_states.causes(held, given)
    notes.rests_on("cause", "graph_edges", links, "one")
    keys = tuple(f"graph_edges:{link}" for link in links)
    spans = {
        "start": Number(cause["start_s"] - start, _ROUNDED_S),
        "end": Number(cause["end_s"] - start, _ROUNDED_S),
    }
    form = "So the {object} is {state} because of the action from {start} s to {end} s."
    notes.statements.append(
        Statement("cause", (form,), spans | slots, keys, cited=(frozenset(keys),))
    )


def _judge_options(
    question: Question, cause: Row, is_cause: bool, given: EvidenceTables, notes: Derived
) -> list[Row]:
    """Judge options that name the times of actions; return those that are not the cause, in time order."""
    start, end = span_of(question.query)
    others = []
    for option in question.options:
        letter, text = str(option["letter"]), str(option["text"] or "")
        notes.rests_on(f"option_{letter}", "graph_nodes", [str(option["value"])])
        found = _actions_named(text, question, given)
        if len(found) != 1:
            notes.option(letter, None, f"{text!r} names {len(found)} actions of the wearer")
            message = f"option {letter} reads {text!r}: {len(found)} actions have these times"
            notes.refuse("consistent", "names_no_action", message)
            continue
        (segment,) = found
        if segment["start_s"] < start - _EDGE_S or segment["end_s"] > end + _EDGE_S:
            message = f"the clip does not show all of the action of option {letter}"
            notes.refuse("consistent", "action_cut", message)
        edges = given.rows("graph_edges", segment_id=segment["segment_id"])
        if option["value"] not in {e["to_node"] for e in edges if e["relation"] == "does"}:
            message = f"option {letter} reads {text!r} and means {option['value']!r}"
            notes.refuse("consistent", "value_differs_from_text", message)
        right = is_cause and segment["segment_id"] == cause["segment_id"]
        notes.option(letter, right, "it is the cause" if right else "it did not cause the state")
        if segment["segment_id"] != cause["segment_id"]:
            others.append(segment)
            if letter == question.answer:
                when = "precedes" if segment["end_s"] <= cause["start_s"] else "follows"
                message = f"the action of option {letter} merely {when} the change"
                notes.refuse("consistent", f"merely_{when}", message)
    return sorted(others, key=lambda row: row["start_s"])


def _actions_named(text: str, question: Question, given: EvidenceTables) -> list[Row]:
    """Actions of the wearer that have the times of an option, which count from the start of the clip."""
    named = _OPTION.fullmatch(text.strip())
    if named is None:
        return []
    zero = span_of(question.query)[0]
    times = [float(said) + zero for said in named.groups()]
    return [
        row
        for row in actions.wearers_actions_of(str(question.query["recording_id"]), given)
        if all(
            abs(row[name] - said) <= _ROUNDED_S + _EDGE_S
            for name, said in zip(("start_s", "end_s"), times, strict=True)
        )
    ]


DERIVATION = Derivation(
    benchmark="egocot",
    subtasks=("local_cause_outcome_inference",),
    reads=merge_reads(actions.READS, action_path.READS, thing_states.READS),
    derive=_derive,
    recipes=("local_cause_outcome_inference",),
    explained_in=("detailed_answer", "rationale"),
)

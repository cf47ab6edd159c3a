"""Right option of next state anticipation: the state that the wearer's next action leaves behind."""

from __future__ import annotations

import re
from typing import Any

from expectations.derivations import action_path, actions, coming, thing_states
from expectations.derivations.clips import check_length_between
from expectations.derivations.nodes import check_named_node
from expectations.derivations.reads import merge_reads
from expectations.gates.base import CannotTell, Derivation, Derived, Margin, Question, span_of
from expectations.gates.statements import Choice, Number, Statement
from expectations.gates.tables import EvidenceTables

_OPTION = re.compile(r"the (\S.*) is ([\w ]+)", re.IGNORECASE)
_SHORTEST_S, _LONGEST_S = 8.0, 60.0
# For so long after the next action begins no other does.
_ALONE_S = 0.5
# A state that began in the last seconds of the clip may seem to be coming about.
_JUST_BEGUN_S = 2.0
_ROUNDED_S = 0.05
_EDGE_S = 1e-6
_DIRECT = ("direct",)

Row = dict[str, Any]


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    recording, clip = str(question.query["recording_id"]), span_of(question.query)
    check_length_between(notes, clip, _SHORTEST_S, _LONGEST_S)
    after = coming.after_clip(question, actions.wearers_actions_of(recording, given), notes)
    ahead = coming.check_begins(question, after[0], notes)
    coming.check_alone(after, _ALONE_S, notes)
    for option in question.options:
        _judge_option(question, option, given, notes)
    found = _OPTION.fullmatch(str((question.answer_option or {}).get("text") or "").strip())
    if found is None:
        raise CannotTell("the answer names no thing in a state")
    thing, state = found[1], found[2].lower()
    left = [
        time
        for time in _begins(recording, thing, state, given)
        if after[0]["start_s"] - _EDGE_S <= time <= after[0]["end_s"] + _EDGE_S
    ]
    if not left:
        message = f"the next action does not leave the {thing} {state}"
        notes.refuse("consistent", "another_cause", message)
        raise CannotTell(message)
    comes = left[0] - clip[1]
    asks = "Which of these states comes about next, within {horizon} s after the clip ends?"
    notes.asks.append(coming.asks(asks))
    before = coming.note_shown_before(question, clip, given, notes)
    path = action_path.action_path(after[0], thing, _DIRECT, after[0]["start_s"], given)
    path.rest_whole_on(notes, before + 1)
    edges = thing_states.state_edges(question, thing, state, (left[0], left[0]), given)
    notes.rests_on("state", "graph_edges", edges, "one")
    for option in question.options:
        notes.rests_on(f"option_{option['letter']}", "graph_nodes", [_node(option)])
    keys = tuple(f"graph_edges:{edge}" for edge in edges)
    texts = tuple(str(option["text"]) for option in question.options)
    nodes = tuple(f"graph_nodes:{_node(option)}" for option in question.options)
    notes.statements += [
        coming.next_statement(path, ahead),
        Statement(
            "state that comes about",
            ("From {comes} s after the clip ends, {answer}.",),
            {"comes": Number(comes, _ROUNDED_S), "answer": Choice((found[0],), texts)},
            keys,
            cited=(frozenset(keys),),
        ),
        coming.no_other(question, "comes about", nodes),
    ]


def _judge_option(question: Question, option: Row, given: EvidenceTables, notes: Derived) -> None:
    letter, found = str(option["letter"]), _OPTION.fullmatch(str(option["text"] or "").strip())
    if found is None or found[2].lower() not in thing_states.STATES:
        notes.option(letter, None, f"{option['text']!r} names no thing in a state with an opposite")
        return
    recording, end = str(question.query["recording_id"]), span_of(question.query)[1]
    thing, state = found[1], found[2].lower()
    check_named_node(question, option, _node(option), thing, given, notes)
    thing_states.check_one(question, thing, given, notes)
    meant = str(option["value"]).rpartition("=")[2]
    if meant != state:
        message = f"option {letter} reads {option['text']!r} and means {meant!r}"
        notes.refuse("consistent", "value_differs_from_text", message)
    begins = _begins(recording, thing, state, given)
    later = [time - end for time in begins if time > end]
    soon = [time for time in later if time <= coming.HORIZON_S]
    notes.option(letter, bool(soon), f"it comes about {later[:1]} s after the clip")
    gate = "consistent" if letter == question.answer else "distractors"
    if any(end - _JUST_BEGUN_S < time <= end for time in begins):
        notes.refuse(gate, "just_begun", f"option {letter} comes about at the end of the clip")
    if letter == question.answer:
        said = thing_states.said_of(recording, thing, state, given)
        if thing_states.state_at(said, end) == state:
            notes.refuse("consistent", "already_so", f"option {letter} is so when the clip ends")
    elif later:
        words = f"from the end of the clip to option {letter}"
        notes.margins.append(Margin("comes_later", min(later), coming.HORIZON_S, "s", words))


def _begins(recording: str, thing: str, state: str, given: EvidenceTables) -> list[float]:
    """When a state of a thing begins, in order: after what leaves it behind, or as an annotator says."""
    said = thing_states.said_of(recording, thing, state, given)
    return [one.low_s for one in said if one.state == state and one.moment != "before"]


def _node(option: Row) -> str:
    return str(option["value"]).rpartition("=")[0]


DERIVATION = Derivation(
    benchmark="egocot",
    subtasks=("next_state_anticipation",),
    reads=merge_reads(actions.READS, action_path.READS, thing_states.READS),
    derive=_derive,
    recipes=("next_state_anticipation",),
    explained_in=("detailed_answer", "rationale"),
)

"""Right option of state retrospection: the states of two things at an earlier time of the clip."""

from __future__ import annotations

from expectations.derivations import action_path, actions, thing_states
from expectations.derivations.clips import check_length_between
from expectations.derivations.reads import merge_reads
from expectations.derivations.wording import moment_asked
from expectations.gates.base import Derivation, Derived, Margin, Question, Sight, span_of
from expectations.gates.tables import EvidenceTables

_SHORTEST_S, _LONGEST_S = 8.0, 60.0
# An earlier state is no longer looked at when the clip ends.
_EARLIER_S = 2.0
_NEAR_S = 0.5
_ASKS = "Look back to the moment {time} s into the clip. What state are the {first} and the {second} in?"


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    clip = start, end = span_of(question.query)
    moment = moment_asked(question, notes, start, end)
    check_length_between(notes, clip, _SHORTEST_S, _LONGEST_S)
    words = "from the moment asked about to the end of the clip"
    notes.margins.append(Margin("earlier", end - moment, _EARLIER_S, "s", words))
    held = thing_states.judge_states(question, moment, clip, given, notes)
    at_end = [
        thing_states.in_state(question, one.thing, one.state, end, clip, given, notes)
        for one in held
    ]
    states, last = ({one.thing: one.state for one in of} for of in (held, at_end))
    notes.asks.append(thing_states.wording(states, _ASKS, moment - start))
    then = (moment - _NEAR_S, moment + _NEAR_S)
    notes.sights.append(Sight("query", (then,), _NEAR_S, "the things at the moment asked about"))
    thing_states.note_states(question, held, start, moment, notes)
    edges = [edge for one in at_end for edge in one.edges]
    for number, one in enumerate(at_end, 1):
        notes.rests_on(f"state_at_end_{number}", "graph_edges", one.edges, "one")
    keys = tuple(f"graph_edges:{edge}" for edge in edges)
    form = "When the clip ends, at {time} s, {states}."
    notes.statements += [
        thing_states.states_told("states at the end", last, end - start, form, keys),
        thing_states.conclusion(question, states, moment - start, "So at {time} s {states}."),
    ]


DERIVATION = Derivation(
    benchmark="egocot",
    subtasks=("state_retrospection",),
    reads=merge_reads(actions.READS, action_path.READS, thing_states.READS),
    derive=_derive,
    recipes=("state_retrospection",),
    explained_in=("detailed_answer", "rationale"),
)

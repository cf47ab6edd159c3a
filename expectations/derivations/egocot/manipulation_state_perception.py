"""Right option of manipulation state perception: the states of two things at the end of the clip."""

from __future__ import annotations

from expectations.derivations import action_path, actions, thing_states
from expectations.derivations.clips import check_length_between
from expectations.derivations.reads import merge_reads
from expectations.derivations.wording import moment_asked
from expectations.gates.base import Derivation, Derived, Question, Sight, span_of
from expectations.gates.tables import EvidenceTables

_SHORTEST_S, _LONGEST_S = 8.0, 60.0
_NEAR_S = 0.5


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    clip = start, end = span_of(question.query)
    moment = moment_asked(question, notes, start, end)
    check_length_between(notes, clip, _SHORTEST_S, _LONGEST_S)
    held = thing_states.judge_states(question, moment, clip, given, notes)
    states = {one.thing: one.state for one in held}
    asks = (
        "At {time} s, the last moment of the clip, what state are the {first} and the {second} in?"
    )
    notes.asks.append(thing_states.wording(states, asks, moment - start))
    now = (moment - _NEAR_S, moment)
    notes.sights.append(Sight("query", (now,), 0.0, "the things at the moment asked about"))
    thing_states.note_states(question, held, start, moment, notes)
    notes.statements.append(
        thing_states.conclusion(question, states, moment - start, "So at {time} s {states}.")
    )


DERIVATION = Derivation(
    benchmark="egocot",
    subtasks=("manipulation_state_perception",),
    reads=merge_reads(actions.READS, action_path.READS, thing_states.READS),
    derive=_derive,
    recipes=("manipulation_state_perception",),
    explained_in=("detailed_answer", "rationale"),
)

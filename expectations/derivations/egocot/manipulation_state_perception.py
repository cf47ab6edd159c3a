"""Right option of manipulation state perception: the states of two things at the end of the clip."""

from __future__ import annotations

from expectations.derivations import action_path, actions, thing_states
from expectations.derivations.clips import check_length_between
from expectations.derivations.reads import merge_reads
from expectations.derivations.wording import moment_asked
from expectations.gates.base import Derivation, Derived, Question, Sight, span_of
from expectations.gates.statements import Name, Number, Statement
from expectations.gates.tables import EvidenceTables

_SHORTEST_S, _LONGEST_S = 8.0, 60.0
_NEAR_S = 0.5
_ROUNDED_S = 0.05


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    clip = start, end = span_of(question.query)
    moment = moment_asked(question, notes, start, end)
    check_length_between(notes, clip, _SHORTEST_S, _LONGEST_S)
    held = thing_states.judge_states(question, moment, clip, given, notes)
    one, two = sorted(state.thing for state in held)
    notes.asks.append(
        Statement(
            "question",
            (
                "At {time} s, the last moment of the clip, what state are the {first} and the {second}"
                " in?",
            ),
            {
                "time": Number(moment - start, _ROUNDED_S),
                "first": Name((one,)),
                "second": Name((two,)),
            },
            (),
        )
    )
    now = (moment - _NEAR_S, moment)
    notes.sights.append(Sight("query", (now,), 0.0, "the things at the moment asked about"))
    for number, state in enumerate(held, 1):
        state.note(notes, number, start, moment)
    for option in question.options:
        nodes = thing_states.nodes_in_value(option)
        notes.rests_on(f"option_{option['letter']}", "graph_nodes", nodes)
    notes.statements.append(
        thing_states.conclusion(question, held, moment - start, "So at {time} s {states}.")
    )


DERIVATION = Derivation(
    benchmark="egocot",
    subtasks=("manipulation_state_perception",),
    reads=merge_reads(actions.READS, action_path.READS, thing_states.READS),
    derive=_derive,
    recipes=("manipulation_state_perception",),
    explained_in=("detailed_answer", "rationale"),
)

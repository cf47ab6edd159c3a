"""Right option of action prediction, by the recipe that asks (X9)."""

from __future__ import annotations

from expectations.derivations import next_action_lemma, next_step_egome
from expectations.gates.base import CannotTell, Derivation, Derived, Question
from expectations.gates.tables import EvidenceTables


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    if question.recipe.startswith("action_prediction_lemma"):
        next_action_lemma.derive_next_action(question, given, notes)
    elif question.recipe.startswith("action_prediction_egome"):
        next_step_egome.derive_next_step(question, given, notes)
    else:
        raise CannotTell(f"recipe {question.recipe} is not known to this derivation")


DERIVATION = Derivation(
    benchmark="egoexobench",
    subtasks=("action_prediction",),
    reads={
        table: tuple(
            dict.fromkeys(
                (*next_action_lemma.READS.get(table, ()), *next_step_egome.READS.get(table, ()))
            )
        )
        for table in (*next_action_lemma.READS, *next_step_egome.READS)
    },
    derive=_derive,
    recipes=("action_prediction_egome", "action_prediction_lemma"),
    explained_in=("detailed_answer",),
)

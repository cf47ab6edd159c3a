"""No question with a fault in any of its fields is published."""

from __future__ import annotations

import pytest

from expectations.gates import judge, published
from expectations.schemas import TABLES
from tests.derivations.registry import fresh
from tests.expectations.gates.field_faults import FREE, field_faults, fields

# Twenty options add nothing that five do not have.
CASES = (
    "association_k5",
    "action_relation_labels",
    "action_relation_clock",
    "object_localisation",
    "intention_relative",
    "active_object",
    "person_relation",
    "wearer_identification",
)


@pytest.mark.parametrize("name", CASES)
def test_a_fault_in_any_field_keeps_a_question_unpublished(name: str) -> None:
    world, other = fresh(name), fresh("association_k20").question
    made = field_faults(world.question, other, world.optional_evidence)
    faulty = [
        (f"{field}: {fault}", {**row, "question_id": f"{field}: {fault} {i}"})
        for i, (field, fault, row) in enumerate(made)
    ]
    assert fields() - FREE == {what.partition(":")[0] for what, _ in faulty}
    questions = TABLES["questions"].frame([row for _, row in faulty])
    kept = published(questions, judge(questions, world.given()))
    assert kept["question_id"].to_list() == []


def test_the_questions_without_a_fault_are_published() -> None:
    for name in CASES:
        world = fresh(name)
        questions = world.questions()
        assert published(questions, judge(questions, world.given())).height == 1, name

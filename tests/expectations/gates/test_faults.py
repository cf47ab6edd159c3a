"""Planted faults: a good question passes, each spoiled one is refused by the gate that names it."""

from __future__ import annotations

from collections import Counter

import pytest

from expectations.gates import judge
from expectations.schemas import TABLES
from tests.derivations.registry import CASES, WORLDS, fresh
from tests.derivations.world import World


def verdicts(world: World) -> dict[str, dict]:
    made = judge(world.questions(), world.given())
    assert made.schema == TABLES["question_gates"].schema
    return {row["gate"]: row for row in made.iter_rows(named=True)}


@pytest.mark.parametrize("name", WORLDS)
def test_a_good_question_passes_every_gate(name: str) -> None:
    said = verdicts(fresh(name))
    assert {gate: row["verdict"] for gate, row in said.items()} == {
        "answer": "pass",
        "consistent": "pass",
        "distractors": "pass",
        "explanation": "pass",
        "leak": "pass",
        "margin": "pass",
        "reviewed": "unknown",
        "seen_by_sampling": "pass",
        "well_formed": "pass",
    }, said


@pytest.mark.parametrize("name", WORLDS)
def test_a_planted_fault_is_refused_by_the_gate_that_names_it(name: str) -> None:
    missed = {}
    for fault in (fault for of, fault in CASES if of == name):
        world = fresh(name)
        fault.plant(world)
        if not fault.keeps_hash:
            world.rehash()
        said = verdicts(world)[fault.gate]
        if said["verdict"] != "refuse" or fault.rule not in f"{said['rule']}: {said['message']}":
            missed[fault.name] = (f"wanted {fault.gate}: {fault.rule}", said)
    assert not missed


def test_every_subtask_has_at_least_twenty_planted_faults() -> None:
    counts = Counter(name for name, _ in CASES)
    assert set(counts) == set(WORLDS)
    assert min(counts.values()) >= 20
    assert len({(name, fault.name) for name, fault in CASES}) == len(CASES)

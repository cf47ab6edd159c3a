"""Judging as a whole: verdicts per protocol, what is published, and input nobody foresaw."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import polars as pl
import pytest

from expectations.gates import EvidenceTables, Guesses, NotAsked, judge, published, reads_of
from expectations.gates.guesses import asked_letters
from expectations.gates.registry import derivations, gates
from expectations.schemas import TABLES
from expectations.schemas.sampling import SamplingRule
from tests.derivations.registry import WORLDS, fresh
from tests.derivations.world import World


def said(world: World) -> dict[tuple[str, str], dict[str, Any]]:
    rows = judge(world.questions(), world.given()).iter_rows(named=True)
    return {(r["gate"], r["protocol"]): r for r in rows}


def test_gates_and_derivations_are_found_and_read_declared_columns_only() -> None:
    assert set(gates()) == {
        *("answer", "blind", "consistent", "distractors", "explanation", "leak", "margin"),
        *("reviewed", "seen_by_sampling", "single_frame", "well_formed"),
    }
    for benchmark in sorted({b for b, _ in derivations()}):
        for table, columns in reads_of(benchmark).items():
            assert set(columns) <= set(TABLES[table].schema), table


def test_columns_that_are_not_declared_as_read_are_not_needed() -> None:
    for name in WORLDS:
        world = fresh(name)
        given = world.given()
        reads = reads_of(world.question["benchmark"])
        # Tables of another recipe's worlds are left out as well.
        given.tables = {t: f.select(reads[t]) for t, f in given.tables.items() if t in reads}
        assert judge(world.questions(), given).equals(judge(world.questions(), world.given()))


def test_a_subtask_without_a_derivation_is_unknown_and_says_so() -> None:
    world = fresh("association_k5")
    world.question["subtask"] = "telepathy"
    verdicts = said(world)
    assert verdicts["answer", ""]["verdict"] == "unknown"
    assert "no derivation is declared for egobridge/telepathy" in verdicts["answer", ""]["message"]
    assert verdicts["well_formed", ""]["verdict"] == "pass"
    made = judge(world.questions(), world.given())
    assert published(world.questions(), made).is_empty()


def test_sampling_is_judged_per_protocol() -> None:
    world = fresh("object_localisation")
    world.protocols = {"dense/1": "every(1)", "sparse/1": "every(2)", "blind/1": None}
    verdicts = said(world)
    assert verdicts["seen_by_sampling", "dense/1"]["verdict"] == "pass"
    sparse = verdicts["seen_by_sampling", "sparse/1"]
    assert (sparse["verdict"], sparse["value"], sparse["threshold"]) == ("refuse", 1.0, 0.5)
    assert ("seen_by_sampling", "blind/1") not in verdicts
    made = judge(world.questions(), world.given())
    questions = world.questions()
    assert published(questions, made).height == 1
    assert published(questions, made, "dense/1").height == 1
    assert published(questions, made, "sparse/1").is_empty()
    del world.protocols["dense/1"]
    assert published(questions, judge(questions, world.given())).is_empty()


def test_without_frames_or_protocols_sampling_is_unknown_and_holds_nothing_back() -> None:
    for change in ("frame_times", "protocols"):
        world = fresh("object_localisation")
        setattr(world, change, {})
        made = judge(world.questions(), world.given())
        row = made.filter(pl.col("gate") == "seen_by_sampling").row(0, named=True)
        assert row["verdict"] == "unknown"
        assert published(world.questions(), made).height == 1


def test_a_verdict_on_an_older_wording_publishes_nothing() -> None:
    world = fresh("active_object")
    made = judge(world.questions(), world.given())
    assert published(world.questions(), made).height == 1
    changed = world.questions().with_columns(question_hash=pl.lit("newer"))
    assert published(changed, made).is_empty()
    assert published(changed, made.clear()).is_empty()


def scored(**scores: float) -> Guesses:
    return Guesses("engine/1", scores=(scores,))


def test_a_path_test_warns_and_a_wrong_guess_passes() -> None:
    for guesses, verdict in (
        (replace(scored(A=0, B=9, C=0, D=0), path_test=True), "warn"),
        (scored(A=0, B=9, C=0, D=0), "refuse"),
        (scored(A=9, B=0, C=0, D=0), "pass"),
        (scored(A=9, B=9, C=0, D=0), "pass"),
        # Preferred, and no more likely than a guess often is.
        (scored(A=0, B=0.5, C=0, D=0), "pass"),
        (scored(A=0, B=9, C=0), "unknown"),
        (scored(A=0, B=float("nan"), C=0, D=0), "unknown"),
        (Guesses("engine/1", named=("B", "B", "B", "B")), "refuse"),
        (Guesses("engine/1", named=("B", "B", None, "B")), "refuse"),
        (Guesses("engine/1", named=("B", "B", "A", "C")), "pass"),
        (Guesses("engine/1", named=("B", "B", "A", "C"), margin=0.3), "refuse"),
        # Who names nothing answers nothing: that is not a sign of a good question.
        (Guesses("engine/1", named=(None, None, None, None)), "unknown"),
        (NotAsked("not_suitable", "for a reason"), "unknown"),
        (NotAsked("one_frame_by_design", "for a reason", "pass"), "pass"),
    ):
        world = fresh("active_object")
        assert world.question["answer"] == "B"
        for gate in ("blind", "single_frame"):
            world.guess(gate, guesses)
            assert said(world)[gate, ""]["verdict"] == verdict, (gate, guesses)
            world.guesses = {gate: {"another": guesses}}
            row = said(world)[gate, ""]
            assert (row["verdict"], row["rule"]) == ("unknown", "not_asked")


def test_a_verdict_keeps_probability_orders_and_model() -> None:
    world = fresh("active_object")
    world.guess("single_frame", Guesses("seeing/1", named=("B", None, "B", "A")))
    row = said(world)["single_frame", ""]
    # Half of four orders; half of the way from a quarter to certainty is allowed.
    assert (row["value"], row["threshold"]) == (0.5, 0.625)
    assert (row["model"], row["orders"]) == ("seeing/1", 4)
    assert row["rule"] == "not_answered_from_one_frame"
    both = Guesses(
        "reading/1", scores=({"A": 0, "B": 0, "C": 0, "D": 0}, {"A": 0, "B": 99, "C": 0, "D": 0})
    )
    world.guess("blind", both)
    row = said(world)["blind", ""]
    assert row["value"] == pytest.approx((0.25 + 1) / 2)
    assert (row["verdict"], row["orders"], row["model"]) == ("pass", 2, "reading/1")


def test_a_gate_without_a_model_does_not_apply() -> None:
    world = fresh("active_object")
    assert not world.guesses
    assert {"blind", "single_frame"}.isdisjoint(gate for gate, _ in said(world))
    assert published(world.questions(), judge(world.questions(), world.given())).height == 1
    world.guess("blind", NotAsked("not_suitable", "for a reason"))
    assert {"blind"} == {"blind", "single_frame"} & {gate for gate, _ in said(world)}


def test_of_twenty_options_five_are_asked_blind_the_answer_among_them() -> None:
    world = fresh("association_k20")
    letters = asked_letters(world.question)
    assert len(letters) == 5
    assert world.question["answer"] in letters
    assert letters == sorted(letters)
    # Another option beyond the five may score as it likes.
    outside = next(o["letter"] for o in world.options if o["letter"] not in letters)
    scores = dict.fromkeys(letters, 0.0) | {world.question["answer"]: 9.0, outside: 99.0}
    world.guess("blind", scored(**scores))
    assert said(world)["blind", ""]["verdict"] == "refuse"
    assert asked_letters(fresh("association_k5").question) == list("ABCDE")


def test_a_verdict_shows_what_was_measured() -> None:
    row = said(fresh("intention_relative"))["margin", ""]
    assert row["rule"] == "sector_border"
    assert row["value"] == pytest.approx(22.5, abs=0.1)
    assert row["threshold"] == 7.5
    row = said(fresh("object_localisation"))["margin", ""]
    assert row["value"] == pytest.approx(1 / 3 - 0.2, abs=1e-6)


def test_all_rules_named_in_faults_worlds_parse() -> None:
    for world in WORLDS.values():
        for rule in world.protocols.values():
            assert rule is None or SamplingRule.parse(rule)


# -- input nobody foresaw --------------------------------------------------------------------------

FUZZED = ("association_k5", "action_relation_clock", "object_localisation", "active_object")


def holes(row: dict[str, Any]) -> list[dict[str, Any]]:
    """Copies of a question, each with one value taken out, at any depth."""
    found = []

    def walk(value: Any, path: tuple[Any, ...]) -> None:
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in items:
            here = (*path, key)
            if here[-1] not in ("benchmark", "question_id"):
                found.append(here)
            if isinstance(inner, (dict, list)) and (not path or len(found) < 150):
                walk(inner, here)

    walk(row, ())
    copies = []
    for path in found:
        spoiled = copy.deepcopy(row)
        place: Any = spoiled
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = None
        copies.append(spoiled)
    return copies


@pytest.mark.parametrize("name", FUZZED)
def test_a_question_with_holes_is_judged_and_stops_nothing(name: str) -> None:
    world = fresh(name)
    given = world.given()
    for row in holes(world.question):
        questions = TABLES["questions"].frame([row])
        made = judge(questions, given)
        assert made["gate"].n_unique() >= 7


@pytest.mark.parametrize("name", WORLDS)
def test_tables_that_are_empty_or_absent_are_never_passed_over(name: str) -> None:
    world = fresh(name)
    for table in world.tables:
        full = world.given()
        for tables in (
            {**full.tables, table: full.tables[table].clear()},
            {t: f for t, f in full.tables.items() if t != table},
        ):
            made = judge(world.questions(), EvidenceTables(tables, full.frames, full.protocols))
            missing = table in ("recordings", "segments", "labels") and bool(world.tables[table])
            if missing and table in ("recordings", "labels"):
                assert set(made["verdict"]) & {"refuse", "unknown"}
                assert published(world.questions(), made).is_empty(), table

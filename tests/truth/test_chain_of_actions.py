"""Chains of actions on the court: every answer is the simulation's own, and what may not be asked is not."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from itertools import combinations, pairwise, permutations
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from assets.keysteps.stage import ORDER, PLACES
from assets.options import Options, silent
from assets.questions.egoprox.chain_of_actions import BUILDER
from assets.questions.egoprox.planner import trace
from assets.questions.egoprox.scene import READS, Scene
from assets.questions.kit.funnel import counting
from assets.scene_graphs.stage import STAGE as SCENE_GRAPHS
from assets.sources.stage import STAGE as SOURCES
from expectations.gates import EvidenceTables, judge, reads_of
from expectations.schemas import TABLES
from resources.config import Settings, load_settings
from resources.worlds.court.session import (
    FREE,
    NAMES,
    ORDERS,
    SAME_PLACE,
    STATIONS,
    circuit_numbers,
    plan_circuit,
    plan_session,
)
from resources.worlds.court.session_egoexo4d import STEP_ONE, write_training
from resources.worlds.court.take import Court, Take
from resources.worlds.court.truth import CourtSpec
from resources.worlds.flat.render import painted
from tests.derivations.world import seconds, ticks
from tests.stages import refresh_questions

SPEC = CourtSpec(render="none")
# Clockwise from the front, as the paper letters them.
CLOCKWISE = "CEAHDGBF"


def written(court: Court, folder: Path) -> Settings:
    """Tables of takes that are written below a folder."""
    write_training(court, folder / "raw", workers=1)
    (folder / "parallax.toml").write_text(
        'store = "tables"\n[sources.world]\nlayout = "egoexo4d"\nroot = "raw"\n'
        '[benchmarks.egoprox]\nsources = ["world"]\nprotocol = "egoprox_direct"\nblind = "words"\n'
        '[runs.words]\nengine = "shared_words"\nprotocol = "option_text"\n',
        encoding="utf-8",
    )
    settings = load_settings(folder / "parallax.toml")
    for stage in (SOURCES, SCENE_GRAPHS, ORDER, PLACES):
        stage.refresh(settings, "world", Options(), silent)
    return settings


def asked(settings: Settings) -> pl.DataFrame:
    tables = {name: settings.store.read(TABLES[name], "world") for name in BUILDER.reads}
    return BUILDER.make(tables)


@pytest.fixture(scope="module")
def court() -> Court:
    return plan_session(SPEC)


@pytest.fixture(scope="module")
def settings(court: Court, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return written(court, tmp_path_factory.mktemp("session"))


@pytest.fixture(scope="module")
def questions(settings: Settings) -> pl.DataFrame:
    return asked(settings)


def take_of(row: dict, court: Court) -> Take:
    number = int(row["recording_id"].removeprefix("court_soccer").partition("_")[0])
    return next(take for take in court.takes if take.player.number == number)


def in_order(steps: tuple[int, ...]) -> bool:
    """Whether an order breaks nothing of the plan: steps count up, but for the free pairs."""
    return all(a < b or (b, a) in FREE for at, a in enumerate(steps) for b in steps[at + 1 :])


def letter(take: Take, end_s: float, one: int, other: int) -> str:
    """Direction from one station to another, from where the wearer looks."""
    pose = take.camera_pose("ego", end_s)
    fx, fy = pose.rotation[:2, 2]
    (ax, ay), (bx, by) = (STATIONS[NAMES[n]].spot for n in (one, other))
    turn = np.degrees(np.arctan2(fy, fx) - np.arctan2(by - ay, bx - ax))
    return CLOCKWISE[round(turn / 45) % 8]


def check_answers(
    questions: pl.DataFrame, court: Court, valid: Callable[[tuple[int, ...]], bool]
) -> None:
    for row in questions.to_dicts():
        take, end_s = take_of(row, court), row["media"][0]["end_s"]
        done = [step for step in take.steps if step.end_s <= end_s + 1e-3]
        assert end_s == pytest.approx(done[-1].end_s, abs=1e-3)
        chains = [json.loads(line) for line in row["answer_text"].splitlines()]
        length = len(chains[0][0])
        following = [NAMES.index(s.thing) for s in take.steps[len(done) : len(done) + length]]
        expected = [
            (order, tuple(letter(take, end_s, a, b) for a, b in pairwise(order)))
            for order in permutations(following)
            if valid(order)
        ]
        station = {c["number"]: int(c["value"]) - STEP_ONE for c in row["candidates"]}
        found = [(tuple(station[n] for n in numbers), tuple(moves)) for numbers, moves in chains]
        assert sorted(found) == sorted(expected), row["text"]
        # The order in which it was done comes first.
        assert found[0][0] == tuple(following)


def test_answers_are_all_orders_of_the_plan_with_its_directions(
    questions: pl.DataFrame, court: Court
) -> None:
    assert questions.height >= 5
    check_answers(questions, court, in_order)


def test_a_circuit_is_answered_by_the_numbers_at_its_stations(tmp_path: Path) -> None:
    circuit = plan_circuit(SPEC)
    questions = asked(written(circuit, tmp_path))
    assert questions.height >= 20
    numbers = circuit_numbers()

    def in_turn(steps: tuple[int, ...]) -> bool:
        turns = [numbers[NAMES[step]] for step in steps]
        return turns == sorted(turns)

    check_answers(questions, circuit, in_turn)
    # A candidate whose turn is still to come is part of the answer, or comes after it.
    for row in questions.to_dicts():
        chains = [json.loads(line)[0] for line in row["answer_text"].splitlines()]
        turn = {c["number"]: numbers.get(c["text"], 0) for c in row["candidates"]}
        least = min(turn[number] for number in chains[0])
        wrong = {turn[number] for number in turn.keys() - set(chains[0])}
        assert all(other <= least for other in wrong), row["text"]


def test_pictures_tell_the_stations_and_their_numbers() -> None:
    take = plan_circuit(CourtSpec()).takes[0]
    seen = {}
    for step in take.steps:
        picture = take.picture("ego", step.end_s).rgb
        present = {tuple(colour) for colour in picture.reshape(-1, 3).tolist()}
        parts = STATIONS[step.thing].parts
        assert all(present & shades(part[2]) for part in parts[:2]), step.thing
        # The number stands right ahead, above the hands.
        height, width, _ = picture.shape
        ahead = picture[height // 10 : height * 7 // 20, width * 2 // 5 : width * 3 // 5]
        seen[step.thing] = (ahead < 60).all(-1)
    numbers = circuit_numbers()
    for one, other in combinations(seen, 2):
        alike = float((seen[one] == seen[other]).mean())
        assert (alike > 0.97) == (numbers[one] == numbers[other]), (one, other, alike)


def shades(colour: tuple[int, int, int]) -> set[tuple[int, ...]]:
    """Colours in which the faces of a box of one colour are drawn."""
    return {tuple(face) for face in painted([colour], [False])[0].tolist()} | {colour}


def test_the_planners_tools_give_every_answer(settings: Settings, questions: pl.DataFrame) -> None:
    read = settings.store.read
    for row in questions.to_dicts():
        uid = row["recording_id"]
        of_recording = [name for name in READS if TABLES[name].unit == "recording_id"]
        tables = {name: read(TABLES[name], "world", [uid]) for name in of_recording}
        order = {"step_order": read(TABLES["step_order"], "world")}
        found = trace(row, Scene.of(uid, tables | order))
        assert found is not None
        assert found.agrees, row["text"]
        assert len(found.calls[1].result.orders) == len(row["answer_text"].splitlines())


def test_there_are_chains_with_one_order_and_with_two(questions: pl.DataFrame) -> None:
    counts = {len(text.splitlines()) for text in questions["answer_text"]}
    assert counts == {1, 2}


def test_no_other_candidate_is_still_to_be_done(questions: pl.DataFrame, court: Court) -> None:
    for row in questions.to_dicts():
        take, end_s = take_of(row, court), row["media"][0]["end_s"]
        later = {step.thing for step in take.steps if step.start_s >= end_s - 1e-3}
        chain = {
            n for numbers, _ in map(json.loads, row["answer_text"].splitlines()) for n in numbers
        }
        assert len(row["candidates"]) == 10
        for candidate in row["candidates"]:
            assert (candidate["text"] in later) == (candidate["number"] in chain)
            assert candidate["text"] == NAMES[int(candidate["value"]) - STEP_ONE]


def test_what_the_plan_forbids_is_not_asked(settings: Settings, questions: pl.DataFrame) -> None:
    for row in questions.to_dicts():
        station = {c["number"]: int(c["value"]) - STEP_ONE for c in row["candidates"]}
        for numbers, _ in map(json.loads, row["answer_text"].splitlines()):
            steps = [station[n] for n in numbers]
            # Both free pairs in one chain give four orders; two steps at one place have no direction.
            assert not {*FREE[0], *FREE[1]} <= set(steps)
            assert SAME_PLACE not in set(pairwise(steps))
            # Nobody else does what the last take does, so that no order of it is known.
            assert set(steps) <= set(ORDERS[0])
    tables = {name: settings.store.read(TABLES[name], "world") for name in BUILDER.reads}
    with counting() as refused:
        BUILDER.make(tables)
    assert refused["order_known"] > 0
    assert refused["directions_clear"] > 0


def test_places_are_those_of_the_stations(settings: Settings, court: Court) -> None:
    """Distances between places are those of the plan; a capture's world is turned against it."""
    rows = settings.store.read(TABLES["step_places"], "world")
    names = dict(
        settings.store.read(TABLES["segments"], "world")
        .select("segment_id", "class_name")
        .iter_rows()
    )
    assert rows.height == sum(len(take.steps) for take in court.takes)
    for _, part in rows.group_by("recording_id"):
        own = part.to_dicts()
        for one, other in pairwise(own):
            measured = np.hypot(one["x_m"] - other["x_m"], one["y_m"] - other["y_m"])
            spots = [STATIONS[names[row["segment_id"]]].spot for row in (one, other)]
            assert measured == pytest.approx(math.dist(*spots), abs=1e-3)
        assert max(row["spread_m"] for row in own) < 0.05


def test_observed_orders_are_those_of_the_plan(settings: Settings) -> None:
    rows = settings.store.read(TABLES["step_order"], "world")
    seen = {
        (row["first_id"] - STEP_ONE, row["second_id"] - STEP_ONE): (
            row["support"],
            row["exceptions"],
        )
        for row in rows.to_dicts()
    }
    assert seen[2, 3] == seen[3, 2] == (2, 2)
    assert seen[1, 4] == (4, 0)
    assert (4, 1) not in seen
    assert seen[9, 10] == (1, 0)


def test_every_question_passes_every_gate(settings: Settings, questions: pl.DataFrame) -> None:
    pool = pl.concat_str("source", pl.lit("/"), "recipe", pl.lit("/unit"))
    asked = questions.with_columns(pool=pool)
    tables = {name: settings.store.read(TABLES[name], "world") for name in reads_of("egoprox")}
    frames = {uid: ticks(seconds(60.0)) for uid in tables["recordings"]["recording_id"]}
    given = EvidenceTables(tables, frames, {"egoprox_chain/1": "endpoints(8)"})
    verdicts = judge(asked, given).filter(~pl.col("gate").is_in(["blind", "reviewed"]))
    assert set(verdicts["verdict"]) == {"pass"}, verdicts.filter(pl.col("verdict") != "pass")


def test_a_blind_engine_that_scores_options_is_not_asked_about_chains(settings: Settings) -> None:
    refresh_questions(settings, "egoprox", Options(), silent)
    read = settings.store.read
    asked = read(TABLES["questions"], "egoprox").filter(subtask="chain_of_actions")
    assert asked.height >= 5
    judged = read(TABLES["question_gates"], "egoprox")["question_id"]
    assert set(asked["question_id"]) <= set(judged)
    assert read(TABLES["calls"], "egoprox.words").is_empty()

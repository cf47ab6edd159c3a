"""Rows of every recipe over small sample worlds, compared with stored digests, and their wording, read by the gates.

A change of code that is meant to leave questions alone must leave every byte of them alone: ids join
releases, hashes key the replies of models. After a change that is meant to change questions, write the
stored file again:

    PARALLAX_WRITE_GOLDEN=1 python -m pytest tests/assets/questions/test_golden_rows.py

Templates and derivations state every wording twice, apart from each other. A template that was changed
alone would leave all its questions unpublished, which no test of either side would notice.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl
import pytest

from assets.keysteps.stage import ORDER as STEP_ORDER
from assets.keysteps.stage import PLACES as STEP_PLACES
from assets.labels.stage import STAGE as LABELS
from assets.navigation.stage import STAGE as NAVIGATION
from assets.options import Options, silent
from assets.pairs.choice import stable_hash
from assets.pairs.sentences import sentence_key
from assets.questions.kit.builder import Builder, builders
from assets.scene_graphs.stage import STAGE as SCENE_GRAPHS
from assets.skill.stage import STAGE as SKILL
from assets.sources.stage import STAGE as SOURCES
from expectations.gates import EvidenceTables, judge
from expectations.gates.judging import reads_of
from expectations.schemas import TABLES
from expectations.schemas.identity import digest
from expectations.schemas.readings import PAPER, STRICT
from resources.config import load_settings
from resources.worlds import HouseholdSpec, plan, write_egoexolearn
from resources.worlds.animal.egopet import write_egopet
from resources.worlds.animal.truth import AnimalSpec
from resources.worlds.court.egoexo4d import write_court
from resources.worlds.court.errands import plan_errands
from resources.worlds.court.errands_egoexo4d import write_errands as write_court_errands
from resources.worlds.court.session_egoexo4d import write_training
from resources.worlds.court.truth import CourtSpec
from resources.worlds.flat import FlatSpec, adt, easg, lemma, own, plan_flat
from resources.worlds.flat.egome import write_egome
from resources.worlds.slope.extremesportfpv import write_extremesportfpv
from resources.worlds.slope.truth import SlopeSpec
from resources.worlds.square import SquareSpec, write_cvmhat, write_tf2023
from resources.worlds.surgery.cholectrack20 import write_cholectrack20
from resources.worlds.surgery.egosurgery import write_egosurgery
from resources.worlds.surgery.truth import SurgerySpec
from resources.worlds.workbench import WorkbenchSpec, write_enigma51
from tests.stages import refresh_pairs

GOLDEN = Path(__file__).parent / "golden_rows.csv"
# Most questions have none of these: their digests are older than the columns.
OF_FEW = frozenset(("answer_kind", "answer_visible", "candidates"))
COLUMNS = ("recipe", "question_id", "question_hash", "row")
Tables = dict[str, pl.DataFrame]


def write_adt(folder: Path) -> None:
    adt.write_adt(plan_flat(FlatSpec(kind="adt", takes=2, render="none")), folder, workers=1)


def write_errands(folder: Path) -> None:
    flat = plan_flat(FlatSpec(kind="adt", takes=1, render="none", errands=6))
    adt.write_adt(flat, folder, workers=1)


def write_easg(folder: Path) -> None:
    easg.write_easg(FlatSpec(kind="easg", takes=2, render="none"), folder, workers=1)


def write_lemma(folder: Path) -> None:
    lemma.write_lemma(FlatSpec(kind="lemma", takes=1, render="none"), folder, workers=1)


def write_lemma_takes(folder: Path) -> None:
    lemma.write_lemma(FlatSpec(kind="lemma", takes=12, render="none"), folder, workers=1)


def write_own_takes(folder: Path) -> None:
    own.write_own(FlatSpec(kind="lemma", takes=8, render="none"), folder, workers=1)


def write_imitations(folder: Path) -> None:
    write_egome(FlatSpec(kind="lemma", takes=2, render="none"), folder, workers=1)


def write_surgery(folder: Path) -> None:
    write_cholectrack20(SurgerySpec(videos=2, duration_s=60, render="none"), folder, workers=1)


def write_operations(folder: Path) -> None:
    """Long enough for phases of half a minute."""
    spec = SurgerySpec(videos=3, duration_s=200, render="none")
    write_cholectrack20(spec, folder, workers=1)


def write_open_operations(folder: Path) -> None:
    write_egosurgery(SurgerySpec(videos=3, duration_s=200, render="none"), folder)


def write_pets(folder: Path) -> None:
    write_egopet(AnimalSpec(clips=24, render="none"), folder, workers=1)


def write_bench(folder: Path) -> None:
    write_enigma51(WorkbenchSpec(duration_s=48, render="none"), folder)


def write_repairs(folder: Path) -> None:
    write_enigma51(WorkbenchSpec(duration_s=90, render="none", repair=True), folder)


def write_runs(folder: Path) -> None:
    """With videos: nothing else tells how long a run lasts."""
    write_extremesportfpv(SlopeSpec(render="small"), folder, workers=1)


def write_skilled(folder: Path) -> None:
    write_egoexolearn(plan(HouseholdSpec(ego=8, exo=4, render="none")), folder)


def write_drills(folder: Path) -> None:
    write_court(CourtSpec(render="none"), folder, workers=1)


def write_narrated_things(folder: Path) -> None:
    """Things without boxes: narrations name them, and hands say where they are."""
    plan_of_court = plan_errands(CourtSpec(render="none"), takes=2, errands=12)
    write_court_errands(plan_of_court, folder, workers=1)


def write_household(folder: Path) -> None:
    write_egoexolearn(plan(HouseholdSpec(ego=5, exo=3, render="none")), folder)


def write_performances(folder: Path) -> None:
    write_egoexolearn(plan(HouseholdSpec(ego=10, exo=8, render="none")), folder)


def write_square_from_above(folder: Path) -> None:
    write_cvmhat(SquareSpec(kind="cvmhat", takes=2, frames=30, render="none"), folder)


def write_square_from_the_side(folder: Path) -> None:
    write_tf2023(SquareSpec(kind="tf2023", takes=3, frames=30, render="none"), folder)


def write_session(folder: Path) -> None:
    write_training(CourtSpec(render="none"), folder, workers=1)


WORLDS: dict[str, Callable[[Path], None]] = {
    "adt": write_adt,
    "errands": write_errands,
    "easg": write_easg,
    "lemma": write_lemma,
    "narrated_things": write_narrated_things,
    "cholectrack20": write_surgery,
    "cvmhat": write_square_from_above,
    "egoexolearn": write_household,
    "egome": write_imitations,
    "egopet": write_pets,
    "enigma51": write_bench,
    "extremesportfpv": write_runs,
    "open_operations": write_open_operations,
    "operations": write_operations,
    "own": write_own_takes,
    "performances": write_performances,
    "repairs": write_repairs,
    "takes": write_lemma_takes,
    "court": write_drills,
    "session": write_session,
    "skilled": write_skilled,
    "tf2023": write_square_from_the_side,
}
# Layout of the worlds that are not named after theirs.
LAYOUTS = {
    "errands": "adt",
    "narrated_things": "egoexo4d",
    "open_operations": "egosurgery",
    "operations": "cholectrack20",
    "performances": "egoexolearn",
    "repairs": "enigma51",
    "takes": "lemma",
    "court": "egoexo4d",
    "session": "egoexo4d",
    "skilled": "egoexolearn",
}
# Recipe without its version: the world it is built on.
LAYOUT_OF = {
    "action_localisation": "extremesportfpv",
    "action_localisation_cholectrack20": "operations",
    "action_localisation_enigma51": "enigma51",
    "action_sequence_identification": "extremesportfpv",
    "animal_identification": "egopet",
    "association": "egoexolearn",
    "action_order": "takes",
    "action_prediction_egome": "egome",
    "action_prediction_lemma": "takes",
    "action_relation_egoexolearn": "egoexolearn",
    "action_relation_lemma": "lemma",
    "active_object_grounding": "easg",
    "hand_object_association": "easg",
    "hand_object_grounded_cot": "own",
    "progress_reasoning": "own",
    "hand_object_temporal_retrospection": "easg",
    "local_cause_outcome_inference": "easg",
    "location_visibility_retrospection": "easg",
    "goal_oriented_object_tracking": "easg",
    "manipulation_state_perception": "takes",
    "next_action_anticipation": "takes",
    "next_state_anticipation": "takes",
    "state_retrospection": "takes",
    "chain_of_actions": "session",
    "direction_prediction": "court",
    "dominant_object": "cholectrack20",
    "dominant_object_enigma51": "repairs",
    "duplicate_identification": "court",
    "egocentric_wearer_identification": "tf2023",
    "object_counting": "cholectrack20",
    "object_counting_enigma51": "repairs",
    "object_localisation": "cholectrack20",
    "object_localisation_enigma51": "enigma51",
    "object_not_visible": "cholectrack20",
    "object_not_visible_enigma51": "repairs",
    "body_part_action_egoexo4d": "court",
    "body_part_action_egoexolearn": "skilled",
    "exploitation_approximate": "errands",
    "exploitation_relative": "errands",
    "exploration_approximate": "adt",
    "exploration_relative": "adt",
    "intention_approximate": "adt",
    "intention_relative": "adt",
    "interaction_identification": "egopet",
    "interaction_localisation": "egopet",
    "next_action": "operations",
    "next_direction": "extremesportfpv",
    "next_interaction": "enigma51",
    "next_phase": "operations",
    "next_phase_egosurgery": "open_operations",
    "special_action_identification": "extremesportfpv",
    "sport_identification": "extremesportfpv",
    "object_relation": "takes",
    "task_relation": "performances",
    "sequence_alignment": "court",
    "skill_evaluation_egoexo4d": "court",
    "skill_evaluation_egoexolearn": "skilled",
    "person_relation": "cvmhat",
}
# Recipes that a second dataset reaches by other rows: the world of that dataset.
ALSO_ON = dict.fromkeys(
    (
        "exploitation_approximate",
        "exploitation_relative",
        "intention_approximate",
        "intention_relative",
    ),
    "narrated_things",
)
# Of recipes that make many questions only those of lowest id are stored, and fewer read by the gates.
MOST, MOST_JUDGED = 60, 12
# Gates that compare what a builder wrote with what its derivation expects.
STATED = ("consistent", "explanation", "well_formed")


@pytest.fixture(scope="module")
def tables_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Tables]:
    """All tables of a layout's world, computed once."""
    known: dict[str, Tables] = {}

    def tables(layout: str) -> Tables:
        if layout not in known:
            known[layout] = _computed(layout, tmp_path_factory.mktemp(layout))
        return known[layout]

    return tables


def _computed(world: str, folder: Path) -> Tables:
    WORLDS[world](folder / "raw")
    layout = LAYOUTS.get(world, world)
    config = folder / "parallax.toml"
    config.write_text(
        f'store = "tables"\n[sources.world]\nlayout = "{layout}"\nroot = "raw"\n'
        'sentence_match = "none"\n',
        encoding="utf-8",
    )
    settings = load_settings(config)
    stages = [SOURCES.refresh]
    stages += [LABELS.refresh, refresh_pairs] if world == "egoexolearn" else [SCENE_GRAPHS.refresh]
    of_layout = {
        "adt": [NAVIGATION.refresh],
        "court": [LABELS.refresh],
        "narrated_things": [LABELS.refresh, SCENE_GRAPHS.refresh],
        "session": [SCENE_GRAPHS.refresh, STEP_ORDER.refresh, STEP_PLACES.refresh],
        "egome": [],
        "skilled": [LABELS.refresh, SKILL.refresh],
        "egoexolearn": [LABELS.refresh, refresh_pairs],
    }
    stages += of_layout.get(world, [SCENE_GRAPHS.refresh])
    for refresh in stages:
        refresh(settings, "world", Options(), silent)
    names = {name for builder in builders().values() for name in builder.reads}
    benchmarks = {builder.benchmark for builder in builders().values()}
    names |= {table for benchmark in benchmarks for table in reads_of(benchmark)}
    tables = {name: settings.store.read(TABLES[name], "world") for name in names}
    return tables | {"sentence_vectors": _vectors(tables["segments"])}


def _vectors(segments: pl.DataFrame) -> pl.DataFrame:
    """A vector of each sentence that depends on nothing but the sentence."""
    rows = {}
    for uid, narration in segments.select("recording_id", "narration").iter_rows():
        key = sentence_key(narration or "")
        numbers = [int(stable_hash("vector", key, str(i))[:6], 16) - 2**23 for i in range(8)]
        length = sum(n * n for n in numbers) ** 0.5
        rows[uid, key] = [n / length for n in numbers]
    return TABLES["sentence_vectors"].frame(
        {"source": "world", "recording_id": uid, "sentence": key, "vector": vector}
        for (uid, key), vector in sorted(rows.items())
    )


def _units(builder: Builder, tables: Tables) -> Iterator[Tables]:
    """Tables of each unit of a builder; a pool and a source are all there is."""
    reads = {name: tables[name] for name in builder.reads}
    if builder.unit in ("pool", "source"):
        yield reads
        return
    column = {"take": "take_id", "recording": "recording_id"}.get(builder.unit, builder.unit)
    for _, members in tables["recordings"].group_by(column, maintain_order=True):
        ids = members["recording_id"].implode()
        yield {
            name: rows.filter(pl.col("recording_id").is_in(ids))
            if "recording_id" in rows.columns
            else rows
            for name, rows in reads.items()
        }


def _questions(builder: Builder, tables: Tables) -> pl.DataFrame:
    return pl.concat([builder.make(unit) for unit in _units(builder, tables)]).sort("question_id")


def _rows(builder: Builder, questions: pl.DataFrame) -> list[tuple[str, str, str, str]]:
    rows = []
    for row in questions.head(MOST).iter_rows(named=True):
        kept = {k: v for k, v in row.items() if v is not None or k not in OF_FEW}
        content = digest([json.dumps(kept, ensure_ascii=False)])
        rows.append((builder.recipe, row["question_id"], row["question_hash"], content))
    return rows


def _stored() -> list[tuple[str, ...]]:
    with GOLDEN.open(encoding="utf-8", newline="") as file:
        return [tuple(row) for row in csv.reader(file)][1:]


@pytest.mark.parametrize("reading", [STRICT, PAPER])
@pytest.mark.parametrize(("recipe", "world"), [*LAYOUT_OF.items(), *ALSO_ON.items()])
def test_rows_of_a_recipe_are_those_stored(
    recipe: str, world: str, reading: str, tables_of: Callable[[str], Tables]
) -> None:
    (builder,) = (b for b in builders().values() if b.recipe.partition("@")[0] == recipe)
    builder = builder.under(reading)
    label = builder.recipe
    if world != LAYOUT_OF[recipe]:
        label = f"{builder.recipe} {world}"
    tables = tables_of(world)
    questions = _questions(builder, tables)
    rows = [(label, *row[1:]) for row in _rows(builder, questions)]
    assert len(rows) >= 5
    if os.environ.get("PARALLAX_WRITE_GOLDEN"):
        kept = [row for row in _stored() if row[0] != label] if GOLDEN.exists() else []
        with GOLDEN.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([COLUMNS, *sorted([*kept, *rows])])
    assert rows == [row for row in _stored() if row[0] == label]
    if reading == STRICT:
        assert _written_otherwise(questions.head(MOST_JUDGED), tables) == []


def _written_otherwise(questions: pl.DataFrame, tables: Tables) -> list[str]:
    """Messages of gates that refuse questions or cannot judge what they say."""
    # The stage writes the pool.
    pool = pl.concat_str("source", "recipe", pl.lit("unit"), separator="/")
    verdicts = judge(questions.with_columns(pool=pool), EvidenceTables(tables))
    refused = verdicts.filter(
        (pl.col("verdict") == "refuse")
        | ((pl.col("verdict") == "unknown") & pl.col("gate").is_in(STATED))
    )
    return refused["message"].to_list()


def test_every_built_in_recipe_has_stored_rows() -> None:
    recipes = {b.under(reading).recipe for b in builders().values() for reading in (STRICT, PAPER)}
    assert {row[0].partition(" ")[0] for row in _stored()} == recipes
    worlds = {row[0].partition(" ")[2] for row in _stored()}
    assert worlds == {"", *ALSO_ON.values()}

"""Questions of the sample worlds are written in the words their derivations know.

Templates and derivations state every wording twice, apart from each other. A template that was changed
alone would leave all its questions unpublished, which no test of either side would notice.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assets.labels.stage import STAGE as LABELS
from assets.navigation.stage import STAGE as NAVIGATION
from assets.options import Options, silent
from assets.questions.stage import builders_of
from assets.scene_graphs.stage import STAGE as SCENE_GRAPHS
from assets.skill.stage import STAGE as SKILL
from assets.sources.stage import STAGE as SOURCES
from resources.config import load_settings
from resources.worlds.samples import samples
from tests.stages import refresh_questions
from tests.truth.solvers.wording import written_otherwise

BENCHMARKS = (
    *("egobridge", "egoexobench", "egoexobench_duplicates"),
    *("egocross", "egoprox", "egocot"),
)
# Benchmark, layout and recipes whose questions on it are read.
RECIPES = {
    ("egoexobench", "lemma"): (
        "action_order",
        "action_prediction_lemma",
        "action_relation_lemma",
        "object_relation",
    ),
    ("egoexobench", "court"): (
        "body_part_action_egoexo4d",
        "direction_prediction",
        "sequence_alignment",
        "skill_evaluation_egoexo4d",
    ),
    ("egoexobench", "egoexolearn"): (
        "body_part_action_egoexolearn",
        "skill_evaluation_egoexolearn",
        "task_relation",
    ),
    ("egoexobench_duplicates", "court"): ("duplicate_identification",),
    ("egocross", "cholectrack20"): (
        "action_localisation_cholectrack20",
        "dominant_object",
        "next_action",
        "next_phase",
        "object_counting",
        "object_localisation",
        "object_not_visible",
    ),
    ("egocross", "egosurgery"): (
        "dominant_object",
        "next_phase_egosurgery",
        "object_counting",
        "object_not_visible",
    ),
    ("egocross", "egopet"): (
        "animal_identification",
        "interaction_identification",
        "interaction_localisation",
    ),
    ("egoprox", "adt"): (
        "exploration_approximate",
        "exploration_relative",
        "intention_approximate",
        "intention_relative",
    ),
    ("egocross", "enigma51"): (
        "action_localisation_enigma51",
        "dominant_object_enigma51",
        "next_interaction",
        "object_counting_enigma51",
        "object_localisation_enigma51",
        "object_not_visible_enigma51",
    ),
    ("egocross", "extremesportfpv"): (
        "action_localisation",
        "action_sequence_identification",
        "next_direction",
        "special_action_identification",
    ),
    ("egocot", "easg"): (
        "goal_oriented_object_tracking",
        "active_object_grounding",
        "hand_object_association",
        "hand_object_temporal_retrospection",
        "local_cause_outcome_inference",
        "location_visibility_retrospection",
    ),
    ("egocot", "lemma"): (
        "manipulation_state_perception",
        "next_action_anticipation",
        "next_state_anticipation",
        "state_retrospection",
    ),
    ("egoexobench", "cvmhat"): ("person_relation",),
    ("egoexobench", "tf2023"): ("egocentric_wearer_identification",),
}
# Layout of a sample that is not named after it.
LAYOUTS = {"court": "egoexo4d"}
# Stages that questions about narrations and skill rest on, where they need more than a graph.
MORE = {
    "adt": (SCENE_GRAPHS, NAVIGATION),
    "egoexolearn": (LABELS, SKILL),
    "court": (LABELS, SCENE_GRAPHS),
}
# Recipes beyond the paper, which a configuration has to list.
EXTENSIONS = {"egocross": ("next_phase_egosurgery",)}
# Of layouts with few questions in a take.
TAKES = {"cvmhat": 2, "lemma": 7, "tf2023": 3}
# Made of pairs: `test_household_from_pixels` has their tables.
OF_PAIRS = ("association", "action_relation_egoexolearn")
# Made of vectors, which are written by hand in `test_imitations`; all gates read its questions there.
OF_VECTORS = ("action_prediction_egome",)
# Asked where much is taken and put down: all gates read their questions in `test_exploitation`.
OF_ERRANDS = ("exploitation_approximate", "exploitation_relative")
# Asked in takes of many keysteps: all gates read its questions in `test_chain_of_actions`.
OF_SESSIONS = ("chain_of_actions",)
# Asked where much is done with either hand, and in own recordings: all gates read their questions in
# `test_egocot_chains`.
OF_TAKES = ("hand_object_grounded_cot", "progress_reasoning")
# A clip needs the length of a video: all gates read its questions in `test_slope_questions`.
OF_VIDEOS = ("sport_identification",)


@pytest.mark.parametrize(("benchmark", "layout"), RECIPES)
def test_derivations_know_the_wording_of_builders(
    benchmark: str, layout: str, tmp_path: Path
) -> None:
    sample = samples("none")[layout]
    takes = TAKES.get(layout, 1)
    spec = replace(sample.spec, takes=takes) if hasattr(sample.spec, "takes") else sample.spec
    sample.write(spec, tmp_path / "raw", None)
    (tmp_path / "parallax.toml").write_text(
        f'store = "tables"\n[sources.s]\nlayout = "{LAYOUTS.get(layout, layout)}"\nroot = "raw"\n'
        f'[benchmarks.{benchmark}]\nsources = ["s"]\n'
        f"extensions = {[*EXTENSIONS.get(benchmark, ())]}\n",
        encoding="utf-8",
    )
    settings = load_settings(tmp_path / "parallax.toml")
    for stage in (SOURCES, *MORE.get(layout, (SCENE_GRAPHS,))):
        stage.refresh(settings, "s", Options(), silent)
    refresh_questions(settings, benchmark, Options(), silent)
    for recipe in RECIPES[benchmark, layout]:
        assert written_otherwise(settings, benchmark, recipe) == []


def test_every_recipe_is_among_them() -> None:
    known = {r.partition("@")[0] for benchmark in BENCHMARKS for r in builders_of(benchmark)}
    elsewhere = {*OF_PAIRS, *OF_VECTORS, *OF_ERRANDS, *OF_SESSIONS, *OF_TAKES, *OF_VIDEOS}
    assert known == {recipe for read in RECIPES.values() for recipe in read} | elsewhere

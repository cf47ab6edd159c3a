"""The graph reads like the way of the data."""

from __future__ import annotations

from pathlib import Path

import dagster as dg
import pytest

from assets.stage import Stage
from expectations.schemas import TABLES
from pipelines.definitions import STAGES, definitions, pool_of
from pipelines.run.steps import Scope, steps
from resources.config import Settings, load_settings
from resources.store.code_version import _Reached, _start
from tests.installation import CONFIG

# Groups in the way of the data, and the assets a reader expects in each.
WAY = {
    "raw_files": {"raw/sample-egoexolearn", "sources/files"},
    "media": {
        "sources/recordings",
        "sources/images",
        "sources/clocks",
        "sources/take_links",
        "sources/frame_stamps",
    },
    "annotations": {
        "sources/segments",
        "sources/relations",
        "sources/object_states",
        "sources/objects_3d",
        "sources/boxes",
        "sources/tracks",
        "sources/annotated_frames",
        "sources/taxonomies",
        "sources/splits",
        "sources/released_frames",
        "sources/released_rows",
        "sources/imported_questions",
    },
    "sensors": {
        "sources/cameras",
        "sources/gaze_samples",
        "sources/gaze_rays",
        "sources/camera_poses",
        "sources/hand_joints",
        "sources/body_joints",
    },
    "people": {
        "sources/listed_people",
        "sources/skill_levels",
        "sources/skill_votes",
        "sources/reviews",
    },
    "frames": {"frames/streams", "frames/frames"},
    "labels": {"translations/translations", "labels/labels"},
    "pairs": {
        "pairs/candidates",
        "pairs/candidate_counts",
        "pairs/pairs",
        "pairs/sentence_vectors",
    },
    "task_sets": {
        "task_sets/task_sets",
        "task_sets/set_classes",
        "task_sets/released_truth",
    },
    "skill": {
        "skill/skill_pairs",
        "skill/skill_clips",
        "skill/skill_transitivity",
        "skill/skill_chains",
        "skill/skill_triplets",
    },
    "statistics": {"statistics/statistics", "leakage/split_overlaps"},
    "reviews": {
        "reviews/review_states",
        "reviews/review_changes",
        "reviews/review_agreement",
    },
    "scene_graphs": {
        "scene_graphs/calibrations",
        "scene_graphs/graph_patches",
        "scene_graphs/graph_nodes",
        "scene_graphs/graph_edges",
        "scene_graphs/graph_coverage",
        "scene_graphs/spatial_facts",
    },
    "navigation": {"navigation/free_space", "navigation/paths"},
    "keysteps": {"keysteps/step_order", "keysteps/step_places"},
    "questions": {
        "questions/questions",
        "questions/question_gates",
        "questions/question_funnels",
        "questions/question_steps",
        "questions/wordings",
        "questions/wording_reviews",
        "questions/wording_agreement",
    },
    "question_reviews": {
        "question_reviews/question_reviews",
        "question_reviews/question_review_rounds",
        "question_reviews/question_review_agreement",
    },
    "predictions": {
        "predictions/requests",
        "predictions/calls",
        "predictions/costs",
        "predictions/answers",
        "predictions/judgements",
        "predictions/judge_tests",
    },
    "scores": {
        "scores/scores",
        "scores/judged_scores",
        "scores/judge_agreements",
        "scores/parity_answers",
        "scores/parity_scores",
        "scores/groundings",
        "scores/grounding_scores",
        "scores/aligned_questions",
        "scores/domain_gaps",
        "scores/domain_points",
    },
    "report": {"report/page"},
    "bookkeeping": {"sources/quarantine", "platform/ledger"},
}
MOST_UPSTREAM = 17
"""More than a lineage tab shows without scrolling; the page, which shows four kinds of scores, their costs and
the funnels of the recipes, and the questions have the most."""


@pytest.fixture(scope="module")
def specs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dg.AssetSpec]:
    config = tmp_path_factory.mktemp("graph") / "parallax.toml"
    config.write_text(CONFIG)
    found = definitions(load_settings(Path(config))).resolve_all_asset_specs()
    return {spec.key.to_user_string(): spec for spec in found}


def test_groups_follow_the_data_and_keys_say_who_writes_a_table(
    specs: dict[str, dg.AssetSpec],
) -> None:
    groups: dict[str, set[str]] = {}
    for name, spec in specs.items():
        groups.setdefault(str(spec.group_name), set()).add(name)
    assert groups == WAY


def test_nothing_depends_on_a_later_stage(specs: dict[str, dg.AssetSpec]) -> None:
    order = list(WAY)
    for name, spec in specs.items():
        for dep in spec.deps:
            upstream = specs[dep.asset_key.to_user_string()]
            assert order.index(str(upstream.group_name)) <= order.index(str(spec.group_name)), name


def test_the_graph_starts_at_the_raw_files(specs: dict[str, dg.AssetSpec]) -> None:
    without = {name for name, spec in specs.items() if not list(spec.deps)}
    assert without == {"raw/sample-egoexolearn", *WAY["bookkeeping"]}
    assert upstream(specs, "sources/files") == {"raw/sample-egoexolearn"}
    assert upstream(specs, "sources/segments") == {"sources/files"}


def upstream(specs: dict[str, dg.AssetSpec], name: str) -> set[str]:
    return {dep.asset_key.to_user_string() for dep in specs[name].deps}


def test_dependencies_are_those_of_a_table_and_few_enough_to_read(
    specs: dict[str, dg.AssetSpec],
) -> None:
    assert upstream(specs, "frames/streams") == {"sources/recordings"}
    assert upstream(specs, "pairs/pairs") == {"pairs/candidates"}
    assert upstream(specs, "questions/question_gates") == {
        "questions/questions",
        "frames/frames",
        "scene_graphs/graph_patches",
    }
    assert max(len(upstream(specs, name)) for name in specs) <= MOST_UPSTREAM


def test_a_table_has_the_sources_whose_layout_fills_it(specs: dict[str, dg.AssetSpec]) -> None:
    def partitions(name: str) -> list[str]:
        definition = specs[name].partitions_def
        assert definition is not None
        return list(definition.get_partition_keys())

    assert partitions("sources/skill_votes") == ["sample-egoexolearn"]
    assert partitions("sources/listed_people") == partitions("sources/boxes") == []


def test_every_table_states_its_columns_owner_kind_and_meaning(
    specs: dict[str, dg.AssetSpec],
) -> None:
    for name, spec in specs.items():
        assert spec.owners, name
        assert spec.kinds, name
        assert spec.description, name
        table = TABLES.get(spec.key.path[-1])
        if table is not None:
            schema = spec.metadata["dagster/column_schema"]
            assert [c.name for c in schema.columns] == list(table.schema), name
            assert all(c.description for c in schema.columns), name


@pytest.mark.parametrize("stage", [s for s in STAGES if s.code], ids=lambda stage: stage.name)
def test_what_decides_rows_does_not_reach_the_store(stage: Stage) -> None:
    """Otherwise an edit of storage or configuration would compute every row of the stage anew."""
    reached = _Reached()
    for function in stage.code:
        _start(function, reached)
    rim = ("resources.store", "resources.config", "assets.stage", "assets.dagster")
    assert not [module for module, _ in reached.seen if module.startswith(rim)]


def test_partitions_follow_the_configuration(specs: dict[str, dg.AssetSpec]) -> None:
    def keys(name: str) -> list[str]:
        definition = specs[name].partitions_def
        assert definition is not None
        return list(definition.get_partition_keys())

    assert keys("frames/frames") == ["sample-egoexolearn"]
    assert keys("questions/questions") == ["egobridge"]
    assert keys("scores/scores") == ["egobridge.random"]


JUDGES = """
[benchmarks.words]
released = true
protocol = "open"
sources = ["sample-egoexolearn"]
judges = ["silent"]
[judges.silent]
engine = "random"
"""


def test_judging_is_part_of_the_graph_only_where_a_benchmark_names_judges(
    tmp_path: Path, specs: dict[str, dg.AssetSpec]
) -> None:
    file = tmp_path / "parallax.toml"
    file.write_text(CONFIG.replace('protocol = "direct"', 'protocol = "own"') + JUDGES)
    settings = load_settings(file)
    judged = {s.key.to_user_string(): s for s in definitions(settings).resolve_all_asset_specs()}
    filled = {
        "predictions/judge_tests": ["words"],
        "predictions/judgements": ["words.random"],
        "scores/judged_scores": ["words.random"],
        "scores/judge_agreements": ["words.random"],
    }
    for name, partitions in filled.items():
        for found, expected in ((judged, partitions), (specs, [])):
            definition = found[name].partitions_def
            assert definition is not None
            assert list(definition.get_partition_keys()) == expected, name
    assert upstream(judged, "predictions/judgements") == {
        "predictions/answers",
        "predictions/calls",
        "questions/questions",
    }
    assert upstream(judged, "scores/judged_scores") == {
        "predictions/judgements",
        "predictions/answers",
        "predictions/judge_tests",
    }
    stages = {step.partition: {s.name for s in step.stages} for step in steps(settings, Scope())}
    assert "judge_tests" in stages["words"] and "judge_tests" not in stages["egobridge"]
    assert {"judgements", "judged_scores"} < stages["words.random"]
    assert stages["egobridge.random"].isdisjoint({"judgements", "judged_scores"})


ASKING = """
store = "tables"
[translation]
engine = "{first}"
second = "{second}"
[sources.s]
layout = "egoexolearn"
root = "sample"
sentence_match = "{comparing}"
[benchmarks.egobridge]
sources = ["s"]
blind = "{blind}"
single_frame = "{single_frame}"
readers = ["{reader}"]
[benchmarks.egoexobench]
sources = ["s"]
writer = "{writer}"
checker = "{checker}"
[benchmarks.egocross]
sources = ["s"]
writer = "{rewording}"
[benchmarks.words]
released = true
protocol = "open"
sources = ["s"]
judges = ["{judge}"]
[text_models.elsewhere]
engine = "openai_server"
model = "m"
base_url = "http://127.0.0.1:8000/v1"
[text_models.here]
{here}
[judges.by_server]
engine = "openai_server"
model = "m"
base_url = "http://127.0.0.1:8000/v1"
[judges.by_checkpoint]
{here}
[runs.by_server]
engine = "openai_server"
model = "m"
base_url = "http://127.0.0.1:8000/v1"
protocol = "own"
"""
RUN = """
[runs.by_checkpoint]
protocol = "direct"
benchmarks = ["egobridge"]
{here}
"""
CHECKPOINT = 'engine = "transformers_vlm"\nmodel = "m"'
ROLES = {
    "first": {"translations"},
    "second": {"translations"},
    "comparing": {"pairs"},
    "writer": {"questions"},
    "rewording": {"wordings"},
    "checker": {"question_gates"},
    "blind": {"question_gates", "predictions"},
    "single_frame": {"question_gates", "predictions"},
    "reader": {"parity_scores"},
    "judge": {"judgements", "judge_tests"},
    "run": {"predictions"},
}
"""Stages that load a model, by what it is configured for; a run that a gate names is asked itself, too."""


def asking(tmp_path: Path, local: str, here: str = CHECKPOINT) -> Settings:
    """A configuration in which every stage that can ask a model does, one of them a local one."""

    def named(role: str, theirs: str, ours: str) -> str:
        return ours if role == local else theirs

    names = {
        role: named(role, "elsewhere", "here")
        for role in ("first", "second", "comparing", "reader", "writer", "checker", "rewording")
    }
    for role in ("blind", "single_frame", "judge"):
        names[role] = named(role, "by_server", "by_checkpoint")
    has_run = local in {"blind", "single_frame", "run"}
    config = tmp_path / "parallax.toml"
    config.write_text((ASKING + (RUN if has_run else "")).format(here=here, **names))
    return load_settings(config)


@pytest.mark.parametrize("local", ROLES)
def test_a_stage_is_in_the_pool_exactly_where_it_may_load_a_model(
    local: str, tmp_path: Path
) -> None:
    settings = asking(tmp_path, local)
    assert {stage.name for stage in STAGES if pool_of(stage, settings)} == ROLES[local]


def test_every_stage_that_adds_calls_can_be_in_the_pool() -> None:
    asking = {stage.name for stage in STAGES if "calls" in (*stage.tables, *stage.adds_to)}
    assert set().union(*ROLES.values()) == asking


@pytest.mark.parametrize(
    ("here", "pool"),
    [
        (CHECKPOINT, "gpu"),
        ('engine = "vllm"\nmodel = "m"\npython = "/opt/vllm/bin/python"', "gpu"),
        (f'{CHECKPOINT}\ndevice = "cpu"', None),
        ('engine = "vllm"\nmodel = "m"\nbase_url = "http://127.0.0.1:8000/v1"', None),
    ],
)
def test_steps_share_a_pool_where_one_may_fill_an_accelerator(
    here: str, pool: str | None, tmp_path: Path
) -> None:
    made = definitions(asking(tmp_path, "blind", here))
    found = {
        key.to_user_string(): asset.op.pool
        for asset in made.assets or ()
        if isinstance(asset, dg.AssetsDefinition) and asset.is_executable
        for key in asset.keys
    }
    pooled = {"requests", "calls", "answers", "costs", "question_gates"}
    assert {name.partition("/")[2]: p for name, p in found.items() if p} == (
        dict.fromkeys(pooled, pool) if pool else {}
    )

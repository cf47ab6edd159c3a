"""The graph reads like the way of the data."""

from __future__ import annotations

from pathlib import Path

import dagster as dg
import pytest

from expectations.schemas import TABLES
from pipelines.definitions import definitions
from resources.config import load_settings
from tests.installation import CONFIG

# Stages in the way of the data, and the tables a reader expects in each, from the plan of the house.
WAY = {
    "sources": {
        "recordings",
        "images",
        "clocks",
        "take_links",
        "segments",
        "relations",
        "object_states",
        "listed_people",
        "skill_levels",
        "skill_votes",
        "imported_questions",
        "frame_stamps",
        "cameras",
        "gaze_samples",
        "gaze_rays",
        "camera_poses",
        "hand_joints",
        "body_joints",
        "objects_3d",
        "boxes",
        "tracks",
        "annotated_frames",
        "taxonomies",
        "splits",
        "reviews",
    },
    "frames": {"streams", "frames"},
    "translations": {"translations"},
    "labels": {"labels"},
    "pairs": {"candidates", "candidate_counts", "pairs", "sentence_vectors"},
    "task_sets": {"task_sets", "set_classes"},
    "statistics": {"statistics"},
    "skill": {
        "skill_pairs",
        "skill_clips",
        "skill_transitivity",
        "skill_chains",
        "skill_triplets",
    },
    "split_overlaps": {"split_overlaps"},
    "reviews": {"review_states", "review_changes"},
    "scene_graphs": {"calibrations", "graph_nodes", "graph_edges", "spatial_facts"},
    "questions": {"questions", "question_gates"},
    "predictions": {"requests", "calls", "answers"},
    "scores": {"scores", "page"},
}


@pytest.fixture(scope="module")
def specs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dg.AssetSpec]:
    config = tmp_path_factory.mktemp("graph") / "parallax.toml"
    config.write_text(CONFIG)
    found = definitions(load_settings(Path(config))).resolve_all_asset_specs()
    return {spec.key.to_user_string(): spec for spec in found}


def test_groups_are_the_stages(specs: dict[str, dg.AssetSpec]) -> None:
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


def test_everything_but_the_sources_depends_on_something(specs: dict[str, dg.AssetSpec]) -> None:
    without = {name for name, spec in specs.items() if not list(spec.deps)}
    assert without == WAY["sources"]


def test_every_table_states_its_columns_owner_kind_and_meaning(
    specs: dict[str, dg.AssetSpec],
) -> None:
    for name, spec in specs.items():
        assert spec.owners, name
        assert spec.kinds, name
        assert spec.description, name
        if name in TABLES:
            schema = spec.metadata["dagster/column_schema"]
            assert [c.name for c in schema.columns] == list(TABLES[name].schema), name
            assert all(c.description for c in schema.columns), name


def test_partitions_follow_the_configuration(specs: dict[str, dg.AssetSpec]) -> None:
    def keys(name: str) -> list[str]:
        definition = specs[name].partitions_def
        assert definition is not None
        return list(definition.get_partition_keys())

    assert keys("frames") == ["sample-egoexolearn"]
    assert keys("questions") == ["egobridge"]
    assert keys("scores") == ["egobridge.random"]

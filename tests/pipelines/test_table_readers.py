"""Every source table has a stage that reads it, or a stated reason why none does."""

from __future__ import annotations

from collections import defaultdict

import pytest

from assets.sources.layout import PART_TABLES
from expectations.schemas import TABLES
from pipelines.definitions import STAGES

READERS = {
    "recordings": {"frames", "scene_graphs", "pairs", "questions"},
    "images": {"frames", "questions"},
    "clocks": {"questions"},
    "take_links": {"skill"},
    "segments": {"labels", "pairs", "scene_graphs", "questions"},
    "relations": {"scene_graphs", "questions"},
    "object_states": {"scene_graphs"},
    "listed_people": {"questions"},
    "skill_levels": {"skill", "questions"},
    "skill_votes": {"skill"},
    "taxonomies": {"labels", "task_sets"},
    "splits": {"task_sets"},
    "released_frames": {"task_sets"},
    "released_rows": {"task_sets"},
    "frame_stamps": {"frames"},
    "gaze_samples": {"frames"},
    "gaze_rays": {"scene_graphs"},
    "cameras": {"scene_graphs"},
    "camera_poses": {"scene_graphs"},
    "hand_joints": {"scene_graphs"},
    "body_joints": {"questions"},
    "objects_3d": {"scene_graphs", "questions"},
    "boxes": {"scene_graphs", "questions"},
    "tracks": {"scene_graphs", "questions"},
    "annotated_frames": {"scene_graphs", "questions"},
    "reviews": {"labels", "pairs", "reviews"},
}
"""Stages that must read a table; others may."""
UNREAD = {
    "quarantine": "what was refused is for people: `parallax status` and the checks count it",
    "files": "the manifest: the sources stage itself, `status`, `plan` and `why` read it",
    "imported_questions": "questions that datasets released; checks count them against the papers",
}
"""Tables of the sources stage that no stage reads, and why."""


@pytest.fixture(scope="module")
def readers() -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for stage in STAGES:
        for table in stage.deps:
            found[table].add(stage.group)
    return found


def test_every_source_table_is_named_here() -> None:
    tables = {name for name, table in TABLES.items() if table.stage == "sources"}
    assert tables == READERS.keys() | UNREAD.keys()
    assert {name for part in PART_TABLES.values() for name in part} <= tables


@pytest.mark.parametrize("table", READERS)
def test_a_table_is_read_by_its_stages(table: str, readers: dict[str, set[str]]) -> None:
    assert readers[table] >= READERS[table]


@pytest.mark.parametrize("table", UNREAD)
def test_an_exception_is_still_one(table: str, readers: dict[str, set[str]]) -> None:
    assert not readers[table], f"{table} is read now: name its readers, delete the exception"

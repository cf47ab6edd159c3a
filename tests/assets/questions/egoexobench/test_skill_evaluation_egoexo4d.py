"""Skill evaluation from levels of proficiency: takes of one task whose performers are written out."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from assets.questions.egoexobench.skill_evaluation_egoexo4d import BUILDER
from expectations.schemas import TABLES

LABELS = ("Novice", "Early Expert", "Intermediate Expert", "Late Expert")
SCALE = "demonstrator proficiency"


def world(levels: dict[str, int], **changes: dict[str, Any]) -> dict[str, pl.DataFrame]:
    """Takes by name with the level of who performs; `changes` of a take's rows by its name."""
    recordings, ratings = [], []
    for take, level in levels.items():
        own = {"split": "val", "task": "Dribbling", "actor_id": f"person {take}"} | changes.get(
            take, {}
        )
        for camera, view in (("aria01", "ego"), ("cam01", "exo"), ("cam02", "exo")):
            recordings.append(
                {
                    "source": "s",
                    "recording_id": f"{take}|{camera}",
                    "take_id": take,
                    "view": view,
                    "device": "aria" if view == "ego" else "hero10",
                    "scenario": "Soccer",
                    "split": own["split"],
                    "media": "present",
                    "media_hashes": [f"{take}|{camera}"],
                    "licence": "free",
                    "duration_s": own.get("duration_s", 20.0),
                }
            )
        ratings.append(
            {
                "source": "s",
                "take_id": take,
                "actor_id": own["actor_id"],
                "scale": SCALE,
                "task": own["task"],
                "level": level,
                "label": LABELS[level],
            }
        )
    return {
        "recordings": TABLES["recordings"].frame(recordings),
        "skill_levels": TABLES["skill_levels"].frame(ratings),
    }


FIVE = {"a": 3, "b": 3, "c": 2, "d": 1, "e": 0}


def asked(given: dict[str, pl.DataFrame]) -> list[tuple[str, str, str]]:
    """What is asked for, the view of the candidates, and the take that is right."""
    found = []
    for row in BUILDER.make(given).iter_rows(named=True):
        (right,) = (m for m in row["media"] if m["role"] == f"option_{row['answer']}")
        view = "ego" if "aria" in right["recording_id"] else "exo"
        kind = "best" if " best " in row["text"] else "worst"
        found.append((kind, view, right["recording_id"].partition("|")[0]))
    return sorted(found)


def test_each_take_is_asked_about_once_as_the_best_and_once_as_the_worst_in_each_view() -> None:
    assert asked(world(FIVE)) == [
        ("best", "ego", "a"),
        ("best", "ego", "b"),
        ("best", "exo", "a"),
        ("best", "exo", "b"),
        ("worst", "ego", "e"),
        ("worst", "exo", "e"),
    ]


def test_the_reference_is_an_experts_in_the_other_view_and_nobody_is_shown_twice() -> None:
    made = BUILDER.make(world(FIVE))
    assert made.schema == TABLES["questions"].schema
    for row in made.iter_rows(named=True):
        reference, *candidates = row["media"]
        assert reference["role"] == "reference"
        takes = [m["recording_id"].partition("|")[0] for m in row["media"]]
        assert FIVE[takes[0]] == 3
        assert len(set(takes)) == 5
        views = {"aria" in m["recording_id"] for m in candidates}
        assert views == {"aria" not in reference["recording_id"]}
        assert all((m["start_s"], m["end_s"]) == (0.0, 20.0) for m in row["media"])
        assert {o["text"] for o in row["options"]} == {"Dribbling"}


@pytest.mark.parametrize(
    ("levels", "changes"),
    [
        ({"a": 3, "c": 2, "d": 1, "e": 0}, {}),
        ({"a": 2, "b": 2, "c": 1, "d": 1, "e": 0}, {}),
        (FIVE, {"d": {"actor_id": "person c"}}),
        (FIVE, {"d": {"task": "Shooting"}}),
        (FIVE, {"d": {"split": "train"}}),
        (FIVE, {"d": {"duration_s": None}}),
    ],
    ids=[
        "four takes",
        "no expert",
        "one person twice",
        "another task",
        "another split",
        "no length",
    ],
)
def test_without_an_expert_and_four_further_people_nothing_is_asked(
    levels: dict[str, int], changes: dict[str, dict[str, Any]]
) -> None:
    assert asked(world(levels, **changes)) == []


def test_two_at_the_extreme_level_do_not_meet_as_candidates() -> None:
    six = asked(world({**FIVE, "f": 0}))
    # Each of the two worst is asked about beside three better ones, never beside the other.
    assert [take for kind, view, take in six if (kind, view) == ("worst", "ego")] == ["e", "f"]
    made = BUILDER.make(world({**FIVE, "f": 0}))
    for row in made.filter(pl.col("text").str.contains(" worst ")).iter_rows(named=True):
        takes = {m["recording_id"].partition("|")[0] for m in row["media"]}
        assert not {"e", "f"} <= takes


def test_questions_grow_with_the_takes_and_reach_the_papers_count() -> None:
    """Ego-Exo4D lists proficiency for more takes than this; the paper asks 379 questions of it."""
    tasks = [f"task {n}" for n in range(8)]
    levels = {f"{task}/{n}": n % 4 for task in tasks for n in range(32)}
    changes = {take: {"task": take.partition("/")[0]} for take in levels}
    found = asked(world(levels, **changes))
    assert 379 <= len(found) <= 4 * len(levels)
    assert len(set(found)) == len(found)

"""Only what truly depends on an edit is recomputed, up to the scores (30 recordings)."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from expectations.schemas import TABLES
from resources.store.tables import TableStore
from resources.worlds import HouseholdSpec, plan
from tests.pipelines import edits

QUESTIONS = "questions.egobridge"
RUN = "egobridge.random"


def moved(before: dict, after: dict) -> dict[str, set[str]]:
    """Units whose rows differ, by table and partition; `calls` only ever grow and are left out."""
    found: dict[str, set[str]] = {}
    for key in before.keys() | after.keys():
        if before.get(key) != after.get(key) and key[0] not in {"calls", "costs", "files"}:
            found.setdefault(f"{key[0]}.{key[1]}", set()).add(key[2])
    return found


def asked(home: Path) -> dict[str, tuple[str, frozenset[str]]]:
    """Questions with an answer: hash, and recordings shown."""
    store = TableStore(str(home / "tables"))
    rows = store.read(TABLES["questions"], "egobridge")
    ids = store.read(TABLES["answers"], RUN)["question_id"]
    return {
        row["question_id"]: (
            row["question_hash"],
            frozenset(m["recording_id"] for m in row["media"]),
        )
        for row in rows.filter(pl.col("question_id").is_in(ids.implode())).iter_rows(named=True)
    }


def expect_answers(outcome: Any, before: dict, after: dict, new_frames: set[str]) -> None:
    """Requests are made for new questions and new frames; answers read where the reply is new."""
    new = {q for q, (said, _) in after.items() if q not in before or before[q][0] != said}
    shown = {q for q, (_, recordings) in after.items() if recordings & new_frames}
    assert outcome.entered("build_prompt") == new | shown
    assert outcome.entered("extract_answers") == new
    changed = new | (before.keys() - after.keys())
    assert outcome.entered("score") == ({"random"} if changed else set())


def expect(
    outcome: Any,
    *,
    gaze: set[str] = frozenset(),
    frames: set[str] = frozenset(),
    labels: set[str] = frozenset(),
    pools: set[str] = frozenset(),
    questions: set[str] = frozenset(),
    pool_of: dict[str, str],
) -> None:
    """What entered the pure functions, by recording and pool."""
    members = {uid for uid, pool in pool_of.items() if pool in pools}
    assert outcome.entered("read_sensors") == gaze
    assert outcome.entered("build_frames") == frames
    assert outcome.entered("parse_labels") == labels
    assert outcome.entered("find_candidates") == members
    assert outcome.entered("make_pairs") == members
    assert outcome.entered("make_questions") == questions


@pytest.fixture
def changed(many: Any, copy: Callable, server: Any) -> Callable:
    """Copies the installation, edits it, runs, and gives (copy, outcome, moved units)."""

    def run(edit: Callable[[Any], Any]) -> tuple[Any, Any, dict[str, set[str]]]:
        made = copy(many)
        edit(made)
        outcome = server.succeed(made.home)
        return made, outcome, moved(many.outcome.digests, outcome.digests)

    return run


def first(many: Any, **fields: Any) -> Any:
    """The first recording of the world with these fields."""
    return next(
        r for r in many.world.recordings if all(getattr(r, k) == v for k, v in fields.items())
    )


def test_a_changed_gaze_file_reaches_its_own_frames_and_no_question(many, changed):
    uid = first(many, form="native", task="task1", split="test", quirk="").uid
    _, outcome, rows = changed(lambda made: edits.spoil_gaze(made.raw, uid))
    pool_of = edits.pools(many.raw)
    expect(outcome, gaze={uid}, frames={uid}, pool_of=pool_of)
    for name in ("recordings", "segments", "taxonomies", "splits"):
        assert outcome.entered(f"read_{name}") == set()
    assert outcome.entered("build_prompt") == set()
    assert rows.keys() == {"gaze_samples.house", "frames.house"}
    assert set.union(*rows.values()) == {uid}


@pytest.mark.parametrize("how", ["identical bytes", "touched"])
def test_equal_content_moves_nothing(how, many, changed):
    uid = first(many, form="native").uid

    def edit(made: Any) -> None:
        for path in (made.raw / edits.FINE, *(made.raw / "pupil" / uid).iterdir()):
            edits.rewrite(path, path.read_bytes())
            if how == "touched":
                os.utime(path, (1_700_000_000, 1_700_000_000))

    _, outcome, rows = changed(edit)
    # Whether the content is what it was is seen by reading it, and a video says how long it is.
    assert outcome.told["entered"].keys() <= {"open"}
    assert rows == {}


def test_an_added_recording_reaches_its_pool(many, changed):
    new = plan(HouseholdSpec(ego=61, exo=40, render="small")).recordings[60]
    assert new.uid not in {r.uid for r in many.world.recordings}
    made, outcome, rows = changed(lambda made: edits.add(made.raw, new, many.world))
    pool_of = edits.pools(made.raw)
    pool = pool_of[new.uid]
    asks = {pool} if new.split != "train" else set()
    gaze = {new.uid} if new.view == "ego" else set()
    expect(
        outcome,
        gaze=gaze,
        frames={new.uid},
        labels={new.uid},
        pools={pool},
        questions={pool},
        pool_of=pool_of,
    )
    assert rows["recordings.house"] == rows["segments.house"] == {new.uid}
    assert rows["frames.house"] == rows["labels.house"] == {new.uid}
    assert rows["candidates.house"] <= {pool}
    assert rows["splits.house"] == {"segmentation_ego"}
    assert rows.get(QUESTIONS, set()) <= {f"house/association@1/{p}" for p in asks}
    expect_answers(outcome, asked(many.home), asked(made.home), {new.uid})


def test_a_removed_recording_leaves_nothing_behind(many, changed):
    gone = first(many, form="native", task="task1", split="test", quirk="")
    made, outcome, rows = changed(lambda made: edits.remove(made.raw, [gone.uid], many.world))
    pool_of = edits.pools(made.raw)
    pool = edits.pools(many.raw)[gone.uid]
    expect(outcome, pools={pool}, questions={pool}, pool_of=pool_of)
    for table in ("recordings", "segments", "gaze_samples", "frames", "labels"):
        assert rows[f"{table}.house"] == {gone.uid}
        assert (table, "house", gone.uid) not in outcome.digests
    assert rows["candidates.house"] == rows["pairs.house"] == {pool}
    assert rows[QUESTIONS] == {f"house/association@1/{pool}"}
    expect_answers(outcome, asked(many.home), asked(made.home), set())


def test_a_renamed_recording_is_another_one(many, changed):
    old = first(many, form="released", view="exo", task="task2", split="test")
    new = f"2c00{old.uid[4:]}"
    made, outcome, rows = changed(lambda made: edits.rename(made.raw, old.uid, new, many.world))
    pool_of = edits.pools(made.raw)
    pool = pool_of[new]
    expect(outcome, frames={new}, labels={new}, pools={pool}, questions={pool}, pool_of=pool_of)
    for table in ("recordings", "segments", "frames", "labels"):
        assert rows[f"{table}.house"] == {old.uid, new}
        assert (table, "house", old.uid) not in outcome.digests
    assert rows[QUESTIONS] == {f"house/association@1/{pool}"}
    expect_answers(outcome, asked(many.home), asked(made.home), {new})


@pytest.mark.parametrize("split", ["test", "train"])
def test_one_line_of_the_file_of_all_recordings_reaches_one_recording(split, many, changed):
    pool_of = edits.pools(many.raw)
    line: dict[str, str] = {}

    def edit(made: Any) -> None:
        line.update(
            edits.edit_line(
                made.raw,
                lambda r: r["subset"] == split and r["view"] == "ego" and r["scene"] == "kitchen",
                lambda r: r.update(narration_en="The right hand stirs the water with the spoon."),
            )
        )

    made, outcome, rows = changed(edit)
    uid = line["video_uid"]
    pool = pool_of[uid]
    expect(outcome, labels={uid}, pools={pool}, questions={pool}, pool_of=pool_of)
    assert outcome.entered("read_recordings") == set()
    assert outcome.entered("read_splits") == set()
    assert rows["segments.house"] == rows["labels.house"] == {uid}
    assert rows.keys() <= {
        *(f"{t}.house" for t in ("segments", "labels", "candidates", "candidate_counts", "pairs")),
        *(f"{t}.house" for t in ("task_sets", "set_classes", "split_overlaps", "statistics")),
        QUESTIONS,
        "question_gates.egobridge",
        "question_funnels.egobridge",
        f"requests.{RUN}",
        f"answers.{RUN}",
        f"scores.{RUN}",
    }
    assert rows.get("pairs.house", set()) <= {pool}
    # A narration has words, and no length or gaze.
    assert rows.get("statistics.house", set()) <= {"captions", "verbs", "nouns", "sets"}
    assert not {u for u in rows.get("task_sets.house", set()) if u.startswith(("seg", "plan"))}
    assert rows.get(QUESTIONS, set()) <= (
        {f"house/association@1/{pool}"} if split == "test" else set()
    )
    expect_answers(outcome, asked(many.home), asked(made.home), set())


def test_an_unchanged_run_commits_nothing_and_is_cheap(many, server):
    store = TableStore(str(many.home / "tables"))
    versions = {name: store.version(table) for name, table in TABLES.items()}
    outcome = server.succeed(many.home, dagster=True, digest=False)
    assert outcome.told["commits"] == 0
    assert {name: store.version(table) for name, table in TABLES.items()} == versions
    assert outcome.told["entered"] == {}
    assert outcome.told["counts"]["stages_launched"] == 0
    assert outcome.told["cpu_s"] <= 15

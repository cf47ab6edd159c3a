"""Killed anywhere, the next run ends with the tables of an undisturbed one."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

from tests.pipelines import edits

pytestmark = pytest.mark.slow
KILLED = -9
# All of them take a quarter of an hour; a test run takes its share of them.
EVERYWHERE = bool(os.environ.get("PARALLAX_KILL_EVERYWHERE"))
EVERY, REVERTED, TIMES = (1, 4, 20) if EVERYWHERE else (18, 32, 4)


def change(made: Any) -> None:
    """Something for every table: a gaze file, a narration, a recording that goes."""
    kept = [r for r in made.world.recordings if r.task == "task1"]
    # It holds few of the votes: most of a table is not deleted unless a person says so.
    edits.remove(made.raw, [made.world.recordings[3].uid], made.world)
    edits.spoil_gaze(made.raw, next(r.uid for r in kept if r.form == "native"))
    edits.edit_line(
        made.raw,
        lambda row: row["video_uid"] == kept[0].uid,
        lambda row: row.update(narration_en="The right hand stirs the water with the spoon."),
    )


@pytest.fixture(scope="module")
def goal(ready: Any, server: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The changed few, brought up to date without a disturbance."""
    made = ready.copy(tmp_path_factory.mktemp("goal") / "home")
    change(made)
    made.outcome = server.succeed(made.home)
    assert len(made.outcome.told["reports"]["answers.egobridge.random"]["changed"]) > 0
    return made


def without_calls(outcome: Any) -> dict:
    """Digests of what the inputs decide; calls also keep the history of what was asked."""
    return {
        key: value for key, value in outcome.digests.items() if key[0] not in {"calls", "costs"}
    }


def two_at_a_time(jobs: Iterable[Callable[[], Iterator[None]]]) -> None:
    """Run generators in pairs: what one starts at a `yield` goes on while the other starts its own."""
    waiting = [job() for job in jobs]
    for at in range(0, len(waiting), 2):
        pair = waiting[at : at + 2]
        while pair:
            pair = [job for job in pair if next(job, StopIteration) is not StopIteration]


def test_killed_at_commits_the_next_run_repairs(ready, goal, server, tmp_path):
    commits = goal.outcome.told["commits"]
    assert commits > 30

    def job(at: int) -> Iterator[None]:
        # Before the n-th its files are written and it is not: that is also after the one before.
        where = "after_commit" if at == commits else "before_commit"
        made = ready.copy(tmp_path / f"home{at}")
        change(made)
        killed = server.start(made.home, die={where: at})
        yield
        assert killed.wait().status == KILLED
        again = server.start(made.home)
        yield
        outcome = again.wait()
        assert outcome.status == 0, outcome.told.get("traceback")
        assert outcome.digests == goal.outcome.digests, f"killed {where} {at}"
        shutil.rmtree(made.home)

    two_at_a_time(partial(job, at) for at in sorted({*range(1, commits, EVERY), commits}))


def test_killed_while_writing_and_inputs_reverted_the_old_tables_come_back(
    ready, goal, server, tmp_path
):
    commits = goal.outcome.told["commits"]

    def job(at: int) -> Iterator[None]:
        made = ready.copy(tmp_path / f"home{at}")
        change(made)
        killed = server.start(made.home, die={"before_commit": at})
        yield
        assert killed.wait().status == KILLED
        shutil.rmtree(made.raw)
        shutil.copytree(ready.raw, made.raw)
        again = server.start(made.home)
        yield
        outcome = again.wait()
        assert outcome.status == 0, outcome.told.get("traceback")
        assert without_calls(outcome) == without_calls(ready.outcome), f"killed before {at}"
        shutil.rmtree(made.home)

    two_at_a_time(partial(job, at) for at in range(3, commits, REVERTED))


def test_killed_in_the_first_run_at_random_times_children_included(few, server, tmp_path):
    rng = np.random.default_rng(20)
    whole = few.copy(tmp_path / "whole")
    began = time.monotonic()
    expected = server.succeed(whole.home)
    seconds = time.monotonic() - began

    def job(number: int, share: float) -> Iterator[None]:
        made = few.copy(tmp_path / f"home{number}")
        # Two go through Dagster, whose bookkeeping takes longer than the work.
        dagster = number in {1, 3}
        killed = server.start(made.home, dagster=dagster)
        yield
        time.sleep(share * seconds * (3 if dagster else 1))
        killed.kill()
        killed.wait()
        again = server.start(made.home, dagster=dagster)
        yield
        outcome = again.wait()
        assert outcome.status == 0, outcome.told.get("traceback")
        assert outcome.digests == expected.digests, f"killed after {share:.0%}"
        shutil.rmtree(made.home)

    # Spread over the whole run.
    shares = (rng.permutation(TIMES) + rng.random(TIMES)) / TIMES
    two_at_a_time(partial(job, n, s) for n, s in enumerate(shares))


@pytest.mark.parametrize("table", ["frames", "answers"])
def test_killed_between_commit_and_event_dagster_is_told_by_the_next_run(
    table, ready, goal, server, tmp_path
):
    made = ready.copy(tmp_path / "home")
    change(made)
    died = server.run(made.home, dagster=True, die={"at": f"event:{table}"})
    assert died.status == KILLED
    again = server.succeed(made.home, dagster=True)
    assert again.digests == goal.outcome.digests
    # Frames were committed and nothing of them entered again; Dagster has the event all the same.
    assert again.entered("build_frames") == set()
    assert again.told["counts"]["stages_launched"] > 0
    last = server.succeed(made.home, dagster=True, digest=False)
    assert last.told["counts"]["stages_launched"] == 0
    assert last.told["commits"] == 0

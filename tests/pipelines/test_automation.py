"""Dagster's own daemon: changed content starts runs, touched files start nothing."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest

from tests.installation import BIN, environment, parallax
from tests.resources.broken_videos import b_frames, vfr_b_frames

LIMIT_S = 120

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("daemon")]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An installation with a folder of one short video, brought up to date once."""
    base = tmp_path_factory.mktemp("automation")
    (base / "clips").mkdir()
    b_frames(base / "clips" / "one.mp4")
    (base / "parallax.toml").write_text(
        'store = "tables"\npage = "page.html"\n[sources.clips]\nlayout = "videos"\nroot = "clips"\n'
    )
    parallax(base, "run")
    return base


@pytest.fixture
def daemon(home: Path) -> Iterator[Path]:
    """The real daemon over the code location; its whole process group ends with the test."""
    with (home / "daemon.log").open("w") as log:
        process = subprocess.Popen(
            [BIN / "dagster-daemon", "run", "-m", "pipelines.definitions"],
            env=environment(home),
            cwd=home / ".dagster",
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            yield home
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def runs(home: Path) -> list[dg.DagsterRun]:
    with dg.DagsterInstance.from_config(str(home / ".dagster")) as instance:
        return list(instance.get_runs())


def test_touched_files_start_nothing_and_changed_content_starts_its_source(daemon: Path) -> None:
    before = {run.run_id for run in runs(daemon)}
    video = daemon / "clips" / "one.mp4"

    os.utime(video)
    # The first look may have begun before the file was touched.
    wait_for_ticks(daemon, 2)
    assert {run.run_id for run in runs(daemon)} == before

    other = daemon / "other.mp4"
    vfr_b_frames(other)
    shutil.move(other, video)
    deadline = time.monotonic() + LIMIT_S
    done: list[dg.DagsterRun] = []
    while time.monotonic() < deadline and not done:
        time.sleep(1)
        done = [
            run
            for run in runs(daemon)
            if run.run_id not in before
            and run.status == dg.DagsterRunStatus.SUCCESS
            # What follows from its first tables may be done before it is.
            and run.tags["dagster/partition"] == "clips"
        ]
    assert done, (daemon / "daemon.log").read_text()[-2000:]
    assert "frames" in {key.path[-1] for key in done[-1].asset_selection or ()}


def wait_for_ticks(home: Path, count: int) -> None:
    """Wait until the file sensor has looked so many times since now."""
    first = time.time()
    with dg.DagsterInstance.from_config(str(home / ".dagster")) as instance:
        while time.time() - first < LIMIT_S:
            ticks = [
                tick
                for state in instance.all_instigator_state()
                if state.name == "changed_files"
                for tick in instance.get_ticks(state.instigator_origin_id, state.selector_id)
                if tick.timestamp > first
            ]
            if len(ticks) >= count and all(t.status.value != "FAILURE" for t in ticks):
                return
            time.sleep(1)
    pytest.fail(f"the sensor did not look {count} times in {LIMIT_S} s")

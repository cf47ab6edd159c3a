"""Partitions that are updated side by side end as those updated one after the other."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import dagster as dg
import numpy as np
import polars as pl
import pytest

from pipelines.run.dagster_home import open_instance
from pipelines.run.side_by_side import default_workers
from tests.installation import BIN, environment, interruptible, parallax
from tests.resources.broken_videos import b_frames, vfr_b_frames

SOURCES = ("a", "b")
GONE_S = 10
# Test machines do several things at once: what takes two seconds may take this many times longer.
SLOWER = 2
# A test run kills once only: each kill costs two runs.
KILLS = 20 if os.environ.get("PARALLAX_KILL_EVERYWHERE") else 1
FAILING = '''
"""A layout whose reader has a mistake."""

from assets.sources.layout import Layout, Part


def read(part):
    raise LookupError("no such thing: sk-never-to-be-shown-987654")


LAYOUT = Layout(
    name="failing", title="Failing", licence="mine", certainty="verified",
    parts=(Part("recordings", files=r"[^/]+\\.txt", read=read),),
)
'''

# Its reader ends the process it runs in, as the kernel does when memory runs out.
DYING = FAILING.replace(
    'raise LookupError("no such thing: sk-never-to-be-shown-987654")',
    "os.kill(os.getpid(), signal.SIGKILL)",
)
DYING = DYING.replace("from assets", "import os\nimport signal\n\nfrom assets", 1)
DYING = DYING.replace('name="failing"', 'name="dying"')

# Its reader says that it has begun, and ends long after any test.
SLEEPING = FAILING.replace(
    'raise LookupError("no such thing: sk-never-to-be-shown-987654")',
    "Path(os.environ['PARALLAX_CONFIG']).with_name(f'begun-{os.getpid()}').touch(); time.sleep(99)",
)
SLEEPING = SLEEPING.replace(
    "from assets", "import os, time\nfrom pathlib import Path\n\nfrom assets", 1
)
SLEEPING = SLEEPING.replace('name="failing"', 'name="sleeping"')


def install(home: Path) -> Path:
    """Small folders of videos, each a source."""
    for name in SOURCES:
        (home / name).mkdir(parents=True)
        b_frames(home / name / "one.mp4")
        vfr_b_frames(home / name / "two.mp4")
    configure(home)
    return home


def configure(home: Path, before: str = "", more: str = "") -> None:
    sources = "".join(f'[sources.{name}]\nlayout = "videos"\nroot = "{name}"\n' for name in SOURCES)
    text = f'store = "tables"\npage = "page.html"\n{before}{sources}{more}'
    (home / "parallax.toml").write_text(text)


@pytest.fixture(scope="module")
def raw(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install(tmp_path_factory.mktemp("raw") / "home")


@pytest.fixture(scope="module")
def goal(raw: Path) -> dict[str, str]:
    """Digests of an undisturbed update of one source after the other."""
    parallax(raw, "run", "--workers", "1")
    return digests(raw)


def digests(home: Path) -> dict[str, str]:
    lines = parallax(home, "digest", "--by", "unit").stdout.splitlines()
    return {line.rsplit(" ", 2)[0]: line for line in lines}


def copy(raw: Path, to: Path) -> Path:
    shutil.copytree(raw, to, ignore=shutil.ignore_patterns("tables", ".dagster", "page*"))
    return to


def commits(home: Path) -> int:
    """Number of commits that the tables hold."""
    return len(list(home.glob("tables/*/_delta_log/*.json")))


def processes_of(home: Path) -> set[int]:
    """Processes of a run of this installation, by their environment."""
    numbers = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if f"PARALLAX_CONFIG={home}/".encode() in (entry / "environ").read_bytes():
                    numbers.add(int(entry.name))
            except OSError:
                continue
    return numbers


def wait_until_gone(home: Path) -> None:
    deadline = time.monotonic() + GONE_S
    while processes_of(home):
        assert time.monotonic() < deadline, f"left behind: {processes_of(home)}"
        time.sleep(0.1)


def start(home: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [str(BIN / "parallax"), "run", "--workers", "2"],
        env=environment(home),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=interruptible,
    )


def test_side_by_side_the_tables_are_the_same(raw, goal, tmp_path):
    home = copy(raw, tmp_path / "home")
    ran = parallax(home, "run", "--workers", "3")
    assert digests(home) == goal
    assert "Traceback" not in ran.stderr
    assert "retry_scheduled" not in ran.stdout + ran.stderr
    assert "STEP_WORKER_STARTED" not in ran.stderr
    for name in SOURCES:
        assert f"frames of {name}: 2 units, 0 up to date, 2 computed" in ran.stdout
    again = parallax(home, "run", "--workers", "3")
    assert "\n0 units computed, 0 deleted, " in again.stdout
    wait_until_gone(home)


@pytest.mark.slow
def test_killed_its_processes_end_and_the_next_run_repairs(raw, goal, tmp_path):
    rng = np.random.default_rng(3)
    for number, count in enumerate(rng.choice(range(1, commits(raw)), KILLS, replace=False)):
        home = copy(raw, tmp_path / f"home{number}")
        run = start(home)
        deadline = time.monotonic() + 300
        while commits(home) < count:
            assert run.poll() is None and time.monotonic() < deadline, run.communicate()
            time.sleep(0.02)
        run.kill()
        run.communicate()
        wait_until_gone(home)
        parallax(home, "run", "--workers", "2")
        assert digests(home) == goal, f"killed after {count} commits"
        shutil.rmtree(home)


@pytest.mark.slow
def test_a_killed_process_fails_its_own_partition_alone(raw, goal, tmp_path):
    home = copy(raw, tmp_path / "home")
    (home / "dying.py").write_text(DYING)
    (home / "bad").mkdir()
    (home / "bad" / "list.txt").write_text("x")
    configure(home, 'plugins = ["dying.py"]\n', '[sources.bad]\nlayout = "dying"\nroot = "bad"\n')
    ran = parallax(home, "run", "--workers", "2", ok=False)
    assert ran.returncode == 1
    assert ran.stderr.count("parallax: ") == 1
    assert "bad: its process ended" in ran.stderr
    assert "Traceback" not in ran.stderr
    for name in SOURCES:
        assert f"frames of {name}: 2 units, 0 up to date, 2 computed" in ran.stdout
    configure(home)
    parallax(home, "run")
    assert goal.items() <= digests(home).items()


def test_what_one_source_raises_is_said_and_stops_no_other(raw, tmp_path, monkeypatch):
    monkeypatch.setenv("SOME_API_KEY", "sk-never-to-be-shown-987654")
    home = copy(raw, tmp_path / "home")
    (home / "failing.py").write_text(FAILING)
    (home / "bad").mkdir()
    (home / "bad" / "list.txt").write_text("x")
    configure(
        home,
        'plugins = ["failing.py"]\n',
        '[sources.bad]\nlayout = "failing"\nroot = "bad"\n',
    )
    ran = parallax(home, "run", "--workers", "2", ok=False)
    assert ran.returncode == 70
    (message,) = [line for line in ran.stderr.splitlines() if line.startswith("parallax: ")]
    assert "bad: LookupError: no such thing: ***, at " in message
    assert "failing.py:8" in message
    assert "Traceback" not in ran.stderr
    assert "sk-never" not in ran.stdout + ran.stderr
    for name in SOURCES:
        assert f"frames of {name}: 2 units, 0 up to date, 2 computed" in ran.stdout


def test_ctrl_c_ends_a_run_at_once_with_one_line_and_leaves_no_process(tmp_path):
    (tmp_path / "sleeping.py").write_text(SLEEPING)
    sources = ""
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "list.txt").write_text("x")
        sources += f'[sources.{name}]\nlayout = "sleeping"\nroot = "{name}"\n'
    text = f'store = "tables"\npage = "page.html"\nplugins = ["sleeping.py"]\n{sources}'
    (tmp_path / "parallax.toml").write_text(text)
    run = start(tmp_path)
    deadline = time.monotonic() + 300
    while len(list(tmp_path.glob("begun-*"))) < 2:
        assert run.poll() is None and time.monotonic() < deadline, run.communicate()
        time.sleep(0.05)
    began = time.monotonic()
    # As a terminal does: every process of the command gets the signal.
    os.killpg(run.pid, signal.SIGINT)
    out, errors = run.communicate()
    assert time.monotonic() - began < 2 * SLOWER
    assert run.returncode == 130
    (line,) = errors.splitlines()
    assert line.startswith("parallax: interrupted; what was finished is kept")
    assert "Traceback" not in out
    wait_until_gone(tmp_path)
    with open_instance(tmp_path / ".dagster") as instance:
        # On a machine with much else to do, the time for marking runs may be over first.
        marked = {dg.DagsterRunStatus.CANCELED, dg.DagsterRunStatus.STARTED}
        assert {run.status for run in instance.get_runs()} <= marked


UPDATE_TWO = """
import os, sys

from typer.testing import CliRunner

from pipelines.cli import app

for home in sys.argv[1:]:
    os.environ["PARALLAX_CONFIG"] = f"{home}/parallax.toml"
    os.environ["PARALLAX_DAGSTER_HOME"] = f"{home}/.dagster"
    ended = CliRunner().invoke(app, ["run", "--workers", "2"])
    assert ended.exit_code == 0, ended.output
"""


def test_a_process_that_updates_two_installations_writes_each_where_it_belongs(tmp_path):
    homes = [tmp_path / "first", tmp_path / "second"]
    for home in homes:
        sources = ""
        for name in ("a", "b"):
            (home / name).mkdir(parents=True)
            b_frames(home / name / "clip.mp4")
            sources += f'[sources.{name}]\nlayout = "videos"\nroot = "{name}"\n'
        text = f'store = "tables"\npage = "page.html"\n{sources}'
        (home / "parallax.toml").write_text(text)
    words = [sys.executable, "-c", UPDATE_TWO, *map(str, homes)]
    subprocess.run(words, check=True, env=environment(homes[0]), capture_output=True, timeout=900)
    for home in homes:
        frames = pl.read_delta(str(home / "tables" / "frames"))
        assert set(frames["source"]) == {"a", "b"}


def test_workers_are_bounded_by_cores_memory_and_a_most():
    assert 1 <= default_workers() <= 4
    assert default_workers() <= (os.cpu_count() or 1)

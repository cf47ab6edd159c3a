"""One simulated world, brought up to date once; every test works on a copy of it."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from resources.worlds import HouseholdSpec, World, plan, write_egoexolearn

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[1]
CODE = ("assets", "expectations", "pipelines", "resources", "dagster.yaml")
CONFIG = """
store = "tables"
page = "page.html"
[sources.house]
layout = "egoexolearn"
root = "raw"
positives_per_query = {positives}
# Many processes run this; what embedding costs and re-makes is tested with the pairs.
sentence_match = "none"
[benchmarks.egobridge]
sources = ["house"]
[runs.random]
engine = "random"
protocol = "direct"
benchmarks = ["egobridge"]
limit = {limit}
auto = true
"""
Key = tuple[str, str, str]


@dataclass
class Outcome:
    """What a run told.

    Attributes:
        status: Exit code; negative where a signal ended it.
        told: What the run wrote down, empty if it was killed.
    """

    status: int
    told: dict[str, Any]

    def entered(self, function: str) -> set[str]:
        """Units that entered a pure function."""
        return set(self.told["entered"].get(function, ()))

    def computed(self, stage: str) -> set[str]:
        """Units a stage computed."""
        return set(self.told["reports"][stage]["computed"])

    @property
    def digests(self) -> dict[Key, str]:
        """Digest and row count by table, partition and unit."""
        return {(t, p, " ".join(u)): f"{d} {n}" for t, p, *u, d, n in self.told["digests"]}


class Server:
    """The project loaded once; every run is a process of its own."""

    def __init__(self, code: Path = REPOSITORY) -> None:
        env = {**os.environ, "PYTHONPATH": str(code), "PYTHONDONTWRITEBYTECODE": "1"}
        env.pop("PARALLAX_STORE", None)
        self._process = subprocess.Popen(
            [sys.executable, str(HERE / "driver.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=code,
            env=env,
        )
        assert self._line() == "ready"

    def start(self, home: Path, **command: Any) -> Running:
        """Start a run of the installation at `home`."""
        result = home / f"result-{time.monotonic_ns()}.json"
        pid = self._ask({"config": str(home / "parallax.toml"), "result": str(result), **command})
        return Running(self, pid, result)

    def run(self, home: Path, **command: Any) -> Outcome:
        """Run to the end."""
        return self.start(home, **command).wait()

    def succeed(self, home: Path, **command: Any) -> Outcome:
        """Run to the end, which must be a good one."""
        outcome = self.run(home, **command)
        assert outcome.status == 0, outcome.told.get("traceback", outcome.status)
        return outcome

    def reap(self, pid: int) -> int:
        """Wait for a run and give its exit code."""
        return self._ask({"reap": pid})

    def _ask(self, command: dict[str, Any]) -> int:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(command) + "\n")
        self._process.stdin.flush()
        return int(self._line())

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def close(self) -> None:
        """End the loaded process."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(30)
        self._process.stdout.close()


@dataclass
class Running:
    """A run under way."""

    server: Server
    pid: int
    result: Path

    def kill(self) -> None:
        """kill -9 of the run and all its children; one that has ended is left alone."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)

    def wait(self) -> Outcome:
        """Wait for its end."""
        status = self.server.reap(self.pid)
        if self.result.exists():
            return Outcome(status, json.loads(self.result.read_text()))
        log = self.result.with_name(self.result.name + ".log")
        # Killed, or stopped by its own watchdog, which writes where it was.
        return Outcome(status, {"traceback": log.read_text() if log.exists() else "no log"})


@dataclass
class Installation:
    """Raw files, configuration and store, with what a run on them told."""

    home: Path
    world: World
    outcome: Outcome = field(default_factory=lambda: Outcome(0, {}))

    @property
    def raw(self) -> Path:
        """Root of the source."""
        return self.home / "raw"

    def copy(self, to: Path) -> Installation:
        """A copy whose files can be replaced; the files themselves are shared until then."""
        shutil.copytree(
            self.home, to, copy_function=_link, ignore=shutil.ignore_patterns("result-*")
        )
        return Installation(to, self.world, self.outcome)


def _link(source: str, target: str) -> None:
    # Dagster's database, locks and the page are written in place, all else is replaced as a whole.
    if "/dagster/" in source or source.endswith((".lock", ".html")):
        shutil.copy2(source, target)
    else:
        os.link(source, target)


def own(path: Path) -> Path:
    """Make a shared file this installation's own, keeping its time."""
    content, stat = path.read_bytes(), path.stat()
    path.unlink()
    path.write_bytes(content)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    return path


def install(home: Path, spec: HouseholdSpec, limit: int, positives: int = 3) -> Installation:
    """Write a world and a configuration for it."""
    home.mkdir(parents=True, exist_ok=True)
    write_egoexolearn(spec, home / "raw")
    (home / "parallax.toml").write_text(CONFIG.format(limit=limit, positives=positives))
    return Installation(home, plan(spec))


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """The project as it is."""
    loaded = Server()
    yield loaded
    loaded.close()


@pytest.fixture
def served() -> Iterator[Callable[[Path], Server]]:
    """Loads the project from another folder."""
    loaded: list[Server] = []

    def load(code: Path) -> Server:
        loaded.append(Server(code))
        return loaded[-1]

    yield load
    for server in loaded:
        server.close()


@pytest.fixture(scope="session")
def many(tmp_path_factory: pytest.TempPathFactory, server: Server) -> Installation:
    """30 recordings, everything made once, through Dagster; few questions of each query."""
    spec = HouseholdSpec(ego=18, exo=12, render="small")
    home = tmp_path_factory.mktemp("many") / "home"
    made = install(home, spec, limit=200, positives=1)
    made.outcome = server.succeed(made.home, dagster=True)
    return made


@pytest.fixture(scope="session")
def few(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """4 recordings that give questions, nothing made yet."""
    spec = HouseholdSpec(ego=2, exo=2, render="small")
    return install(tmp_path_factory.mktemp("few") / "home", spec, limit=8)


@pytest.fixture(scope="session")
def ready(
    few: Installation, tmp_path_factory: pytest.TempPathFactory, server: Server
) -> Installation:
    """The few, brought up to date through Dagster."""
    made = few.copy(tmp_path_factory.mktemp("ready") / "home")
    made.outcome = server.succeed(made.home, dagster=True)
    return made


@pytest.fixture
def copy(tmp_path: Path) -> Callable[[Installation], Installation]:
    """Gives a copy of an installation to this test."""
    numbers = iter(range(1000))
    return lambda made: made.copy(tmp_path / f"home{next(numbers)}")

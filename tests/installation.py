"""A small installation on the sample world, driven by the real command."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from resources.worlds import HouseholdSpec, write_egoexolearn

BIN = Path(sys.executable).parent
CONFIG = """
store = "tables"
page = "page.html"
[sources.sample-egoexolearn]
layout = "egoexolearn"
root = "sample"
sentence_match = "none"
[benchmarks.egobridge]
sources = ["sample-egoexolearn", "not-configured"]
[runs.random]
engine = "random"
protocol = "direct"
limit = 20
auto = true
"""


def install(base: Path, spec: HouseholdSpec, config: str = CONFIG) -> Path:
    """Write configuration and sample world below a folder."""
    base.mkdir(parents=True, exist_ok=True)
    (base / "parallax.toml").write_text(config)
    write_egoexolearn(spec, base / "sample")
    return base


def own_copy(installation: Path, to: Path, runs: str = "") -> Path:
    """Copy an installation of `CONFIG`, to be changed, with further runs in its configuration."""
    shutil.copytree(installation, to)
    (to / "parallax.toml").write_text(CONFIG + runs)
    return to


def environment(base: Path) -> dict[str, str]:
    """Environment that makes the command work on an installation."""
    return {
        **os.environ,
        "PARALLAX_CONFIG": str(base / "parallax.toml"),
        "PARALLAX_DAGSTER_HOME": str(base / ".dagster"),
        "DAGSTER_HOME": str(base / ".dagster"),
        "DAGSTER_DISABLE_TELEMETRY": "1",
        # Each process that judges a suite imports Great Expectations, which costs seconds.
        "PARALLAX_SUITES": "no",
    }


def interruptible() -> None:
    """Let a child take Ctrl-C and SIGTERM, also where the tests themselves run without them.

    Tests may run in the background, and a library that an earlier test loaded may ignore SIGTERM; children
    inherit both. Dagster ends helpers by SIGTERM: they would outlive the command and hold its output open.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def parallax(base: Path, *words: str, ok: bool = True) -> subprocess.CompletedProcess[str]:
    """Run the `parallax` command and check how it ended."""
    done = subprocess.run(
        [str(BIN / "parallax"), *words],
        env=environment(base),
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=interruptible,
    )
    assert (done.returncode == 0) == ok, f"{words}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done

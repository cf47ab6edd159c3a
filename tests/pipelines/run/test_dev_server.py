"""`parallax dev`: one line when the page is usable, little else, and nothing left behind."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import urllib.request
from pathlib import Path

import pytest

from pipelines.run.dev_server import is_worth_reading
from pipelines.run.ui_program import answers
from tests.installation import BIN, CONFIG, environment, interruptible

TIME = "2026-01-01 12:00:00 +0000 - dagster.daemon"
LOADED = "{workspaceOrError{... on Workspace{locationEntries{locationOrLoadError{__typename}}}}}"


@pytest.mark.parametrize(
    "line",
    [
        f"{TIME}.SensorDaemon - INFO - Checking for new runs for sensor: changed_files",
        f"{TIME}.SensorDaemon - INFO - Sensor changed_files skipped: no file's content changed",
        f"{TIME}.AssetDaemon - INFO - Checking 30 assets/checks and 0 observable source assets for x",
        f"\x1b[34m{TIME}.AssetDaemon\x1b[0m - \x1b[34mINFO\x1b[0m - Prefetching asset records for 5",
    ],
)
def test_looks_that_found_nothing_are_not_printed(line: str) -> None:
    assert not is_worth_reading(line)


@pytest.mark.parametrize(
    "line",
    [
        f"{TIME}.SensorDaemon - INFO - Completed launch of run 1 for changed_files",
        f"{TIME}.SensorDaemon - ERROR - Sensor changed_files skipped: its root cannot be listed",
        f"{TIME}.SensorDaemon - WARNING - Checking for new runs took long",
        "    raise RootError(root)",
    ],
)
def test_what_was_started_and_what_went_wrong_is_printed(line: str) -> None:
    assert is_worth_reading(line)


def test_a_program_begins_when_what_it_needs_answers(tmp_path: Path) -> None:
    assert not answers(str(tmp_path / "socket"))
    (tmp_path / "socket").touch()
    assert answers(str(tmp_path / "socket"))
    assert not answers("http://127.0.0.1:9/server_info")


@pytest.mark.slow
def test_the_page_is_usable_when_it_is_announced_and_ctrl_c_ends_everything(
    tmp_path: Path,
) -> None:
    (tmp_path / "parallax.toml").write_text(CONFIG)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [BIN / "parallax", "dev", "--port", str(port)],
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        preexec_fn=interruptible,
    )
    assert server.stdout is not None
    try:
        told = [server.stdout.readline(), server.stdout.readline()]
        address = f"http://127.0.0.1:{port}"
        assert told[1] == f"Dagster UI: {address} (Ctrl-C ends it)\n"
        question = json.dumps({"query": LOADED}).encode()
        asked = urllib.request.Request(
            f"{address}/graphql", question, {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(asked, timeout=60) as reply:
            (entry,) = json.load(reply)["data"]["workspaceOrError"]["locationEntries"]
        assert entry["locationOrLoadError"]["__typename"] == "RepositoryLocation"
    finally:
        server.send_signal(signal.SIGINT)
        rest, _ = server.communicate(timeout=60)
    assert server.returncode == 0, rest
    assert "Traceback" not in rest
    assert processes_naming(str(port)) == []


def processes_naming(word: str) -> list[str]:
    """Command lines of processes with a word among their arguments."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_text().split("\0")
        except OSError:
            continue
        if word in words:
            found.append(" ".join(words))
    return found

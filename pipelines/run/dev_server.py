"""The Dagster UI with its daemon and code server, started so that the page is usable soon.

`dagster dev` starts its programs one after the other, and the daemon's first look competes with the page.
Here the code server and the web server are loaded side by side, and the daemon begins when the page answers.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO

from pipelines.run.processes import process_name
from pipelines.run.ui_program import answers

MODULE = "pipelines.definitions"
_HOST = "127.0.0.1"
_LOOK_EVERY_S = 0.1
_END_WITHIN_S = 15.0
_CHATTER = re.compile(
    r" - (?:DEBUG|INFO) - .*(?:"
    r"Checking for new runs|skipped: |assets/checks and \d+ observable|refetching asset records"
    r"|Instance is configured with|Tick produced 0 runs|Not checking |resulted in 0 run"
    r"|No changes requested|Received interrupt)"
)
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def serve(home: Path, port: int, say: Callable[[str], None]) -> int:
    """Run the UI until somebody ends it, or one of its programs ends.

    Args:
        home: Dagster's home.
        port: Port of the web server.
        say: Prints a line to the terminal.

    Returns:
        0 where somebody ended it; else the exit code of the program that ended.
    """
    address = f"http://{_HOST}:{port}"
    with tempfile.TemporaryDirectory(prefix="parallax-ui-") as folder:
        socket, workspace = Path(folder, "code"), Path(folder, "workspace.yaml")
        workspace.write_text(
            f"load_from:\n  - grpc_server:\n      socket: {socket}\n      location_name: {MODULE}\n"
        )
        shown = ("--log-level", "info", "-w", str(workspace))
        code = ("code-server", "start", "-m", MODULE, "--socket", str(socket))
        place = ("-h", _HOST, "-p", str(port), "--dagster-log-level", "warning")
        programs = [
            _start(home, "", "dagster._cli:main", *code, "--log-level", "warning"),
            _start(home, str(socket), "dagster_webserver.cli:main", *place, "-w", str(workspace)),
            _start(home, f"{address}/server_info", "dagster._daemon.cli:main", "run", *shown),
        ]
        ending = threading.Event()
        threads = [
            threading.Thread(target=_pass_on, args=(program.stdout, say, ending), daemon=True)
            for program in programs
        ]
        threads.append(threading.Thread(target=_announce, args=(address, say), daemon=True))
        for thread in threads:
            thread.start()
        try:
            return _first_end(programs)
        except KeyboardInterrupt:
            ending.set()
            return 0
        finally:
            _end(programs)


def is_worth_reading(line: str) -> bool:
    """Whether a line of a program's log says more than that it looked and found nothing to do."""
    return not _CHATTER.search(_COLOUR.sub("", line))


def _start(home: Path, needed: str, program: str, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "pipelines.run.ui_program", process_name(os.getpid())]
    return subprocess.Popen(
        [*command, needed, program, *arguments],
        cwd=home,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        # Ctrl-C goes to this process alone, which ends the others in order.
        start_new_session=True,
    )


def _pass_on(output: IO[str] | None, say: Callable[[str], None], ending: threading.Event) -> None:
    for line in output or ():
        # Programs that are ended complain that they miss each other.
        if is_worth_reading(line) and not ending.is_set():
            say(line.rstrip("\n"))


def _announce(address: str, say: Callable[[str], None]) -> None:
    while not answers(f"{address}/server_info"):
        time.sleep(_LOOK_EVERY_S)
    say(f"Dagster UI: {address} (Ctrl-C ends it)")


def _first_end(programs: list[subprocess.Popen[str]]) -> int:
    """Exit code of the program that ends first; without the others it is of no use."""
    while True:
        for program in programs:
            code = program.poll()
            if code is not None:
                return code or 1
        time.sleep(_LOOK_EVERY_S)


def _end(programs: list[subprocess.Popen[str]]) -> None:
    """End programs, the last started first; one that does not end in time is killed."""
    until = time.monotonic() + _END_WITHIN_S
    for program in reversed(programs):
        program.terminate()
        try:
            program.wait(max(1.0, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            program.kill()
            program.wait()

"""METEOR 1.5 of captions, by its own Java program: the one caption metric that is not Python here.

The program comes with the package `pycocoevalcap` (extra `captions`), Java from the system. It is
spoken to over its standard input and output, in one process per call, under a fixed locale.
"""

from __future__ import annotations

import importlib.util
import math
import os
import queue
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from expectations.schemas.metrics import Mode, check_corpus
from resources.errors import ExpectedError

JAR = "meteor-1.5.jar"
MEMORY = "-Xmx2G"
# Loading its tables takes ten CPU-seconds (a minute on a busy machine); an answer, milliseconds.
TIMEOUT_S = 300.0
_BAR = " ||| "
# Numbers with points and text in UTF-8, wherever it runs.
_LOCALE = ("-Duser.language=en", "-Duser.country=US", "-Dfile.encoding=UTF-8")


class MeteorUnavailable(ExpectedError, RuntimeError):
    """Java or the METEOR program is not installed."""


class MeteorFailed(ExpectedError, RuntimeError):
    """The METEOR program died, hangs, or answers something that is not a number."""


@dataclass(frozen=True, slots=True)
class Meteor:
    """METEOR in [0, 1].

    Attributes:
        corpus: From statistics summed over all captions, which is not the mean of the items; None
            without a caption.
        items: Per caption.
    """

    corpus: float | None
    items: tuple[float, ...]


def meteor_command(java: str = "java") -> list[str]:
    """Command line of the program.

    Raises:
        MeteorUnavailable: Java or the program is absent; the message says what to install.
    """
    found = shutil.which(java)
    if found is None:
        raise MeteorUnavailable(
            "METEOR needs Java: install a Java runtime (Debian: openjdk-17-jre-headless)"
        )
    package = importlib.util.find_spec("pycocoevalcap")
    folders = package.submodule_search_locations if package is not None else None
    jar = Path(next(iter(folders or ()), "")) / "meteor" / JAR
    if not jar.is_file():
        raise MeteorUnavailable('METEOR needs its program: pip install "parallax[captions]"')
    return [found, *_LOCALE, MEMORY, "-jar", str(jar), "-", "-", "-stdio", "-l", "en", "-norm"]


def meteor(
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    mode: Mode = "paper",
    timeout_s: float = TIMEOUT_S,
    command: Sequence[str] | None = None,
) -> Meteor:
    """METEOR of captions against their references.

    Both readings are one: there is no other definition of METEOR 1.5 than its program (Denkowski and
    Lavie 2014; EgoBridge Tab. 11).

    Args:
        hypotheses: As `check_corpus` asks.
        references: Likewise.
        mode: Reading.
        timeout_s: Longest wait for any one answer.
        command: Command line, for a Java elsewhere; None: `meteor_command()`.

    Raises:
        ValueError: Not as many lists of references as captions.
        UndefinedMetric: An item without a reference.
        MeteorUnavailable: Java or the program is absent.
        MeteorFailed: The program died, hangs, or does not answer in numbers.
    """
    check_corpus(hypotheses, references, mode)
    started = list(command) if command is not None else meteor_command()
    if not len(hypotheses):
        return Meteor(None, ())
    asked = [
        _BAR.join(("SCORE", *map(_clean, given), _clean(caption)))
        for caption, given in zip(hypotheses, references, strict=True)
    ]
    with _running(started, timeout_s) as talk:
        statistics = list(talk(asked, len(asked)))
        values = [
            _number(line) for line in talk(["EVAL" + _BAR + _BAR.join(statistics)], len(asked) + 1)
        ]
    return Meteor(values[-1], tuple(values[:-1]))


def _clean(text: str) -> str:
    # What parts the program's fields is taken out of a text, as the COCO tools do.
    return " ".join(text.replace("|||", "").split())


def _number(line: str) -> float:
    try:
        value = float(line)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise MeteorFailed(f"METEOR answered {line[:100]!r}, which is not a number")
    return value


class _Talk:
    """Lines sent and answers taken, with a bound on the wait for each."""

    def __init__(self, process: subprocess.Popen[str], errors: IO[bytes], timeout_s: float) -> None:
        self._process, self._errors, self._timeout_s = process, errors, timeout_s
        self._answers: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def __call__(self, lines: list[str], answers: int) -> Iterator[str]:
        # Written beside the reading: both pipes are finite, and each side would wait for the other.
        threading.Thread(target=self._write, args=(lines,), daemon=True).start()
        for _ in range(answers):
            yield self._answer()

    def _write(self, lines: list[str]) -> None:
        assert self._process.stdin is not None
        try:
            for line in lines:
                self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
        except (OSError, ValueError):
            # The program is gone: whoever waits for its answer gets an error.
            self._answers.put(None)

    def _read(self) -> None:
        assert self._process.stdout is not None
        try:
            for line in self._process.stdout:
                self._answers.put(line.strip())
        except (OSError, ValueError):
            pass
        self._answers.put(None)

    def _answer(self) -> str:
        try:
            line = self._answers.get(timeout=self._timeout_s)
        except queue.Empty:
            raise MeteorFailed(f"METEOR did not answer within {self._timeout_s:g} s") from None
        if line is None:
            self._errors.seek(0)
            said = self._errors.read().decode(errors="replace").strip()[-500:]
            raise MeteorFailed(f"METEOR ended before it answered: {said or 'it said nothing'}")
        return line


@contextmanager
def _running(command: list[str], timeout_s: float) -> Iterator[_Talk]:
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            encoding="utf-8",
            env=os.environ | {"LC_ALL": "C.UTF-8"},
        )
        try:
            yield _Talk(process, errors, timeout_s)
        finally:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    try:
                        pipe.close()
                    except OSError:
                        continue

"""METEOR through Java: equal to the recorded values, and loud when it hangs, dies or babbles."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import pytest

from assets.scores.metrics import UndefinedMetric
from resources import meteor as module
from resources.meteor import MeteorFailed, MeteorUnavailable, meteor, meteor_command
from tests.conftest import missing

ECHO = "import sys\nfor line in sys.stdin:\n    print({answer}, flush=True)\n"


@pytest.fixture(scope="module")
def command() -> list[str]:
    try:
        return meteor_command()
    except MeteorUnavailable as error:
        missing("METEOR", str(error))
        raise


def test_recorded_values(shared: Path, command: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    # A country that writes 0,5.
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    lines = (shared / "oracles/caption/cases.jsonl").read_text(encoding="utf-8").splitlines()
    cases = [json.loads(line) for line in lines[:: len(lines) // 60]]
    captions = [case["hyp_tok"][0] for case in cases]
    captions += ["", "a ||| b"]
    references = [case["refs_tok"] for case in cases] + [["a b"], ["a b"]]
    found = meteor(captions, references, command=command)
    wanted = [case["out"]["METEOR"] for case in cases]
    assert found.items[: len(wanted)] == pytest.approx(wanted, abs=1e-9)
    assert found.items[-2:] == (0.0, 1.0)


def stub(answer: str) -> list[str]:
    return [sys.executable, "-c", ECHO.format(answer=answer)]


def test_answers_come_in_order() -> None:
    # Statistics are lines, an evaluation is as many numbers and one more.
    code = (
        "import sys\n"
        "for line in sys.stdin:\n"
        "    parts = line.strip().split(' ||| ')\n"
        "    if parts[0] == 'SCORE': print(len(parts[-1].split()))\n"
        "    else:\n"
        "        for part in [*parts[1:], '0.5']: print(part)\n"
        "    sys.stdout.flush()\n"
    )
    captions = ["a b c", "a", "x y"] * 2000
    found = meteor(captions, [["r"]] * len(captions), command=[sys.executable, "-c", code])
    assert found.items == (3.0, 1.0, 2.0) * 2000 and found.corpus == 0.5


def test_a_program_that_hangs() -> None:
    began = time.monotonic()
    with pytest.raises(MeteorFailed, match="did not answer within"):
        meteor(
            ["a"],
            [["b"]],
            timeout_s=0.3,
            command=[sys.executable, "-c", "import time; time.sleep(60)"],
        )
    assert time.monotonic() - began < 20


@pytest.mark.parametrize("answer", ["'0,5'", "'nan'", "'Error: x'"])
def test_a_program_that_babbles(answer: str) -> None:
    with pytest.raises(MeteorFailed, match="not a number"):
        meteor(["a"], [["b"]], timeout_s=30, command=stub(answer))


def test_a_program_that_dies() -> None:
    code = "import sys; sys.stderr.write('out of memory'); sys.exit(1)"
    with pytest.raises(MeteorFailed, match="out of memory"):
        meteor(["a"] * 3, [["b"]] * 3, command=[sys.executable, "-c", code])


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MeteorUnavailable, match="install a Java runtime"):
        meteor_command("no-such-java")
    monkeypatch.setattr(module.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MeteorUnavailable, match="captions"):
        meteor_command(sys.executable)


def test_nothing_is_asked_of_nothing() -> None:
    assert meteor([], [], command=["no-such-program"]).corpus is None
    with pytest.raises(UndefinedMetric):
        meteor(["a"], [[]], command=["no-such-program"])

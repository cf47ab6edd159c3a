"""Names that the shell completes, and how the report is opened."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pipelines.cli import app, names

CONFIG = """
store = "tables"
page = "page.html"
[sources.kitchen]
layout = "videos"
root = "a"
[sources.garden]
layout = "videos"
root = "b"
[benchmarks.egobridge]
sources = ["kitchen"]
[benchmarks.egoprox]
sources = ["garden"]
[runs.random]
engine = "random"
protocol = "direct"
[runs.words]
engine = "shared_words"
protocol = "option_text"
benchmarks = ["egoprox"]
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "parallax.toml").write_text(CONFIG)
    monkeypatch.setenv("PARALLAX_CONFIG", str(tmp_path / "parallax.toml"))
    monkeypatch.delenv("PARALLAX_STORE", raising=False)
    return tmp_path


def completed(words: str) -> list[str]:
    """What bash is offered behind the words."""
    typed = f"parallax {words}"
    environment = {
        "_PARALLAX_COMPLETE": "complete_bash",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(typed.split(" ")) - 1),
    }
    return CliRunner().invoke(app, prog_name="parallax", env=environment).stdout.split()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("run --source ", ["garden", "kitchen"]),
        ("run --source k", ["kitchen"]),
        ("run --benchmark ego", ["egobridge", "egoprox"]),
        ("run --run w", ["words"]),
        ("check --of egoprox", ["egoprox", "egoprox.random", "egoprox.words"]),
        ("check --name su", ["suite"]),
        ("plan --benchmark egob", ["egobridge"]),
        ("plan --layout egoexol", ["egoexolearn"]),
        ("sample --layout egoexol", ["egoexolearn"]),
        ("why egob", ["egobridge.random"]),
        ("digest --by p", ["partition"]),
        ("sets g", ["garden"]),
        ("score-sets g", ["garden"]),
        ("association g", ["garden"]),
        ("review queue g", ["garden"]),
        ("review status --source g", ["garden"]),
        ("doc", ["doctor"]),
    ],
)
def test_names_are_completed(words, offered, home) -> None:
    assert completed(words) == offered


@pytest.mark.parametrize("text", ["sources = ", 'sources = "x"', None])
def test_a_broken_configuration_completes_nothing_and_says_nothing(text, home) -> None:
    (home / "parallax.toml").unlink()
    if text is not None:
        (home / "parallax.toml").write_text(text)
    assert completed("run --source ") == []


@pytest.mark.parametrize("value", ["5", "true", '"egoprox"'])
def test_a_run_with_a_wrong_value_completes_no_evaluation(value, home) -> None:
    (home / "parallax.toml").write_text(
        f"[benchmarks.egoprox]\n[runs.words]\nbenchmarks = {value}\n"
    )
    assert names.evaluations("") == []


def test_completion_imports_nothing_heavy(home) -> None:
    code = (
        "import sys\n"
        "from pipelines.cli import app, names\n"
        "assert names.sources('') == ['garden', 'kitchen']\n"
        "heavy = {'polars', 'dagster', 'numpy', 'pyarrow', 'torch'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_completed_layouts_and_checks_are_those_there_are() -> None:
    from assets.sources.registry import layouts
    from pipelines.checks import QUALITY

    assert names.layouts("") == sorted(layouts())
    assert list(names.CHECKS) == sorted({quality.name for quality in QUALITY})


def test_the_report_is_opened_and_its_place_printed(home, monkeypatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda address: opened.append(address) or True)
    (home / "page.html").write_text("<html>")
    result = CliRunner().invoke(app, ["open"])
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines() == [str(home / "page.html")]
    assert opened == [(home / "page.html").as_uri()]
    assert CliRunner().invoke(app, ["open", "--no-browser"]).exit_code == 0
    assert len(opened) == 1


def test_without_a_browser_the_person_is_told_to_open_the_file(home, monkeypatch) -> None:
    monkeypatch.setattr("webbrowser.open", lambda _address: False)
    (home / "page.html").write_text("<html>")
    result = CliRunner().invoke(app, ["open"])
    assert result.exit_code == 0
    assert "open that file" in result.stdout


def test_without_a_report_the_way_to_one_is_said(home) -> None:
    result = CliRunner().invoke(app, ["open"])
    assert result.exit_code == 1
    (line,) = result.stderr.splitlines()
    assert "there is no report at" in line and "`parallax run` writes it" in line

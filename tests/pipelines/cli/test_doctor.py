"""`parallax doctor`: each thing an installation needs, in order, missing and broken."""

from __future__ import annotations

import shutil
from collections import namedtuple
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from pipelines.cli import app
from pipelines.cli.diagnosis import first_look
from resources.config import load_settings

CONFIG = """
store = "tables"
page = "page.html"
[sources.clips]
layout = "videos"
root = "raw"
sentence_match = "none"
[benchmarks.egobridge]
sources = ["clips"]
[runs.random]
engine = "random"
protocol = "own"
"""
Usage = namedtuple("Usage", "total used free")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw" / "a.mp4").write_bytes(b"x")
    (tmp_path / "parallax.toml").write_text(CONFIG)
    monkeypatch.setenv("PARALLAX_CONFIG", str(tmp_path / "parallax.toml"))
    monkeypatch.setenv("PARALLAX_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path / ".dagster"))
    for name in ("PARALLAX_DAGSTER_HOME", "PARALLAX_STORE"):
        monkeypatch.delenv(name, raising=False)
    plenty = Usage(10**12, 0, 10**12)
    monkeypatch.setattr(shutil, "disk_usage", lambda _place: plenty)
    return tmp_path


def doctor() -> Result:
    return CliRunner().invoke(app, ["doctor"])


def problems(result: Result, level: str = "problem") -> list[str]:
    return [
        line.split(maxsplit=1)[1] for line in result.stdout.splitlines() if line.startswith(level)
    ]


def change(home: Path, before: str, after: str) -> None:
    text = (home / "parallax.toml").read_text()
    assert before in text
    (home / "parallax.toml").write_text(text.replace(before, after))


def test_an_installation_in_order_has_no_problem_and_nothing_is_written(home) -> None:
    before = sorted(home.rglob("*"))
    result = doctor()
    assert result.exit_code == 0, result.output
    assert not problems(result)
    for subject in ("configuration", "store", "Dagster's home", "source clips", "run random"):
        assert f"ok       {subject}: " in result.stdout
    assert result.stdout.splitlines()[-1].startswith("0 problems, ")
    assert sorted(home.rglob("*")) == before


@pytest.mark.parametrize(
    ("before", "after", "part"),
    [
        ('root = "raw"', 'root = "nowhere"', "is not a folder: mount it, or correct the source"),
        ('root = "raw"', 'root = "raw.zip"', "is neither a folder nor an archive"),
        ('layout = "videos"', 'layout = "video"', "did you mean `videos`?"),
        ('"own"', '"drect"', "drect"),
        ("[benchmarks.egobridge]", "[benchmarks.egobrigde]", "did you mean `egobridge`?"),
        ('engine = "random"', 'engine = "randm"', "engine 'randm' is not one of"),
        ('store = "tables"', 'store = "parallax.toml/tables"', "cannot be used (Not a directory)"),
    ],
)
def test_what_is_wrong_is_a_line_with_the_remedy(before, after, part, home) -> None:
    change(home, before, after)
    result = doctor()
    assert result.exit_code == 1
    said = "\n".join([*problems(result), result.stderr])
    assert part in said
    assert "Traceback" not in result.output


def test_an_empty_root_is_a_problem(home) -> None:
    (home / "raw" / "a.mp4").unlink()
    (line,) = problems(doctor())
    assert line.startswith("source clips: root ")
    assert "holds no file" in line


def test_a_benchmark_without_a_source_is_a_warning(home) -> None:
    change(home, 'sources = ["clips"]', 'sources = ["nope"]')
    result = doctor()
    assert result.exit_code == 0
    assert "none of its sources is configured (nope)" in "\n".join(problems(result, "warning"))


@pytest.mark.parametrize(
    ("free", "level"), [(10**8, "problem"), (10**9, "warning"), (10**10, "ok")]
)
def test_free_space_is_looked_at(free, level, home, monkeypatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _place: Usage(10**12, 0, free))
    assert any("disk of store" in line for line in problems(doctor(), level))


def test_a_missing_java_costs_captions_one_metric(home, monkeypatch) -> None:
    monkeypatch.setattr("resources.meteor.shutil.which", lambda _name: None)
    result = doctor()
    assert result.exit_code == 0
    assert "install a Java runtime" in "\n".join(problems(result, "warning"))


def test_missing_packages_are_named(home, monkeypatch) -> None:
    from resources.models import embedder

    change(home, 'sentence_match = "none"\n', "")
    monkeypatch.setattr(embedder, "_PACKAGE", "no_such_package")
    result = doctor()
    assert result.exit_code == 1
    (line,) = problems(result)
    assert "install the extra `sentences`" in line
    assert "or set sentence_match of clips" in line


def test_the_first_look_of_a_run_is_at_what_it_reads_and_only_at_what_is_wrong(home) -> None:
    assert list(first_look(load_settings(), {"clips", "egobridge", "egobridge.random"})) == []
    change(home, 'engine = "random"', 'engine = "randm"')
    change(home, 'root = "raw"', 'root = "nowhere"')
    settings = load_settings()
    subjects = [f.subject for f in first_look(settings, {"clips", "egobridge.random"})]
    assert subjects == ["source clips", "run random"]
    assert [f.subject for f in first_look(settings, {"clips"})] == ["source clips"]


def test_the_first_look_of_a_run_is_at_its_judges_too(home) -> None:
    judge = '[judges.strict]\nengine = "openai_server"\nmodel = "m"\nbase_url = "http://127.0.0.1:9/v1"\n'
    with (home / "parallax.toml").open("a") as file:
        file.write(judge)
    assert list(first_look(load_settings(), {"egobridge.random"})) == []
    change(home, 'sources = ["clips"]', 'sources = ["clips"]\njudges = ["strict"]')
    settings = load_settings()
    assert [f.subject for f in first_look(settings, {"egobridge.random"})] == ["judge strict"]
    assert list(first_look(settings, {"clips"})) == []

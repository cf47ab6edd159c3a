"""A benchmark from outside the repository: the files of `docs/questions.md`, written out and run."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest

from assets.options import Options, silent
from assets.predictions.stage import STAGE as PREDICTIONS
from assets.protocols.declared import default_protocols
from assets.questions.gating import configured_derivations, verdicts
from assets.questions.kit.builder import builders
from assets.scores.stage import STAGE as SCORES
from assets.sources.registry import UnknownLayout, layouts
from assets.sources.stage import STAGE as SOURCES
from expectations.gates import EvidenceTables, judge, published
from expectations.schemas import TABLES
from resources.config import ConfigError, Settings, load_settings
from tests.stages import refresh_questions

DOCS = Path(__file__).parents[3] / "docs"
BLOCK = re.compile(r"^```\w+ (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def write_files(page: str, folder: Path) -> list[str]:
    """Write the files that a page shows; returns their paths."""
    paths = []
    for path, text in BLOCK.findall((DOCS / page).read_text(encoding="utf-8")):
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        paths.append(path)
    return paths


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """The pages' files, with every stage up to the scores."""
    home = tmp_path_factory.mktemp("page")
    paths = write_files("questions.md", home)
    assert len(paths) == 8 and "plugins/firsts/first_object.py" in paths
    assert write_files("own-recordings.md", home / "mine")
    settings = load_settings(home / "parallax.toml")
    SOURCES.refresh(settings, "mine", Options(), silent)
    refresh_questions(settings, "firsts", Options(), silent)
    PREDICTIONS.refresh(settings, "firsts.random", Options(), silent)
    SCORES.refresh(settings, "firsts.random", Options(), silent)
    return settings


def test_the_pages_question_is_published(settings: Settings) -> None:
    questions = settings.store.read(TABLES["questions"], "firsts")
    judged = verdicts(settings, "firsts")
    (row,) = published(questions, judged).to_dicts()
    assert row["text"].startswith("Which of these does the camera wearer act on first: cup, ")
    assert row["answer_text"] == "drawer"
    assert {o["text"] for o in row["options"]} == {"drawer", "cup", "spoon", "sugar"}
    by_gate = {v["gate"]: v["verdict"] for v in judged.iter_rows(named=True)}
    for gate in ("answer", "consistent", "distractors", "leak", "margin", "well_formed"):
        assert by_gate[gate] == "pass", judged.filter(pl.col("gate") == gate)["message"].to_list()


def test_the_pages_question_is_asked_under_its_protocol_and_scored(settings: Settings) -> None:
    (call,) = settings.store.read(TABLES["calls"]).to_dicts()
    assert call["protocol"] == "firsts_words/1"
    assert call["prompt"].endswith("Reply with one letter.")
    scores = settings.store.read(TABLES["scores"])
    row = scores.filter(pl.col("slice") == "first_object").row(0, named=True)
    assert (row["n"], row["chance"]) == (1, 0.25)


def test_a_wrong_key_is_refused_by_the_pages_derivation(settings: Settings) -> None:
    questions = settings.store.read(TABLES["questions"], "firsts")
    wrong = next(o["letter"] for o in questions["options"][0] if not o["is_answer"])
    tables = {
        name: settings.store.read(TABLES[name], "mine")
        for name in ("recordings", "segments", "relations")
    }
    given = EvidenceTables(tables, derivations=configured_derivations(settings))
    judged = judge(questions.with_columns(answer=pl.lit(wrong)), given)
    assert judged.filter(pl.col("gate") == "answer")["verdict"].to_list() == ["refuse"]


def test_a_plug_in_is_known_only_where_it_is_configured(settings: Settings) -> None:
    ours = {builder.benchmark for builder in builders().values()}
    theirs = {b.benchmark for b in builders(settings.plugins, settings.home).values()}
    assert theirs - ours == {"firsts"}
    assert "firsts_words" in default_protocols(settings.benchmark_folders)
    assert layouts(settings.plugins, settings.home).keys() == layouts().keys()


@pytest.mark.parametrize(
    ("name", "files", "message"),
    [
        ("empty", {}, "plug-in .*/empty is neither a Python file nor a folder with an __init__.py"),
        ("gone.py", None, "gone.py is neither a Python file"),
        ("no_such_module_here", None, "cannot be imported"),
    ],
)
def test_a_plug_in_that_cannot_be_loaded_is_a_configuration_error(
    name: str, files: dict[str, str] | None, message: str, tmp_path: Path
) -> None:
    if files is not None:
        (tmp_path / name).mkdir()
    (tmp_path / "parallax.toml").write_text(f'store = "tables"\nplugins = ["{name}"]\n')
    with pytest.raises(ConfigError, match=message):
        load_settings(tmp_path / "parallax.toml")


def test_a_folder_without_a_benchmark_must_declare_a_layout(tmp_path: Path) -> None:
    (tmp_path / "bare").mkdir()
    (tmp_path / "bare" / "__init__.py").write_text("")
    with pytest.raises(UnknownLayout, match="plug-in bare declares no LAYOUT"):
        layouts(("bare",), tmp_path)

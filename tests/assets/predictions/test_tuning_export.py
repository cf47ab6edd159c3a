"""Tuning sets share no take with the test set, and show what a run sends."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from PIL import Image

from assets.predictions.stage import asked_questions
from expectations.schemas import TABLES
from pipelines.cli.question_export import NothingToExport
from pipelines.cli.tuning_export import SharedRecordings, export_tuning_sets
from resources.config import Settings, load_settings
from tests.installation import own_copy

ASKED = "association_exo2ego_k5"


def run(name: str, splits: str) -> str:
    return (
        f'[runs.{name}]\nengine = "openai_server"\nbase_url = "http://127.0.0.1:9"\nmodel = "nobody"\n'
        f'protocol = "egoexobench_direct"\nsubtasks = ["{ASKED}"]\n{splits}\n'
    )


RUNS = "\n" + "".join(
    [
        run("every", ""),
        run("val", 'splits = ["val"]'),
        run("test", 'splits = ["test"]'),
        run("none", 'splits = ["train"]'),
    ]
)


@pytest.fixture(scope="module")
def settings(small_household: Path, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    base = own_copy(small_household, tmp_path_factory.mktemp("tuning") / "own", RUNS)
    loaded = load_settings(base / "parallax.toml")
    # All questions of this small world are of the split `test`: those that show the recording asked about most move to `val`.
    table = TABLES["questions"]
    questions = loaded.store.read(table, "egobridge")
    shown = pl.col("media").list.eval(pl.element().struct.field("recording_id"))
    asked = questions.filter(pl.col("subtask") == ASKED)["recording_id"]
    one = asked.value_counts().sort("count", "recording_id")["recording_id"].last()
    moved = pl.when(shown.list.contains(one)).then(pl.lit("val")).otherwise(pl.lit("test"))
    rows = questions.with_columns(split=moved)
    loaded.store.replace(table, "egobridge", questions[table.unit].unique(), rows)
    return loaded


def export(
    settings: Settings, name: str, apart_from: str, out: Path, most: int = 2
) -> dict[str, int]:
    return export_tuning_sets(
        settings, name, apart_from, "egobridge", out, by="source", most=most, reasons=False
    )


def test_a_run_asks_the_splits_it_names(settings: Settings) -> None:
    asked = {
        name: set(asked_questions(settings, "egobridge", settings.runs[name]).asked["question_id"])
        for name in ("every", "val", "test", "none")
    }
    split = dict(
        settings.store.read(TABLES["questions"], "egobridge")
        .select("question_id", "split")
        .iter_rows()
    )
    assert asked["val"] and asked["test"] and not asked["none"]
    assert asked["every"] == asked["val"] | asked["test"]
    assert {split[question] for question in asked["val"]} == {"val"}


def test_the_sets_hold_what_the_run_sends_and_what_is_right(
    settings: Settings, tmp_path: Path
) -> None:
    assert export(settings, "val", "test", tmp_path) == {"egobridge_sample-egoexolearn": 2}
    chats = json.loads((tmp_path / "egobridge_sample-egoexolearn.json").read_text())
    answers = dict(
        settings.store.read(TABLES["questions"], "egobridge")
        .select("question_id", "answer")
        .iter_rows()
    )
    for chat in chats:
        assert chat["messages"][-1]["content"] == f"<{answers[chat['question_id']]}>"
        for path in chat["videos"][0]:
            with Image.open(tmp_path / path) as picture:
                assert picture.size[0] > 0
    shown = {path.parts[1] for path in map(Path, chats[0]["videos"][0])}
    assert shown == {chats[0]["question_id"]}
    assert len(list((tmp_path / "media").iterdir())) == 2, "no frames of questions left out"


def test_sets_that_share_a_take_with_the_test_set_are_refused(
    settings: Settings, tmp_path: Path
) -> None:
    takes = dict(
        settings.store.read(TABLES["recordings"], "sample-egoexolearn")
        .select("recording_id", "take_id")
        .iter_rows()
    )
    with pytest.raises(SharedRecordings, match="runs 'val' and 'every' both ask about ") as error:
        export(settings, "val", "every", tmp_path / "out")
    named = str(error.value).split("both ask about ")[1].split(";")[0].split(", ")
    assert set(named) <= {f"sample-egoexolearn/{take or uid}" for uid, take in takes.items()}
    assert not (tmp_path / "out").exists()


def test_no_model_is_tuned_on_a_test_split(settings: Settings, tmp_path: Path) -> None:
    n = asked_questions(settings, "egobridge", settings.runs["test"]).asked.height
    with pytest.raises(SharedRecordings, match=f"asks about {n} questions of the split `test`"):
        export(settings, "test", "val", tmp_path / "out")


@pytest.mark.parametrize(
    ("name", "apart_from", "said"),
    [
        ("none", "val", "run 'none' asks no question of egobridge of split train"),
        ("val", "none", "run 'none' asks no question of egobridge of split train"),
    ],
)
def test_without_questions_nothing_is_written(
    settings: Settings, tmp_path: Path, name: str, apart_from: str, said: str
) -> None:
    with pytest.raises(NothingToExport, match=said):
        export(settings, name, apart_from, tmp_path / "out")
    assert not (tmp_path / "out").exists()

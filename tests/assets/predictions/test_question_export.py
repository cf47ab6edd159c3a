"""Questions in the form of EgoExoBench's release, with the frames that a run sends."""

from __future__ import annotations

import ast
import csv
import io
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import pytest
from PIL import Image

from assets.options import Options, silent
from assets.predictions import stage
from assets.predictions.stage import Evaluation, prompts_of
from assets.questions.egoexobench.released_form import (
    RUNNER,
    TABLE,
    WrittenMedium,
    question_table,
    runner,
)
from assets.sources import egoexobench
from expectations.schemas import TABLES
from pipelines.cli.question_export import NothingToExport, export_questions, export_samples
from resources.config import Settings, load_settings
from tests.assets.sources.reading_parts import parts_of, sound
from tests.installation import own_copy

RUNS = """
[runs.few]
engine = "openai_server"
base_url = "http://127.0.0.1:9"
model = "nobody"
protocol = "egoexobench_direct"
limit = 3
"""


@pytest.fixture
def settings(small_household: Path, tmp_path: Path) -> Settings:
    return load_settings(own_copy(small_household, tmp_path / "own", RUNS) / "parallax.toml")


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline=""), delimiter="\t"))


def test_what_is_written_is_what_the_run_sends_and_is_read_back(
    settings: Settings, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    assert export_questions(settings, "few", "egobridge", out) == (3, 3)
    text = (out / TABLE).read_text(encoding="utf-8")
    rows = rows_of(text)
    assert (out / RUNNER).read_text(encoding="utf-8") == runner()
    # The official scorer takes the number for the place.
    assert [row["index"] for row in rows] == ["0", "1", "2"]

    evaluation = Evaluation(settings, "egobridge.few")
    questions = evaluation.questions(Options())
    prompts = {prompt.item: prompt for prompt in prompts_of(evaluation, questions)}
    asked = {row["question_id"]: row for row in questions.iter_rows(named=True)}
    assert asked.keys() == {row["question_id"] for row in rows}
    for row in rows:
        media = ast.literal_eval(row["medias"])
        clips = prompts[row["question_id"]].clips
        assert [len(medium["image_paths"]) for medium in media] == [len(c.frames) for c in clips]
        marks = (row["question"] + row["options"]).count("<video>")
        assert marks == len(media) == 1 + len(asked[row["question_id"]]["options"])
        for medium in media:
            for path in medium["image_paths"]:
                with Image.open(out / path) as picture:
                    assert picture.size[0] > 0
        # The narration of an option that is a clip stays untold.
        told = {option["text"] for option in asked[row["question_id"]]["options"]}
        assert not [text for text in told if text and text in row["options"]]

    here = [str(path.relative_to(out)) for path in out.rglob("*.jpg")]
    read = parts_of(egoexobench.LAYOUT, {TABLE: text.encode()}, here)
    back = read["questions"].tables["imported_questions"]
    assert not read["questions"].refused
    assert back["answer"].to_list() == [[ascii_uppercase.index(row["answer"])] for row in rows]
    assert [len(m) for m in back["media"]] == [len(prompts[r["question_id"]].clips) for r in rows]
    sound({"questions": read["questions"]})


def test_what_the_toolkit_replies_is_read_and_scored(small_household: Path, tmp_path: Path) -> None:
    run = """
[runs.toolkit]
engine = "predictions"
protocol = "egoexobench_direct"
replies = "vlm.tsv"
limit = 3
"""
    base = own_copy(small_household, tmp_path / "own", RUNS + run)
    settings = load_settings(base / "parallax.toml")
    export_questions(settings, "few", "egobridge", tmp_path / "out")
    rows = rows_of((tmp_path / "out" / TABLE).read_text(encoding="utf-8"))
    said = ["The answer is B.", "Failed to obtain answer via API.", "(C)"]
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, [*rows[0], "prediction"], delimiter="\t")
    writer.writeheader()
    writer.writerows({**r, "prediction": p} for r, p in zip(rows, said, strict=True))
    (base / "vlm.tsv").write_text(text.getvalue(), encoding="utf-8")
    stage.STAGE.refresh(settings, "egobridge.toolkit", Options(), silent)
    answers = settings.store.read(TABLES["answers"], "egobridge.toolkit")
    assert dict(answers.select("question_id", "letter").iter_rows()) == {
        rows[0]["question_id"]: "B",
        rows[2]["question_id"]: "C",
    }


def test_a_run_without_such_questions_writes_nothing(settings: Settings, tmp_path: Path) -> None:
    with pytest.raises(NothingToExport, match="run 'few' asks no question of egoexobench"):
        export_questions(settings, "few", "egoexobench", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def question(**change: Any) -> dict[str, Any]:
    options = [
        {"letter": "A", "text": "Peel <video> it.\nThen cut.", "is_answer": True},
        {"letter": "B", "text": 'Say "no"\tand go.', "is_answer": False},
    ]
    row = {"question_id": "q", "benchmark": "b", "source": "s", "subtask": "Order", "answer": "A"}
    return {**row, "text": "What is\n<image> next?", "options": options, **change}


def test_texts_hold_no_marks_and_lines_of_their_own() -> None:
    media = [WrittenMedium("query", "Query", ("q/0.jpg", "q/1.jpg"))]
    (row,) = rows_of(question_table([(question(), media, "h")]))
    assert row["question"] == "Query: <video>\nWhat is (image) next?"
    assert row["options"] == 'A. Peel (video) it. Then cut.\nB. Say "no" and go.'
    assert ast.literal_eval(row["medias"]) == [
        {"type": "frames", "image_paths": ["q/0.jpg", "q/1.jpg"], "nframes": 2}
    ]


def test_one_picture_is_an_image_and_an_answer_may_be_withheld() -> None:
    media = [WrittenMedium("query", "Query", ("q/0.jpg",))]
    (row,) = rows_of(question_table([(question(answer=None), media, "h")]))
    assert row["question"].startswith("Query: <image>\n")
    assert (row["answer"], row["prompt_hash"]) == ("", "h")
    assert ast.literal_eval(row["medias"]) == [{"type": "image", "image_paths": ["q/0.jpg"]}]


def test_a_benchmark_of_other_groups_is_not_written_as_samples_of_egoprox(
    settings: Settings, tmp_path: Path
) -> None:
    with pytest.raises(NothingToExport, match="belongs to no group"):
        export_samples(settings, "few", "egobridge", tmp_path / "out")
    assert not (tmp_path / "out" / "egoprox_test.json").exists()

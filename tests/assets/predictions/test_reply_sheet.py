"""From a sheet of questions through a person's file to scores' answers."""

from __future__ import annotations

import base64
import csv
import io
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from PIL import Image

from assets.options import Options, silent
from assets.predictions import stage
from expectations.schemas import TABLES
from pipelines.cli.reply_page import SHOWN_PX, page_questions, reply_page
from pipelines.cli.reply_sheets import sheet_csv, sheet_json_lines, sheet_rows
from resources.config import Settings, load_settings
from resources.models.engines.given_replies import ReplyFileError
from resources.models.engines.human import read_replies
from tests.installation import own_copy

RUNS = """
[runs.anna]
engine = "human"
protocol = "direct"
replies = "anna.csv"
benchmarks = ["egobridge"]
limit = 6
"""


@pytest.fixture
def settings(small_household: Path, tmp_path: Path) -> Settings:
    base = own_copy(small_household, tmp_path / "own", RUNS)
    return load_settings(base / "parallax.toml")


def test_a_sheet_goes_out_and_comes_back_as_answers(settings: Settings, tmp_path: Path) -> None:
    rows = list(sheet_rows(settings, "anna", ["egobridge"]))
    assert len(rows) == 6
    assert all(row["letters"].startswith("A B C") for row in rows)
    assert all(row["shown"] and row["clips"].startswith("Query: ") for row in rows)
    filled = settings.home / "anna.csv"
    back = list(csv.DictReader(io.StringIO(sheet_csv(rows))))
    assert back == rows
    back[0]["reply"], back[1]["reply"] = "(B)", "I cannot tell."
    filled.write_text(sheet_csv(back), encoding="utf-8-sig")
    as_lines = tmp_path / "anna.jsonl"
    as_lines.write_text(sheet_json_lines(back))
    assert [r.text for r in read_replies(as_lines)] == [r.text for r in read_replies(filled)]

    key = "egobridge.anna"
    stage.STAGE.refresh(settings, key, Options(), silent)
    calls = settings.store.read(TABLES["calls"], key).sort("question_id")
    given = {rows[0]["question_id"]: "(B)", rows[1]["question_id"]: "I cannot tell."}
    assert dict(calls.select("question_id", "reply").iter_rows()) == given
    answers = settings.store.read(TABLES["answers"], key)
    assert dict(answers.select("question_id", "letter").iter_rows()) == {
        rows[0]["question_id"]: "B",
        rows[1]["question_id"]: None,
    }

    # A further reply is read by the next run; what was replied before stays what it was.
    back[2]["reply"] = "C"
    filled.write_text(sheet_csv(back))
    stage.STAGE.refresh(settings, key, Options(), silent)
    answers = settings.store.read(TABLES["answers"], key)
    letters = dict(answers.select("question_id", "letter").iter_rows())
    assert letters == {
        rows[0]["question_id"]: "B",
        rows[1]["question_id"]: None,
        rows[2]["question_id"]: "C",
    }

    # A reply to a question that nobody has is not passed over.
    filled.write_text(sheet_csv([*back, back[0] | {"question_id": "egobridge:gone"}]))
    with pytest.raises(
        ReplyFileError,
        match=r"anna\.csv row \d+ replies to egobridge:gone, which is not a question of egobridge",
    ):
        stage.STAGE.refresh(settings, key, Options(), silent)


def test_texts_that_a_spreadsheet_would_compute_are_set_off() -> None:
    row = {"question_id": "q", "shown": "=1+1", "reply": "-"}
    assert sheet_csv([row]).splitlines()[1] == "q,,,,'=1+1,,,'-"


def test_a_page_asks_the_same_with_frames_and_without_the_answer(settings: Settings) -> None:
    run = replace(settings.runs["anna"], limit=None)
    asked = {
        row["question_id"]: row
        for row in sheet_rows(
            replace(settings, runs={**settings.runs, "anna": run}), "anna", ["egobridge"]
        )
    }
    # The limit of the run does not count: a page has so many of each subtask.
    shown = list(page_questions(settings, "anna", ["egobridge"], 1))
    assert len(shown) == len({question.subtask for question in shown}) > 1
    for question in shown:
        row = asked[question.question_id]
        assert question.prompt_hash == row["prompt_hash"]
        assert " ".join(question.choices) == row["letters"]
        clips = [part for part in question.parts if part.text is None]
        assert len(clips) == len(question.choices) + 1, "the query and the options"
        jpeg = base64.b64decode(clips[0].frames[0].partition(",")[2])
        assert min(Image.open(io.BytesIO(jpeg)).size) <= SHOWN_PX
    again = list(page_questions(settings, "anna", ["egobridge"], 1))
    assert [q.question_id for q in again] == [q.question_id for q in shown]
    questions = settings.store.read(TABLES["questions"], "egobridge")
    told = questions.filter(pl.col("question_id").is_in([q.question_id for q in shown]))
    text = reply_page("anna", "anna.jsonl", shown)
    assert not [said for said in told["detailed_answer"].drop_nulls() if said in text]

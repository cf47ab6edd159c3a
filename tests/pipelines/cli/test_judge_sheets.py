"""Answers that people mark: written as a sheet, read as a judge, and compared with a model."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import Any

import pytest

from assets.configuration import load_configuration
from assets.options import Options, silent
from assets.scores.judged.stage import STAGE as SCORES
from expectations.schemas import TABLES
from pipelines.cli.judge_sheets import COLUMNS, judge_rows, judge_sheet_csv
from resources.config import Settings
from resources.models import EngineUnavailableError
from tests.assets.predictions.judging.test_judgements import (
    ANSWERED,
    CONFIG,
    judged,
    refresh,
    world,
)
from tests.resources.models.chat_server import Say, chat_server, completion

KEY = "egocot.one"
REPLIES = [f"Answer: A\n1. It is {answer}." for answer in ANSWERED[:4]] + [
    "A",
    "Answer: B\n1. =1+1",
]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    (tmp_path / "parallax.toml").write_text(
        CONFIG.format(url="http://127.0.0.1:9", judges='"people"'), encoding="utf-8"
    )
    found = load_configuration(tmp_path / "parallax.toml")
    world(found, "egocot", {"one": REPLIES})
    return found


def rows(settings: Settings, **options: Any) -> list[dict[str, str]]:
    return list(judge_rows(settings, "one", "people", ["egocot"], **options))


def fill(folder: Path, sheet: list[dict[str, str]], marks: list[str]) -> None:
    filled = [row | {"reply": mark} for row, mark in zip(sheet, marks, strict=True)]
    (folder / "marks.csv").write_text(judge_sheet_csv(filled), encoding="utf-8")


def test_a_sheet_shows_answers_and_nothing_that_would_colour_the_mark(settings: Settings) -> None:
    sheet = rows(settings)
    # The reply without reasoning needs nobody.
    assert len(sheet) == 5
    assert {row["answer"] for row in sheet} == {
        *(f"1. It is {answer}." for answer in ANSWERED[:4]),
        "1. =1+1",
    }
    assert not [row for row in sheet if "Answer:" in "".join(row.values())]
    assert set(sheet[0]) == set(COLUMNS)
    written = list(csv.reader(io.StringIO(judge_sheet_csv(sheet))))
    assert written[0] == list(COLUMNS) and len(written) == 6
    assert not [cell for row in written for cell in row if re.match(r"[=+@-]", cell)]


def test_few_answers_of_each_subtask_are_drawn_by_what_is_asked(settings: Settings) -> None:
    drawn = rows(settings, per_subtask=1)
    assert [row["subtask"] for row in drawn].count("sub0") == 1
    assert len(drawn) == 2 and all(row in rows(settings) for row in drawn)


def test_marks_are_judgements_and_agree_with_a_model(settings: Settings, tmp_path: Path) -> None:
    with pytest.raises(EngineUnavailableError, match=r"marks\.csv"):
        refresh(settings, KEY)
    sheet = rows(settings)
    marks = {"1. =1+1": "0", "1. It is three.": "Mark: 4/5", "1. It is yes.": ""}
    fill(tmp_path, sheet, [marks.get(row["answer"], "5") for row in sheet])
    found = refresh(settings, KEY)
    by_question = {name: (row["mark"], row["rule"]) for (name, _), row in found.items()}
    assert by_question == {
        "q0": (5.0, "judge"),
        "q1": (5.0, "judge"),
        "q2": (4.0, "judge"),
        "q3": (None, "not_asked"),
        "q4": (0.0, "no_reasoning"),
        "q5": (0.0, "judge"),
    }
    # A mark that comes later is read, and the others stay.
    fill(tmp_path, sheet, [marks.get(row["answer"], "5") or "3" for row in sheet])
    again = load_configuration(tmp_path / "parallax.toml")
    assert refresh(again, KEY)["q3", "people"]["mark"] == 3.0
    with chat_server() as server:
        server.answer = lambda body: Say(
            body=completion(
                re.sub(
                    r'"verdict": "\w+", ', "", judged(body).body["choices"][0]["message"]["content"]
                )
            )
        )
        (tmp_path / "parallax.toml").write_text(
            CONFIG.format(url=server.url, judges='"people", "strict"'), encoding="utf-8"
        )
        both = load_configuration(tmp_path / "parallax.toml")
        refresh(both, KEY)
        SCORES.refresh(both, KEY, Options(), silent)
    (pair,) = both.store.read(TABLES["judge_agreements"], KEY).to_dicts()
    assert (pair["first_judge"], pair["second_judge"]) == ("people", "strict")
    # The model gives 5, 5, 5, 5, 0; people 5, 5, 4, 3, 0. Of the answer without reasoning nobody was asked.
    assert (pair["n_marks"], pair["equal_marks"]) == (5, pytest.approx(3 / 5))
    assert pair["marks_within_one"] == pytest.approx(4 / 5)
    assert pair["weighted_kappa"] > 0.8
    assert pair["weighted_kappa_low"] < pair["weighted_kappa"] <= pair["weighted_kappa_high"]

"""What Dagster shows of a table: numbers to plot, pictures, and rows that begin with what they say."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assets.dagster.numbers import numbers
from assets.dagster.pictures import pictures
from assets.dagster.presentation import group_owner, preview_columns, table_group
from assets.dagster.table_metadata import preview
from assets.stage import Stage
from expectations.schemas import TABLES
from pipelines.definitions import STAGES
from resources.store.tables import TableStore
from tests.expectations.suites.suite_worlds import questions_world

ANSWERS = (("parsed", True), ("parsed", False), ("refused", False), ("error", False))


def rows(table: str, *found: dict[str, Any]) -> pl.DataFrame:
    return TABLES[table].frame(found)


def answers() -> pl.DataFrame:
    return rows(
        "answers",
        *({"status": status, "right": right, "subtask": "<b>one</b>"} for status, right in ANSWERS),
    )


def test_answers_are_counted_as_scores_count_them() -> None:
    assert numbers("answers", answers().lazy()) == {
        "n": 3,
        "right": 1,
        "withheld": 0,
        "unparsed": 1,
        "errors": 1,
    }


def test_scores_are_those_of_all_questions() -> None:
    common = {"metric": "accuracy", "n_unparsed": 1, "n_errors": 0, "n": 3}
    found = numbers(
        "scores",
        rows(
            "scores",
            {"slice": "subtask", "value": 1.0, **common},
            {"slice": "micro", "value": 1 / 3, "low": 0.1, "chance": 0.25, **common},
        ).lazy(),
    )
    assert found == {
        "accuracy": 0.3333,
        "accuracy low": 0.1,
        "chance": 0.25,
        "n": 3,
        "unparsed": 1,
        "errors": 0,
    }
    assert numbers("scores", rows("scores").lazy()) == {}


def test_a_question_is_refused_once_however_many_gates_refuse_it() -> None:
    verdicts = [("q1", "refuse"), ("q1", "refuse"), ("q2", "pass"), ("q3", "warn")]
    judged = rows("question_gates", *({"question_id": q, "verdict": v} for q, v in verdicts))
    assert numbers("question_gates", judged.lazy()) == {
        "questions judged": 3,
        "questions refused": 1,
        "questions warned of": 1,
    }


def test_files_that_are_gone_count_apart() -> None:
    listed = rows(
        "files",
        {"path": "a", "bytes": 5, "is_media": True},
        {"path": "b", "bytes": 7, "is_media": False, "is_gone": True},
    )
    assert numbers("files", listed.lazy()) == {
        "files": 1,
        "bytes": 5,
        "media files": 1,
        "files gone": 1,
    }


def test_pictures_show_text_of_data_as_text() -> None:
    draw = pictures("answers")
    assert draw is not None
    (shown,) = draw(answers()).values()
    svg = base64.b64decode(shown.partition("base64,")[2].rstrip(")")).decode()
    assert "&lt;b&gt;one" in svg and "<b>" not in svg
    assert draw(rows("answers")) == {}


def drawn_svg(table: str, found: pl.DataFrame) -> str:
    draw = pictures(table)
    assert draw is not None
    (shown,) = draw(found).values()
    return base64.b64decode(shown.partition("base64,")[2].rstrip(")")).decode()


def test_replies_without_a_released_answer_are_not_drawn_as_wrong() -> None:
    found = rows("answers", {"status": "parsed", "right": None, "subtask": "one"})
    svg = drawn_svg("answers", found)
    assert 'fill="#2f6f8f"' in svg and "withheld" in svg
    assert 'height="16" fill="#c98a1b"' not in svg
    assert numbers("answers", found.lazy()) == {
        "n": 0,
        "right": 0,
        "withheld": 1,
        "unparsed": 0,
        "errors": 0,
    }


def test_letters_are_drawn_of_questions_that_have_one() -> None:
    found = rows("questions", *({"subtask": "one", "answer": answer} for answer in ("B", None)))
    svg = drawn_svg("questions", found)
    assert ">B<" in svg and "None" not in svg
    draw = pictures("questions")
    assert draw is not None and draw(found.filter(pl.col("answer").is_null())) == {}


def test_a_preview_begins_with_text_options_and_answer(tmp_path: Path) -> None:
    store = TableStore(str(tmp_path))
    asked = questions_world(2)["questions"].with_columns(benchmark=pl.lit("b"), pool=pl.lit("u"))
    store.replace(TABLES["questions"], "b", ["u"], asked)
    head, _, first, *_ = preview(store, TABLES["questions"], "b").split("\n")
    assert head.startswith("| text | options | answer |")
    text = first.split(" | ")[1]
    assert text.startswith("A. ") and "; B. " in text and "letter" not in text


def test_preview_columns_lose_none() -> None:
    for name, table in TABLES.items():
        columns = list(table.schema)
        assert sorted(preview_columns(name, columns)) == sorted(columns)


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_every_table_has_a_team(stage: Stage) -> None:
    for table in stage.tables:
        assert group_owner(table_group(table, stage.group)).startswith("team:")

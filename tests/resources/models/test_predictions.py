"""Files of another toolkit's predictions: what counts as a reply, and what a faulty file says."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest

from resources.models.engines.given_replies import ReplyFileError
from resources.models.engines.predictions import PredictionsEngine, read_predictions
from resources.models.runs import RunConfig

HEAD = ["index", "question_id", "prompt_hash", "answer", "prediction"]
ROWS = [
    [0, "q0", "h0", "A", "B"],
    [1, "q1", "h1", "B", 'A, I\tthink:\n"a"'],
    [2, "q2", "h2", "C", "Failed to obtain answer via API."],
    [3, "q3", "h3", "D", None],
    [4, "q4", "h4", "A", "3"],
]
REPLIES = [("q0", "h0", "B"), ("q1", "h1", 'A, I\tthink:\n"a"'), ("q4", "h4", "3")]


def table(path: Path) -> None:
    cells = [["" if c is None else str(c) for c in row] for row in (HEAD, *ROWS)]
    quoted = [['"' + c.replace('"', '""') + '"' for c in row] for row in cells]
    path.write_text("\n".join("\t".join(row) for row in quoted) + "\n", encoding="utf-8")


def rows(path: Path) -> None:
    path.write_text(json.dumps([dict(zip(HEAD, row, strict=True)) for row in ROWS]))


def split(path: Path) -> None:
    path.write_text(json.dumps({"columns": HEAD, "index": [*range(5)], "data": ROWS}))


def workbook(path: Path) -> None:
    book = openpyxl.Workbook()
    assert book.active is not None
    for row in (HEAD, *ROWS[:4], [4, "q4", "h4", "A", 3]):
        book.active.append(row)
    book.save(path)


@pytest.mark.parametrize(
    ("name", "write"),
    [("p.tsv", table), ("p.json", rows), ("q.json", split), ("p.xlsx", workbook)],
)
def test_replies_are_read_from_every_form(
    tmp_path: Path, name: str, write: Callable[[Path], None]
) -> None:
    write(tmp_path / name)
    found = read_predictions(tmp_path / name)
    assert [(r.question_id, r.prompt_hash, r.text) for r in found] == REPLIES
    engine = PredictionsEngine(RunConfig("vlm", "predictions", "own", replies=str(tmp_path / name)))
    assert engine.model.startswith(f"predictions {Path(name).stem}@")


def test_a_workbook_has_lost_what_looks_like_a_formula(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    assert book.active is not None
    book.active.append(HEAD)
    book.active.append([0, "q0", "h0", "A", "=A"])
    book.active.append([1, "q1", "h1", "A", float("nan")])
    book.save(tmp_path / "p.xlsx")
    assert read_predictions(tmp_path / "p.xlsx") == []


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("p.tsv", "index\tprediction\n0\tA\n", r"row 1 names the columns index, prediction, not"),
        ("p.tsv", "question_id\tprediction\nq\n", "has 1 cells under 2 columns"),
        ("p.tsv", "question_id\tprediction\nq\tA\nq\tB\n", "replies to q as row 2 does"),
        ("p.json", '{"question_id": "q"}', "holds no list of rows"),
        ("p.json", "[1]", "row 1 is not a JSON object"),
        (
            "p.json",
            '{"columns": ["question_id", "prediction"], "data": [["q"]]}',
            "1 rows of `data`",
        ),
        ("p.json", "[" * 100_000, "is not JSON"),
        ("p.xlsx", "no workbook", "is not a workbook"),
        ("p.csv", "", "ends in none of"),
    ],
)
def test_a_faulty_file_is_named_with_the_rule(
    tmp_path: Path, name: str, content: str, message: str
) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(ReplyFileError, match=message):
        read_predictions(tmp_path / name)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ReplyFileError, match=r"p\.tsv: cannot be read"):
        read_predictions(tmp_path / "p.tsv")

"""Released questions of EgoSchema."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from assets.sources.egoschema.files import ANSWERS, QUESTIONS, file_matching, question_uid
from assets.sources.imported_questions import check_options, question_row
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed, whole_number
from expectations.schemas import TABLES

_OPTION = re.compile(r"option (\d+)")


def read_questions(part: PartFiles) -> Rows:
    """Questions with their answers, where these are public."""
    reader = RowReader("imported_questions")
    answers = {}
    if (file := file_matching(part, ANSWERS)) is not None:
        answers = {
            row["uid"]: row["at"] for row in reader.json_object(file, part.files[file], _answer)
        }
    rows: list[dict] = []
    if (file := file_matching(part, QUESTIONS)) is not None:

        def make(item: object) -> dict:
            return _question(part.source, file, item, answers)

        rows = [row for _, row in reader.json(file, part.files[file], make)]
    asked = {row["released_id"] for row in rows}
    if unasked := sorted(answers.keys() - asked):
        reader.reject(
            file_matching(part, ANSWERS) or "",
            None,
            "answer_without_question",
            ", ".join(unasked[:3]),
            f"{len(unasked)} answers belong to no question that is here",
            "fetch questions.json beside the answers",
        )
    return Rows(
        {"imported_questions": TABLES["imported_questions"].frame(rows)}, tuple(reader.refused)
    )


def _answer(uid: str, item: Any) -> dict:
    return {"uid": uid, "at": whole_number(item)}


def _question(source: str, file: str, item: object, answers: Mapping[str, int]) -> dict:
    uid = question_uid(item)
    assert isinstance(item, dict)
    numbered = sorted(
        (int(match[1]), text) for name, text in item.items() if (match := _OPTION.fullmatch(name))
    )
    if [at for at, _ in numbered] != list(range(len(numbered))):
        raise Malformed("options are not numbered from 0", str([at for at, _ in numbered]))
    options = check_options([text for _, text in numbered])
    return question_row(
        source,
        file,
        "egoschema",
        uid,
        text=item.get("question"),
        options=options,
        answer=answers.get(uid),
        media=[{"role": "query", "recording_id": uid}],
    )

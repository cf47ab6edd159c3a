"""Questions of EgoTaskQA about LEMMA: open answers, asked of an interval of one agent's video."""

from __future__ import annotations

import re
from typing import Any

from assets.sources.imported_questions import question_row
from assets.sources.layout import PartFiles, Rows
from assets.sources.lemma.files import FPS, QUESTIONS, is_person, recording_of, vid_or_none, view_of
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed, whole_number
from expectations.schemas import TABLES

TAGGED = "tagged"
"""Question set of the file that holds all questions, before they were split."""


def read_questions(part: PartFiles) -> Rows:
    """Questions as released, by how they refer to things (`direct`, `indirect`).

    `tagged_qas.json` holds the same questions without a split: it is read where it is alone.
    """
    reader = RowReader("imported_questions")
    found = [(path, m) for path in part.files if (m := re.fullmatch(QUESTIONS, path))]
    split = [(path, match) for path, match in found if match[1] is not None]
    rows = [
        row
        for path, match in split or found
        for _, row in reader.json(
            path, part.files[path], lambda i, p=path, m=match: _question(part.source, p, m, i)
        )
    ]
    return Rows(
        {"imported_questions": TABLES["imported_questions"].frame(rows)}, tuple(reader.refused)
    )


def _question(source: str, path: str, match: re.Match[str], item: Any) -> dict:
    if not isinstance(item, dict):
        raise Malformed("a question is not an object", str(item)[:80])
    answer, types = item.get("answer"), item.get("type")
    if not isinstance(answer, str) or not answer.strip():
        raise Malformed("answer is not text", str(answer)[:80])
    if not isinstance(types, list) or not all(isinstance(t, str) for t in types):
        raise Malformed("type is not a list of texts", str(types)[:80])
    return question_row(
        source,
        path,
        match[1] or TAGGED,
        f"{item.get('interval')}|{whole_number(item.get('question_id'))}",
        text=item.get("question"),
        options=(),
        media=[_medium(item.get("interval"))],
        subtask=", ".join(types) or None,
        split=match[2],
        answer_text=answer,
        fps=FPS,
    )


def _medium(interval: object) -> dict:
    """Recording and seconds of an interval `vid|agent|first|last`, frames from 0."""
    parts = interval.split("|") if isinstance(interval, str) else []
    vid = vid_or_none(parts[0]) if len(parts) == 4 else None
    if vid is None or not is_person(parts[1]):
        raise Malformed("the interval is not `video|agent|first|last`", str(interval)[:80])
    first, last = whole_number(parts[2]), whole_number(parts[3])
    if not 0 <= first < last:
        raise Malformed("the interval ends before it begins", interval)
    return {
        "role": "ego",
        "recording_id": recording_of(vid, view_of(parts[1])),
        "paths": [],
        "start_s": first / FPS,
        "end_s": last / FPS,
    }

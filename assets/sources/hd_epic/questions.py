"""Questions that HD-EPIC released: one file per prototype, times and boxes told inside the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from assets.sources.hd_epic.files import QUESTIONS, video_id
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.json import json_trees, sound
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.text_columns import clock_s
from assets.sources.reading.values import Malformed, whole_number
from expectations.schemas import TABLES

DOMAIN = "kitchen"


def read_questions(part: PartFiles) -> Rows:
    """Questions as released; `<TIME ..>` and `<BBOX ..>` stay in the text."""
    reader = RowReader("imported_questions")
    rows: list[dict] = []
    for path, data in part.files.items():
        match = re.fullmatch(QUESTIONS, path)
        if match is not None:
            rows += _of_file(part.source, path, match[1], data, reader)
    return Rows({"imported_questions": TABLES["imported_questions"].frame(rows)},
                tuple(reader.refused))  # fmt: skip


def _of_file(source: str, path: str, name: str, data: bytes, reader: RowReader) -> Iterator[dict]:
    try:
        for key, said in json_trees(data):
            made = reader.make(
                path, key, lambda s=said, k=key: {"released_id": sound(k), **_question(sound(s))}
            )
            if made is not None:
                yield {
                    "source": source,
                    "question_set": name,
                    "subtask": name,
                    "domain": DOMAIN,
                    "source_file": path,
                    "source_key": key,
                    **made,
                }
    except Malformed as error:
        reader.unreadable(path, error)


def _question(said: Any) -> dict:
    if not isinstance(said, dict):
        raise Malformed("a question is not an object", str(said)[:80])
    text, choices, inputs = said.get("question"), said.get("choices"), said.get("inputs")
    if not isinstance(text, str) or not text.strip():
        raise Malformed("question is not text", str(text)[:80])
    if not isinstance(choices, list) or len(choices) < 2:
        raise Malformed("choices is not a list of several", str(choices)[:80])
    if not isinstance(inputs, dict) or not inputs:
        raise Malformed("inputs is not an object, or names nothing", str(inputs)[:80])
    options = [_option(one) for one in choices]
    right = whole_number(said.get("correct_idx"))
    if not 0 <= right < len(options):
        raise Malformed(f"correct_idx is not one of {len(options)} choices", right)
    return {
        "text": text,
        "options": options,
        "options_sorted": options == sorted(options),
        "answer": [right],
        "answer_text": options[right],
        "media": [_medium(role, one) for role, one in inputs.items()],
    }


def _option(said: Any) -> str:
    """An option in words; one that is a list (an order of ingredients) is written in its order."""
    if isinstance(said, list) and said and all(isinstance(one, str) for one in said):
        return ", ".join(said)
    if not isinstance(said, str):
        raise Malformed("a choice is neither text nor a list of texts", str(said)[:80])
    return said


def _medium(role: str, said: Any) -> dict:
    """A whole video, a part of one, or the picture at an instant."""
    if not isinstance(said, dict):
        raise Malformed(f"{role} is not an object", str(said)[:80])
    start, end = said.get("start_time"), said.get("end_time")
    if said.get("time") is not None:
        start = end = said["time"]
    if (start is None) != (end is None):
        raise Malformed(f"{role} has one end of an interval", str(said)[:80])
    times = [None if t is None else clock_s(str(t)) for t in (start, end)]
    if times[0] is not None and times[1] is not None and times[1] < times[0]:
        raise Malformed(f"{role} ends before its start", end)
    return {
        "role": role,
        "recording_id": video_id(str(said.get("id"))),
        "paths": [],
        "start_s": times[0],
        "end_s": times[1],
    }

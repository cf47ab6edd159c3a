"""Questions that EgoExoLearn released: of association, and video questions as lines of JSON.

A video question's options (two to six) stand in its text, behind letters in brackets, and the answer
is a letter, now and then the option's text; the request for a letter at the end belongs to the
release's prompt, not to the question. Lines without options are open questions, whose answer is a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from assets.sources.egoexolearn.association import ASSOCIATION_QUESTIONS, association_questions
from assets.sources.egoexolearn.files import uid_or_none
from assets.sources.imported_questions import lettered_options, question_row
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.json import json_of
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed
from expectations.schemas import TABLES

VIDEO_QUESTIONS = r"(?:Video_QA|asset)/(?P<questions>[^/]+)\.jsonl"
QUESTIONS = rf"{VIDEO_QUESTIONS}|{ASSOCIATION_QUESTIONS}"
_MARK = "<video>"
_OPTION = re.compile(r"\(([A-Z])\)\s*(.*)")
_ASKS = re.compile(r"Answer with the option's letter\b.*", re.IGNORECASE)


def read_questions(part: PartFiles) -> Rows:
    """Questions in the order of their files; a question that two files hold is read once."""
    reader = RowReader("imported_questions")
    rows: dict[str, dict] = {}
    for path, data in part.files.items():
        match = re.fullmatch(VIDEO_QUESTIONS, path)
        if match is None:
            for row in association_questions(part.source, path, data, reader):
                _keep(rows, row, reader)
            continue
        for _, row in reader.lines(
            path, data, lambda t, p=path, n=match[1]: _question(part.source, p, n, t)
        ):
            _keep(rows, row, reader)
    return Rows(
        {"imported_questions": TABLES["imported_questions"].frame(list(rows.values()))},
        tuple(reader.refused),
    )


def _keep(rows: dict[str, dict], row: dict, reader: RowReader) -> None:
    """Keep the first of several questions of one id; another one is refused, the same is dropped."""
    known = rows.setdefault(f"{row['question_set']}/{row['released_id']}", row)
    if {**known, "source_file": ""} != {**row, "source_file": ""}:
        reader.reject(
            row["source_file"], row["released_id"], "contradicting_row", row["text"],
            f"{known['source_file']} has another question of this id, which is used",
            "give each question an id of its own",
        )  # fmt: skip


def _question(source: str, file: str, name: str, line: str) -> dict:
    said = json_of(line.encode())
    if not isinstance(said, dict) or not isinstance(said.get("id"), str):
        raise Malformed("the line holds no question with an id", line[:80])
    asked, answered = _turns(said.get("conversations"))
    text, options = _parts(asked)
    image = said.get("image")
    video = image.get("video") if isinstance(image, dict) else None
    stem = video.rpartition("/")[2].removesuffix(".mp4") if isinstance(video, str) else None
    if (uid := uid_or_none(stem)) is None:
        raise Malformed("the question names no video of the dataset", str(video)[:80])
    return question_row(
        source,
        file,
        name,
        said["id"],
        text=text,
        options=options,
        answer=_place(answered, options) if options else None,
        answer_text=None if options else answered,
        media=[{"role": "query", "recording_id": uid}],
    )


def _turns(conversation: Any) -> tuple[str, str]:
    """What is asked and what is answered: two turns, a person's and a model's."""
    turns = conversation if isinstance(conversation, list) else []
    values = (turn.get("value") for turn in turns if isinstance(turn, dict))
    said = [value for value in values if isinstance(value, str) and value.strip()]
    if len(turns) != 2 or len(said) != 2:
        raise Malformed("the conversation is not a question and an answer", str(conversation)[:80])
    return said[0], said[1].strip()


def _parts(asked: str) -> tuple[str, list[str]]:
    """The question alone, and its options without letters.

    Raises:
        Malformed: Letters are not A, B, C and so on, or there is one option.
    """
    question: list[str] = []
    options: list[tuple[str, str]] = []
    for line in _lines(asked):
        option = _OPTION.fullmatch(line)
        if option:
            options.append((option[1], option[2].strip()))
        elif options:
            # An option that goes on in the next line.
            options[-1] = (options[-1][0], f"{options[-1][1]} {line}".strip())
        else:
            question.append(line)
    return "\n".join(question), lettered_options(options) if options else []


def _lines(asked: str) -> Iterator[str]:
    for line in asked.removeprefix(_MARK).splitlines():
        line = line.strip()
        if line and line != _MARK and not _ASKS.fullmatch(line):
            yield line


def _place(answer: str, options: list[str]) -> int:
    """Index of the right option: told by its letter, now and then by its text."""
    if options.count(answer) == 1:
        return options.index(answer)
    letter = answer.strip("().")
    at = ord(letter) - ord("A") if len(letter) == 1 else -1
    if not 0 <= at < len(options):
        raise Malformed(f"the answer is not a letter of {len(options)} options", answer[:80])
    return at

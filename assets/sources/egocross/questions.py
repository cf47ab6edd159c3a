"""Released questions of the EgoCross testbed and its support set."""

from __future__ import annotations

import posixpath
import re

from assets.sources.egocross.files import SUPPORT, clip_key, clip_pictures
from assets.sources.egocross.support import SUPPORT_SET, samples
from assets.sources.imported_questions import check_options, lettered_options, question_row
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed, number
from expectations.schemas import TABLES

_LETTERED = re.compile(r"([A-Z]): ?(.+)", re.DOTALL)
_ALIKE = ("text", "options", "media", "subtask", "domain", "fps")
_TOLD = ("answer", "answer_text", "detailed_answer")


def read_questions(part: PartFiles) -> Rows:
    """Questions of the testbed, answered where a file tells the answers, and of the support set.

    Several files hold the testbed's questions, with and without answers and released names: a question is
    one row whichever of them are here.
    """
    reader = RowReader("imported_questions")
    tested: dict[str, dict] = {}
    rows: list[dict] = []
    for file, data in part.files.items():
        if re.fullmatch(SUPPORT, file):
            rows += _support(reader, part.source, file, data)
            continue

        def make(item: object, file: str = file) -> dict:
            return _question(part.source, file, item)

        for place, row in reader.json(file, data, make):
            _keep(reader, tested, row, file, place)
    rows += tested.values()
    return Rows(
        {"imported_questions": TABLES["imported_questions"].frame(rows)}, tuple(reader.refused)
    )


def _keep(reader: RowReader, tested: dict[str, dict], row: dict, file: str, place: int) -> None:
    """Keep a question once; of two files, the one that tells more."""
    key = row["released_id"]
    known = tested.setdefault(key, row)
    if known is row:
        return
    comparable = [name for name in _TOLD if None not in (known[name], row[name])]
    other = next((name for name in (*_ALIKE, *comparable) if known[name] != row[name]), None)
    if other is not None:
        reader.reject(
            file,
            place,
            "contradicting_row",
            str(row[other])[:80],
            f"question {key} has another {other} in {known['source_file']}; the first is used",
            "restore both files from one release",
            row["media"][0]["recording_id"],
        )
    elif known["answer"] is None and row["answer"] is not None:
        tested[key] = row


def _question(source: str, file: str, item: object) -> dict:
    key = clip_key(item)
    assert isinstance(item, dict)
    clip, names = clip_pictures(item)
    options = _options(item.get("options"))
    row = question_row(
        source,
        file,
        "egocross_testbed",
        key,
        text=item.get("question_text"),
        options=options,
        answer=_answer(item.get("correct_option_letter"), len(options)),
        answer_text=_text(item, "answer_text"),
        detailed_answer=_text(item, "detailed_answer"),
        media=[{"role": "query", "recording_id": clip, "paths": names}],
        subtask=str(item.get("question_type")),
        domain=str(item.get("dataset")),
        split="test",
        fps=number(item.get("original_video_fps")),
    )
    return row | {"source_key": _text(item, "question_id") or key}


def _options(said: object) -> list[str]:
    """Options without their letters, which must be A, B, C, ... in order."""
    found = [_LETTERED.fullmatch(option) for option in check_options(said)]
    if None in found:
        raise Malformed("options are not lettered in order", str(said)[:80])
    return lettered_options([(match[1], match[2]) for match in found if match], said)


def _answer(letter: object, n_options: int) -> int | None:
    """Index of the right option; None where the file withholds it."""
    if letter is None or letter == "":
        return None
    letters = [chr(ord("A") + place) for place in range(n_options)]
    if letter not in letters:
        raise Malformed("the answer is not the letter of an option", str(letter)[:80])
    return letters.index(str(letter))


def _text(item: dict, name: str) -> str | None:
    """A text, or a number as one; None where there is none."""
    value = item.get(name)
    if value is None or value == "":
        return None
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise Malformed(f"{name} is not a text", str(value)[:80])
    return str(value)


def _support(reader: RowReader, source: str, file: str, data: bytes) -> list[dict]:
    return [
        question_row(
            source,
            file,
            SUPPORT_SET,
            sample.key,
            text=sample.text,
            options=sample.options,
            answer=sample.answer,
            media=[
                {
                    "role": "query",
                    "recording_id": sample.recording_id,
                    "paths": [posixpath.basename(path) for path in sample.pictures],
                }
            ],
            domain=sample.domain,
            split="train",
        )
        for sample in samples(reader, file, data)
    ]

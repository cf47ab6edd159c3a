"""Released questions of The EgoCross testbed."""

from __future__ import annotations

import re

from assets.sources.egocross.files import clip_key, clip_pictures
from assets.sources.imported_questions import check_options, lettered_options, question_row
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed, number
from expectations.schemas import TABLES

_LETTERED = re.compile(r"([A-Z]): ?(.+)", re.DOTALL)


def read_questions(part: PartFiles) -> Rows:
    """Questions of the testbed; answers are not part of it."""
    reader = RowReader("imported_questions")
    rows: list[dict] = []
    for file, data in part.files.items():

        def make(item: object, file: str = file) -> dict:
            return _question(part.source, file, item)

        rows += [row for _, row in reader.json(file, data, make)]
    return Rows(
        {"imported_questions": TABLES["imported_questions"].frame(rows)}, tuple(reader.refused)
    )


def _question(source: str, file: str, item: object) -> dict:
    key = clip_key(item)
    assert isinstance(item, dict)
    clip, names = clip_pictures(item)
    return question_row(
        source,
        file,
        "egocross_testbed",
        key,
        text=item.get("question_text"),
        options=_options(item.get("options")),
        media=[{"role": "query", "recording_id": clip, "paths": names}],
        subtask=str(item.get("question_type")),
        domain=str(item.get("dataset")),
        split="test",
        fps=number(item.get("original_video_fps")),
    )


def _options(said: object) -> list[str]:
    """Options without their letters, which must be A, B, C, ... in order."""
    found = [_LETTERED.fullmatch(option) for option in check_options(said)]
    if None in found:
        raise Malformed("options are not lettered in order", str(said)[:80])
    return lettered_options([(match[1], match[2]) for match in found if match], said)

"""Released questions of EgoExoBench."""

from __future__ import annotations

from pathlib import PurePosixPath

from assets.sources.egoexobench.files import ReleasedQuestion, questions_in
from assets.sources.imported_questions import lettered_options, question_row
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed
from expectations.schemas import TABLES


def read_questions(part: PartFiles) -> Rows:
    """Questions with their answers; the second of one number in a file is refused if it differs."""
    reader = RowReader("imported_questions")
    rows: list[dict] = []
    for file, data in part.files.items():
        kept: dict[str, dict] = {}
        for line, question in questions_in(reader, file, data):

            def make(file: str = file, question: ReleasedQuestion = question) -> dict:
                return _row(part.source, file, question)

            row = reader.make(file, line, make)
            if row is not None:
                reader.keep_first(kept, question.index, row, file=file, row=line)
        rows += kept.values()
    return Rows(
        {"imported_questions": TABLES["imported_questions"].frame(rows)}, tuple(reader.refused)
    )


def _row(source: str, file: str, question: ReleasedQuestion) -> dict:
    options = lettered_options(question.options)
    letters = [letter for letter, _ in question.options]
    if question.answer is not None and question.answer not in letters:
        raise Malformed(f"the answer is not one of {', '.join(letters)}", question.answer[:80])
    return question_row(
        source,
        file,
        PurePosixPath(file).stem,
        question.index,
        text=question.text,
        options=options,
        answer=None if question.answer is None else letters.index(question.answer),
        subtask=question.subtask,
        media=[
            {
                "role": role,
                "recording_id": medium.recording_id,
                "paths": list(medium.names),
                "start_s": medium.start_s,
                "end_s": medium.end_s,
            }
            for role, medium in question.media
        ],
    )

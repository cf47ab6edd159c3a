"""People as an engine: their replies come from a CSV or JSON lines file that was filled in before."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

from resources.models.engines.given_replies import (
    GivenReplies,
    GivenReply,
    ReplyFileError,
    Rows,
    check_columns,
    fault,
    read_file,
    replies_in,
    reply_file,
    text_of,
)
from resources.models.runs import RunConfig

REPLY = "reply"
_DELIMITERS = (",", ";", "\t")
_WRITER = "parallax reply-sheet"


def read_replies(path: Path) -> list[GivenReply]:
    """Replies in a file; rows without a reply are left out.

    Args:
        path: File ending in `.csv` (separated by comma, semicolon or tab) or `.jsonl`, in UTF-8.

    Raises:
        ReplyFileError: The file cannot be read, or a row breaks a rule.
    """
    readers = {".csv": _csv_rows, ".jsonl": _json_rows}
    text = text_of(path, read_file(path, f"`{_WRITER}` writes a file to fill in"))
    if path.suffix.lower() not in readers:
        raise ReplyFileError(f"{path}: ends in neither .csv nor .jsonl; rename or convert it")
    return replies_in(path, readers[path.suffix.lower()](path, text), REPLY)


class HumanEngine(GivenReplies):
    """Replies of a person, or of several who shared the questions.

    Args:
        run: Run with `replies`, the file.

    Raises:
        EngineUnavailableError: The run names no file, or the file has a fault.
    """

    def __init__(self, run: RunConfig) -> None:
        path = reply_file(run, "replies.csv", _WRITER)
        super().__init__(path, read_replies(path), "human", _WRITER)


def _csv_rows(path: Path, text: str) -> Rows:
    head = text.split("\n", 1)[0]
    delimiter = max(_DELIMITERS, key=head.count)
    # Universal line ends are left to the reader: a reply may hold some.
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        names = check_columns(path, next(rows, []), REPLY, "write them as the first row")
        for row in rows:
            if not any(cell.strip() for cell in row):
                continue
            if len(row) != len(names):
                raise fault(
                    path,
                    rows.line_num,
                    f"has {len(row)} cells under {len(names)} columns",
                    "put a reply that holds separators or line ends into double quotes",
                )
            yield rows.line_num, dict(zip(names, row, strict=True))
    except csv.Error as error:
        raise fault(
            path,
            rows.line_num,
            f"is not CSV ({error})",
            "close its quotes, and double those inside",
        ) from error


def _json_rows(path: Path, text: str) -> Rows:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise fault(
                path, number, f"is not JSON ({error})", "write one object per line"
            ) from error
        if not isinstance(row, dict):
            raise fault(
                path, number, "is not a JSON object", 'write {"question_id": ..., "reply": ...}'
            )
        yield number, row

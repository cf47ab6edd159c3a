"""Predictions that another toolkit wrote, as an engine: files on questions exported from here.

They are those of VLMEvalKit, and result files of the inference scripts of EgoProx (`.json`), which keep the samples
they were given and add `answer`, and of EgoCross (`.json`; see `egocross_results`).

VLMEvalKit hands the columns of the table it was given on to its file and adds `prediction`. A file is
tab-separated (`.tsv`), JSON (rows, or `columns` and `data`) or a workbook (`.xlsx`). A workbook has lost
what looks like a formula or like no value; tables keep it. A call that failed over there stands in the
file as a sentence: that is not a reply, and counts as not asked.
"""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from resources.models.engines.egocross_results import entries_of, is_entry, reply_of_entry
from resources.models.engines.given_replies import (
    PROMPT,
    QUESTION,
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
from resources.texts import one_line

PREDICTION = "prediction"
_WRITER = "parallax export-questions"
_SAMPLE = frozenset(("source", "data"))
_LETTER = re.compile("[A-E]")
# No text of a model: it is read as an empty reply.
_NO_ANSWER = "null"
_FAILED = "failed to obtain answer"
_MOST_UNPACKED_BYTES = 512 << 20


def read_predictions(path: Path) -> list[GivenReply]:
    """Replies in a toolkit's file; rows without one are left out.

    Args:
        path: File ending in `.tsv`, `.json` or `.xlsx`.

    Raises:
        ReplyFileError: The file cannot be read, or a row breaks a rule.
    """
    readers = {".tsv": _table_rows, ".json": _json_rows, ".xlsx": _workbook_rows}
    content = read_file(path, "name the file that the toolkit wrote")
    if path.suffix.lower() not in readers:
        raise ReplyFileError(f"{path}: ends in none of .tsv, .json and .xlsx; rename or convert it")
    rows = (
        (number, _as_replied(row)) for number, row in readers[path.suffix.lower()](path, content)
    )
    return replies_in(path, rows, PREDICTION)


class PredictionsEngine(GivenReplies):
    """Replies that a model gave in another toolkit.

    Args:
        run: Run with `replies`, the toolkit's file.

    Raises:
        EngineUnavailableError: The run names no file, or the file has a fault.
    """

    def __init__(self, run: RunConfig) -> None:
        path = reply_file(run, "Some-VLM_EgoExoBench_MCQ.tsv", _WRITER)
        super().__init__(path, read_predictions(path), "predictions", _WRITER)


def _as_replied(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row whose prediction is a text, or null where the call failed or nothing was predicted."""
    prediction = row.get(PREDICTION)
    if isinstance(prediction, bool) or not isinstance(prediction, str | int | float):
        text = None
    else:
        # A workbook, and JSON, turn "3" into a number; NaN is how the toolkit writes nothing.
        text = "" if prediction != prediction else str(prediction)
    if text is not None and text.strip().lower().startswith(_FAILED):
        text = None
    return {**{name: row.get(name) for name in (QUESTION, PROMPT)}, PREDICTION: text}


def _columns(path: Path, names: Iterable[str]) -> list[str]:
    remedy = f"let the toolkit answer a table that `{_WRITER}` wrote"
    return check_columns(path, names, PREDICTION, remedy)


def _table_rows(path: Path, content: bytes) -> Rows:
    lines = io.StringIO(text_of(path, content), newline="")
    rows = csv.reader(lines, delimiter="\t", strict=True)
    try:
        names = _columns(path, next(rows, []))
        for row in rows:
            if len(row) != len(names):
                raise fault(
                    path,
                    rows.line_num,
                    f"has {len(row)} cells under {len(names)} columns",
                    "write the file again, with quotes around values that hold tabs or line ends",
                )
            yield rows.line_num, dict(zip(names, row, strict=True))
    except csv.Error as error:
        raise fault(
            path, rows.line_num, f"is not separated by tabs ({error})", "write the file again"
        ) from error


def _json_rows(path: Path, content: bytes) -> Rows:
    try:
        found = json.loads(text_of(path, content))
    except (ValueError, RecursionError) as error:
        raise ReplyFileError(f"{path}: is not JSON ({error}); write the file again") from error
    found = entries_of(found)
    if isinstance(found, dict) and {"columns", "data"} <= found.keys():
        names, data = found["columns"], found["data"]
        if not isinstance(names, list) or not isinstance(data, list):
            raise ReplyFileError(
                f"{path}: `columns` and `data` are not lists; write the file again"
            )
        names = _columns(path, [str(name) for name in names])
        found = [
            dict(zip(names, row, strict=True))
            for row in data
            if isinstance(row, list) and len(row) == len(names)
        ]
        if len(found) < len(data):
            raise ReplyFileError(
                f"{path}: {len(data) - len(found)} rows of `data` have not one value per column; write"
                " the file again"
            )
    if not isinstance(found, list):
        raise ReplyFileError(f"{path}: holds no list of rows; write the file again")
    for number, row in enumerate(found, 1):
        if not isinstance(row, dict):
            raise fault(path, number, "is not a JSON object", "write the file again")
        if is_entry(row):
            row = reply_of_entry(row, PREDICTION)
        elif row.keys() >= _SAMPLE:
            row = _of_sample(row)
        _columns(path, [str(name) for name in row])
        yield number, row


def _of_sample(row: Mapping[str, Any]) -> dict[str, Any]:
    """A sample of EgoProx with the answer that its inference script added.

    Of a question with options the script keeps the letter behind "The correct answer is", or null where it
    read none: a reply that names no option. The words come back, so that every reader reads the letter.
    """
    names = {name: row[name] for name in (QUESTION, PROMPT) if name in row}
    if "answer" not in row:
        return names
    answer = row["answer"]
    if answer is None or answer == "":
        answer = _NO_ANSWER
    elif isinstance(answer, str) and _LETTER.fullmatch(answer):
        answer = f"The correct answer is <{answer}>"
    return names | {PREDICTION: answer}


def _workbook_rows(path: Path, content: bytes) -> Rows:
    try:
        import openpyxl
    except ModuleNotFoundError:
        raise ReplyFileError(
            f"{path}: reading workbooks needs openpyxl; install it (extra `toolkits`), or let the toolkit"
            " write tables (PRED_FORMAT=tsv)"
        ) from None
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            unpacked = sum(member.file_size for member in packed.infolist())
        if unpacked > _MOST_UNPACKED_BYTES:
            raise ReplyFileError(
                f"{path}: unpacks to more than {_MOST_UNPACKED_BYTES >> 20} MiB; split it"
            )
        book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        rows = book.worksheets[0].iter_rows(values_only=True)
        header = next(rows, ())
        names = _columns(path, ["" if name is None else str(name) for name in header])
        for number, row in enumerate(rows, 2):
            if any(value is not None for value in row):
                yield number, dict(zip(names, row, strict=False))
    except (zipfile.BadZipFile, KeyError, IndexError, ValueError, SyntaxError) as error:
        if isinstance(error, ReplyFileError):
            raise
        raise ReplyFileError(
            f"{path}: is not a workbook ({one_line(str(error), 200)}); write the file again"
        ) from error

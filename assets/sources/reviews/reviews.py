"""Decisions of people, read from files."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.json import json_items
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed, loose_text, whole_number
from assets.sources.reviews.forms import (
    unguarded,
)
from assets.sources.reviews.values import shortened, stored
from expectations.schemas import TABLES
from expectations.schemas.identity import digest
from expectations.schemas.reviews import OF_BENCHMARKS

_REQUIRED = ("source", "item_kind", "item_id", "item_hash", "verdict", "reviewer")

_OF_DECISION = (
    "source", "item_kind", "item_id", "item_hash", "verdict", "value", "reviewer", "round",
    "decided_at",
)  # fmt: skip

_TOUCHED = "touched"
_NO_VERDICT = "the row names a reviewer or another value than was shown, and no verdict"
_SAY_VERDICT = "say accept, reject or correct; leave reviewer and value as they were if undecided"


def read_reviews(part: PartFiles) -> Rows:
    """Decisions of all files; one that several files hold is taken from the first."""
    reader = RowReader("reviews")
    rows: dict[str, dict] = {}
    for path, data in part.files.items():
        found = _of_csv if path.endswith(".csv") else _of_label_studio
        for row in found(path, data, reader):
            rows.setdefault(row["decision_id"], row)
    return Rows({"reviews": TABLES["reviews"].frame(rows.values())}, tuple(reader.refused))


def _of_csv(path: str, data: bytes, reader: RowReader) -> Iterator[dict]:
    for line, made in reader.csv(path, _with_commas(data), _REQUIRED, _csv_row):
        if _TOUCHED in made:
            reader.reject(path, line, "verdict_missing", made[_TOUCHED], _NO_VERDICT, _SAY_VERDICT)
        elif made:
            yield {**made, "source_file": path}


def _with_commas(data: bytes) -> bytes:
    """The file with commas: spreadsheets of many countries save semicolons, others tabs."""
    text = loose_text(data)
    head = text.partition("\n")[0]
    mark = next((c for c in ";\t" if c in head and "," not in head), None)
    if mark is None:
        return data
    out = io.StringIO(newline="")
    try:
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True)
        csv.writer(out).writerows(rows)
    except csv.Error:
        return data  # the caller reports what is wrong
    return out.getvalue().encode("utf-8", "surrogateescape")


def _csv_row(values: Mapping[str, str]) -> dict:
    said = {name: unguarded(cell) for name, cell in values.items()}
    if not said["verdict"].strip():
        shown = said.get("shown", "")
        edited = said.get("value", shown).split() != shown.split()
        if said["reviewer"].strip() or edited:
            return {_TOUCHED: said.get("value", "") if edited else said["reviewer"]}
        return {}
    made = _decision(said, said["reviewer"], said.get("decided_at", ""))
    key = (made["item_kind"], made["item_id"], said["reviewer"], str(made["round"]))
    return {**made, "source_key": " ".join(key)}


def _of_label_studio(path: str, data: bytes, reader: RowReader) -> Iterator[dict]:
    try:
        for at, task in json_items(data):
            for key, annotation in _annotations(path, at, task, reader):
                row = reader.make(path, key, lambda a=annotation: _annotated(a))
                if row:
                    yield {**row, "source_file": path, "source_key": key}
    except Malformed as error:
        reader.unreadable(path, error)


def _annotations(
    path: str, at: int, task: object, reader: RowReader
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Submitted annotations of a task with a name each, joined with the task's data."""
    if isinstance(task, Malformed) or not isinstance(task, dict):
        fault = task if isinstance(task, Malformed) else Malformed("a task is not an object", task)
        reader.make(path, at, lambda: _raise(fault))
        return
    name = f"task {task.get('id', at)}"
    if "data" not in task:
        # The minimal export: answers beside the data.
        if task.get("verdict"):
            yield f"{name} annotation {task.get('annotation_id')}", {"task": task, "answers": task}
        return
    found = task.get("annotations", task.get("completions", []))
    if not isinstance(task["data"], dict) or not isinstance(found, list):
        reader.make(path, name, lambda: _raise(Malformed("data or annotations have another form")))
        return
    for one in found:
        if not isinstance(one, dict) or not isinstance(one.get("result"), list):
            reader.make(path, name, lambda o=one: _raise(Malformed("annotation has no result", o)))
        elif not one.get("was_cancelled"):
            answers = _answers(one["result"])
            answers |= {"annotator": one.get("completed_by")}
            answers |= {k: one[k] for k in ("updated_at", "created_at") if k in one}
            key = f"{name} annotation {one.get('id')}"
            yield key, {"task": task["data"], "answers": answers}


def _answers(result: list[Any]) -> dict[str, object]:
    """Answers by the name of their control; regions of other kinds are not ours."""
    answers: dict[str, object] = {}
    for region in result:
        value = region.get("value") if isinstance(region, dict) else None
        if isinstance(value, dict):
            answers[str(region.get("from_name"))] = value.get("choices", value.get("text"))
    return answers


def _annotated(said: Mapping[str, Any]) -> dict:
    data, answers = said["task"], said["answers"]
    verdict = _one_text(answers.get("verdict"), "verdict")
    if not verdict:
        raise Malformed("the annotation states no verdict")
    flat = {k: v if isinstance(v, str) else str(v) for k, v in data.items() if v is not None}
    flat |= {
        "verdict": verdict,
        "value": _one_text(answers.get("value"), "value"),
        "note": _one_text(answers.get("note"), "note"),
    }
    when = answers.get("updated_at") or answers.get("created_at") or ""
    return _decision(flat, _annotator(answers.get("annotator")), str(when))


def _one_text(value: object, name: str) -> str:
    """An answer as text: alone, in a list, or in the minimal export's object of choices."""
    if isinstance(value, dict):
        value = value.get("choices", value.get("text"))
    if isinstance(value, list):
        if not all(isinstance(one, str) for one in value):
            raise Malformed(f"{name} is not text", value)
        if name == "verdict" and len(value) > 1:
            raise Malformed("several verdicts are chosen", ", ".join(value))
        value = "\n".join(value)
    if value is not None and not isinstance(value, str):
        raise Malformed(f"{name} is not text", value)
    return value or ""


def _annotator(value: object) -> str:
    """Name of an annotator: the address where the export tells it, else the number."""
    if isinstance(value, dict):
        value = value.get("email") or value.get("id")
    if isinstance(value, int) and not isinstance(value, bool):
        return f"label-studio:{value}"
    if isinstance(value, str) and value:
        return value
    raise Malformed("the annotation does not say who made it", value)


def _decision(said: Mapping[str, str], reviewer: str, decided_at: str) -> dict[str, Any]:
    """Row of `reviews` without its place.

    Raises:
        Malformed: A value is not of its form, or what was accepted is not what was shown.
    """
    for name in ("source", "item_kind", "item_id", "item_hash"):
        if not said.get(name, "").strip():
            raise Malformed(f"{name} is empty: the row names no item")
    kind, verdict = said["item_kind"].strip(), said["verdict"].strip().lower()
    if kind in ("pair", *OF_BENCHMARKS) and verdict == "correct":
        raise Malformed(f"nothing in a {kind} can be corrected: accept or reject it", verdict)
    # A question or rewording is judged whole: no column of it is a value that a person could edit.
    shown = None if kind in OF_BENCHMARKS else stored(kind, said.get("shown", ""))
    value = None if kind in OF_BENCHMARKS else stored(kind, said.get("value", ""))
    if verdict == "accept":
        if value is not None and shown is not None and value != shown:
            raise Malformed(
                "accepted, but `value` is not what was shown: say correct", shortened(value)
            )
        value = value if shown is None else shown
    elif verdict == "reject":
        value = None
    row: dict[str, Any] = {
        "source": said["source"].strip(),
        "item_kind": kind,
        "benchmark": (said.get("benchmark", "").strip() or None) if kind in OF_BENCHMARKS else None,
        "item_id": said["item_id"].strip(),
        "item_hash": said["item_hash"].strip(),
        "verdict": verdict,
        "value": value,
        "shown": shown,
        "reviewer": reviewer.strip() or None,
        "round": whole_number(said["round"]) if said.get("round", "").strip() else 1,
        "decided_at": _time(decided_at),
        "note": said.get("note", "").strip() or None,
    }
    named = [*_OF_DECISION, *(["benchmark"] if kind in OF_BENCHMARKS else [])]
    row["decision_id"] = digest("" if row[k] is None else str(row[k]) for k in named)
    return row


def _time(text: str) -> str | None:
    """A time as UTC, so that times compare as text; without a zone it is taken for UTC."""
    if not text.strip():
        return None
    try:
        when = datetime.fromisoformat(text.strip())
        when = when.replace(tzinfo=UTC) if when.tzinfo is None else when.astimezone(UTC)
    except (ValueError, OverflowError):
        raise Malformed("decided_at is not a time as ISO 8601 writes it", text) from None
    return when.isoformat(timespec="microseconds")


def _raise(error: Malformed) -> dict:
    raise error

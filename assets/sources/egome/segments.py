"""Segments of EgoMe."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from assets.sources.egome.files import ENTRIES
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed, number, text_or_none, whole_number
from expectations.schemas import TABLES

_LEVEL = re.compile(r"^[A-Z]:\s*")


def read_segments(part: PartFiles) -> Rows:
    """Steps, and the whole video with its coarse description."""
    reader = RowReader("segments")
    rows = []
    # What cannot be read of an entry is reported by the part that reads recordings.
    for uid, (file, entry) in part.document(ENTRIES).items():
        base = {"source": part.source, "recording_id": uid, "split": entry.get("Split")}
        base["source_file"] = file
        rows += [{**base, **made} for made in _segments(reader, file, uid, entry)]
    return Rows({"segments": TABLES["segments"].frame(rows)}, tuple(reader.refused))


def _segments(reader: RowReader, file: str, uid: str, entry: Mapping[str, Any]) -> Iterator[dict]:
    coarse = entry.get("Coarse-level")
    if isinstance(coarse, str) and _plain(coarse):
        yield {
            "segment_id": f"{uid}/coarse",
            "kind": "coarse",
            "start_s": 0.0,
            "end_s": number(entry["Duration"]),
            **_texts(coarse),
            "source_key": f"{uid}/coarse",
        }
    steps = entry.get("Fine-level")
    for step in steps if isinstance(steps, list) else []:
        made = reader.make(file, uid, lambda s=step: _step(uid, s), uid)
        if made:
            yield made


def _step(uid: str, step: Any) -> dict:
    """A step; nothing where it has no description, as some have not."""
    if not isinstance(step, dict):
        raise Malformed("the step is not an object", str(step)[:80])
    # The release spells it so.
    text = text_or_none(step.get("Step discription"), "Step discription")
    if text is None or not _plain(text):
        return {}
    times = step.get("Step timestamp")
    if not isinstance(times, list) or len(times) != 2:
        raise Malformed("the step has no two times", str(times))
    order = whole_number(step.get("Step order"))
    start, end = number(times[0]), number(times[1])
    return {
        "segment_id": f"{uid}/{order}@{start:g}",
        "kind": "fine",
        "start_s": start,
        "end_s": end,
        "step_order": order,
        **_texts(text),
        "source_key": f"{uid}/{order}",
    }


def _plain(text: str) -> str:
    return _LEVEL.sub("", text).strip()


def _texts(text: str) -> dict[str, str]:
    return {"narration": _plain(text), "narration_original": text}

"""Segments of ExtremeSportFPV."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from assets.sources.extremesportfpv.files import ACTIONS, LABEL_COLUMNS, video_uid
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed, number
from expectations.schemas import TABLES

_NUMBER: Final = {label: at for at, (label, _, _) in enumerate(ACTIONS)}


def read_segments(part: PartFiles) -> Rows:
    """Labelled actions."""
    reader = RowReader("segments")
    rows = []
    for file, data in sorted(part.files.items()):
        for _, row in reader.csv(file, data, LABEL_COLUMNS, _action, _named):
            rows.append({"source": part.source, "source_file": file, **row})
    return Rows({"segments": TABLES["segments"].frame(rows)}, tuple(reader.refused))


def _named(values: Mapping[str, str]) -> str | None:
    return values["video_id"].strip() or None


def _action(values: Mapping[str, str]) -> dict:
    uid = video_uid(values)
    label = re.sub(r"[_\s-]+", "", values["label"]).lower()
    if not label:
        raise Malformed("the action has no label", values["label"])
    start, end = values["start_sec"].strip(), values["end_sec"].strip()
    key = f"{uid}/{start}-{end}/{label}"
    return {
        "segment_id": key,
        "recording_id": uid,
        "kind": "action",
        "start_s": number(start),
        "end_s": number(end),
        "class_id": _NUMBER.get(label),
        "class_name": label,
        "source_key": key,
    }

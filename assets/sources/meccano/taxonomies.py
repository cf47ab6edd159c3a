"""Vocabularies of MECCANO."""

from __future__ import annotations

import re

from assets.sources.layout import PartFiles, Rows
from assets.sources.meccano.files import (
    ACTIONS,
    COCO,
    is_next,
    read_document,
)
from assets.sources.meccano.rows import listed_rows
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed
from expectations.schemas import TABLES


def read_taxonomies(part: PartFiles) -> Rows:
    """Actions, verbs and objects as files number them; of two names for one number the first holds."""
    reader = RowReader("taxonomies")
    rows: dict[tuple[str, int], dict] = {}
    for path, data in sorted(part.files.items()):
        for kind, class_id, label in _classes(path, data):
            row = _class(part.source, path, kind, class_id, label)
            known = rows.setdefault((kind, class_id), row)
            if known["label"] != label:
                reader.reject(
                    path, f"{kind} {class_id}", "contradicting_label",
                    f"{label}, also {known['label']}",
                    f"one class has two names; {known['label']} holds", "correct one of the files",
                )  # fmt: skip
    ordered = [rows[key] for key in sorted(rows)]
    return Rows({"taxonomies": TABLES["taxonomies"].frame(ordered)}, tuple(reader.refused))


def _classes(path: str, data: bytes) -> list[tuple[str, int, str]]:
    """Classes of a file; faults are reported by the parts that want its rows."""
    if re.fullmatch(COCO, path):
        try:
            listed = read_document(data).classes
        except Malformed:
            return []
        return (
            [] if is_next(path) else [("object", n, label) for n, label in sorted(listed.items())]
        )
    kind = "action" if re.fullmatch(ACTIONS, path) else "verb"
    rows = (one for _, one in listed_rows(path, data, RowReader("")))
    return sorted({(kind, one.class_id, one.name) for one in rows if one.class_id >= 0})


def _class(source: str, file: str, kind: str, class_id: int, label: str) -> dict:
    return {
        "source": source,
        "taxonomy": kind,
        "class_id": class_id,
        "label": label,
        "terms": [label.lower().replace("_", " ")],
        "source_file": file,
    }

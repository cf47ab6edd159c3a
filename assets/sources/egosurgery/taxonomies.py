"""Vocabularies of EgoSurgery."""

from __future__ import annotations

import re
from typing import Final

from assets.sources.egosurgery.files import (
    COCO,
    HTS,
    PHASE,
    PHASES,
    read_document,
    what_of,
)
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed
from assets.sources.refined import refined_classes
from expectations.schemas import TABLES

REFINED: Final = refined_classes(__file__, "refined.csv")


def read_taxonomies(part: PartFiles) -> Rows:
    """Tools and hands as COCO files number them, from 0, and phases in the order of the paper.

    Hands are the taxonomy `object`. Of two names for one number the first holds. Masks have a third
    list, which no taxonomy holds.
    """
    reader = RowReader("taxonomies")
    rows: dict[tuple[str, int], dict] = {}
    for file in sorted(part.files):
        if re.fullmatch(PHASE, file) and ("phase", 0) not in rows:
            for at, phase in enumerate(PHASES):
                rows["phase", at] = _class(part, file, "phase", at, phase)
        if not re.fullmatch(COCO, file) or re.fullmatch(HTS, file):
            continue
        try:
            classes = read_document(file, part.files[file]).classes
        except Malformed:
            continue
        kind = "tool" if what_of(file) == "tools" else "object"
        for number, label in sorted(classes.items()):
            known = rows.setdefault((kind, number), _class(part, file, kind, number, label))
            if known["label"] != label:
                reader.reject(
                    file, f"{kind} {number}", "contradicting_label",
                    f"{label}, also {known['label']}",
                    f"two files name one class differently; {known['label']} holds",
                    "correct the list of one of the files",
                )  # fmt: skip
    ordered = [rows[key] for key in sorted(rows)]
    return Rows({"taxonomies": TABLES["taxonomies"].frame(ordered)}, tuple(reader.refused))


def _class(part: PartFiles, file: str, kind: str, number: int, label: str) -> dict:
    return {
        "source": part.source,
        "taxonomy": kind,
        "class_id": number,
        "label": label,
        "terms": [label.lower().replace("_", " ")],
        "refined": REFINED.get((kind, label)),
        "source_file": file,
    }

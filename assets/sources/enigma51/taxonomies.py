"""Vocabularies of ENIGMA-51."""

from __future__ import annotations

import re
from typing import Final

from assets.sources.enigma51.files import (
    CATEGORIES,
    MASTER,
)
from assets.sources.enigma51.master import thing_of
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.json import json_trees
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed
from assets.sources.refined import refined_classes
from expectations.schemas import TABLES

REFINED: Final = refined_classes(__file__, "refined.csv")


def read_taxonomies(part: PartFiles) -> Rows:
    """Interactions, numbered by us, and objects as the master file numbers them."""
    reader = RowReader("taxonomies")
    file = min(part.files, default="")
    if not file:
        return Rows({})
    rows: list[dict] = [
        _class(part.source, file, "action", at, label) for at, label in enumerate(CATEGORIES)
    ]
    labels: dict[int, str] = {}
    for path, data in sorted(part.files.items()):
        if not re.fullmatch(MASTER, path):
            continue
        for class_id, label in sorted(_classes(data)):
            if class_id < 0 or labels.setdefault(class_id, label) != label:
                reader.reject(
                    path, class_id, "contradicting_label", f"{label}, also {labels.get(class_id)}",
                    "objects of one class have several names; one holds", "correct the names",
                )  # fmt: skip
                continue
            rows.append(_class(part.source, path, "object", class_id, label))
    return Rows({"taxonomies": TABLES["taxonomies"].frame(rows)}, tuple(reader.refused))


def _classes(data: bytes) -> set[tuple[int, str]]:
    """Numbers and names of objects; what cannot be read is reported by other parts."""
    found: set[tuple[int, str]] = set()
    try:
        for _, item in json_trees(data):
            things = item.get("objects") if isinstance(item, dict) else None
            for raw in things if isinstance(things, list) else ():
                try:
                    thing = thing_of(raw)
                except Malformed:
                    continue
                found.add((thing.class_id, thing.name))
    except Malformed:
        return found
    return found


def _class(source: str, file: str, kind: str, number_: int, label: str) -> dict:
    words = label.lower().replace("_", " ")
    also = {"first_contact": ["first-contact"], "decontact": ["de-contact"]}.get(label, [])
    return {
        "source": source,
        "taxonomy": kind,
        "class_id": number_,
        "label": label,
        "terms": [words, *also],
        "refined": REFINED.get((kind, label)),
        "source_file": file,
    }

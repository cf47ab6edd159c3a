"""Vocabularies of LEMMA."""

from __future__ import annotations

import re

from assets.sources.layout import PartFiles, Rows
from assets.sources.lemma.files import (
    VOCABULARY,
)
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed
from expectations.schemas import TABLES

_TAXONOMIES = {"ac": "verb", "ob": "object", "ta": "coarse", "ho": "action"}


def read_taxonomies(part: PartFiles) -> Rows:
    """Lists of actions, things, tasks and whole interactions; a class is the place in its list."""
    reader = RowReader("taxonomies")
    rows: list[dict] = []
    seen: set[str] = set()
    for path, data in part.files.items():
        match = re.fullmatch(VOCABULARY, path)
        if match is None:
            continue
        taxonomy = _TAXONOMIES[match[1].removeprefix("all_")[:2]]
        if taxonomy in seen:
            continue
        seen.add(taxonomy)
        for at, row in reader.json(path, data, _label):
            rows.append(
                {
                    "source": part.source,
                    "taxonomy": taxonomy,
                    "class_id": at,
                    **row,
                    "source_file": path,
                }
            )
    return Rows({"taxonomies": TABLES["taxonomies"].frame(rows)}, tuple(reader.refused))


def _label(item: object) -> dict:
    if not isinstance(item, str) or not item.strip():
        raise Malformed(f"class {item!r} is not text", item)
    return {"label": item, "terms": [item]}

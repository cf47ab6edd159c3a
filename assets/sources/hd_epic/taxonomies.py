"""Vocabularies of HD-EPIC."""

from __future__ import annotations

import re

from assets.sources.epic_kitchens.taxonomies import class_rows
from assets.sources.hd_epic.files import CLASSES
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.row_reader import RowReader
from expectations.schemas import TABLES


def read_taxonomies(part: PartFiles) -> Rows:
    """Verb and noun classes."""
    reader = RowReader("taxonomies")
    rows: list[dict] = []
    for path, data in part.files.items():
        match = re.fullmatch(CLASSES, path)
        if match is not None:
            rows += class_rows(reader, part.source, match[1], path, data)
    return Rows({"taxonomies": TABLES["taxonomies"].frame(rows)}, tuple(reader.refused))

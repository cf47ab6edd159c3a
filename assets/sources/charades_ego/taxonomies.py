"""Vocabularies of Charades-Ego."""

from __future__ import annotations

import re

from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed
from expectations.schemas import TABLES

_CLASS = re.compile(r"c(\d{3}) (.+)")


def read_taxonomies(part: PartFiles) -> Rows:
    """The 157 action classes."""
    reader = RowReader("taxonomies")
    rows = []
    for file, data in part.files.items():

        def make(text: str, file: str = file) -> dict:
            match = _CLASS.fullmatch(text)
            if match is None:
                raise Malformed("the line is not a class", text[:80])
            return {
                "source": part.source,
                "taxonomy": "action",
                "class_id": int(match[1]),
                "label": match[2],
                "terms": [match[2]],
                "source_file": file,
            }

        rows += [row for _, row in reader.lines(file, data, make)]
    return Rows({"taxonomies": TABLES["taxonomies"].frame(rows)}, tuple(reader.refused))

"""Vocabularies of Ego-EASG."""

from __future__ import annotations

import re

from assets.sources.easg.files import (
    VOCABULARY,
)
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.row_reader import RowReader
from expectations.schemas import TABLES


def read_taxonomies(part: PartFiles) -> Rows:
    """Verbs and objects of scene graph generation; a class is its line, from 0."""
    reader = RowReader("taxonomies")
    rows = []
    for path, data in part.files.items():
        match = re.fullmatch(VOCABULARY, path)
        if match is None:
            continue
        rows += [
            {
                "source": part.source,
                "taxonomy": "verb" if match[1] == "verbs" else "object",
                "class_id": line - 1,
                **made,
                "source_file": path,
            }
            for line, made in reader.lines(path, data, lambda t: {"label": t, "terms": [t]})
        ]
    return Rows({"taxonomies": TABLES["taxonomies"].frame(rows)}, tuple(reader.refused))

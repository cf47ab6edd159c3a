"""Vocabularies of ExtremeSportFPV."""

from __future__ import annotations

from assets.sources.extremesportfpv.files import ACTIONS
from assets.sources.layout import PartFiles, Rows
from expectations.schemas import TABLES


def read_taxonomies(part: PartFiles) -> Rows:
    """Known actions, numbered by us (see `ACTIONS`)."""
    rows = [
        {
            "source": part.source,
            "taxonomy": "action",
            "class_id": at,
            "label": label,
            "terms": [words],
            "flags": [flag] if flag else [],
            "source_file": file,
        }
        for file in sorted(part.files)
        for at, (label, words, flag) in enumerate(ACTIONS)
    ]
    return Rows({"taxonomies": TABLES["taxonomies"].frame(rows)})

"""Vocabularies of EgoPet."""

from __future__ import annotations

from assets.sources.egopet.files import OBJECTS, set_of
from assets.sources.layout import PartFiles, Rows
from expectations.schemas import TABLES


def read_taxonomies(part: PartFiles) -> Rows:
    """Objects of interactions; the lists name them, the code of the release numbers them."""
    file = next((f for f in sorted(part.files) if set_of(f) == "object_interaction"), None)
    rows = [
        {
            "source": part.source,
            "taxonomy": "object",
            "class_id": number,
            "label": label,
            "terms": [label],
            "source_file": file,
        }
        for number, label in enumerate(OBJECTS if file else ())
    ]
    return Rows({"taxonomies": TABLES["taxonomies"].frame(rows)})

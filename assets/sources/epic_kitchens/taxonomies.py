"""Vocabularies of EPIC-KITCHENS-100 with the outlines of VISOR and the sounds of EPIC-SOUNDS."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from assets.sources.epic_kitchens.files import (
    CLASSES,
)
from assets.sources.epic_kitchens.segments import canonical_word
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import string_list, whole_number
from expectations.schemas import TABLES


def read_taxonomies(part: PartFiles) -> Rows:
    """Verb and noun classes; the second version of the nouns adds classes and changes none."""
    reader = RowReader("taxonomies")
    found: dict[tuple[str, int], dict] = {}
    # The newer list is read first: what the older one says of a class must be the same.
    for path in sorted(part.files, key=lambda p: ("_v2" not in p, p)):
        match = re.fullmatch(CLASSES, path)
        if match is None:
            continue
        name = match[1].partition("_")[0]
        for row in class_rows(reader, part.source, name, path, part.files[path]):
            known = found.setdefault((name, row["class_id"]), row)
            if known["label"] != row["label"]:
                reader.reject(
                    path, row["class_id"], "contradicting_rows", row["label"],
                    f"{known['source_file']} calls the class {known['label']!r}; that is used",
                    "decide which file is right and correct the other",
                )  # fmt: skip
    return Rows({"taxonomies": TABLES["taxonomies"].frame(found.values())}, tuple(reader.refused))


def class_rows(
    reader: RowReader, source: str, taxonomy: str, path: str, data: bytes
) -> Iterator[dict]:
    """Rows of a class file (`id`, `key`, `instances` as a Python list of strings)."""

    def row(values: Mapping[str, str]) -> dict:
        return {
            "source": source,
            "taxonomy": taxonomy,
            "class_id": whole_number(values["id"]),
            "label": canonical_word(values["key"]),
            "terms": string_list(values["instances"]),
            "source_file": path,
        }

    for _, made in reader.csv(path, data, ("id", "key", "instances"), row):
        yield made

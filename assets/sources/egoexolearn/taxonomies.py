"""Vocabularies and split lists of EgoExoLearn: verb, noun and coarse classes, published lists."""

from __future__ import annotations

import re
from collections.abc import Mapping

from assets.sources.egoexolearn.files import SEMANTIC, TAXONOMY
from assets.sources.egoexolearn.lists import closed_positions
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.csv import csv_rows
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed, string_list, whole_number
from expectations.schemas import TABLES


def read_taxonomies(part: PartFiles) -> Rows:
    """Verb, noun and coarse classes."""
    reader = RowReader("taxonomies")
    rows: list[dict] = []
    closed = closed_positions(part.files, reader)
    for path, data in part.files.items():
        if path == SEMANTIC:
            rows += [
                {
                    "source": part.source,
                    "taxonomy": "coarse",
                    "class_id": class_id,
                    "label": name,
                    "terms": [name],
                    "source_file": path,
                }
                for class_id, name in coarse_classes(data, reader).items()
            ]
        elif re.fullmatch(TAXONOMY, path):
            rows += _classes(part.source, path, data, reader)
    for row in rows:
        row["closed_position"] = closed.get((row["taxonomy"], row["class_id"]))
    return Rows({"taxonomies": TABLES["taxonomies"].frame(rows)}, tuple(reader.refused))


def coarse_classes(data: bytes, reader: RowReader) -> dict[int, str]:
    """Names of the coarse classes by number."""
    found: dict[int, str] = {}

    def row(item: object) -> dict:
        if not isinstance(item, dict):
            raise Malformed(f"{item!r} is not a class", item)
        name = item.get("key")
        if not isinstance(name, str) or not name:
            raise Malformed(f"class name {name!r} is not text", name)
        class_id = class_number(item.get("value"))
        if class_id in found:
            raise Malformed(f"class {class_id} is given twice; the first holds", class_id)
        found[class_id] = name
        return {}

    for _ in reader.json(SEMANTIC, data, row):
        pass
    return found


def class_number(value: object) -> int:
    """Number of a coarse class, written as text.

    Raises:
        Malformed: Anything else.
    """
    if not isinstance(value, str) or not (value.isascii() and value.isdecimal()):
        raise Malformed(f"{value!r} is not a class number written as text", value)
    return whole_number(value)


def _classes(source: str, path: str, data: bytes, reader: RowReader) -> list[dict]:
    """Classes of a taxonomy file; a class number is the row's place, so bad rows count too."""
    taxonomy = "verb" if "verb" in path else "noun"
    rows: list[dict] = []
    try:
        for class_id, (line, values) in enumerate(csv_rows(data, ("label", "group"))):
            row = reader.make(path, line, lambda v=values: _class(v))
            if row is not None:
                head = {"source": source, "taxonomy": taxonomy, "class_id": class_id}
                rows.append({**head, **row, "source_file": path})
    except Malformed as error:
        reader.unreadable(path, error)
    return rows


def _class(values: Mapping[str, str] | Malformed) -> dict:
    if isinstance(values, Malformed):
        raise values
    return {"label": values["label"], "terms": string_list(values["group"])}

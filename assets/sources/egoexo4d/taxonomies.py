"""Vocabularies of Ego-Exo4D."""

from __future__ import annotations

import re

from assets.sources.egoexo4d.segments import KEYSTEPS
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.json import document_of, member_of
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed, text_or_none, whole_number
from expectations.schemas import TABLES


def _name(said: object) -> str:
    name = text_or_none(said, "name")
    if name is None:
        raise Malformed("a keystep has no name", said)
    return name


def read_taxonomies(part: PartFiles) -> Rows:
    """Keysteps of all scenarios by their global number."""
    reader = RowReader("taxonomies")
    rows: dict[int, dict] = {}
    labels: dict[int, str] = {}
    for path in (p for p in part.files if re.fullmatch(KEYSTEPS, p)):
        try:
            vocabulary = member_of(document_of(part.files[path]), "vocabulary", dict)
        except Malformed as error:
            reader.unreadable(path, error)
            continue
        for number_, name in vocabulary.items():
            made = reader.make(
                path,
                number_,
                lambda n=number_, t=name: {"id": whole_number(n), "label": _name(t)},
            )
            if made is not None:
                reader.keep_first(labels, made["id"], made["label"], file=path, row=number_)
                rows.setdefault(
                    made["id"],
                    {
                        "source": part.source,
                        "taxonomy": "action",
                        "class_id": made["id"],
                        "label": made["label"],
                        "terms": [made["label"]],
                        "source_file": path,
                    },
                )
    return Rows({"taxonomies": TABLES["taxonomies"].frame(rows.values())}, tuple(reader.refused))

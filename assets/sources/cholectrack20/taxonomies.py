"""Vocabularies of CholecTrack20."""

from __future__ import annotations

import re
from typing import Final

from assets.sources.cholectrack20.files import (
    read_document,
)
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed
from assets.sources.refined import refined_classes
from expectations.schemas import TABLES

REFINED: Final = refined_classes(__file__, "refined.csv")


def read_taxonomies(part: PartFiles) -> Rows:
    """Classes as the annotation files list them; of two labels for one number the first holds."""
    reader = RowReader("taxonomies")
    rows: dict[tuple[str, int], dict] = {}
    for file in sorted(part.files):
        try:
            document = read_document(file, part.files[file], file.split("/")[-2])
        except Malformed:
            # Said by the parts that want its annotations.
            continue
        for kind, listed in document.classes.items():
            for number, label in sorted(listed.items()):
                row = _class(part.source, file, kind, number, label)
                known = rows.setdefault((kind, number), row) if number >= 0 else row
                if known["label"] != label:
                    reader.reject(
                        file,
                        f"{kind} {number}",
                        "contradicting_label",
                        f"{label}, also {known['label']}",
                        f"two files name one class differently; {known['label']} holds",
                        "correct the list of one of the files",
                    )
    ordered = [rows[key] for key in sorted(rows)]
    return Rows({"taxonomies": TABLES["taxonomies"].frame(ordered)}, tuple(reader.refused))


def words_of(label: str) -> str:
    """A label in words: `calotTriangleDissection` as `calot triangle dissection`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|[_-]+", " ", label).lower()


def _class(source: str, file: str, kind: str, number: int, label: str) -> dict:
    return {
        "source": source,
        "taxonomy": kind,
        "class_id": number,
        "label": label,
        "terms": [words_of(label)],
        "refined": REFINED.get((kind, label)),
        "source_file": file,
    }

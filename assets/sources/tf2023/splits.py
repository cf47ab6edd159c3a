"""Published splits of TF2023."""

from __future__ import annotations

from assets.sources.layout import PartFiles, Rows
from assets.sources.tf2023.files import (
    EXO,
    ITEMS,
    recording_of,
)
from expectations.schemas import TABLES


def read_splits(part: PartFiles) -> Rows:
    """Split of each recording, at the place where its list names it first."""
    rows: dict[tuple[str, str], dict] = {}
    for item in part.document(ITEMS):
        for camera in (EXO, item.camera):
            uid = recording_of(item.scene, camera)
            row = {
                "source": part.source,
                "split_set": "TF2023",
                "recording_id": uid,
                "split": item.split,
                "position": item.at,
                "source_file": item.file,
            }
            rows.setdefault((uid, item.split), row)
    return Rows({"splits": TABLES["splits"].frame(rows.values())})

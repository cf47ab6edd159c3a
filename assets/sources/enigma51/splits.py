"""Published splits of ENIGMA-51."""

from __future__ import annotations

from assets.sources.enigma51.files import (
    SPLIT,
)
from assets.sources.enigma51.recordings import named_videos
from assets.sources.layout import PartFiles, Rows
from expectations.schemas import TABLES


def read_splits(part: PartFiles) -> Rows:
    """Videos of the files of points: all of the test split; the other lists are not released there."""
    rows: dict[str, dict] = {}
    for path, data in sorted(part.files.items()):
        for uid in named_videos(path, data):
            rows.setdefault(uid, {"source_file": path})
    # By number: text would put 107 before 46.
    ordered = sorted(rows, key=lambda uid: (int(uid), uid))
    made = [
        {
            "source": part.source, "split_set": "interactions", "recording_id": uid,
            "split": SPLIT, "position": at, **rows[uid],
        }
        for at, uid in enumerate(ordered)
    ]  # fmt: skip
    return Rows({"splits": TABLES["splits"].frame(made)})

"""Published splits of Ego4D in its own JSON."""

from __future__ import annotations

from assets.sources.ego4d.files import EGO4D, chosen
from assets.sources.ego4d.recordings import SPLITS, require_object, require_uid
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.row_reader import RowReader
from expectations.schemas import TABLES

_MIXED = "multi"
"""A video whose clips are in several splits: it is itself in none."""


def read_splits(part: PartFiles) -> Rows:
    """Split of each video by family of tasks (`fho`, `em`, `av`)."""
    reader = RowReader("splits")
    path = chosen(part.large, EGO4D, RowReader("recordings"))
    if path is None:
        return Rows({})
    rows = []
    for at, said in enumerate(
        reader.large_json(path, part.large[path](), ["videos"], lambda _, item: _split(item))
    ):
        for family, split in said["splits"].items():
            if split in (None, _MIXED):
                continue
            if split not in ("train", "val", "test"):
                reader.reject(path, said["uid"], "unknown_split", split,
                             f"split_{family} is not one of train, val and test",
                             "correct the row in ego4d.json", said["uid"])  # fmt: skip
                continue
            rows.append(
                {
                    "source": part.source,
                    "split_set": family,
                    "recording_id": said["uid"],
                    "split": split,
                    "position": at,
                    "source_file": path,
                }
            )
    return Rows({"splits": TABLES["splits"].frame(rows)}, tuple(reader.refused))


def _split(item: object) -> dict:
    video = require_object(item, "a video")
    said = {name: video.get(f"split_{name}") for name in SPLITS}
    return {"uid": require_uid(video.get("video_uid")), "splits": said}

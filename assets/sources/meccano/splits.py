"""Published splits of MECCANO."""

from __future__ import annotations

import re

from assets.sources.layout import PartFiles, Rows
from assets.sources.meccano.files import (
    ACTIONS,
    COCO,
    VERBS,
    is_next,
    split_of,
)
from assets.sources.meccano.recordings import named_videos
from expectations.schemas import TABLES


def read_splits(part: PartFiles) -> Rows:
    """Videos by what was annotated: `actions`, `verbs`, `active_objects`, `next_objects`, ...

    The position is that of the video among those of its split, by number.
    """
    homes: dict[tuple[str, str], dict[str, str]] = {}
    for path in sorted(part.files):
        for uid in sorted(named_videos(path, part.files[path])):
            homes.setdefault((_set_of(path), split_of(path)), {}).setdefault(uid, path)
    rows = [
        {
            "source": part.source, "split_set": name, "recording_id": uid, "split": split,
            "position": at, "source_file": held[uid],
        }
        for (name, split), held in sorted(homes.items())
        for at, uid in enumerate(sorted(held))
    ]  # fmt: skip
    return Rows({"splits": TABLES["splits"].frame(rows)})


def _set_of(path: str) -> str:
    if re.fullmatch(COCO, path):
        return "next_objects" if is_next(path) else "active_objects"
    if re.fullmatch(ACTIONS, path):
        return "actions"
    if re.fullmatch(VERBS, path):
        return "verbs"
    return "gaze" if path.endswith("_gaze-data.csv") else "hands"

"""Published splits of Ego-Exo4D."""

from __future__ import annotations

import re

from assets.sources.egoexo4d.recordings import SPLIT_LIST, SPLITS, TAKE_LIST
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.row_reader import RowReader
from expectations.schemas import TABLES


def read_splits(part: PartFiles) -> Rows:
    """Published splits, of the takes that are here, by the wearer's recording."""
    reader = RowReader("splits")
    takes = part.document(TAKE_LIST)
    path = next((p for p in part.files if re.fullmatch(SPLITS, p)), SPLITS)
    rows = []
    for uid, split in part.document(SPLIT_LIST, reader).items():
        if uid not in takes:
            reader.reject(
                path, uid, "unknown_take", uid, "split of a take that takes.json does not list",
                "restore takes.json, or leave the take out of the list",
            )  # fmt: skip
            continue
        ego = takes[uid].ego
        if ego is not None:
            rows.append(
                {
                    "source": part.source,
                    "split_set": "release",
                    "recording_id": ego.recording_id,
                    "split": split,
                    # The release maps takes to splits and orders nothing.
                    "position": 0,
                    "source_file": path,
                }
            )
    return Rows({"splits": TABLES["splits"].frame(rows)}, tuple(reader.refused))

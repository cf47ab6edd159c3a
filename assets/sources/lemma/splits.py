"""Published splits of LEMMA."""

from __future__ import annotations

import re

from assets.sources.layout import PartFiles, Rows
from assets.sources.lemma.files import (
    EXO,
    SPLIT,
    recording_of,
    view_of,
)
from assets.sources.lemma.intervals import PEOPLE
from assets.sources.lemma.recordings import split_vids
from assets.sources.reading.row_reader import RowReader
from expectations.schemas import TABLES


def read_splits(part: PartFiles) -> Rows:
    """Lists of videos by split; every recording of a listed video that annotations name is in it."""
    reader = RowReader("splits")
    people = part.document(PEOPLE)
    rows = []
    for path, data in part.files.items():
        match = re.fullmatch(SPLIT, path)
        if match is None:
            continue
        for at, vid in split_vids(path, data, reader):
            views = [*(view_of(pid) for pid in sorted(people.get(vid, {}))), EXO]
            rows.extend(
                {
                    "source": part.source,
                    "split_set": match[1],
                    "recording_id": recording_of(vid, view),
                    "split": match[2],
                    "position": at,
                    "source_file": path,
                }
                for view in views
            )
    return Rows({"splits": TABLES["splits"].frame(rows)}, tuple(reader.refused))

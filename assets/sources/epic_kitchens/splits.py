"""Published splits of EPIC-KITCHENS-100 with the outlines of VISOR and the sounds of EPIC-SOUNDS."""

from __future__ import annotations

from assets.sources.epic_kitchens.files import (
    ACTIONS,
    DETECTION,
    SOUNDS,
    in_order,
)
from assets.sources.epic_kitchens.recordings import LISTED
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.row_reader import RowReader
from expectations.schemas import TABLES


def read_splits(part: PartFiles) -> Rows:
    """Videos by list family (`recognition`, `uda_source`, `uda_target`, `sounds`), in list order."""
    reader = RowReader("splits")
    lists = dict(in_order(part.files, (*ACTIONS, *SOUNDS, DETECTION)))
    rows, known = [], set()
    for (family, path), videos in part.document(LISTED, reader).items():
        for at, video in enumerate(videos):
            key = (family, lists[path].split, video)
            if key not in known:
                known.add(key)
                rows.append(
                    {
                        "source": part.source,
                        "split_set": family,
                        "recording_id": video,
                        "split": lists[path].split,
                        "position": at,
                        "source_file": path,
                    }
                )
    return Rows({"splits": TABLES["splits"].frame(rows)}, tuple(reader.refused))

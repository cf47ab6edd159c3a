"""Published splits of EgoExoLearn."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from assets.sources.egoexolearn.files import BUNDLE, uid_or_none
from assets.sources.egoexolearn.lists import listed_recordings
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed
from expectations.schemas import TABLES


def read_splits(part: PartFiles) -> Rows:
    """Published split lists, in their order."""
    reader = RowReader("splits")
    rows: list[dict] = []
    for path, data in part.files.items():
        if not re.fullmatch(BUNDLE, path):
            continue
        view, _, split = PurePosixPath(path).stem.removesuffix("_annotations").rpartition("_")
        rows += [
            {
                "source": part.source,
                "split_set": f"segmentation_{view}",
                "recording_id": uid,
                "split": split,
                "position": line - 1,
                "source_file": path,
            }
            for line, uid in bundle_uids(path, data, reader)
        ]
    for split_set, split, path, uids in listed_recordings(part.files, reader):
        rows += [
            {
                "source": part.source,
                "split_set": split_set,
                "recording_id": uid,
                "split": split,
                "position": position,
                "source_file": path,
            }
            for position, uid in enumerate(uids)
        ]
    return Rows({"splits": TABLES["splits"].frame(rows)}, tuple(reader.refused))


def bundle_uids(path: str, data: bytes, reader: RowReader) -> Iterator[tuple[int, str]]:
    """Recordings of a split list, with their line."""

    def uid_of(line: str) -> dict:
        uid = uid_or_none(line.removesuffix(".txt"))
        if uid is None:
            raise Malformed("line names no recording as `<video_uid>.txt`", line)
        return {"uid": uid}

    for at, row in reader.lines(path, data, uid_of):
        yield at, row["uid"]

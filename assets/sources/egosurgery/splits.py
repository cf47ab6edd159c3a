"""Published splits of EgoSurgery, which contradict each other, and its vocabularies."""

from __future__ import annotations

import re
from typing import Final

from assets.sources.egosurgery.files import (
    COCO,
    LISTED,
    PHASE,
    PHASE_SPLIT,
    read_document,
    split_of,
    video_of,
    what_of,
)
from assets.sources.egosurgery.recordings import phase_split
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed, whole_number
from expectations.schemas import TABLES

PHASE_SET: Final = "phase"
LISTED_SET: Final = "listed"
"""Lists beside the annotations (`splits/ego_train.txt`): a user's own, a third split."""


def read_splits(part: PartFiles) -> Rows:
    """Splits by what they were published for: `tools`, `hands`, ..., `phase`, and lists beside them.

    Lists name videos; a session is in the split of its video.
    """
    reader = RowReader("splits")
    rows: list[dict] = []
    homes: dict[str, str] = {}
    for file in sorted(part.files):
        if match := re.fullmatch(PHASE, file):
            homes.setdefault(match["recording"], file)
        elif re.fullmatch(COCO, file):
            rows += _of_coco(part, file, homes)
    for uid, file in sorted(homes.items()):
        split = phase_split(uid)
        if split is not None:
            position = PHASE_SPLIT[split].index(video_of(uid))
            rows.append(_row(part, PHASE_SET, uid, split, position, file))
    for file in sorted(part.files):
        if re.fullmatch(LISTED, file):
            rows += _of_list(part, file, homes, reader)
    return Rows({"splits": TABLES["splits"].frame(rows)}, tuple(reader.refused))


def _of_coco(part: PartFiles, file: str, homes: dict[str, str]) -> list[dict]:
    try:
        document = read_document(file, part.files[file])
    except Malformed:
        # Said by the part that makes recordings.
        return []
    uids = sorted({picture.shot.recording_id for picture in document.pictures.values()})
    for uid in uids:
        homes.setdefault(uid, file)
    return [_row(part, what_of(file), uid, split_of(file), at, file) for at, uid in enumerate(uids)]


def _of_list(part: PartFiles, file: str, homes: dict[str, str], reader: RowReader) -> list[dict]:
    rows: list[dict] = []
    for at, made in reader.lines(
        file, part.files[file], lambda text: {"video": whole_number(text)}
    ):
        mine = [uid for uid in sorted(homes) if video_of(uid) == made["video"]]
        rows += [_row(part, LISTED_SET, uid, split_of(file), at - 1, file) for uid in mine]
        if not mine:
            reader.reject(
                file, at, "unknown_recording", made["video"],
                "the list names a video of which no annotation is here",
                "restore the video's annotations, or leave it out of the list",
            )  # fmt: skip
    return rows


def _row(part: PartFiles, name: str, uid: str, split: str, position: int, file: str) -> dict:
    return {
        "source": part.source,
        "split_set": name,
        "recording_id": uid,
        "split": split,
        "position": position,
        "source_file": file,
    }

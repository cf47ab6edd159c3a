"""Files of Charades-Ego: where they lie and what they share."""

from __future__ import annotations

import re
from collections.abc import Mapping

from assets.sources.documents import Document
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed, number

LICENCE = "AI2 non-commercial licence"

LIST = (
    r"(?:.*/)?CharadesEgo_v\d_(?P<split>train|test|egocentric_test)(?P<only>_only(?:1st|3rd))?\.csv"
)

CLASSES = r"(?:.*/)?[Cc]harades_v1_classes(?:_\w+)?\.txt"
VIDEO = r"(?:.*/)?CharadesEgo_v1_480/(?P<uid>[A-Z0-9]+)\.mp4"
_COLUMNS = ("id", "actions", "length")


def _parse_lists(
    files: Mapping[str, bytes], reader: RowReader
) -> Mapping[str, tuple[str, Mapping[str, str]]]:
    """Rows of all lists by video, each with its file; lists of one view alone come last."""
    found: dict[str, tuple[str, Mapping[str, str]]] = {}
    for file in sorted(files, key=lambda path: (bool(_list(path)["only"]), path)):
        for _, row in reader.csv(file, files[file], _COLUMNS, _video):
            uid = row["id"]
            first = found.setdefault(uid, (file, row))
            if first[1] != row:
                reader.reject(
                    file, uid, "contradicting_row", row,
                    f"{first[0]} has another row of the video, which is used",
                    "remove one of the rows", uid,
                )  # fmt: skip
            if list_split(first[0]) != list_split(file):
                reader.reject(
                    file,
                    uid,
                    "contradicting_split",
                    list_split(file),
                    f"{first[0]} lists the video as {list_split(first[0])}, which is used",
                    "remove the video from one of the lists",
                    uid,
                )
    return found


def _list(path: str) -> re.Match[str]:
    match = re.fullmatch(LIST, path)
    assert match is not None
    return match


def list_split(path: str) -> str:
    """Split a list belongs to, by its name."""
    return "train" if _list(path)["split"] == "train" else "test"


def _video(row: Mapping[str, str]) -> dict:
    if not re.fullmatch(r"[A-Z0-9]{5,8}", row["id"]):
        raise Malformed("the video has no usable id", row["id"])
    if (length := stated_length(row)) is not None and length <= 0:
        raise Malformed("the video has no length", row["length"])
    return dict(row)


def stated_length(row: Mapping[str, str]) -> float | None:
    """Length of the video in seconds as its list states it, None where it states none."""
    return number(row["length"]) if row["length"].strip() else None


LISTED = Document("recordings", LIST, _parse_lists)
"""Row of each video and the list it is from; `recordings` records what is wrong with the lists."""

"""Where the files of Ego4D lie, and which of several copies counts."""

from __future__ import annotations

import re
from collections.abc import Iterable

from assets.sources.easg.files import CLIP, EGO4D, FPS, LICENCE, UID, uid_or_none
from assets.sources.reading.row_reader import RowReader

_ANNOTATIONS = r"(?:v[12]/)?(?:annotations/)?"
NARRATION = rf"{_ANNOTATIONS}narration\.json"
FHO = rf"{_ANNOTATIONS}fho_main\.json"
VIDEO = rf"(?:v[12]/)?(?:full_scale|video_540ss)/({UID})\.mp4"
GAZE = rf"(?:v[12]/)?gaze/(?P<recording>{UID})\.csv"


def chosen(paths: Iterable[str], pattern: str, reader: RowReader) -> str | None:
    """The file to read: the newer release's, and there the shorter path; others are reported.

    Args:
        paths: Paths under the root.
        pattern: What the file is called.
        reader: Takes the refusal of copies.
    """
    found = sorted(
        (path for path in paths if re.fullmatch(pattern, path)),
        key=lambda p: (p.startswith("v1/"), len(p), p),
    )
    for other in found[1:]:
        reader.reject(
            other, None, "file_twice", found[0],
            "two files of one name tell of the same videos; the other one is read",
            "nothing to do; remove one of the files to silence this",
        )  # fmt: skip
    return found[0] if found else None


__all__ = ["CLIP", "EGO4D", "FHO", "FPS", "GAZE", "LICENCE", "NARRATION", "VIDEO", "chosen",
           "uid_or_none"]  # fmt: skip

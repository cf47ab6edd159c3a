"""Files of CVMHAT: where they lie and what their names tell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

LICENCE: Final = "academic use only, no licence stated"
WIDTH_PX, HEIGHT_PX = 2704, 1520
"""Size of the pictures that the boxes count in where no file states it (inferred: boxes reach 2700
and 1526, and the cameras' 2.7K mode has this size)."""

_ABOVE: Final = r"(?:.+/)?"
_NAME: Final = r"[^/]+_(?:hor|top)"
TXT: Final = rf"{_ABOVE}GT_txt/(?P<recording_txt>{_NAME})\.txt"
XML: Final = rf"{_ABOVE}GT_xml/(?P<recording_xml>{_NAME})/(?P<frame>\d+)\.xml"
MAT: Final = rf"{_ABOVE}GT/(?P<recording_mat>{_NAME})\.mat"
ANNOTATIONS: Final = f"{TXT}|{XML}|{MAT}"
ANY_ANNOTATIONS: Final = ANNOTATIONS.replace("?P<recording_", "?P<name_")
"""The same for the part that reads all recordings together."""
PICTURE: Final = rf"{_ABOVE}({_NAME})/(\d+)\.(?:jpg|png)"

FORMS: Final = {"txt": TXT, "xml": XML, "mat": MAT}
"""Forms in which boxes are released, the one to use first.

The readme of the release describes the first two, and in three recordings MATLAB has narrower boxes.
"""


def take_of(uid: str) -> str:
    """Take of a recording: its name without the view."""
    return uid.rpartition("_")[0]


def is_ego(uid: str) -> bool:
    """Whether a recording is the wearer's own."""
    return uid.endswith("_hor")


def by_recording(files: Mapping[str, bytes]) -> dict[str, dict[str, bytes]]:
    """Annotation files of each recording."""
    found: dict[str, dict[str, bytes]] = {}
    for path, data in files.items():
        match = re.fullmatch(ANNOTATIONS, path)
        if match is not None:
            uid = next(match[f"recording_{n}"] for n in FORMS if match[f"recording_{n}"])
            found.setdefault(uid, {})[path] = data
    return found


def numbers_told(frames: Iterable[int], most: int = 5) -> str:
    """Numbers of pictures for a message, the first few by name."""
    ordered = sorted(frames)
    more = f" and {len(ordered) - most} more" if len(ordered) > most else ""
    return ", ".join(map(str, ordered[:most])) + more

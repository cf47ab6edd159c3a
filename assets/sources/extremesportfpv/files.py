"""Files of ExtremeSportFPV: where they lie and what they share."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from assets.sources.reading.values import Malformed

LICENCE: Final = "unknown"

ACTIONS: Final[tuple[tuple[str, str, str | None], ...]] = (
    ("forward", "forward", "direction"),
    ("left", "left", "direction"),
    ("right", "right", "direction"),
    ("curveleft", "curve left", "direction"),
    ("curveright", "curve right", "direction"),
    ("leftright", "left then right", "direction"),
    ("bumpyforward", "bumpy forward", None),
    ("walk", "walk", None),
    ("run", "run", None),
    ("slidestop", "slide stop", None),
    ("lift", "lift", None),
    ("jump", "jump", "special"),
    ("fly", "fly", "special"),
    ("spin", "spin", "special"),
    ("climb", "climb", "special"),
    ("flip", "flip", "special"),
    ("vault", "vault", "special"),
    ("roll", "roll", "special"),
)
"""Label, its words in questions, and which questions ask for it (options of EgoCross)."""

VIDEO: Final = r"videos/(?:(?P<sport>[^/]+)/)?(?P<uid>VID\d{3,})\.(?:mp4|avi)"
LABELS: Final = "annotations.csv"
SPORTS: Final = "sports.csv"
LABEL_COLUMNS: Final = ("video_id", "start_sec", "end_sec", "label")


def video_uid(values: Mapping[str, str]) -> str:
    """Id of the video that a row names.

    Raises:
        Malformed: The name has another form.
    """
    name = values["video_id"].strip()
    if re.fullmatch(r"VID\d{3,}", name) is None:
        raise Malformed("videos are named VIDnnn", name)
    return name

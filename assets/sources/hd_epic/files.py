"""Names and files of HD-EPIC."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from assets.sources.reading.values import Malformed

LICENCE: Final = "CC-BY-NC-4.0"
FPS: Final = 30.0
SIDE_PX: Final = 1408
_IN: Final = r"(?:.+/)?"
_UID: Final = r"P[0-9]{2}-[0-9]{8}-[0-9]{6}"

VIDEO: Final = _IN + rf"({_UID})\.(?i:mp4)"
URLS: Final = _IN + r"HD_EPIC_YouTube_URLs\.csv"
ACTIVITIES: Final = _IN + r"activities/(P[0-9]{2})_recipe_timestamps\.csv"
RECIPES: Final = _IN + r"complete_recipes\.json"
NARRATIONS: Final = _IN + r"HD_EPIC_Narrations\.csv"
NARRATIONS_PICKLE: Final = _IN + r"HD_EPIC_Narrations\.pkl"
SOUNDS: Final = _IN + r"HD_EPIC_Sounds\.csv"
PRIMING: Final = _IN + r"priming_info\.json"
ASSOCIATIONS: Final = _IN + r"assoc_info\.json"
MASKS: Final = _IN + r"mask_info\.json"
CLASSES: Final = _IN + r"HD_EPIC_(noun|verb)_classes\.csv"
QUESTIONS: Final = _IN + r"vqa-benchmark/([^/]+)\.json"
MULTI_SLAM: Final = _IN + r"SLAM/multi/vrs_to_multi_slam\.json"
STAMPS: Final = _IN + rf"(?P<recording>{_UID})_mp4_to_vrs_time_ns\.csv"
MPS: Final = _IN + (
    rf"mps_(?P<recording_mps>{_UID})_vrs/(?:eye_gaze/(?:general|personalized)_eye_gaze\.csv"
    r"|slam/(?:closed_loop_trajectory\.csv|online_calibration\.jsonl))"
)


def video_id(text: str) -> str:
    """A video's id.

    Raises:
        Malformed: Anything else.
    """
    if not re.fullmatch(_UID, text):
        raise Malformed(f"{text[:40]!r} is not a video id", text)
    return text


def video_or_none(text: object) -> str | None:
    """The text, if it is a video's id."""
    return text if isinstance(text, str) and re.fullmatch(_UID, text) else None


def first_of(files: Iterable[str], pattern: str) -> str | None:
    """The path that matches; of several the shortest."""
    found = [path for path in files if re.fullmatch(pattern, path)]
    return min(found, key=lambda p: (len(p), p), default=None)

"""Names and files of EPIC-KITCHENS-100, VISOR and EPIC-SOUNDS."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from assets.sources.reading.values import Malformed

LICENCE: Final = "CC-BY-NC-4.0"
_IN: Final = r"(?:.+/)?"
VIDEO_INFO: Final = _IN + r"EPIC_100_video_info\.csv"
EXTENSION: Final = _IN + r"Extension_Participants\.csv"
CLASSES: Final = _IN + r"EPIC_100_(noun_classes(?:_v2)?|verb_classes)\.csv"
VIDEO: Final = _IN + r"(P[0-9]{2}_[0-9]{2,3})\.(?i:mp4)"
SPARSE: Final = (
    _IN + r"GroundTruth-SparseAnnotations/annotations/(?:train|val)/"
    r"(?P<recording>P[0-9]{2}_[0-9]{2,3})\.json"
)
DENSE: Final = (
    _IN + r"Interpolations-DenseAnnotations/(?:train|val)/"
    r"(?P<recording_dense>P[0-9]{2}_[0-9]{2,3})_interpolations\.json"
)
STAMPS: Final = _IN + r"frames_to_timestamps\.json"
MAPPING: Final = _IN + r"frame_mapping\.json"
CORRECTIONS: Final = _IN + r"(?:visor|data_preparation)/correct\.json"

ERRATA: Final = frozenset({"P01_109", "P27_103"})
"""Videos whose pictures were extracted wrongly, as the annotations' README says; videos and annotations are right."""

_VIDEO_ID = re.compile(r"(P[0-9]{2})_([0-9]{2,3})")


@dataclass(frozen=True, slots=True)
class Listing:
    """A released list of segments or videos.

    Attributes:
        pattern: Its path.
        family: Split set it belongs to.
        split: Split it states.
        labelled: Whether its rows have narrations and classes.
    """

    pattern: str
    family: str
    split: str
    labelled: bool


ACTIONS: Final = (
    Listing(_IN + r"EPIC_100_train\.csv", "recognition", "train", True),
    Listing(_IN + r"EPIC_100_validation\.csv", "recognition", "val", True),
    Listing(_IN + r"EPIC_100_uda_source_train\.csv", "uda_source", "train", True),
    Listing(_IN + r"EPIC_100_uda_target_val\.csv", "uda_target", "val", True),
    Listing(_IN + r"EPIC_100_test_timestamps\.csv", "recognition", "test", False),
    Listing(_IN + r"EPIC_100_uda_target_train_timestamps\.csv", "uda_target", "train", False),
)
"""Lists of actions; of two that hold one narration, the first counts."""
SOUNDS: Final = (
    Listing(_IN + r"EPIC_Sounds_train\.csv", "sounds", "train", True),
    Listing(_IN + r"EPIC_Sounds_validation\.csv", "sounds", "val", True),
    Listing(_IN + r"EPIC_Sounds_recognition_test_timestamps\.csv", "sounds", "test", False),
)
DETECTION: Final = Listing(
    _IN + r"EPIC_Sounds_detection_test_videos\.csv", "sounds_detection", "test", False
)
LISTS: Final = "|".join(one.pattern for one in (*ACTIONS, *SOUNDS, DETECTION))
SEGMENTS: Final = "|".join(one.pattern for one in (*ACTIONS, *SOUNDS))


def in_order(files: Iterable[str], listings: tuple[Listing, ...]) -> list[tuple[str, Listing]]:
    """Paths of these lists, in the order in which they count."""
    paths = sorted(files)
    return [(p, one) for one in listings for p in paths if re.fullmatch(one.pattern, p)]


def video_or_none(text: str) -> str | None:
    """The text, if it is a video's id."""
    return text if _VIDEO_ID.fullmatch(text) else None


def video_id(text: str) -> str:
    """A video's id.

    Raises:
        Malformed: Anything else.
    """
    if not _VIDEO_ID.fullmatch(text):
        raise Malformed(f"{text[:40]!r} is not a video id", text)
    return text


def participant_of(video: str) -> str:
    """Participant, as text: `P01`."""
    return video[:3]


def is_extension(video: str) -> bool:
    """Whether a video is of the 2020 extension, whose numbers have three digits."""
    return len(video) == 7


def frame_base(video: str) -> int:
    """Frames a second in which released pictures count, whatever the video's own rate."""
    return 50 if is_extension(video) else 60


def noun_words(noun: str) -> str:
    """A noun as people say it: `liquid:washing:up` is a washing up liquid."""
    head, *rest = noun.split(":")
    return " ".join([*rest, head])


def verb_words(verb: str) -> str:
    """A verb as people say it: `put-down` is to put down."""
    return verb.replace("-", " ")

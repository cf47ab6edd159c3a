"""Files of ENIGMA-51: where they lie, how frames are named, and what all of them share."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from assets.sources.reading.json import json_trees
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed, whole_number

LICENCE: Final = "unstated"
FPS: Final = 30
SIZE_PX: Final = (2272, 1278)
"""Size of the videos, in which all pixels are counted."""
CATEGORIES: Final = ("take", "release", "first_contact", "decontact")
"""Kinds of interaction as files write them, in the order in which their names name them (ht, hr, fc,
hd). The release numbers none: the numbers are ours."""

EVENTS: Final = r"(?:.+/)?(?:ht_hr_fc_hd|ht_hr|fc_hd)\.csv"
QUESTIONS: Final = r"(?:.+/)?Q5_ENIGMA_TEST\.json"
MASKS: Final = r"(?:.+/)?exported_SAMHQ_ENIGMA\.json"
MASTER: Final = r"(?:.+/)?ENIGMA-51_annotations_master\.json"
VIDEO: Final = r"(?:.+/)?videos/(?P<video>[0-9]{1,6})\.mp4"
FRAME: Final = r"(?:.+/)?frames/(?P<key>[0-9]{1,6}_[0-9]{1,9})\.(?:jpg|jpeg|png)"
SPLIT: Final = "test"
"""Split of the files of points: they lie in `test_csv`. No file says where the other videos belong."""

SIDES: Final = ("left", "right")
_KEY = re.compile(r"([0-9]{1,6})_([0-9]{1,9})")
_VIDEO = re.compile(r"[0-9]{1,6}")
_WRITTEN = {"firstcontact": "first_contact", "decontact": "decontact"}


class Shot(NamedTuple):
    """A frame of a video; frames count from 0."""

    video: str
    frame: int

    @property
    def t_s(self) -> float:
        """Time from the video's start."""
        return self.frame / FPS

    @property
    def key(self) -> str:
        """Name of the frame, as files write it."""
        return f"{self.video}_{self.frame}"


def shot_of(key: object) -> Shot:
    """A frame by its key, `79_6166`.

    Raises:
        Malformed: Another key.
    """
    match = _KEY.fullmatch(key) if isinstance(key, str) else None
    if match is None:
        raise Malformed("frames are named <video>_<frame>", key)
    return Shot(match[1], int(match[2]))


def video_id(value: object) -> str:
    """Id of a video, as text.

    Raises:
        Malformed: Something else than digits.
    """
    text = str(value).strip() if isinstance(value, str | int) and value is not True else ""
    if not _VIDEO.fullmatch(text):
        raise Malformed("ids of videos are whole numbers", value)
    return text


def frame_number(value: object) -> int:
    """Number of a frame.

    Raises:
        Malformed: No whole number, or one below 0.
    """
    made = whole_number(value)
    if made < 0:
        raise Malformed("frames count from 0", value)
    return made


def category(value: object) -> str:
    """A kind of interaction, also as the paper writes it.

    Raises:
        Malformed: None of `CATEGORIES`.
    """
    text = value.strip().lower() if isinstance(value, str) else ""
    text = _WRITTEN.get(re.sub(r"[-_ ]", "", text), text)
    if text not in CATEGORIES:
        raise Malformed(f"an interaction is one of {', '.join(CATEGORIES)}", value)
    return text


def side(value: object) -> str:
    """Side of a hand.

    Raises:
        Malformed: Neither.
    """
    text = value.strip().lower() if isinstance(value, str) else ""
    if text not in SIDES:
        raise Malformed("a hand is left or right", value)
    return text


def check_time(shot: Shot, stamp_ms: int) -> None:
    """Refuse a timestamp that is not the frame's, to a millisecond.

    Stamps were cut after a division in binary: two of 3,620 are a millisecond less than the quotient.

    Raises:
        Malformed: It is further off.
    """
    cut = shot.frame * 1000 // FPS
    if abs(stamp_ms - cut) > 1:
        raise Malformed(
            f"frame {shot.frame} is at {cut / 1000:.3f} s, not at {stamp_ms / 1000:.3f} s", stamp_ms
        )


def members(file: str, data: bytes, reader: RowReader) -> Iterator[tuple[Shot, object]]:
    """Members of a document by frame; one whose key names no frame is refused."""
    try:
        for key, item in json_trees(data):
            try:
                yield shot_of(key), item
            except Malformed as error:
                said = f"row cannot be read: {error}"
                reader.reject(file, key, "unreadable_row", key, said, "correct the frame's key")
    except Malformed as error:
        reader.unreadable(file, error)

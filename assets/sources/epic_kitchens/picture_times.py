"""When the pictures of VISOR were taken.

VISOR extracted its pictures from the videos anew, and numbers them otherwise than EPIC-KITCHENS does its own. The times in
`frames_to_timestamps.json` go first: there picture n shows (n - 1) / 60 s, or / 50 of the extension, but for 120 of 50,729
pictures. `frame_mapping.json` gives the number that a picture has in EPIC-KITCHENS. Of a recording that neither
names, nobody knows whether its numbers count VISOR's pictures: its outlines have no time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from assets.sources.epic_kitchens.files import ERRATA, MAPPING, STAMPS, frame_base
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed, loose_text, number

# These files hold all recordings and are searched, not parsed: what they look like where they are whole.
_IS_WHOLE: Final = re.compile(
    rb"\A(?:\xef\xbb\xbf)?\s*\{.*_frame_[0-9]+\.jpg\".*\}\s*\Z", re.DOTALL
)
# EPIC-KITCHENS counts pictures at the video's own rate of 59.94 where VISOR counts 60: its number is lower by at most
# one in 900, and by a picture or two at the start.
_DRIFT, _SLACK = 1 / 900, 2


@dataclass(frozen=True, slots=True)
class PictureTimes:
    """Times and numbers of one recording's pictures.

    Attributes:
        uid: The recording.
        stamps: Stated times, in seconds, by the name of the picture.
        numbers: Number among EPIC-KITCHENS' own pictures, by VISOR's number.
    """

    uid: str
    stamps: Mapping[str, float]
    numbers: Mapping[int, int]

    @property
    def are_known(self) -> bool:
        """Whether anything tells the times of the recording's pictures."""
        return bool(self.stamps or self.numbers)

    def at_s(self, name: str, frame: int) -> float | None:
        """When a picture was taken (s from the recording's start); None if nothing tells.

        Args:
            name: Name of the picture.
            frame: VISOR's number of it.
        """
        if not self.are_known:
            return None
        return self.stamps.get(name, (frame - 1) / frame_base(self.uid))


def picture_times(files: Mapping[str, bytes], uid: str, reader: RowReader) -> PictureTimes:
    """Return when the pictures of a recording were taken, and reject what cannot be used.

    Args:
        files: Files of the part, by path.
        uid: The recording.
        reader: Takes what is rejected.
    """
    stamps: dict[str, float] = {}
    numbers: dict[int, int] = {}
    for path, data in files.items():
        is_mapping = re.fullmatch(MAPPING, path) is not None
        if not is_mapping and not re.fullmatch(STAMPS, path):
            continue
        if not _IS_WHOLE.search(data):
            what = "numbers" if is_mapping else "times"
            reader.unreadable(path, Malformed(f"it holds no {what}"), uid)
        if not is_mapping:
            stamps |= dict(_stamps(path, data, uid, reader))
        elif uid in ERRATA:
            reader.reject(
                path, uid, "pictures_in_errata", uid,
                "EPIC-KITCHENS' own pictures of the video are wrong, as its errata say: their numbers are not"
                " used",
                "take the pictures from the video", uid,
            )  # fmt: skip
        else:
            numbers |= dict(_numbers(path, data, uid, reader))
    return PictureTimes(uid, stamps, numbers)


def reject_without_times(path: str, times: PictureTimes, reader: RowReader) -> None:
    """Say that a file's outlines have no time, if nothing tells when the recording's pictures were taken.

    Args:
        path: File with outlines.
        times: What is known of the recording.
        reader: Takes what is rejected.
    """
    if not times.are_known:
        reader.reject(
            path, times.uid, "pictures_without_times", times.uid,
            "neither frames_to_timestamps.json nor frame_mapping.json names a picture of the recording: its"
            " outlines have no time, and no question that needs one shows them",
            "add frames_to_timestamps.json or frame_mapping.json of VISOR", times.uid,
        )  # fmt: skip


def _stamps(path: str, data: bytes, uid: str, reader: RowReader) -> Iterator[tuple[str, float]]:
    """Times of the recording's pictures."""
    pattern = rb'"(' + uid.encode() + rb'_frame_[0-9]+\.jpg)"\s*:\s*([^,}\s]+)'
    for match in re.finditer(pattern, data):
        name, text = match[1].decode(), loose_text(match[2])
        parsed = reader.make(path, name, lambda t=text: {"t": number(t)}, uid)
        if parsed is not None and parsed["t"] >= 0:
            yield name, parsed["t"]


def _numbers(path: str, data: bytes, uid: str, reader: RowReader) -> Iterator[tuple[int, int]]:
    """Numbers of the recording's pictures in EPIC-KITCHENS, by VISOR's; contradictions are rejected."""
    pattern = (
        rb'"'
        + uid.encode()
        + rb'_frame_([0-9]{1,10})\.jpg"\s*:\s*"(?:[^"]*_)?frame_([0-9]{1,10})\.jpg"'
    )
    for match in re.finditer(pattern, data):
        visor, own = int(match[1]), int(match[2])
        if -_SLACK <= visor - own <= visor * _DRIFT + _SLACK:
            yield visor, own
        else:
            reader.reject(
                path, f"{uid}_frame_{visor:010d}.jpg", "mapped_far_away", own,
                f"picture {visor} of VISOR is said to be picture {own} of EPIC-KITCHENS, which shows another time",
                "restore frame_mapping.json from the release", uid,
            )  # fmt: skip

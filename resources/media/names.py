"""Which files look like media by their names, whether or not anything here can read them."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Final

from resources.media.pictures import PICTURES

VIDEOS: Final = (
    ".mp4", ".m4v", ".mov", ".mkv", ".webm", ".avi", ".ts", ".mts", ".m2ts", ".mpg", ".mpeg",
    ".wmv", ".flv", ".3gp", ".ogv", ".mxf", ".h264", ".h265", ".hevc", ".vrs", ".insv", ".360",
)  # fmt: skip
AUDIO: Final = (".wav", ".mp3", ".m4a", ".aac", ".flac", ".ogg", ".opus")
OTHER_PICTURES: Final = (
    ".bmp",
    ".tif",
    ".tiff",
    ".webp",
    ".heic",
    ".heif",
    ".avif",
    ".gif",
    ".insp",
    ".dng",
)
_ENDINGS: Final = frozenset({*VIDEOS, *AUDIO, *OTHER_PICTURES, *PICTURES})


def looks_like_media(path: str) -> bool:
    """Whether a name ends as those of videos, sound or pictures do."""
    return PurePosixPath(path).suffix.lower() in _ENDINGS

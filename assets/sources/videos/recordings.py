"""Recordings of Plain videos."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from assets.sources.layout import Medium, PartFiles, Rows
from assets.sources.recording_rows import video_media
from assets.sources.videos.files import LICENCE
from expectations.schemas import TABLES
from expectations.schemas.identity import digest

_PLAIN = re.compile(r"[A-Za-z0-9_-]+(?:/[A-Za-z0-9_-]+)*\.mp4")
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")
_DEFAULT_VIEW = "exo"


def read_recordings(part: PartFiles) -> Rows:
    """One recording per file."""
    rows = [_recording(part.source, medium) for _, medium in sorted(part.media.items())]
    return Rows({"recordings": TABLES["recordings"].frame(rows)})


def recording_id(path: str) -> str:
    """Id of a file: its path without extension, folders joined by dots, in safe characters.

    It depends on the file's own path alone. What the safe characters lose (other extensions than
    `.mp4`, spaces, letters beyond ASCII) is kept apart by eight digits of the path's hash.
    """
    stem = path.rpartition(".")[0]
    safe = ".".join(_UNSAFE.sub("-", piece) for piece in stem.split("/"))
    return safe if _PLAIN.fullmatch(path) else f"{safe}-{digest([path])[:8]}"


def view_of(path: str) -> str:
    """View told by the folders of a path."""
    folders = [folder.lower() for folder in PurePosixPath(path).parts[:-1]]
    return next((f for f in reversed(folders) if f in {"ego", "exo"}), _DEFAULT_VIEW)


def _recording(source: str, medium: Medium) -> dict:
    uid = recording_id(medium.path)
    return {
        "source": source,
        "recording_id": uid,
        "take_id": uid,
        "view": view_of(medium.path),
        **video_media(medium),
        "licence": LICENCE,
        "source_file": medium.path,
        "source_key": medium.path,
    }

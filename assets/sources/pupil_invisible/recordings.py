"""Recordings of Pupil Invisible."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

from assets.sources.layout import Medium, PartFiles, Rows
from assets.sources.pupil.rows import NEON_SIZE
from assets.sources.pupil_invisible.files import LICENCE
from assets.sources.reading.json import document_of
from assets.sources.reading.values import Malformed, number
from expectations.contracts import Refusal
from expectations.schemas import TABLES

_SHAPES = {"pupil_invisible": (1088, 1080), "neon": NEON_SIZE}


def read_recordings(part: PartFiles) -> Rows:
    """One recording per folder with an `info.json`."""
    refused: list[Refusal] = []
    rows: list[dict] = []
    media: dict[str, list[Medium]] = {}
    for path, medium in part.media.items():
        media.setdefault(PurePosixPath(path).parent.name, []).append(medium)
    for path, data in part.files.items():
        folder = PurePosixPath(path).parent.name
        try:
            info = document_of(data)
            if not isinstance(info, dict):
                raise Malformed("the document is not an object")
            rows.append(_recording(part.source, folder, path, info, media.get(folder, [])))
        except Malformed as error:
            refused.append(
                Refusal(
                    path,
                    None,
                    "unreadable_file",
                    None,
                    f"file cannot be read: {error}",
                    "restore it from the device",
                    table="recordings",
                    recording_id=folder,
                )
            )
    listed = {PurePosixPath(path).parent.name for path in part.files}
    refused.extend(
        Refusal(
            media[folder][0].path,
            None,
            "unknown_recording",
            folder,
            "folder with a video but no info.json",
            "restore info.json",
            table="recordings",
            recording_id=folder,
        )
        for folder in sorted(media.keys() - listed)
    )
    return Rows({"recordings": TABLES["recordings"].frame(rows)}, tuple(refused))


def _recording(
    source: str, folder: str, path: str, info: Mapping[str, object], media: list[Medium]
) -> dict:
    version = str(info.get("data_format_version", ""))
    device = "neon" if version.startswith("2.") else "pupil_invisible"
    files = sorted(media, key=_part_number)
    duration = info.get("duration")
    width, height = _SHAPES[device]
    return {
        "source": source,
        "recording_id": folder,
        "take_id": folder,
        "view": "ego",
        "device": device,
        "media_kind": "video",
        "time_base": "pts",
        "duration_s": None if duration is None else number(duration) * 1e-9,
        "media_duration_s": files[0].duration_s if len(files) == 1 else None,
        "width_px": width,
        "height_px": height,
        "media": "present" if files else "missing",
        "media_paths": [m.path for m in files],
        "media_hashes": [m.content for m in files],
        "licence": LICENCE,
        "source_file": path,
        "source_key": str(info.get("recording_id") or info.get("recording_uuid") or folder),
    }


def _part_number(medium: Medium) -> tuple[int, str]:
    match = re.search(r"ps(\d+)\.mp4$", medium.path)
    return (int(match[1]) if match else 0, medium.path)

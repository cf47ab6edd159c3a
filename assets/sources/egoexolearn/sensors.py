"""Gaze of EgoExoLearn: from a recording's Pupil Invisible folder, or the released array."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePosixPath

from assets.sources.layout import PartFiles, Rows
from assets.sources.pupil.files import read_npy
from assets.sources.pupil_invisible.sensors import read_gaze as read_folder


def read_gaze(part: PartFiles) -> Rows:
    """Gaze of one recording: its Pupil Invisible folder, or the released array."""
    if part.recording is None:
        raise ValueError("gaze is read per recording")
    folders = {str(PurePosixPath(path).parent) for path in part.files}
    raw = sorted((f for f in folders if f.startswith("pupil/")), key=lambda f: (len(f), f))
    if raw:
        media: list[str] = list(part.recording["media_paths"])  # type: ignore[call-overload]
        shown = {str(PurePosixPath(path).parent) for path in media}
        chosen = next((f for f in raw if f in shown), raw[0])
        files = {p: d for p, d in part.files.items() if str(PurePosixPath(p).parent) == chosen}
        return read_folder(replace(part, files=files))
    uid = str(part.recording["recording_id"])
    path = min(part.files)
    made = read_npy(part.files[path], source=part.source, recording_id=uid, file=path)
    tables = {"gaze_samples": made.gaze, "frame_stamps": made.clocks, "cameras": made.cameras}
    return Rows(tables, tuple(made.refusals))

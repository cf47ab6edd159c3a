"""Gaze, frame stamps and calibration of Pupil Invisible (and Neon) recordings."""

from __future__ import annotations

from pathlib import PurePosixPath

from assets.sources.layout import PartFiles, Rows
from assets.sources.pupil.files import classify, read_cloud, read_native
from expectations.contracts import Refusal


def read_gaze(part: PartFiles) -> Rows:
    """Gaze, clocks and calibration of one folder."""
    recording = part.recording
    if recording is None:
        raise ValueError("gaze is read per recording")
    uid = str(recording["recording_id"])
    paths: list[str] = list(recording["media_paths"])  # type: ignore[call-overload]
    folder = PurePosixPath(min(part.files)).parent
    files = {PurePosixPath(path).name: data for path, data in part.files.items()}
    names = [*files, *(PurePosixPath(p).name for p in paths)]
    kind = classify(names)
    if kind is None:
        said = Refusal(
            str(folder),
            None,
            "no_gaze",
            ", ".join(sorted(files)),
            "folder holds no gaze that is known",
            "restore the gaze files",
            table="gaze_samples",
            recording_id=uid,
        )
        return Rows({}, (said,))
    read = read_native if kind == "native" else read_cloud
    made = read(files, source=part.source, recording_id=uid, names=names, folder=str(folder))
    tables = {"gaze_samples": made.gaze, "frame_stamps": made.clocks, "cameras": made.cameras}
    return Rows(tables, tuple(made.refusals))

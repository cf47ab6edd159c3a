"""Where the files of Pupil Invisible recordings lie."""

from __future__ import annotations

LICENCE = "own recording"

# Files of a folder that gaze, clocks and calibration are read from.
GAZE_FILES = (
    r"(?:info\.json|gaze\.dtype|scene_camera\.json|calibration\.bin|(?:gaze|blinks|world_timestamps)\.csv"
    r"|(?:gaze|worn)(?: ps\d+|_200hz)\.(?:raw|time)"
    r"|(?:PI world|Neon Scene Camera) v1 ps\d+\.time)"
)

SCENE_VIDEO = r"(?!PI left|PI right|Neon Sensor|eye)[^/]+\.mp4"

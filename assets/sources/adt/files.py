"""Files of Aria Digital Twin: where they lie and what they share."""

from __future__ import annotations

LICENCE = "Aria Digital Twin Dataset License Agreement"
META = r"[^/]+(?:/[^/]+)?/(?:metadata|gt-metadata)\.json"
PREVIEW = r"([^/]+)/(?:[^/]+_)?preview_rgb\.mp4"
_OF = r"(?P<recording>[^/]+)/"

SENSORS = _OF + (
    r"(?:aria_trajectory\.csv|eyegaze\.csv|2d_bounding_box\.csv|metadata\.json|Skeleton_[^/]+\.json"
    r"|skeleton_aria_association\.json|mps/slam/online_calibration\.jsonl"
    r"|mps/slam/closed_loop_trajectory\.csv"
    r"|mps/eye_gaze/(?:general|generalized|personalized)_eye_gaze\.csv)"
)

OBJECTS = _OF + (
    r"(?:(?:aria_trajectory|2d_bounding_box|3d_bounding_box|scene_objects)\.csv|instances\.json)"
)

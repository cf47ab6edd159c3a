"""Pupil Invisible (and Neon) recordings: native Companion folders and Cloud exports, one per folder.

The wearer's name and profile are never read.
"""

from __future__ import annotations

from pathlib import Path

from assets.sources.layout import Layout, Part
from assets.sources.pupil_invisible.files import GAZE_FILES, LICENCE, SCENE_VIDEO
from assets.sources.pupil_invisible.recordings import read_recordings
from assets.sources.pupil_invisible.sensors import read_gaze

LAYOUT = Layout(
    name="pupil_invisible",
    folder=Path(__file__).parent,
    title="Pupil Invisible recordings",
    licence=LICENCE,
    certainty="verified",
    assumed=(
        "native folders of Pupil Invisible (those of Neon, which have the same form, were seen)"
    ),
    parts=(
        Part("recordings", read_recordings, r"[^/]+/info\.json", rf"[^/]+/{SCENE_VIDEO}"),
        Part("sensors", read_gaze, rf"(?P<recording>[^/]+)/{GAZE_FILES}"),
    ),
)

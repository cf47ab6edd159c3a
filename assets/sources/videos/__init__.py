"""Plain videos: a folder of video files without annotations, each one a recording.

The view is `ego` or `exo` where a folder on the way to the file is named so, whatever its case (the
innermost counts), else `exo`: most video in the world is an observer's. Audio files and pictures
are not part of it. Whether a file can be read is decided by the frame index, not here.
"""

from __future__ import annotations

from pathlib import Path

from assets.sources.layout import Layout, Part
from assets.sources.videos.files import LICENCE
from assets.sources.videos.recordings import read_recordings

LAYOUT = Layout(
    name="videos",
    folder=Path(__file__).parent,
    title="Plain videos",
    licence=LICENCE,
    certainty="verified",
    parts=(Part("recordings", read_recordings, None, r"(?s:.+)\.(?i:mp4|m4v|mov|mkv|webm|avi)"),),
)

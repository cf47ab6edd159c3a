"""Aria Digital Twin, version 2: one folder per recording, ground truth as csv files.

Verified on the test sequence of projectaria_tools. The pixels lie in `video.vrs`, which is not read
here; `preview_rgb.mp4` beside it (upright) is. Recording time starts at the first RGB frame. The
world of each recording is turned so that z is up. Sequences of version 1 and those known to be
corrupt are refused by name.
"""

from __future__ import annotations

from pathlib import Path

from assets.sources.adt.files import LICENCE, META, OBJECTS, PREVIEW, SENSORS
from assets.sources.adt.objects import read_objects
from assets.sources.adt.recordings import read_recordings
from assets.sources.adt.sensors import read_sensors
from assets.sources.layout import Layout, Part

LAYOUT = Layout(
    name="adt",
    folder=Path(__file__).parent,
    title="Aria Digital Twin",
    licence=LICENCE,
    certainty="verified",
    parts=(
        Part("recordings", read_recordings, META, PREVIEW),
        Part("sensors", read_sensors, SENSORS, needs=("recording_id",)),
        Part("objects", read_objects, OBJECTS, needs=("recording_id",)),
    ),
)

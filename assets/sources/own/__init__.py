"""Own recordings: a video, a scene graph in JSON and gaze in CSV (docs/own-recordings.md)."""

from __future__ import annotations

from pathlib import Path

from assets.sources.layout import Layout, Part
from assets.sources.own.files import GAZE, GRAPH, GRAPH_FILE, LICENCE, VIDEO
from assets.sources.own.objects import read_objects
from assets.sources.own.recordings import read_recordings
from assets.sources.own.segments import read_segments
from assets.sources.own.sensors import read_gaze

LAYOUT = Layout(
    name="own",
    folder=Path(__file__).parent,
    title="Own recordings",
    licence=LICENCE,
    certainty="verified",
    parts=(
        Part("recordings", read_recordings, GRAPH_FILE, VIDEO),
        Part("segments", read_segments, GRAPH, needs=("recording_id",)),
        Part("sensors", read_gaze, GAZE, needs=("recording_id", "view", "width_px", "height_px")),
        Part("objects", read_objects, GRAPH, needs=("recording_id",)),
    ),
)

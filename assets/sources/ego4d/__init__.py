"""Ego4D in its own JSON: videos, narrations, hands and objects, gaze.

No body of `ego4d.json`, `narration.json` or `fho_main.json` could be looked at; the layout is that of
the published schemas and of code that reads the release. Traps: videos are 30 frames a second;
fields called `clip_*` count from the clip, all others from the video; videos of several cameras are
tied by sets with offsets, of which some are not valid; actions may be rejected or no actions at all.

- Annotations lie on whole videos. A clip is a recording of its own where it is here without its
  video, on the clock of that video's take; annotations are not copied to it.
- Gaze does not say whether y counts from the top or the bottom: all its samples are `flagged`.
- `fho_hands_*.json` is not read: what it calls hands are two numbers, their middle, and no boxes.
"""

from __future__ import annotations

from pathlib import Path

from assets.sources.ego4d.files import CLIP, EGO4D, FHO, GAZE, LICENCE, NARRATION, VIDEO
from assets.sources.ego4d.objects import read_objects
from assets.sources.ego4d.recordings import read_recordings
from assets.sources.ego4d.segments import read_segments
from assets.sources.ego4d.sensors import read_sensors
from assets.sources.ego4d.splits import read_splits
from assets.sources.layout import Layout, Part

LAYOUT = Layout(
    name="ego4d",
    folder=Path(__file__).parent,
    title="Ego4D",
    licence=LICENCE,
    certainty="documented",
    assumed=(
        "how release 2 wraps its narrations; gaze does not say where y counts from, and "
        "all of it is flagged"
    ),
    parts=(
        Part("recordings", read_recordings, None, rf"{VIDEO}|{CLIP}", large=EGO4D),
        Part("segments", read_segments, None, large=rf"{NARRATION}|{FHO}"),
        Part("sensors", read_sensors, GAZE, needs=("recording_id",)),
        Part("objects", read_objects, None, large=FHO),
        Part("splits", read_splits, None, large=EGO4D),
    ),
)

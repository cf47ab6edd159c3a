"""MECCANO: assembly of a toy motorbike, seen from the builder's head.

**No file was looked at**: the release is behind a form; what is read here is what its loaders and third parties' loaders read
(see the formats note). Assumed, each to be checked on a real download:

- Zips unpack into a folder of their own name inside a folder of that name; both depths are taken.
- Actions are `video_id,action_id,action_name,start_frame,end_frame` with or without that header, frames
  as names of files (`00010.jpg`). The end is inclusive. Frame 1 is time 0, at 12 frames a second.
- `video_id` may have lost its zeros (`1` is `0001`). Verbs are taken to have the columns of actions.
- Boxes are COCO; their `file_name` has a video of two digits (`01_00123.jpg`), videos have four.
  Objects that *are* active and those that *will be next* lie in files of one name, told apart by
  the folder: the latter have the prefix `next active` in their class and `next_objects` in
  `annotated_frames`, so that nothing counts them as touched. Class numbers are the files' own.
- Hands are an export of VGG's annotator with JSON in cells. `SX_Hand` is the **left** hand (Italian
  *sinistra*), `DX_Hand` the right. `region_count` 0: looked at, no hand.
- Gaze has a header whose names are unknown: columns count by place (name of the frame, stamp of
  unknown unit, x, y in pixels of 1920x1080). About 16 rows of 200 Hz share a frame; they are
  spread evenly over it. Values outside the picture are kept and marked.
- Actions are `keystep` segments (steps of the assembly), verbs `atomic`; both overlap.
- Depth is not read.
"""

from __future__ import annotations

from pathlib import Path

from assets.sources.layout import Layout, Part
from assets.sources.meccano.files import (
    ACTIONS,
    ANY_GAZE,
    COCO,
    FRAME,
    GAZE,
    HANDS,
    LICENCE,
    VERBS,
    VIDEO,
)
from assets.sources.meccano.objects import read_objects
from assets.sources.meccano.recordings import read_recordings
from assets.sources.meccano.segments import read_segments
from assets.sources.meccano.sensors import read_sensors
from assets.sources.meccano.splits import read_splits
from assets.sources.meccano.taxonomies import read_taxonomies

_LISTING = f"{ACTIONS}|{VERBS}|{COCO}|{HANDS}|{ANY_GAZE}"

LAYOUT = Layout(
    name="meccano",
    folder=Path(__file__).parent,
    title="MECCANO",
    licence=LICENCE,
    certainty="documented",
    assumed="the columns of verbs and of gaze, and that frame 1 is time 0",
    redistribution="forbidden",
    parts=(
        Part("recordings", read_recordings, _LISTING, f"{VIDEO}|{FRAME}"),
        Part("segments", read_segments, f"{ACTIONS}|{VERBS}"),
        Part("sensors", read_sensors, GAZE, needs=("recording_id",)),
        Part("objects", read_objects, f"{COCO}|{HANDS}"),
        Part("taxonomies", read_taxonomies, f"{ACTIONS}|{VERBS}|{COCO}"),
        Part("splits", read_splits, _LISTING),
    ),
)

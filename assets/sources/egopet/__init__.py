"""EgoPet: videos from cameras that animals wear, with interactions and trajectories.

The lists are read as released; trajectories, which could not be looked at, as the loader of the
release reads them. Traps:

- Videos are foldered in two ways (`training_set/edited_.../`, `train/<animal>/`); the stem of the
  file is the key. Numbers in lists lack the zeros that stems have (see `egopet_files`).
- `egopet_pretrain.csv` has no header and spaces for commas.
- `ds_type` says `training_set` in one list and `train` in the other.
- Interactions are lists with semicolons, NONE among them; times are `M:SS` (see `egopet_segments`).
- Two segments are a dog in one list and a cat in another: their animal is null.
- Paths have no scale (`camera_poses.metric` is false).
- The spreadsheet of the release is not read: it holds personal data of uploaders, and nothing
  beside them that the lists do not say.
"""

from __future__ import annotations

from pathlib import Path

from assets.sources.egopet.files import LICENCE, LIST, TRAJECTORY, VIDEO
from assets.sources.egopet.recordings import read_recordings
from assets.sources.egopet.segments import read_segments
from assets.sources.egopet.sensors import read_sensors
from assets.sources.egopet.splits import read_splits
from assets.sources.egopet.taxonomies import read_taxonomies
from assets.sources.layout import Layout, Part

LAYOUT = Layout(
    name="egopet",
    folder=Path(__file__).parent,
    title="EgoPet",
    licence=LICENCE,
    certainty="verified",
    parts=(
        Part("recordings", read_recordings, LIST, VIDEO),
        Part("segments", read_segments, LIST),
        Part("sensors", read_sensors, TRAJECTORY, needs=("recording_id",)),
        Part("taxonomies", read_taxonomies, LIST),
        Part("splits", read_splits, LIST),
    ),
)

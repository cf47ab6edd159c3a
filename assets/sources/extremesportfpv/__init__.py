"""ExtremeSportFPV: videos from cameras on skiers, riders and runners, with labelled actions.

No file of the dataset is public. The layout is assumed, from the questions EgoCross made of it:
videos `VIDnnn`, labels such as `curveleft` or `jump`, five sports.

- `videos/VIDnnn.mp4`, or `videos/<sport>/VIDnnn.mp4`;
- optionally `annotations.csv` with `video_id,start_sec,end_sec,label`;
- optionally `sports.csv` with `video_id,sport`.

The sport is the recording's `scenario`. Labels are actions: those that tell where the wearer moves
carry the flag `direction` in `taxonomies`, tricks carry `special`; numbers of classes are ours,
since nothing numbers them.
"""

from __future__ import annotations

import re
from pathlib import Path

from assets.sources.extremesportfpv.files import LABELS, LICENCE, SPORTS, VIDEO
from assets.sources.extremesportfpv.recordings import read_recordings
from assets.sources.extremesportfpv.segments import read_segments
from assets.sources.extremesportfpv.taxonomies import read_taxonomies
from assets.sources.layout import Layout, Part

LAYOUT = Layout(
    name="extremesportfpv",
    folder=Path(__file__).parent,
    title="ExtremeSportFPV (layout assumed)",
    licence=LICENCE,
    certainty="inferred",
    assumed="all of it: no file of the dataset is public",
    parts=(
        Part(
            "recordings",
            read_recordings,
            rf"{re.escape(LABELS)}|{re.escape(SPORTS)}",
            VIDEO,
        ),
        Part("segments", read_segments, re.escape(LABELS)),
        Part("taxonomies", read_taxonomies, re.escape(LABELS)),
    ),
)

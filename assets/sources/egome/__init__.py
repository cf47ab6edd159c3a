"""EgoMe: a person watches a demonstration (exo) and imitates it later (ego).

Both recordings come from the same glasses, on clocks that have nothing in common; what ties them is
the stem of their names. They are takes of their own here, the second imitates the first. No raw file
was seen: the layout is that of projects that read the release. Traps: keys of the annotation end in
`.mp4`; the list of all repeats the lists of the splits; descriptions begin with a letter and a colon;
a coarse description has no times and means the whole video; steps without a description; imitations
that are wrong on purpose; gaze in pixels with -1 where there is none, columns in any order.
"""

from __future__ import annotations

from pathlib import Path

from assets.sources.egome.files import ANNOTATIONS, GAZE, LICENCE, VIDEO
from assets.sources.egome.recordings import read_recordings
from assets.sources.egome.segments import read_segments
from assets.sources.egome.sensors import read_sensors
from assets.sources.layout import Layout, Part

LAYOUT = Layout(
    name="egome",
    folder=Path(__file__).parent,
    title="EgoMe",
    licence=LICENCE,
    certainty="inferred",
    assumed=(
        "all of it: no file of the release was seen, and names and forms are those that "
        "projects reading it use"
    ),
    parts=(
        Part("recordings", read_recordings, ANNOTATIONS, VIDEO),
        Part("segments", read_segments, ANNOTATIONS),
        Part("sensors", read_sensors, GAZE),
    ),
)

"""EgoSurgery: open surgery from a surgeon's head, with phases (Phase), boxes (Tool), masks (HTS).

Phases and boxes of tools are read as they lie in real files; where files of hands and of HTS lie,
and how pictures are foldered, is taken from papers and third-party code. Traps:

- Sessions of a video count pictures each for itself, at 0.5 a second, from numbers above 1; no file
  states a time (see `STEP_S`). Spans of phases are known to 2 s.
- 547 gaps in the files of phases are unannotated; so is a picture that no COCO file lists. A listed
  picture without annotations holds no tool.
- Ids start at 0 in every COCO file, videos at 1; `frame_id` is not a number of a picture. Classes are
  numbered from 0, and tools, hands and HTS each have a list of their own.
- Phase and Tool split the same videos differently: `recordings.split` is Tool's, `segments.split`
  Phase's, `splits` holds both.
- Names come without zeros in derived data (`04_1_640.jpg`).
- Masks of HTS have the method `mask` and cover `hts_tools`, `hts_hands`, `hts_hand_tools`: they show
  the tools that are boxed too, and are not to be counted with them.
"""

from __future__ import annotations

from pathlib import Path

from assets.sources.egosurgery.files import ANY_PHASE, COCO, LICENCE, LISTED, PHASE, PICTURE
from assets.sources.egosurgery.objects import read_objects
from assets.sources.egosurgery.recordings import read_recordings
from assets.sources.egosurgery.segments import read_segments
from assets.sources.egosurgery.splits import read_splits
from assets.sources.egosurgery.taxonomies import read_taxonomies
from assets.sources.layout import Layout, Part

LAYOUT = Layout(
    name="egosurgery",
    folder=Path(__file__).parent,
    title="EgoSurgery",
    licence=LICENCE,
    certainty="documented",
    assumed="where hands and masks lie, and the two seconds from one picture to the next",
    parts=(
        Part("recordings", read_recordings, f"{COCO}|{ANY_PHASE}", PICTURE),
        Part("segments", read_segments, PHASE, needs=("recording_id",)),
        Part("objects", read_objects, COCO),
        Part("taxonomies", read_taxonomies, f"{COCO}|{ANY_PHASE}"),
        Part("splits", read_splits, f"{COCO}|{ANY_PHASE}|{LISTED}"),
    ),
)

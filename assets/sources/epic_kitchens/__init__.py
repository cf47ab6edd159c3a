"""EPIC-KITCHENS-100 with the outlines of VISOR and the sounds of EPIC-SOUNDS.

Verified on the released lists; the bodies of VISOR's files are known from the code that loads them.
Pictures extracted from the videos (`rgb_frames`) are not read: the videos are. What each list says
is one row per narration, whichever lists repeat it.
"""

from __future__ import annotations

from pathlib import Path

from assets.sources.epic_kitchens.files import (
    CLASSES,
    CORRECTIONS,
    DENSE,
    EXTENSION,
    LICENCE,
    LISTS,
    MAPPING,
    SEGMENTS,
    SPARSE,
    STAMPS,
    VIDEO,
    VIDEO_INFO,
)
from assets.sources.epic_kitchens.objects import read_objects
from assets.sources.epic_kitchens.recordings import read_recordings
from assets.sources.epic_kitchens.segments import read_segments
from assets.sources.epic_kitchens.splits import read_splits
from assets.sources.epic_kitchens.taxonomies import read_taxonomies
from assets.sources.layout import Layout, Part

LAYOUT = Layout(
    name="epic_kitchens",
    folder=Path(__file__).parent,
    title="EPIC-KITCHENS-100, VISOR, EPIC-SOUNDS",
    licence=LICENCE,
    certainty="documented",
    assumed="`class_id`, `exhaustive` and the ids in the files of VISOR, and the form of frame_mapping.json",
    parts=(
        Part("recordings", read_recordings, rf"{VIDEO_INFO}|{EXTENSION}|{LISTS}", VIDEO),
        Part("segments", read_segments, rf"{VIDEO_INFO}|{SEGMENTS}"),
        Part(
            "objects",
            read_objects,
            rf"{SPARSE}|{DENSE}|{STAMPS}|{MAPPING}|{CORRECTIONS}",
            needs=("recording_id",),
        ),
        Part("taxonomies", read_taxonomies, CLASSES),
        Part("splits", read_splits, LISTS),
    ),
)

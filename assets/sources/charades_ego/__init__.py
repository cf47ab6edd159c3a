"""Charades-Ego: the same script acted twice, once filmed by an observer and once by the actor.

The two recordings of a pair are asynchronous takes of their own, tied by `take_links`. Traps: cells
that hold lists apart by semicolons; the list of first-person videos repeats what the full list says;
actions that end behind their video (they are cut, the stated end is kept) or before they begin;
videos without a stated length, whose descriptions have no interval to stand in.
Version 1 of the release adds two columns (whether a video is egocentric, and its partner); only
version 0 was seen.
"""

from __future__ import annotations

from pathlib import Path

from assets.sources.charades_ego.files import CLASSES, LICENCE, LIST, VIDEO
from assets.sources.charades_ego.recordings import read_recordings
from assets.sources.charades_ego.segments import read_segments
from assets.sources.charades_ego.taxonomies import read_taxonomies
from assets.sources.layout import Layout, Part

LAYOUT = Layout(
    name="charades_ego",
    folder=Path(__file__).parent,
    title="Charades-Ego",
    licence=LICENCE,
    certainty="documented",
    assumed="the two columns that version 1 adds (version 0 was seen)",
    parts=(
        Part("recordings", read_recordings, LIST, VIDEO),
        Part("segments", read_segments, LIST),
        Part("taxonomies", read_taxonomies, CLASSES),
    ),
)

"""Ego-EASG: graphs of what the wearer of Ego4D clips does to which thing, with boxes and hands.

Traps, seen in the real files: the graphs for language models count frames of the whole video, the
pickles those of the clip; `min_ts` and `max_ts` are frames; 18 graphs are empty; one clip may have
several graphs of one PNR; `left_hand` and `left hand` are one; `both_hands` is two boxes; boxes
reach beyond the picture; entries are repeated. Several files tell of one graph and are joined.
"""

from __future__ import annotations

from pathlib import Path

from assets.sources.easg.files import CLIP, GRAPHS, LICENCE, NARRATIONS, VIDEO_UIDS, VOCABULARY
from assets.sources.easg.objects import read_objects
from assets.sources.easg.recordings import read_recordings
from assets.sources.easg.segments import read_segments
from assets.sources.easg.taxonomies import read_taxonomies
from assets.sources.layout import Layout, Part

LAYOUT = Layout(
    name="easg",
    folder=Path(__file__).parent,
    title="Ego-EASG (Ego4D)",
    licence=LICENCE,
    certainty="verified",
    parts=(
        Part("recordings", read_recordings, rf"{GRAPHS}|{VIDEO_UIDS}", CLIP),
        Part("segments", read_segments, rf"{GRAPHS}|{NARRATIONS}"),
        Part("objects", read_objects, GRAPHS),
        Part("taxonomies", read_taxonomies, VOCABULARY),
    ),
)

"""ENIGMA-51: repair of electronic boards at a bench, seen from the worker's head.

What is known of each file:

- Points of interaction (`ht_hr_fc_hd.csv`, `ht_hr.csv`, `fc_hd.csv`) were seen. They name neither hand
  nor object, and cover the 16 videos of the test split. One event may stand in two files: it is one.
  The frame is the truth; the timestamp is frame / 30 cut (not rounded) to milliseconds. The paper
  writes `first-contact` and `de-contact`, files `first_contact` and `decontact`; files count.
- A third party's questions (`Q5_ENIGMA_TEST.json`) were seen: options are objects, given as boxes in
  frames; the right one is counted from 1. Their boxes become boxes where the master file has none.
- Outlines (`exported_SAMHQ_ENIGMA.json`) are known from the release's notebook: polygons in pixels of
  2272x1278 whatever the size of the stored picture, objects by number only. Machine-made: `mask`.
- `ENIGMA-51_annotations_master.json` is known by name only. **Its fields are assumed** (see
  `enigma51_master`); only this file says which hand and which object.
- Keypoints of hands (`exported_hands_keypoints.json`) are left out: they name no side, and no table
  holds joints in pictures; boxes around them would count hands a second time.

Ids of videos are numbers and kept as text; frames are not padded with zeros, so keys
(`<video>_<frame>`) are never put in order as text.
"""

from __future__ import annotations

from pathlib import Path

from assets.sources.enigma51.files import EVENTS, FRAME, LICENCE, MASKS, MASTER, QUESTIONS, VIDEO
from assets.sources.enigma51.objects import read_objects
from assets.sources.enigma51.questions import read_questions
from assets.sources.enigma51.recordings import read_recordings
from assets.sources.enigma51.segments import read_segments
from assets.sources.enigma51.splits import read_splits
from assets.sources.enigma51.taxonomies import read_taxonomies
from assets.sources.layout import Layout, Part

LAYOUT = Layout(
    name="enigma51",
    folder=Path(__file__).parent,
    title="ENIGMA-51",
    licence=LICENCE,
    certainty="documented",
    assumed=(
        "every field of ENIGMA-51_annotations_master.json, the only file that says which "
        "hand and which object"
    ),
    redistribution="forbidden",
    parts=(
        Part(
            "recordings",
            read_recordings,
            f"{EVENTS}|{MASTER}|{MASKS}|{QUESTIONS}",
            f"{VIDEO}|{FRAME}",
        ),
        Part("segments", read_segments, f"{EVENTS}|{MASTER}"),
        Part("objects", read_objects, f"{MASTER}|{MASKS}|{QUESTIONS}"),
        Part("questions", read_questions, QUESTIONS),
        Part("taxonomies", read_taxonomies, f"{EVENTS}|{MASTER}"),
        Part("splits", read_splits, EVENTS),
    ),
)

"""CholecTrack20: laparoscopic videos with boxes of tools, their hands, tracks, phases and actions.

No real annotation file may be redistributed, so the form is that of the release's own code and
figure. Traps:

- Training and validation lie as pictures, one a second (`Frames/%06d.png`, step 25, from 1),
  testing as mp4 of 25 fps; t = (number - 1) / 25. Pictures and annotations are joined by number;
  sets of both differ, and no nearest frame is taken.
- The annotations released as VID31's describe VID30, whose own are unknown: both are quarantined.
- Annotation files are named `VIDxx.json`, `vidxx.json` or, in third-party copies,
  `vidxx_repaired.json`; one is used. A file that names another video is refused.
- Boxes are left, top, width, height over the picture's sides and reach a little beyond it; numbers
  far over 1 are pixels.
- Ids -1 and -2 stand for unknown. Verbs and targets are read where the file lists their names.
- Flags of a picture (smoke, blur, ...) and the two other kinds of tracks are not read: no table
  holds them.
"""

from __future__ import annotations

from pathlib import Path

from assets.sources.cholectrack20.files import ANNOTATIONS, ANY_ANNOTATIONS, LICENCE, PICTURE, VIDEO
from assets.sources.cholectrack20.objects import read_objects
from assets.sources.cholectrack20.recordings import read_recordings
from assets.sources.cholectrack20.segments import read_segments
from assets.sources.cholectrack20.taxonomies import read_taxonomies
from assets.sources.layout import Layout, Part

LAYOUT = Layout(
    name="cholectrack20",
    folder=Path(__file__).parent,
    title="CholecTrack20",
    licence=LICENCE,
    certainty="documented",
    assumed="that numbers of a box far over 1 are pixels",
    parts=(
        Part("recordings", read_recordings, ANY_ANNOTATIONS, f"{PICTURE}|{VIDEO}"),
        Part(
            "segments",
            read_segments,
            ANNOTATIONS,
            needs=("recording_id", "media_duration_s"),
        ),
        Part("objects", read_objects, ANNOTATIONS, needs=("recording_id",)),
        Part("taxonomies", read_taxonomies, ANY_ANNOTATIONS),
    ),
)

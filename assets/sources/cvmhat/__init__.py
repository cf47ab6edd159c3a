"""CVMHAT: people walking, seen by a camera that one of them wears and from above, boxed in both.

A take (`V0-S_canteen_0-G_1`) is one wearer; takes that differ only in `G` are other wearers of the
same shot, with pictures from above in common and people numbered anew. Traps:

- Boxes are released as text, XML and MATLAB. The text has commas where its readme says blanks, no
  header, and left, top, width, height from the top left; the two others have corners. XML may say
  `rectangle` or `bndbox`, and is read without document types. In three recordings MATLAB has
  narrower boxes than the text, which is reported (`forms_differ`).
- Id 0 is the wearer, boxed from above alone; other ids are the same person in both views of a
  take, and may be missing in either.
- Boxes begin at -25 and reach beyond the picture: cut at its edge, the numbers kept.
- Nothing states the size of the pictures, nor a rate: pictures have an order and no times, and
  equal numbers are the same instant.
- Three real pictures box one person twice; neither of the boxes is used.
"""

from __future__ import annotations

from pathlib import Path

from assets.sources.cvmhat.files import ANNOTATIONS, ANY_ANNOTATIONS, LICENCE, PICTURE
from assets.sources.cvmhat.objects import read_objects
from assets.sources.cvmhat.recordings import read_recordings
from assets.sources.layout import Layout, Part

LAYOUT = Layout(
    name="cvmhat",
    folder=Path(__file__).parent,
    title="CVMHAT",
    licence=LICENCE,
    certainty="verified",
    assumed="the size of the pictures where no form of the annotations states it",
    parts=(
        Part("recordings", read_recordings, ANY_ANNOTATIONS, PICTURE),
        Part("objects", read_objects, ANNOTATIONS, needs=("recording_id",)),
    ),
)

"""TF2023: groups of people seen by a fixed camera T and by cameras that one or two of them wear.

A take is a scene; its recordings are `10_T`, `10_1` and `10_2`. Traps:

- The first-person camera has the name of its wearer, and a picture of T may lack the wearer: 1,039
  of the 69,024 released pairs do.
- Who is in a picture is written as one digit each, in an order that varies: kept as it is, and a set.
- Boxes are made of outlines (labelme): one person may have several, where something hides the
  middle, and the box goes around all; the outlines are kept.
- The lists lie in the repository of the code, pictures and outlines elsewhere: each is read without
  the other. That tree is known from a tool that reads it, the lists from the files.
- Pictures of T lie in one of three places. Numbers have gaps, nothing states a rate: pictures have
  an order and no times, and equal numbers are the same instant.
"""

from __future__ import annotations

from pathlib import Path

from assets.sources.layout import Layout, Part
from assets.sources.tf2023.files import LICENCE, LIST, PICTURE, POLYGONS
from assets.sources.tf2023.objects import read_objects
from assets.sources.tf2023.people import read_people
from assets.sources.tf2023.recordings import read_recordings
from assets.sources.tf2023.splits import read_splits

LAYOUT = Layout(
    name="tf2023",
    folder=Path(__file__).parent,
    title="TF2023",
    licence=LICENCE,
    certainty="documented",
    assumed="that a first-person camera is called by its wearer, and where its pictures lie",
    parts=(
        Part("recordings", read_recordings, LIST, PICTURE),
        Part("people", read_people, LIST),
        Part("objects", read_objects, POLYGONS, needs=("recording_id",)),
        Part("splits", read_splits, LIST),
    ),
)

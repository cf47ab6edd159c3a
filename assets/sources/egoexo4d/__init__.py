"""Ego-Exo4D, release 2: takes seen by an Aria and by GoPros that stand round it.

Documented: takes, captures, splits and calibrations were seen in real files, the large annotation
files only in the documentation's examples. Recordings are named by take and camera; annotations
count from the take's start, as do the frame-aligned videos (all 30 fps, row i of each shows one
instant). Trajectories of all takes are read together, since they are placed in time by a file of
their capture: a root with thousands of trajectories needs as much memory. Poses of bodies and hands
are read in the form of one real frame; that their world is the capture's is documented, not seen.
"""

from __future__ import annotations

from pathlib import Path

from assets.sources.egoexo4d.joints import JOINTS
from assets.sources.egoexo4d.recordings import LICENCE, SPLITS, VIDEO, read_recordings
from assets.sources.egoexo4d.segments import ATOMIC, BENCHMARK, KEYSTEPS, read_segments
from assets.sources.egoexo4d.sensors import SENSORS, read_sensors
from assets.sources.egoexo4d.skills import PROFICIENCY, read_skills
from assets.sources.egoexo4d.splits import read_splits
from assets.sources.egoexo4d.taxonomies import read_taxonomies
from assets.sources.layout import Layout, Part

_TAKES = r"takes\.json"

LAYOUT = Layout(
    name="egoexo4d",
    folder=Path(__file__).parent,
    title="Ego-Exo4D",
    licence=LICENCE,
    certainty="documented",
    assumed=(
        "that poses of bodies and hands stand in the world of their capture; that the "
        "last row of a take in timesync.csv is not its own"
    ),
    parts=(
        Part("recordings", read_recordings, rf"{_TAKES}|{SPLITS}", VIDEO),
        Part("segments", read_segments, rf"{_TAKES}|{ATOMIC}|{KEYSTEPS}|{BENCHMARK}"),
        Part("sensors", read_sensors, rf"{_TAKES}|{SENSORS}", large=JOINTS),
        Part("skills", read_skills, rf"{_TAKES}|{PROFICIENCY}"),
        Part("taxonomies", read_taxonomies, KEYSTEPS),
        Part("splits", read_splits, rf"{_TAKES}|{SPLITS}"),
    ),
)

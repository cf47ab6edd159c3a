"""HD-EPIC: kitchens seen by an Aria, with actions, recipes, object movements, gaze and questions.

Verified: recipes, activities, object movements, classes and questions were read as released. The
other files are known from the documentation: narrations (a pickled table), sounds, masks, priming,
gaze and stamps. Trajectories of several recordings lie in numbered folders, and are read where they
are linked to the recording's own.
"""

from __future__ import annotations

from pathlib import Path

from assets.sources.hd_epic.files import (
    ACTIVITIES,
    ASSOCIATIONS,
    CLASSES,
    LICENCE,
    MASKS,
    MPS,
    MULTI_SLAM,
    NARRATIONS,
    NARRATIONS_PICKLE,
    PRIMING,
    QUESTIONS,
    RECIPES,
    SOUNDS,
    STAMPS,
    URLS,
    VIDEO,
)
from assets.sources.hd_epic.objects import read_objects
from assets.sources.hd_epic.questions import read_questions
from assets.sources.hd_epic.recordings import read_recordings
from assets.sources.hd_epic.segments import read_segments
from assets.sources.hd_epic.sensors import read_sensors
from assets.sources.hd_epic.taxonomies import read_taxonomies
from assets.sources.layout import Layout, Part

LAYOUT = Layout(
    name="hd_epic",
    folder=Path(__file__).parent,
    title="HD-EPIC",
    licence=LICENCE,
    certainty="documented",
    assumed="where gaze and trajectories lie",
    parts=(
        Part(
            "recordings",
            read_recordings,
            rf"{URLS}|{ACTIVITIES}|{RECIPES}|{ASSOCIATIONS}|{MULTI_SLAM}",
            VIDEO,
        ),
        Part(
            "segments",
            read_segments,
            rf"{URLS}|{ACTIVITIES}|{RECIPES}|{NARRATIONS}|{NARRATIONS_PICKLE}|{SOUNDS}|{PRIMING}",
        ),
        Part("sensors", read_sensors, rf"{STAMPS}|{MPS}", needs=("recording_id",)),
        Part("objects", read_objects, rf"{ASSOCIATIONS}|{MASKS}"),
        Part("questions", read_questions, QUESTIONS),
        Part("taxonomies", read_taxonomies, CLASSES),
    ),
)

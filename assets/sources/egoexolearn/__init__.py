"""EgoExoLearn (the release of EgoBridge): annotations as published, media as published or raw.

Media may lie as the released 25 fps files (`videos/<uid>.mp4`, `gazes_30fps_npy/<uid>.npy`) or, for
those who hold the recordings themselves, as Pupil Invisible folders (`pupil/<uid>/` native,
`pupil/<uid>-<8 hex>/` Cloud export). Ids, class numbers and traps: `video_uid` does not tell the
view; taxonomy classes count rows from 0; coarse attributes count from 1; the declared length of a
video is not its length (several lab recordings share one), so that rows are only judged against
what the container says.
"""

from __future__ import annotations

import re
from pathlib import Path

from assets.sources.egoexolearn.files import (
    ANTICIPATION_COTRAIN,
    ANTICIPATION_TABLE,
    ASSOCIATION,
    BUNDLE,
    COARSE,
    FINE,
    FRAMES,
    GAZE,
    LICENCE,
    META,
    PLANNING_BUNDLE,
    PLANNING_COTRAIN,
    PLANNING_LIST,
    PUPIL,
    RELEASED,
    SEMANTIC,
    SESSIONS,
    SKILL_LIST,
    SKILL_VOTES,
    TAXONOMY,
    VALID_CLASSES,
)
from assets.sources.egoexolearn.questions import QUESTIONS, read_questions
from assets.sources.egoexolearn.recordings import read_recordings
from assets.sources.egoexolearn.released_frames import read_frames
from assets.sources.egoexolearn.released_lists import read_lists
from assets.sources.egoexolearn.segments import read_segments
from assets.sources.egoexolearn.sensors import read_gaze
from assets.sources.egoexolearn.skills import read_skills
from assets.sources.egoexolearn.splits import read_splits
from assets.sources.egoexolearn.taxonomies import read_taxonomies
from assets.sources.layout import Layout, Part

LAYOUT = Layout(
    name="egoexolearn",
    folder=Path(__file__).parent,
    title="EgoExoLearn (EgoBridge)",
    licence=LICENCE,
    certainty="verified",
    assumed="the columns of the released gaze arrays",
    hashed_splits=True,
    parts=(
        Part(
            "recordings",
            read_recordings,
            rf"{re.escape(META)}|{BUNDLE}|{re.escape(SESSIONS)}",
            rf"{PUPIL}|{RELEASED}",
        ),
        Part(
            "segments",
            read_segments,
            rf"{FINE}|{ASSOCIATION}|{re.escape(COARSE)}|{re.escape(SEMANTIC)}",
        ),
        Part("taxonomies", read_taxonomies, rf"{TAXONOMY}|{re.escape(SEMANTIC)}|{VALID_CLASSES}"),
        Part("splits", read_splits, rf"{BUNDLE}|{PLANNING_LIST}|{PLANNING_BUNDLE}|{ASSOCIATION}"),
        Part(
            "skills",
            read_skills,
            rf"{SKILL_LIST}|{re.escape(SKILL_VOTES)}|{re.escape(SESSIONS)}",
        ),
        Part("questions", read_questions, QUESTIONS),
        Part("sensors", read_gaze, GAZE),
        Part("released_frames", read_frames, rf"{FRAMES}|{re.escape(SEMANTIC)}"),
        Part(
            "released_lists",
            read_lists,
            rf"{PLANNING_LIST}|{PLANNING_COTRAIN}|{ANTICIPATION_TABLE}|{ANTICIPATION_COTRAIN}"
            rf"|{SKILL_LIST}|{ASSOCIATION}|{re.escape(SEMANTIC)}|{VALID_CLASSES}",
        ),
    ),
)

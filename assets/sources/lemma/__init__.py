"""LEMMA (also under EgoTaskQA): daily tasks of one or two agents, own cameras and a room camera.

No raw file of the release was seen; the layout is that of the authors' code and of projects that
read it. Traps: annotation frames count from 0 while pictures count from 1, at 24 frames a second,
and intervals end before their last number; one interval may serve several tasks, joined by commas;
`null$` and `NULL` say that nothing is done; videos of one agent have no P2; the room's camera shows
both agents and is nobody's.

EgoTaskQA's files are read where they lie beside: states of things before and after each action
(`parsed.json`) and its questions with open answers.
"""

from __future__ import annotations

from pathlib import Path

from assets.sources.layout import Layout, Part
from assets.sources.lemma.files import (
    IMAGE,
    INTERVALS,
    LENGTHS,
    LICENCE,
    QUESTIONS,
    SPLIT,
    STATES,
    VIDEO,
    VOCABULARY,
)
from assets.sources.lemma.questions import read_questions
from assets.sources.lemma.recordings import read_recordings
from assets.sources.lemma.segments import read_segments
from assets.sources.lemma.splits import read_splits
from assets.sources.lemma.taxonomies import read_taxonomies

LAYOUT = Layout(
    name="lemma",
    folder=Path(__file__).parent,
    title="LEMMA (EgoTaskQA)",
    licence=LICENCE,
    certainty="documented",
    parts=(
        Part(
            "recordings",
            read_recordings,
            rf"{INTERVALS}|{LENGTHS}|{SPLIT}",
            rf"{VIDEO}|{IMAGE}",
        ),
        Part("segments", read_segments, INTERVALS, large=STATES),
        Part("taxonomies", read_taxonomies, VOCABULARY),
        Part("splits", read_splits, rf"{SPLIT}|{INTERVALS}"),
        Part("questions", read_questions, QUESTIONS),
    ),
)

"""EgoExoBench as released: multiple-choice questions over several videos and pictures, a table with tabs.

The file is the one that VLMEvalKit's class reads; ours is written in the same form. Media of a question
are a Python literal in a column: it is read as a literal and nothing of it is run.
"""

from __future__ import annotations

from pathlib import Path

from assets.sources.egoexobench.files import LICENCE, MEDIA, QUESTIONS
from assets.sources.egoexobench.questions import read_questions
from assets.sources.egoexobench.recordings import read_recordings
from assets.sources.layout import Layout, Part

LAYOUT = Layout(
    name="egoexobench",
    folder=Path(__file__).parent,
    title="EgoExoBench",
    licence=LICENCE,
    certainty="documented",
    parts=(
        Part("recordings", read_recordings, QUESTIONS, MEDIA),
        Part("questions", read_questions, QUESTIONS),
    ),
)

"""The EgoCross testbed: 957 released questions on pictures sampled from five datasets.

Each question has a folder of pictures of its own, which is a recording here: its pictures have an
order and no clock (0.5 a second for most, other rates for some). The paths stand in the file as of
the root of the authors' machine. The testbed holds no answers; a second file of the same questions does.
One dataset's name is misspelt in it and kept so. The support set, 80 answered questions for training,
is a list of chats with pictures.
"""

from __future__ import annotations

from pathlib import Path

from assets.sources.egocross.files import LICENCE, PICTURE, QUESTIONS, SUPPORT, SUPPORT_PICTURE
from assets.sources.egocross.questions import read_questions
from assets.sources.egocross.recordings import read_recordings
from assets.sources.layout import Layout, Part

LAYOUT = Layout(
    name="egocross_testbed",
    folder=Path(__file__).parent,
    title="EgoCross testbed",
    licence=LICENCE,
    certainty="verified",
    parts=(
        Part(
            "recordings",
            read_recordings,
            f"{QUESTIONS}|{SUPPORT}",
            f"{PICTURE}|{SUPPORT_PICTURE}",
        ),
        Part("questions", read_questions, f"{QUESTIONS}|{SUPPORT}"),
    ),
)

"""EgoSchema: five-option questions on three-minute clips of Ego4D, as released.

One clip per question, named by the question's id. Where a clip lies in its Ego4D video is a file of
its own; answers are public for 500 of 5,031 questions. The names of a question's options are
`option 0` to `option 4`, with a blank.
"""

from __future__ import annotations

from pathlib import Path

from assets.sources.egoschema.files import ANSWERS, CLIP, LICENCE, PLACES, QUESTIONS
from assets.sources.egoschema.questions import read_questions
from assets.sources.egoschema.recordings import read_recordings
from assets.sources.layout import Layout, Part

LAYOUT = Layout(
    name="egoschema",
    folder=Path(__file__).parent,
    title="EgoSchema",
    licence=LICENCE,
    certainty="documented",
    parts=(
        Part("recordings", read_recordings, f"{QUESTIONS}|{PLACES}", CLIP),
        Part("questions", read_questions, f"{QUESTIONS}|{ANSWERS}"),
    ),
)

"""Decisions of people, as a source: our CSV form and Label Studio's exports, in any folder.

A decision names the source, the kind and the id of an item, and the hash of the content that was
judged. Rows that nobody touched are items nobody decided yet. Label Studio: the full export (tasks with
`annotations`) and the minimal one (fields beside the data), https://labelstud.io/guide/export and
https://labelstud.io/guide/task_format; skipped tasks are not decisions.
"""

from __future__ import annotations

from pathlib import Path

from assets.sources.layout import Layout, Part
from assets.sources.reviews.files import FILES
from assets.sources.reviews.reviews import read_reviews

LAYOUT = Layout(
    name="reviews",
    folder=Path(__file__).parent,
    title="Decisions of people on labels, translations and pairs",
    licence="own decisions",
    certainty="documented",
    parts=(Part("reviews", read_reviews, FILES),),
    redistribution="forbidden",
)

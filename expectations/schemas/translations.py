"""Table of translations: what a narration was written as, and every English text made of it."""

from __future__ import annotations

from expectations.schemas.columns import BOOL, RECORDING, SOURCE, TEXT
from expectations.schemas.core import Column, Table

ORIGINS = ("given", "engine", "second", "review")

TRANSLATIONS = Table(
    name="translations",
    stage="translations",
    row="English text of a narration written in another language, with its origin",
    key=("source", "segment_id", "origin"),
    unit="recording_id",
    columns=(
        SOURCE,
        RECORDING,
        Column("segment_id", TEXT, "Segment of the narration.", refers_to="segments.segment_id"),
        Column(
            "origin",
            TEXT,
            "Who made the text: the dataset, the configured engine, the second one for what fails"
            " the check, or a reviewer.",
            one_of=ORIGINS,
        ),
        Column("original", TEXT, "Narration as it was written."),
        Column("text", TEXT, "English text; null where there is none.", nullable=True),
        Column("engine", TEXT, "Configured model that was asked.", nullable=True),
        Column("model", TEXT, "Its model and revision.", nullable=True),
        Column("call_key", TEXT, "Call in `calls` whose reply it is.", nullable=True),
        Column(
            "status",
            TEXT,
            "`given` by the dataset; `translated` and passed; `failed_check`; `error` of the engine;"
            " `not_asked` yet; `no_model`: nothing is given and no model is configured; `reviewed`.",
            one_of=(
                "given",
                "translated",
                "failed_check",
                "error",
                "not_asked",
                "no_model",
                "reviewed",
            ),
        ),
        Column("rule", TEXT, "Rule of the check that the text breaks.", nullable=True),
        Column("message", TEXT, "What went wrong, or who reviewed.", nullable=True),
        Column("used", BOOL, "Whether later stages read this text: one per segment at most."),
    ),
)

TABLES = (TRANSLATIONS,)

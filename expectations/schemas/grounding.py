"""Tables of evidence grounding: whether the times, things and boxes that replies cite are those of the evidence."""

from __future__ import annotations

from expectations.schemas.columns import FLOAT, INT, TEXT
from expectations.schemas.core import Column, Table
from expectations.schemas.predictions import ANSWERS, SAMPLE
from expectations.schemas.questions import BENCHMARK, QUESTION_HASH, QUESTION_ID, RUN
from expectations.schemas.scores import SCORES

CITED_KINDS = {"time": "times", "object": "objects", "box": "boxes"}
"""Kinds of evidence that a reply can cite, and the beginning of their columns."""
STATUSES = ("cited", "nothing", "ambiguous", "refused", "truncated", "empty")

_ABOUT = {
    "time": (
        "times",
        "spans of its evidence",
        "within a second of one of these spans, or of a time in the question",
    ),
    "object": ("names of things", "names of things in its evidence", "the same by words"),
    "box": ("boxes", "boxes of its evidence", "over one of these by half (IoU)"),
}


def _counts(kind: str) -> tuple[Column, ...]:
    cited, known, supported = _ABOUT[kind]
    plural = CITED_KINDS[kind]
    return (
        Column(f"{plural}_cited", INT, f"Different {cited} that the reply cites.", low=0),
        Column(
            f"{plural}_supported",
            INT,
            f"Of these, those that are {supported}; null where the evidence says nothing of them.",
            nullable=True,
            low=0,
        ),
        Column(f"{plural}_known", INT, f"Different {known}.", low=0),
        Column(f"{plural}_found", INT, "Of these, those that the reply cites.", low=0),
    )


GROUNDINGS = Table(
    name="groundings",
    stage="scores",
    row="reply with reasoning, and what it cites of its question's evidence",
    key=("benchmark", "run", "question_id", "sample"),
    unit="run",
    columns=(
        BENCHMARK,
        RUN,
        QUESTION_ID,
        QUESTION_HASH,
        SAMPLE,
        ANSWERS["subtask"],
        ANSWERS["recording_id"],
        ANSWERS["call_key"],
        ANSWERS["attempt"],
        Column(
            "status",
            TEXT,
            "`cited`; `nothing` where the reply cites no time, thing or box; else why it could not be read.",
            one_of=STATUSES,
        ),
        *(column for kind in CITED_KINDS for column in _counts(kind)),
    ),
)

GROUNDING_SCORES = Table(
    name="grounding_scores",
    stage="scores",
    row="precision or recall of the evidence that a run cites, on a slice",
    key=("benchmark", "run", "slice", "metric"),
    unit="run",
    columns=(
        BENCHMARK,
        RUN,
        SCORES["slice"],
        Column(
            "metric",
            TEXT,
            "Precision: mean share of what a reply cites that its question's evidence supports, over replies"
            " that cite any, where the evidence says anything of the kind. Recall: mean share of the evidence that a reply cites, over questions with any.",
            one_of=tuple(
                f"{kind}_{part}" for kind in CITED_KINDS for part in ("precision", "recall")
            ),
        ),
        Column(
            "value",
            FLOAT,
            "Value; of several replies to a question their mean counts. Null where no reply counts (of a subtask,"
            " for `macro`).",
            nullable=True,
            low=0.0,
            high=1.0,
        ),
        SCORES["low"],
        SCORES["high"],
        Column("n", INT, "Questions with a reply that counts.", low=0),
        Column("n_unread", INT, "Further replies whose evidence could not be read.", low=0),
        Column("n_clusters", INT, "Recordings that the counted questions come from.", low=0),
    ),
)

TABLES = (
    GROUNDINGS,
    GROUNDING_SCORES,
)

"""Tables of other readers: what published extractors and language models read in a run's replies."""

from __future__ import annotations

from expectations.schemas.columns import BOOL, FLOAT, INT, TEXT
from expectations.schemas.core import Column, Table
from expectations.schemas.predictions import ANSWERS, SAMPLE
from expectations.schemas.questions import BENCHMARK, QUESTION_HASH, QUESTION_ID, RUN
from expectations.schemas.scores import CHAIN_METRICS, SCORES

KINDS = ("published", "model")
OUTCOMES = ("read", "unread", "left_out", "ends_evaluation", "not_asked", "error")
METRICS = ("accuracy", *CHAIN_METRICS)

READER = Column(
    "reader",
    TEXT,
    "Who else read the reply: a published extractor, by its benchmark, or a text model, as configured.",
)
KIND = Column(
    "kind", TEXT, "Whether the reader is published code or a language model.", one_of=KINDS
)

PARITY_ANSWERS = Table(
    name="parity_answers",
    stage="scores",
    row="reply that another reader read beside ours",
    key=("benchmark", "run", "reader", "question_id", "sample"),
    unit="run",
    columns=(
        BENCHMARK,
        RUN,
        READER,
        KIND,
        Column("version", TEXT, "Commit of the published code, or model and revision."),
        QUESTION_ID,
        QUESTION_HASH,
        SAMPLE,
        ANSWERS["call_key"],
        ANSWERS["attempt"],
        Column(
            "reader_call_key",
            TEXT,
            "Call in which a language model read it; null for published code.",
            nullable=True,
        ),
        ANSWERS["subtask"],
        ANSWERS["recording_id"],
        Column(
            "outcome",
            TEXT,
            "`read`; `unread`, which counts as wrong; `left_out` of the reader's denominator;"
            " `ends_evaluation` where the published program ends with an error, which counts as wrong"
            " here; `not_asked` or `error` where a language model has not read it.",
            one_of=OUTCOMES,
        ),
        Column("theirs", TEXT, "What the reader read, as it is compared.", nullable=True),
        Column("ours", TEXT, "Letter that we read.", nullable=True),
        Column("our_status", TEXT, "What our extractor could do."),
        Column(
            "agrees",
            BOOL,
            "Whether both read the same letter, or none; null where the reader has not read it, and of"
            " chains.",
            nullable=True,
        ),
        Column(
            "right",
            BOOL,
            "Whether what the reader read is the answer, by its own comparison; of a chain, whether its"
            " steps are. Null where the answer is withheld, or the reply is left out or not read yet.",
            nullable=True,
        ),
        Column("our_right", BOOL, "Whether what we read is the answer.", nullable=True),
        Column(
            "directions",
            FLOAT,
            "Share of a chain's directions that are right; null unless its steps are.",
            nullable=True,
            low=0.0,
            high=1.0,
        ),
        Column(
            "directions_relaxed",
            FLOAT,
            "Share of them that are right or next to right.",
            nullable=True,
            low=0.0,
            high=1.0,
        ),
    ),
)

PARITY_SCORES = Table(
    name="parity_scores",
    stage="scores",
    row="metric of a run on a slice, by another reader's rules",
    key=("benchmark", "run", "reader", "slice", "metric"),
    unit="run",
    columns=(
        BENCHMARK,
        RUN,
        READER,
        KIND,
        SCORES["slice"],
        Column(
            "metric",
            TEXT,
            "`accuracy`; of chains of actions `chain_steps`, and over the chains with right steps"
            " `chain_directions` and `chain_directions_relaxed`.",
            one_of=METRICS,
        ),
        Column(
            "value",
            FLOAT,
            "Value by the reader's rules; of several replies to a question their mean counts. Null where"
            " nothing counts (of a subtask, for `macro`).",
            nullable=True,
            low=0.0,
            high=1.0,
        ),
        Column("n", INT, "Questions in the reader's denominator.", low=0),
        Column(
            "n_unread", INT, "Replies among them without an answer, which count as wrong.", low=0
        ),
        Column("n_left_out", INT, "Further replies that leave the reader's denominator.", low=0),
        Column(
            "n_ends_evaluation",
            INT,
            "Replies on which the published program ends with an error; they count as wrong here.",
            low=0,
        ),
        Column("n_missing", INT, "Further replies that a language model has not read.", low=0),
        Column(
            "ours",
            FLOAT,
            "Accuracy over the same questions as we read the replies; null of chains.",
            nullable=True,
            low=0.0,
            high=1.0,
        ),
        Column(
            "effect",
            FLOAT,
            "Value less ours.",
            nullable=True,
            low=-1.0,
            high=1.0,
        ),
        Column("n_differ", INT, "Replies that the reader and we read differently.", low=0),
        Column("n_gained", INT, "Of these, right for the reader and wrong for us.", low=0),
        Column("n_lost", INT, "Of these, wrong for the reader and right for us.", low=0),
    ),
)

TABLES = (PARITY_ANSWERS, PARITY_SCORES)

"""Tables of the domain gap: a benchmark beside questions about daily life of the same kinds."""

from __future__ import annotations

from expectations.schemas.columns import BOOL, FLOAT, INT, TEXT
from expectations.schemas.core import Column, Table
from expectations.schemas.questions import BENCHMARK, QUESTION_ID, RUN

ALIGNED = "aligned"
"""All subtasks that both benchmarks ask, every question alike."""
ALL = "all"
"""All questions, whatever their subtask."""
EVERY_DOMAIN = "all"
"""All domains together, every question alike."""
KINDS = ("text", "image")

_COMPARED = Column("compared", TEXT, "Benchmark of questions about daily life.")

ALIGNED_QUESTIONS = Table(
    name="aligned_questions",
    stage="scores",
    row="question about daily life, and the subtask it is sorted into",
    key=("benchmark", "compared", "question_id"),
    unit="compared",
    columns=(
        BENCHMARK,
        _COMPARED,
        QUESTION_ID,
        Column("released_id", TEXT, "The release's own id of the question."),
        Column(
            "subtask",
            TEXT,
            "Subtask or category it belongs to; null where none fits.",
            nullable=True,
        ),
        Column(
            "keyword",
            TEXT,
            "Keyword that took it; null where people placed it, or nothing did.",
            nullable=True,
        ),
        Column(
            "round",
            INT,
            "Round of review in which people placed it; null where none did.",
            nullable=True,
            low=1,
        ),
        Column("is_answered", BOOL, "Whether its answer is public."),
    ),
)


def _measured(prefix: str, of: str) -> tuple[Column, ...]:
    return (
        Column(
            f"{prefix}value",
            FLOAT,
            f"Accuracy {of}; of several replies to a question their mean counts. Null where no question has one.",
            nullable=True,
            low=0.0,
            high=1.0,
        ),
        Column(
            f"{prefix}low",
            FLOAT,
            "Lower end of its 95 % interval, clustered by recording.",
            nullable=True,
        ),
        Column(f"{prefix}high", FLOAT, "Upper end.", nullable=True),
        Column(f"{prefix}n", INT, "Questions with a reply and a known answer.", low=0),
        Column(f"{prefix}n_clusters", INT, "Recordings that these come from.", low=0),
    )


DOMAIN_GAPS = Table(
    name="domain_gaps",
    stage="scores",
    row="accuracy of a run on a subtask of one domain, beside that on questions about daily life",
    key=("benchmark", "run", "compared", "slice", "domain"),
    unit="run",
    columns=(
        BENCHMARK,
        RUN,
        _COMPARED,
        Column(
            "slice",
            TEXT,
            "Subtask that both ask; `aligned` for all of these, `all` for all questions.",
        ),
        Column("domain", TEXT, "Domain of the benchmark; `all` for all of them."),
        *_measured("daily_", "on questions about daily life"),
        *_measured("", "on the benchmark's questions"),
        Column(
            "difference", FLOAT, "`value` less `daily_value`.", nullable=True, low=-1.0, high=1.0
        ),
        Column(
            "difference_low",
            FLOAT,
            "Lower end of its 95 % interval; null where a side has fewer than two recordings.",
            nullable=True,
        ),
        Column("difference_high", FLOAT, "Upper end.", nullable=True),
    ),
)

DOMAIN_POINTS = Table(
    name="domain_points",
    stage="scores",
    row="place of a question in a picture of what questions say or show",
    key=("benchmark", "kind", "question_id"),
    unit="kind",
    columns=(
        BENCHMARK,
        Column(
            "kind",
            TEXT,
            "`text` for the question's text, `image` for what its clip shows.",
            one_of=KINDS,
        ),
        QUESTION_ID,
        Column("domain", TEXT, "Domain; that of questions about daily life is their benchmark."),
        Column(
            "x",
            FLOAT,
            "Place in the picture (t-SNE); only distances between points mean something.",
        ),
        Column("y", FLOAT, "The same, across."),
        Column("encoder", TEXT, "What made the vectors; a stand-in says so."),
    ),
)

TABLES = (ALIGNED_QUESTIONS, DOMAIN_GAPS, DOMAIN_POINTS)

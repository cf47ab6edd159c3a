"""Tables from questions to scores."""

from __future__ import annotations

import polars as pl

from expectations.schemas.core import Column, Table
from expectations.schemas.sources import BOOL, FLOAT, INT, SOURCE, TEXT

BENCHMARK = Column("benchmark", TEXT, "Benchmark the question belongs to.")
RUN = Column("run", TEXT, "Model under a protocol, as configured.")
QUESTION_ID = Column(
    "question_id", TEXT, "Hash of subtask, recipe and anchor keys; stable under wording."
)
QUESTION_HASH = Column("question_hash", TEXT, "Hash of everything a model or reader sees.")

MEDIUM = pl.Struct(
    {
        "role": TEXT,  # query, or option_A .. option_T
        "recording_id": TEXT,
        "segment_id": TEXT,
        "media_kind": TEXT,  # clip, frames, image
        "start_s": FLOAT,
        "end_s": FLOAT,
        "content": TEXT,  # identity of the recording's media files
    }
)
OPTION = pl.Struct({"letter": TEXT, "text": TEXT, "segment_id": TEXT, "is_answer": BOOL})
EVIDENCE = pl.Struct({"table": TEXT, "key": TEXT, "role": TEXT})

QUESTIONS = Table(
    name="questions",
    stage="questions",
    row="question with its options, media, answer and evidence",
    key=("benchmark", "question_id"),
    unit="pool",
    columns=(
        BENCHMARK,
        SOURCE,
        Column("pool", TEXT, "Source and pool of the pairs it is made from."),
        Column("subtask", TEXT, "Subtask it tests."),
        Column("recipe", TEXT, "Recipe and its version."),
        QUESTION_ID,
        QUESTION_HASH,
        Column("split", TEXT, "Split.", nullable=True),
        Column("recording_id", TEXT, "Recording of the query: the cluster of intervals."),
        Column("text", TEXT, "Question as shown."),
        Column("options", pl.List(OPTION), "Options in shown order."),
        Column("media", pl.List(MEDIUM), "Media in shown order."),
        Column("answer", TEXT, "Letter of the right option."),
        Column("chance", FLOAT, "Accuracy of a blind guess.", low=0.0, high=1.0),
        Column("media_present", BOOL, "Whether every medium's pixels are here."),
        Column("evidence", pl.List(EVIDENCE), "Rows the answer rests on."),
        Column("licence", TEXT, "Licences of all media, joined."),
    ),
)

REQUESTS = Table(
    name="requests",
    stage="predictions",
    row="question as a run asks it now",
    key=("benchmark", "run", "question_id"),
    unit="question_id",
    columns=(
        BENCHMARK,
        RUN,
        QUESTION_ID,
        QUESTION_HASH,
        Column("call_key", TEXT, "Call that answers it: replies to other requests do not count."),
        Column("protocol", TEXT, "Protocol name and version."),
        Column("model", TEXT, "Model and revision."),
    ),
)

CALLS = Table(
    name="calls",
    stage="predictions",
    row="model call",
    key=("benchmark", "run", "call_key", "attempt"),
    unit="call_key",
    append_only=True,
    columns=(
        BENCHMARK,
        RUN,
        Column(
            "call_key",
            TEXT,
            "Hash of media recipe, prompt, protocol, sampling, model and revision.",
        ),
        Column("attempt", INT, "Counts up when a failed or refreshed call is asked again.", low=0),
        QUESTION_ID,
        QUESTION_HASH,
        Column("protocol", TEXT, "Protocol name and version."),
        Column("model", TEXT, "Model and revision."),
        Column("prompt", TEXT, "Prompt as rendered."),
        Column(
            "media_recipe", TEXT, "Recordings, stamps, size and encoding of what was sent (JSON)."
        ),
        Column(
            "bytes_hash", TEXT, "Hash of the bytes really sent; null if none were.", nullable=True
        ),
        Column("reply", TEXT, "Reply as it came.", nullable=True),
        Column(
            "option_scores",
            pl.List(FLOAT),
            "Score per option in shown order, where the engine gives them.",
            nullable=True,
        ),
        Column("status", TEXT, "Outcome of the call.", one_of=("ok", "error")),
        Column("error", TEXT, "What went wrong.", nullable=True),
        Column("asked_at", TEXT, "UTC time of the call, ISO 8601.", volatile=True),
        Column("seconds", FLOAT, "Wall time of the call.", unit="s", volatile=True, low=0.0),
    ),
)

ANSWERS = Table(
    name="answers",
    stage="predictions",
    row="what the extractor made of a reply",
    key=("benchmark", "run", "question_id"),
    unit="question_id",
    columns=(
        BENCHMARK,
        RUN,
        QUESTION_ID,
        QUESTION_HASH,
        Column("call_key", TEXT, "Call whose reply was read."),
        Column("attempt", INT, "Its attempt.", low=0),
        Column("subtask", TEXT, "Subtask of the question."),
        Column("recording_id", TEXT, "Cluster of intervals."),
        Column("letter", TEXT, "Letter read; null if not parsed.", nullable=True),
        Column(
            "status",
            TEXT,
            "What the extractor could do.",
            one_of=("parsed", "ambiguous", "refused", "truncated", "empty", "error"),
        ),
        Column("rule", TEXT, "Rule of the extractor that decided."),
        Column("right", BOOL, "Whether the letter is the answer; false if not parsed."),
        Column("chance", FLOAT, "Accuracy of a blind guess.", low=0.0, high=1.0),
    ),
)

SCORES = Table(
    name="scores",
    stage="scores",
    row="metric of a run on a slice",
    key=("benchmark", "run", "slice", "metric"),
    unit="run",
    columns=(
        BENCHMARK,
        RUN,
        Column("slice", TEXT, "Subtask, or `overall`."),
        Column("metric", TEXT, "Metric.", one_of=("accuracy",)),
        Column("value", FLOAT, "Value; unparsed replies count as wrong.", low=0.0, high=1.0),
        Column(
            "low", FLOAT, "Lower end of the 95 % interval, clustered by recording.", nullable=True
        ),
        Column("high", FLOAT, "Upper end.", nullable=True),
        Column("n", INT, "Questions scored.", low=0),
        Column("n_unparsed", INT, "Of these, replies without a letter.", low=0),
        Column("n_clusters", INT, "Recordings they come from.", low=0),
        Column("chance", FLOAT, "Expected value of a blind guess."),
    ),
)

TABLES = (QUESTIONS, REQUESTS, CALLS, ANSWERS, SCORES)

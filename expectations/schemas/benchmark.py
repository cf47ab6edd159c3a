"""Tables from questions to scores."""

from __future__ import annotations

import polars as pl

from expectations.schemas.columns import BOOL, FLOAT, INT, SOURCE, TEXT
from expectations.schemas.core import Column, Table

BENCHMARK = Column("benchmark", TEXT, "Benchmark the question belongs to.")
RUN = Column("run", TEXT, "Model under a protocol, as configured.")
QUESTION_ID = Column(
    "question_id", TEXT, "Hash of subtask, recipe and anchor keys; stable under wording."
)
QUESTION_HASH = Column("question_hash", TEXT, "Hash of everything a model or reader sees.")

OVERLAY = pl.Struct(
    {
        "kind": TEXT,  # box
        "label": TEXT,  # text drawn beside it, empty for none
        "colour": TEXT,  # red, blue, ...
        "width": FLOAT,  # of the line, over the picture's height
        "t_s": FLOAT,  # instant it belongs to; null for every frame sent
        "x_min": FLOAT,  # upright picture, 0 to 1
        "y_min": FLOAT,
        "x_max": FLOAT,
        "y_max": FLOAT,
    }
)
MEDIUM = pl.Struct(
    {
        "role": TEXT,  # query, reference, or option_A .. option_T
        "recording_id": TEXT,
        "segment_id": TEXT,  # null where the clip is no segment
        "media_kind": TEXT,  # clip, frames, image
        "start_s": FLOAT,
        "end_s": FLOAT,
        "sampling": TEXT,  # rule this medium needs (`given`, `endpoints`); null: the protocol's
        "times_s": pl.List(FLOAT),  # instants for the rule `given`, else empty
        "overlays": pl.List(OVERLAY),
        "content": TEXT,  # identity of the recording's media files
    }
)
OPTION = pl.Struct(
    {
        "letter": TEXT,
        "text": TEXT,
        "segment_id": TEXT,  # segment the option stands for; null for options in words
        "value": TEXT,  # what the text means to a program: a sector, a cell, an object's node
        "is_answer": BOOL,
    }
)
EVIDENCE = pl.Struct({"table": TEXT, "key": TEXT, "role": TEXT})
STEP = pl.Struct({"step": INT, "text": TEXT, "evidence": pl.List(TEXT)})

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
        Column(
            "answer_text",
            TEXT,
            "Answer in words, for the open form; null where options are media.",
            nullable=True,
        ),
        Column("detailed_answer", TEXT, "How the answer is found, in sentences.", nullable=True),
        Column(
            "rationale",
            pl.List(STEP),
            "Reasoning step by step, each with the keys of its evidence rows; empty if none.",
        ),
        Column("evidence", pl.List(EVIDENCE), "Rows the answer rests on."),
        Column("licence", TEXT, "Licences of all media, joined."),
    ),
)

QUESTION_GATES = Table(
    name="question_gates",
    stage="questions",
    row="verdict of one gate on one question",
    key=("benchmark", "question_id", "gate", "protocol"),
    unit="pool",
    columns=(
        BENCHMARK,
        SOURCE,
        Column("pool", TEXT, "Unit of the question."),
        Column("subtask", TEXT, "Subtask of the question."),
        QUESTION_ID,
        QUESTION_HASH,
        Column("gate", TEXT, "Gate that judged."),
        Column(
            "protocol",
            TEXT,
            "Protocol the verdict holds under; empty for all (`seen_by_sampling` names one).",
        ),
        Column(
            "verdict",
            TEXT,
            "`refuse` keeps the question from being published, `warn` does not; `unknown` says"
            " why nothing can be said.",
            one_of=("pass", "refuse", "warn", "unknown"),
        ),
        Column("rule", TEXT, "Rule of the gate that decided."),
        Column("value", FLOAT, "What was measured, where a number decides.", nullable=True),
        Column("threshold", FLOAT, "What it was held against.", nullable=True),
        Column("message", TEXT, "What was found, for its reader."),
        Column(
            "made_from",
            TEXT,
            "Hash of what the verdict was made from: while it stays, nobody judges again.",
            nullable=True,
            volatile=True,
        ),
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
        Column("attempt", INT, "Counts up when a failed call is asked again.", low=0),
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
        Column(
            "reply", TEXT, "Reply as it came, known secrets masked; null on error.", nullable=True
        ),
        Column(
            "option_scores",
            pl.List(FLOAT),
            "Score per option in shown order, where the engine gives them.",
            nullable=True,
        ),
        Column("status", TEXT, "Outcome of the call.", one_of=("ok", "error")),
        Column("error", TEXT, "What went wrong.", nullable=True),
        Column(
            "finish_reason",
            TEXT,
            "Why the model stopped (`stop`, `length`), where the engine says.",
            nullable=True,
        ),
        Column("prompt_tokens", INT, "Tokens read, pictures included.", nullable=True, low=0),
        Column("completion_tokens", INT, "Tokens written.", nullable=True, low=0),
        Column("asked_at", TEXT, "UTC time of the call, ISO 8601.", volatile=True),
        Column("seconds", FLOAT, "Wall time of the call.", unit="s", volatile=True, low=0.0),
        Column(
            "reply_cut_bytes",
            INT,
            "Bytes of the reply that were left out because it is too long (at least so many, where"
            " its end was not waited for); null if it is whole.",
            nullable=True,
            low=0,
        ),
        Column(
            "failures",
            INT,
            "Failed attempts in a row up to this one, counted anew after `--retry-errors`; null for"
            " a reply.",
            nullable=True,
            low=1,
        ),
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
            "What the extractor could do; `error` where the call failed and there is no reply.",
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
        Column("slice", TEXT, "Subtask, `micro` or `macro`."),
        Column("metric", TEXT, "Metric.", one_of=("accuracy",)),
        Column(
            "value",
            FLOAT,
            "Value over the questions that were replied to; unparsed replies count as wrong. Null"
            " where every call failed (of a subtask, for `macro`).",
            nullable=True,
            low=0.0,
            high=1.0,
        ),
        Column(
            "low", FLOAT, "Lower end of the 95 % interval, clustered by recording.", nullable=True
        ),
        Column("high", FLOAT, "Upper end.", nullable=True),
        Column("n", INT, "Questions scored: those that were replied to.", low=0),
        Column("n_unparsed", INT, "Of these, replies without a letter.", low=0),
        Column(
            "n_errors",
            INT,
            "Further questions whose call failed: they are in no other number of this row.",
            low=0,
        ),
        Column("n_clusters", INT, "Recordings the scored questions come from.", low=0),
        Column(
            "chance", FLOAT, "Expected value of a blind guess; null without value.", nullable=True
        ),
        Column(
            "effective_chance",
            FLOAT,
            "What the best shortcut that the set checks find reaches without any video, at least"
            " chance; null without value, and where too few questions are published to say.",
            nullable=True,
            low=0.0,
            high=1.0,
        ),
    ),
)

TABLES = (QUESTIONS, QUESTION_GATES, REQUESTS, CALLS, ANSWERS, SCORES)

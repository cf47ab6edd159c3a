"""Tables of the predictions stage: requests, calls and the answers read from replies."""

from __future__ import annotations

import polars as pl

from expectations.schemas.columns import BOOL, FLOAT, INT, TEXT
from expectations.schemas.core import Column, Table
from expectations.schemas.questions import BENCHMARK, QUESTION_HASH, QUESTION_ID, RUN

SAMPLE = Column(
    "sample",
    INT,
    "Number of the reply among those that the run asks of the question, from 0.",
    low=0,
)

MATCHES = (
    "equal",
    "normalised",
    "number",
    "unit",
    "stem",
    "class_map",
    "synset",
    "none",
    "none_without_synsets",
)
"""How an answer in words matches the released one, from the strictest step to none."""

CHAIN_UNPARSED, CHAIN_WRONG_LENGTH = "unparsed", "wrong_length"
CHAIN_WRONG_STEPS, CHAIN_RIGHT_STEPS = "wrong_steps", "right_steps"
CHAIN_OUTCOMES = (CHAIN_UNPARSED, CHAIN_WRONG_LENGTH, CHAIN_WRONG_STEPS, CHAIN_RIGHT_STEPS)
"""What becomes of a reply with a chain of actions."""

CLIP_FORMS = ("images", "videos", "both")
"""What clips of a call are sent as."""

TIME_UNITS = ("s", "ms", "min", "min+s", "clock", "frame")
"""How a reply tells a time."""

REQUESTS = Table(
    name="requests",
    stage="predictions",
    row="request of a run: a question as it is asked now",
    key=("benchmark", "run", "question_id", "sample"),
    unit="question_id",
    columns=(
        BENCHMARK,
        RUN,
        QUESTION_ID,
        QUESTION_HASH,
        Column("call_key", TEXT, "Call that answers it: replies to other requests do not count."),
        Column("protocol", TEXT, "Protocol name and version."),
        Column("model", TEXT, "Model and revision."),
        SAMPLE,
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
        Column(
            "cached_tokens",
            INT,
            "Of the tokens read, those that the server took from its cache, where it says.",
            nullable=True,
            low=0,
        ),
        Column(
            "dollars",
            FLOAT,
            "Price of the call by the prices of its run when it was asked, attempts included that gave no"
            " reply although the model worked; by estimated tokens where the server counts none; null"
            " where the run states no price.",
            unit="USD",
            nullable=True,
            low=0.0,
        ),
        Column(
            "estimated_prompt_tokens",
            INT,
            "Tokens that it was expected to read, before the update that asked it.",
            nullable=True,
            low=0,
        ),
        Column(
            "estimated_completion_tokens",
            INT,
            "Tokens that it was expected to write.",
            nullable=True,
            low=0,
        ),
        Column(
            "estimated_seconds",
            FLOAT,
            "Time that it was expected to take: the mean of past calls; null where there were none.",
            unit="s",
            nullable=True,
            volatile=True,
            low=0.0,
        ),
        Column(
            "clips_sent_as",
            TEXT,
            "Whether clips were sent as single images, as videos, or some as each; null where none"
            " were sent, the engine does not say, or the call is from before this was recorded.",
            nullable=True,
            one_of=CLIP_FORMS,
        ),
        Column(
            "asked_without",
            pl.List(TEXT),
            "Settings of protocol and run that the request was sent without, because the server"
            " refuses them or the engine cannot keep to them (`temperature`, `json_schema`); empty"
            " for none, null for a call from before this was recorded.",
            nullable=True,
        ),
        Column(
            "n_requests",
            INT,
            "Requests that the tokens were read in: several where a server scores the options one by one,"
            " each with all frames; null for a call from before this was recorded, whose tokens are those"
            " of one request.",
            nullable=True,
            low=1,
        ),
    ),
)

ANSWERS = Table(
    name="answers",
    stage="predictions",
    row="answer extracted from a reply",
    key=("benchmark", "run", "question_id", "sample"),
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
        Column(
            "letter",
            TEXT,
            "Letter read; null if not parsed, and where the question has no options.",
            nullable=True,
        ),
        Column(
            "status",
            TEXT,
            "What the extractor could do; `error` where the call failed and there is no reply, and, with the rule"
            " `reader_error`, where a reader failed on the reply (see `quarantine`).",
            one_of=("parsed", "ambiguous", "refused", "truncated", "empty", "error"),
        ),
        Column("rule", TEXT, "Rule of the extractor that decided."),
        Column(
            "right",
            BOOL,
            "Whether the letter (of a question without options the words, the pair, the chain or the time) is the"
            " answer; false if not parsed, null where the answer is withheld.",
            nullable=True,
        ),
        Column("chance", FLOAT, "Accuracy of a blind guess.", low=0.0, high=1.0),
        SAMPLE,
        Column(
            "match",
            TEXT,
            "Strictest step by which an answer in words means the same as the released one; `none` where it does"
            " not, `none_without_synsets` where no WordNet is configured to look further. Only `equal` and"
            " `normalised` count as right; of a time every step does, and what is told otherwise is `unit`. Null for other answers, failed calls and withheld answers.",
            nullable=True,
            one_of=MATCHES,
        ),
        Column(
            "chain_outcome",
            TEXT,
            "What became of a chain of actions: `unparsed`, another number of steps than the answer has, wrong"
            " steps (or a wrong order), or the steps of a valid answer. Null for other answers, failed calls and"
            " withheld answers.",
            nullable=True,
            one_of=CHAIN_OUTCOMES,
        ),
        Column(
            "chain",
            TEXT,
            "Chain as it was read, steps and directions (JSON); null if none was.",
            nullable=True,
        ),
        Column(
            "moves",
            INT,
            "Directions that the question of a chain asks for: one fewer than steps.",
            nullable=True,
            low=1,
        ),
        Column(
            "right_directions",
            INT,
            "Of these, directions that are right; of several valid answers with these steps the best counts. Null"
            " unless the steps are right.",
            nullable=True,
            low=0,
        ),
        Column(
            "near_directions",
            INT,
            "Of these, directions that are right or a neighbour on the ring of eight, likewise.",
            nullable=True,
            low=0,
        ),
        Column(
            "time_s",
            FLOAT,
            "Time as it was read, where the released answer is a time: the point, or the start of a span. Null for a"
            " frame, for other answers and where no time was read.",
            unit="s",
            nullable=True,
            low=0.0,
        ),
        Column(
            "time_end_s",
            FLOAT,
            "End of the span; null for a point.",
            unit="s",
            nullable=True,
            low=0.0,
        ),
        Column(
            "time_frame",
            INT,
            "Index of the frame, where the reply tells a frame and no time; never made from seconds, nor seconds"
            " from it.",
            nullable=True,
            low=0,
        ),
        Column(
            "time_end_frame", INT, "Frame at the end of the span, likewise.", nullable=True, low=0
        ),
        Column(
            "time_unit",
            TEXT,
            "How the reply tells the time: in seconds, milliseconds, minutes, minutes with seconds, on a clock"
            " (`0:13`) or as a frame.",
            nullable=True,
            one_of=TIME_UNITS,
        ),
    ),
)

_OF_ESTIMATED = "of the calls that have an estimate"

COSTS = Table(
    name="costs",
    stage="predictions",
    row="model and protocol that a run asked a benchmark's questions under",
    key=("benchmark", "run", "model", "protocol"),
    unit="run",
    columns=(
        BENCHMARK,
        RUN,
        Column("model", TEXT, "Model and revision."),
        Column("protocol", TEXT, "Protocol name and version."),
        Column("n_questions", INT, "Questions that were asked, also those asked no more.", low=1),
        Column("n_calls", INT, "Calls, each attempt of a later update included.", low=1),
        Column("n_failed", INT, "Of these, calls that failed.", low=0),
        Column("n_uncounted", INT, "Replies whose tokens nobody counted.", low=0),
        Column(
            "prompt_tokens", INT, "Tokens read; null if none were counted.", nullable=True, low=0
        ),
        Column(
            "cached_tokens",
            INT,
            "Of the tokens read, those from the server's cache; null where it does not say.",
            nullable=True,
            low=0,
        ),
        Column("completion_tokens", INT, "Tokens written.", nullable=True, low=0),
        Column(
            "seconds",
            FLOAT,
            "Time of all calls, one after the other.",
            unit="s",
            nullable=True,
            volatile=True,
            low=0.0,
        ),
        Column(
            "dollars",
            FLOAT,
            "Price of all calls, failed attempts included that were billed; null where the run states no"
            " price.",
            unit="USD",
            nullable=True,
            low=0.0,
        ),
        Column(
            "n_estimated", INT, "Replies whose tokens were estimated before they were asked.", low=0
        ),
        Column(
            "estimated_prompt_tokens",
            INT,
            f"Tokens read as estimated, {_OF_ESTIMATED}.",
            nullable=True,
            low=0,
        ),
        Column(
            "estimated_completion_tokens",
            INT,
            f"Tokens written as estimated, {_OF_ESTIMATED}.",
            nullable=True,
            low=0,
        ),
        Column(
            "estimated_seconds",
            FLOAT,
            "Time as estimated, of the calls for which there were past ones.",
            unit="s",
            nullable=True,
            volatile=True,
            low=0.0,
        ),
        Column(
            "estimated_dollars",
            FLOAT,
            f"Price as estimated, {_OF_ESTIMATED}.",
            unit="USD",
            nullable=True,
            low=0.0,
        ),
        Column(
            "compared_prompt_tokens",
            INT,
            f"Tokens read indeed, {_OF_ESTIMATED}.",
            nullable=True,
            low=0,
        ),
        Column(
            "compared_completion_tokens",
            INT,
            f"Tokens written indeed, {_OF_ESTIMATED}.",
            nullable=True,
            low=0,
        ),
        Column(
            "compared_seconds",
            FLOAT,
            "Time indeed, of the calls whose time was estimated.",
            unit="s",
            nullable=True,
            volatile=True,
            low=0.0,
        ),
        Column(
            "compared_dollars",
            FLOAT,
            f"Price indeed, {_OF_ESTIMATED}.",
            unit="USD",
            nullable=True,
            low=0.0,
        ),
    ),
)

TABLES = (
    REQUESTS,
    CALLS,
    ANSWERS,
    COSTS,
)

"""Tables of the questions stage: questions, and what the gates say of them."""

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
        "segment_id": TEXT,  # null where the clip is not a segment
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
        "is_answer": BOOL,  # null where the answer is withheld
    }
)

CANDIDATE = pl.Struct(
    {
        "number": INT,  # from 1, as shown
        "text": TEXT,
        "value": TEXT,  # what the text means to a program: a keystep's class
    }
)

ANSWER_KINDS = ("option", "sequences", "open")
"""How a question is answered: by an option, by one of several sequences of candidates, or in words."""

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
        Column(
            "answer",
            TEXT,
            "Letter of the right option; null for a released question that is open or whose answer is withheld.",
            nullable=True,
        ),
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
        Column(
            "answer_kind",
            TEXT,
            "`option`; `sequences` where `answer_text` lists valid sequences of candidates, one a line"
            ' (`[[8, 7, 3], ["F", "A"]]`), each of them right; `open` for an answer in words. Null where'
            " its options say it, and of released ones.",
            nullable=True,
            one_of=ANSWER_KINDS,
        ),
        Column(
            "candidates",
            pl.List(CANDIDATE),
            "What sequences are made of, in shown order; null for other answers.",
            nullable=True,
        ),
        Column(
            "answer_visible",
            BOOL,
            "Of a question about what comes next, whether its clip already shows the beginning of it; null for"
            " other questions, and where the recipe does not say.",
            nullable=True,
        ),
    ),
)

QUESTION_STEPS = Table(
    name="question_steps",
    stage="questions",
    row="question that a language model was asked to write, and what became of the reply",
    key=("benchmark", "asked_id", "step"),
    unit="pool",
    columns=(
        BENCHMARK,
        SOURCE,
        Column("pool", TEXT, "Unit of the question."),
        Column("subtask", TEXT, "Subtask of the question."),
        Column("step", TEXT, "What the model was asked for (docs/questions.md)."),
        Column("asked_id", TEXT, "Id of the question as it is made without a model."),
        Column(
            "question_id",
            TEXT,
            "Id of the question in the model's words; null where there is none.",
            nullable=True,
        ),
        Column("model", TEXT, "Run or text model that was asked, and its model."),
        Column("call_keys", pl.List(TEXT), "Its calls in `calls`, in order."),
        Column(
            "status",
            TEXT,
            "`used` for a question made of the reply; else there is none: the reply was refused, the"
            " call failed, or nothing was asked yet.",
            one_of=("used", "refused", "error", "not_asked"),
        ),
        Column("rule", TEXT, "Rule that refused the reply.", nullable=True),
        Column("message", TEXT, "What is wrong with the reply or the call.", nullable=True),
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
        Column(
            "value",
            FLOAT,
            "What was measured, where a number decides; of `blind` and `single_frame` the probability that"
            " the model is right.",
            nullable=True,
        ),
        Column("threshold", FLOAT, "What it was held against.", nullable=True),
        Column("model", TEXT, "Model that was asked; null where none was.", nullable=True),
        Column(
            "orders",
            INT,
            "Orders of the options in which the model was asked (`blind`, `single_frame`).",
            nullable=True,
            low=1,
        ),
        Column("message", TEXT, "What was found, for its reader."),
        Column(
            "input_hash",
            TEXT,
            "Hash of what the verdict rests on: while it stays, nobody judges again.",
            nullable=True,
            volatile=True,
        ),
    ),
)

QUESTION_FUNNELS = Table(
    name="question_funnels",
    stage="questions",
    row="rule of a recipe, with the candidates of one unit that it refuses and leaves",
    key=("benchmark", "pool", "step"),
    unit="pool",
    columns=(
        BENCHMARK,
        SOURCE,
        Column("pool", TEXT, "Unit of the questions: source, recipe and unit of the recipe."),
        Column("subtask", TEXT, "Subtask; of a recipe of several subtasks its name."),
        Column("recipe", TEXT, "Recipe and its version."),
        Column("step", INT, "Place of the rule, from 1; 0 for all candidates.", low=0),
        Column("rule", TEXT, "What a candidate must meet; `candidates` for all of them."),
        Column("refused", INT, "Candidates for which this is the first rule they break.", low=0),
        Column(
            "left", INT, "Candidates left after it; of the last rule the questions built.", low=0
        ),
        Column(
            "published",
            INT,
            "Questions of this subtask that the paper has from the source's dataset; null if it says none.",
            nullable=True,
            low=0,
        ),
    ),
)

TABLES = (
    QUESTION_STEPS,
    QUESTIONS,
    QUESTION_GATES,
    QUESTION_FUNNELS,
)

"""Tables of judges: what they decided of answers, and of answers whose verdict is known."""

from __future__ import annotations

from expectations.schemas.columns import FLOAT, TEXT
from expectations.schemas.core import Column, Table
from expectations.schemas.predictions import ANSWERS, SAMPLE
from expectations.schemas.questions import BENCHMARK, QUESTION_HASH, QUESTION_ID, RUN

KINDS = ("open", "reasoning")
VERDICTS = ("right", "wrong", "unjudged")
TEST_CLASSES = ("right", "wrong", "adversarial", "perturbed")

JUDGE = Column("judge", TEXT, "Judge, as configured.")
MODEL = Column("model", TEXT, "Model and revision of the judge.")
MODE = Column(
    "mode",
    TEXT,
    "How open answers are judged: by the paper, or as the released script does.",
    one_of=("paper", "parity"),
)
KIND = Column(
    "kind",
    TEXT,
    "What is judged: an answer in words (`open`) or the reasoning beside a letter.",
    one_of=KINDS,
)
_VERDICT = Column(
    "verdict",
    TEXT,
    "Whether the answer is right, or the reasoning acceptable (mark above 2); `unjudged` where the"
    " judge's reply says neither.",
    one_of=VERDICTS,
)
_MARK = Column(
    "mark",
    FLOAT,
    "Mark from 0 to 5, in parity as the judge gave it; null where there is none.",
    nullable=True,
)
_REASON = Column(
    "reason", TEXT, "The judge's reason; of the rule `time` what was converted.", nullable=True
)
_RULE = Column(
    "rule",
    TEXT,
    "What decided: `judge`, a rule that needs no judge (`exact`, `number`, `unit`, `stem`, `class_map`, `time`,"
    " `contains`, `no_answer`, `no_reasoning`), or why nothing was decided.",
)
_REPLY = Column("reply", TEXT, "The judge's reply as it came; null without one.", nullable=True)
_CALL = Column("call_key", TEXT, "The judge's call; null where none was needed.", nullable=True)

JUDGEMENTS = Table(
    name="judgements",
    stage="predictions",
    row="verdict of a judge on an answer or its reasoning",
    key=("benchmark", "run", "question_id", "sample", "judge", "kind"),
    unit="question_id",
    columns=(
        BENCHMARK,
        RUN,
        QUESTION_ID,
        QUESTION_HASH,
        SAMPLE,
        JUDGE,
        KIND,
        MODE,
        MODEL,
        ANSWERS["subtask"],
        ANSWERS["recording_id"],
        Column("answer_call_key", TEXT, "Call whose reply was judged."),
        _VERDICT,
        _MARK,
        _REASON,
        _RULE,
        _REPLY,
        _CALL,
    ),
)

JUDGE_TESTS = Table(
    name="judge_tests",
    stage="predictions",
    row="verdict of a judge on an answer whose verdict is known",
    key=("benchmark", "judge", "kind", "item"),
    unit="judge",
    columns=(
        BENCHMARK,
        JUDGE,
        KIND,
        Column("item", TEXT, "Question and rule that the answer was built by."),
        MODE,
        MODEL,
        QUESTION_ID,
        Column(
            "test_class",
            TEXT,
            "Known to be right, known to be wrong, wrong with an attempt to turn the judge, or the reference"
            " rationale with one fault.",
            one_of=TEST_CLASSES,
        ),
        Column("test", TEXT, "Rule that the answer was built by."),
        Column("text", TEXT, "The answer, or reasoning, that was judged."),
        Column(
            "expected",
            TEXT,
            "Verdict that is right; `lower` where the mark must be lower than that of the reference rationale.",
            one_of=("right", "wrong", "lower"),
        ),
        _VERDICT,
        _MARK,
        _REASON,
        _RULE,
        _REPLY,
        _CALL,
    ),
)

TABLES = (
    JUDGEMENTS,
    JUDGE_TESTS,
)

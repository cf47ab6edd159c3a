"""Tables of judged scores: what judges make of a run, and how far two of them agree."""

from __future__ import annotations

from expectations.schemas.columns import FLOAT, INT, TEXT
from expectations.schemas.core import Column, Table
from expectations.schemas.judgements import JUDGE, KIND, MODE, MODEL
from expectations.schemas.questions import BENCHMARK, RUN
from expectations.schemas.scores import SCORES


def _error_rate(test_class: str, meaning: str) -> tuple[Column, ...]:
    return (
        Column(
            f"error_rate_{test_class}",
            FLOAT,
            f"Share of test answers {meaning}; null where none was judged.",
            nullable=True,
            low=0.0,
            high=1.0,
        ),
        Column(f"n_tests_{test_class}", INT, "Test answers of this class that were judged.", low=0),
    )


def _ends(coefficient: str) -> tuple[Column, ...]:
    return tuple(
        Column(
            f"{coefficient}_{end}",
            FLOAT,
            f"{name} end of its 95 % interval, by leaving out one recording at a time; null with fewer than two"
            " recordings, and where the coefficient is undefined without one of them.",
            nullable=True,
            low=-1.0,
            high=1.0,
        )
        for end, name in (("low", "Lower"), ("high", "Upper"))
    )


JUDGED_SCORES = Table(
    name="judged_scores",
    stage="scores",
    row="metric of a run on a slice, by a judge",
    key=("benchmark", "run", "judge", "slice", "metric"),
    unit="run",
    columns=(
        BENCHMARK,
        RUN,
        JUDGE,
        MODEL,
        MODE,
        SCORES["slice"],
        Column(
            "metric",
            TEXT,
            "`judged_accuracy`: share of open answers that are right. `reasoning_score`: mean mark from 0"
            " to 5 of the reasoning, whether the letter is right or wrong. `spurious_correct_rate`: share of"
            " right letters whose reasoning has a mark of at most 2.",
            one_of=("judged_accuracy", "reasoning_score", "spurious_correct_rate"),
        ),
        Column(
            "value",
            FLOAT,
            "Value over what was judged; of several replies to a question their mean counts. Null where"
            " nothing was judged (of a subtask, for `macro`), and for `spurious_correct_rate` where no"
            " letter is right.",
            nullable=True,
            low=0.0,
            high=5.0,
        ),
        SCORES["low"],
        SCORES["high"],
        Column("n", INT, "Questions with a judged answer that counts.", low=0),
        Column("n_unjudged", INT, "Further answers that would count and are not judged.", low=0),
        Column("n_by_rule", INT, "Of the judged answers, those that needed no judge.", low=0),
        Column("n_clusters", INT, "Recordings that the judged questions come from.", low=0),
        *_error_rate("right", "known to be right that the judge calls wrong"),
        *_error_rate("wrong", "known to be wrong that the judge calls right"),
        *_error_rate("adversarial", "that try to turn the judge, and do"),
        *_error_rate(
            "perturbed", "with one fault that the judge marks as high as the faultless rationale"
        ),
        Column("n_tests_unjudged", INT, "Test answers that the judge gave no verdict on.", low=0),
    ),
)

JUDGE_AGREEMENTS = Table(
    name="judge_agreements",
    stage="scores",
    row="pair of judges on the answers of a run",
    key=("benchmark", "run", "kind", "first_judge", "second_judge"),
    unit="run",
    columns=(
        BENCHMARK,
        RUN,
        KIND,
        Column("first_judge", TEXT, "Judge that comes first by name."),
        Column("second_judge", TEXT, "The other judge."),
        Column(
            "n",
            INT,
            "Answers on which both gave a verdict; what a rule decided without them does not count.",
            low=0,
        ),
        Column("n_one_sided", INT, "Further answers on which one of them gave none.", low=0),
        Column(
            "agreement",
            FLOAT,
            "Share of equal verdicts; null without any.",
            nullable=True,
            low=0.0,
            high=1.0,
        ),
        Column(
            "kappa",
            FLOAT,
            "Cohen's kappa of the verdicts; null where both always say the same one thing.",
            nullable=True,
            low=-1.0,
            high=1.0,
        ),
        *_ends("kappa"),
        Column("n_marks", INT, "Answers to which both gave a mark.", low=0),
        Column(
            "equal_marks",
            FLOAT,
            "Share of equal marks, rounded to whole ones.",
            nullable=True,
            low=0.0,
            high=1.0,
        ),
        Column(
            "marks_within_one",
            FLOAT,
            "Share of marks that differ by at most 1.",
            nullable=True,
            low=0.0,
            high=1.0,
        ),
        Column(
            "weighted_kappa",
            FLOAT,
            "Kappa of the marks rounded to whole ones, with quadratic weights; null where undefined.",
            nullable=True,
            low=-1.0,
            high=1.0,
        ),
        *_ends("weighted_kappa"),
    ),
)

TABLES = (
    JUDGED_SCORES,
    JUDGE_AGREEMENTS,
)

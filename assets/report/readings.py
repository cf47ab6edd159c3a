"""What other readers make of the replies, for the page: their scores, and the replies on which they differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from assets.scores.parity.table import parity_scores

_SHOWN = 60
_LONGEST_CHARS = 400


@dataclass(frozen=True, slots=True)
class ReaderScore:
    """A score by another reader's rules.

    Attributes:
        value: Value; None where nothing counts.
        effect: Value less ours; None of chains.
        n: Questions in the reader's denominator.
        n_differ: Replies that it reads otherwise.
        n_unread: Replies that it cannot read, counted as wrong.
        n_apart: Replies that it leaves out or has not read.
        n_ends_evaluation: Replies on which the published program ends with an error.
    """

    value: float | None
    effect: float | None
    n: int
    n_differ: int
    n_unread: int
    n_apart: int
    n_ends_evaluation: int


@dataclass(frozen=True, slots=True)
class ReaderRow:
    """A reader of a run, with its scores by slice."""

    run: str
    reader: str
    kind: str
    metric: str
    scores: Mapping[str, ReaderScore]


@dataclass(frozen=True, slots=True)
class Difference:
    """A reply that is read in two ways.

    Attributes:
        change: `gained` where it is right for the reader alone, `lost` where it is for us alone, else empty.
    """

    run: str
    reader: str
    subtask: str
    question_id: str
    answer: str
    ours: str
    theirs: str
    change: str
    reply: str


@dataclass(frozen=True, slots=True)
class Readings:
    """The page's section on other readers.

    Attributes:
        rows: Scores by reader and run.
        differences: Some of the replies that are read in two ways, those that move a score first.
        n_differences: How many there are.
    """

    rows: tuple[ReaderRow, ...] = ()
    differences: tuple[Difference, ...] = ()
    n_differences: int = 0


def build_readings(
    answers: pl.DataFrame,
    calls: pl.DataFrame,
    questions: pl.DataFrame,
    most: int = _SHOWN,
) -> Readings:
    """What the page shows of other readers.

    Args:
        answers: Rows of `parity_answers` of one benchmark.
        calls: Columns run, call_key, attempt and reply of `calls`, secrets masked.
        questions: Columns question_id and answer of `questions`.
        most: Most replies that are shown.
    """
    differing = answers.filter(~pl.col("agrees"))
    moving = pl.col("right") != pl.col("our_right")
    shown = (
        differing.with_columns(moves=moving.fill_null(False))
        .sort("moves", "run", "reader", "question_id", "sample", descending=[True, *[False] * 4])
        .head(most)
        .join(calls, on=["run", "call_key", "attempt"], how="left", maintain_order="left")
        .join(questions, on="question_id", how="left", maintain_order="left")
    )
    return Readings(
        _rows(parity_scores(answers)), tuple(_differences(shown.to_dicts())), differing.height
    )


def _rows(scores: pl.DataFrame) -> tuple[ReaderRow, ...]:
    key = ["run", "reader", "kind", "metric"]
    return tuple(
        ReaderRow(
            *(str(value) for value in values),
            scores={
                row["slice"]: ReaderScore(
                    value=row["value"],
                    effect=row["effect"],
                    n=row["n"],
                    n_differ=row["n_differ"],
                    n_unread=row["n_unread"],
                    n_apart=row["n_left_out"] + row["n_missing"],
                    n_ends_evaluation=row["n_ends_evaluation"],
                )
                for row in part.iter_rows(named=True)
            },
        )
        for values, part in scores.sort(*key, "slice").group_by(key, maintain_order=True)
    )


def _differences(rows: Sequence[Mapping[str, object]]) -> list[Difference]:
    found = []
    for row in rows:
        right, ours = row["right"], row["our_right"]
        change = {(True, False): "gained", (False, True): "lost"}.get((right, ours), "")  # type: ignore[arg-type]
        reply = str(row["reply"] or "")
        found.append(
            Difference(
                run=str(row["run"]),
                reader=str(row["reader"]),
                subtask=str(row["subtask"]),
                question_id=str(row["question_id"]),
                answer=str(row["answer"] or ""),
                ours=str(row["ours"] or f"none ({row['our_status']})"),
                theirs=str(row["theirs"] or f"none ({row['outcome']})").replace("_", " "),
                change=change,
                # An answer stands at the end as often as at the start.
                reply=reply
                if len(reply) <= _LONGEST_CHARS
                else f"{reply[: _LONGEST_CHARS // 2]} … {reply[-_LONGEST_CHARS // 2 :]}",
            )
        )
    return found

"""How far the review of a benchmark's questions has come, as the page shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from assets.agreement import Agreement
from assets.question_reviews.flow import STATES


@dataclass(frozen=True, slots=True)
class ReviewedSubtask:
    """Questions of a subtask by the state of their review.

    Attributes:
        source: Source of the questions.
        subtask: The subtask.
        counts: Questions in each state, in the order of `STATES`.
    """

    source: str
    subtask: str
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CriterionRow:
    """How far the reviewers of a round agree on a criterion.

    Attributes:
        source: Source of the questions.
        round: Annotation round.
        criterion: The criterion.
        agreement: Agreement of its reviewers.
    """

    source: str
    round: int
    criterion: str
    agreement: Agreement


@dataclass(frozen=True, slots=True)
class Review:
    """The review of a benchmark's questions.

    Attributes:
        screenings: How many people screen a question.
        states: States of a review, in their order.
        subtasks: Questions by subtask and state.
        criteria: Agreement on each criterion, of rounds in which several people judged.
        accepted_only: Whether only accepted questions are published.
    """

    screenings: int
    states: tuple[str, ...]
    subtasks: tuple[ReviewedSubtask, ...]
    criteria: tuple[CriterionRow, ...]
    accepted_only: bool = False


Progress = tuple[pl.DataFrame, Sequence[tuple[int, str, Agreement]]]
"""Questions by subtask and state, and round, criterion and agreement, of one source."""


def reviewed(
    progress: Mapping[str, Progress], screenings: int, *, accepted_only: bool = False
) -> Review | None:
    """What the page shows of a review; None where nobody has judged a question and all are published.

    Args:
        progress: Of each source, what `question_reviews.stage.review_progress` returns.
        screenings: How many people have to screen a question.
        accepted_only: Whether only accepted questions are published.
    """
    subtasks, criteria = [], []
    for source, (counts, agreed) in sorted(progress.items()):
        for subtask in sorted(set(counts["subtask"])):
            of = counts.filter(subtask=subtask).select("state", "questions")
            by_state = dict(of.iter_rows())
            row = tuple(by_state.get(state, 0) for state in STATES)
            subtasks.append(ReviewedSubtask(source, subtask, row))
        criteria += [CriterionRow(source, *entry) for entry in agreed if entry[2].n_annotators > 1]
    if not subtasks and not accepted_only:
        return None
    return Review(screenings, STATES, tuple(subtasks), tuple(criteria), accepted_only)

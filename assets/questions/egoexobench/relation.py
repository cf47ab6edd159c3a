"""What both recipes of action relation write alike: question text, options, and the row.

The options' `text` is the narration, for protocols that read text in place of video; the question
never holds one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assets.questions.kit.rows import Row, lettered, question_row, template

BENCHMARK = "egoexobench"
SUBTASK = "action_relation"
TEXT_FILE = "action_relation.j2"
OPTIONS = 4
# Clips of a question are cut to the shortest; none may lose more than half.
MOST_RATIO = 2.0
_TEXT = template("assets.questions.egoexobench", TEXT_FILE)

Span = tuple[float, float]


def overlap(one: Span, other: Span) -> bool:
    """Whether two spans of one clock share any time."""
    return one[0] < other[1] and other[0] < one[1]


def candidates(identity: str, narrations: Mapping[str, str], *, answer: str) -> list[Row]:
    """Options in shown order.

    Args:
        identity: The question's id.
        narrations: What each option's segment says, by segment id.
        answer: Segment id of the right option.
    """
    return lettered(
        identity,
        [
            {"text": text, "segment_id": key, "is_answer": key == answer}
            for key, text in narrations.items()
        ],
        "segment_id",
    )


def relation_row(
    *,
    identity: str,
    recipe: str,
    split: str | None,
    options: Sequence[Row],
    media: Sequence[Row],
    recordings: Iterable[Mapping[str, Any]],
    detailed_answer: str,
    evidence: Sequence[Row],
) -> Row:
    """A row of `questions`.

    Args:
        identity: `question_id`.
        recipe: Recipe that asks.
        split: Split asked about.
        options: Options in shown order.
        media: The query, then the options in shown order.
        recordings: Rows of `recordings`, the query's first.
        detailed_answer: Why the answer is right.
        evidence: Rows the question rests on.
    """
    shown = list(recordings)
    return question_row(
        identity=identity,
        text=_TEXT.render(),
        options=options,
        media=media,
        recordings=shown,
        fields={
            "benchmark": BENCHMARK,
            "source": str(shown[0]["source"]),
            "subtask": SUBTASK,
            "recipe": recipe,
            "split": split,
            "recording_id": shown[0]["recording_id"],
            "detailed_answer": detailed_answer,
            "evidence": list(evidence),
        },
    )

"""Questions about a moment of a take: the query by one camera, the options by the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from assets.questions.egoexobench.acts import READS as ACT_READS
from assets.questions.egoexobench.acts import Act
from assets.questions.kit.choice import by_hash
from assets.questions.kit.recipe import RECORDING_COLUMNS, Option, Recipe, Row
from assets.questions.kit.takes import Camera

DISTRACTORS = 3
READS = {
    **ACT_READS,
    "recordings": (*RECORDING_COLUMNS, "take_id", "view"),
    "clocks": ("recording_id", "offset_s", "rate", "method"),
}
"""What recipes about the actions of synchronous cameras read."""


def other_moments(act: Act, own: Sequence[Act]) -> list[Act]:
    """Other actions of the person, by hash.

    Args:
        act: Action asked about.
        own: Actions of the same person, this one included.
    """
    others = (other for other in own if other is not act)
    return by_hash(others, "distractor", act.segment_id, key=lambda other: other.segment_id)


def distractors_as_paper(act: Act, own: Sequence[Act], differs: Callable[[Act], bool]) -> list[Act]:
    """Up to three moments of the person as the paper chooses them: other times, another action.

    Args:
        act: Action asked about.
        own: Actions of the same person that both cameras show.
        differs: Whether an action is another one than that asked about.
    """
    chosen: list[Act] = []
    for other in other_moments(act, own):
        apart = not any(other.shows_time_of(a) for a in (act, *chosen))
        if apart and differs(other):
            chosen.append(other)
    return chosen[:DISTRACTORS]


def moment_question(
    recipe: Recipe,
    anchor: tuple[str, ...],
    asked: Camera,
    shown: Camera,
    act: Act,
    distractors: Sequence[Act],
    text: Mapping[str, Any] | None = None,
) -> Row:
    """A question whose right option is the other camera's clip of the same moment.

    All clips are cut to the shortest, except as the paper reads.

    Args:
        recipe: Recipe under its reading.
        anchor: What the question is about.
        asked: Camera of the query.
        shown: Camera of the options.
        act: Action asked about.
        distractors: Actions of other moments.
        text: Values for the template beside `narration`, `query` and `shown`.
    """
    acts = (act, *distractors)
    length_s = None if recipe.as_paper else min(a.length_s for a in acts)
    query = asked.clip(act.cut(length_s), act.segment_id)
    answer, *others = (
        Option(
            a.words,
            clip=shown.clip(a.cut(length_s), a.segment_id),
            evidence=(("segments", a.segment_id), *(("relations", key) for key in a.relations)),
        )
        for a in acts
    )
    return recipe.question(
        anchor=anchor,
        text={"narration": act.words, "query": query, "shown": answer.shown, **(text or {})},
        answer=answer,
        distractors=others,
        media=[query],
        evidence=[
            ("clocks", asked.uid, "query"),
            ("clocks", shown.uid, "option"),
            *((table, key, "query") for table, key in answer.evidence),
        ],
    )

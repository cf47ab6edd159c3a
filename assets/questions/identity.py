"""Identity of a question: what it is made from, and what is seen of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assets.pairs.choice import stable_hash

LETTERS = "ABCDEFGHIJKLMNOPQRST"


def question_id(benchmark: str, subtask: str, recipe: str, *anchors: str) -> str:
    """Hash that stays when wording, options or media change; joins releases and score deltas."""
    return stable_hash("question", benchmark, subtask, recipe, *anchors)


def question_hash(
    text: str, options: Sequence[Mapping[str, object]], media: Sequence[Mapping[str, object]]
) -> str:
    """Hash of everything a model or reader sees; replies and reviews key on it.

    That is the text, each option's letter and text, and each medium's role, recording, kind, times
    and content, in shown order. Which option is right is not seen and not part of it.
    """
    parts = ["shown", text, str(len(options))]
    for option in options:
        parts += [str(option["letter"]), str(option["text"])]
    for medium in media:
        parts += [
            str(medium["role"]),
            str(medium["recording_id"]),
            str(medium["media_kind"]),
            repr(medium["start_s"]),
            repr(medium["end_s"]),
            str(medium["content"]),
        ]
    return stable_hash(*parts)

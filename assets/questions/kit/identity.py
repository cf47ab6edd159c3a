"""Identity of a question: what it is made from, and what is seen of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assets.pairs.choice import stable_hash

LETTERS = "ABCDEFGHIJKLMNOPQRST"
_OVERLAY_TEXTS = ("kind", "label", "colour")
_OVERLAY_NUMBERS = ("width", "t_s", "x_min", "y_min", "x_max", "y_max")


def question_id(benchmark: str, subtask: str, recipe: str, *anchors: str) -> str:
    """Hash that stays when wording, options or media change; joins releases and score deltas."""
    return stable_hash("question", benchmark, subtask, recipe, *anchors)


def question_hash(
    text: str, options: Sequence[Mapping[str, Any]], media: Sequence[Mapping[str, Any]]
) -> str:
    """Hash of everything a model or reader sees; replies and reviews key on it.

    That is the text, each option's letter and text, and each medium's role, recording, kind, times,
    content, own sampling rule and instants, and the marks drawn on it, in shown order. Which option
    is right is not seen and not part of it. A field that is absent counts as one that is null.
    """
    parts = ["shown", text, str(len(options))]
    for option in options:
        parts += [str(option["letter"]), str(option["text"])]
    for medium in media:
        times = medium.get("times_s") or ()
        overlays = medium.get("overlays") or ()
        parts += [
            str(medium["role"]),
            str(medium["recording_id"]),
            str(medium["media_kind"]),
            _number(medium["start_s"]),
            _number(medium["end_s"]),
            str(medium["content"]),
            medium.get("sampling") or "",
            str(len(times)),
            *map(_number, times),
            str(len(overlays)),
        ]
        for overlay in overlays:
            parts += [str(overlay.get(name) or "") for name in _OVERLAY_TEXTS]
            parts += [_number(overlay.get(name)) for name in _OVERLAY_NUMBERS]
    return stable_hash(*parts)


def _number(value: float | None) -> str:
    # A numpy float or a whole number writes itself differently from the float a table gives back.
    return "" if value is None else repr(float(value))

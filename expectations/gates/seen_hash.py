"""The hash of all that a model or reader sees of a question, stated here apart from the builders'.

Replies, reviews and verdicts belong to a `question_hash`: a text that was changed under its old hash
would be published with the replies to another text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from expectations.schemas.identity import digest


def seen_hash(question: Mapping[str, Any]) -> str:
    """`question_hash` of a row of `questions`.

    Seen are the text, the options' letters and texts, and of each medium what is sent: recording,
    times, content, sampling and marks. The key, the evidence and the explanation are not.
    """
    options = [option for option in question["options"] or () if option]
    parts = ["shown", str(question["text"]), str(len(options))]
    for option in options:
        parts += [str(option["letter"]), str(option["text"])]
    for medium in filter(None, question["media"] or ()):
        parts += _medium(medium)
    return digest(parts)


def _medium(medium: Mapping[str, Any]) -> Iterator[str]:
    for name in ("role", "recording_id", "media_kind"):
        yield str(medium[name])
    yield _number(medium["start_s"])
    yield _number(medium["end_s"])
    yield str(medium["content"])
    yield medium["sampling"] or ""
    for values in (medium["times_s"] or (), medium["overlays"] or ()):
        yield str(len(values))
        for value in values:
            if isinstance(value, Mapping):
                yield from (str(value[name] or "") for name in ("kind", "label", "colour"))
                places = ("width", "t_s", "x_min", "y_min", "x_max", "y_max")
                yield from (_number(value[name]) for name in places)
            else:
                yield _number(value)


def _number(value: float | None) -> str:
    return "" if value is None else repr(float(value))

"""Rows of `questions`: the parts that every builder writes alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from typing import Any

import jinja2

from assets.pairs.choice import option_order
from assets.questions.kit.identity import LETTERS, question_hash

Row = dict[str, Any]
RECORDING_COLUMNS = ("recording_id", "split", "media", "media_hashes", "licence", "duration_s")
# Prompts are plain text: escaping would change what a model reads.
_PLAIN = jinja2.Environment(undefined=jinja2.StrictUndefined, autoescape=False)  # noqa: S701


def template(package: str, name: str) -> jinja2.Template:
    """A text template beside a builder.

    Args:
        package: Dotted name of the benchmark's folder.
        name: File name.

    Returns:
        The template; a value that is not given to it is an error.
    """
    text = files(package).joinpath(name).read_text(encoding="utf-8").strip()
    return _PLAIN.from_string(text)


def clip_medium(
    role: str,
    recording: Mapping[str, Any],
    start_s: float,
    end_s: float,
    *,
    segment_id: str | None = None,
    sampling: str | None = None,
) -> Row:
    """A clip of a recording as a medium of a question.

    Args:
        role: `query`, `reference`, or `option_A` and so on.
        recording: Row of `recordings`.
        start_s: Start of the clip, from the recording's start.
        end_s: End of the clip.
        segment_id: Segment the clip stands for.
        sampling: Rule this clip needs; None leaves it to the protocol.
    """
    present = recording["media"] == "present"
    return {
        "role": role,
        "recording_id": recording["recording_id"],
        "segment_id": segment_id,
        "media_kind": "clip",
        "start_s": start_s,
        "end_s": end_s,
        "sampling": sampling,
        "times_s": [],
        "overlays": [],
        "content": "+".join(recording["media_hashes"] or ()) if present else "",
    }


def lettered(identity: str, candidates: Iterable[Row], key: str) -> list[Row]:
    """Options in shown order, with their letters.

    Args:
        identity: The question's id: order depends on it and on each option's key alone.
        candidates: Options without letters; their order does not matter.
        key: Field that tells them apart (`segment_id`, `value`).
    """
    given = sorted(candidates, key=lambda option: str(option[key]))
    order = option_order(identity, [str(option[key]) for option in given])
    empty = {"segment_id": None, "value": None}
    return [
        {**empty, **given[i], "letter": letter} for letter, i in zip(LETTERS, order, strict=False)
    ]


def question_row(
    *,
    identity: str,
    text: str,
    options: Sequence[Row],
    media: Sequence[Row],
    recordings: Iterable[Mapping[str, Any]],
    fields: Mapping[str, Any],
) -> Row:
    """A row of `questions`; what follows from its parts is filled in.

    Args:
        identity: `question_id`.
        text: Question as shown.
        options: Options in shown order, exactly one the answer.
        media: Media in shown order.
        recordings: Rows of `recordings` of all media.
        fields: The other columns; `rationale` is empty and `pool` blank if absent (the stage
            names the pool).
    """
    shown = list(recordings)
    return {
        "pool": "",
        "rationale": [],
        **fields,
        "question_id": identity,
        "question_hash": question_hash(text, options, media),
        "text": text,
        "options": list(options),
        "media": list(media),
        "answer": next(o["letter"] for o in options if o["is_answer"]),
        "chance": 1.0 / len(options),
        "media_present": all(r["media"] == "present" for r in shown),
        "licence": "; ".join(sorted({str(r["licence"]) for r in shown})),
    }

"""Rows of `imported_questions`: what every release's question file has in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from string import ascii_uppercase
from typing import Any

from assets.sources.reading.values import Malformed


def check_options(options: object) -> list[str]:
    """Options as released, if they are two or more texts.

    Raises:
        Malformed: Something else.
    """
    if not isinstance(options, list) or not all(isinstance(o, str) and o for o in options):
        raise Malformed("options are not a list of texts", str(options)[:80])
    if len(options) < 2:
        raise Malformed("a question needs two options or more", str(options)[:80])
    return options


def lettered_options(lettered: Sequence[tuple[str, str]], said: object = None) -> list[str]:
    """Options without their letters.

    Args:
        lettered: Letter and text of each option, in the released order.
        said: What they were read from, shown where it is refused; their letters where it is not given.

    Raises:
        Malformed: Letters are not A, B, C and so on; or as of `check_options`.
    """
    letters = "".join(letter for letter, _ in lettered)
    if not ascii_uppercase.startswith(letters):
        raise Malformed("options are not lettered in order", str(said or letters)[:80])
    return check_options([text.strip() for _, text in lettered])


def question_row(
    source: str,
    file: str,
    question_set: str,
    released_id: str,
    *,
    text: object,
    options: Sequence[str],
    media: Sequence[Mapping[str, Any]],
    answer: int | Sequence[int] | None = None,
    **rest: object,
) -> dict:
    """A row of `imported_questions`.

    Args:
        source: Source.
        file: File under the root.
        question_set: Released file or prototype.
        released_id: The release's own id.
        text: Question.
        options: Option texts in the released order; empty for an open question.
        media: Media in order; fields that are left out become null.
        answer: Index or indices of the right options, from 0; None where it is not released.
        rest: Further columns.

    Raises:
        Malformed: No question, or an answer that is not one of the options.
    """
    if not isinstance(text, str) or not text.strip():
        raise Malformed("the question has no text", released_id)
    right = answer if answer is None else [answer] if isinstance(answer, int) else list(answer)
    if right is not None and not all(0 <= at < len(options) for at in right):
        raise Malformed(f"the answer is not one of {len(options)} options", str(answer))
    fields = ("role", "recording_id", "paths", "start_s", "end_s")
    return {
        "source": source,
        "question_set": question_set,
        "released_id": released_id,
        "text": text,
        "options": list(options),
        # Two options stand in order half of the time; from three on it tells something.
        "options_sorted": len(options) > 2 and list(options) == sorted(options),
        "answer": right,
        "media": [{name: medium.get(name) for name in fields} for medium in media],
        "source_file": file,
        "source_key": released_id,
        **rest,
    }

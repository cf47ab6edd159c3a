"""Association questions in EgoExoLearn's form (`association_{val,test}_hard.json`).

An object of questions by number: a query, its choices by number, the number of the right one, and
`types`: 1 for an egocentric query with exocentric choices, anything else for the opposite. A query or
choice is a stretch of a video (`video_uid`, `start_sec`, `end_sec`) with its narration, which is kept
as the option's text and shown to nobody who is to look.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from assets.sources.egoexolearn.files import uid_or_none
from assets.sources.imported_questions import question_row
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed, number

ASSOCIATION_QUESTIONS = r"association_benchmark/annotations/association_(?:val|test)_hard\.json"
_SPLIT = re.compile(r"association_(val|test)_hard\.json")
_TEXT = "Which choice shows the same action as the query?"
EGO_QUERY = 1


def association_questions(
    source: str, path: str, data: bytes, reader: RowReader
) -> Iterator[dict[str, Any]]:
    """Rows of `imported_questions`, in the order of the file."""
    found = _SPLIT.search(path)
    split = "" if found is None else found[1]
    yield from reader.json_object(
        path, data, lambda key, said: _row(source, path, split, key, said)
    )


def _row(source: str, path: str, split: str, key: str, said: Any) -> dict[str, Any]:
    if isinstance(said, Malformed):
        raise said
    if not isinstance(said, dict) or not isinstance(said.get("choices"), dict):
        raise Malformed("the item holds no choices", str(said)[:80])
    choices = [said["choices"].get(str(i)) for i in range(len(said["choices"]))]
    if len(choices) < 2:
        raise Malformed("a question needs two choices or more", key)
    answer, types = said.get("answer"), said.get("types")
    if type(answer) is not int:
        raise Malformed("the answer is not a number of a choice", str(answer)[:80])
    if type(types) is not int:
        raise Malformed("types is not a number", str(types)[:80])
    query, shown = _shown("query", said.get("query")), [_shown("choice", c) for c in choices]
    return question_row(
        source,
        path,
        f"association_{split}_hard",
        key,
        subtask="association_" + ("ego2exo" if types == EGO_QUERY else "exo2ego"),
        split=split,
        text=_TEXT,
        options=[narration for _, narration in shown],
        answer=answer,
        media=[query[0], *({**m, "role": f"option_{i}"} for i, (m, _) in enumerate(shown))],
    )


def _shown(role: str, item: Any) -> tuple[dict[str, Any], str]:
    """A medium, and its narration (empty where there is none)."""
    if not isinstance(item, dict):
        raise Malformed(f"a {role} is missing or no object", str(item)[:80])
    uid = uid_or_none(item.get("video_uid"))
    if uid is None:
        raise Malformed(
            f"the {role} names no video of the dataset", str(item.get("video_uid"))[:80]
        )
    start_s, end_s = number(item.get("start_sec")), number(item.get("end_sec"))
    if not 0 <= start_s < end_s:
        raise Malformed(f"the {role} ends before it starts", f"{start_s} to {end_s}")
    narration = item.get("narration_en")
    if not isinstance(narration, str | None):
        raise Malformed(f"the {role}'s narration is not text", str(narration)[:80])
    medium = {"role": role, "recording_id": uid, "start_s": start_s, "end_s": end_s}
    return medium, (narration or "").strip()

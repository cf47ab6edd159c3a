"""Result files of EgoCross's inference scripts: what each entry says about a reply.

The scripts write a list of entries while they run, and `{summary, results}` at the end. They keep the reply
where it counted as wrong (`raw_response`), and otherwise only what they read of it. A call that failed, or
a judge that failed after the call, is an entry that counts as wrong over there: here it is not a reply.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from resources.models.engines.given_replies import PROMPT, QUESTION

_ENTRY = frozenset((QUESTION, "primary_category", "video_path", "success"))
_SHOWN = re.compile(r"(?:.*/)?frames/[a-z]+_(?P<question>[^/_]+)_(?P<shown>[^/_]+)/[^/]+")
_FAILED, _BROKEN_OFF = "[ERROR]", "[FATAL_ERROR]"
_NO_ANSWER = "null"
"""Stands for a reply without text: it is read as one that answers nothing."""


def entries_of(document: Any) -> Any:
    """The list of entries of a finished result file; other documents as they are."""
    if isinstance(document, dict) and {"summary", "results"} <= document.keys():
        return document["results"]
    return document


def is_entry(row: Mapping[str, Any]) -> bool:
    """Whether a row is an entry of such a file."""
    return row.keys() >= _ENTRY


def reply_of_entry(row: Mapping[str, Any], column: str) -> dict[str, Any]:
    """Names and reply of an entry.

    Args:
        row: Entry.
        column: Name to give the reply; it is null where the entry holds none.
    """
    return {QUESTION: row[QUESTION], PROMPT: _shown(row), column: _reply(row)}


def _shown(row: Mapping[str, Any]) -> str | None:
    """Hash of what was shown, from the folder of the pictures that the export named; None elsewhere."""
    paths = row["video_path"]
    first = paths[0] if isinstance(paths, list) and paths else None
    match = _SHOWN.fullmatch(first) if isinstance(first, str) else None
    return match["shown"] if match and match["question"] == row[QUESTION] else None


def _reply(row: Mapping[str, Any]) -> str | None:
    prediction = row.get("prediction")
    # After an error of its own, a script keeps whatever reply it read last: another question's.
    if isinstance(prediction, str) and prediction.startswith(_BROKEN_OFF):
        return None
    if "raw_response" in row:
        raw = row["raw_response"]
        return None if not isinstance(raw, str) else raw.strip() or _NO_ANSWER
    if prediction == _FAILED:
        return None
    reply = {"prediction": prediction}
    if "options" in row:
        # Beside an open question stands the judge's reason, not the model's.
        reply["reason"] = row.get("reason", "")
    return json.dumps(reply, ensure_ascii=False)

"""Objects and lists in JSON that a reply holds, broken ones repaired."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

# Something that may be JSON: a brace or bracket with a key, a quotation mark or a bracket behind it.
_START = re.compile(r"\{\s*[\"'\w]|\[\s*[\[{\"']")
# Bounds on the time that text full of brackets takes.
_LONGEST, _STARTS, _REPAIRS, _DEEPEST = 4_000, 20, 4, 12


@dataclass(frozen=True, slots=True)
class Found:
    """A JSON value within a text.

    Attributes:
        value: Object or list.
        start: Where it starts.
        end: Where it ends; the length of the text if it does not.
        closed: Whether its brackets are closed.
    """

    value: Any
    start: int
    end: int
    closed: bool


def find_json(text: str) -> Iterator[Found]:
    """Objects and lists of a text, in order, none inside another."""
    if "{" not in text and "[" not in text:
        return
    decoder = json.JSONDecoder()
    at = repairs = 0
    for _ in range(_STARTS):
        found = _START.search(text, at)
        if found is None:
            return
        start = found.start()
        try:
            value, end = decoder.raw_decode(text, start)
            closed = True
        except (json.JSONDecodeError, RecursionError):
            end, closed = _closing(text, start)
            repairs += 1
            value = _repaired(text[start:end]) if repairs <= _REPAIRS else None
        if isinstance(value, dict | list) and value:
            yield Found(value, start, end, closed)
            at = end
        else:
            at = start + 1


def _closing(text: str, start: int) -> tuple[int, bool]:
    """End of the bracket that opens at `start`, brackets in quotation marks counted as well."""
    depth = 0
    stop = min(len(text), start + _LONGEST)
    for at in range(start, stop):
        if text[at] in "{[":
            depth += 1
        elif text[at] in "}]":
            depth -= 1
            if depth == 0:
                return at + 1, True
    return stop, False


def _depth(text: str) -> int:
    """How many brackets are open at once."""
    depth = deepest = 0
    for mark in re.findall(r"[{}\[\]]", text):
        depth = depth + 1 if mark in "{[" else max(0, depth - 1)
        deepest = max(deepest, depth)
    return deepest


def _repaired(text: str) -> Any:
    """What a broken object means, if it has a key and a value."""
    if ":" not in text or _depth(text) > _DEEPEST:
        return None
    import json_repair

    try:
        return json_repair.loads(text, skip_json_loads=True)
    except (RecursionError, ValueError, IndexError):
        return None

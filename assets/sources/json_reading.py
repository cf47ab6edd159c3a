"""JSON documents and lists, or what is wrong with them, item by item."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from assets.sources.reading import SURROGATE, Malformed, printable, text_of

_ESCAPED_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_MAY_HOLD_SURROGATES = rb"\ud800"


class _Unusable:
    """Stands in a JSON document for a part that has no meaning, so that its neighbours keep theirs."""

    def __init__(self, why: str, value: str) -> None:
        self.fault = Malformed(why, value)


def json_of(data: bytes) -> object:
    """A JSON document.

    Raises:
        Malformed: Not JSON; numbers that JSON does not know (NaN, Infinity) or that no computer
            holds; an object that gives one key twice; text that is no Unicode.
    """
    document = _json(data)
    fault = _fault_in(document, data)
    if fault:
        raise fault
    return document


def json_items(data: bytes) -> Iterator[tuple[int, object]]:
    """Items of a JSON list with their index; `Malformed` in place of one that `json_of` refuses.

    Raises:
        Malformed: Not JSON, or no list.
    """
    items = _json(data)
    if not isinstance(items, list):
        raise Malformed("the document is no list", type(items).__name__)
    for at, item in enumerate(items):
        yield at, _fault_in(item, data) or item


def json_tree(data: bytes) -> object:
    """A JSON document in which parts without a meaning stay in place, for `sound` to refuse one by one.

    Raises:
        Malformed: Not JSON.
    """
    return _json(data)


def sound(part: object) -> object:
    """A part of a `json_tree`, if every value in it has a meaning.

    Raises:
        Malformed: What `json_of` refuses a whole document for.
    """
    fault = _fault_in(part, _MAY_HOLD_SURROGATES)
    if fault:
        raise fault
    return part


def _json(data: bytes) -> object:
    def constant(word: str) -> object:
        return _Unusable(f"{word} is no JSON number", word)

    def whole(digits: str) -> object:
        return int(digits) if len(digits) < 400 else _Unusable("number is too long", digits[:40])

    def pairs(found: list[tuple[str, object]]) -> object:
        made = dict(found)
        if len(made) < len(found):
            keys = [key for key, _ in found]
            twice = next(key for key in keys if keys.count(key) > 1)
            return _Unusable(f"key {twice!r} is given twice", twice)
        return made

    try:
        return json.loads(
            text_of(data), parse_constant=constant, parse_int=whole, object_pairs_hook=pairs
        )
    except json.JSONDecodeError as error:
        raise Malformed(
            f"not JSON at line {error.lineno}, column {error.colno}: {error.msg}"
        ) from None
    except RecursionError:
        raise Malformed("JSON is nested too deeply") from None


def _fault_in(value: object, data: bytes) -> Malformed | None:
    """The first unusable part, searched without recursion."""
    surrogates = _ESCAPED_SURROGATE.search(data) is not None
    left = [value]
    while left:
        one = left.pop()
        if isinstance(one, _Unusable):
            return one.fault
        if isinstance(one, str) and surrogates and SURROGATE.search(one):
            return Malformed("text is no Unicode", printable(one))
        if isinstance(one, dict):
            left.extend(one.keys())
            left.extend(one.values())
        elif isinstance(one, list):
            left.extend(one)
    return None

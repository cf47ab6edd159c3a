"""JSON documents and lists, or what is wrong with them, item by item."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from assets.sources.reading.values import SURROGATE, Malformed, printable, text_of

_ESCAPED_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_MAY_HOLD_SURROGATES = rb"\ud800"
_BLANK = re.compile(r"[ \t\n\r]*")
_COLON = re.compile(r"[ \t\n\r]*:[ \t\n\r]*")
_CLOSED = re.compile(r"[ \t\n\r]*\}")
_Container = TypeVar("_Container", list, dict)
_EMPTY_OBJECT = "the object is empty"


class _Unusable:
    """Stands in a JSON document for a part that has no meaning, so that its neighbours keep theirs."""

    def __init__(self, why: str, value: str) -> None:
        self.fault = Malformed(why, value)


def json_of(data: bytes) -> object:
    """A JSON document.

    Raises:
        Malformed: Not JSON; numbers that JSON does not know (NaN, Infinity) or that no computer
            holds; an object that gives one key twice; text that is not Unicode.
    """
    made: list[_Unusable] = []
    document = _json(data, made)
    # The search takes as long as the reading: it is for documents that may hold something.
    fault = _fault_in(document, data) if made or _ESCAPED_SURROGATE.search(data) else None
    if fault:
        raise fault
    return document


def document_of(data: bytes) -> object:
    """A JSON document that holds something.

    Raises:
        Malformed: As of `json_of`; or a list or object without members.
    """
    return _filled(json_of(data))


def json_items(data: bytes) -> Iterator[tuple[int, object]]:
    """Items of a JSON list with their index; `Malformed` in place of one that `json_of` refuses.

    Raises:
        Malformed: Not JSON, or no list, or one without items.
    """
    items = _json(data)
    if not isinstance(items, list):
        raise Malformed("the document is not a list", type(items).__name__)
    _filled(items)
    # Searched once: a large list has as many items as lines.
    probe = _MAY_HOLD_SURROGATES if _ESCAPED_SURROGATE.search(data) else b""
    for at, item in enumerate(items):
        yield at, _fault_in(item, probe) or item


def json_tree(data: bytes) -> object:
    """A JSON document in which parts without a meaning stay in place, for `sound` to refuse one by one.

    Raises:
        Malformed: Not JSON, or a list or object without members.
    """
    return _filled(_json(data))


def sound(part: object) -> object:
    """A part of a `json_tree`, if every value in it has a meaning.

    Raises:
        Malformed: What `json_of` refuses a whole document for.
    """
    fault = _fault_in(part, _MAY_HOLD_SURROGATES)
    if fault:
        raise fault
    return part


def members_of(part: object, what: str = "the item") -> dict[str, Any]:
    """Members of an object in a `json_tree`.

    Args:
        part: The object.
        what: What it is, for the message.

    Raises:
        Malformed: No object, or a value without a meaning.
    """
    made = sound(part)
    if not isinstance(made, dict):
        raise Malformed(f"{what} is not an object", str(made)[:80])
    return made


def object_of(data: bytes) -> dict[str, Any]:
    """A JSON document that is an object with members.

    Raises:
        Malformed: As of `document_of`; or no object.
    """
    document = document_of(data)
    if not isinstance(document, dict):
        raise Malformed("the document is not an object", type(document).__name__)
    return document


def json_trees(data: bytes) -> Iterator[tuple[str, object]]:
    """Members of a JSON object, one after the other: a large file is never held whole as objects.

    As in a `json_tree`, parts without a meaning stay in place for `sound` to refuse, keys too.

    Raises:
        Malformed: Not JSON, no object, one without members, or a member given twice; members before
            were given already.
    """
    text, decoder, seen = text_of(data), json.JSONDecoder(**_hooks([])), set[str]()
    at = _BLANK.match(text).end()  # type: ignore[union-attr]
    if text[at : at + 1] != "{":
        raise Malformed("the document is not an object", text[at : at + 20])
    try:
        closed = (found := _CLOSED.match(text, at + 1)) is not None
        while not closed:
            at = _BLANK.match(text, at + 1).end()  # type: ignore[union-attr]
            if text[at : at + 1] != '"':
                raise json.JSONDecodeError("Expecting property name in double quotes", text, at)
            key, at = decoder.raw_decode(text, at)
            found = _COLON.match(text, at)
            if found is None:
                raise json.JSONDecodeError("Expecting ':' delimiter", text, at)
            value, at = decoder.raw_decode(text, found.end())
            if key in seen:
                raise Malformed(f"key {key!r} is given twice", key)
            seen.add(key)
            yield key, value
            at = _BLANK.match(text, at).end()  # type: ignore[union-attr]
            closed = (found := _CLOSED.match(text, at)) is not None
            if not closed and text[at : at + 1] != ",":
                raise json.JSONDecodeError("Expecting ',' delimiter", text, at)
        if found is not None and text[found.end() :].strip(" \t\n\r"):
            raise json.JSONDecodeError("Extra data", text, found.end())
        if not seen:
            raise Malformed(_EMPTY_OBJECT)
    except json.JSONDecodeError as error:
        raise _no_json(error) from None
    except RecursionError:
        raise Malformed("JSON is nested too deeply") from None


def member_of(document: object, name: str, kind: type[_Container]) -> _Container:
    """The list or object under a key of a document's object.

    Raises:
        Malformed: There is none, or it is empty.
    """
    word = "list" if kind is list else "object"
    part = document.get(name) if isinstance(document, dict) else None
    if not isinstance(part, kind):
        raise Malformed(f"the document holds no {word} `{name}`", type(part).__name__)
    if not part:
        raise Malformed(f"the {word} `{name}` is empty")
    return part


def empty_lists(lists: Mapping[str, Any]) -> list[tuple[str, Malformed]]:
    """Names of lists without items, with what is wrong with them."""
    return [
        (name, Malformed(f"the list `{name}` is empty"))
        for name, items in lists.items()
        if not items
    ]


def _filled(document: object) -> object:
    if document == [] and isinstance(document, list):
        raise Malformed("the list is empty")
    if document == {} and isinstance(document, dict):
        raise Malformed(_EMPTY_OBJECT)
    return document


def _hooks(made: list[_Unusable]) -> dict[str, Any]:
    """What the parser calls; parts without a meaning are noted in `made`."""

    def unusable(why: str, value: str) -> object:
        made.append(_Unusable(why, value))
        return made[-1]

    def whole(digits: str) -> object:
        return int(digits) if len(digits) < 400 else unusable("number is too long", digits[:40])

    def pairs(found: list[tuple[str, object]]) -> object:
        held = dict(found)
        if len(held) < len(found):
            keys = [key for key, _ in found]
            twice = next(key for key in keys if keys.count(key) > 1)
            return unusable(f"key {twice!r} is given twice", twice)
        return held

    return {
        "parse_constant": lambda word: unusable(f"{word} is not a JSON number", word),
        "parse_int": whole,
        "object_pairs_hook": pairs,
    }


def _no_json(error: json.JSONDecodeError) -> Malformed:
    return Malformed(f"not JSON at line {error.lineno}, column {error.colno}: {error.msg}")


def _json(data: bytes, made: list[_Unusable] | None = None) -> object:
    """A document; parts without a meaning stay in place and are noted in `made`."""
    try:
        return json.loads(text_of(data), **_hooks([] if made is None else made))
    except json.JSONDecodeError as error:
        raise _no_json(error) from None
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
            return Malformed("text is not Unicode", printable(one))
        if isinstance(one, dict):
            left.extend(one.keys())
            left.extend(one.values())
        elif isinstance(one, list):
            left.extend(one)
    return None

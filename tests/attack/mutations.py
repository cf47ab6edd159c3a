"""Edits of one file, each drawn from a seed: what can happen to an annotation file on its way here."""

from __future__ import annotations

import json
import random
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

NUMBER = re.compile(rb"(?<![\w.\-+])-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.\-])")
_TEXT = (".csv", ".json", ".txt", ".jsonl", ".bundle", ".xml", ".dtype", ".tsv")
_LINES = (".csv", ".txt", ".jsonl", ".bundle", ".tsv")


@dataclass(frozen=True)
class Mutation:
    """One edit of one file.

    Attributes:
        kind: Name of the edit.
        path: Path of the file.
        data: Its new content.
        note: What was changed, for a person.
        old: Number that was replaced, for `change_number`.
        new: Its replacement.
        again: The same place with a second and a third value, for `change_number`.
    """

    kind: str
    path: str
    data: bytes
    note: str
    old: float = 0.0
    new: float = 0.0
    again: tuple[tuple[float, bytes], ...] = ()


class NotApplicable(Exception):
    """The edit has no place in this file."""


Edit = Callable[[str, bytes, random.Random], Mutation]
EDITS: dict[str, Edit] = {}


def edit(make: Edit) -> Edit:
    """Register an edit under the name of its function."""
    EDITS[make.__name__] = make
    return make


def mutate(path: str, data: bytes, chance: random.Random, kind: str) -> Mutation:
    """The content of a file after one edit.

    Raises:
        NotApplicable: The edit has no place in this file, or leaves it as it is.
    """
    made = EDITS[kind](path, data, chance)
    if made.data == data:
        raise NotApplicable(kind)
    return made


def is_text(path: str) -> bool:
    """Whether a file is text by its name."""
    return path.lower().endswith(_TEXT)


def _need(fits: object) -> None:
    if not fits:
        raise NotApplicable


# -- whole files -----------------------------------------------------------------------------------


@edit
def truncate(path: str, data: bytes, chance: random.Random) -> Mutation:
    _need(len(data) > 1)
    at = chance.randrange(1, len(data))
    return Mutation("truncate", path, data[:at], f"cut at byte {at} of {len(data)}")


@edit
def empty(path: str, data: bytes, chance: random.Random) -> Mutation:
    return Mutation("empty", path, b"", "no byte left")


@edit
def blank(path: str, data: bytes, chance: random.Random) -> Mutation:
    _need(is_text(path))
    return Mutation("blank", path, b"\n\n", "two blank lines")


@edit
def no_items(path: str, data: bytes, chance: random.Random) -> Mutation:
    """A list without items, an object without members, or a header alone."""
    if path.endswith(".csv"):
        return Mutation("no_items", path, data.split(b"\n", 1)[0] + b"\n", "header alone")
    document = _document(path, data)
    if isinstance(document, dict) and chance.random() < 0.5:
        named = [k for k, v in document.items() if isinstance(v, list | dict) and v]
        _need(named)
        key = chance.choice(named)
        document = {**document, key: type(document[key])()}
        return Mutation("no_items", path, _dumped(document), f"{key} without items")
    return Mutation("no_items", path, _dumped(type(document)()), "document without items")


@edit
def flip_bytes(path: str, data: bytes, chance: random.Random) -> Mutation:
    _need(data)
    made = bytearray(data)
    places = [chance.randrange(len(made)) for _ in range(chance.randint(1, 4))]
    for at in places:
        made[at] ^= 1 << chance.randrange(8)
    return Mutation("flip_bytes", path, bytes(made), f"bits at {places}")


@edit
def break_encoding(path: str, data: bytes, chance: random.Random) -> Mutation:
    _need(is_text(path) and data)
    at = chance.randrange(len(data))
    return Mutation("break_encoding", path, data[:at] + b"\xff" + data[at:], f"0xff at {at}")


@edit
def nul(path: str, data: bytes, chance: random.Random) -> Mutation:
    _need(is_text(path) and data)
    at = chance.randrange(len(data))
    return Mutation("nul", path, data[:at] + b"\0" + data[at:], f"NUL at {at}")


@edit
def bom(path: str, data: bytes, chance: random.Random) -> Mutation:
    _need(is_text(path))
    return Mutation("bom", path, b"\xef\xbb\xbf" + data, "byte order mark")


@edit
def crlf(path: str, data: bytes, chance: random.Random) -> Mutation:
    _need(is_text(path))
    return Mutation("crlf", path, data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"), "CRLF")


@edit
def quote(path: str, data: bytes, chance: random.Random) -> Mutation:
    _need(is_text(path) and data)
    at = chance.randrange(len(data))
    return Mutation("quote", path, data[:at] + b'"' + data[at:], f"quote at {at}")


# -- lines and cells -------------------------------------------------------------------------------


def _lines(path: str, data: bytes) -> list[bytes]:
    _need(path.endswith(_LINES))
    lines = data.split(b"\n")
    if lines and not lines[-1]:
        lines.pop()
    _need(len(lines) > 2)
    return lines


def _joined(lines: list[bytes]) -> bytes:
    return b"\n".join(lines) + b"\n"


@edit
def delete_line(path: str, data: bytes, chance: random.Random) -> Mutation:
    lines = _lines(path, data)
    at = chance.randrange(len(lines))
    note = f"line {at + 1} deleted: {lines[at][:80]!r}"
    kind = "delete_header" if at == 0 and path.endswith(".csv") else "delete_line"
    return Mutation(kind, path, _joined(lines[:at] + lines[at + 1 :]), note)


@edit
def duplicate_line(path: str, data: bytes, chance: random.Random) -> Mutation:
    lines = _lines(path, data)
    at = chance.randrange(1, len(lines))
    note = f"line {at + 1} twice: {lines[at][:80]!r}"
    return Mutation("duplicate_line", path, _joined(lines[: at + 1] + lines[at:]), note)


@edit
def contradict_line(path: str, data: bytes, chance: random.Random) -> Mutation:
    """A line that is there, and once more with another number."""
    lines = _lines(path, data)
    at = chance.randrange(1, len(lines))
    places = list(NUMBER.finditer(lines[at]))
    _need(places)
    match = chance.choice(places)
    whole = b"." not in match[0] and b"e" not in match[0].lower()
    text = str(int(match[0]) + 1) if whole else repr(round(float(match[0]) + 0.01, 9))
    other = lines[at][: match.start()] + text.encode() + lines[at][match.end() :]
    note = f"line {at + 1} also as {other[:110]!r}"
    made = [*lines[: at + 1], other, *lines[at + 1 :]]
    return Mutation("contradict_line", path, _joined(made), note)


@edit
def swap_cells(path: str, data: bytes, chance: random.Random) -> Mutation:
    _need(path.endswith(".csv"))
    lines = _lines(path, data)
    at = chance.randrange(1, len(lines))
    cells = lines[at].split(b",")
    _need(b'"' not in lines[at] and len(cells) > 1)
    one, other = chance.sample(range(len(cells)), 2)
    note = f"line {at + 1}: cells {one} {cells[one]!r} and {other} {cells[other]!r}"
    cells[one], cells[other] = cells[other], cells[one]
    lines[at] = b",".join(cells)
    return Mutation("swap_cells", path, _joined(lines), note)


@edit
def change_cells(path: str, data: bytes, chance: random.Random) -> Mutation:
    """One cell more or one cell fewer than the header has."""
    _need(path.endswith(".csv"))
    lines = _lines(path, data)
    at = chance.randrange(1, len(lines))
    cells = lines[at].split(b",")
    _need(b'"' not in lines[at] and len(cells) > 1)
    if chance.random() < 0.5:
        cells.append(b"9")
    else:
        cells.pop(chance.randrange(len(cells)))
    lines[at] = b",".join(cells)
    return Mutation("change_cells", path, _joined(lines), f"line {at + 1}: {len(cells)} cells")


@edit
def remove_column(path: str, data: bytes, chance: random.Random) -> Mutation:
    _need(path.endswith(".csv"))
    lines = _lines(path, data)
    names = lines[0].split(b",")
    _need(b'"' not in data and len(names) > 1)
    at = chance.randrange(len(names))
    rows = [line.rstrip(b"\r").split(b",") for line in lines]
    cut = [b",".join(cells[:at] + cells[at + 1 :]) for cells in rows]
    return Mutation("remove_column", path, _joined(cut), f"column {names[at]!r} removed")


@edit
def repeat_column(path: str, data: bytes, chance: random.Random) -> Mutation:
    _need(path.endswith(".csv"))
    lines = _lines(path, data)
    names = lines[0].rstrip(b"\r").split(b",")
    _need(len(names) > 1)
    one, other = chance.sample(range(len(names)), 2)
    note = f"column {names[other]!r} is called {names[one]!r}"
    names[other] = names[one]
    return Mutation("repeat_column", path, _joined([b",".join(names), *lines[1:]]), note)


# -- numbers ---------------------------------------------------------------------------------------


@edit
def change_number(path: str, data: bytes, chance: random.Random) -> Mutation:
    """Another number in the place of one, and two more for comparison."""
    if not is_text(path):
        return _binary_number(path, data, chance)
    places = list(NUMBER.finditer(data))
    _need(places)
    match = chance.choice(places)
    old = float(match[0])
    whole = b"." not in match[0] and b"e" not in match[0].lower()
    steps = [1, 2, 3] if whole else [0.001, 0.002, 0.003]
    if chance.random() < 0.3:
        steps = [s * 5 for s in steps]
    texts = []
    for step in steps:
        text = str(int(match[0]) + int(step)) if whole else repr(round(old + step, 9))
        texts.append((float(text), text.encode()))
    _need(len({v for v, _ in texts} | {old}) == len(texts) + 1)
    (new, text), *others = [
        (value, data[: match.start()] + said + data[match.end() :]) for value, said in texts
    ]
    line = data.count(b"\n", 0, match.start()) + 1
    around = data[max(0, match.start() - 50) : match.end() + 15]
    note = f"line {line}: {match[0].decode()} -> {new!r} in {around!r}"
    return Mutation("change_number", path, text, note, old, new, tuple(others))


def _binary_number(path: str, data: bytes, chance: random.Random) -> Mutation:
    """A number of an array: what a byte edit of the values could not tell from damage."""
    form = {".raw": "<f", ".time": "<Q"}.get(path[path.rfind(".") :])
    _need(form)
    assert form is not None
    size = struct.calcsize(form)
    _need(len(data) >= size)
    at = chance.randrange(len(data) // size) * size
    (old,) = struct.unpack_from(form, data, at)
    made = []
    for step in (1, 2, 3):
        held = bytearray(data)
        struct.pack_into(form, held, at, old + step)
        made.append((float(struct.unpack_from(form, held, at)[0]), bytes(held)))
    (new, first), *others = made
    return Mutation(
        "change_number", path, first, f"byte {at}: {old} -> {new}", float(old), new, tuple(others)
    )


# -- JSON ------------------------------------------------------------------------------------------


def _document(path: str, data: bytes) -> Any:
    _need(path.endswith(".json"))
    try:
        return json.loads(data)
    except ValueError:
        raise NotApplicable from None


def _dumped(document: object) -> bytes:
    return json.dumps(document, ensure_ascii=False).encode()


def _place(document: Any, chance: random.Random, leaf: bool = True) -> tuple[Any, Any, str]:
    """Container and key of a random value, by a random walk from the top; the path for a person."""
    at, key, holder, path = document, None, None, ""
    while isinstance(at, dict | list) and at:
        if holder is not None and not leaf and chance.random() < 0.3:
            break
        holder = at
        key = chance.choice(list(at)) if isinstance(at, dict) else chance.randrange(len(at))
        path += f"/{key}"
        at = at[key]
    _need(holder is not None)
    return holder, key, path


@edit
def wrong_type(path: str, data: bytes, chance: random.Random) -> Mutation:
    document = _document(path, data)
    holder, key, where = _place(document, chance, leaf=chance.random() < 0.7)
    old = holder[key]
    choices = [
        v for v in ("x y", 7, -1.5, True, [], {}, [[1]], {"a": 1}) if type(v) is not type(old)
    ]
    if isinstance(old, int | float) and not isinstance(old, bool):
        choices = [v for v in choices if not isinstance(v, int | float) or isinstance(v, bool)]
    holder[key] = chance.choice(choices)
    note = f"{where}: {str(old)[:40]!r} -> {holder[key]!r}"
    return Mutation("wrong_type", path, _dumped(document), note)


@edit
def make_null(path: str, data: bytes, chance: random.Random) -> Mutation:
    document = _document(path, data)
    holder, key, where = _place(document, chance, leaf=chance.random() < 0.7)
    _need(holder[key] is not None)
    note = f"{where}: {str(holder[key])[:40]!r} -> null"
    holder[key] = None
    return Mutation("make_null", path, _dumped(document), note)


@edit
def delete_member(path: str, data: bytes, chance: random.Random) -> Mutation:
    document = _document(path, data)
    holder, key, where = _place(document, chance, leaf=chance.random() < 0.6)
    note = f"{where} deleted: {str(holder[key])[:60]!r}"
    kind = "delete_item" if isinstance(holder, list) else "delete_key"
    del holder[key]
    return Mutation(kind, path, _dumped(document), note)


@edit
def repeat_item(path: str, data: bytes, chance: random.Random) -> Mutation:
    document = _document(path, data)
    for _ in range(10):
        holder, key, where = _place(document, chance, leaf=False)
        if isinstance(holder, list) and isinstance(holder[key], dict | list):
            holder.insert(key, holder[key])
            note = f"{where} twice: {str(holder[key])[:60]!r}"
            return Mutation("repeat_item", path, _dumped(document), note)
    raise NotApplicable


@edit
def contradict_item(path: str, data: bytes, chance: random.Random) -> Mutation:
    """An item of a list that is there, and once more with another value somewhere in it."""
    document = _document(path, data)
    for _ in range(10):
        holder, key, where = _place(document, chance, leaf=False)
        if isinstance(holder, list) and isinstance(holder[key], dict | list) and holder[key]:
            other = json.loads(json.dumps(holder[key]))
            inner, name, place = _place(other, chance)
            old = inner[name]
            if isinstance(old, bool) or not isinstance(old, int | float | str):
                continue
            inner[name] = f"{old} x" if isinstance(old, str) else old + 1
            holder.insert(key + 1, other)
            note = f"{where} also with {place}: {str(old)[:40]!r} -> {str(inner[name])[:40]!r}"
            return Mutation("contradict_item", path, _dumped(document), note)
    raise NotApplicable


@edit
def nest_deeply(path: str, data: bytes, chance: random.Random) -> Mutation:
    document = _document(path, data)
    holder, key, where = _place(document, chance)
    holder[key] = "@deep@"
    deep = b"[" * 40_000 + b"]" * 40_000
    return Mutation("nest_deeply", path, _dumped(document).replace(b'"@deep@"', deep), where)


@edit
def repeat_key(path: str, data: bytes, chance: random.Random) -> Mutation:
    document = _document(path, data)
    holder, key, where = _place(document, chance, leaf=chance.random() < 0.6)
    _need(isinstance(holder, dict))
    value = holder.pop(key)
    other = value + 1 if isinstance(value, int | float) and not isinstance(value, bool) else value
    holder["@one@"], holder["@two@"] = value, other
    said = _dumped(document)
    for mark in (b'"@one@"', b'"@two@"'):
        said = said.replace(mark, _dumped(key))
    return Mutation("repeat_key", path, said, where)


@edit
def odd_number(path: str, data: bytes, chance: random.Random) -> Mutation:
    """NaN, infinities and numbers too long in the place of a number."""
    _need(is_text(path))
    places = list(NUMBER.finditer(data))
    _need(places)
    match = chance.choice(places)
    said = chance.choice(
        [b"NaN", b"Infinity", b"1e999", b"9" * 500, b"-", b"1,5", b"0x1F", b"1_000"]
    )
    if path.endswith(".csv"):
        said = said.replace(b",", b";")
    made = data[: match.start()] + said + data[match.end() :]
    line = data.count(b"\n", 0, match.start()) + 1
    around = data[max(0, match.start() - 40) : match.end() + 10]
    return Mutation(
        "odd_number", path, made, f"line {line}: {said[:12]!r} for number in {around!r}"
    )

"""Reading annotation files: text, values, and what is reported where they are not what they should be.

`reading.csv` and `reading.json` yield rows, `RowReader` turns them into table rows. Nothing is evaluated,
and no file makes a reader raise anything but `Malformed`. What is wrong with one row is reported for that
row; the rows around it are read.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from expectations.contracts import printable

_NUMBER = re.compile(r"\s*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*")
_INT_LIST = re.compile(r"\[\s*(?:[0-9]+\s*(?:,\s*[0-9]+\s*)*)?\]")
_STRING = r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
_STRING_LIST = re.compile(rf"\[\s*(?:{_STRING}\s*(?:,\s*{_STRING}\s*)*,?\s*)?\]")
SURROGATE = re.compile("[\ud800-\udfff]")
"""What no UTF-8 text holds: halves of characters, and bytes that were not text."""
_LITERAL_LIMIT = 1 << 16
WHOLE_LIMIT = 1 << 53
"""Whole numbers beyond this are not told apart by JSON readers, and no count or class is so large."""


class Malformed(ValueError):
    """A file or value that is not what its format says.

    Attributes:
        value: The offending value, where it is not the whole row.
    """

    def __init__(self, message: str, value: object = None) -> None:
        super().__init__(message)
        self.value = value


# -- text ------------------------------------------------------------------------------------------


def text_of(data: bytes) -> str:
    """UTF-8 text, with or without a byte order mark.

    Raises:
        Malformed: Bytes that are not UTF-8.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Malformed(f"not UTF-8 at byte {error.start}") from None


def loose_text(data: bytes) -> str:
    """Text whose bytes that are not UTF-8 are kept as surrogates, to be refused by the row."""
    return data.decode("utf-8-sig", "surrogateescape")


def unfit(text: str) -> Malformed | None:
    """What makes text of a row unfit, if anything does."""
    if SURROGATE.search(text):
        return Malformed("row is not UTF-8", printable(text))
    if "\0" in text:
        return Malformed("row holds a NUL byte", text.replace("\0", "\\0"))
    return None


def text_lines(data: bytes) -> Iterator[tuple[int, str | Malformed]]:
    """Lines of a text file that hold anything, stripped, with their number from 1.

    Raises:
        Malformed: No line holds anything.
    """
    is_empty = True
    for at, line in enumerate(loose_text(data).split("\n"), start=1):
        if line.strip():
            is_empty = False
            yield at, unfit(line) or line.strip()
    if is_empty:
        raise Malformed("the file is empty")


# -- values ----------------------------------------------------------------------------------------


def number(value: object) -> float:
    """A finite decimal number, given as one or as text.

    Raises:
        Malformed: Anything else.
    """
    fits = (
        _NUMBER.fullmatch(value) is not None
        if isinstance(value, str)
        else isinstance(value, int | float) and not isinstance(value, bool)
    )
    if not fits:
        raise Malformed(f"{value!r} is not a number", value)
    try:
        made = float(value)  # type: ignore[arg-type]
    except OverflowError:
        made = float("inf")
    if made != made or made in (float("inf"), float("-inf")):
        raise Malformed(f"{str(value)[:40]} is not a finite number", value)
    return made


def whole_number(value: object) -> int:
    """A whole number, also one written with a fraction of zero.

    Raises:
        Malformed: Anything else, or one beyond `WHOLE_LIMIT`.
    """
    made = number(value)
    if made != int(made) or abs(made) > WHOLE_LIMIT:
        raise Malformed(f"{str(value)[:40]} is not a whole number", value)
    return int(made)


def text_or_none(value: object, name: str) -> str | None:
    """Text; None where there is none.

    Raises:
        Malformed: Something else than text.
    """
    if value is not None and not isinstance(value, str):
        raise Malformed(f"{name} is not text", value)
    return value or None


def int_list(text: str) -> list[int]:
    """A list of whole numbers written as `[1, 2]`; nothing is evaluated.

    Raises:
        Malformed: Anything else.
    """
    if not _INT_LIST.fullmatch(text.strip()):
        raise Malformed(f"{text[:80]!r} is not a list of whole numbers", text)
    return [whole_number(part) for part in re.findall(r"[0-9]+", text)]


def string_list(text: str) -> list[str]:
    """A list of strings written with Python's or JSON's quotes; nothing is evaluated.

    Raises:
        Malformed: Anything else.
    """
    if not _STRING_LIST.fullmatch(text.strip()):
        raise Malformed(f"{text[:80]!r} is not a list of strings", text)
    return [re.sub(r"\\(.)", r"\1", found[1:-1]) for found in re.findall(_STRING, text)]


def python_value(text: str) -> object:
    """Lists, tuples, text and numbers written as Python writes them; nothing is evaluated.

    Raises:
        Malformed: Anything else, or more than 64 KiB of it.
    """
    if len(text) > _LITERAL_LIMIT:
        raise Malformed("value is too long", text[:80])
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        raise Malformed(f"{text[:80]!r} is not a list", text[:200]) from None

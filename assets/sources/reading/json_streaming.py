"""Members of one list or object inside a JSON document that is too large to hold.

The document is cut where its members end, by looking for quotes, brackets and commas alone, a
little at a time; each member is then read by `json_of`, by the same rules as any other document.
A member that breaks them is refused alone. What is not on the way to the wanted list is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from assets.sources.reading.json import json_of
from assets.sources.reading.values import Malformed

MEMBER_BYTES = 256 << 20
"""No member is larger: one that is, is a document whose brackets do not match."""
# What is looked at in one go: the places of its brackets take many times its room.
_STEP_BYTES = 1 << 18
_KEY = re.compile(rb'\s*("(?:[^"\\]|\\.)*")\s*:', re.DOTALL)
_BOM = b"\xef\xbb\xbf"
_QUOTE, _BACKSLASH, _COMMA = b'"'[0], b"\\"[0], b","[0]
_STEP = np.zeros(256, dtype=np.int8)
_STEP[list(b"{[")] = 1
_STEP[list(b"}]")] = -1
_IS_MARK = _STEP != 0
_IS_MARK[_COMMA] = True


def json_members(
    pieces: Iterable[bytes], path: Sequence[str] = (), *, may_be_empty: bool = False
) -> Iterator[tuple[int | str, object]]:
    """Members of the list or object at a path, as they come.

    Args:
        pieces: The document from its beginning, in pieces of any size.
        path: Keys that lead to the list or object from the document's own object; none where it is
            the document itself.
        may_be_empty: Whether a list or object without members is one like any other.

    Yields:
        Index or key, and the member; `Malformed` in place of one that `json_of` refuses.

    Raises:
        Malformed: No JSON document, one that is cut off, or nothing at the path: no list or object
            there, or one without members.
    """
    cutter = _Cutter(tuple(path), may_be_empty)
    for piece in pieces:
        for at in range(0, len(piece), _STEP_BYTES):
            yield from cutter.feed(piece[at : at + _STEP_BYTES])
    yield from cutter.finish()


class _Cutter:
    """Where in the document the reading is, between two pieces."""

    def __init__(self, path: tuple[str, ...], may_be_empty: bool) -> None:
        self._path = path
        self._may_be_empty = may_be_empty
        self._matched = 0
        """Keys of the path whose containers are open."""
        self._depth = 0
        self._in_string = False
        self._escaped = False
        """Whether the next byte stands behind a backslash."""
        self._is_object = False
        self._held = bytearray()
        """Bytes since the last border of a member on the way."""
        self._skips = False
        """Whether a member on the way is being passed over: its bytes are not held."""
        self._count = 0
        self._began = False
        self._found = False
        self._ended = False
        self._keys: set[bytes] = set()

    def feed(self, piece: bytes) -> Iterator[tuple[int | str, object]]:
        """Members that end in this piece."""
        if not self._began:
            piece = bytes(self._held) + piece
            self._held.clear()
            if len(piece) < len(_BOM):
                self._held += piece
                return
            piece = piece.removeprefix(_BOM)
            self._began = True
        yield from self._cut(piece)

    def finish(self) -> Iterator[tuple[int | str, object]]:
        """What a document of a few bytes holds; Malformed where the document is not at its end."""
        if not self._began:
            self._began = True
            text = bytes(self._held)
            self._held.clear()
            yield from self._cut(text)
        if self._depth or self._in_string:
            raise Malformed("the document is cut off, or its brackets do not match")
        if not self._found:
            where = ".".join(self._path) or "its top"
            raise Malformed(f"the document has no list or object at {where}")
        if not self._count and not self._may_be_empty:
            where = ".".join(self._path) or "its top"
            raise Malformed(f"the list or object at {where} is empty")

    def _cut(self, piece: bytes) -> Iterator[tuple[int | str, object]]:
        start = 0
        for at, byte, depth in self._marks(piece):
            if self._ended:
                break
            if byte in b"{[":
                start = self._opened(piece, start, at, byte, depth)
                continue
            # A comma between members of the container we are in, or the end of that container.
            is_border = depth == (self._level if byte == _COMMA else self._level - 1)
            if not is_border:
                continue
            self._hold(piece, start, at)
            start = at + 1
            if self._found:
                yield from self._member(last=byte != _COMMA)
            self._held.clear()
            self._skips = False
            # Behind the end of the container nothing is of use.
            self._ended = byte != _COMMA
        if not self._ended:
            self._hold(piece, start, len(piece))

    def _opened(self, piece: bytes, start: int, at: int, byte: int, depth: int) -> int:
        """Go into a container, or decide to pass it over; where the bytes to be held begin."""
        if depth > 1 and (self._found or depth != self._level + 1):
            return start
        self._hold(piece, start, at)
        before = bytes(self._held)
        self._held.clear()
        if depth == 1:
            if before.strip():
                raise Malformed("not JSON: something stands before its first bracket")
        elif self._key_of(before) == self._path[self._matched]:
            self._matched += 1
        else:
            self._skips = True
            return at + 1
        if self._matched == len(self._path):
            self._found = True
            self._is_object = byte == b"{"[0]
        elif byte != b"{"[0]:
            raise Malformed(f"there is no {self._path[self._matched]!r} in a list")
        return at + 1

    @property
    def _level(self) -> int:
        """Depth of the container whose members are looked at."""
        return self._matched + 1

    def _hold(self, piece: bytes, start: int, stop: int) -> None:
        if self._skips or stop <= start:
            return
        self._held += memoryview(piece)[start:stop]
        if len(self._held) > MEMBER_BYTES:
            raise Malformed(f"a member is larger than {MEMBER_BYTES} bytes, or never ends")

    def _key_of(self, text: bytes) -> str | None:
        match = _KEY.fullmatch(text.rstrip())
        if match is None:
            return None
        key = json_of(match[1])
        return key if isinstance(key, str) else None

    def _member(self, *, last: bool) -> Iterator[tuple[int | str, object]]:
        text = bytes(self._held)
        if last and not self._count and not text.strip():
            return
        at, self._count = self._count, self._count + 1
        if not self._is_object:
            yield at, _read(text)
            return
        match = _KEY.match(text)
        if match is None:
            yield at, Malformed("a member has no key")
            return
        raw = match[1]
        if raw in self._keys:
            yield at, Malformed(f"key {raw.decode('utf-8', 'replace')} is given twice")
            return
        self._keys.add(raw)
        try:
            key = str(json_of(raw))
        except Malformed as error:
            yield at, error
            return
        yield key, _read(text[match.end() :])

    def _marks(self, piece: bytes) -> Iterator[tuple[int, int, int]]:
        """Brackets and commas outside strings that can matter: place, byte, depth behind it."""
        data = np.frombuffer(piece, dtype=np.uint8)
        quotes = np.flatnonzero(data == _QUOTE)
        escaped = self._escaped_places(data)
        if len(escaped):
            quotes = quotes[~np.isin(quotes, escaped, assume_unique=True)]
        marks = np.flatnonzero(_IS_MARK[data])
        quotes_before = np.searchsorted(quotes, marks) + self._in_string
        marks = marks[quotes_before % 2 == 0]
        self._in_string = bool((len(quotes) + self._in_string) % 2)
        found = data[marks]
        depths = self._depth + np.cumsum(_STEP[found], dtype=np.int64)
        if len(depths):
            if depths.min() < 0:
                raise Malformed("the document has more closing than opening brackets")
            self._depth = int(depths[-1])
        # The path may be gone down while these are looked at, never beyond its end.
        near = depths <= len(self._path) + 1
        yield from zip(
            marks[near].tolist(), found[near].tolist(), depths[near].tolist(), strict=True
        )

    def _escaped_places(self, data: np.ndarray) -> np.ndarray:
        """Places of bytes that stand behind an odd run of backslashes."""
        slashes = np.flatnonzero(data == _BACKSLASH)
        first = np.array([0] if self._escaped and len(data) else [], dtype=np.int64)
        if len(first) and len(slashes) and slashes[0] == 0:
            slashes = slashes[1:]  # itself escaped
        if len(data):
            self._escaped = False
        if not len(slashes):
            return first
        starts = np.flatnonzero(np.diff(slashes, prepend=-2) != 1)
        lengths = np.diff(starts, append=len(slashes))
        behind = slashes[starts] + lengths
        behind = behind[lengths % 2 == 1]
        if len(behind) and behind[-1] == len(data):
            self._escaped = True
            behind = behind[:-1]
        return np.concatenate([first, behind])


def _read(text: bytes) -> object:
    try:
        return json_of(text)
    except Malformed as error:
        return error

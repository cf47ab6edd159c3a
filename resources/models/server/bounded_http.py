"""Answers of a server, read no further than they can be of use.

A server may send without end, slowly, or compressed a thousandfold. Reading stops at a number of
bytes; from a JSON document that was cut there, what had come of it can still be read.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx2

# Marks the end of a text that was cut inside: a private character that servers do not send.
CUT = "\uf8ff\ufdd0"
_UNREAD = "parallax_unread_bytes"
_ENCODED = "parallax_encoding"


class Bounds(threading.local):
    """Bounds for the answers that this thread reads.

    Attributes:
        most_bytes: Bytes that are read of an answer.
        whole_s: Seconds that reading it may take in all.
    """

    most_bytes: int = 1 << 20
    whole_s: float = 600.0

    def apply(self, response: httpx2.Response) -> None:
        """Response hook of a client: bound what will be read."""
        encoding = response.headers.get("content-encoding", "identity").lower()
        if encoding not in ("identity", ""):
            # It was not accepted, and a small answer may unpack to a huge one.
            response.extensions[_ENCODED] = encoding
            response.headers["content-encoding"] = "identity"
        most = 0 if _ENCODED in response.extensions else self.most_bytes
        response.stream = _BoundedStream(response, most, self.whole_s)


class _BoundedStream(httpx2.SyncByteStream):
    def __init__(self, response: httpx2.Response, most_bytes: int, whole_s: float) -> None:
        self._response = response
        self._stream: Any = response.stream
        self._most = most_bytes
        self._whole_s = whole_s

    def __iter__(self) -> Iterator[bytes]:
        until = time.monotonic() + self._whole_s
        read = 0
        for chunk in self._stream:
            kept = chunk[: self._most - read]
            read += len(kept)
            if kept:
                yield kept
            if len(kept) < len(chunk):
                declared = self._response.headers.get("content-length", "")
                total = int(declared) if declared.isdecimal() and len(declared) < 16 else 0
                self._response.extensions[_UNREAD] = max(total - read, len(chunk) - len(kept))
                return
            if time.monotonic() > until:
                raise httpx2.ReadTimeout(f"the answer took more than {self._whole_s:g} s")

    def close(self) -> None:
        self._stream.close()


@dataclass(frozen=True, slots=True)
class Answer:
    """A JSON document from a server.

    Attributes:
        document: The document; where it was cut, what had come of it, and a text that was cut ends
            in `CUT`.
        unread_bytes: Bytes that were not read (at least so many); 0 if it is whole.
    """

    document: Any
    unread_bytes: int = 0


def read_answer(response: httpx2.Response) -> Answer:
    """The JSON document of a response that was read within bounds, whatever type it names.

    Raises:
        ValueError: It is not JSON document; the message says how it starts.
    """
    if _ENCODED in response.extensions:
        raise ValueError(f"it is compressed ({response.extensions[_ENCODED]}), unasked")
    text = response.content.decode("utf-8", "replace")
    unread = int(response.extensions.get(_UNREAD, 0))
    try:
        return Answer(json.loads(close_json(text) if unread else text), unread)
    except (ValueError, RecursionError) as cause:
        kind = response.headers.get("content-type", "no content type")
        raise ValueError(f"it is not JSON ({kind}): {text[:2000]!r}") from cause


def close_json(text: str) -> str:
    """A JSON text that was cut somewhere, completed so that it can be parsed.

    A string that was cut ends in `CUT`; a number, literal or key that was cut is left out.

    Args:
        text: Start of a JSON document.
    """
    stack: list[str] = []
    in_string = is_key = key_next = False
    # The longest start that is whole but for what closes it.
    end, open_there = 0, ""
    at = 0
    while at < len(text):
        c = text[at]
        if in_string:
            if c == "\\":
                width = 6 if text[at + 1 : at + 2] == "u" else 2
                if at + width > len(text):
                    break
                at += width
                continue
            if c == '"':
                in_string = False
                if not is_key:
                    end, open_there = at + 1, "".join(stack)
        elif c == '"':
            in_string, is_key = True, key_next
        elif c in "{[":
            stack.append(c)
            key_next = c == "{"
            end, open_there = at + 1, "".join(stack)
        elif c in "}]" and stack:
            stack.pop()
            end, open_there = at + 1, "".join(stack)
        elif c == ",":
            key_next = stack[-1:] == ["{"]
            end, open_there = at, "".join(stack)
        elif c == ":":
            key_next = False
        at += 1
    if in_string and not is_key:
        return text[:at] + CUT + '"' + _closing("".join(stack))
    return text[:end] + _closing(open_there)


def _closing(opened: str) -> str:
    return "".join("}" if c == "{" else "]" for c in reversed(opened))

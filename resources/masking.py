"""Texts without the secrets this process knows.

Known are the values of the variables that runs name by `api_key_env`, the credentials of the object
store, and variables of the environment that are named like a secret. They are taken out of whatever
is stored or shown, as they are and in the forms in which other programs repeat them (percent, base64,
hexadecimal, JSON, HTML). What looks like a credential in a header or an address goes as well.
"""

from __future__ import annotations

import base64
import binascii
import html
import json
import logging
import os
import re
import sys
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any
from urllib.parse import quote, quote_plus

MASK = "***"
# A shorter value is a placeholder (`none`, `EMPTY`): taking it out would spoil ordinary texts.
_SHORTEST = 8
_SHORTEST_BY_NAME = 16
_SHORTEST_START = 4
_AWS = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
_NAMED_LIKE_A_SECRET = re.compile(
    r"(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)(?:_|$)",
    re.IGNORECASE,
)
_NAMED_LIKE_A_PLACE = re.compile(r"_(?:FILE|PATH|DIR|URL|URI|HOST|NAME)$", re.IGNORECASE)
_PATTERNS = (
    # Headers, also inside JSON.
    (re.compile(r"(?i)\b((?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{16,}"), rf"\1{MASK}"),
    (
        re.compile(r"(?i)\b((?:x-)?api-key\\?[\"']?\s*[:=]\s*\\?[\"']?)[^\s\"'\\,;<>{}]{8,}"),
        rf"\1{MASK}",
    ),
    # Addresses: a login, and the signature of a signed one.
    (re.compile(r"(://[^/\s:@\"']{1,256}:)[^/\s@\"']{1,256}@"), rf"\1{MASK}@"),
    (
        re.compile(r"(?i)(X-Amz-(?:Signature|Credential|Security-Token)=)[^&\s\"'<]+"),
        rf"\1{MASK}",
    ),
    (re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"), MASK),
)

_names: set[str] = set()
_values: set[str] = set()


def register_names(names: Iterable[str]) -> None:
    """Remember environment variables that hold secrets; their values are read when needed."""
    _names.update(name for name in names if name)


def register_values(values: Iterable[str]) -> None:
    """Remember secrets that are in no variable of the environment."""
    _values.update(value for value in values if value)


def mask(text: str, *, was_cut: bool = False) -> str:
    """The text with every known secret replaced by `***`.

    Args:
        text: Any text.
        was_cut: Whether the text was cut off at its end, perhaps inside a secret: then the start of
            one is taken out there too.
    """
    forms, pattern = _compiled(tuple(sorted(_secrets())))
    if pattern is not None:
        text = pattern.sub(MASK, text)
    if was_cut:
        text = _without_start(text, forms)
    for found, replacement in _PATTERNS:
        text = found.sub(replacement, text)
    return text


def mask_exception(error: BaseException) -> None:
    """Take known secrets out of the messages of an exception and of those it came from."""
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        one = waiting.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        one.args = tuple(mask(a) if isinstance(a, str) else a for a in one.args)
        if isinstance(one, OSError) and isinstance(one.strerror, str):
            one.strerror = mask(one.strerror)
        if hasattr(one, "__notes__"):
            one.__notes__ = [mask(note) for note in one.__notes__]
        waiting += [one.__cause__, one.__context__, *getattr(one, "exceptions", ())]


def _secrets() -> Iterator[str]:
    environment = os.environ
    for name in (*_AWS, *_names):
        if len(environment.get(name, "")) >= _SHORTEST:
            yield environment[name]
    for value in _values:
        if len(value) >= _SHORTEST:
            yield value
    for name, value in environment.items():
        if (
            len(value) >= _SHORTEST_BY_NAME
            and any(c.isdigit() for c in value)
            and not value.startswith(("/", "."))
            and _NAMED_LIKE_A_SECRET.search(name)
            and not _NAMED_LIKE_A_PLACE.search(name)
        ):
            yield value


@lru_cache(maxsize=8)
def _compiled(secrets: tuple[str, ...]) -> tuple[tuple[str, ...], re.Pattern[str] | None]:
    """Forms of the secrets, longest first, and a pattern that finds any of them."""
    forms = {form for secret in set(secrets) for form in _forms(secret) if len(form) >= _SHORTEST}
    ordered = tuple(sorted(forms, key=lambda form: (-len(form), form)))
    return ordered, re.compile("|".join(map(_literal, ordered))) if ordered else None


def _literal(form: str) -> str:
    """Pattern of a form; digits after a percent sign may be written in small or capital letters."""
    return re.sub(
        r"%[0-9A-F]{2}",
        lambda found: re.sub("[A-F]", lambda c: f"[{c[0]}{c[0].lower()}]", found[0]),
        re.escape(form),
    )


def _forms(secret: str) -> Iterator[str]:
    """A secret as it is, and as other programs write it."""
    yield secret
    yield from (quote(secret, safe=""), quote_plus(secret), quote(secret))
    escaped = json.dumps(secret)[1:-1]
    yield from (escaped, escaped.replace("/", "\\/"), json.dumps(escaped)[1:-1])
    yield html.escape(secret)
    yield repr(secret)[1:-1]
    raw = secret.encode("utf-8", "surrogateescape")
    yield from (binascii.hexlify(raw).decode(), binascii.hexlify(raw).decode().upper())
    for before in range(3):
        # In base64 a secret looks different by its place; the ends depend on its neighbours.
        coded = base64.b64encode(b"\0" * before + raw).decode().rstrip("=")
        first = -(-before * 8 // 6)
        last = len(coded) - (1 if (before + len(raw)) % 3 else 0)
        inner = coded[first:last]
        yield from (inner, inner.replace("+", "-").replace("/", "_"))


def _without_start(text: str, forms: Iterable[str]) -> str:
    """The text without a longest start of a secret at its end."""
    longest = 0
    for form in forms:
        for n in range(min(len(form) - 1, len(text)), max(longest, _SHORTEST_START - 1), -1):
            if text.endswith(form[:n]):
                longest = n
                break
    return text[: len(text) - longest] + MASK if longest else text


_GUARDS = "masks_secrets"


def guard_process() -> None:
    """Keep known secrets out of this process's log lines and of the traceback it may end with.

    Calling it again changes nothing.
    """
    make_record = logging.getLogRecordFactory()
    show = sys.excepthook
    if getattr(make_record, _GUARDS, False):
        return

    def record(*args: Any, **kwargs: Any) -> logging.LogRecord:
        made = make_record(*args, **kwargs)
        made.msg, made.args = mask(made.getMessage()), ()
        if made.exc_info and made.exc_info[1] is not None:
            mask_exception(made.exc_info[1])
        return made

    def excepthook(kind: type[BaseException], error: BaseException, trace: Any) -> None:
        mask_exception(error)
        show(kind, error, trace)

    setattr(record, _GUARDS, True)
    logging.setLogRecordFactory(record)
    sys.excepthook = excepthook

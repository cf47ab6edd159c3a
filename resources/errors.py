"""Errors that people are shown in one sentence, and the nearest of the names there are."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches

_NAMES_SHOWN = 30


class ExpectedError(Exception):
    """Something a person can put right; the message says what is wrong, where, and what to do.

    A command shows the message in one line and ends. Any other exception is a defect of the program.
    """


class UnknownName(ExpectedError, ValueError):
    """A name that a person gave is not one of those there are."""


def unknown_name(kind: str, given: str, known: Collection[str], remedy: str = "") -> UnknownName:
    """The error for a name that does not exist, with the names that do and the nearest of them.

    Args:
        kind: What the name is of, in the singular (`source`).
        given: The name as given.
        known: Names there are.
        remedy: What to do where there are none, as half a sentence.
    """
    names = sorted(known)
    if not names:
        return UnknownName(f"no {kind} {given!r}: there are none{f', {remedy}' if remedy else ''}")
    near = nearest(given, names)
    guess = f"; did you mean {near!r}?" if near else "; use one of these"
    more = f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
    return UnknownName(
        f"no {kind} {given!r}; known: {', '.join(names[:_NAMES_SHOWN])}{more}{guess}"
    )


def nearest(given: str, known: Collection[str], cutoff: float = 0.5) -> str | None:
    """The name nearest to a given one; None if none is as like it as `cutoff` (0 to 1)."""
    return next(iter(get_close_matches(given, sorted(known), n=1, cutoff=cutoff)), None)


def suggestion(name: str, known: Collection[str]) -> str:
    """What to write in place of an unknown name: the nearest known one, or the list of all."""
    near = nearest(name, known, cutoff=0.6)
    if near:
        return f"did you mean `{near}`?"
    names = ", ".join(f"`{one}`" for one in sorted(known))
    return f"use one of {names}" if known else "none is configured"


def require_known(kind: str, given: Collection[str], known: Collection[str]) -> None:
    """Refuse the first of some names that is not known.

    Raises:
        UnknownName: A name is not known.
    """
    for name in given:
        if name not in known:
            raise unknown_name(kind, name, known)

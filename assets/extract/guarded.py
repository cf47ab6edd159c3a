"""Patterns that are looked for only in a text which holds one of the words that they need.

Looking words up takes a fraction of the time that looking for a pattern takes, and most patterns match few
replies. Which words a pattern needs is derived from the pattern: of a sequence any part that must match will do, of
alternatives each must have its own. A word that the pattern bounds on both sides is looked up among the words of the
text, any other within the text. A guarded pattern finds what the pattern alone finds.

A pattern without case takes half the time on text in lower case, with its own letters in lower case (`fold`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from re import _constants as constants  # pyright: ignore[reportAttributeAccessIssue]
from re import _parser as parser  # pyright: ignore[reportAttributeAccessIssue]
from typing import Any, NamedTuple

from assets.words.case import fold

# A set of more characters than these says little.
_MOST_CHARACTERS = 6
# Words that most texts hold.
_COMMON = frozenset("a an the is are be it i s t to of in on and or that this with".split())
_WORD = re.compile(r"\w+")
# Parts of a pattern whose letters stand for something else.
_ESCAPES = re.compile(r"(\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\[A-Z]|\(\?P[<=])")


def fold_pattern(pattern: str) -> str | None:
    """Pattern that finds in folded text what a pattern without case finds in the text; None where parts of it have case."""
    if "(?i" in pattern or "(?-i" in pattern:
        return None
    pieces = _ESCAPES.split(pattern)
    return "".join(one if at % 2 else fold(one) for at, one in enumerate(pieces))


def for_folded(pattern: str) -> re.Pattern[str]:
    """Pattern without case, for text that is folded.

    Raises:
        ValueError: Parts of the pattern have case.
    """
    folded = fold_pattern(pattern)
    if folded is None:
        raise ValueError(f"parts of the pattern {pattern} have case")
    return re.compile(folded)


class Needs(NamedTuple):
    """What of which a text must hold one for a pattern to match, in lower case: whole words, or parts of words."""

    words: frozenset[str]
    parts: tuple[str, ...]


class Guarded:
    """A pattern with what each text that it matches holds.

    Attributes:
        pattern: Pattern.
        needs: Words and parts of words; None where it needs none.
    """

    __slots__ = ("_ascii_parts", "_folded", "needs", "pattern")

    def __init__(self, pattern: str, flags: int = 0) -> None:
        """Compile a pattern and derive what it needs."""
        self.pattern = re.compile(pattern, flags)
        self.needs = needs_of(self.pattern)
        self._ascii_parts = tuple(filter(str.isascii, self.needs.parts)) if self.needs else ()
        folded = fold_pattern(pattern) if flags & re.IGNORECASE else None
        self._folded = None if folded is None else re.compile(folded, flags & ~re.IGNORECASE)

    def may_match(self, text: str) -> bool:
        """Whether a text holds what the pattern needs."""
        if self.needs is None:
            return True
        folded, words, plain = _words_of(text)
        if not self.needs.words.isdisjoint(words):
            return True
        # A generator takes twice the time of this loop.
        for part in self._ascii_parts if plain else self.needs.parts:  # noqa: SIM110
            if part in folded:
                return True
        return False

    def found_in(self, text: str) -> bool:
        """Whether there is a match anywhere in a text."""
        if self.needs is None:
            return self.found_unguarded(text)
        # As `may_match` and `found_unguarded` do, with one look at the words of the text.
        folded, words, plain = _words_of(text)
        if self.needs.words.isdisjoint(words):
            for part in self._ascii_parts if plain else self.needs.parts:
                if part in folded:
                    break
            else:
                return False
        pattern, sought = (self.pattern, text) if self._folded is None else (self._folded, folded)
        return pattern.search(sought) is not None

    def found_unguarded(self, text: str) -> bool:
        """Whether there is a match in a text that is known to hold what the pattern needs."""
        if self._folded is None:
            return self.pattern.search(text) is not None
        return self._folded.search(_words_of(text)[0]) is not None

    def matches(self, text: str) -> list[re.Match[str]]:
        """Matches in order, with their places in the text; their characters may be in lower case."""
        return self.matches_unguarded(text) if self.may_match(text) else []

    def matches_unguarded(self, text: str) -> list[re.Match[str]]:
        """Matches in a text that is known to hold what the pattern needs."""
        if self._folded is None:
            return list(self.pattern.finditer(text))
        return list(self._folded.finditer(_words_of(text)[0]))

    def match_from(self, text: str, start: int) -> re.Match[str] | None:
        """First match at `start` or behind it, in a text that is known to hold what the pattern needs."""
        if self._folded is None:
            return self.pattern.search(text, start)
        return self._folded.search(_words_of(text)[0], start)

    def search(self, text: str) -> re.Match[str] | None:
        """First match anywhere in a text."""
        return self.pattern.search(text) if self.may_match(text) else None

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Matches in order."""
        return self.pattern.finditer(text) if self.may_match(text) else iter(())

    def findall(self, text: str) -> list[Any]:
        """Matches, or their groups, in order."""
        return self.pattern.findall(text) if self.may_match(text) else []

    def sub(self, replacement: str | Callable[[re.Match[str]], str], text: str) -> str:
        """Text with each match replaced."""
        return self.pattern.sub(replacement, text) if self.may_match(text) else text


class GuardedTable:
    """Patterns with names, of which only those are looked for whose words a text holds."""

    def __init__(self, named: Iterable[tuple[str, Guarded]]) -> None:
        """Sort patterns by what they need."""
        patterns = list(named)
        self._patterns = tuple(patterns)
        # Places in the table, each a bit.
        self._always = 0
        self._by_word: dict[str, int] = {}
        self._by_part: dict[str, int] = {}
        for at, (_, guarded) in enumerate(patterns):
            if guarded.needs is None:
                self._always |= 1 << at
                continue
            for word in guarded.needs.words:
                self._by_word[word] = self._by_word.get(word, 0) | 1 << at
            for part in guarded.needs.parts:
                self._by_part[part] = self._by_part.get(part, 0) | 1 << at
        self._ascii_parts = {part: at for part, at in self._by_part.items() if part.isascii()}

    def that_may_match(self, text: str) -> list[tuple[str, Guarded]]:
        """Names and patterns that may match a text, in the order of the table."""
        folded, words, plain = _words_of(text)
        found = self._always
        for word in self._by_word.keys() & words:
            found |= self._by_word[word]
        for part, places in (self._ascii_parts if plain else self._by_part).items():
            if part in folded:
                found |= places
        patterns: list[tuple[str, Guarded]] = []
        while found:
            lowest = found & -found
            patterns.append(self._patterns[lowest.bit_length() - 1])
            found ^= lowest
        return patterns


class GuardedAlternatives:
    """A pattern of many alternatives, of which only those are looked for whose words a text holds.

    Attributes:
        pattern: The pattern as a whole.
    """

    def __init__(self, alternatives: Sequence[str], flags: int = 0) -> None:
        """Compile each alternative; of two that match at one place, the first counts."""
        self.pattern = re.compile("|".join(alternatives), flags)
        table = GuardedTable((one, Guarded(one, flags)) for one in alternatives)
        # Several rules ask for the same text.
        self._that_may_match = lru_cache(256)(table.that_may_match)

    def may_match(self, text: str) -> bool:
        """Whether a text holds what one of the alternatives needs."""
        return bool(self._that_may_match(text))

    def found_in(self, text: str) -> bool:
        """Whether there is a match anywhere in a text."""
        return any(one.found_unguarded(text) for _, one in self._that_may_match(text))

    def matches(self, text: str) -> list[re.Match[str]]:
        """Matches in order, with their places in the text; their characters may be in lower case."""
        nexts: list[tuple[Guarded, re.Match[str]]] = []
        for _, one in self._that_may_match(text):
            if match := one.match_from(text, 0):
                nexts.append((one, match))
        found: list[re.Match[str]] = []
        while nexts:
            # Of those that start at one place `min` takes the first.
            found.append(min((match for _, match in nexts), key=lambda match: match.start()))
            at = max(found[-1].end(), found[-1].start() + 1)
            later = [
                (one, match if match.start() >= at else one.match_from(text, at))
                for one, match in nexts
            ]
            nexts = [(one, match) for one, match in later if match is not None]
        return found


def split_alternatives(pattern: str) -> list[str]:
    """Alternatives of a pattern, split at the bars that stand in no bracket."""
    pieces = re.split(r"(\\.|\[(?:[^\]\\]|\\.)+\]|[()|])", pattern)
    found, depth = [""], 0
    for piece in pieces:
        depth += (piece == "(") - (piece == ")")
        if piece == "|" and depth == 0:
            found.append("")
        else:
            found[-1] += piece
    return found


# Neither of ASCII nor a token of an option (`declarations.as_token`).
_NOT_PLAIN = re.compile(r"[^\x00-\x7f\ue000-\ue039]")


@lru_cache(256)
def _words_of(text: str) -> tuple[str, frozenset[str], bool]:
    """Folded text, its words, and whether it holds nothing but ASCII and tokens."""
    folded = fold(text)
    plain = folded.isascii() or _NOT_PLAIN.search(folded) is None
    return folded, frozenset(_WORD.findall(folded)), plain


def needs_of(pattern: re.Pattern[str]) -> Needs | None:
    """What every text that a pattern matches holds; None where there is nothing.

    Case is folded by `str.lower`, which is how patterns without case compare all letters of normalised text (NFKC).
    """
    found = _of_sequence(list(parser.parse(pattern.pattern, pattern.flags)), (False, False))
    if found is None:
        return None
    parts = [text for text, whole in found if not whole]
    # What holds another part says nothing beyond it.
    least = {one for one in parts if not any(other != one and other in one for other in parts)}
    words = (text for text, whole in found if whole)
    return Needs(
        frozenset(one for one in words if not any(part in one for part in least)),
        tuple(sorted(least)),
    )


# A text and whether it is a whole word.
_Found = frozenset[tuple[str, bool]]


def _of_sequence(parts: Sequence[tuple[Any, Any]], bounded: tuple[bool, bool]) -> _Found | None:
    """The most telling needs of a sequence; `bounded` says whether words end before it and behind it."""
    found: list[_Found] = []
    at = 0
    while at < len(parts):
        end = at
        while end < len(parts) and parts[end][0] is constants.LITERAL:
            end += 1
        around = (
            _bounds(parts[at - 1]) if at else bounded[0],
            _bounds(parts[max(end, at + 1)]) if max(end, at + 1) < len(parts) else bounded[1],
        )
        if end > at:
            run = fold("".join(chr(value) for _, value in parts[at:end]))
            found.append(frozenset((_most_telling(run, around),)))
            at = end
            continue
        needs = _of_part(*parts[at], around)
        if needs is not None:
            found.append(needs)
        at += 1
    return max(found, key=_worth, default=None)


def _worth(needs: _Found) -> tuple[int, int]:
    common = any(text.strip() in _COMMON or not text.strip() for text, _ in needs)
    return (0 if common else min(3, *(len(text) for text, _ in needs), 3), -len(needs))


def _bounds(part: tuple[Any, Any]) -> bool:
    """Whether a word ends where this part stands."""
    kind, value = part
    if kind is constants.AT:
        return value in (
            constants.AT_BOUNDARY,
            constants.AT_BEGINNING,
            constants.AT_BEGINNING_STRING,
        )
    if kind in (constants.MAX_REPEAT, constants.MIN_REPEAT) and value[0] > 0:
        return list(value[2]) == [(constants.IN, [(constants.CATEGORY, constants.CATEGORY_SPACE)])]
    return False


def _most_telling(run: str, bounded: tuple[bool, bool]) -> tuple[str, bool]:
    """The longest whole word of a run of characters that is no common one, or the run."""
    words = [
        match[0]
        for match in _WORD.finditer(run)
        if (match.start() > 0 or bounded[0])
        and (match.end() < len(run) or bounded[1])
        and match[0] not in _COMMON
    ]
    return (max(words, key=len), True) if words else (run, False)


def _of_part(kind: Any, value: Any, bounded: tuple[bool, bool]) -> _Found | None:
    if kind is constants.BRANCH:
        branches = [_of_sequence(list(branch), bounded) for branch in value[1]]
        whole = [needs for needs in branches if needs is not None]
        return frozenset().union(*whole) if len(whole) == len(branches) else None
    if kind is constants.SUBPATTERN:
        return _of_sequence(list(value[3]), bounded)
    if kind in (constants.MAX_REPEAT, constants.MIN_REPEAT, constants.POSSESSIVE_REPEAT):
        once = value[0] == value[1] == 1
        inner = bounded if once else (False, False)
        return _of_sequence(list(value[2]), inner) if value[0] > 0 else None
    if kind is constants.ASSERT:
        return _of_sequence(list(value[1]), (False, False))
    if kind is constants.IN and len(value) <= _MOST_CHARACTERS:
        single = all(one is constants.LITERAL for one, _ in value)
        return frozenset((fold(chr(code)), False) for _, code in value) if single else None
    return None

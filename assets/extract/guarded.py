"""Patterns that are looked for only in a text which holds one of the words that they need.

Looking words up takes a fraction of the time that looking for a pattern takes, and most patterns match few
replies. Which words a pattern needs is derived from the pattern: what it matches is spelled out, with gaps for what has no
end, and of each spelling the most telling word is taken. A guarded pattern finds what the pattern alone finds.

Each pattern is a bit. A word that was met before knows the bits of all patterns that it opens, so that a text's words are
looked up once for all patterns; what is no word is looked for in the text.

A pattern without case takes half the time on text in lower case, with its own letters in lower case (`fold`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from re import _constants as constants  # pyright: ignore[reportAttributeAccessIssue]
from re import _parser as parser  # pyright: ignore[reportAttributeAccessIssue]
from typing import Any, NamedTuple

from assets.words.case import fold

# What many texts hold is worth no more than this.
_POOR = 3
# A set of more characters than these says little, and a pattern with more spellings is cut into pieces.
_MOST_CHARACTERS = 6
_MOST_SPELLINGS = 160
# Words that most texts hold.
_COMMON = frozenset("a an the is are be it i s t to of in on and or that this with".split())
_WORD = re.compile(r"\w+")
_ASCII_WORD = re.compile(r"[a-z0-9_]+")
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


class _Signs:
    """Bits of patterns, by the words that open them."""

    # Words of more than this many replies are looked up anew.
    most_words = 100_000

    def __init__(self) -> None:
        self._count = 0
        self._whole: dict[str, int] = {}
        self._parts: dict[str, int] = {}
        self._known: dict[str, int] = {}

    def add(self, words: Iterable[str], parts: Iterable[str]) -> int:
        """Bit of a pattern that one of these words, or a word with one of these parts, opens."""
        bit = 1 << self._count
        self._count += 1
        for word in words:
            self._whole[word] = self._whole.get(word, 0) | bit
        for part in parts:
            self._parts[part] = self._parts.get(part, 0) | bit
        self._known.clear()
        return bit

    def of_words(self, words: Iterable[str]) -> int:
        """Bits of all patterns that words in lower case open."""
        known = self._known
        bits = 0
        for word in words:
            try:
                bits |= known[word]
            except KeyError:
                bits |= self._of_word(word)
        return bits

    def _of_word(self, word: str) -> int:
        bits = self._whole.get(word, 0)
        for part, opened in self._parts.items():
            if part in word:
                bits |= opened
        if len(self._known) >= self.most_words:
            self._known.clear()
        if len(word) < 40:
            self._known[word] = bits
        return bits


_SIGNS = _Signs()


class Guarded:
    """A pattern with what each text that it matches holds.

    It is compiled when it is first used: there are hundreds, and most processes read no reply.

    Attributes:
        pattern: Pattern.
        needs: Words and parts of words; None where it needs none.
        bit: Bit of the pattern among those that the words of a text open.
    """

    __slots__ = ("_ascii_others", "_folded", "_others", "_source", "bit", "needs", "pattern")

    pattern: re.Pattern[str]
    needs: Needs | None
    bit: int
    _others: tuple[str, ...]
    _ascii_others: tuple[str, ...]
    _folded: re.Pattern[str] | None

    def __init__(self, pattern: str, flags: int = 0) -> None:
        """Keep a pattern; errors in it show when it is first used."""
        self._source = (pattern, flags)

    def __getattr__(self, name: str) -> Any:
        """Prepare the pattern where something of it is asked for the first time."""
        if name not in Guarded.__slots__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        self._prepare()
        return getattr(self, name)

    def _prepare(self) -> None:
        """Compile the pattern and derive what it needs."""
        pattern, flags = self._source
        self.pattern = re.compile(pattern, flags)
        self.needs = needs_of(self.pattern)
        words, parts = self.needs or ((), ())
        in_words = [one for one in parts if _ASCII_WORD.fullmatch(one)]
        # What is no part of a word in ASCII letters is looked for in the text.
        self._others = tuple(one for one in parts if one not in in_words)
        self._ascii_others = tuple(filter(str.isascii, self._others))
        self.bit = _SIGNS.add(words, in_words)
        _words_of.cache_clear()
        folded = fold_pattern(pattern) if flags & re.IGNORECASE else None
        self._folded = None if folded is None else re.compile(folded, flags & ~re.IGNORECASE)

    def may_match(self, text: str) -> bool:
        """Whether a text holds what the pattern needs."""
        if self.needs is None:
            return True
        folded, bits, plain = _words_of(text)
        if bits & self.bit:
            return True
        # A generator takes twice the time of this loop.
        for part in self._ascii_others if plain else self._others:  # noqa: SIM110
            if part in folded:
                return True
        return False

    @property
    def others(self) -> tuple[str, ...]:
        """What it needs that is no part of a word in ASCII letters."""
        return self._others

    def found_in(self, text: str) -> bool:
        """Whether there is a match anywhere in a text."""
        if self.needs is None:
            return self.found_unguarded(text)
        # As `may_match` and `found_unguarded` do, with one look at the words of the text.
        folded, bits, plain = _words_of(text)
        if not bits & self.bit:
            for part in self._ascii_others if plain else self._others:
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
        """Keep patterns; they are sorted by what they need when the first text is read."""
        self._patterns = tuple(named)

    @cached_property
    def _places(self) -> _Places:
        return _Places([guarded for _, guarded in self._patterns])

    def that_may_match(self, text: str) -> list[tuple[str, Guarded]]:
        """Names and patterns that may match a text, in the order of the table."""
        of = self._places
        folded, bits, plain = _words_of(text)
        places = [*of.always]
        bits &= of.bits
        while bits:
            lowest = bits & -bits
            places.append(of.by_bit[lowest])
            bits ^= lowest
        for part, opened in (of.by_ascii_other if plain else of.by_other).items():
            if part in folded:
                places += opened
        patterns = self._patterns
        return [patterns[at] for at in sorted(set(places))]


class _Places:
    """Places of patterns in a table, by the bit of the pattern there and by what is not a word."""

    __slots__ = ("always", "bits", "by_ascii_other", "by_bit", "by_other")

    def __init__(self, patterns: Iterable[Guarded]) -> None:
        self.always: list[int] = []
        self.by_bit: dict[int, int] = {}
        self.by_other: dict[str, list[int]] = {}
        self.bits = 0
        for at, guarded in enumerate(patterns):
            if guarded.needs is None:
                self.always.append(at)
            self.bits |= guarded.bit
            self.by_bit[guarded.bit] = at
            for part in guarded.others:
                self.by_other.setdefault(part, []).append(at)
        self.by_ascii_other = {
            part: places for part, places in self.by_other.items() if part.isascii()
        }


class GuardedAlternatives:
    """A pattern of many alternatives, of which only those are looked for whose words a text holds."""

    def __init__(self, alternatives: Sequence[str], flags: int = 0) -> None:
        """Keep the alternatives; of two that match at one place, the first counts."""
        self._whole = ("|".join(alternatives), flags)
        table = GuardedTable((one, Guarded(one, flags)) for one in alternatives)
        # Several rules ask for the same text.
        self._that_may_match = lru_cache(256)(table.that_may_match)

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The pattern as a whole."""
        return re.compile(*self._whole)

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


@lru_cache(512)
def _words_of(text: str) -> tuple[str, int, bool]:
    """Folded text, the bits of the patterns that its words open, and whether it holds nothing but ASCII and tokens."""
    folded = fold(text)
    plain = folded.isascii() or _NOT_PLAIN.search(folded) is None
    words = set(_WORD.findall(folded))
    return folded, _SIGNS.of_words(words), plain


def needs_of(pattern: re.Pattern[str]) -> Needs | None:
    """What every text that a pattern matches holds; None where there is nothing.

    Case is folded by `str.lower`, which is how patterns without case compare all letters of normalised text (NFKC).
    """
    needed = _Spelling.of_sequence(list(parser.parse(pattern.pattern, pattern.flags))).needed()
    if needed is None:
        return None
    parts = [text for text, whole in needed if not whole]
    # What holds another part says nothing beyond it.
    least = {one for one in parts if not any(other != one and other in one for other in parts)}
    words = (text for text, whole in needed if whole)
    return Needs(
        frozenset(one for one in words if not any(part in one for part in least)),
        tuple(sorted(least)),
    )


# A text and whether it is a whole word.
_Needed = frozenset[tuple[str, bool]]
# The end of a word, and a gap of whatever length; neither stands in a pattern as it is.
_END, _GAP = "\x00", "\x01"
_APART = _END + _GAP + _END
_FRAGMENT_WORD = re.compile(rf"({_END})?(\w+)({_END})?")
_NO_WORD_BETWEEN = (
    (constants.CATEGORY, constants.CATEGORY_SPACE),
    (
        constants.CATEGORY,
        constants.CATEGORY_NOT_WORD,
    ),
)


@dataclass(frozen=True)
class _Spelling:
    """What a part of a pattern matches.

    Attributes:
        forms: Every text that it matches, with gaps and ends of words; one that is a gap alone says nothing.
        needs: What every match holds beside, of a part that had too many forms.
    """

    forms: frozenset[str]
    needs: _Needed | None = None

    def needed(self) -> _Needed | None:
        """The most telling of what every match holds."""
        return _better(self.needs, _telling(self.forms))

    @staticmethod
    def of_sequence(parts: Sequence[tuple[Any, Any]]) -> _Spelling:
        """Spelling of parts that follow one another."""
        forms, needs = frozenset(("",)), None
        for kind, value in parts:
            part = _spelled(kind, value)
            needs = _better(needs, part.needs)
            if len(forms) * len(part.forms) > _MOST_SPELLINGS:
                needs = _better(needs, _telling(forms))
                forms = _gap_like(forms)
            forms = frozenset(_joined(one, other) for one in forms for other in part.forms)
        return _Spelling(forms, needs)


_ANYTHING = _Spelling(frozenset((_GAP,)))
_NOTHING = _Spelling(frozenset(("",)))
_BETWEEN_WORDS = _Spelling(frozenset((_APART,)))


def _gap_like(forms: frozenset[str]) -> frozenset[str]:
    """A gap in the place of these forms; a word ends with it where one ends with each of them."""
    return frozenset((_GAP + _END if all(one.endswith(_END) for one in forms) else _GAP,))


def _joined(one: str, other: str) -> str:
    return (one + other).replace(_GAP + _GAP, _GAP).replace(_END + _END, _END)


def _better(one: _Needed | None, other: _Needed | None) -> _Needed | None:
    if one is None or other is None:
        return one or other
    return max(one, other, key=_worth)


def _worth(needs: _Needed) -> tuple[int, int]:
    return (min(_worth_of(*one) for one in needs), -len(needs))


def _worth_of(text: str, whole: bool) -> int:
    """How few texts hold it: a word of many letters, one that is common, or punctuation."""
    if text in _COMMON or not text.strip():
        return 0
    length = len(text.strip()) if text.isascii() else 3
    if _WORD.fullmatch(text) is None:
        return min(length, 2) + (_WORD.search(text) is not None)
    return min(length, 3) + 2 * whole + (length > 1)


def _telling(forms: Iterable[str]) -> _Needed | None:
    """The most telling word or part that all forms have, or that of each form; None where one form has none."""
    of_forms = [
        {piece for fragment in form.split(_GAP) for piece in _pieces(fragment)} for form in forms
    ]
    if not all(of_forms):
        return None
    common = set.intersection(*of_forms)
    best = max(common, key=_piece_worth, default=None)
    if best is not None and _worth_of(*best) > _POOR:
        return frozenset((best,))
    return frozenset(max(pieces, key=_piece_worth) for pieces in of_forms)


def _piece_worth(piece: tuple[str, bool]) -> tuple[int, int, str]:
    return _worth_of(*piece), len(piece[0]), piece[0]


def _pieces(fragment: str) -> Iterator[tuple[str, bool]]:
    """Words and parts of words of a text that a match holds, or the text itself where it has none."""
    bare = fragment.replace(_END, "")
    has_word = False
    for match in _FRAGMENT_WORD.finditer(fragment):
        before, behind = match.start() > 0, match.end() < len(fragment)
        has_word = True
        yield match[2], bool((match[1] or before) and (match[3] or behind))
    # "n't" is no word and tells more than its letters.
    if bare and (not has_word or not _WORD.fullmatch(bare)):
        yield bare, False


def _spelled(kind: Any, value: Any) -> _Spelling:
    """Spelling of one part of a pattern."""
    if kind is constants.LITERAL:
        return _Spelling(frozenset((fold(chr(value)),)))
    if kind is constants.AT:
        ends = value in (
            constants.AT_BOUNDARY,
            constants.AT_BEGINNING,
            constants.AT_BEGINNING_STRING,
            constants.AT_END,
            constants.AT_END_STRING,
        )
        return _Spelling(frozenset((_END,))) if ends else _NOTHING
    if kind is constants.SUBPATTERN:
        return _Spelling.of_sequence(list(value[3]))
    if kind is constants.ATOMIC_GROUP:
        return _Spelling.of_sequence(list(value))
    if kind is constants.BRANCH:
        return _of_branches([_Spelling.of_sequence(list(branch)) for branch in value[1]])
    if kind in (constants.MAX_REPEAT, constants.MIN_REPEAT, constants.POSSESSIVE_REPEAT):
        return _repeated(*value)
    if kind is constants.ASSERT:
        return _Spelling(frozenset(("",)), _Spelling.of_sequence(list(value[1])).needed())
    if kind is constants.ASSERT_NOT:
        return _Spelling(frozenset((_END,))) if _excludes_words(value[1]) else _NOTHING
    if kind is constants.IN:
        return _of_set(value)
    return _ANYTHING


def _of_branches(branches: Sequence[_Spelling]) -> _Spelling:
    forms = frozenset[str]().union(*(one.forms for one in branches))
    needs = [one.needed() for one in branches]
    every = None if None in needs else frozenset[tuple[str, bool]]().union(*filter(None, needs))
    # Where every branch has needs of its own, what they need together is what the branch needs.
    if any(one.needs is not None for one in branches) or len(forms) > _MOST_SPELLINGS:
        return _Spelling(frozenset((_GAP,)), every)
    return _Spelling(forms)


def _repeated(least: int, most: int, part: Any) -> _Spelling:
    inner = _Spelling.of_sequence(list(part))
    if least == most == 1:
        return inner
    if least == 0:
        optional = most == 1 and inner.needs is None and len(inner.forms) < 8
        return _Spelling(inner.forms | {""} if optional else _gap_like(inner.forms) | {""})
    if inner.forms == {_APART}:
        return inner
    return _Spelling(frozenset((_GAP,)), inner.needed())


def _excludes_words(part: Any) -> bool:
    """Whether a part that must not match is any character of a word, whatever else it may be."""
    (kind, value), *others = [*part, (None, None)]
    if kind is not constants.IN or len(others) != 1 or (constants.NEGATE, None) in value:
        return False
    return (constants.CATEGORY, constants.CATEGORY_WORD) in value


def _of_set(value: Sequence[tuple[Any, Any]]) -> _Spelling:
    if all(one in _NO_WORD_BETWEEN for one in value):
        return _BETWEEN_WORDS
    single = all(one is constants.LITERAL for one, _ in value)
    if single and len(value) <= _MOST_CHARACTERS:
        return _Spelling(frozenset(fold(chr(code)) for _, code in value))
    return _ANYTHING

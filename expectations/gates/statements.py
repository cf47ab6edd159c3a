"""Sentences that explanations are written in, and what the source rows allow in their slots.

A derivation declares the statements that explanations of its subtask may make. The gate `explanation`
parses a text into them and compares the value in every slot with the rows it follows from. A stretch
of text that matches no statement makes a claim that no row supports.

A form is plain text: `{name}` is a slot, and `[...]` may be absent. Forms are stated here apart from
the builders' templates, so that a template that swaps two values is noticed.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from expectations.gates.base import listed
from expectations.gates.words import name_words, spoken_words

_FORM_PARTS = re.compile(r"(\{\w+\}|\[|\]|\s+)")
_SENTENCE_END = re.compile(r"(?<=[.?!])\s+")
_SEPARATOR = re.compile(r"\s*,\s+(?:and|or)\s+|\s*[,;]\s+|\s+(?:and|or)\s+")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
# Texts and tables are floats: exactly half of the last digit may come out as slightly more.
_ROUNDING = 1e-6


class Slot(ABC):
    """A place in a form, and what may stand there."""

    __slots__ = ()

    @abstractmethod
    def pattern(self) -> str:
        """Regular expression, without groups, of everything that could stand there."""

    @abstractmethod
    def errors(self, text: str) -> Iterator[str]:
        """How a text differs from what the rows say; nothing if it agrees."""


@dataclass(frozen=True, slots=True)
class Number(Slot):
    """A number close to a measured value.

    Attributes:
        value: Value in the rows.
        within: Largest difference, since texts are rounded.
    """

    value: float
    within: float

    def pattern(self) -> str:
        """A number with or without decimals."""
        return _NUMBER.pattern

    def errors(self, text: str) -> Iterator[str]:
        """How the number differs."""
        if not abs(float(text) - self.value) <= self.within + _ROUNDING:
            yield f"{text} instead of {self.value:.4g}"


@dataclass(frozen=True, slots=True)
class Name(Slot):
    """The name of a thing.

    Attributes:
        names: Names of the thing in the rows; each of them is accepted.
        words: Words of a name; names with the same words are the same.
    """

    names: tuple[str, ...]
    words: Callable[[str], tuple[str, ...]] = name_words

    def pattern(self) -> str:
        """Text without punctuation."""
        return r"[^\s.,:;\"\[\]()](?:[^.,:;\"\[\]()]*[^\s.,:;\"\[\]()])?"

    def errors(self, text: str) -> Iterator[str]:
        """How the name differs."""
        if self.words(text) not in {self.words(name) for name in self.names}:
            yield f"{text!r} instead of {' or '.join(self.names)!r}"


@dataclass(frozen=True, slots=True)
class Quote(Slot):
    """Words quoted from a row.

    Attributes:
        texts: Texts in the rows; each of them is accepted.
    """

    texts: tuple[str, ...]

    def pattern(self) -> str:
        """Text without quotation marks, or one of the texts, which may hold some."""
        marked = [re.escape(" ".join(t.split())) for t in self.texts if '"' in t]
        return "|".join([*marked, r'[^"]*'])

    def errors(self, text: str) -> Iterator[str]:
        """How the words differ."""
        if spoken_words(text) not in {spoken_words(t) for t in self.texts}:
            yield f"{text!r} instead of {' or '.join(self.texts)!r}"


@dataclass(frozen=True, slots=True)
class Exact(Slot):
    """A key, compared character by character."""

    key: str

    def pattern(self) -> str:
        """A text without blanks, or the key, which may hold some."""
        spaced = [re.escape(" ".join(self.key.split()))] if " " in self.key else []
        return "|".join([*spaced, r"\S+?"])

    def errors(self, text: str) -> Iterator[str]:
        """How the key differs."""
        if text != self.key:
            yield f"{text!r} instead of {self.key!r}"


@dataclass(frozen=True, slots=True)
class Choice(Slot):
    """One of a few fixed expressions.

    Attributes:
        right: Expressions that are true, in lower case.
        known: All expressions that could stand there, in lower case.
    """

    right: tuple[str, ...]
    known: tuple[str, ...]

    def pattern(self) -> str:
        """All known expressions, the longest first."""
        ordered = sorted(self.known, key=len, reverse=True)
        return "|".join(r"\s+".join(map(re.escape, k.split())) for k in ordered)

    def errors(self, text: str) -> Iterator[str]:
        """How the expression differs."""
        if " ".join(text.casefold().split()) not in self.right:
            yield f"{text!r} instead of {' or '.join(self.right)!r}"


@dataclass(frozen=True, slots=True)
class Meaning(Slot):
    """Words that stand for a value, such as a direction or a cell.

    Attributes:
        value: Value in the rows.
        parse: Value of a text; None if it has none.
        shown: The value in words.
    """

    value: Any
    parse: Callable[[str | None], Any]
    shown: str

    def pattern(self) -> str:
        """Words without punctuation."""
        return r"\w(?:[\w -]*?\w)??"

    def errors(self, text: str) -> Iterator[str]:
        """How the meaning differs."""
        if self.parse(text) != self.value:
            yield f"{text!r} instead of {self.shown!r}"


@dataclass(frozen=True, slots=True)
class Box(Slot):
    """Four shares of the picture in brackets: left, top, right, bottom.

    Attributes:
        boxes: Boxes in the rows; each of them is accepted.
        within: Largest difference of a side.
    """

    boxes: tuple[tuple[float, ...], ...]
    within: float

    def pattern(self) -> str:
        """A box in brackets."""
        return r"\[[^\[\]]*\]"

    def errors(self, text: str) -> Iterator[str]:
        """How the box differs."""
        sides = [float(n) for n in _NUMBER.findall(text)]
        for box in self.boxes:
            if len(sides) == len(box) and all(
                abs(a - b) <= self.within + _ROUNDING for a, b in zip(sides, box, strict=True)
            ):
                return
        known = " or ".join(f"[{', '.join(f'{v:.2f}' for v in b)}]" for b in self.boxes)
        yield f"{text} instead of {known}" if known else f"{text}, but no box is annotated then"


@dataclass(frozen=True, slots=True)
class Each(Slot):
    """A list that names every item once, in any order.

    Attributes:
        form: Form of one item.
        items: Slots of each item.
    """

    form: str
    items: tuple[Mapping[str, Slot], ...]

    def pattern(self) -> str:
        """Any text without blanks around it."""
        return r"\S(?:.*?\S)??"

    def errors(self, text: str) -> Iterator[str]:
        """Items that are wrong, missing or named twice."""
        if self._is_complete(text, 0, frozenset()):
            return
        pieces = [piece for piece in _SEPARATOR.split(text) if piece]
        items = {piece: self._item(piece) for piece in pieces}
        wrong = [piece for piece, item in items.items() if item is None]
        missing = [self._shown(i) for i in range(len(self.items)) if i not in items.values()]
        if wrong:
            yield f"{listed(wrong)!r}" + (f" instead of {listed(missing)!r}" if missing else "")
        elif missing:
            yield f"{text!r} leaves out {listed(missing)!r}"
        else:
            yield f"{text!r} names an item twice"

    def _is_complete(self, text: str, start: int, used: frozenset[int]) -> bool:
        """Whether the rest of the text lists exactly the items that are left.

        A name may itself contain a comma or `and`, so that every separator may end an item or not.
        """
        cuts = [(m.start(), m.end()) for m in _SEPARATOR.finditer(text, start)]
        for stop, after in cuts:
            item = self._item(text[start:stop], used)
            if item is not None and self._is_complete(text, after, used | {item}):
                return True
        last = self._item(text[start:], used)
        return last is not None and len(used) + 1 == len(self.items)

    def _item(self, piece: str, used: frozenset[int] = frozenset()) -> int | None:
        for i, slots in enumerate(self.items):
            if i in used:
                continue
            values = match(self.form, slots, piece)
            if values is not None and not any(_slot_errors(slots, values)):
                return i
        return None

    def _shown(self, item: int) -> str:
        for slot in self.items[item].values():
            texts = (
                slot.names
                if isinstance(slot, Name)
                else slot.texts
                if isinstance(slot, Quote)
                else ()
            )
            if texts:
                return texts[0]
        return f"item {item + 1}"


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence that explanations of a subtask may contain.

    Attributes:
        name: What it is about, in a word or two.
        forms: Wordings.
        slots: What may stand in each slot.
        rows: Rows it follows from, as `table:key`.
        cited: Groups of these rows; a step that contains it names a row of each group. Empty for
            one group of all.
        needed: Whether an explanation must contain it.
        untrue: Why the rows contradict it whatever stands in its slots; empty if they do not.
    """

    name: str
    forms: tuple[str, ...]
    slots: Mapping[str, Slot]
    rows: tuple[str, ...]
    cited: tuple[frozenset[str], ...] = ()
    needed: bool = True
    untrue: str = ""


@dataclass(frozen=True, slots=True)
class StatementMatch:
    """A statement found in a text, with the text in each of its slots."""

    statement: Statement
    values: Mapping[str, str]

    def errors(self) -> list[str]:
        """How it differs from the rows."""
        if self.statement.untrue:
            return [self.statement.untrue]
        return list(_slot_errors(self.statement.slots, self.values))


@dataclass(slots=True)
class ParsedText:
    """A text as statements.

    Attributes:
        matches: Statements in the order of the text.
        unmatched: Stretches that match no statement.
    """

    matches: list[StatementMatch] = field(default_factory=list)
    unmatched: list[str] = field(default_factory=list)


def parse(text: str, statements: Sequence[Statement]) -> ParsedText:
    """Parse a text into statements; where several match, one that agrees with the rows is taken."""
    text = " ".join(text.replace("\u2019", "'").split())
    parsed = ParsedText()
    at = 0
    while at < len(text):
        found = _match_at(text, at, statements)
        if found is not None:
            parsed.matches.append(found[0])
            at = found[1]
            continue
        # Skip to the next sentence that matches again.
        starts = [m.end() for m in _SENTENCE_END.finditer(text, at + 1)]
        stop = next((s for s in starts if _match_at(text, s, statements)), len(text))
        parsed.unmatched.append(text[at:stop].strip())
        at = stop
    return parsed


def match(form: str, slots: Mapping[str, Slot], text: str) -> dict[str, str] | None:
    """Text in each slot of a form that matches a whole text; None if it does not match.

    Slots in parts that are absent are left out.
    """
    found = _compiled(form, _patterns(slots)).fullmatch(text)
    return None if found is None else _present(found)


def _match_at(
    text: str, at: int, statements: Sequence[Statement]
) -> tuple[StatementMatch, int] | None:
    """Statement that begins at a place of a text, and where the text goes on after it.

    A quotation may hold several sentences, so that each sentence end may end the statement.
    """
    ends = [(m.start(), m.end()) for m in _SENTENCE_END.finditer(text, at + 1)]
    first: tuple[StatementMatch, int] | None = None
    for statement in statements:
        for form in statement.forms:
            pattern = _compiled(form, _patterns(statement.slots))
            if pattern.match(text, at) is None:
                continue
            for stop, after in [*ends, (len(text), len(text))]:
                found = pattern.fullmatch(text, at, stop)
                if found is None:
                    continue
                matched = StatementMatch(statement, _present(found))
                if not matched.errors():
                    return matched, after
                first = first or (matched, after)
    return first


def _slot_errors(slots: Mapping[str, Slot], values: Mapping[str, str]) -> Iterator[str]:
    for name, text in values.items():
        for error in slots[name].errors(text):
            yield f"{name.replace('_', ' ')} {error}"


def _present(found: re.Match[str]) -> dict[str, str]:
    return {name: text for name, text in found.groupdict().items() if text is not None}


def _patterns(slots: Mapping[str, Slot]) -> tuple[tuple[str, str], ...]:
    return tuple((name, slot.pattern()) for name, slot in slots.items())


@lru_cache(maxsize=512)
def _compiled(form: str, patterns: tuple[tuple[str, str], ...]) -> re.Pattern[str]:
    of = dict(patterns)
    parts: list[str] = []
    for piece in _FORM_PARTS.split(form):
        if piece == "[":
            parts.append("(?:")
        elif piece == "]":
            parts.append(")?")
        elif piece.startswith("{"):
            name = piece[1:-1]
            # Without a slot nothing may stand there: `[, at {box}]` of a thing without a box.
            parts.append(f"(?P<{name}>{of[name]})" if name in of else "(?!)")
        elif piece.strip():
            parts.append(re.escape(piece))
        elif piece:
            parts.append(r"\s+")
    return re.compile("".join(parts), re.IGNORECASE)

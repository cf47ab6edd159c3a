"""Questions about daily life sorted into the subtasks of another benchmark, by keywords and then by people.

EgoCross, supplement B.2: keywords in an order of priority, corrected over rounds of review. A round changes the
keywords of categories, or places single questions; all its changes stand in a file, one a row.
"""

from __future__ import annotations

import csv
import io
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

RULES = Path(__file__).with_name("rules.toml")
COLUMNS = ("round", "change", "what", "category", "reviewer", "reason")
ADD, REMOVE, PLACE = "add_keyword", "remove_keyword", "place_question"
UNSORTED = ""
"""Category of a question that none fits; a round may place a question there too."""


class InvalidRounds(ValueError):
    """A file of review rounds breaks a rule; the message names row, rule and remedy."""


@dataclass(frozen=True, slots=True)
class Category:
    """A category of questions.

    Attributes:
        name: Subtask of the benchmark, or a category that it does not have.
        keywords: Keywords, `*` for any words.
        printed: Questions that the paper counts; None where it prints none.
    """

    name: str
    keywords: tuple[str, ...]
    printed: int | None = None


@dataclass(frozen=True, slots=True)
class AlignedSubtask:
    """A subtask that both benchmarks ask, with the printed accuracies in percent."""

    subtask: str
    printed_daily: float
    printed: float


@dataclass(frozen=True, slots=True)
class Rules:
    """Categories in the order of their priority, and the subtasks that are compared."""

    categories: tuple[Category, ...]
    aligned: tuple[AlignedSubtask, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """A change of a review round.

    Attributes:
        round: Number of the round, from 1.
        change: `add_keyword`, `remove_keyword` or `place_question`.
        what: The keyword, or the question's released id.
        category: Category it belongs to; empty to leave a question unsorted.
        reviewer: Who decided.
        reason: Why.
    """

    round: int
    change: str
    what: str
    category: str
    reviewer: str
    reason: str


@dataclass(frozen=True, slots=True)
class Sorted:
    """Where a question belongs.

    Attributes:
        category: Category; empty where none fits.
        keyword: Keyword that took it; empty where people placed it, or nothing did.
        round: Round in which people placed it; 0 where none did.
    """

    category: str
    keyword: str = ""
    round: int = 0


@cache
def read_rules(path: Path = RULES) -> Rules:
    """Rules of a file.

    Args:
        path: The file.
    """
    document = tomllib.loads(path.read_text(encoding="utf-8"))
    categories = tuple(
        Category(one["name"], tuple(one["keywords"]), one.get("printed"))
        for one in document["category"]
    )
    return Rules(categories, tuple(AlignedSubtask(**one) for one in document["aligned"]))


def read_rounds(text: str, rules: Rules) -> tuple[Change, ...]:
    """Changes of review rounds, in the order of the rounds.

    Args:
        text: CSV with the columns `COLUMNS`.
        rules: What they change.

    Raises:
        InvalidRounds: A row breaks a rule, or two rows of a round contradict each other.
    """
    reader = csv.DictReader(io.StringIO(text, newline=""))
    if tuple(reader.fieldnames or ()) != COLUMNS:
        raise InvalidRounds(
            f"row 1: the columns are {', '.join(reader.fieldnames or ('none',))}; write {', '.join(COLUMNS)}"
        )
    changes: list[Change] = []
    seen: dict[tuple[object, ...], int] = {}
    for row in reader:
        change = _change(reader.line_num, row, rules)
        key = (
            change.round,
            change.what.lower(),
            change.category if change.change != PLACE else PLACE,
        )
        if key in seen:
            raise InvalidRounds(
                f"row {reader.line_num}: round {change.round} decides about {change.what!r} in row {seen[key]}"
                " already; keep one of the two"
            )
        seen[key] = reader.line_num
        changes.append(change)
    return tuple(sorted(changes, key=lambda change: change.round))


def reviewed(rules: Rules, changes: Iterable[Change]) -> Rules:
    """Rules after the rounds of review.

    Raises:
        InvalidRounds: A round removes a keyword that its category does not have, or adds one that it has.
    """
    categories = {category.name: category for category in rules.categories}
    for change in changes:
        if change.change == PLACE:
            continue
        category = categories[change.category]
        has = change.what in category.keywords
        if has == (change.change == ADD):
            raise InvalidRounds(
                f"round {change.round}: {change.category} {'already has' if has else 'does not have'} the keyword"
                f" {change.what!r}; correct the row"
            )
        kept = tuple(word for word in category.keywords if word != change.what)
        keywords = (*kept, change.what) if change.change == ADD else kept
        categories[change.category] = replace(category, keywords=keywords)
    return replace(rules, categories=tuple(categories.values()))


def sort_questions(
    texts: Mapping[str, str], rules: Rules, changes: Sequence[Change] = ()
) -> dict[str, Sorted]:
    """Category of each question.

    Args:
        texts: Question by released id.
        rules: Rules as printed.
        changes: Changes of the rounds of review.

    Raises:
        InvalidRounds: As of `reviewed`.
    """
    after = reviewed(rules, changes)
    placed = {
        change.what: Sorted(change.category, round=change.round)
        for change in changes
        if change.change == PLACE
    }
    return {uid: placed.get(uid) or _by_keyword(text, after) for uid, text in texts.items()}


def _by_keyword(text: str, rules: Rules) -> Sorted:
    for category in rules.categories:
        for keyword in category.keywords:
            if _pattern(keyword).search(text):
                return Sorted(category.name, keyword)
    return Sorted(UNSORTED)


@cache
def _pattern(keyword: str) -> re.Pattern[str]:
    parts = [r"\s+".join(map(re.escape, part.split())) for part in keyword.split("*")]
    return re.compile(r"\b" + r"\b.*?\b".join(parts) + r"\b", re.IGNORECASE | re.DOTALL)


def _change(line: int, row: Mapping[str, str | None], rules: Rules) -> Change:
    values = {name: (row.get(name) or "").strip() for name in COLUMNS}
    if not values["round"].isdecimal() or int(values["round"]) < 1:
        raise InvalidRounds(
            f"row {line}: round {values['round']!r} is not a number from 1; number the rounds"
        )
    if values["change"] not in (ADD, REMOVE, PLACE):
        raise InvalidRounds(
            f"row {line}: unknown change {values['change']!r}; use {ADD}, {REMOVE} or {PLACE}"
        )
    known = {category.name for category in rules.categories}
    if values["change"] == PLACE:
        known |= {UNSORTED}
    if values["category"] not in known:
        raise InvalidRounds(
            f"row {line}: unknown category {values['category']!r}; use one of {', '.join(sorted(known - {UNSORTED}))}"
        )
    missing = [name for name in ("what", "reviewer") if not values[name]]
    if missing:
        raise InvalidRounds(f"row {line}: {missing[0]} is empty; fill it in")
    return Change(**{**values, "round": int(values["round"])})

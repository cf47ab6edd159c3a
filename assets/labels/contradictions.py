"""Where two readers of one narration say different things of the same words.

That one reader says nothing of a word is not a contradiction: a vocabulary lacks most words of a language,
and knows neither feet nor bystanders by name. Nor is a hand that only one of them gives to a verb: "takes
the lid with the right hand and covers the pot" says nothing of the hand that covers, and one reader carries
it on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assets.labels.open.reader import OpenLabel
from expectations.schemas.labels import DISAGREEMENTS, NOBODY

_INCLUDED = ({"both_hands", "left_hand"}, {"both_hands", "right_hand"})
_NO_SIDE = frozenset(["unspecified_hand", "none"])
# Places of things that the vocabulary's reader does not tell apart.
_PLACES = frozenset(["container", "location", "source", "target"])

Rows = Iterable[Mapping[str, Any]]


def contradictions(by_vocabulary: Rows, by_parse: Sequence[OpenLabel]) -> list[str | None]:
    """What each of the open reader's labels says otherwise than the vocabulary's reader.

    - `verb`: one reader takes the words for a verb, the other for a noun.
    - `object`: one reader takes a noun for what is acted on, the other for a tool, a place or a person, and
      in no other event for what the first takes it for.
    - `hand`: of one verb, the readers name different hands, or one a hand and the other a foot or the head.
      A hand that only one reader names is not a contradiction.
    - `actor`: of one verb, the readers name different people.

    Args:
        by_vocabulary: Labels of one narration: rows of `labels`.
        by_parse: The open reader's labels of the same narration.

    Returns:
        For each label of the open reader names of `DISAGREEMENTS` separated by blanks, or None.
    """
    classed = list(by_vocabulary)
    return [_otherwise(label, classed, by_parse) for label in by_parse]


def _otherwise(
    label: OpenLabel, classed: Sequence[Mapping[str, Any]], by_parse: Sequence[OpenLabel]
) -> str | None:
    there = [
        row
        for row in classed
        if row["span_start"] < label.span_end and label.span_start < row["span_end"]
    ]
    alike = [row for row in there if row["kind"] == label.kind]
    found = set()
    if there and not alike:
        found.add("verb")
    if label.kind == "noun" and alike:
        # The knife of "cuts with the knife held in the hand" is held and cuts: one of both parts is enough.
        parts = [p for p in by_parse if p.kind == "noun" and p.span_start == label.span_start]
        if not any(_same_part(row, part) for row in alike for part in parts):
            found.add("object")
    if label.kind == "verb" and alike:
        if not any(_same_hand(row, label) for row in alike):
            found.add("hand")
        if not any(_same_actor(row["actor_id"], label.actor_id) for row in alike):
            found.add("actor")
    return " ".join(name for name in DISAGREEMENTS if name in found) or None


def _same_part(row: Mapping[str, Any], label: OpenLabel) -> bool:
    """Whether the readers agree on whether a noun is what is acted on; null and `other` say nothing."""
    role = row["role"]
    if role in (None, "other", "action"):
        return True
    if role in _PLACES:
        return label.role in _PLACES or label.role == "recipient"
    return role == label.role


def _same_hand(row: Mapping[str, Any], label: OpenLabel) -> bool:
    """Whether two verbs may have the same hand.

    A reader that names no side says nothing of it, and of "holds the knife in the right hand and the fork in
    the left" the vocabulary's reader names one hand where the parse names both.
    """
    named = {row["body_part"], label.body_part} - _NO_SIDE
    return len(named) < 2 or named in _INCLUDED


def _same_actor(one: str | None, other: str | None) -> bool:
    if NOBODY in (one, other):
        return True  # things that move by themselves are the open reader's alone
    return (one or "").casefold() == (other or "").casefold()

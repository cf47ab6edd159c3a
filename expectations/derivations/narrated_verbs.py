"""Verbs of narrations: what kind of act each is, whether it was done, and by the segment's own actor.

Kinds of acts are read here from the reviewed list of words.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from expectations.gates.base import Derived
from expectations.gates.tables import EvidenceTables

LABEL_COLUMNS = (
    "segment_id",
    "reader",
    "kind",
    "class_label",
    "lemma",
    "status",
    "actor_id",
    "body_part",
    "direction",
    "span_start",
    "span_end",
    "contradicts",
)
"""Columns of `labels` that this module reads."""


@cache
def _listed(part: str = "verb") -> dict[str, set[str]]:
    """Kinds of each word of a part, as people reviewed them."""
    with (Path(__file__).parent / "../word_kinds.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["part"] == part]
    return {
        word: {row["kind"] for row in rows if row["word"] == word} - {"none"}
        for word in {row["word"] for row in rows}
    }


def kinds_of_word(word: str) -> set[str]:
    """Return the kinds of a verb, with its particle or else without it.

    Args:
        word: Verb in its base form, as `pick up` or `turn-on`.
    """
    parts = re.findall(r"[a-z]+", word.casefold())
    listed = _listed()
    whole = " ".join(parts)
    return listed[whole] if whole in listed else listed.get(parts[0] if parts else "", set())


def kinds_before(word: str) -> set[str]:
    """Return what a word before another tells of it: that somebody does it, or that it names a thing.

    Args:
        word: The word before, lower case.
    """
    return _listed("before").get(word, set())


def is_way(direction: str | None) -> bool:
    """Return whether a direction is one that somebody goes in on the ground.

    Args:
        direction: The direction that a verb's clause names, if any.
    """
    return "way" in _listed("direction").get(str(direction), set())


def body_part(word: str) -> str | None:
    """Return which kind of body part a noun in the singular or plural is: hand or foot; None for others.

    Args:
        word: The noun, lower case.
    """
    singular = {"feet": "foot"}.get(word, word)
    for noun in (singular, singular.removesuffix("s")):
        found = _listed("noun").get(noun, set()) & {"hand", "foot"}
        if found:
            return found.pop()
    return None


def verbs_read(segment_id: str, given: EvidenceTables) -> list[dict[str, Any]]:
    """Return rows of `labels` of the verbs of a narration, of each verb the parse's row if there is one.

    Args:
        segment_id: The segment.
        given: The tables.
    """
    rows = given.rows("labels", segment_id=segment_id)
    return _of_one_reader([r for r in rows if r["kind"] == "verb"])


def kinds_by_verb(segment_id: str, given: EvidenceTables) -> list[set[str]]:
    """Return the kinds of each verb that a segment's narration names.

    A verb that was parsed counts by its lemma, one that a class covers by the class's own name.

    Args:
        segment_id: The segment.
        given: The tables.
    """
    rows = [r for r in given.rows("labels", segment_id=segment_id) if r["kind"] == "verb"]
    parsed = [r for r in rows if r["lemma"] is not None]
    found = []
    for row in rows:
        if row["lemma"] is not None:
            if not any(_same_place(row, r) for r in rows if r["lemma"] is None):
                found.append(kinds_of_word(row["lemma"]))
            continue
        head = kinds_of_word(str(row["class_label"] or "").split("(")[0])
        lemmas = [r["lemma"] for r in parsed if _same_place(row, r)]
        found.append((kinds_of_word(lemmas[0]) if lemmas else set()) or head)
    return found


def undone(segment_id: str, given: EvidenceTables) -> bool:
    """Return whether a narration says of an action that it was not done, or not to the end.

    Args:
        segment_id: The segment.
        given: The tables.
    """
    return any(
        r["kind"] == "verb" and r["status"] not in (None, "done")
        for r in given.rows("labels", segment_id=segment_id)
    )


def somebody_else(segment_id: str, given: EvidenceTables) -> bool:
    """Return whether a narration says that somebody else than the segment's actor does any of it.

    Args:
        segment_id: The segment.
        given: The tables.
    """
    return any(
        r["actor_id"] is not None or "actor" in str(r["contradicts"] or "").split()
        for r in verbs_read(segment_id, given)
    )


def is_told_as_done(segment_id: str, given: EvidenceTables) -> bool:
    """Return whether nothing in a narration speaks against the segment's actor having done it.

    Args:
        segment_id: The segment.
        given: The tables.
    """
    return not undone(segment_id, given) and not somebody_else(segment_id, given)


def note_not_done(segment_ids: Iterable[str], given: EvidenceTables, notes: Derived) -> None:
    """Note segments that a question says show an action and that are not narrated as done.

    Args:
        segment_ids: Segments that a query or an option stands for.
        given: The tables.
        notes: Filled in.
    """
    for key in segment_ids:
        if undone(key, given):
            notes.refuse("consistent", "not_done", f"{key} is narrated as not done to the end")
        elif somebody_else(key, given):
            notes.refuse("consistent", "not_done", f"{key} is narrated as done by somebody else")


def _of_one_reader(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows without those of the vocabulary's reader for words that the parse read too."""
    parsed = [r for r in rows if r["lemma"] is not None]
    return parsed + [
        r for r in rows if r["lemma"] is None and not any(_same_place(r, p) for p in parsed)
    ]


def _same_place(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return max(one["span_start"], other["span_start"]) < min(one["span_end"], other["span_end"])

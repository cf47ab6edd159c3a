"""What parsed narrations say of people and things, in the form of annotated relations.

Sources that only narrate have no relations. There each verb that the open reader found done becomes an
action of its own, so that "holds the bowl with the left hand and a spoon with the right" does not mix hands.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from assets.labels.narrated_verbs import READS as VERB_READS
from assets.labels.open.english import person_noun
from assets.sources.wearer import WEARER, WEARER_WORDS
from expectations.schemas.labels import DONE, NOBODY, OPEN

READS = (*VERB_READS, "role", "rule")
"""Columns of `labels` that `narrated_actions` takes."""
_SIDES = {"left_hand": "left", "right_hand": "right", "both_hands": "both"}
# How a part is joined to its action where the narration's preposition is not known.
_JOINED = {"recipient": "to", "source": "from", "target": "to", "location": "at"}
_PREPOSITION = re.compile(r"prep:([a-z_ ]+)$")

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class NarratedAction:
    """An action that a narration says was done.

    Attributes:
        verb: Its lemma, with its particle.
        number: Clause of the narration.
        person: Who does it; None where a thing moves by itself.
        label: Row of `labels` of its verb, as `label_row` names it.
        rows: Hand and things in the form of rows of `relations`, with `source_table` and the row of `labels`
            that each comes from (`label`; the hand comes from the verb's row).
    """

    verb: str
    number: int
    person: str | None
    label: str
    rows: tuple[Row, ...]


def narrated_actions(
    labels: pl.DataFrame, segments: Mapping[str, Row], view: str
) -> dict[str, list[NarratedAction]]:
    """Actions by segment; none where a vocabulary's reader found verbs in any narration of the recording.

    Args:
        labels: Rows of `labels` of one recording, columns `READS`.
        segments: Its rows of `segments` by id.
        view: `ego` or `exo`: whose actions those of nobody named are.
    """
    if labels.filter((pl.col("kind") == "verb") & (pl.col("reader") != OPEN)).height:
        return {}
    clauses: dict[tuple[str, int], list[Row]] = defaultdict(list)
    parsed = labels.filter(pl.col("reader") == OPEN).select(READS)
    for row in parsed.sort("segment_id", "clause", "span_start", "class_label").iter_rows(
        named=True
    ):
        clauses[row["segment_id"], row["clause"]].append(row)
    found: dict[str, list[NarratedAction]] = defaultdict(list)
    for (segment_id, number), rows in clauses.items():
        verb = next((row for row in rows if row["kind"] == "verb"), None)
        if verb is not None and verb["status"] == DONE and segment_id in segments:
            person = _person(verb["actor_id"], segments[segment_id]["actor_id"], view)
            own = tuple(_relations(verb, [row for row in rows if row["kind"] == "noun"]))
            found[segment_id].append(
                NarratedAction(verb["lemma"], number, person, label_row(verb), own)
            )
    return found


def label_row(row: Row) -> str:
    """Name of a row of `labels` of the open reader: the parts of its key, except the source, joined by `|`.

    Args:
        row: The row; `class_id` is null in all rows of this reader.
    """
    parts = ("segment_id", "reader", "clause", "kind", "span_start", "class_label")
    return "|".join(str(row[part]) for part in parts)


def is_person(name: str) -> bool:
    """Whether a noun of a narration names a person: man, other man, person A, wearer."""
    words = name.casefold().split()
    return name.casefold() in WEARER_WORDS or any(map(person_noun, words))


def _person(named: str | None, annotated: str | None, view: str) -> str | None:
    """Who acts: whom the narration names, else the segment's actor, else who wears the camera."""
    if named == NOBODY:
        return None
    return named or annotated or (WEARER if view == "ego" else "person")


def _relations(verb: Row, nouns: Sequence[Row]) -> Iterator[Row]:
    """The hand that acts, and each thing with the part it plays."""
    side = _SIDES.get(verb["body_part"])
    shared = {
        "source_table": "labels",
        "label": label_row(verb),
        "segment_id": verb["segment_id"],
        "subject": verb["lemma"],
        "actor_id": None,
        "hand_side": side,
    }
    if side is not None:
        hand = "both hands" if side == "both" else f"{side} hand"
        yield shared | {"relation": "with", "object": hand, "role": "hand"}
    for noun in nouns:
        said = _PREPOSITION.search(noun["rule"])
        joined = said[1] if said else _JOINED.get(noun["role"], noun["role"])
        own = {"label": label_row(noun), "relation": joined}
        yield shared | own | {"object": noun["lemma"], "role": noun["role"]}

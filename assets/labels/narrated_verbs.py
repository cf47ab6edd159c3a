"""Verbs of narrations as everything reads them that decides by what is done: one per verb of the sentence.

Where two readers read a word, the parse gives its lemma, status, actor and part of the body, the vocabulary
its class. Where they contradict each other, the verb says so: nothing should rest on what nobody reviewed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from expectations.schemas.labels import DONE, OPEN
from expectations.word_kinds import verb_kinds

READS = (
    "segment_id",
    "reader",
    "kind",
    "clause",
    "class_label",
    "lemma",
    "term",
    "status",
    "actor_id",
    "body_part",
    "direction",
    "span_start",
    "span_end",
    "contradicts",
)
"""Columns of `labels` that `NarratedVerbs` takes."""


class Verb(NamedTuple):
    """A verb of a narration.

    Attributes:
        term: Words of the narration, lower case.
        lemma: Base form with its particle; None where no parse read it.
        class_label: Label of its class; None where the vocabulary lacks it.
        status: How far the action came; None where no parse read it.
        actor_id: Who acts; None for the segment's own actor.
        body_part: Part of the body that acts.
        direction: Direction that its clause names.
        contradicts: What its two readers say differently.
    """

    term: str
    lemma: str | None
    class_label: str | None
    status: str | None
    actor_id: str | None
    body_part: str | None
    direction: str | None
    contradicts: frozenset[str]

    @property
    def was_parsed(self) -> bool:
        """Whether the open reader read it, so that its status is known."""
        return self.status is not None

    @property
    def is_done(self) -> bool:
        """Whether the narration says that it was done, and to the end; so does one that was not parsed."""
        return self.status in (None, DONE)

    @property
    def kinds(self) -> frozenset[str]:
        """Kinds of the verb (`expectations.word_kinds`): by its lemma, else by the name of its class."""
        return verb_kinds(self.lemma or "") or verb_kinds(class_name(self.class_label or ""))


class NarratedVerbs:
    """Verbs of narrations by segment.

    Args:
        labels: Rows of `labels`, columns `READS`.
    """

    def __init__(self, labels: pl.DataFrame) -> None:
        rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
        verbs = labels.filter(pl.col("kind") == "verb").select(READS)
        for row in verbs.sort("segment_id", "clause", "span_start", "class_label").iter_rows(
            named=True
        ):
            rows[row["segment_id"]].append(row)
        self._verbs = {segment: tuple(_verbs(own)) for segment, own in rows.items()}

    def of(self, segment_id: str) -> tuple[Verb, ...]:
        """Verbs of a segment's narration; none where nothing was read."""
        return self._verbs.get(segment_id, ())

    def all_done(self, segment_id: str) -> bool:
        """Whether no verb of a segment's narration is negated, attempted, stopped or still to come."""
        return all(verb.is_done for verb in self.of(segment_id))

    def all_by_own_actor(self, segment_id: str) -> bool:
        """Whether the segment's own actor does everything that its narration says."""
        return all(
            verb.actor_id is None and "actor" not in verb.contradicts
            for verb in self.of(segment_id)
        )

    def was_not_done(self, segment_id: str, verb: str) -> bool:
        """Whether a segment's narration says of a verb that it was not done.

        Args:
            segment_id: The segment.
            verb: Base form, with its particle. One that the narration words differently was not done
                if nothing in the narration was.
        """
        parsed = [one for one in self.of(segment_id) if one.was_parsed]
        done = {one.lemma for one in parsed if one.is_done}
        undone = {one.lemma for one in parsed if not one.is_done}
        return verb not in done and (verb in undone or (bool(undone) and not done))


def class_name(label: str) -> str:
    """Name of a class without the words that it covers besides: turn on of `turn_on_(switch_on,_start)`."""
    return re.sub(r"[_\-]+", " ", label.partition("(")[0]).strip().casefold()


def _verbs(rows: Sequence[Mapping[str, Any]]) -> list[Verb]:
    """Verbs of one narration; the same word read twice is one verb."""
    parsed = [row for row in rows if row["reader"] == OPEN]
    classed = [row for row in rows if row["reader"] != OPEN]
    found = []
    for row in classed:
        same = next((one for one in parsed if _overlap(one, row)), row)
        found.append(_verb(same, row["term"], row["class_label"]))
    found += [
        _verb(one, one["term"], None)
        for one in parsed
        if not any(_overlap(one, r) for r in classed)
    ]
    return found


def _verb(row: Mapping[str, Any], term: str, class_label: str | None) -> Verb:
    said = frozenset((row["contradicts"] or "").split())
    return Verb(
        term,
        row["lemma"],
        class_label,
        row["status"],
        row["actor_id"],
        row["body_part"],
        row["direction"],
        said,
    )


def _overlap(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return one["span_start"] < other["span_end"] and other["span_start"] < one["span_end"]

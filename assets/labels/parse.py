"""Labels of segments: verbs and nouns of the taxonomy, each with the hand that acts (EgoBridge B4).

Sources: EgoBridge section 3.3 and supplement 7.1 (sentence splitting, keyword extraction with
masked hand mentions); conventions of the released labels as stated in `reading` and `lexicon`.
"""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from assets.labels.clauses import Clause, split_clauses
from assets.labels.hands import UNSPECIFIED, find_mentions, mask
from assets.labels.lexicon import Lexicon, make_lexicon
from assets.labels.reading import read
from assets.labels.roles import roles
from assets.labels.words import tokenise
from expectations.schemas import TABLES
from expectations.schemas.labels import VOCABULARY


class Label(NamedTuple):
    """A verb or noun of one narration; fields as in table `labels`."""

    clause: int
    kind: str
    class_id: int
    class_label: str
    term: str
    body_part: str
    actor_id: str | None
    role: str | None
    span_start: int
    span_end: int
    rule: str


_KEYS = ("source", "recording_id", "segment_id")


def parse_narration(narration: str, lexicon: Lexicon) -> list[Label]:
    """Labels of one narration, ordered by clause and place.

    Character spans point into `narration` as given. A class named twice at one place (a word and
    the phrase that starts with it) is kept once, as the longer.
    """
    mentions = find_mentions(narration)
    words = mask(tokenise(narration), mentions)
    readings = read(words, lexicon)
    clauses = split_clauses(words, readings, mentions)
    bounds = [(clause.first, clause.stop) for clause in clauses]
    played = roles([word.text for word in words], readings, bounds)
    kept: dict[tuple[str, int, int], Label] = {}
    number, clause = -1, Clause(0, 0, UNSPECIFIED, "none")
    for reading, role in zip(readings, played, strict=True):
        while reading.first >= clause.stop:
            number += 1
            clause = clauses[number]
        entry = reading.entry
        if entry.class_id is None:
            continue
        start, end = words[reading.first].start, words[reading.last].end
        rule = f"{reading.rule};{entry.origin};hand_{clause.rule}"
        if clause.ambiguous:
            rule += ";ambiguous_hand"
        if entry.classes > 1:
            rule += f";last_of_{entry.classes}"
        key = (reading.kind, start, entry.class_id)
        known = kept.get(key)
        if known is None or known.span_end < end:
            kept[key] = Label(
                clause=number,
                kind=reading.kind,
                class_id=entry.class_id,
                class_label=entry.label,
                term=narration[start:end].lower(),
                body_part=clause.body_part,
                actor_id=clause.actor,
                role=role,
                span_start=start,
                span_end=end,
                rule=rule,
            )
    return list(kept.values())


def parse_labels(
    segments: pl.DataFrame, taxonomies: pl.DataFrame, supplement: pl.DataFrame
) -> pl.DataFrame:
    """Labels of all segments that have a narration.

    Args:
        segments: Rows of `segments` (columns source, recording_id, segment_id, narration).
        taxonomies: Rows of `taxonomies`; each source's segments are read with its own.
        supplement: Columns kind, term, class_label, note (see `lexicon.make_lexicon`).

    Returns:
        Rows of `labels` in key order, of the reader `vocabulary`. `role` is null where no rule decides it. A segment's labels
        depend on its narration and the vocabulary alone.

    Raises:
        ValueError: A supplement row has an unknown kind.
    """
    table = TABLES["labels"]
    made: dict[str, list[object]] = {name: [] for name in (*_KEYS, *Label._fields)}
    told = segments.filter(pl.col("narration").is_not_null()).sort("source", "segment_id")
    for (source,), group in told.group_by("source", maintain_order=True):
        lexicon = make_lexicon(taxonomies.filter(pl.col("source") == source), supplement)
        parsed: dict[str, list[Label]] = {}
        columns = group.select("recording_id", "segment_id", "narration")
        for recording_id, segment_id, narration in columns.iter_rows():
            if narration not in parsed:
                parsed[narration] = parse_narration(narration, lexicon)
            for label in parsed[narration]:
                for name, value in zip(
                    made, (source, recording_id, segment_id, *label), strict=True
                ):
                    made[name].append(value)
    return (
        table.fit(pl.DataFrame(made, schema_overrides=table.schema))
        .with_columns(reader=pl.lit(VOCABULARY))
        .sort(table.key)
    )

"""People's decisions on the labels of a segment, applied (EgoBridge B4: the review loop).

What is judged is the set of labels of one narration. A decision is bound to the narration: better
parsing does not void it, another text does. Accepting states the labels that were shown. Where
a source has no vocabulary, labels are stated by their lemmas and are rows of the open reader.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from assets.labels.lexicon import with_nouns
from assets.sources.reviews.standing import item_hash
from expectations.contracts import Refusal
from expectations.schemas import TABLES
from expectations.schemas.labels import DONE, OPEN, VOCABULARY

_LABELS = TABLES["labels"]
_KINDS = ("verb", "noun")
_HANDS = {"left": "left_hand", "right": "right_hand", "both": "both_hands",
          "unspecified": "unspecified_hand"}  # fmt: skip
_SHORT = {name: short for short, name in _HANDS.items()}


class UnusableCorrection(ValueError):
    """A correction that does not fit the source."""


@dataclass(frozen=True, slots=True)
class Classes:
    """Verb and noun classes of a source.

    Attributes:
        labels: Label by kind and class.
        named: Classes by kind and lower-case label.
        terms: Classes by kind and lower-case term.
    """

    labels: Mapping[tuple[str, int], str]
    named: Mapping[tuple[str, str], frozenset[int]]
    terms: Mapping[tuple[str, str], frozenset[int]]

    @classmethod
    def of(cls, taxonomies: pl.DataFrame) -> Classes:
        """Classes in rows of one source's `taxonomies`; objects are nouns where it has none."""
        labels: dict[tuple[str, int], str] = {}
        named: dict[tuple[str, str], set[int]] = {}
        terms: dict[tuple[str, str], set[int]] = {}
        kept = with_nouns(taxonomies).filter(pl.col("taxonomy").is_in(_KINDS))
        for kind, number, label, words in kept.select(
            "taxonomy", "class_id", "label", "terms"
        ).iter_rows():
            labels[kind, number] = label
            named.setdefault((kind, label.lower()), set()).add(number)
            for word in words or ():
                terms.setdefault((kind, word.lower()), set()).add(number)
        return cls(
            labels,
            {key: frozenset(found) for key, found in named.items()},
            {key: frozenset(found) for key, found in terms.items()},
        )

    def number(self, kind: str, said: int | str) -> int:
        """Class a person means by a number, a label or a term.

        Raises:
            UnusableCorrection: None, or several.
        """
        if isinstance(said, int):
            if (kind, said) not in self.labels:
                raise UnusableCorrection(f"the taxonomy has no {kind} class {said}")
            return said
        key = kind, said.strip().lower()
        found = self.named.get(key) or self.terms.get(key) or frozenset()
        if len(found) != 1:
            which = f"several ({', '.join(map(str, sorted(found)))})" if found else "none"
            more = "" if self.labels else "; the source has none: state a lemma in place of a class"
            raise UnusableCorrection(f"{kind} class {said!r} names {which} of the taxonomy{more}")
        return next(iter(found))

    def name(self, kind: str, number: int) -> int | str:
        """Label of a class where it names that class alone, else its number."""
        label = self.labels.get((kind, number), "")
        alone = self.named.get((kind, label.lower())) == frozenset([number])
        return label if alone and label else number


def label_items(segments: pl.DataFrame) -> pl.DataFrame:
    """What there is to judge: `item_id` (segment) and `item_hash` of its narration.

    Args:
        segments: `segment_id` and `narration` as labels are read from it.
    """
    rows = segments.select("segment_id", "narration").rows()
    return pl.DataFrame(
        {
            "item_id": [segment for segment, _ in rows],
            "item_hash": [item_hash("label", text) for _, text in rows],
        },
        schema={"item_id": pl.String(), "item_hash": pl.String()},
    )


def shown_labels(labels: Iterable[Mapping[str, Any]], classes: Classes) -> list[dict[str, Any]]:
    """Labels of a segment in the form people edit (`assets.sources.reviews.values.label_list`)."""
    ordered = sorted(
        labels,
        key=lambda one: (one["clause"], one["span_start"], one["kind"], one["class_id"] or 0),
    )
    return [
        {
            "kind": one["kind"],
            **(_shown_openly(one) if one["reader"] == OPEN else _shown_class(one, classes)),
            "term": one["term"],
            "at": one["span_start"],
            "clause": one["clause"],
            "actor": one["actor_id"],
            "role": one["role"],
        }
        for one in ordered
    ]


def _shown_class(one: Mapping[str, Any], classes: Classes) -> dict[str, Any]:
    hand = _SHORT.get(one["body_part"], "unspecified")
    return {"class": classes.name(one["kind"], one["class_id"]), "hand": hand}


def _shown_openly(one: Mapping[str, Any]) -> dict[str, Any]:
    names = ("lemma", "status", "direction", "quantity")
    return {"part": one["body_part"], **{name: one[name] for name in names}}


def stated_labels(
    segment: Mapping[str, Any], value: str, reviewer: str, classes: Classes
) -> list[dict[str, Any]]:
    """Rows of `labels` that a decision states for a segment.

    Args:
        segment: `source`, `recording_id`, `segment_id`, `narration`.
        value: Labels as stored in `reviews`.
        reviewer: Who states them.
        classes: Classes of the source.

    Returns:
        Rows; a term gives the span: at its stated place, else the next time it stands there as a
        word. Labels without a term span the whole narration. The same label twice counts once. Labels
        stated by a lemma are rows of the open reader; what a noun leaves out is as for its clause's verb.

    Raises:
        UnusableCorrection: A class is not one of the source's, or one place says a class of two hands,
            actors or roles.
    """
    text = segment["narration"] or ""
    after: dict[tuple[str, str], int] = {}
    rows: dict[tuple, dict[str, Any]] = {}
    labels = json.loads(value)
    verbs = {one["clause"]: one for one in labels if one["kind"] == "verb" and "lemma" in one}
    for said in labels:
        kind = said["kind"]
        own = _open_row(said, verbs) if "lemma" in said else _classed_row(said, classes)
        term = (said["term"] or "").strip().lower()
        start, end = _span(text, term, said["at"], after.get((kind, term), 0))
        after[kind, term] = end
        row = {
            "source": segment["source"],
            "recording_id": segment["recording_id"],
            "segment_id": segment["segment_id"],
            "clause": said["clause"],
            "kind": kind,
            **own,
            "term": term or own["term"],
            "span_start": start,
            "span_end": end,
            "rule": f"reviewed:{reviewer}",
        }
        named = own["lemma"] if own["reader"] == OPEN else own["class_id"]
        kept = rows.setdefault((row["clause"], kind, start, named), row)
        if any(kept[name] != row[name] for name in ("body_part", "actor_id", "role")):
            raise UnusableCorrection(
                f"{kind} {row['class_label']!r} is stated twice at one place of clause"
                f" {said['clause']}, with another hand, actor or role: put the second into another"
                ' clause, or state it once (of both hands: "hand": "both")'
            )
    return list(rows.values())


def _classed_row(said: Mapping[str, Any], classes: Classes) -> dict[str, Any]:
    """What a label stated by its class says of a row of the vocabulary's reader."""
    number = classes.number(said["kind"], said["class"])
    label = classes.labels[said["kind"], number]
    named = said["class"] if isinstance(said["class"], str) else label
    return {
        "reader": VOCABULARY,
        "class_id": number,
        "class_label": label,
        "term": named.strip().lower(),
        "body_part": _HANDS[said["hand"]],
        "actor_id": said["actor"],
        "role": said["role"],
    }


def _open_row(said: Mapping[str, Any], verbs: Mapping[int, Mapping[str, Any]]) -> dict[str, Any]:
    """What a label stated by its lemma says of a row of the open reader."""
    verb = verbs.get(said["clause"], {})
    is_verb = said["kind"] == "verb"
    return {
        "reader": OPEN,
        "class_label": said["lemma"],
        "lemma": said["lemma"],
        "term": said["lemma"],
        "body_part": said["part"] or verb.get("part") or "none",
        "actor_id": said["actor"] or verb.get("actor"),
        "status": said["status"] or verb.get("status") or DONE,
        "role": said["role"] or ("action" if is_verb else "direct"),
        "direction": said["direction"],
        "quantity": said["quantity"],
    }


def apply_decisions(
    labels: pl.DataFrame, segments: pl.DataFrame, held: pl.DataFrame, classes: Classes
) -> tuple[pl.DataFrame, list[tuple[str, Refusal]]]:
    """Labels with those of reviewed segments replaced, of both readers: what a person states stands alone.

    Args:
        labels: Rows of `labels` as parsed.
        segments: Segments they are of, with the narration that was parsed.
        held: Decisions that stand (`reviews.standing`).
        classes: Classes of the source.

    Returns:
        Rows of `labels` in key order, and refusals by recording of corrections that do not fit.
    """
    decided = {row["item_id"]: row for row in held.iter_rows(named=True)}
    replaced: list[dict[str, Any]] = []
    done: list[str] = []
    refused: list[tuple[str, Refusal]] = []
    for segment in segments.filter(pl.col("segment_id").is_in(list(decided))).iter_rows(named=True):
        decision = decided[segment["segment_id"]]
        if decision["verdict"] != "reject" and decision["value"] is None:
            continue  # accepted without a word of what was shown: the parsed labels stay
        try:
            if decision["verdict"] != "reject":
                said = decision["value"], decision["reviewer"]
                replaced += stated_labels(segment, *said, classes)
        except UnusableCorrection as error:
            refused.append((segment["recording_id"], _refusal(segment, decision, error)))
            continue
        done.append(segment["segment_id"])
    if not done:
        return labels, refused
    kept = labels.filter(~pl.col("segment_id").is_in(done))
    return pl.concat([kept, _LABELS.frame(replaced)]).sort(_LABELS.key, nulls_last=True), refused


def _span(text: str, term: str, at: int | None, start: int) -> tuple[int, int]:
    """Where a term stands: at the place given if it does, else as a word from `start`, or at all."""
    if term and at is not None and text[at : at + len(term)].lower() == term:
        return at, at + len(term)
    word = re.compile(rf"(?<!\w){re.escape(term)}(?!\w)", re.IGNORECASE) if term else None
    found = word and (word.search(text, start) or word.search(text))
    return found.span() if found else (0, max(1, len(text)))


def _refusal(
    segment: Mapping[str, Any], decision: Mapping[str, Any], error: UnusableCorrection
) -> Refusal:
    return Refusal(
        file=None,
        row=segment["segment_id"],
        rule="review_unusable",
        value=decision["value"],
        message=f"correction by {decision['reviewer']} is not applied: {error}",
        remedy="correct the decision's value; classes are numbers, labels or terms of the taxonomy, and"
        " lemmas stand in their place where the source has no vocabulary",
        table="labels",
        recording_id=segment["recording_id"],
    )

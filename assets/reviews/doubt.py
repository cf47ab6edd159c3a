"""Which labels and translations a person should look at, and why."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from assets.labels.corrections import Classes, shown_labels
from assets.sources.reviews.forms import QUEUE
from assets.sources.reviews.standing import item_hash
from assets.sources.reviews.values import canonical
from expectations.schemas.identity import digest
from expectations.schemas.labels import DISAGREEMENTS, OPEN

EXAMPLES = 3
"""Narrations in which a term that several classes list is put before a person."""
_TERM = "several_classes:"
_READERS = "readers:"
_GRAVEST = ("unusable", "conflict", "stale", "translation", "readers", "ambiguous", "no_verb")
_READ_OPENLY = (
    "kind",
    "lemma",
    "body_part",
    "actor_id",
    "status",
    "role",
    "direction",
    "quantity",
    "term",
    "contradicts",
)
_SEVERAL = re.compile(r"last_of_\d+")
_AMBIGUOUS = re.compile(r"ambiguous\w*")


def doubtful_labels(
    segments: pl.DataFrame,
    labels: pl.DataFrame,
    translations: pl.DataFrame,
    taxonomies: pl.DataFrame,
    states: pl.DataFrame,
) -> pl.DataFrame:
    """Queue of segments whose labels are doubtful and not decided.

    Reasons, the gravest first: `stale`, `conflict`, `unusable` (of decisions); `translation` (the
    text itself is doubtful); `readers:...` (what two readers of the narration say differently: verb,
    object, hand, actor); `ambiguous...` (as the parser names it, on hands for one); `no_verb`
    (no class of a verb, or no verb at all where there is no vocabulary); `several_classes` (a term that
    several classes list). The last is a matter of the vocabulary, not of the sentence: such a term is
    shown in `EXAMPLES` narrations at most.

    Args:
        segments: Rows of `segments`; `narration` as labels are read from it.
        labels: Rows of `labels`.
        translations: What is doubtful in translations (`automatic_texts`).
        taxonomies: Rows of `taxonomies`.
        states: Rows of `review_states` of labels.

    Returns:
        Columns of `QUEUE`, the gravest first, then by segment.
    """
    classes = Classes.of(taxonomies)
    by_segment: dict[str, list[dict[str, Any]]] = defaultdict(list)
    is_parsed_alone = labels.height > 0 and labels["class_id"].is_null().all()
    shown = labels if is_parsed_alone else labels.drop_nulls("class_id")
    for row in shown.iter_rows(named=True):
        by_segment[row["segment_id"]].append(row)
    against = _contradicted(labels)
    names_verbs = is_parsed_alone or taxonomies["taxonomy"].eq("verb").any()
    doubted = dict(translations.select("item_id", "rule").drop_nulls("rule").iter_rows())
    decided = {row["item_id"]: row["state"] for row in states.iter_rows(named=True)}
    told = segments.filter(
        pl.col("narration").is_not_null() | pl.col("segment_id").is_in(list(doubted))
    )
    # Coarse classes are chosen by annotators from a list; nothing is read from their texts.
    told = told.filter((pl.col("kind") != "coarse") | pl.col("segment_id").is_in(list(decided)))
    found: list[tuple[dict[str, Any], list[str]]] = []
    for segment in told.sort("segment_id").iter_rows(named=True):
        key = segment["segment_id"]
        state = decided.get(key)
        if state == "standing":
            continue
        why = [state] if state else []
        why += [f"translation:{doubted[key]}"] if key in doubted else []
        why += [_READERS + name for name in against.get(key, ())]
        found.append((segment, [*why, *_why(by_segment.get(key, []), names_verbs)]))
    parsed = _open_readings(labels, against)
    rows = [
        _row(
            segment,
            "label",
            item_hash("label", segment["narration"]),
            why,
            segment["narration"],
            canonical(shown_labels(by_segment.get(segment["segment_id"], []), classes)),
            parsed.get(segment["segment_id"]),
        )
        for segment, why in _examples(found, labels)
    ]
    rows.sort(key=lambda row: (_rank(row["why"]), row["item_id"]))
    return pl.DataFrame(rows, schema=QUEUE)


def _contradicted(labels: pl.DataFrame) -> dict[str, list[str]]:
    """What the readers of a segment's narration say differently, by segment."""
    marked = labels.drop_nulls("contradicts").select(
        "segment_id", pl.col("contradicts").str.split(" ")
    )
    named = marked.explode("contradicts").group_by("segment_id").agg("contradicts")
    return {
        segment: [name for name in DISAGREEMENTS if name in found]
        for segment, found in named.iter_rows()
    }


def _open_readings(labels: pl.DataFrame, segments: Mapping[str, Any]) -> dict[str, str]:
    """What the open reader says of some segments, as JSON for a person to compare with."""
    mine = labels.filter((pl.col("reader") == OPEN) & pl.col("segment_id").is_in(list(segments)))
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in mine.sort("segment_id", "clause", "span_start").iter_rows(named=True):
        read = {name: row[name] for name in _READ_OPENLY if row[name] is not None}
        found[row["segment_id"]].append(read)
    return {segment: json.dumps(rows, ensure_ascii=False) for segment, rows in found.items()}


def _examples(
    found: list[tuple[dict[str, Any], list[str]]], labels: pl.DataFrame
) -> Iterator[tuple[dict[str, Any], list[str]]]:
    """Doubtful segments; those doubtful for their terms alone only as examples of each term.

    What a person decided on already is an example too.
    """
    reviewed = labels.filter(pl.col("rule").str.starts_with("reviewed:"))
    decided = reviewed.unique(["segment_id", "term"])["term"].value_counts().iter_rows()
    shown: dict[str, int] = defaultdict(int, {_term(term): n for term, n in decided})
    # By hash, so that examples come from all over and stay when segments are added elsewhere.
    for segment, why in sorted(found, key=lambda one: digest([one[0]["segment_id"]])):
        terms = [reason for reason in why if reason.startswith(_TERM)]
        if len(terms) == len(why):
            if all(shown[term] >= EXAMPLES for term in terms):
                continue
            for term in terms:
                shown[term] += 1
        yield segment, why


def _rank(why: str) -> int:
    first = why.partition(" ")[0]
    return next((at for at, name in enumerate(_GRAVEST) if first.startswith(name)), len(_GRAVEST))


def doubtful_translations(
    segments: pl.DataFrame, translations: pl.DataFrame, states: pl.DataFrame
) -> pl.DataFrame:
    """Queue of translations that fail the check and are not decided.

    Args:
        segments: Rows of `segments`.
        translations: What is judged of translations (`automatic_texts`).
        states: Rows of `review_states` of translations.
    """
    decided = {row["item_id"]: row["state"] for row in states.iter_rows(named=True)}
    places = {row["segment_id"]: row for row in segments.iter_rows(named=True)}
    rows = []
    for item in translations.sort("item_id").iter_rows(named=True):
        key = item["item_id"]
        state = decided.get(key)
        why = [name for name in (state, item["rule"]) if name]
        if state != "standing" and why and key in places:
            shown = None if item["text"] is None else canonical(item["text"])
            rows.append(
                _row(places[key], "translation", item["item_hash"], why, item["text"], shown)
            )
    return pl.DataFrame(rows, schema=QUEUE)


def _why(labels: list[dict[str, Any]], names_verbs: bool) -> list[str]:
    """Reasons to doubt the labels of a segment; only a taxonomy of verbs, or a parse, can lack one."""
    found = sorted({name for one in labels for name in _AMBIGUOUS.findall(one["rule"])})
    if names_verbs and not any(one["kind"] == "verb" for one in labels):
        found.append("no_verb")
    several = {one["term"] for one in labels if _SEVERAL.search(one["rule"])}
    return found + [_term(term) for term in sorted(several)]


def _term(term: str) -> str:
    return _TERM + term.replace(" ", "_")


def _row(
    segment: Mapping[str, Any],
    item_kind: str,
    hash_: str,
    why: list[str],
    text: str | None,
    shown: str | None,
    other_reading: str | None = None,
) -> dict[str, Any]:
    return {
        "source": segment["source"],
        "item_kind": item_kind,
        "item_id": segment["segment_id"],
        "item_hash": hash_,
        "why": " ".join(why),
        "text": text,
        "original": segment["narration_original"],
        "shown": shown,
        "other_reading": other_reading,
        "recording_id": segment["recording_id"],
        "start_s": segment["start_s"],
        "end_s": segment["end_s"],
    }

"""Which labels and translations a person should look at, and why."""

from __future__ import annotations

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

EXAMPLES = 3
"""Narrations in which a term that several classes list is put before a person."""
_TERM = "several_classes:"
_GRAVEST = ("unusable", "conflict", "stale", "translation", "ambiguous", "no_verb")
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
    text itself is doubtful); `ambiguous...` (as the parser names it, on hands for one); `no_verb`;
    `several_classes` (a term that several classes list). The last is a matter of the vocabulary, not
    of the sentence: such a term is shown in `EXAMPLES` narrations at most.

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
    for row in labels.iter_rows(named=True):
        by_segment[row["segment_id"]].append(row)
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
        found.append((segment, [*why, *_why(by_segment.get(key, []))]))
    rows = [
        _row(
            segment,
            "label",
            item_hash("label", segment["narration"]),
            why,
            segment["narration"],
            canonical(shown_labels(by_segment.get(segment["segment_id"], []), classes)),
        )
        for segment, why in _examples(found, labels)
    ]
    rows.sort(key=lambda row: (_rank(row["why"]), row["item_id"]))
    return pl.DataFrame(rows, schema=QUEUE)


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


def _why(labels: list[dict[str, Any]]) -> list[str]:
    """Reasons to doubt the labels of a segment."""
    found = sorted({name for one in labels for name in _AMBIGUOUS.findall(one["rule"])})
    found += [] if any(one["kind"] == "verb" for one in labels) else ["no_verb"]
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
        "recording_id": segment["recording_id"],
        "start_s": segment["start_s"],
        "end_s": segment["end_s"],
    }

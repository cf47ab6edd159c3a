"""Corrections of labels: classes of sources with objects, and two statements at one place."""

from __future__ import annotations

import json
from typing import Any

import polars as pl
import pytest

from assets.labels.corrections import (
    Classes,
    UnusableCorrection,
    apply_decisions,
    shown_labels,
    stated_labels,
)
from assets.sources.reading.values import Malformed
from assets.sources.reviews.values import label_list
from expectations.contracts import check
from expectations.schemas import TABLES
from tests.labelled import labels_of

SEGMENT = {"source": "s", "recording_id": "r", "segment_id": "a", "narration": "takes and takes it"}


def taxonomies(*kinds: str) -> pl.DataFrame:
    return TABLES["taxonomies"].frame(
        {"source": "s", "taxonomy": kind, "class_id": at, "label": f"{kind} thing", "terms": [kind]}
        for at, kind in enumerate(kinds)
    )


def label(kind: str = "verb", said: int | str = 0, **rest: Any) -> dict[str, Any]:
    base = {"kind": kind, "class": said, "hand": "left", "actor": None, "term": None, "at": None,
            "clause": 0, "role": None}  # fmt: skip
    return base | rest


def stated(classes: Classes, *labels: dict[str, Any]) -> list[dict[str, Any]]:
    return stated_labels(SEGMENT, json.dumps(labels), "ann", classes)


def test_objects_are_nouns_of_a_source_that_has_none() -> None:
    (row,) = stated(Classes.of(taxonomies("verb", "object")), label("noun", "object thing"))
    assert (row["kind"], row["class_id"], row["class_label"]) == ("noun", 1, "object thing")
    with pytest.raises(UnusableCorrection, match="none"):
        stated(Classes.of(taxonomies("verb", "object", "noun")), label("noun", "object thing"))


def open_label(kind: str, lemma: str, **rest: Any) -> dict[str, Any]:
    (stored_form,) = label_list([{"kind": kind, "lemma": lemma, **rest}])
    return stored_form


GLOVED = SEGMENT | {"narration": "Fails to pick up the cup with his right gloved hand"}
PICKS = (
    open_label("verb", "Pick  up", part="right_hand", status="attempted", term="pick up"),
    open_label("noun", "cup", term="cup", quantity=1),
)


def test_labels_without_a_vocabulary_are_stated_by_their_lemmas() -> None:
    verb, noun = stated_labels(GLOVED, json.dumps(PICKS), "ann", Classes.of(taxonomies()))
    assert (verb["reader"], verb["lemma"], verb["class_label"]) == ("open", "pick up", "pick up")
    assert (verb["body_part"], verb["status"], verb["role"]) == (
        "right_hand",
        "attempted",
        "action",
    )
    assert (verb["span_start"], verb["span_end"], verb["rule"]) == (9, 16, "reviewed:ann")
    # A noun shares in what its clause's verb says.
    assert (noun["body_part"], noun["status"], noun["role"]) == (
        "right_hand",
        "attempted",
        "direct",
    )
    assert noun["quantity"] == 1 and "class_id" not in noun


def test_shown_labels_of_a_parse_state_the_same_rows_again() -> None:
    classes = Classes.of(taxonomies())
    rows = labels_of({"a": "C gives the man two cups with the left hand."}, "r")
    shown = label_list(shown_labels(rows.to_dicts(), classes))
    segment = SEGMENT | {"narration": "C gives the man two cups with the left hand."}
    again = TABLES["labels"].frame(stated_labels(segment, json.dumps(shown), "ann", classes))
    key = TABLES["labels"].key
    assert again.drop("rule").sort(key).equals(rows.drop("rule").sort(key))


def test_a_correction_replaces_what_was_parsed() -> None:
    segments = TABLES["segments"].frame([GLOVED, GLOVED | {"segment_id": "b"}])
    parsed = labels_of({"a": GLOVED["narration"], "b": GLOVED["narration"]}, "r")
    decision = {"item_id": "a", "verdict": "correct", "value": json.dumps(PICKS), "reviewer": "ann"}
    held = pl.DataFrame([decision])
    labels, refused = apply_decisions(parsed, segments, held, Classes.of(taxonomies()))
    assert refused == []
    mine, other = (labels.filter(segment_id=key) for key in "ab")
    assert set(mine["rule"]) == {"reviewed:ann"}
    assert other.equals(parsed.filter(segment_id="b"))
    assert check(TABLES["labels"], labels, {"segments.segment_id": segments["segment_id"]}).refused == []  # fmt: skip


def test_a_class_of_a_source_without_a_vocabulary_points_to_lemmas() -> None:
    with pytest.raises(UnusableCorrection, match="state a lemma in place of a class"):
        stated(Classes.of(taxonomies()), label("verb", "take"))


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"class": 1}, "a class or a lemma, not both"),
        ({"hand": "left"}, "no field hand"),
        ({"lemma": " "}, "lemma is not text"),
        ({"part": "tail"}, "part is not one of"),
        ({"status": "perhaps"}, "status is not one of"),
        ({"role": "container"}, "role is not one of"),
        ({"quantity": -1}, "quantity is not a number"),
        ({"direction": 1}, "direction is not text"),
    ],
)
def test_what_a_lemma_may_not_stand_beside(said: dict[str, Any], message: str) -> None:
    with pytest.raises(Malformed, match=message):
        label_list([{"kind": "verb", "lemma": "take"} | said])


@pytest.mark.parametrize("other", [{"hand": "right"}, {"actor": "x"}, {"role": "tool"}])
def test_a_second_statement_at_one_place_is_refused_by_name(other: dict[str, str]) -> None:
    classes = Classes.of(taxonomies("verb"))
    with pytest.raises(UnusableCorrection, match="another clause") as caught:
        stated(classes, label(), label(**other))
    assert "both" in str(caught.value)
    assert len(stated(classes, label(), label(clause=1, **other))) == 2
    assert len(stated(classes, label(), label())) == 1
    # Each says its own word.
    assert len(stated(classes, label(term="takes"), label(term="takes", **other))) == 2

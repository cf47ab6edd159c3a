"""Corrections of labels: classes of sources with objects, and two statements at one place."""

from __future__ import annotations

import json
from typing import Any

import polars as pl
import pytest

from assets.labels.corrections import Classes, UnusableCorrection, stated_labels
from expectations.schemas import TABLES

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

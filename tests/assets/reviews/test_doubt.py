"""Which labels are put before a person, and in which order."""

from __future__ import annotations

import json
from typing import Any

import polars as pl

from assets.reviews.doubt import EXAMPLES, doubtful_labels
from expectations.schemas import TABLES

TAXONOMIES = TABLES["taxonomies"].frame(
    {"source": "s", "taxonomy": kind, "class_id": number, "label": label, "terms": [label, *more]}
    for kind, number, label, more in (
        ("verb", 0, "take", ()),
        ("noun", 0, "pot", ()),
        ("noun", 1, "pot", ()),
        ("noun", 2, "cup", ("mug",)),
    )
)
NOTHING = pl.DataFrame(schema={"item_id": pl.String(), "rule": pl.String()})


def segment(key: str, narration: str | None = "Takes a pot.", kind: str = "fine") -> dict[str, Any]:
    return {"source": "s", "recording_id": "r", "segment_id": key, "kind": kind,
            "narration": narration, "start_s": 0.0, "end_s": 1.0}  # fmt: skip


def label(
    key: str, rule: str, kind: str = "verb", term: str = "takes", **more: Any
) -> dict[str, Any]:
    return {"source": "s", "recording_id": "r", "segment_id": key, "clause": 0, "kind": kind,
            "class_id": 0, "class_label": "take", "term": term, "body_part": "left_hand",
            "span_start": 0, "span_end": 5, "rule": rule} | more  # fmt: skip


def doubts(
    segments: list[dict[str, Any]],
    labels: list[dict[str, Any]],
    doubted: pl.DataFrame = NOTHING,
    states: list[dict[str, Any]] | None = None,
) -> dict[str, str]:
    found = doubtful_labels(
        TABLES["segments"].frame(segments),
        TABLES["labels"].frame(labels),
        doubted,
        TAXONOMIES,
        TABLES["review_states"].frame(states or []),
    )
    return dict(found.select("item_id", "why").iter_rows())


def state(key: str, said: str) -> dict[str, Any]:
    return {"source": "s", "item_kind": "label", "item_id": key, "state": said, "reviewer": "ann",
            "round": 1, "stale": said == "stale"}  # fmt: skip


def test_reasons_the_gravest_first() -> None:
    keys = ("a", "b", "c", "d", "e", "f", "g")
    found = doubts(
        [segment(key) for key in keys] + [segment("h", None), segment("i", kind="coarse")],
        [
            label("a", "base;taxonomy;hand_named"),
            label("b", "base;taxonomy;hand_named;last_of_2", "noun", "pot"),
            label("c", "base;taxonomy;hand_other;ambiguous_hand"),
            label("d", "base;taxonomy;hand_named"),
            label("e", "base;taxonomy;hand_named"),
            label("f", "reviewed:ann"),
        ],
        pl.DataFrame({"item_id": ["d", "h"], "rule": ["given_hand_lost", "no_text_error"]}),
        [state("e", "conflict"), state("f", "standing")],
    )
    assert list(found.items()) == [
        ("e", "conflict"),
        ("d", "translation:given_hand_lost"),
        ("h", "translation:no_text_error no_verb"),
        ("c", "ambiguous_hand"),
        ("b", "no_verb several_classes:pot"),
        ("g", "no_verb"),
    ]


def test_a_term_of_several_classes_is_shown_in_few_narrations() -> None:
    keys = [f"k{at}" for at in range(10)]
    segments = [segment(key) for key in keys]
    labels = [label(key, "base;taxonomy;hand_none") for key in keys]
    labels += [label(key, "noun;taxonomy;hand_none;last_of_2", "noun", "pot") for key in keys]
    found = doubts(segments, labels)
    assert len(found) == EXAMPLES
    assert set(found.values()) == {"several_classes:pot"}
    # Decided ones were examples; nobody is asked for more.
    done = set(found)
    labels = [
        row | ({"rule": "reviewed:ann"} if row["segment_id"] in done else {}) for row in labels
    ]
    assert doubts(segments, labels, states=[state(key, "standing") for key in done]) == {}


def test_labels_are_shown_as_a_person_writes_them() -> None:
    queue = doubtful_labels(
        TABLES["segments"].frame([segment("a")]),
        TABLES["labels"].frame(
            [
                label("a", "x;ambiguous_hand"),
                label("a", "x", "noun", "pot", class_id=1, span_start=8, span_end=11),
                label("a", "x", "noun", "mug", class_id=2, span_start=8, span_end=11),
            ]
        ),
        NOTHING,
        TAXONOMIES,
        TABLES["review_states"].empty(),
    )
    shown = [(one["kind"], one["class"], one["hand"]) for one in json.loads(queue["shown"][0])]
    # Two classes are called pot: a number tells them apart.
    assert shown == [("verb", "take", "left"), ("noun", 1, "left"), ("noun", "cup", "left")]


def test_pairs_with_decisions_that_do_not_count_come_first() -> None:
    from assets.reviews.stage import _with_states
    from assets.sources.reviews.forms import QUEUE

    row = {"source": "s", "item_kind": "pair", "item_hash": "h", "why": "similarity_0.7"}
    rows = pl.DataFrame([row | {"item_id": key} for key in ("a", "b", "c")], schema=QUEUE)
    states = [state("c", "conflict"), state("b", "standing"), state("x", "gone")]
    found = _with_states(rows, TABLES["review_states"].frame(states))
    assert found.select("item_id", "why").rows() == [
        ("c", "conflict similarity_0.7"),
        ("a", "similarity_0.7"),
        ("b", "similarity_0.7"),
    ]
    assert found.schema == QUEUE


def test_without_a_vocabulary_a_parse_is_shown_and_a_missing_verb_is_doubtful() -> None:
    parsed = {"class_id": None, "reader": "open", "lemma": "take", "status": "done"}
    rows = doubtful_labels(
        TABLES["segments"].frame([segment("a"), segment("b"), segment("c", "A red pot.")]),
        TABLES["labels"].frame(
            [label("a", "open;ROOT", **parsed), label("b", "open;ROOT", **parsed)]
        ),
        NOTHING,
        TAXONOMIES.clear(),
        TABLES["review_states"].frame([state("b", "stale")]),
    )
    assert rows.select("item_id", "why").rows() == [("b", "stale"), ("c", "no_verb")]
    (shown,) = json.loads(rows["shown"][0])
    assert (shown["lemma"], shown["part"], shown["status"]) == ("take", "left_hand", "done")


def test_readers_that_contradict_each_other() -> None:
    parsed = {"reader": "open", "class_id": None, "class_label": "take", "lemma": "take"}
    labels = [
        label("a", "x"),
        label("a", "open;ROOT", **parsed, status="done", contradicts="hand actor"),
        label("a", "open;dobj", "noun", "pot", **parsed, contradicts="object"),
        label("b", "x"),
        label("b", "open;ROOT", **parsed, status="done"),
    ]
    rows = doubtful_labels(
        TABLES["segments"].frame([segment("a"), segment("b")]),
        TABLES["labels"].frame(labels),
        NOTHING,
        TAXONOMIES,
        TABLES["review_states"].empty(),
    )
    (row,) = rows.to_dicts()
    assert row["item_id"] == "a"
    assert row["why"] == "readers:object readers:hand readers:actor"
    # The first reading is there to be corrected, the second to be compared with.
    assert [each["term"] for each in json.loads(row["shown"])] == ["takes"]
    read = json.loads(row["other_reading"])
    assert [(each["term"], each["contradicts"]) for each in read] == [
        ("takes", "hand actor"),
        ("pot", "object"),
    ]


def test_only_a_vocabulary_can_lack_a_verb() -> None:
    rows = doubtful_labels(
        TABLES["segments"].frame([segment("a")]),
        TABLES["labels"].empty(),
        NOTHING,
        TAXONOMIES.filter(pl.col("taxonomy") == "noun"),
        TABLES["review_states"].empty(),
    )
    assert rows.is_empty()

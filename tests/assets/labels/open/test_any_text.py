"""Whatever stands in a narration is read: no exception, places that are true, time in step with length."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from assets.labels.open.reader import OpenLabel, read_narrations

LONGEST = 20_000
_WORDS = (
    "C", "#C", "the man", "person A", "his left hand", "the other hand", "cup", "light bulb", "olive", "it",
    "them", "himself", "holds", "cuts", "picks up", "stirring", "to open", "is held", "does not", "stops",
    "and", ",", ".", "with", "in", "of", "that", "using", "left", "two", "then", "without", "’s", "doesnt",
    "use", "washes", "while", "gives", "his", "next to", "from", "who", "keeps", "\n", "é", "²",
)  # fmt: skip
_REPEATED = (
    "C takes the cup and puts it on the table, ",
    "the man who sees ",
    "and washes the ",
    "of the lid in the box ",
    "he gives him ",
    "#C ",
    "a-",
    "((",
    "it",
)


def read(narration: str) -> list[OpenLabel]:
    (labels,) = read_narrations([narration])
    return labels


def check(narration: str) -> None:
    labels = read(narration)
    for label in labels:
        assert 0 <= label.span_start < label.span_end <= len(narration)
        assert narration[label.span_start : label.span_end].lower() == label.term
        assert label.lemma
        assert label.kind in ("verb", "noun")
    clauses = [label.clause for label in labels]
    assert clauses == sorted(clauses)
    assert set(clauses) == set(range(len(set(clauses))))


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=120))
@example("\x0f²\U0001000c")
@example("1" * 5000 + " cups fall")
def test_any_characters(narration: str) -> None:
    check(narration)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(_WORDS), max_size=30).map(" ".join))
@example("C uses the left hand, then the right hand, and opens the lid")
@example("the other hand stirring cuts that and while #C ’s")
@example("stops ' next to one of the ’s them stops then himself ²")
@example("off is held knife two and himself does not stops ’s himself which")
def test_words_in_any_order(narration: str) -> None:
    check(narration)


@pytest.mark.parametrize("unit", _REPEATED)
def test_long_texts_take_time_in_step_with_their_length(unit: str) -> None:
    """Four times the text costs about four times the CPU, and 20,000 characters are read."""
    read("C stirs.")
    text = (unit * (LONGEST // len(unit) + 1))[:LONGEST]
    began = time.process_time()
    read(text[: LONGEST // 4])
    quarter = time.process_time() - began
    began = time.process_time()
    check(text)
    whole = time.process_time() - began
    # A pause of the machine is not growth.
    assert whole < 10 * max(quarter, 0.2)


def test_a_long_text_keeps_its_events_in_order() -> None:
    labels = read("C picks up the cup. The man opens the door. " * 200)
    verbs = [label.lemma for label in labels if label.kind == "verb"]
    assert verbs == ["pick up", "open"] * 200
    actors = [label.actor_id for label in labels if label.kind == "verb"]
    assert actors == [None, "man"] * 200

"""Verbs of narrations as consumers read them: what was done, by whom, and what kind of act it is."""

from __future__ import annotations

from typing import Any

import pytest

from assets.labels.narrated_verbs import NarratedVerbs, class_name
from expectations.schemas import TABLES
from tests.labelled import labels_of

TOLD = {
    "negated": "C does not open the box.",
    "attempted": "C fails to pick up the cup with the left hand.",
    "gloved": "C opens the lid with his right gloved hand.",
    "gives": "C gives the cup to the man and opens the door.",
    "man": "The man opens the door.",
    "itself": "The lid opens.",
    "switch": "C turns the stove on.",
}


@pytest.fixture(scope="module")
def read() -> NarratedVerbs:
    return NarratedVerbs(labels_of(TOLD))


@pytest.mark.parametrize(
    ("segment", "kinds", "done", "own"),
    [
        ("negated", [{"open"}], False, True),
        ("attempted", [{"take"}], False, True),
        ("gloved", [{"open"}], True, True),
        # The second verb is the wearer's too, though the man stands beside it.
        ("gives", [{"put"}, {"open"}], True, True),
        ("man", [{"open"}], True, False),
        ("itself", [{"open"}], True, False),
        ("switch", [{"switch_on"}], True, True),
        ("not narrated", [], True, True),
    ],
)
def test_what_is_done_and_by_whom(
    read: NarratedVerbs, segment: str, kinds: list[set[str]], done: bool, own: bool
) -> None:
    assert [set(verb.kinds) for verb in read.of(segment)] == kinds
    assert (read.all_done(segment), read.all_by_own_actor(segment)) == (done, own)


def test_the_hand_is_that_of_the_column(read: NarratedVerbs) -> None:
    assert [verb.body_part for verb in read.of("gloved")] == ["right_hand"]


def row(reader: str, span: tuple[int, int], **more: Any) -> dict[str, Any]:
    return {
        "source": "s", "recording_id": "R", "segment_id": "1", "reader": reader, "clause": 0,
        "kind": "verb", "class_label": "?", "term": "?", "body_part": "none",
        "span_start": span[0], "span_end": span[1], "rule": "by hand",
    } | more  # fmt: skip


def verbs(*rows: dict[str, Any]) -> NarratedVerbs:
    return NarratedVerbs(TABLES["labels"].frame(rows))


TURN = row("vocabulary", (2, 7), class_id=1, class_label="turn_(spin,_rotate)")


def test_a_word_that_two_readers_read_is_one_verb() -> None:
    parsed = row("open", (2, 10), lemma="turn on", status="done", contradicts="hand")
    (verb,) = verbs(TURN, parsed).of("1")
    assert (verb.lemma, verb.class_label) == ("turn on", "turn_(spin,_rotate)")
    assert (verb.kinds, verb.contradicts) == ({"switch_on"}, {"hand"})


def test_words_that_one_reader_knows_alone_are_verbs_too() -> None:
    parsed = row("open", (20, 25), lemma="put", status="done")
    assert len(verbs(TURN, parsed).of("1")) == 2


def test_the_class_counts_where_nothing_was_parsed_or_the_lemma_is_not_listed() -> None:
    press = row("vocabulary", (2, 7), class_id=1, class_label="press")
    poked = row("open", (2, 7), lemma="poke", status="done")
    assert verbs(press).of("1")[0].kinds == {"press"}
    assert verbs(press, poked).of("1")[0].kinds == {"press"}


def test_readers_that_disagree_on_who_acts_settle_nothing() -> None:
    parsed = row("open", (2, 10), lemma="turn on", status="done", contradicts="actor")
    assert not verbs(TURN, parsed).all_by_own_actor("1")


def test_a_class_is_named_by_what_stands_before_its_brackets() -> None:
    assert class_name("turn-on_(switch_on,_start)") == "turn on"
    assert class_name("attach_(plug-in,_join)") == "attach"


def test_what_a_relation_calls_done_and_the_narration_does_not() -> None:
    read = NarratedVerbs(labels_of({"1": "C tries to open the box and takes the cup."}))
    assert read.was_not_done("1", "open")
    assert not read.was_not_done("1", "take")
    assert not read.was_not_done("2", "open")


def test_order_of_rows_does_not_matter() -> None:
    rows = labels_of(TOLD)
    one, other = NarratedVerbs(rows), NarratedVerbs(rows.sample(fraction=1, shuffle=True, seed=1))
    assert all(one.of(key) == other.of(key) for key in TOLD)

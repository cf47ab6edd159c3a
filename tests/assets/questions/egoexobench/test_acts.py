"""How actions are told: as a person would, whether a dataset narrates or not."""

from __future__ import annotations

import polars as pl
import pytest

from assets.questions.egoexobench.acts import acts_of_take
from assets.questions.kit.takes import Clock
from expectations.schemas import TABLES
from tests.labelled import labels_of


@pytest.mark.parametrize(
    ("narration", "class_name", "words"),
    [
        # LEMMA narrates nothing: its narrations are the words of its class names.
        ("Turn-on sink using hand", "Turn-on [sink] using [hand]", "turn on the sink"),
        ("Get toy using hand", "Get [toy] from [] using [hand]", "get the toy"),
        (None, "Put [book] to [coffee table] using [hand]", "put the book on the coffee table"),
        ("C pours tea for the guest", "Pour [tea]", "C pours tea for the guest"),
    ],
)
def test_actions_are_told_as_a_person_would(
    narration: str | None, class_name: str, words: str
) -> None:
    segment = {
        "source": "s",
        "segment_id": "1",
        "recording_id": "R",
        "kind": "action",
        "start_s": 1.0,
        "end_s": 3.0,
        "class_name": class_name,
        "narration": narration,
    }
    tables: dict[str, pl.DataFrame] = {
        "segments": TABLES["segments"].frame([segment]),
        "relations": TABLES["relations"].empty(),
        "labels": TABLES["labels"].empty(),
        "recordings": TABLES["recordings"].frame([{"source": "s", "recording_id": "R"}]),
    }
    (act,) = acts_of_take(tables, {"R": Clock(0.0, 1.0)})
    assert act.words == words


@pytest.mark.parametrize(
    ("narration", "done"),
    [
        ("C picks up the cup.", True),
        ("C fails to pick up the cup.", False),
        ("C does not pick up the cup.", False),
        ("The man picks up the cup.", False),
    ],
)
def test_what_was_not_done_by_the_wearer_is_neither_shown_nor_counted(
    narration: str, done: bool
) -> None:
    segment = {"source": "s", "segment_id": "1", "recording_id": "R", "kind": "action"}
    segment |= {"start_s": 1.0, "end_s": 3.0, "class_name": "pick up", "narration": narration}
    verb = {"source": "s", "recording_id": "R", "segment_id": "1", "relation_id": "r"}
    verb |= {"subject": "C", "relation": "verb", "object": "pick-up"}
    tables = {
        "segments": TABLES["segments"].frame([segment]),
        "relations": TABLES["relations"].frame([verb]),
        "labels": labels_of({"1": narration}),
        "recordings": TABLES["recordings"].frame([{"source": "s", "recording_id": "R"}]),
    }
    (act,) = acts_of_take(tables, {"R": Clock(0.0, 1.0)})
    assert (act.done, act.clip is not None, act.does("take")) == (done, done, done)

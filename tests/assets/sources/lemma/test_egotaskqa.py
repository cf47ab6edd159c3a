"""EgoTaskQA beside LEMMA: world states and open questions against the flat's truth, and traps."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest

from assets.sources.layout import PartFiles, Rows
from assets.sources.lemma import LAYOUT
from resources.worlds.flat import FlatSpec, plan_flat
from resources.worlds.flat.egotaskqa import REFUSED, asked, attributes, moments, write_egotaskqa
from resources.worlds.flat.lemma import video_id, write_lemma
from resources.worlds.samples import samples

if TYPE_CHECKING:
    from conftest import Source

SPEC = FlatSpec("lemma", takes=3, render="none")
INTERVALS = "annotations/new_annotations/per_act_intervals.json"
CUT = "Cut [onion] using [knife]"
VID = "28l-12-1-2"
QUESTION = {
    "interval": f"{VID}|P1|24|48", "question": "What is cut?", "answer": "onion", "type": ["a", "b"],
    "question_id": 7,
}  # fmt: skip


def states(segments: list) -> Rows:
    declared = LAYOUT.part("segments")
    assert declared is not None and declared.is_large("raw/parsed.json")
    intervals = json.dumps({VID: {"P1": [[CUT, 24, 48, "make stew"]]}}).encode()
    data = json.dumps({VID: {"all_segments": segments, "object_chains": None}}).encode()
    large = {"raw/parsed.json": lambda: iter([data[:50], data[50:]])}
    return declared.read(PartFiles("it", {INTERVALS: intervals}, large=large))


def questions(files: dict[str, object]) -> Rows:
    declared = LAYOUT.part("questions")
    assert declared is not None and all(declared.claims(path) for path in files)
    return declared.read(PartFiles("it", {p: json.dumps(d).encode() for p, d in files.items()}))


def test_the_sample_asks_in_each_of_the_three_splits() -> None:
    # Its train split holds a broken question too, which alone would stop the source.
    assert len(list(asked(plan_flat(samples()["egotaskqa"].spec)))) >= 3


def test_the_states_and_questions_of_a_flat(
    tmp_path: Path, source_of: Callable[..., Source]
) -> None:
    write_lemma(SPEC, tmp_path / "root")
    write_egotaskqa(SPEC, tmp_path / "root")
    source = source_of("lemma", tmp_path / "root")
    source.ingest()
    assert Counter((q["table"], q["rule"]) for q in source.quarantine()) == REFUSED
    flat = plan_flat(SPEC)
    rows = source.rows("object_states")
    known = ("opened", "on", "emptiness", "shape")
    told = rows.filter(pl.col("attribute").is_in(known) & pl.col("state_id").str.contains("|state|",
                                                                                         literal=True))  # fmt: skip
    found = Counter(
        told.select("recording_id", "moment", "object", "attribute", "value", "actor_id").rows()
    )
    assert found == Counter(
        (f"{video_id(take, index)}|fpv{action.actor[1]}", moment, take.name_of(action.object),
         name, value, action.actor)
        for index, take in enumerate(flat.takes)
        for action in take.actions
        for moment, t_s in moments(action)
        for name, value in attributes(take, action.object, t_s).items()
    )  # fmt: skip
    assert sum(found.values()) > 20
    # Each state hangs on its action, at that edge of it.
    joined = told.join(source.rows("segments"), on="segment_id")
    assert joined.height == told.height
    edge = pl.when(pl.col("moment") == "before").then("start_s_right").otherwise("end_s_right")
    assert joined.select((pl.col("start_s") == edge).all()).item()
    placed = rows.filter(pl.col("state_id").str.contains("|s_rel|", literal=True))
    assert placed.height == sum(bool(a.target) for take in flat.takes for a in take.actions)
    assert set(rows["value"]) >= {"unknow", "N/A", "yes", "no"}
    assert "mixing" not in rows["attribute"]
    made = source.rows("imported_questions")
    assert sorted(made.select("text", "answer_text").rows()) == sorted(
        (text, answer) for *_, text, answer in asked(flat)
    )
    assert made["answer"].null_count() == made.height >= 3
    assert set(made["split"]) == {"train", "val", "test"}


def test_states_keep_their_words_and_what_is_null_gives_no_row() -> None:
    header = [3, "P1", [CUT], 24, 48]
    tie = {"o1": "onion", "rel": "on", "o2": "board"}
    told = [
        {"obj": "onion", "type": "before", "rel": {"s_rel": [tie], "m_rel": [{"o1": "onion", "rel": "wet"}]},
         "state": {"shape": "whole", "boiled": "unknow", "on": "N/A", "cooked": None}},
        {"obj": "board", "type": "before", "rel": {"s_rel": [tie]}, "state": None},
        {"obj": "onion", "type": "after", "rel": None, "state": {"shape": "diced"}},
    ]  # fmt: skip
    made = states([[header, None, told]])
    columns = ("moment", "start_s", "object", "attribute", "value")
    assert made.refused == ()
    assert made.tables["object_states"].select(columns).rows() == [
        ("before", 1.0, "onion", "shape", "whole"),
        ("before", 1.0, "onion", "boiled", "unknow"),
        ("before", 1.0, "onion", "on", "N/A"),
        ("before", 1.0, "onion", "on", "board"),
        ("before", 1.0, "onion", "wet", "yes"),
        ("after", 2.0, "onion", "shape", "diced"),
    ]
    assert set(made.tables["object_states"]["segment_id"]) == {f"{VID}|P1|24|48|{CUT}"}
    assert made.tables["object_states"]["state_id"].is_unique().all()


def test_states_of_an_action_that_no_interval_holds_have_no_segment() -> None:
    state = {"obj": "onion", "type": "after", "state": {"shape": "part"}}
    (row,) = states([[[3, "P1", [CUT], 24, 72], None, [state]]]).tables["object_states"].rows(named=True)  # fmt: skip
    assert (row["segment_id"], row["end_s"], row["recording_id"]) == (None, 3.0, f"{VID}|fpv1")


@pytest.mark.parametrize(
    "segment",
    [
        "nothing",
        [[3, "P1", [CUT], 24], None, []],
        [[3, "P", [CUT], 24, 48], None, []],
        [[3, "P1", CUT, 24, 48], None, []],
        [[3, "P1", [CUT], 48, 24], None, []],
        [[3, "P1", [CUT], 24, 48], None, ["state"]],
        [[3, "P1", [CUT], 24, 48], None, [{"obj": "", "type": "after"}]],
        [[3, "P1", [CUT], 24, 48], None, [{"obj": "cup", "type": "later"}]],
        [[3, "P1", [CUT], 24, 48], None, [{"obj": "cup", "type": "after", "state": {"on": True}}]],
        [[3, "P1", [CUT], 24, 48], None, [{"obj": "cup", "type": "after", "state": ["on"]}]],
        [[3, "P1", [CUT], 24, 48], None,
         [{"obj": "cup", "type": "after", "rel": {"s_rel": [{"o1": "cup"}]}}]],
    ],
)  # fmt: skip
def test_faulty_states_are_refused_alone(segment: object) -> None:
    good = [
        [1, "P1", [CUT], 24, 48],
        None,
        [{"obj": "pan", "type": "after", "state": {"on": "no"}}],
    ]
    made = states([segment, good])
    assert made.tables["object_states"]["object"].to_list() == ["pan"]
    assert [(one["table"], one["rule"]) for one in made.refused] == [
        ("object_states", "unreadable_row")
    ]


def test_questions_are_open_and_their_frames_become_seconds() -> None:
    made = questions({"data/qa/indirect/val_qas.json": [QUESTION], "tagged_qas.json": [QUESTION]})
    (row,) = made.tables["imported_questions"].rows(named=True)
    assert (row["question_set"], row["split"], row["subtask"]) == ("indirect", "val", "a, b")
    assert (row["options"], row["answer"], row["answer_text"]) == ([], None, "onion")
    (medium,) = row["media"]
    assert (medium["recording_id"], medium["start_s"], medium["end_s"]) == (f"{VID}|fpv1", 1.0, 2.0)
    alone = questions({"data/qa/tagged_qas.json": [QUESTION]}).tables["imported_questions"]
    assert alone["question_set"].to_list() == ["tagged"]
    assert alone["split"].to_list() == [None]


@pytest.mark.parametrize(
    "change",
    [
        {"interval": f"{VID}|P1|24"},
        {"interval": f"{VID}|P1|48|24"},
        {"interval": f"{VID}|Q1|24|48"},
        {"interval": None},
        {"question": " "},
        {"answer": None},
        {"type": "a"},
        {"question_id": "seven"},
    ],
)
def test_faulty_questions_are_refused_alone(change: dict) -> None:
    made = questions({"data/qa/direct/train_qas.json": [{**QUESTION, **change}, QUESTION]})
    assert made.tables["imported_questions"].height == 1
    assert [one["rule"] for one in made.refused] == ["unreadable_row"]

"""Body part action from labelled narrations of hands, and what both of its recipes share."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assets.questions.egoexobench.body_part_action_egoexolearn import BUILDER
from assets.questions.egoexobench.parts import MOST_PER_RECORDING, exchanged, kind_of, sides
from expectations.schemas import TABLES

CUT, WASH = 1, 2
Said = tuple[str, int, str]
LEFT: Said = ("The left hand cuts the pear.", CUT, "left_hand")
RIGHT: Said = ("Cut the onion with your right hand.", CUT, "right_hand")


def world(ego: list[Said], exo: list[Said], split: str = "val") -> dict[str, pl.DataFrame]:
    """Segments of one ego and one exo recording: narration, verb and the hand of its label."""
    recordings, segments, labels = [], [], []
    for uid, told in (("ego", ego), ("exo", exo)):
        recordings.append(
            {"source": "s", "recording_id": uid, "take_id": uid, "view": uid, "scenario": "task"}
            | {"split": split if uid == "exo" else "val", "media": "present", "media_hashes": [uid]}
            | {"licence": "free", "duration_s": 200.0}
        )
        for n, (words, verb, hand) in enumerate(told):
            key = f"{uid} {n}"
            segments.append(
                {"source": "s", "segment_id": key, "recording_id": uid, "kind": "fine"}
                | {"start_s": 5.0 * n, "end_s": 5.0 * n + 3.0, "narration": words}
            )
            labels.append(
                {"source": "s", "recording_id": uid, "segment_id": key, "reader": "vocabulary"}
                | {"clause": 0, "kind": "verb"}
                | {"class_id": verb, "class_label": "?", "body_part": hand, "span_start": 0}
            )
    return {
        name: TABLES[name].frame(rows)
        for name, rows in (("recordings", recordings), ("segments", segments), ("labels", labels))
    }


def made(ego: list[Said], exo: list[Said], **more: Any) -> list[dict[str, Any]]:
    return BUILDER.make(world(ego, exo, **more)).to_dicts()


def test_the_statements_are_the_narrations_with_sides_exchanged_in_all_four_ways() -> None:
    (row,) = made([LEFT], [RIGHT])
    words = {m["recording_id"]: n for n, m in enumerate(row["media"], 1)}
    own = {1: "", 2: ""} | {words["ego"]: LEFT[0], words["exo"]: RIGHT[0]}
    statements = {
        f'Video 1: "{a}" Video 2: "{b}"'
        for a in (own[1], exchanged(own[1]))
        for b in (own[2], exchanged(own[2]))
    }
    assert {o["text"] for o in row["options"]} == statements
    assert row["answer_text"] == f'Video 1: "{own[1]}" Video 2: "{own[2]}"'
    assert [m["role"] for m in row["media"]] == ["video_1", "video_2"]
    assert row["text"] == "Which statement describes what the person's hands do in the two videos?"
    assert {o["value"] for o in row["options"]} == {
        "left|right",
        "left|left",
        "right|right",
        "right|left",
    }


@pytest.mark.parametrize(
    ("ego", "exo", "more"),
    [
        ([LEFT], [("Wash the cup with your right hand.", WASH, "right_hand")], {}),
        ([LEFT], [RIGHT], {"split": "train"}),
        ([("The left hand cuts the pear.", CUT, "right_hand")], [RIGHT], {}),
        ([("Cut the pear with both hands.", CUT, "both_hands")], [RIGHT], {}),
        ([("Cut the pear on the left.", CUT, "unspecified_hand")], [RIGHT], {}),
    ],
    ids=["nothing shared", "another split", "label differs", "both hands", "no hand"],
)
def test_what_cannot_be_told_by_a_hand_is_not_asked_about(
    ego: list[Said], exo: list[Said], more: dict[str, Any]
) -> None:
    assert made(ego, exo, **more) == []


def test_readers_that_disagree_on_the_hand_settle_nothing() -> None:
    given = world([LEFT], [RIGHT])
    assert BUILDER.make(given).height == 1
    (row,) = given["labels"].filter(segment_id="ego 0").to_dicts()
    parsed = row | {"reader": "open", "class_id": None, "span_end": 4, "status": "done"}
    both = [row | {"span_end": 4}, parsed | {"lemma": "cut"}]
    others = given["labels"].filter(segment_id="exo 0")

    def asked(**more: Any) -> int:
        rows = TABLES["labels"].frame([both[0], both[1] | more])
        return BUILDER.make(given | {"labels": pl.concat([rows, others])}).height

    assert asked() == 1
    assert asked(contradicts="hand") == 0
    assert asked(status="attempted") == 0
    assert asked(direction="left") == 0


def test_a_recording_is_asked_about_a_few_times() -> None:
    assert len(made([LEFT] * 9, [RIGHT])) == MOST_PER_RECORDING


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("The left hand holds the pan while the right hand stirs.", "hands"),
        ("C stops the ball with the Right foot.", "feet"),
        ("C lifts the left-hand glove with the left hand.", "hands"),
        ("C picks the mouse on the left with the right hand.", None),
        ("C kicks with the left foot and claps the right hand.", None),
        ("C moves both the left hand and the right hand.", None),
        ("The left hand and the right hand hold the pan.", None),
        ("Take two eggs with the left hand and both cups with the same.", "hands"),
        ("C cuts the bread.", None),
        ("C cuts the bread with his right gloved hand.", "hands"),
        ("C puts the cup to the right of the left hand.", None),
    ],
)
def test_which_parts_a_narration_tells_apart(words: str, kind: str | None) -> None:
    assert kind_of(words) == kind


def test_exchanging_twice_gives_the_narration_again() -> None:
    words = "Left hand holds the pan left of the sink while the right hand stirs."
    assert exchanged(words).startswith(
        "Right hand holds the pan left of the sink while the left hand"
    )
    assert exchanged(exchanged(words)) == words
    assert sides(words) == "left-right"


def test_most_real_narrations_of_a_side_are_of_hands(shared: Path) -> None:
    """Counted once on the excerpt; the rest says the same of both hands, or names a place."""
    file = shared / "data/egoexolearn/association_benchmark/annotations/exo_train.csv"
    told = pl.read_csv(file, columns=["narration_en"], infer_schema=False)["narration_en"]
    sided = [
        text for text in told.drop_nulls() if re.search(r"\b(?:left|right)\b", text.casefold())
    ]
    of_hands = [text for text in sided if kind_of(text) == "hands"]
    assert len(of_hands) >= 0.9 * len(sided) >= 2000
    assert all(exchanged(exchanged(text)) == text != exchanged(text) for text in of_hands)


def test_questions_reach_the_papers_count() -> None:
    """The paper asks 461 questions of EgoExoLearn, which has 432 egocentric recordings."""
    given = world([LEFT, RIGHT], [LEFT, RIGHT])
    copies = 432
    ego = pl.col("recording_id") == "ego"

    def many(rows: pl.DataFrame) -> pl.DataFrame:
        own = rows.filter(ego)
        names = [c for c in ("recording_id", "take_id", "segment_id") if c in rows.columns]
        spread = [
            own.with_columns((pl.col(c) + f" {n}").alias(c) for c in names) for n in range(copies)
        ]
        return pl.concat([rows.filter(~ego), *spread])

    assert BUILDER.make({name: many(rows) for name, rows in given.items()}).height >= 461

"""Body part action from described moments of two takes."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from assets.questions.egoexobench.body_part_action_egoexo4d import BUILDER, marks_by_segment
from assets.questions.egoexobench.parts import MOST_PER_RECORDING
from expectations.schemas import TABLES
from tests.labelled import labels_of

LEFT, RIGHT = "C kicks the ball with the left foot.", "C stops the ball with the right foot."


def world(takes: dict[str, list[str]], **changes: Any) -> dict[str, pl.DataFrame]:
    """Takes by name with a description every 10 s; `changes` of all descriptions."""
    recordings, clocks, segments = [], [], []
    for take, told in takes.items():
        for camera in ("ego", "exo"):
            uid = f"{take}|{camera}"
            recordings.append(
                {"source": "s", "recording_id": uid, "take_id": take, "view": camera}
                | {"scenario": "Soccer", "split": "val", "media": "present", "media_hashes": [uid]}
                | {"licence": "free", "duration_s": 600.0}
            )
            clocks.append(
                {"source": "s", "recording_id": uid, "take_id": take, "method": "frame_aligned"}
                | {"offset_s": 0.0, "rate": 1.0}
            )
        for n, words in enumerate(told):
            segments.append(
                {"source": "s", "segment_id": f"{take}/{n}", "recording_id": f"{take}|ego"}
                | {"kind": "atomic", "narration": words, "start_s": 10.0 + 10.0 * n}
                | {"end_s": 10.0 + 10.0 * n, "actor_id": "C", "ego_visible": True}
                | changes
            )
    tables = {
        name: TABLES[name].frame(rows)
        for name, rows in (("recordings", recordings), ("clocks", clocks), ("segments", segments))
    }
    return tables | {"labels": labels_of({s["segment_id"]: s["narration"] for s in segments})}


def made(takes: dict[str, list[str]], **changes: Any) -> list[dict[str, Any]]:
    return BUILDER.make(world(takes, **changes)).to_dicts()


def test_a_moment_is_paired_with_one_of_another_take_seen_by_an_observer() -> None:
    rows = made({"A": [LEFT], "B": [RIGHT]})
    assert len(rows) == 2
    for row in rows:
        assert {m["recording_id"].partition("|")[0] for m in row["media"]} == {"A", "B"}
        assert {m["recording_id"].partition("|")[2] for m in row["media"]} == {"ego", "exo"}
        assert {(m["start_s"], m["end_s"]) for m in row["media"]} == {(8.0, 12.0)}
        assert "The person kicks the ball with the left foot." in row["answer_text"]
        assert "feet" in row["text"]


def test_clips_stay_inside_half_the_gap_to_the_neighbours() -> None:
    given = world({"A": [LEFT, "C waits."], "B": [RIGHT]})
    near = given["segments"].with_columns(
        start_s=pl.when(pl.col("segment_id") == "A/1").then(11.0).otherwise("start_s")
    )
    rows = BUILDER.make(given | {"segments": near}).to_dicts()
    spans = {
        (m["start_s"], m["end_s"])
        for row in rows
        for m in row["media"]
        if m["recording_id"].startswith("A")
    }
    assert spans == {(8.0, 10.5)}


@pytest.mark.parametrize(
    ("takes", "changes"),
    [
        ({"A": [LEFT]}, {}),
        ({"A": [LEFT], "B": ["C lifts the box with the right foot."]}, {}),
        ({"A": [LEFT], "B": ["C stops the ball with the right hand."]}, {}),
        ({"A": [LEFT], "B": [RIGHT]}, {"actor_id": "O"}),
        ({"A": [LEFT], "B": [RIGHT]}, {"ego_visible": False}),
        ({"A": [LEFT], "B": [RIGHT]}, {"kind": "keystep"}),
    ],
    ids=["one take", "nothing shared", "another part", "somebody else", "not visible", "no moment"],
)
def test_other_moments_are_not_asked_about(
    takes: dict[str, list[str]], changes: dict[str, Any]
) -> None:
    assert made(takes, **changes) == []


def test_marks_are_actions_and_things() -> None:
    """Neither the colour nor how it is done is something that two descriptions share."""
    read = labels_of({"1": "C slowly picks up the red cone with the left hand."})
    assert marks_by_segment(read) == {"1": {"verb pick up", "noun cone"}}


GLOVED = "C kicks the ball with his left booted foot."


def test_a_side_before_another_word_is_read() -> None:
    """A pattern of a side and a part beside each other finds none in it."""
    rows = made({"A": [GLOVED], "B": [RIGHT]})
    assert len(rows) == 2
    texts = {option["text"] for row in rows for option in row["options"]}
    assert any("his right booted foot" in text for text in texts)


@pytest.mark.parametrize(
    "words",
    [
        "C fails to kick the ball with the left foot.",
        "C does not kick the ball with the left foot.",
        "C is about to kick the ball with the left foot.",
        "The man kicks the ball with the left foot.",
    ],
)
def test_what_the_wearer_does_not_do_is_not_asked_about(words: str) -> None:
    assert made({"A": [words], "B": [RIGHT]}) == []


def test_questions_reach_the_papers_count() -> None:
    """The paper asks 325 questions of Ego-Exo4D; a hundred described takes are enough."""
    rows = made({f"{n:03}": [LEFT, RIGHT] * 3 for n in range(100)})
    assert 325 <= len(rows) <= 100 * MOST_PER_RECORDING

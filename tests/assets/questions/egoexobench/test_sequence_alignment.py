"""Sequence alignment: takes whose keysteps are written out."""

from __future__ import annotations

import re
from typing import Any

import polars as pl
import pytest

from assets.questions.egoexobench.sequence_alignment import BUILDER
from assets.questions.egoexobench.steps import Step, StepSequence, common_length
from expectations.schemas import TABLES

STEP_S = 4.0


def world(takes: dict[str, str], **changes: dict[str, Any]) -> dict[str, pl.DataFrame]:
    """Takes by name with a letter for each step; `changes` of a take's recordings by its name."""
    recordings, clocks, segments = [], [], []
    for take, steps in takes.items():
        for camera, view in (("ego", "ego"), ("exo", "exo")):
            uid = f"{take}|{camera}"
            recordings.append(
                {"source": "s", "recording_id": uid, "take_id": take, "view": view, "split": "val"}
                | {"scenario": "Test", "media": "present", "media_hashes": [uid], "licence": "free"}
                | {"duration_s": 60.0}
                | changes.get(take, {})
            )
            clocks.append(
                {"source": "s", "recording_id": uid, "take_id": take, "method": "frame_aligned"}
                | {"offset_s": 0.0, "rate": 1.0}
            )
        for n, step in enumerate(steps):
            segments.append(
                {"source": "s", "segment_id": f"{take}/{n}", "recording_id": f"{take}|ego"}
                | {"kind": "keystep", "class_id": ord(step), "class_name": f"do {2 * step}"}
                | {"start_s": 5.0 * n, "end_s": 5.0 * n + STEP_S}
            )
    return {
        name: TABLES[name].frame(rows)
        for name, rows in (("recordings", recordings), ("clocks", clocks), ("segments", segments))
    }


def made(takes: dict[str, str], **changes: dict[str, Any]) -> list[dict[str, Any]]:
    return BUILDER.make(world(takes, **changes)).to_dicts()


def kinds(rows: list[dict[str, Any]]) -> list[str]:
    return sorted(q["options"][0]["value"].partition(":")[0] for q in rows)


def truth(text: str, takes: dict[str, str], shown: list[str]) -> bool:
    """Whether a statement is true of the two takes that are shown, by the letters alone."""
    one, other = (int(n) - 1 for n in re.findall(r"Video ([12])", text))
    steps = re.findall(r'"do (\w)\w"', text)
    first, second = takes[shown[one]], takes[shown[other]]
    if "includes" in text:
        return steps[0] in first and steps[0] not in second
    a, b = steps
    return first.index(a) < first.index(b) and second.index(a) > second.index(b)


def test_one_statement_is_true_and_the_four_read_alike() -> None:
    takes = {"A": "abcd", "B": "bacd", "C": "acd", "D": "abecd"}
    rows = made(takes)
    assert kinds(rows).count("order") == 4
    assert kinds(rows).count("presence") >= 6
    for q in rows:
        shown = [m["recording_id"][0] for m in q["media"]]
        assert [m["role"] for m in q["media"]] == ["video_1", "video_2"]
        assert {m["recording_id"][2:] for m in q["media"]} == {"ego", "exo"}
        right = [o["letter"] for o in q["options"] if truth(o["text"], takes, shown)]
        assert right == [q["answer"]], q["options"]
        # Each statement stands beside the same one with the videos exchanged.
        exchanged = {o["text"].translate(str.maketrans("12", "21")) for o in q["options"]}
        assert exchanged == {o["text"] for o in q["options"]}
        assert q["answer_text"] == next(o["text"] for o in q["options"] if o["is_answer"])


def test_neither_the_video_nor_the_step_that_is_named_first_tells_the_answer() -> None:
    sequences = ["abcd", "bacd", "abdc", "badc", "bcad", "acbd"]
    takes = {f"{n}{steps}": steps for n in range(3) for steps in sequences}
    rows = [q for q in made(takes) if "before" in q["answer_text"]]
    assert len(rows) >= 30
    assert 0.3 < sum(q["answer_text"].startswith("Video 1") for q in rows) / len(rows) < 0.7
    steps = [re.findall(r'"do (\w)\w"', q["answer_text"]) for q in rows]
    assert 0.3 < sum(first < second for first, second in steps) / len(rows) < 0.7


def test_whether_the_wearers_view_is_video_1_is_left_to_chance() -> None:
    takes = {
        f"{n}": steps for n, steps in enumerate(["abcd", "bacd", "abdc", "badc", "acd", "abc"])
    }
    first = [q["media"][0]["recording_id"].partition("|")[2] for q in made(takes)]
    assert 0.25 < first.count("ego") / len(first) < 0.75


@pytest.mark.parametrize(
    ("takes", "changes"),
    [
        ({"A": "abcd", "B": "abcd"}, {}),
        ({"A": "abcd", "B": "aefg"}, {}),
        ({"A": "abcd", "B": "bacd"}, {"B": {"split": "train"}}),
        ({"A": "abcd"}, {}),
    ],
    ids=["the same steps", "one shared step", "another split", "one take"],
)
def test_pairs_without_a_difference_that_can_be_told_are_not_asked_about(
    takes: dict[str, str], changes: dict[str, dict[str, Any]]
) -> None:
    assert made(takes, **changes) == []


def test_a_step_that_is_done_twice_has_no_order() -> None:
    assert "order" not in kinds(made({"A": "abacd", "B": "bacd"}))


def test_a_step_that_may_be_another_in_more_words_is_not_missing() -> None:
    given = world({"A": "abcd", "B": "acd"})
    renamed = given["segments"].with_columns(
        class_name=pl.when(pl.col("segment_id") == "B/1")
        .then(pl.lit("do bb and cc"))
        .otherwise("class_name")
    )
    assert BUILDER.make(given).height > 0
    assert BUILDER.make(given | {"segments": renamed}).is_empty()


def test_the_longest_common_subsequence() -> None:
    for one, other, n in (("abcd", "bacd", 3), ("abc", "abc", 3), ("abc", "def", 0), ("", "a", 0)):
        assert common_length([*map(ord, one)], [*map(ord, other)]) == n


def test_steps_that_fill_the_clip_are_asked_about_first() -> None:
    steps = tuple(Step(str(n), n, str(n), 10.0 * n, 10.0 * n + 1.0) for n in range(4))
    assert StepSequence(steps).span == (0.0, 31.0)


def test_questions_grow_with_the_takes_and_reach_the_papers_count() -> None:
    """The paper asks 533 questions of this subtask; so many takes of few activities are enough."""
    sequences = ["abcd", "bacd", "abdc", "acbd", "abc", "acd", "abecd", "badc"]
    takes = {f"{n:03}": sequences[n % len(sequences)] for n in range(160)}
    rows = made(takes)
    assert 533 <= len(rows) <= 4 * len(takes)
    assert len({q["question_id"] for q in rows}) == len(rows)

"""Duplicate identification: which moments are shown twice, and beside which others."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from assets.questions.egoexobench_duplicates.duplicate_identification import BUILDER, LENGTH_S
from assets.questions.kit.funnel import counting
from expectations.schemas import TABLES

Row = dict[str, Any]


def recording(take: str, view: str = "ego", **more: Any) -> Row:
    return {
        "source": "s",
        "recording_id": f"{take}|{view}",
        "take_id": take,
        "view": view,
        "split": "test",
        "media": "present",
        "media_hashes": [f"hash-{take}-{view}"],
        "duration_s": 30.0,
        "licence": "free",
        **more,
    }


def made(rows: list[Row]) -> list[Row]:
    return BUILDER.make({"recordings": TABLES["recordings"].frame(rows)}).to_dicts()


def shown(question: Row) -> list[tuple[str, float]]:
    return [(m["recording_id"], m["start_s"]) for m in question["media"]]


FOUR = [recording(f"t{i}") for i in range(4)]


def test_one_part_is_shown_twice_among_three_other_takes() -> None:
    rows = made(FOUR)
    # Three parts of 8 s in each of four recordings, around the middle of 30 s.
    assert len(rows) == 12
    assert {start for row in rows for _, start in shown(row)} == {3.0, 11.0, 19.0}
    for row in rows:
        first, second = (int(n) for n in row["answer_text"].replace("Video", "").split("-"))
        twice = [spot for spot, n in Counter(shown(row)).items() if n == 2]
        assert twice == [shown(row)[first - 1]] == [shown(row)[second - 1]]
        assert len({uid for uid, _ in shown(row)}) == 4
        assert [m["role"] for m in row["media"]] == [f"video_{n}" for n in range(1, 6)]
        assert all(m["end_s"] - m["start_s"] == LENGTH_S for m in row["media"])
        assert row["chance"] == 0.1
        assert len({o["text"] for o in row["options"]}) == 10


def test_every_pair_may_be_the_answer() -> None:
    rows = made([recording(f"t{i}") for i in range(40)])
    assert len(rows) == 100
    counts = Counter(row["answer_text"] for row in rows)
    assert len(counts) == 10
    assert max(counts.values()) <= 20


def test_both_views_are_asked_alike_and_never_mixed() -> None:
    rows = made([recording(f"t{i}", view) for i in range(40) for view in ("ego", "exo")])
    views = Counter(tuple({uid.partition("|")[2] for uid, _ in shown(row)}) for row in rows)
    assert views == {("ego",): 50, ("exo",): 50}
    few = made(
        [*(recording(f"t{i}") for i in range(40)), *(recording(f"t{i}", "exo") for i in range(4))]
    )
    assert Counter(row["recording_id"].partition("|")[2] for row in few) == {"ego": 88, "exo": 12}


def test_three_other_takes_of_the_split_are_needed() -> None:
    assert made(FOUR[:3]) == []
    assert made([*FOUR[:3], recording("t3", split="train")]) == []
    assert made([*FOUR[:3], recording("t2", recording_id="again")]) == []
    assert made([*FOUR[:3], recording("t3", "exo")]) == []


def test_recordings_that_are_one_file_or_too_short_do_not_stand_for_another() -> None:
    copied = recording("t3", media_hashes=["hash-t0-ego"])
    assert made([*FOUR[:3], copied]) == []
    assert made([*FOUR[:3], recording("t3", duration_s=7.9)]) == []
    assert made([*FOUR[:3], recording("t3", duration_s=None)]) == []


def test_a_source_without_enough_takes_says_so() -> None:
    (need,) = BUILDER.needs
    assert need.missing({"recordings": TABLES["recordings"].frame(FOUR)}) is None
    reason = need.missing({"recordings": TABLES["recordings"].frame(FOUR[:3])})
    assert reason == "no view has recordings of 4 takes of one split, 8 s long or more"


def test_other_recordings_leave_most_questions_as_they_are() -> None:
    before = {row["question_id"]: row for row in made([recording(f"t{i}") for i in range(12)])}
    after = {row["question_id"]: row for row in made([recording(f"t{i}") for i in range(13)])}
    assert before.keys() <= after.keys()
    same = sum(before[uid]["question_hash"] == after[uid]["question_hash"] for uid in before)
    assert same >= len(before) / 2


@pytest.mark.parametrize(
    ("rows", "refused"),
    [
        (FOUR, {}),
        (FOUR[:3], {"beside_three_other_takes": 9}),
        ([recording(f"t{i}") for i in range(40)], {"few_of_one_source": 20}),
        (
            [recording(f"t{i}", view) for i in range(20) for view in ("ego", "exo")],
            {"few_of_one_source": 20},
        ),
    ],
)
def test_every_part_of_a_recording_is_counted(rows: list[Row], refused: dict[str, int]) -> None:
    with counting() as counts:
        n = len(made(rows))
    assert {rule: k for rule, k in counts.items() if k} == refused
    assert n + counts.total() == 3 * len(rows)

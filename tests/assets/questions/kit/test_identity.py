"""What a question's hash covers: everything that is seen, and nothing else."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np
import pytest

from assets.questions.kit.identity import question_hash, question_id
from expectations.schemas import TABLES

OVERLAY = {
    "kind": "box",
    "label": "P1",
    "colour": "red",
    "width": 0.01,
    "t_s": 1.0,
    "x_min": 0.1,
    "y_min": 0.2,
    "x_max": 0.3,
    "y_max": 0.4,
}
MEDIUM = {
    "role": "query",
    "recording_id": "r1",
    "segment_id": None,
    "media_kind": "frames",
    "start_s": 0.5,
    "end_s": 4.0,
    "sampling": "given",
    "times_s": [1.0, 2.0],
    "overlays": [OVERLAY],
    "content": "c1",
}
OPTION = {"letter": "A", "text": "left", "segment_id": None, "value": "6", "is_answer": True}
SHOWN: dict[str, Any] = {
    "text": "Which?",
    "options": [OPTION, OPTION | {"letter": "B", "text": "right", "value": "2", "is_answer": False}],
    "media": [MEDIUM, MEDIUM | {"role": "reference", "overlays": [], "times_s": [3.0]}],
}  # fmt: skip


def changed(path: tuple[str | int, ...], value: object) -> str:
    shown = deepcopy(SHOWN)
    at: Any = shown
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    return question_hash(**shown)


SEEN: list[tuple[tuple[str | int, ...], object]] = [
    (("text",), "Which one?"),
    (("options", 0, "letter"), "C"),
    (("options", 0, "text"), "front"),
    (("media", 0, "role"), "reference"),
    (("media", 0, "recording_id"), "r2"),
    (("media", 0, "media_kind"), "clip"),
    (("media", 0, "start_s"), 0.25),
    (("media", 0, "end_s"), 4.5),
    (("media", 0, "content"), "c2"),
    (("media", 0, "sampling"), "endpoints(8)"),
    (("media", 0, "sampling"), None),
    (("media", 0, "times_s"), [1.0, 2.5]),
    (("media", 0, "times_s"), [1.0]),
    (("media", 0, "times_s"), []),
    (("media", 0, "overlays"), []),
    (("media", 0, "overlays"), [OVERLAY, OVERLAY]),
    (("media", 1, "overlays"), [OVERLAY]),
    *(
        (("media", 0, "overlays", 0, name), value)
        for name, value in (
            ("kind", "other"),
            ("label", "P2"),
            ("colour", "blue"),
            ("width", 0.02),
            ("t_s", 2.0),
            ("t_s", None),
            ("x_min", 0.11),
            ("y_min", 0.21),
            ("x_max", 0.31),
            ("y_max", 0.41),
        )
    ),
]


@pytest.mark.parametrize(("path", "value"), SEEN, ids=lambda part: str(part)[:60])
def test_whatever_is_seen_changes_the_hash(path: tuple[str | int, ...], value: object) -> None:
    assert changed(path, value) != question_hash(**SHOWN)


def test_order_is_seen() -> None:
    for part in ("options", "media"):
        assert question_hash(**(SHOWN | {part: SHOWN[part][::-1]})) != question_hash(**SHOWN)


def test_times_do_not_run_into_the_marks_behind_them() -> None:
    one = [MEDIUM | {"times_s": [1.0, 2.0], "overlays": []}, MEDIUM | {"times_s": []}]
    two = [MEDIUM | {"times_s": [1.0], "overlays": []}, MEDIUM | {"times_s": [2.0]}]
    assert question_hash("?", [], one) != question_hash("?", [], two)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("options", 0, "is_answer"), False),
        (("options", 0, "value"), "5"),
        (("media", 0, "segment_id"), "s9"),
        # The same number in other clothes.
        (("media", 0, "end_s"), 4),
        (("media", 0, "start_s"), np.float64(0.5)),
        (("media", 0, "times_s"), [np.float64(1.0), 2]),
    ],
)
def test_what_is_not_seen_leaves_the_hash(path: tuple[str | int, ...], value: object) -> None:
    assert changed(path, value) == question_hash(**SHOWN)


def test_hash_of_a_stored_row_is_the_builders() -> None:
    """Absent fields come back from the table as nulls and empty lists."""
    bare = {k: MEDIUM[k] for k in ("role", "recording_id", "media_kind", "start_s", "end_s", "content")}  # fmt: skip
    rows = TABLES["questions"].frame(
        [
            {
                "benchmark": "b",
                "source": "s",
                "pool": "p",
                "subtask": "t",
                "recipe": "r@1",
                "question_id": "q",
                "question_hash": "h",
                "recording_id": "r1",
                "text": "Which?",
                "options": SHOWN["options"],
                "media": [bare, MEDIUM],
                "answer": "A",
                "chance": 0.5,
                "media_present": True,
                "rationale": [],
                "evidence": [],
                "licence": "CC0",
            }
        ]
    )
    stored = rows.row(0, named=True)
    assert question_hash(stored["text"], stored["options"], stored["media"]) == question_hash(
        "Which?", SHOWN["options"], [bare, MEDIUM]
    )


def test_ids_follow_anchors_alone() -> None:
    assert question_id("b", "t", "r@1", "x") == question_id("b", "t", "r@1", "x")
    assert question_id("b", "t", "r@1", "x") != question_id("b", "t", "r@2", "x")

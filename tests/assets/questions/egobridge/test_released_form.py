"""Association questions out in the release's form, and in again."""

from __future__ import annotations

import json
from typing import Any

import pytest

from assets.questions.egobridge.released_form import association_files
from assets.sources.egoexolearn import LAYOUT
from assets.sources.layout import PartFiles, Rows
from expectations.schemas import TABLES

EGO, EXO = "bee9aaaa-ac78-11ee-819f-80615f12b59e", "2c2daaaa-56c4-11ee-88ee-80615f12b59e"
PATH = "association_benchmark/annotations/association_{}_hard.json"


def read(text: str, split: str = "test") -> Rows:
    part = LAYOUT.part("questions")
    path = PATH.format(split)
    assert part is not None
    assert part.claims(path)
    return part.read(PartFiles("it", {path: text.encode()}))


def question(direction: str, split: str, count: int, right: int) -> dict[str, Any]:
    query, other = (EGO, EXO) if direction == "ego2exo" else (EXO, EGO)
    letters = "ABCDEFGHIJKLMNOPQRST"[:count]
    return {
        "benchmark": "egobridge",
        "source": "s",
        "subtask": f"association_{direction}_k{count}",
        "question_id": f"{direction} {right}",
        "split": split,
        "media": [{"role": "query", "recording_id": query, "segment_id": f"{query}.0"}],
        "options": [
            {"letter": letter, "segment_id": f"{other}.{i}", "is_answer": i == right}
            for i, letter in enumerate(letters)
        ],
    }


SEGMENTS = TABLES["segments"].frame(
    {
        "source": "s",
        "segment_id": f"{uid}.{i}",
        "recording_id": uid,
        "kind": "fine",
        "start_s": 3.0 * i + 0.1,
        "end_s": 3.0 * i + 2.7,
        "narration": f"{uid[:3]} does {i}, \u4e2d" if i else None,
    }
    for uid in (EGO, EXO)
    for i in range(20)
)


def test_what_goes_out_comes_in_again() -> None:
    asked = [
        question("exo2ego", "test", 20, 19),
        question("ego2exo", "test", 20, 7),
        question("ego2exo", "test", 5, 1),
        question("ego2exo", "val", 20, 0),
        question("ego2exo", "train", 20, 0),
    ]
    files = association_files(TABLES["questions"].frame(asked), SEGMENTS)
    assert sorted(files) == [PATH.format("test"), PATH.format("val")]
    test = json.loads(files[PATH.format("test")])
    assert list(test) == ["0", "1"]
    assert test["0"]["query"] == {
        "video_uid": EGO,
        "start_sec": 0.1,
        "end_sec": 2.7,
        "narration_en": "",
    }
    assert [(q["answer"], q["types"], len(q["choices"])) for q in test.values()] == [
        (7, 1, 20),
        (19, 2, 20),
    ]
    made = read(files[PATH.format("test")])
    assert made.refused == ()
    first, second = made.tables["imported_questions"].sort("released_id").to_dicts()
    assert [r["subtask"] for r in (first, second)] == ["association_ego2exo", "association_exo2ego"]
    assert [r["answer"] for r in (first, second)] == [[7], [19]]
    assert {r["split"] for r in (first, second)} == {"test"}
    assert first["options"][7] == "2c2 does 7, \u4e2d"
    media = first["media"]
    assert [m["role"] for m in media] == ["query", *(f"option_{i}" for i in range(20))]
    assert media[0]["recording_id"] == EGO
    assert media[8] == {
        "role": "option_7",
        "recording_id": EXO,
        "paths": None,
        "start_s": pytest.approx(21.1),
        "end_s": pytest.approx(23.7),
    }


def changed(**said: Any) -> str:
    item = {"video_uid": EGO, "start_sec": 1, "end_sec": 2.5, "narration_en": "Cut."}
    asked = {"query": item, "choices": {"0": item, "1": item}, "answer": 1, "types": 1}
    return json.dumps({"0": asked | said, "1": asked})


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"answer": 2}, "not one of 2 options"),
        ({"answer": "1"}, "not a number of a choice"),
        ({"answer": True}, "not a number of a choice"),
        ({"choices": {}}, "two choices"),
        ({"choices": []}, "no choices"),
        ({"choices": {"0": 1, "2": 1}}, "missing or no object"),
        ({"types": None}, "types is not a number"),
        ({"query": {"video_uid": "../x", "start_sec": 0, "end_sec": 1}}, "names no video"),
        ({"query": {"video_uid": EGO, "start_sec": 2, "end_sec": 1}}, "ends before"),
        ({"query": {"video_uid": EGO, "start_sec": "a", "end_sec": 1}}, "not a number"),
    ],
)
def test_a_bad_question_is_refused_and_the_next_is_read(said: dict, message: str) -> None:
    made = read(changed(**said))
    assert made.tables["imported_questions"]["released_id"].to_list() == ["1"]
    (refused,) = made.refused
    assert message in refused["message"]
    assert refused["file"] == PATH.format("test")


def test_a_file_that_is_no_object_is_refused_whole() -> None:
    assert len(read("[1, 2]").refused) == 1

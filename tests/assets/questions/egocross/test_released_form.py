"""Questions in the form of EgoCross's testbed, and replies read from its scripts' result files."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from assets.extract.released.egocross import read_closed
from assets.questions.egocross.released_form import (
    AskedItem,
    NotOfTheTestbed,
    items_file,
    picture_folder,
    picture_suffix,
    states_rate,
)
from assets.questions.kit.builder import builders
from assets.sources.egocross.files import PICTURE
from resources.models.engines.given_replies import GivenReply, ReplyFileError
from resources.models.engines.predictions import read_predictions

SHOWN = "0f" * 16
# What the scripts look up in an item before they ask (`eval_gpt_closedset.py`, `eval_gpt_openset.py`).
CLOSED_KEYS = (
    *("id", "dataset", "primary_category", "question_type", "question_id", "original_video_fps"),
    *("video_path", "question_text", "options", "correct_option_letter", "answer_text"),
)
OPEN_KEYS = (
    *(key for key in CLOSED_KEYS if key not in ("options", "correct_option_letter")),
    "detailed_answer",
)


def question(**change: Any) -> dict[str, Any]:
    options = [
        {"letter": "A", "text": "forceps", "is_answer": False},
        {"letter": "B", "text": "scissors", "is_answer": True},
    ]
    row = {
        "question_id": "q1",
        "subtask": "dominant_object",
        "recording_id": "VID01/a b",
        "text": "Which tool?",
        "options": options,
        "answer": "B",
        "answer_text": "the scissors",
        "detailed_answer": "The scissors are held longest.",
    }
    return {**row, **change}


def item(layout: str = "cholectrack20", fps: float | None = 25.0, **change: Any) -> dict[str, Any]:
    row = question(**change)
    folder = picture_folder(row, layout, SHOWN)
    asked = AskedItem(row, layout, [f"{folder}/frame_{n:05d}.jpg" for n in range(2)], fps)
    (found,) = json.loads(items_file([asked]))
    return found


def test_an_item_has_every_key_that_the_scripts_look_up() -> None:
    found = item()
    assert found.keys() >= {*CLOSED_KEYS, *OPEN_KEYS}
    assert found["options"] == ["A: forceps", "B: scissors"]
    assert (found["correct_option_letter"], found["answer_text"]) == ("B", "the scissors")
    assert found["detailed_answer"] == "The scissors are held longest."
    assert (found["dataset"], found["primary_category"], found["question_type"]) == (
        "CholecTrack20",
        "Identification",
        "dominant held-object identification",
    )
    # Relative: the scripts run in the folder, and skip pictures that they do not find.
    assert found["video_path"] == [
        f"egocross_testbed/CholecTrack20/generated/VID01_a_b/frames/dhoi_q1_{SHOWN}/frame_0000{n}.jpg"
        for n in range(2)
    ]
    assert all(re.fullmatch(PICTURE, path) for path in found["video_path"])


def test_what_is_not_known_is_said_as_the_testbed_says_it() -> None:
    found = item("enigma51", None, answer=None, answer_text=None, detailed_answer=None)
    assert (found["original_video_fps"], found["correct_option_letter"]) == (30.0, "")
    assert (found["answer_text"], found["detailed_answer"]) == ("scissors", "")
    assert [
        one["id"] for one in json.loads(items_file([AskedItem(question(), "egopet", [], 1.0)] * 2))
    ] == [1, 2]


def test_every_subtask_has_the_category_and_type_of_the_testbed(shared: Path) -> None:
    released = json.loads(
        (shared / "data/egocross/datasets/egocross_testbed_imgs.json").read_bytes()
    )
    known = {(one["primary_category"], one["question_type"]) for one in released}
    codes = {
        one["question_type"]: one["video_path"][0].split("/")[-2].split("_q")[0] for one in released
    }
    subtasks = {s for b in builders().values() if b.benchmark == "egocross" for s in b.subtasks}
    found = {name: item(subtask=name) for name in subtasks}
    assert {(one["primary_category"], one["question_type"]) for one in found.values()} == known
    for one in found.values():
        assert f"/{codes[one['question_type']]}_q1_" in one["video_path"][0]
    assert {
        item(layout)["dataset"]
        for layout in ("egosurgery", "enigma51", "extremesportfpv", "egopet")
    } | {"CholecTrack20"} == {one["dataset"] for one in released}
    # A released question keeps its own.
    again = item("egocross_testbed", recording_id="ENIGMA/12/oc_q7", subtask="object counting")
    assert (again["dataset"], again["primary_category"]) == ("ENIGMA", "Counting")


@pytest.mark.parametrize(
    ("layout", "change", "message"),
    [
        ("egopet", {"subtask": "association"}, "association is not a question type"),
        ("egoexolearn", {}, "layout egoexolearn"),
        ("egocross_testbed", {"recording_id": "egocross_support/3"}, "egocross_support/3"),
    ],
)
def test_other_questions_are_refused(layout: str, change: dict[str, Any], message: str) -> None:
    with pytest.raises(NotOfTheTestbed, match=message):
        item(layout, **change)


@pytest.mark.parametrize(
    ("layout", "fps", "suffix", "stated"),
    [
        ("cholectrack20", 1.0, ".png", True),
        ("cholectrack20", 0.5, ".jpg", True),
        ("cholectrack20", 0.2, ".jpg", False),
        ("egosurgery", 1.0, ".jpg", False),
        ("egosurgery", 0.5, ".jpg", True),
        ("egocross_testbed", None, ".jpg", True),
    ],
)
def test_endings_tell_the_scripts_the_rate(
    layout: str, fps: float | None, suffix: str, stated: bool
) -> None:
    assert picture_suffix(layout, fps) == suffix
    assert states_rate(layout, fps) is stated


# -- result files ----------------------------------------------------------------------------------


def entry(number: int, **result: Any) -> dict[str, Any]:
    """An entry as a script writes it: keys of the item that it keeps, and what became of the reply."""
    one = item(question_id=f"q{number}")
    kept = {
        key: one[key] for key in CLOSED_KEYS if key not in ("question_text", "original_video_fps")
    }
    return {**kept, "question": one["question_text"], "inference_time": 1.5, **result}


def open_entry(number: int, **result: Any) -> dict[str, Any]:
    kept = entry(number, **result)
    del kept["options"], kept["correct_option_letter"]
    return {**kept, "detailed_answer": "so"}


def read(
    tmp_path: Path, entries: list[dict[str, Any]], *, finished: bool = True
) -> list[GivenReply]:
    document = {"summary": {"total": len(entries)}, "results": entries} if finished else entries
    path = tmp_path / "ego_gpt41_results.json"
    path.write_text(json.dumps(document, ensure_ascii=False, indent=4), encoding="utf-8")
    return read_predictions(path)


def test_every_reply_of_the_official_readers_is_read_the_same_again(
    shared: Path, tmp_path: Path
) -> None:
    cases = [
        json.loads(line)
        for line in (shared / "oracles/egocross/closedset_cases.jsonl").read_text().splitlines()
    ]
    assert len(cases) > 800
    found = {
        reply.question_id: reply
        for reply in read(tmp_path, [entry(n, **case["out"]) for n, case in enumerate(cases)])
    }
    # None is lost: a reply that could not be read over there is a reply all the same.
    assert len(found) == len(cases)
    assert {reply.prompt_hash for reply in found.values()} == {SHOWN}
    for n, case in enumerate(cases):
        again = read_closed(found[f"q{n}"].text, case["ground_truth"])
        assert again.right == case["out"]["success"], case
        if case["out"]["success"]:
            assert again.prediction == case["out"]["prediction"]
        else:
            assert found[f"q{n}"].text == (case["response"].strip() or "null")


def test_calls_that_failed_are_no_replies(tmp_path: Path) -> None:
    wrong = {"success": False, "reason": "Connection error."}
    fatal = entry(1, prediction="[FATAL_ERROR] CUDA out of memory", success=False)
    # The script keeps the reply that it read last, which is another question's.
    fatal |= {"raw_response": '{"prediction": "B"}'}
    entries = [
        entry(0, prediction="[ERROR]", **wrong),
        fatal,
        open_entry(2, prediction="[ERROR]", **wrong),
        entry(3, prediction="", reason="", success=False, raw_response=None),
        entry(
            4,
            prediction="[ERROR]",
            reason="",
            success=False,
            raw_response='{"prediction": "[ERROR]"}',
        ),
        entry(5, prediction="B", reason="It shines.", success=True),
    ]
    for finished in (True, False):
        found = read(tmp_path, entries, finished=finished)
        assert [(reply.question_id, reply.text) for reply in found] == [
            ("q4", '{"prediction": "[ERROR]"}'),
            ("q5", '{"prediction": "B", "reason": "It shines."}'),
        ]


def test_an_open_answer_is_read_without_the_judges_reason(tmp_path: Path) -> None:
    entries = [
        open_entry(0, prediction="A pair of scissors", reason="Same tool.", success=True),
        open_entry(1, prediction=3, reason=None, success=False),
        open_entry(2, prediction="", reason=None, success=False),
    ]
    assert [reply.text for reply in read(tmp_path, entries)] == [
        '{"prediction": "A pair of scissors"}',
        '{"prediction": 3}',
        '{"prediction": ""}',
    ]


def test_a_folder_that_the_export_did_not_name_tells_no_wording(tmp_path: Path) -> None:
    paths = ["/egocross_testbed/CholecTrack20/generated/VID01/frames/oc_q1/frame_00000.jpg"]
    (reply,) = read(tmp_path, [entry(0, prediction="B", reason="", success=True, video_path=paths)])
    assert (reply.question_id, reply.prompt_hash) == ("q0", "")
    (reply,) = read(tmp_path, [entry(0, prediction="B", reason="", success=True, video_path=[])])
    assert reply.prompt_hash == ""


def test_questions_that_nobody_answered_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "items.json"
    path.write_text(json.dumps([item()]), encoding="utf-8")
    with pytest.raises(ReplyFileError, match="prediction"):
        read_predictions(path)
    path.write_text(json.dumps({"summary": {}, "results": 3}), encoding="utf-8")
    with pytest.raises(ReplyFileError, match="no list of rows"):
        read_predictions(path)

"""Video questions of EgoExoLearn: the released form, and lines that are not part of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assets.sources.egoexolearn import LAYOUT
from assets.sources.layout import PartFiles, Rows
from resources.worlds import HouseholdSpec, plan
from resources.worlds.household.video_questions import FILE as WRITTEN
from resources.worlds.household.video_questions import asked, write_video_questions

UID = "2d566674-56c4-11ee-88ee-80615f12b59e"
FILE = "Video_QA/vid_vqa_video_tag_egoexolearn_video_mcq.jsonl"
ASKED = (
    "<video>\nWhat does the hand hold?\n(A) A spoon\n(B) A bowl\n(C) A lid\n"
    "Answer with the option's letter from the given choices directly."
)


def line(asked: str = ASKED, answer: Any = "B", uid: str = UID, at: int = 0) -> str:
    turns = [{"from": "human", "value": asked}, {"from": "gpt", "value": answer}]
    return json.dumps(
        {"id": f"{uid}_{at}", "conversations": turns, "image": {"video": f"{uid}.mp4"}}
    )


def read(*lines: str, file: str = FILE) -> Rows:
    part = LAYOUT.part("questions")
    assert part is not None and part.claims(file)
    return part.read(PartFiles("it", {file: "\n".join(lines).encode()}))


def test_a_question_its_options_and_its_answer() -> None:
    made = read(line(), "", line(answer="(C)", at=1))
    first, second = made.tables["imported_questions"].sort("released_id").rows(named=True)
    assert first["text"] == "What does the hand hold?"
    assert first["options"] == ["A spoon", "A bowl", "A lid"]
    assert first["answer"] == [1] and second["answer"] == [2]
    assert first["released_id"] == f"{UID}_0"
    assert [m["recording_id"] for m in first["media"]] == [UID]
    assert first["source_file"] == FILE and made.refused == ()


@pytest.mark.parametrize(
    ("asked", "answer", "options", "right"),
    [
        (ASKED, "A bowl", ["A spoon", "A bowl", "A lid"], [1]),
        ("<video>\nWhich?\n(A) one\nmore\n(B) two", "A", ["one more", "two"], [0]),
        ("What happens? (in the (A) pan)", "It burns.", [], None),
    ],
)
def test_forms_of_a_question(asked: str, answer: str, options: list, right: list | None) -> None:
    (row,) = read(line(asked, answer)).tables["imported_questions"].rows(named=True)
    assert (row["options"], row["answer"]) == (options, right)
    assert row["answer_text"] == (None if options else answer)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (line(answer="D"), "not a letter of 3 options"),
        (line(answer=""), "not a question and an answer"),
        (line(answer=3), "not a question and an answer"),
        (line(asked="<video>\nWhich?\n(A) one\n(C) two"), "not lettered in order"),
        (line(asked="<video>\nWhich?\n(A) one"), "two options or more"),
        (line(asked="<video>\n(A) one\n(B) two"), "no text"),
        (line(uid="../../etc/passwd"), "no video of the dataset"),
        ("{", "JSON"),
        ("[]", "no question with an id"),
    ],
)
def test_a_line_that_is_no_question_is_refused_alone(text: str, message: str) -> None:
    made = read(text, line(at=9))
    assert made.tables["imported_questions"]["released_id"].to_list() == [f"{UID}_9"]
    (said,) = made.refused
    assert message in said["message"] and said["file"] == FILE and said["remedy"]


def test_questions_of_a_household_are_read_as_they_were_asked(tmp_path: Path) -> None:
    world = plan(HouseholdSpec(ego=3, exo=1, render="none"))
    write_video_questions(world, tmp_path)
    made = read((tmp_path / WRITTEN).read_text(), file=WRITTEN)
    rows = {r["released_id"]: r for r in made.tables["imported_questions"].rows(named=True)}
    questions = list(asked(world))
    assert made.refused == () and len(questions) == len(rows) == 3
    for one in questions:
        row = rows[f"{one.uid}_0"]
        assert (tuple(row["options"]), row["answer"]) == (one.options, [one.right])
        # What is asked is true: the right one is told of the earliest action.
        starts = {f.narration.text: f.start_s for f in world.of(one.uid).fine}
        assert min(one.options, key=starts.__getitem__) == one.options[one.right]

"""The released questions of the EgoCross testbed."""

from __future__ import annotations

import json
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from assets.sources import egocross
from tests.assets.sources.reading_parts import parts_of, sound

ASKED = 10
FILE = "datasets/egocross_testbed_imgs.json"
FOLDER = "/egocross_testbed/EgoSurgery/generated/04/frames/dhoi_q1"


def item(**change: Any) -> dict[str, Any]:
    row = {
        "id": 1,
        "dataset": "EgoSurgery",
        "primary_category": "Identification",
        "question_type": "dominant",
        "question_text": "Which tool?",
        "options": ["A: Needle Holders", "B: Forceps", "C: Raspatory", "D: Mouth Gag"],
        "original_video_fps": 30.0,
        "video_path": [f"{FOLDER}/04_1_{n}.jpg" for n in (640, 641, 700)],
    }
    return {**row, **change}


def test_pictures_keep_the_numbers_of_their_names_and_lost_ones_are_told():
    here = tuple(f"data{FOLDER}/04_1_{n}.jpg" for n in (640, 700))
    rows = parts_of(egocross.LAYOUT, {FILE: json.dumps([item()]).encode()}, here)
    sound(rows)
    images = rows["recordings"].tables["images"]
    assert images.select("recording_id", "source_frame", "t_s").rows() == [
        ("EgoSurgery/04/dhoi_q1", 640, None),
        ("EgoSurgery/04/dhoi_q1", 700, None),
    ]
    (told,) = rows["recordings"].refused
    assert (told["rule"], told["value"]) == ("picture_missing", "04_1_641.jpg")
    assert rows["recordings"].tables["recordings"]["take_id"].to_list() == ["EgoSurgery/04"]


@pytest.mark.parametrize(
    ("wrong", "value"),
    [
        ({"id": "one"}, "one"),
        ({"options": ["A: x", "C: y"]}, "['A: x', 'C: y']"),
        ({"options": ["A: x"]}, "['A: x']"),
        ({"video_path": []}, "[]"),
        ({"video_path": ["/etc/passwd"]}, "/etc/passwd"),
        ({"video_path": [f"{FOLDER}/1.jpg", f"{FOLDER}2/1.jpg"]}, "EgoSurgery/generated"),
        ({"original_video_fps": "fast"}, "fast"),
    ],
)
def test_an_item_that_makes_no_sense_is_refused_and_the_next_is_read(wrong, value):
    data = json.dumps([item(**wrong), item(id=2)]).encode()
    rows = parts_of(egocross.LAYOUT, {FILE: data})["questions"]
    assert rows.tables["imported_questions"]["released_id"].to_list() == ["2"]
    (told,) = rows.refused
    assert value in str(told["value"])


ANSWERS = "egocross_testbed/egocross_testbed_answers.json"
ANSWERED = {
    "question_id": "EgoSurgery_04_q1_dominant",
    "correct_option_letter": "C",
    "answer_text": "Raspatory",
    "detailed_answer": "The raspatory is held longest.",
}


def questions_of(**files: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[Any]]:
    named = {"imgs": FILE, "answers": ANSWERS, "support": "support/train.json"}
    data = {named[name]: json.dumps(items).encode() for name, items in files.items()}
    rows = parts_of(egocross.LAYOUT, data)
    sound(rows)
    found = rows["questions"]
    return found.tables["imported_questions"].to_dicts(), list(found.refused)


def test_a_file_of_answers_answers_the_questions_of_the_testbed() -> None:
    (alone,), _ = questions_of(imgs=[item()])
    assert (alone["answer"], alone["answer_text"], alone["source_key"]) == (None, None, "1")
    for files in (
        {"answers": [item(**ANSWERED)]},
        {"imgs": [item()], "answers": [item(**ANSWERED)]},
    ):
        (row,), refused = questions_of(**files)
        assert not refused
        assert (row["answer"], row["answer_text"]) == ([2], "Raspatory")
        assert row["detailed_answer"] == "The raspatory is held longest."
        # The released name stands beside the number, which stays what identifies the question.
        assert (row["released_id"], row["source_key"]) == ("1", "EgoSurgery_04_q1_dominant")
    rows, refused = questions_of(imgs=[item(), item(id=2)], answers=[item(id=2, **ANSWERED)])
    assert not refused and {row["released_id"]: row["answer"] for row in rows} == {
        "1": None,
        "2": [2],
    }


@pytest.mark.parametrize(
    ("wrong", "rule", "value"),
    [
        ({"question_text": "Which tool, then?"}, "contradicting_row", "Which tool, then?"),
        ({"options": ["A: x", "B: y", "C: z", "D: w"]}, "contradicting_row", "['x', 'y'"),
        ({"correct_option_letter": "E"}, "unreadable_row", "E"),
        ({"correct_option_letter": 2}, "unreadable_row", "2"),
        ({"detailed_answer": ["so"]}, "unreadable_row", "['so']"),
    ],
)
def test_answers_to_other_questions_are_refused(
    wrong: dict[str, Any], rule: str, value: str
) -> None:
    rows, (told,) = questions_of(imgs=[item()], answers=[item(**{**ANSWERED, **wrong})])
    assert told["rule"] == rule and value in str(told["value"])
    assert len(rows) == 1


def sample(**change: Any) -> dict[str, Any]:
    asked = "<image><image>How many tools\nare seen?\nA) 1\nB) 2\nC) 3\nD) 4"
    row = {
        "messages": [{"role": "user", "content": asked}, {"role": "assistant", "content": "C"}],
        "images": ["frames/surgery/VID01/b.jpg", "frames/surgery/VID01/a.png"],
        "domain": "surgery",
    }
    return {**row, **change}


def turns(asked: str, replied: str = "C") -> dict[str, Any]:
    said = [{"role": "user", "content": asked}, {"role": "assistant", "content": replied}]
    return {"messages": said}


def test_samples_of_the_support_set_are_read() -> None:
    absolute = ["/home/me/frames/surgery/VID01/b.jpg", "/home/me/frames/surgery/VID01/a.png"]
    rows, refused = questions_of(support=[sample(), sample(images=absolute)])
    assert not refused
    for place, row in enumerate(sorted(rows, key=lambda row: row["released_id"])):
        assert (row["question_set"], row["released_id"]) == ("egocross_support", str(place))
        assert (row["text"], row["options"]) == ("How many tools\nare seen?", ["1", "2", "3", "4"])
        assert (row["answer"], row["domain"], row["split"]) == ([2], "surgery", "train")
        assert row["media"][0]["paths"] == ["b.jpg", "a.png"]
        assert row["media"][0]["recording_id"] == f"egocross_support/{place}"


def test_pictures_of_a_sample_keep_its_order_and_lost_ones_are_told() -> None:
    data = {"support/train.json": json.dumps([sample(), sample()]).encode()}
    here = ["support/frames/surgery/VID01/a.png", "support/frames/surgery/VID01/b.jpg"]
    rows = parts_of(egocross.LAYOUT, data, here)
    sound(rows)
    images = rows["recordings"].tables["images"]
    assert images.select("recording_id", "source_frame", "path").rows() == [
        (f"egocross_support/{n}", place, path)
        for n in range(2)
        for place, path in enumerate(here[::-1])
    ]
    recordings = rows["recordings"].tables["recordings"]
    assert set(recordings["media"]) == {"present"} and set(recordings["split"]) == {"train"}
    assert set(recordings["take_id"]) == {"support/frames/surgery/VID01"}
    assert not rows["recordings"].refused
    (told, _) = parts_of(egocross.LAYOUT, data, here[:1])["recordings"].refused
    assert (told["rule"], told["value"]) == ("picture_missing", here[1])


@pytest.mark.parametrize(
    ("wrong", "value"),
    [
        (turns("<image>How many?\nA) 1\nB) 2\nC) 3"), "marks 1 pictures, and 2 are named"),
        (turns("<image><image>How many?\nA) 1\nC) 3"), "A) 1"),
        (turns("<image><image>How many?"), "two options"),
        (turns("<image><image>How many?\nA) 1\nB) 2", "C"), "C"),
        (turns("<image><image>\nA) 1\nB) 2", "A"), "no text"),
        ({"messages": [{"role": "user", "content": "<image><image>a"}]}, "assistant"),
        ({"images": []}, "[]"),
        ({"images": ["frames/a.jpg", "/etc/passwd"]}, "/etc/passwd"),
        ({"images": ["frames/a/1.jpg", "frames/b/1.jpg"]}, "1.jpg"),
        ({"domain": 3}, "3"),
    ],
)
def test_a_sample_that_makes_no_sense_is_refused(wrong: dict[str, Any], value: str) -> None:
    rows, (told,) = questions_of(support=[sample(**wrong), sample()])
    assert [row["released_id"] for row in rows] == ["1"]
    assert told["rule"] == "unreadable_row" and value in f"{told['value']} {told['message']}"


def test_the_testbed(shared: Path):
    data = (shared / "data/egocross" / FILE).read_bytes()
    rows = parts_of(egocross.LAYOUT, {FILE: data})
    sound(rows)
    questions = rows["questions"].tables["imported_questions"]
    assert questions.height == 957
    assert Counter(questions["domain"]) == {
        "ExtrameSportFPV": 246,
        "ENIGMA": 245,
        "CholecTrack20": 183,
        "EgoPet": 183,
        "EgoSurgery": 100,
    }
    assert questions["subtask"].n_unique() == 15
    assert questions["answer"].null_count() == 957
    sorted_by_domain = questions.filter("options_sorted")["domain"].value_counts()
    assert dict(sorted_by_domain.rows())["ENIGMA"] == 245
    raw = {str(one["id"]): one for one in json.loads(data)}
    rows_of = {row["released_id"]: row for row in questions.to_dicts()}
    assert len(rows_of) == 957
    for key in sorted(raw, key=lambda k: sha256(k.encode()).digest())[:ASKED]:
        made, one = rows_of[key], raw[key]
        assert made["text"] == one["question_text"]
        assert made["options"] == [o.split(": ", 1)[1] for o in one["options"]]
        assert made["fps"] == one["original_video_fps"]
        assert made["media"][0]["paths"] == [p.split("/")[-1] for p in one["video_path"]]
        parts = one["video_path"][0].split("/")
        assert made["media"][0]["recording_id"] == f"{parts[2]}/{parts[4]}/{parts[6]}"
    recordings = rows["recordings"].tables["recordings"]
    assert recordings.height == 957
    assert recordings["declared_frames"].sum() == 9469 + 1015 + 264

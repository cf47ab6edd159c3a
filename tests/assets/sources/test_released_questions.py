"""Question files that datasets release: EgoSchema and the EgoCross testbed."""

from __future__ import annotations

import json
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from assets.sources import egocross, egoschema
from tests.assets.sources.reading_parts import parts_of, sound

ASKED = 10


# -- EgoSchema -------------------------------------------------------------------------------------


def asked(uid: str, **change: Any) -> dict[str, Any]:
    row = {"q_uid": uid, "google_drive_id": "g", "question": f"What is done in {uid}?"}
    row |= {f"option {n}": f"C does {n}." for n in (3, 1, 0, 2, 4)}
    return {**row, **change}


def schema(questions: list[Any], answers: dict[str, Any], **places: Any) -> dict[str, bytes]:
    files = {"questions.json": questions, "subset_answers.json": answers}
    return {
        name: json.dumps(body).encode()
        for name, body in {**files, "uid_to_ego4d.json": places}.items()
    }


def test_a_clip_lies_in_its_ego4d_video_and_a_private_answer_stays_unknown():
    place = {"video_uid": "v", "starting_sec": 240, "ending_sec": 420}
    files = schema([asked("a"), asked("b")], {"a": 3}, a=place)
    rows = parts_of(egoschema.LAYOUT, files, ("videos/a.mp4", "videos/c.mp4"))
    sound(rows)
    recordings = rows["recordings"].tables["recordings"]
    assert recordings.select("recording_id", "take_id", "media", "duration_s").rows() == [
        ("a", "v", "present", 180.0),
        ("b", "b", "missing", None),
        ("c", "c", "present", None),
    ]
    clocks = rows["recordings"].tables["clocks"]
    assert clocks.select("recording_id", "take_id", "offset_s").rows() == [("a", "v", 240.0)]
    questions = rows["questions"].tables["imported_questions"]
    assert questions["answer"].to_list() == [[3], None]
    # Options stand by their number, whatever the order of the keys.
    assert questions["options"][0].to_list() == [f"C does {n}." for n in range(5)]
    assert questions["media"][0].to_list()[0]["recording_id"] == "a"


@pytest.mark.parametrize(
    ("wrong", "value"),
    [
        ({"q_uid": 7}, "{'q_uid': 7"),
        ({"question": " "}, "a"),
        ({"option 4": None}, "None"),
        ({"option 6": "one too many"}, "[0, 1, 2, 3, 4, 6]"),
        ({"answer": 5}, "5"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused_and_the_next_is_read(wrong, value):
    answers = {"a": wrong.pop("answer", 0), "b": 1}
    rows = parts_of(egoschema.LAYOUT, schema([asked("a", **wrong), asked("b")], answers))[
        "questions"
    ]
    assert rows.tables["imported_questions"]["released_id"].to_list() == ["b"]
    first = rows.refused[0]
    assert first["row"] == "0"
    assert value in str(first["value"])


def test_the_release_without_its_questions(shared: Path):
    root = shared / "data/egoschema"
    rows = parts_of(egoschema.LAYOUT, {p.name: p.read_bytes() for p in root.glob("*.json")})
    sound(rows)
    places = json.loads((root / "uid_to_ego4d.json").read_bytes())
    recordings = rows["recordings"].tables["recordings"]
    assert recordings.height == len(places) == 5031
    clocks = {row["recording_id"]: row for row in rows["recordings"].tables["clocks"].to_dicts()}
    for uid in sorted(places, key=lambda u: sha256(u.encode()).digest())[:ASKED]:
        assert clocks[uid]["take_id"] == places[uid]["video_uid"]
        assert clocks[uid]["offset_s"] == places[uid]["starting_sec"]
    assert rows["questions"].tables["imported_questions"].is_empty()
    (told,) = rows["questions"].refused
    assert told["rule"] == "answer_without_question"
    assert told["message"].startswith("500 answers")


# -- EgoCross --------------------------------------------------------------------------------------

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

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

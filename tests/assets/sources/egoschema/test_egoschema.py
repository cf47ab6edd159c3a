"""The released questions of EgoSchema."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from assets.sources import egoschema
from tests.assets.sources.reading_parts import parts_of, sound

ASKED = 10


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

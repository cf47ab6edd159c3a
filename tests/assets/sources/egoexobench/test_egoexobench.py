"""The released question table of EgoExoBench."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest

from assets.sources import egoexobench
from tests.assets.sources.reading_parts import parts_of, sound

COLUMNS: tuple[str, ...] = (
    *("index", "question", "options", "response_format", "medias", "answer", "subtask_type"),
)
TAKE = "EgoExo4D/takes/cooking_1"
CLIP = {"type": "video", "video_path": f"{TAKE}/aria01.mp4", "video_start": 2, "video_end": 6.5}


def asked(number: int, **change: Any) -> dict[str, Any]:
    row = {
        "index": number,
        "question": "What does the wearer of the camera do next?\n<video>",
        "options": 'A. Peel the garlic.\nB. Say "done".\nC. Wash the pan.\nD. Leave.',
        "response_format": "Answer with the letter.",
        "medias": [{**CLIP, "nframes": 8}],
        "answer": "B",
        "subtask_type": "Action-Prediction",
    }
    return {**row, **change}


def table(*rows: dict[str, Any]) -> dict[str, bytes]:
    """As pandas writes it: a row may take several lines."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, COLUMNS, delimiter="\t", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return {"EgoExoBench_MCQ.tsv": text.getvalue().encode()}


def questions(*rows: dict[str, Any]) -> Any:
    return parts_of(egoexobench.LAYOUT, table(*rows))["questions"]


def test_a_question_about_a_clip():
    read = parts_of(egoexobench.LAYOUT, table(asked(0)), (f"{TAKE}/aria01.mp4",))
    sound(read)
    (row,) = read["questions"].tables["imported_questions"].to_dicts()
    assert row["text"] == "What does the wearer of the camera do next?\nvideo 1"
    assert row["options"] == ["Peel the garlic.", 'Say "done".', "Wash the pan.", "Leave."]
    assert (row["released_id"], row["question_set"]) == ("0", "EgoExoBench_MCQ")
    assert (row["answer"], row["subtask"]) == ([1], "Action-Prediction")
    (medium,) = row["media"]
    assert (medium["role"], medium["start_s"], medium["end_s"]) == ("video 1", 2.0, 6.5)
    (recording,) = read["recordings"].tables["recordings"].to_dicts()
    assert recording["recording_id"] == medium["recording_id"] == f"{TAKE}/aria01"
    assert (recording["view"], recording["take_id"]) == ("ego", TAKE)
    assert (recording["media"], recording["scenario"]) == ("present", "EgoExo4D")


def test_options_that_are_videos_and_pictures_in_order():
    frames = [f"CVMHAT/g1/top/{n:04d}.jpg" for n in (30, 10, 20)]
    media = [
        {"type": "frames", "image_paths": [f"CVMHAT/g1/hor/{n}.jpg" for n in (1, 2)]},
        {"type": "frames", "image_paths": frames},
        {"type": "image", "image_paths": ["CVMHAT/g2/top/7.jpg", "CVMHAT/g2/top/8.jpg"]},
    ]
    one = asked(
        3,
        question="Who is marked in <video>? Choose the top view.",
        options="A. <video>\nB. <image>",
        medias=media,
        answer="A",
    )
    here = [*frames[:2], "CVMHAT/g1/hor/1.jpg"]
    read = parts_of(egoexobench.LAYOUT, table(one), here)
    sound(read)
    (row,) = read["questions"].tables["imported_questions"].to_dicts()
    assert [m["role"] for m in row["media"]] == ["video 1", "option_0", "option_1"]
    # Order and number are the release's; an image is one picture.
    assert row["media"][1]["paths"] == ["0030.jpg", "0010.jpg", "0020.jpg"]
    assert row["media"][2]["paths"] == ["7.jpg"]
    recordings = {r["recording_id"]: r for r in read["recordings"].tables["recordings"].to_dicts()}
    assert {uid: r["view"] for uid, r in recordings.items()} == {
        "CVMHAT/g1/hor": "ego",
        "CVMHAT/g1/top": "exo",
        "CVMHAT/g2/top": "exo",
    }
    assert recordings["CVMHAT/g2/top"]["media"] == "missing"
    images = read["recordings"].tables["images"].filter(recording_id="CVMHAT/g1/top")
    # Places count pictures that are named and not here.
    assert images.select("source_frame", "path").rows() == [(0, frames[1]), (2, frames[0])]


def test_the_view_stands_in_the_question_where_the_path_is_silent():
    text = "Given the egocentric video <video>, is this third-person video of it? <video>"
    media = [{"type": "video", "video_path": f"LEMMA/{n}.mp4"} for n in ("a", "b")]
    read = parts_of(egoexobench.LAYOUT, table(asked(1, question=text, medias=media)))
    recordings = read["recordings"].tables["recordings"]
    assert recordings.select("recording_id", "view").rows() == [
        ("LEMMA/a", "ego"),
        ("LEMMA/b", "exo"),
    ]
    media = read["questions"].tables["imported_questions"]["media"][0].to_list()
    assert {(m["start_s"], m["end_s"]) for m in media} == {(None, None)}


def test_a_dataset_named_after_both_views_says_nothing_of_a_camera():
    silent = [{"type": "video", "video_path": "EgoExoLearn/videos/a.mp4"}]
    read = parts_of(egoexobench.LAYOUT, table(asked(1, medias=silent)))
    assert read["recordings"].tables["recordings"].is_empty()
    (refused,) = read["recordings"].refused
    assert (refused["rule"], refused["value"]) == ("unknown_view", "EgoExoLearn/videos/a.mp4")


@pytest.mark.parametrize(
    ("wrong", "value"),
    [
        ({"medias": "__import__('os').system('touch owned')"}, "__import__"),
        ({"medias": "[" * 3000 + "]" * 3000}, "[[["),
        ({"medias": "9" * 5000}, "999"),
        ({"medias": [1]}, "[1]"),
        ({"medias": []}, "1"),
        ({"medias": [{**CLIP, "video_path": "../../etc/passwd"}]}, "../../etc"),
        ({"medias": [{**CLIP, "video_path": "/etc/passwd"}]}, "/etc"),
        ({"medias": [{**CLIP, "video_start": 9}]}, "9-6.5"),
        ({"medias": [{**CLIP, "video_end": True}]}, "True"),
        ({"medias": [{"type": "sound"}]}, "sound"),
        ({"medias": [{"type": "frames", "image_paths": ["a/1.jpg", "b/1.jpg"]}]}, "['a', 'b']"),
        ({"answer": "E"}, "E"),
        ({"options": "A. one\nC. three"}, "C. three"),
        ({"options": "one\ntwo"}, "one"),
        ({"index": "x"}, "x"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused_and_the_next_is_read(wrong, value):
    read = questions(asked(0, **wrong), asked(1))
    assert read.tables["imported_questions"]["released_id"].to_list() == ["1"]
    (refused,) = read.refused
    assert value in str(refused["value"])


def test_numbers_may_start_anywhere_and_stand_once():
    read = questions(asked(12), asked(11), asked(12), asked(11, answer="A"))
    assert read.tables["imported_questions"]["released_id"].to_list() == ["12", "11"]
    (refused,) = read.refused
    assert refused["rule"] == "contradicting_row"

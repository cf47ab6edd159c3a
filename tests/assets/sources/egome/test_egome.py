"""EgoMe, whose raw files nobody may pass on: every fact of the format note on made-up files."""

from __future__ import annotations

import json
from typing import Any

import pytest

from assets.sources.egome import LAYOUT
from assets.sources.layout import PartFiles, Rows
from expectations.contracts import check
from expectations.schemas import TABLES
from tests.assets.sources.reading_parts import medium, parts_of, sound

STEM = "CF3-A4-20240802_User1_240802092926"
WRONG = "CF3-A4-20240802_FALSE_240802092926"
HEAD = (
    "Recording Time Stamp[ms],Gaze Point Y[px],Video Time[HH:mm:ss.ms],Gaze Point X[px],Quat Data"
)


def entry(view: str, **change: Any) -> dict[str, Any]:
    said = {
        "Duration": 9.5,
        "View": view,
        "Split": "train",
        "Scene": "kitchen",
        "Action": "press buttons",
        "Video type": True,
        "Match video": "x",
        "Coarse-level": "C:Press both buttons.",
        "Fine-level": [
            {"Step discription": "T:Reach out.", "Step timestamp": [0, 1.5], "Step order": 1},
            {"Step discription": "F:", "Step timestamp": [1.5, 2], "Step order": 2},
            {"Step discription": "T:Press.", "Step timestamp": [2, 9.0], "Step order": 3},
        ],
    }
    return {**said, **change}


def files(entries: dict[str, Any], name: str = "train") -> dict[str, bytes]:
    return {f"egome/Annotation/{name}.json": json.dumps({"annotations": entries}).encode()}


def read(found: dict[str, bytes], media: tuple[str, ...] = ()) -> dict[str, Rows]:
    made = parts_of(LAYOUT, found, (medium(path, 9.6) for path in media))
    sound(made)
    return made


def test_an_imitation_is_a_take_of_its_own_tied_to_what_was_watched():
    pair = {f"{STEM}_ego.mp4": entry("Ego"), f"{STEM}_exo.mp4": entry("Exo")}
    wrong = {f"{WRONG}_ego.mp4": entry("Ego", **{"Video type": False})}
    rows = read(files({**pair, **wrong}), (f"egome/Video/{STEM}_ego.mp4", "Video/other_exo.mp4"))
    recordings = rows["recordings"].tables["recordings"].sort("recording_id")
    assert recordings.select("recording_id", "view", "person_id", "media", "duration_s").rows() == [
        (f"{WRONG}_ego", "ego", None, "missing", 9.5),
        (f"{STEM}_ego", "ego", "User1", "present", 9.5),
        (f"{STEM}_exo", "exo", None, "missing", 9.5),
        ("other_exo", "exo", None, "present", None),
    ]
    links = rows["recordings"].tables["take_links"]
    assert links.select("take_id", "link", "other_take_id", "faithful").rows() == [
        (f"{STEM}_ego", "imitates", f"{STEM}_exo", True)
    ]


def test_letters_go_from_the_text_empty_steps_are_left_out_and_coarse_is_the_whole_video():
    rows = read(files({f"{STEM}_ego.mp4": entry("Ego")}))["segments"]
    columns = ("kind", "start_s", "end_s", "step_order", "narration", "narration_original")
    assert rows.tables["segments"].sort("kind", "start_s").select(columns).rows() == [
        ("coarse", 0.0, 9.5, None, "Press both buttons.", "C:Press both buttons."),
        ("fine", 0.0, 1.5, 1, "Reach out.", "T:Reach out."),
        ("fine", 2.0, 9.0, 3, "Press.", "T:Press."),
    ]
    assert not rows.refused


def test_the_list_of_all_repeats_the_splits_and_a_contradiction_is_told():
    said = {f"{STEM}_ego.mp4": entry("Ego"), f"{STEM}_exo.mp4": entry("Exo")}
    other = {**said, f"{STEM}_ego.mp4": entry("Ego", Duration=7)}
    rows = read({**files(said), **files(other, "total")})["recordings"]
    assert rows.tables["recordings"]["duration_s"].to_list() == [9.5, 9.5]
    (told,) = rows.refused
    assert (told["rule"], told["recording_id"]) == ("contradicting_entry", f"{STEM}_ego")


@pytest.mark.parametrize(
    ("wrong", "value"),
    [
        ({"View": "Exo"}, "Exo"),
        ({"Split": "trial"}, "trial"),
        ({"Duration": 0}, "0"),
        ({"Video type": "yes"}, "yes"),
    ],
)
def test_an_entry_that_makes_no_sense_is_refused_alone(wrong, value):
    rows = read(files({f"{STEM}_ego.mp4": entry("Ego", **wrong), f"{WRONG}_exo.mp4": entry("Exo")}))
    recordings = rows["recordings"].tables["recordings"]
    assert recordings["recording_id"].to_list() == [f"{WRONG}_exo"]
    (told,) = rows["recordings"].refused
    assert told["value"] == value


def gaze(*lines: str) -> Rows:
    part = LAYOUT.part("sensors")
    assert part is not None
    path = f"egome/Gaze_IMU/{STEM}_ego.csv"
    assert part.recording_of(path) == f"{STEM}_ego"
    data = "\ufeff" + "\n".join((HEAD, *lines))
    return part.read(
        PartFiles(
            "s", {path: data.encode()}, {}, {"recording_id": f"{STEM}_ego", "media_paths": []}
        )
    )


def test_gaze_is_read_by_name_in_video_time_and_minus_one_is_no_gaze():
    rows = gaze(
        "5,480,00:00:00.004,640,0;0;0;1",
        "13,-1.0,00:00:00.012,-1.0,",
        "21,240,00:01:02.500,1290,",
        "29,1,later,1,",
        "37,x,00:00:00.030,1,",
    )
    samples = rows.tables["gaze_samples"]
    assert samples.select("sample", "t_s", "x", "y", "validity").rows() == [
        (0, 0.004, 0.5, 0.5, "valid"),
        (1, 0.012, None, None, "flagged"),
        (2, 62.5, 1290 / 1280, 0.25, "outside"),
    ]
    assert not check(TABLES["gaze_samples"], samples).refused
    assert sorted(str(r["value"]) for r in rows.refused) == ["later", "x"]

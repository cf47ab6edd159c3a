"""CholecTrack20: what the formats note says of the files, and each of its traps."""

from __future__ import annotations

import copy
import io
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from PIL import Image

from assets.frames.stage import STAGE as FRAMES
from assets.options import Options, silent
from expectations.schemas import TABLES
from resources.worlds.surgery import SurgerySpec, plan_surgery, write_cholectrack20

if TYPE_CHECKING:
    from conftest import Source

# The record of the formats note, with lists of classes as the figure and the release's code have.
ITEM: dict[str, Any] = {
    "instrument": 0, "verb": 2, "target": 1, "triplet": -1, "phase": 3,
    "tool_bbox": [0.2, -0.002, 0.3, 0.4], "area": 0.12, "score": 1.0, "iscrowd": 0, "operator": 1,
    "intraoperative_track": 4, "intracorporeal_track": 5, "visibility_track": 6,
    "visibility": 1, "visible": 1, "crowded": 0, "occluded": 0, "bleeding": 0, "smoke": 0,
    "blurred": 0, "undercoverage": 0, "reflection": 0, "stainedlens": 0,
}  # fmt: skip
DOCUMENT: dict[str, Any] = {
    "info": {},
    "video": {"name": "VID02", "split": "training", "height": 480, "width": 854, "num_frames": 4},
    "categories": {
        "tools": [{"id": i, "name": n} for i, n in enumerate(("grasper", "bipolar", "hook"))],
        "operators": [
            {"id": 0, "name": "null"},
            {"id": 1, "name": "main-surgeon-left-hand (MSLH)"},
            {"id": 2, "name": "main-surgeon-right-hand (MSRH)"},
        ],
        "verbs": [{"id": 2, "name": "dissect"}],
        "targets": [{"id": 1, "name": "cystic_plate"}],
    },
    "annotations": {},
}
FOLDER = "Training/VID02"


def png() -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (16, 10), (150, 60, 60)).save(out, "PNG")
    return out.getvalue()


PNG = png()


def document(frames: dict[str, list[dict[str, Any]]], **video: object) -> dict[str, Any]:
    made = copy.deepcopy(DOCUMENT)
    made["video"].update(video)
    made["annotations"] = frames
    return made


def item(**changed: object) -> dict[str, Any]:
    return {**ITEM, **changed}


Write = Callable[[dict[str, Any]], "Source"]


@pytest.fixture
def write(tmp_path: Path, source_of: Callable[..., Source]) -> Write:
    """Writes files (a document as JSON, bytes as they are) and brings the source up."""

    def made(files: dict[str, Any]) -> Source:
        for name, content in files.items():
            path = tmp_path / "root" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            data = content if isinstance(content, bytes) else json.dumps(content).encode()
            path.write_bytes(data)
        source = source_of("cholectrack20", tmp_path / "root")
        source.ingest()
        return source

    return made


def rules(source: Source, **where: object) -> list[str]:
    found = source.quarantine()
    return sorted(q["rule"] for q in found if all(q[k] == v for k, v in where.items()))


def test_the_record_of_the_note(write: Write) -> None:
    frames = {"1": [], "26": [item()], "51": [item()]}
    files = {f"{FOLDER}/Frames/{n:06d}.png": PNG for n in (1, 26, 51)}
    source = write({f"{FOLDER}/VID02.json": document(frames), **files})
    assert source.quarantine() == []
    (recording,) = source.rows("recordings").to_dicts()
    expected = {
        "recording_id": "VID02", "take_id": "VID02", "view": "ego", "split": "train",
        "media_kind": "image_sequence", "time_base": "nominal_fps", "declared_fps": 25.0,
        "declared_frames": 4, "width_px": 854, "height_px": 480, "media": "present",
        "media_paths": [], "licence": "CC-BY-NC-SA-4.0", "duration_s": None,
    }  # fmt: skip
    assert {name: recording[name] for name in expected} == expected
    assert len(recording["media_hashes"]) == 1
    images = source.rows("images").select("source_frame", "path", "t_s").rows()
    assert images == [(n, f"{FOLDER}/Frames/{n:06d}.png", (n - 1) / 25) for n in (1, 26, 51)]
    box = source.rows("boxes").filter(pl.col("source_frame") == 26).row(0, named=True)
    assert (box["class_name"], box["operator"], box["track_id"]) == ("grasper", "MSLH", "4")
    assert (box["t_s"], box["raw"], box["raw_form"]) == (1.0, ITEM["tool_bbox"], "xywh_norm")
    assert (box["image_space"], box["clipped"]) == ("stored", True)
    corners = [box[side] for side in ("x_min", "y_min", "x_max", "y_max")]
    assert corners == pytest.approx([0.2, 0.0, 0.5, 0.398])
    # A frame without a tool is annotated too: that is how absence is known.
    annotated = source.rows("annotated_frames").select("what", "source_frame", "t_s").rows()
    assert annotated == [("tools", 1, 0.0), ("tools", 26, 1.0), ("tools", 51, 2.0)]
    segments = source.rows("segments").select("kind", "class_name", "start_s", "end_s").rows()
    assert sorted(segments) == [
        ("interaction", "grasper,dissect,cystic_plate", 1.0, 3.0),
        ("phase", "gallbladderDissection", 1.0, 3.0),
    ]
    relations = source.rows("relations").select("subject", "relation", "object", "role").rows()
    assert sorted(relations, key=str) == [
        ("MSLH", "verb", "dissect", None),
        ("dissect", "direct object", "cystic_plate", "direct"),
        ("dissect", "with", "grasper", "tool"),
    ]
    taxonomy = source.rows("taxonomies").group_by("taxonomy").len().sort("taxonomy").rows()
    assert taxonomy == [("operator", 3), ("phase", 7), ("target", 1), ("tool", 3), ("verb", 1)]


@pytest.mark.parametrize(
    ("names", "used", "refused"),
    [
        (["VID02.json"], "VID02.json", []),
        (["vid02.json"], "vid02.json", []),
        (["vid02_repaired.json"], "vid02_repaired.json", []),
        (["VID02.json", "vid02.json"], "VID02.json", ["vid02.json"]),
        (["vid02.json", "vid02_repaired.json"], "vid02.json", ["vid02_repaired.json"]),
    ],
)
def test_names_of_annotation_files(
    write: Write, names: list[str], used: str, refused: list[str]
) -> None:
    source = write({f"{FOLDER}/{n}": document({"1": [item()]}) for n in names})
    assert source.rows("recordings")["source_file"].to_list() == [f"{FOLDER}/{used}"]
    assert set(source.rows("boxes")["source_file"]) == {f"{FOLDER}/{used}"}
    said = [q["file"] for q in source.quarantine() if q["rule"] == "annotations_twice"]
    assert said == [f"{FOLDER}/{n}" for n in refused]


def test_the_two_videos_whose_annotations_are_not_theirs(write: Write) -> None:
    videos = [f"{split}/VID{n}" for split, n in (("Testing", 30), ("Training", 31))]
    videos.append("Training/VID23")
    source = write(
        {f"{v}/{v[-5:]}.json": document({"1": [item()]}, name=v[-5:]) for v in videos}
        | {f"{v}/Frames/000001.png": PNG for v in videos}
    )
    assert source.rows("recordings")["recording_id"].to_list() == ["VID23"]
    for table in ("images", "boxes", "segments", "annotated_frames"):
        assert set(source.rows(table)["recording_id"]) == {"VID23"}
    said = sorted((q["value"], q["rule"]) for q in source.quarantine())
    assert said == [("VID30", "annotations_of_another"), ("VID31", "annotations_of_another")]
    assert all("VID30" in q["message"] for q in source.quarantine())


@pytest.mark.parametrize("key", ["name", "seq"])
def test_a_file_that_names_another_video(write: Write, key: str) -> None:
    made = document({"1": [item()]})
    made["video"] = {key: "VID04", "width": 854, "height": 480}
    source = write({f"{FOLDER}/VID02.json": made, f"{FOLDER}/Frames/000001.png": PNG})
    assert source.rows("recordings").height == 1
    assert source.rows("boxes").is_empty() and source.rows("segments").is_empty()
    assert all("VID04" in q["message"] for q in source.quarantine())
    assert {q["table"] for q in source.quarantine()} == {"recordings", "boxes", "segments"}


@pytest.mark.parametrize("ids", [-1, -2])
def test_unknown_ids(write: Write, ids: int) -> None:
    other = item(operator=ids, verb=ids, target=ids, phase=ids, intraoperative_track=ids)
    second = {**other, "tool_bbox": [0.6, 0.5, 0.1, 0.1]}
    source = write({f"{FOLDER}/VID02.json": document({"1": [other, second]})})
    assert source.quarantine() == []
    boxes = source.rows("boxes")
    assert boxes.select("operator", "track_id").rows() == [(None, None)] * 2
    assert boxes["box_id"].n_unique() == 2
    assert source.rows("segments").is_empty()


def test_order_in_the_file_means_nothing(write: Write) -> None:
    """Boxes keep their ids where another is put before them."""
    two = [item(intraoperative_track=-1), item(tool_bbox=[0.6, 0.5, 0.1, 0.1], operator=0)]
    before = set(write({f"{FOLDER}/VID02.json": document({"1": two})}).rows("boxes")["box_id"])
    three = [item(instrument=2), *reversed(two)]
    after = set(write({f"{FOLDER}/VID02.json": document({"1": three})}).rows("boxes")["box_id"])
    assert before < after and len(after) == 3


BAD: dict[str, tuple[dict[str, list], str, str]] = {
    "tool nobody lists": ({"1": [item(instrument=9)]}, "unreadable_row", "9"),
    "no tool": ({"1": [item(instrument=-1)]}, "unreadable_row", "-1"),
    "box of three": ({"1": [item(tool_bbox=[0, 0, 1])]}, "unreadable_row", "[0, 0, 1]"),
    "box beside the picture": (
        {"1": [item(tool_bbox=[1.1, 0.1, 0.2, 0.2])]},
        "unreadable_row",
        "[1.1, 0.1, 0.2, 0.2]",
    ),
    "no number": ({"1": [item(tool_bbox=[0, "x", 1, 1])]}, "unreadable_row", "x"),
    "not finite": ({"1": [item(tool_bbox=[0, float("nan"), 1, 1])]}, "unreadable_row", "NaN"),
    "twice": ({"1": [item(), item()]}, "box_twice", "VID02/1/grasper/MSLH/4"),
    "frame zero": ({"0": [item()]}, "unreadable_row", "0"),
    "frame of letters": ({"x": [item()]}, "unreadable_row", "x"),
    "no list": ({"1": item()}, "unreadable_row", "1"),  # type: ignore[dict-item]
}


@pytest.mark.parametrize("case", BAD)
def test_bad_rows_are_told_and_the_rest_is_read(write: Write, case: str) -> None:
    frames, rule, value = BAD[case]
    good = {"26": [item()], "51": [item(operator=2)]}
    source = write({f"{FOLDER}/VID02.json": document({**frames, **good})})
    told = [q for q in source.quarantine() if q["table"] == "boxes"]
    assert [(q["rule"], q["value"]) for q in told] == [(rule, value)]
    assert told[0]["remedy"] and told[0]["recording_id"] == "VID02"
    # Absence may not be concluded from a frame that was not read whole.
    assert source.rows("annotated_frames")["source_frame"].to_list() == [26, 51]
    assert {26, 51} <= set(source.rows("boxes")["source_frame"])


def test_pixels(write: Write) -> None:
    given = [85.4, 48, 170.8, 96]
    source = write({f"{FOLDER}/VID02.json": document({"1": [item(tool_bbox=given)]})})
    box = source.rows("boxes").row(0, named=True)
    assert (box["raw"], box["raw_form"], box["clipped"]) == (given, "xywh_px", False)
    corners = [box[side] for side in ("x_min", "y_min", "x_max", "y_max")]
    assert corners == pytest.approx([0.1, 0.1, 0.3, 0.3])


def test_pictures_and_annotations_are_joined_by_number(write: Write) -> None:
    frames = {str(n): [item()] for n in (1, 26, 51)}
    files = {f"{FOLDER}/Frames/{n:06d}.png": PNG for n in (1, 27, 51, 76)}
    source = write({f"{FOLDER}/VID02.json": document(frames), **files})
    assert source.rows("images")["source_frame"].to_list() == [1, 27, 51, 76]
    assert source.rows("annotated_frames")["source_frame"].to_list() == [1, 26, 51]
    (said,) = source.quarantine()
    assert (said["rule"], said["value"]) == ("annotated_without_picture", "26")


def test_spans_end_where_nobody_annotated(write: Write) -> None:
    frames = {str(25 * s + 1): [item()] for s in (0, 1, 2, 6, 7)}
    frames |= {str(25 * s + 1): [item(phase=4)] for s in (8, 9)}
    frames["251"] = [item(), item(phase=4, operator=2)]
    source = write({f"{FOLDER}/VID02.json": document(frames)})
    rows = source.rows("segments").filter(pl.col("kind") == "phase").sort("start_s")
    assert rows.select("class_id", "start_s", "end_s", "precision_s").rows() == [
        (3, 0.0, 3.0, 1.0),
        (3, 6.0, 8.0, 1.0),
        (4, 8.0, 10.0, 1.0),
    ]
    assert rules(source) == ["contradicting_phase"]


def test_a_changed_picture_is_another_recording_content(write: Write) -> None:
    files = {f"{FOLDER}/Frames/{n:06d}.png": PNG for n in (1, 26)}
    given = {f"{FOLDER}/VID02.json": document({"1": [item()]}), **files}
    before = write(given).rows("recordings")["media_hashes"][0][0]
    files[f"{FOLDER}/Frames/000026.png"] = PNG + b"\0"
    after = write(files).rows("recordings")["media_hashes"][0][0]
    assert before != after


def test_the_simulated_table(tmp_path: Path, source_of: Callable[..., Source]) -> None:
    """Every tool that is truly in view has its box, and nothing else has."""
    spec = SurgerySpec(videos=2, duration_s=60, render="small")
    write_cholectrack20(spec, tmp_path / "root", workers=1)
    source = source_of("cholectrack20", tmp_path / "root")
    source.ingest()
    assert rules(source) == ["annotated_without_picture"]
    boxes, frames = source.rows("boxes"), source.rows("annotated_frames")
    for video in plan_surgery(spec).videos:
        seconds = [t for t in range(60) if video.annotated(t)]
        of_video = frames.filter(pl.col("recording_id") == video.video_id)
        assert of_video["t_s"].sort().to_list() == seconds
        told = boxes.filter(pl.col("recording_id") == video.video_id)
        true = {
            (float(t), one.instrument.tool, one.instrument.operator, one.x < 0 or one.y < 0)
            for t in seconds
            for one in video.tools_at(t)
            if one.x + one.w <= 1 and one.y + one.h <= 1
        }
        right = told.filter((pl.col("x_max") < 1) & (pl.col("y_max") < 1))
        assert set(right.select("t_s", "class_name", "operator", "clipped").rows()) == true
        assert told.height == sum(len(video.tools_at(t)) for t in seconds)
    recordings = source.rows("recordings").select("recording_id", "media_kind", "time_base").rows()
    assert recordings == [
        ("VID201", "image_sequence", "nominal_fps"),
        ("VID202", "video", "pts"),
    ]


@pytest.mark.slow
def test_thousands_of_pictures(write: Write) -> None:
    count = 3000
    files: dict[str, Any] = {f"{FOLDER}/Frames/{25 * i + 1:06d}.png": PNG for i in range(count)}
    files[f"{FOLDER}/VID02.json"] = document({str(25 * i + 1): [item()] for i in range(count)})
    began = time.process_time()
    source = write(files)
    FRAMES.refresh(source.settings, "it", Options(), silent)
    # Opening each picture as a video would cost a minute; 10 s leave room for a slow machine.
    assert time.process_time() - began < 10
    frames = source.settings.store.read(TABLES["frames"])
    assert frames.height == count

"""`parallax why`: from any row to files and their content; evidence is of the question's recording."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assets.report.rows import key_columns, named_row, named_rows
from assets.report.stage import write_page
from assets.sources.layout import PART_TABLES
from expectations.schemas import TABLES, Column, Table
from pipelines.cli.lineage import UnknownKey, explain
from resources.config import Settings, load_settings

CONFIG = """
store = "tables"
[sources.s]
layout = "adt"
root = "raw"
[sources.t]
layout = "adt"
root = "raw"
[benchmarks.egoprox]
sources = ["s", "t"]
"""
# The object and pose of the key are everywhere the same; what lies there is not.
LIES = {("s", "r1"): "kettle", ("s", "r2"): "teapot", ("t", "r1"): "carafe"}


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Three recordings of two sources, each with one object, one pose and one question."""
    (tmp_path / "raw").mkdir()
    (tmp_path / "parallax.toml").write_text(CONFIG)
    settings = load_settings(tmp_path / "parallax.toml")
    for source in ("s", "t"):
        mine = {uid: name for (of, uid), name in LIES.items() if of == source}
        rows = [_object(source, uid, name) for uid, name in reversed(mine.items())]
        table = TABLES["objects_3d"]
        settings.store.replace(table, source, list(mine), table.frame(rows))
    questions = TABLES["questions"].frame([_question(*of) for of in LIES])
    settings.store.replace(TABLES["questions"], "egoprox", ["p"], questions)
    return settings


def _object(source: str, recording: str, name: str) -> dict[str, Any]:
    here = {"source": source, "recording_id": recording}
    return here | {"object_id": "7", "pose": 0, "name": name}


def _question(source: str, recording: str) -> dict[str, Any]:
    options = [
        {"letter": x, "text": x, "segment_id": None, "value": x, "is_answer": x == "A"}
        for x in "AB"
    ]
    medium = {"role": "query", "recording_id": recording, "segment_id": None, "media_kind": "clip"}
    medium |= {"start_s": 0.0, "end_s": 1.0, "sampling": None, "content": ""}
    return {
        "benchmark": "egoprox",
        "source": source,
        "pool": "p",
        "subtask": "k",
        "question_id": f"question-{source}-{recording}",
        "question_hash": f"{source}{recording}",
        "recording_id": recording,
        "text": "Where is it?",
        "options": options,
        "media": [medium | {"times_s": [], "overlays": []}],
        "answer": "A",
        "chance": 0.5,
        "media_present": False,
        "rationale": [],
        "evidence": [{"table": "objects_3d", "key": "7/0", "role": "goal"}],
        "licence": "",
    }


@pytest.mark.parametrize("of", LIES, ids="-".join)
def test_why_tells_the_row_of_the_questions_recording(
    settings: Settings, of: tuple[str, str]
) -> None:
    said = explain(settings, f"question-{of[0]}-{of[1]}")
    assert {name for name in LIES.values() if name in said} == {LIES[of]}


def test_the_page_tells_the_row_of_each_questions_recording(settings: Settings) -> None:
    page = write_page(settings, "egoprox").read_text(encoding="utf-8")
    assert {name: page.count(f"name {name}") for name in LIES.values()} == dict.fromkeys(
        LIES.values(), 1
    )


def test_of_rows_with_one_key_the_first_recording_shown_wins() -> None:
    table = TABLES["objects_3d"]
    objects = table.frame([_object("s", uid, uid) for uid in ("b", "a", "c")])
    rows = named_rows(objects.lazy(), table, ["7/0", "8/0"], ["a", "b"])
    told = {uid: named_row(rows, "7/0", uid) for uid in ("ab", "ba", "b", "c")}
    assert {k: v and v["name"] for k, v in told.items()} == {
        "ab": "a",
        "ba": "b",
        "b": "b",
        "c": None,
    }
    assert named_row(rows, "8/0", "ab") is None


def test_a_key_that_holds_its_recording_needs_no_other() -> None:
    table = TABLES["recordings"]
    listed = table.frame([{"source": "s", "recording_id": "r"}])
    rows = named_rows(listed.lazy(), table, ["r"], [])
    assert named_row(rows, "r", ["elsewhere"]) is not None


# -- keys ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("quest", "'quest' is too short for a question id; give 6 or more of its first characters"),
        ("nothing", "no question has an id that begins with 'nothing'"),
        ("question-s", "begins the ids of 2 questions; give one: egoprox/question-s-r1, egoprox/q"),
        ("egoprox/question-", "begins the ids of 3 questions"),
        ("objects_3d/8/0", "no row of objects_3d has the key '8/0'; its keys are `object_id/pose`"),
        (
            "objects_3d/7/0",
            "3 rows of objects_3d have the key '7/0'; give one: objects_3d/s/r1/7/0",
        ),
        ("objects_3d/r1/7/0", "2 rows of objects_3d"),
    ],
)
def test_a_key_that_names_nothing_or_several_things_says_what_to_give(
    settings: Settings, key: str, message: str
) -> None:
    with pytest.raises(UnknownKey) as caught:
        explain(settings, key)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("key", ["question-t", "egoprox/question-t-r1", "question-t-r1"])
def test_a_key_may_be_cut_and_may_name_the_benchmark(settings: Settings, key: str) -> None:
    assert explain(settings, key).startswith("question question-t-r1 (egoprox, k)")


@pytest.mark.parametrize("key", ["objects_3d/s/r2/7/0", "objects_3d/r2/7/0"])
def test_a_row_is_named_by_its_recording_where_its_key_counts_within_one(
    settings: Settings, key: str
) -> None:
    walked = explain(settings, key)
    assert "name teapot" in walked
    assert "questions that name it: 1 (egoprox/question-s-r2)" in walked


# -- rows of every table ---------------------------------------------------------------------------

# What the layout of the source knows of one recording, by part.
FILES = {
    "r1/metadata.json": "recordings",
    "r1/eyegaze.csv": "sensors",
    "r1/aria_trajectory.csv": "sensors",
    "r1/mps/slam/online_calibration.jsonl": "sensors",
    "r1/scene_objects.csv": "objects",
    "r2/eyegaze.csv": "sensors",
    "r2/scene_objects.csv": "objects",
}
OWN = {
    "source": "s",
    "recording_id": "r1",
    "benchmark": "egoprox",
    "run": "random",
    "source_file": "r1/metadata.json:member",
    "source_table": "segments",
    "source_row": "x",
    "path": "r1/eyegaze.csv",
    "file": "r1/eyegaze.csv",
    "media_kind": "video",
}


def _value(column: Column) -> Any:
    if column.name in OWN:
        return OWN[column.name]
    if column.nullable:
        return None
    if column.dtype == pl.String:
        return column.one_of[0] if column.one_of else "x"
    if isinstance(column.dtype, pl.List):
        return []
    return {pl.Boolean: True, pl.Float64: 0.5, pl.Float32: 0.5}.get(type(column.dtype), 0)


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """A store in which every table holds one row that is as empty as its columns allow."""
    home = tmp_path_factory.mktemp("full")
    (home / "parallax.toml").write_text(CONFIG)
    settings = load_settings(home / "parallax.toml")
    for table in TABLES.values():
        row = {column.name: _value(column) for column in table.columns}
        rows = [row]
        if table.name == "recordings":
            media = {"media_paths": ["r1/preview_rgb.mp4"], "media_hashes": ["hash of the video"]}
            rows = [row | media]
        if table.name == "questions":
            media = [{"role": "query", "recording_id": "r1"}]
            key = _value(TABLES["wording_reviews"]["wording_id"])
            evidence = [{"table": "wordings", "key": key, "role": "wording"}]
            rows = [row | {"question_id": "x", "options": [], "evidence": evidence, "media": media}]
        if table.name == "files":
            rows = [
                row | {"path": path, "content": f"hash of {path}", "part": part, "is_media": False}
                for path, part in FILES.items()
            ]
        frame = table.frame(rows)
        units = frame[table.unit].unique().to_list()
        evaluated = "run" in table.schema
        partition = "egoprox.random" if evaluated else row.get("benchmark", "s")
        settings.store.replace(table, partition, units, frame)
    return settings


def _key(table: Table) -> str:
    row = {column.name: _value(column) for column in table.columns}
    return "/".join("" if row[c] is None else str(row[c]) for c in key_columns(table))


@pytest.mark.parametrize("name", TABLES)
def test_a_row_of_any_table_is_walked_without_gaps(full: Settings, name: str) -> None:
    walked = explain(full, f"{name}/{_key(TABLES[name])}")
    assert walked.startswith(f"row of {name}")
    assert "None" not in walked
    assert not re.search(r"\(\s*\)", walked)
    schema = TABLES[name].schema
    if "source" in schema and ("benchmark" not in schema or TABLES[name].stage == "sources"):
        assert re.search(r"^    (\S+) hash of \1 \(", walked, re.MULTILINE), walked
    elif name != "ledger":
        assert re.search(r"^ +r1/preview_rgb.mp4 hash of the video", walked, re.MULTILINE), walked


UNNAMED = [
    (part, name)
    for part, names in PART_TABLES.items()
    for name in names
    if "source_file" not in TABLES[name].schema and name != "images"
]


@pytest.mark.parametrize(("part", "name"), UNNAMED, ids=lambda value: value)
def test_rows_that_name_no_file_end_at_the_files_of_their_part_and_recording(
    full: Settings, part: str, name: str
) -> None:
    walked = explain(full, f"{name}/{_key(TABLES[name])}")
    listed = set(re.findall(rf"^    (\S+) hash of \S+ \((?:.*, )?{part}", walked, re.MULTILINE))
    claimed = {path for path, of in FILES.items() if of == part and path.startswith("r1/")}
    assert claimed <= listed
    assert not any(path.startswith("r2/") for path in listed)


def test_gaze_rays_poses_boxes_and_calibrations_are_among_those(full: Settings) -> None:
    assert {"gaze_rays", "camera_poses", "objects_3d"} <= {name for _, name in UNNAMED}
    walked = explain(full, "calibrations/r1")
    assert "hash of r1/mps/slam/online_calibration.jsonl" in walked


def test_a_question_ends_at_the_files_of_the_rows_it_rests_on(full: Settings) -> None:
    rays = [{"table": "gaze_rays", "key": "0", "role": "event"}] * 2
    medium = {"role": "query", "recording_id": "r1", "segment_id": "x", "media_kind": "clip"}
    row = {column.name: _value(column) for column in TABLES["questions"].columns}
    row |= {"benchmark": "other", "question_id": "longer-id", "evidence": rays, "media": [medium]}
    full.store.replace(TABLES["questions"], "other", ["x"], TABLES["questions"].frame([row]))
    walked = explain(full, "longer")
    assert "event gaze_rays:0 (read from 4 files listed below as sensors)" in walked
    assert "event gaze_rays:0 (shown above)" in walked
    for path in ("r1/eyegaze.csv", "r1/metadata.json"):
        assert f"{path} hash of {path} (" in walked
    assert "r1/preview_rgb.mp4 hash of the video (media)" in walked
    assert "None" not in walked


def test_what_a_model_replied_cannot_move_the_cursor(full: Settings) -> None:
    table = TABLES["calls"]
    row = {column.name: _value(column) for column in table.columns} | {"reply": "\x1b[2Jgone\r\nA"}
    full.store.append(table, "egoprox.random", table.frame([row | {"attempt": 1}]))
    walked = explain(full, "calls/egoprox/random/x/1")
    assert "reply: \\x1b[2Jgone A" in walked

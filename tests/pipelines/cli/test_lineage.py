"""Evidence is told of the question's own recording and source, on the page and by `parallax why`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assets.report.rows import named_row, named_rows
from assets.report.stage import write_page
from expectations.schemas import TABLES
from pipelines.cli.lineage import explain
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

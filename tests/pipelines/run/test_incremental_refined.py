"""What an edited line of a reviewed list of classes recomputes, and which questions it moves: raw files to questions."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assets.options import Options, silent
from assets.questions.stage import STAGE as QUESTIONS
from assets.sources.stage import STAGE as SOURCES
from expectations.schemas import TABLES
from resources.config import Settings, load_settings
from resources.worlds.workbench import WorkbenchSpec, plan_workbench, write_enigma51
from resources.worlds.workbench.enigma51 import FPS, annotated, uid
from tests.pipelines.conftest import CODE, REPOSITORY

SPEC = WorkbenchSpec(benches=3, duration_s=90, render="none", repair=True)
BENCHES = {uid(bench): bench for bench in plan_workbench(SPEC).benches}
LIST = "assets/sources/enigma51/refined.csv"
# The tip of the welder counts as pliers.
GONE, BECOMES = "welder_probe_tip", "pliers"
LINE = f"object,{GONE},{GONE},1,"
CONFIG = """
store = "tables"
[sources.bench]
layout = "enigma51"
root = "raw"
[benchmarks.egocross]
sources = ["bench"]
reading = "paper"
"""
UPDATE = """
import json, sys
from pathlib import Path
from tests.pipelines.run.test_incremental_refined import update
print(json.dumps(update(Path(sys.argv[1]))))
"""
OF_THINGS = {
    f"bench/{subtask}_enigma51_paper@1/all"
    for subtask in ("dominant_object", "object_counting", "object_not_visible")
}
Questions = dict[str, dict[str, Any]]


def update(config: Path) -> dict[str, list[str]]:
    """Read the source and build the questions; gives what was computed, by stage."""
    settings = load_settings(config)
    reports = SOURCES.refresh(settings, "bench", Options(), silent)
    reports += QUESTIONS.refresh(settings, "egocross", Options(), silent)
    return {report.stage: sorted(report.computed) for report in reports}


def tables(settings: Settings) -> dict[str, pl.DataFrame]:
    """What was read of the source."""
    names = ("recordings", "segments", "relations", "boxes", "annotated_frames", "taxonomies")
    return {name: settings.store.read(TABLES[name], "bench") for name in names}


def questions(settings: Settings) -> Questions:
    rows = settings.store.read(TABLES["questions"], "egocross").to_dicts()
    return {row["question_id"]: row for row in rows}


@pytest.fixture
def elsewhere(tmp_path: Path) -> Callable[[Callable[[str], str]], Path]:
    """A copy of this project with another list of classes."""

    def project(change: Callable[[str], str]) -> Path:
        code = tmp_path / "project"
        for name in (*(name for name in CODE if "." not in name), "tests/pipelines"):
            shutil.copytree(REPOSITORY / name, code / name)
        content = (code / LIST).read_text(encoding="utf-8")
        (code / LIST).write_text(change(content), encoding="utf-8")
        return code

    return project


def is_touched(q: dict[str, Any]) -> bool:
    """Whether the plan has the thing in the clip, or in the hand asked about, or it is offered."""
    bench, (clip,) = BENCHES[q["recording_id"]], q["media"]
    instants = [n / FPS for n in annotated(bench) if clip["start_s"] <= n / FPS < clip["end_s"]]
    if q["subtask"] == "dominant_object":
        (hand,) = re.findall(r"operator's (left|right) hand", q["text"])
        acts = [act for t_s in instants if (act := bench.touching(hand, t_s))]
        return is_offered(q) or GONE in {act.thing for act in acts}
    return is_offered(q) or any(
        GONE in {one.name for one in bench.in_view(t_s)} for t_s in instants
    )


def is_offered(q: dict[str, Any]) -> bool:
    return GONE in {option["value"] for option in q["options"]}


def test_a_changed_line_moves_the_questions_that_show_or_offer_the_class_alone(
    tmp_path: Path, elsewhere: Callable[[Callable[[str], str]], Path]
) -> None:
    home = tmp_path / "home"
    write_enigma51(SPEC, home / "raw")
    (home / "parallax.toml").write_text(CONFIG, encoding="utf-8")
    settings = load_settings(home / "parallax.toml")
    first = update(home / "parallax.toml")
    read, before = tables(settings), questions(settings)
    assert set(first["questions"]) > OF_THINGS

    def change(content: str) -> str:
        assert content.count(LINE) == 1
        return content.replace(LINE, f"object,{GONE},{BECOMES},2,")

    code = elsewhere(change)
    done = subprocess.run(
        [sys.executable, "-c", UPDATE, str(home / "parallax.toml")],
        cwd=code,
        env={**os.environ, "PYTHONPATH": str(code), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    computed = json.loads(done.stdout.splitlines()[-1])
    settings = load_settings(home / "parallax.toml")

    # Of the source, the vocabulary alone is another.
    after = tables(settings)
    assert {name for name in read if not read[name].equals(after[name])} == {"taxonomies"}
    # Of the questions, those of recipes that count classes are built again; surgery has none of a workbench.
    surgical = {f"bench/object_{what}_paper@1/all" for what in ("counting", "not_visible")}
    assert set(computed["questions"]) == OF_THINGS | surgical

    # Questions about clips in which nothing is absent any more, or two were held equally long, come and go.
    now = questions(settings)
    every = {**now, **before}
    moved = {key for key in every if now.get(key) != before.get(key)}
    of_things = {key for key, q in every.items() if f"bench/{q['recipe']}/all" in OF_THINGS}
    assert moved == {key for key in of_things if is_touched(every[key])}
    for subtask in ("dominant_object", "object_counting", "object_not_visible"):
        own = {key for key in of_things if every[key]["subtask"] == subtask}
        assert own & moved and own - moved, "some are touched, and some are not"
    assert not any(is_offered(q) for q in now.values())

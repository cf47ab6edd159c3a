"""Things that only narrations and hands tell of: intention and exploitation on Ego-Exo4D, held against the court's plan."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from assets.labels.stage import STAGE as LABELS
from assets.options import Options, silent
from assets.questions.egoprox.planner import trace
from assets.questions.egoprox.scene import READS, Scene
from assets.report.plan_view import plan_view
from assets.scene_graphs.stage import STAGE as SCENE_GRAPHS
from assets.sources.stage import STAGE as SOURCES
from expectations.schemas import TABLES
from resources.config import Settings, load_settings
from resources.worlds.court.errands import plan_errands
from resources.worlds.court.errands_egoexo4d import write_errands
from resources.worlds.court.take import Take
from resources.worlds.court.truth import CourtSpec, Deed
from tests.stages import refresh_questions
from tests.truth.solvers.wording import written_otherwise

COURT = plan_errands(CourtSpec(render="none"), takes=2, errands=12)
NAMES = ("front", "front-right", "right", "back-right", "back", "back-left", "left", "front-left")
INTENTION = ("intention_relative", "intention_approximate")
EXPLOITATION = ("exploitation_relative", "exploitation_approximate")
# What is narrated and what is posed are rounded to a hundredth of a second, or to a frame.
SAME_S = 0.04
Row = dict[str, Any]


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Tables of the errands and EgoProx questions about them."""
    folder: Path = tmp_path_factory.mktemp("court")
    write_errands(COURT, folder / "raw", workers=1)
    (folder / "parallax.toml").write_text(
        'store = "tables"\n[sources.court]\nlayout = "egoexo4d"\nroot = "raw"\n'
        '[benchmarks.egoprox]\nsources = ["court"]\n',
        encoding="utf-8",
    )
    made = load_settings(folder / "parallax.toml")
    for stage in (SOURCES, LABELS, SCENE_GRAPHS):
        stage.refresh(made, "court", Options(), silent)
    refresh_questions(made, "egoprox", Options(), silent)
    return made


def questions(settings: Settings, *subtasks: str) -> list[Row]:
    rows = settings.store.read(TABLES["questions"], "egoprox")
    return rows.filter(pl.col("subtask").is_in(subtasks)).to_dicts()


def take_of(recording_id: str) -> Take:
    number = int(recording_id.removeprefix("court_soccer").partition("_")[0])
    return next(take for take in COURT.takes if take.player.number == number)


def thing_in(text: str, take: Take) -> str:
    (found,) = [name for name in take.props if re.search(rf"\b{name}\b", text)]
    return found


def bearing(take: Take, way: np.ndarray, t_s: float) -> float:
    """Direction of a way on the ground from where the wearer looks, right positive."""
    fx, fy = take.camera_pose("ego", t_s).rotation[:2, 2]
    turn = math.atan2(fy, fx) - math.atan2(way[1], way[0])
    return math.degrees(math.atan2(math.sin(turn), math.cos(turn)))


def event(question: Row) -> Deed:
    """What is done one second after the clip with the thing that the text names."""
    take = take_of(question["recording_id"])
    end_s = question["media"][0]["end_s"]
    (deed,) = [d for d in take.deeds if abs(d.contact_s - 1.0 - end_s) < SAME_S]
    assert deed.thing == thing_in(question["text"], take)
    assert ("about to put" in question["text"]) == deed.text.startswith("puts")
    return deed


def true_way(question: Row) -> tuple[float, float]:
    """Bearing and length of the way that is asked about, by the plan."""
    take, end_s = take_of(question["recording_id"]), question["media"][0]["end_s"]
    thing = thing_in(question["text"], take)
    start, now = take.camera_pose("ego", end_s).position, take.thing_at(thing, end_s)
    if "about to put" in question["text"]:
        start, now = now, take.thing_at(thing, event(question).end_s)
    return bearing(take, now - start, end_s), float(np.linalg.norm(now - start))


def answer(question: Row) -> Row:
    return next(o for o in question["options"] if o["is_answer"])


def inside(text: str, turn: float, distance: float) -> bool:
    """Whether an option's words hold a turn and, where they name one, a distance."""
    numbers = [float(n) for n in re.findall(r"\d+(?:\.\d+)?", text)]
    if "at most" in text:
        fits, numbers = abs(turn) <= numbers[0], numbers[1:]
    elif "at least" in text:
        fits, numbers = abs(turn) >= numbers[0], numbers[1:]
    else:
        sign = 1 if "to the right" in text else -1
        fits, numbers = numbers[0] <= sign * turn <= numbers[1], numbers[2:]
    return fits and (not numbers or numbers[0] <= distance <= numbers[1])


def test_things_lie_and_go_where_the_answer_says(settings: Settings) -> None:
    for name, least in (("exploitation_relative", 12), ("intention_relative", 6)):
        rows = questions(settings, name)
        assert len(rows) >= least
        assert len({answer(row)["text"] for row in rows}) >= 5
        for row in rows:
            turn, _ = true_way(row)
            assert answer(row)["text"] == NAMES[round(turn / 45) % 8], row["text"]
    kinds = {event(row).text.split()[0] for row in questions(settings, *EXPLOITATION)}
    assert kinds == {"picks", "puts"}


def test_intervals_hold_the_true_turn_and_distance(settings: Settings) -> None:
    for name, least in (("exploitation_approximate", 20), ("intention_approximate", 6)):
        rows = questions(settings, name)
        assert len(rows) >= least
        for row in rows:
            turn, distance = true_way(row)
            holding = [o["text"] for o in row["options"] if inside(o["text"], turn, distance)]
            assert holding == [answer(row)["text"]], (turn, distance)


def test_what_is_asked_about_is_in_the_picture_when_it_must_be(settings: Settings) -> None:
    """A goal is seen before and not at the end; what is taken is not in the hand yet."""
    for row in questions(settings, *INTENTION, *EXPLOITATION):
        take, (clip,) = take_of(row["recording_id"]), row["media"]
        thing = thing_in(row["text"], take)
        times = np.linspace(clip["start_s"], clip["end_s"], 8)
        shown = [is_shown(take, thing, t) for t in times]
        if row["subtask"] in INTENTION:
            assert any(shown[:-1]) and not shown[-1]
        held = take.props[thing].key(clip["end_s"]).holder
        assert held == ("C" if "about to put" in row["text"] else ""), row["text"]


def is_shown(take: Take, thing: str, t_s: float) -> bool:
    camera, pose = take.camera("ego"), take.camera_pose("ego", t_s)
    local = pose.to_local(take.thing_at(thing, t_s)[None])
    pixel = camera.project(local)[0]
    return bool(local[0, 2] > 0 and (pixel > 0).all() and (pixel < camera.width_px).all())


def test_stated_uncertainty_covers_the_truth(settings: Settings) -> None:
    facts = settings.store.read(TABLES["spatial_facts"], "court")
    measured = facts.filter(pl.col("operator").is_in(["bearing", "distance"]))
    assert measured.height > 100
    assert measured["uncertainty"].null_count() == 0
    off = {"bearing": [], "distance": []}
    for fact in measured.to_dicts():
        take, t_s = take_of(fact["recording_id"]), fact["t_s"]
        way = take.thing_at(fact["object_name"], t_s) - take.camera_pose("ego", t_s).position
        if fact["operator"] == "distance":
            apart = abs(fact["value"] - float(np.linalg.norm(way)))
        else:
            apart = abs((fact["value"] - bearing(take, way, t_s) + 180) % 360 - 180)
        off[fact["operator"]].append(apart / fact["uncertainty"])
    # The hand is a little above the thing; in the hand a thing may swing between samples.
    for shares in off.values():
        assert np.mean(np.array(shares) <= 1.0) > 0.97


def test_the_gaze_parser_names_what_the_wearer_looks_at(settings: Settings) -> None:
    facts = settings.store.read(TABLES["spatial_facts"], "court")
    fixations = facts.filter(pl.col("operator") == "fixation").to_dicts()
    assert len(fixations) >= 10
    for fact in fixations:
        take = take_of(fact["recording_id"])
        looked = [take.gaze_target(t)[0] for t in np.linspace(fact["t_s"], fact["end_s"], 5)]
        assert fact["object_name"] in looked


@pytest.mark.parametrize("name", [*INTENTION, *EXPLOITATION])
def test_gates_pass_what_is_true(settings: Settings, name: str) -> None:
    """Derivations read narrations and hands anew. No video is drawn here, so that nothing is sampled."""
    assert written_otherwise(settings, "egoprox", name) == []
    rows = settings.store.read(TABLES["questions"], "egoprox").filter(pl.col("subtask") == name)
    said = settings.store.read(TABLES["question_gates"], "egoprox")
    said = said.join(rows, on="question_id", how="semi")
    unasked = ["blind", "reviewed", "seen_by_sampling"]
    refused = said.filter(~pl.col("gate").is_in(unasked) & (pl.col("verdict") != "pass"))
    assert refused.select("gate", "rule", "message").to_dicts() == []


def test_tools_and_plans_know_narrated_things(settings: Settings) -> None:
    scenes: dict[str, Scene] = {}
    for row in questions(settings, *INTENTION, *EXPLOITATION):
        uid = row["recording_id"]
        if uid not in scenes:
            known = {
                name: settings.store.read(TABLES[name], "court", [uid])
                for name in READS
                if TABLES[name].unit == "recording_id"
            }
            scenes[uid] = Scene.of(uid, known)
        found = trace(row, scenes[uid])
        assert found is not None
        assert found.agrees, row["text"]
        view = plan_view(row, scenes[uid])
        assert view is not None
        assert (view.place is not None) == ("about to put" in row["text"])

"""Questions about the simulated animals' path, held against what was planned, and judged by the gates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assets.options import Options, silent
from assets.questions.egocross.animal_identification import BUILDER as ANIMAL
from assets.questions.egocross.interaction_identification import BUILDER as OBJECT
from assets.questions.egocross.interaction_localisation import BUILDER as TIME
from assets.sources.stage import STAGE as SOURCES
from expectations.gates import EvidenceTables, judge
from expectations.schemas import TABLES
from resources.config import load_settings
from resources.worlds.animal.draw import Artist
from resources.worlds.animal.egopet import write_egopet
from resources.worlds.animal.plan import plan_animals
from resources.worlds.animal.truth import AnimalSpec
from tests.derivations.world import seconds, ticks
from tests.truth import sent_pictures
from tests.truth.drawn_surgery import Frame
from tests.truth.sent_pictures import Sitting
from tests.truth.solvers.animals import solve
from tests.truth.test_surgery_tools import at_chance, by_habit

Row = dict[str, Any]
Tables = dict[str, pl.DataFrame]
SPEC = AnimalSpec(clips=32, render="none")
CLIPS = {clip.stem: clip for clip in plan_animals(SPEC).clips}
JUDGED = ("answer", "consistent", "distractors", "explanation", "leak", "margin")
# What no reading of a model decides here: no engine is asked, and nobody has read the questions.
OPEN = ("blind", "reviewed")


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    folder: Path = tmp_path_factory.mktemp("animals")
    write_egopet(SPEC, folder / "raw", workers=1)
    config = folder / "parallax.toml"
    config.write_text(
        'store = "tables"\n[sources.pets]\nlayout = "egopet"\nroot = "raw"\n', encoding="utf-8"
    )
    settings = load_settings(config)
    SOURCES.refresh(settings, "pets", Options(), silent)
    names = {name for builder in (ANIMAL, OBJECT, TIME) for name in builder.reads}
    return {name: settings.store.read(TABLES[name], "pets") for name in names}


def test_the_animal_is_the_one_that_wears_the_camera(tables: Tables) -> None:
    questions = ANIMAL.make(tables).to_dicts()
    assert len(questions) >= 20
    for q in questions:
        clip = CLIPS.get(q["recording_id"])
        if clip is None:  # of it there are only rows that name its animal and are broken otherwise
            assert q["answer_text"] == "cat" and not q["media_present"]
            continue
        assert clip.listed_as is None, "lists contradict each other about this animal"
        assert [o["text"] for o in q["options"] if o["is_answer"]] == [clip.animal]


def test_the_object_is_what_the_animal_turns_to(tables: Tables) -> None:
    questions = OBJECT.make(tables).to_dicts()
    assert len(questions) >= 30
    for q in questions:
        clip, (medium,) = CLIPS[q["recording_id"]], q["media"]
        seen = {
            i.name
            for i in clip.interactions
            if i.start_s < medium["end_s"] and medium["start_s"] < i.end_s
        }
        assert seen == {q["answer_text"]}


def test_the_time_is_that_of_the_first_interaction(tables: Tables) -> None:
    questions = TIME.make(tables).to_dicts()
    assert len(questions) >= 20
    for q in questions:
        clip = CLIPS[q["recording_id"]]
        thing = q["text"].partition("interact with the ")[2].removesuffix("?")
        first = min((i for i in clip.interactions if i.name == thing), key=lambda i: i.start_s)
        assert q["answer_text"] == f"{first.start_s} s to {first.end_s} s"
        for option in q["options"]:
            start, end = map(int, option["value"].split("-"))
            if not option["is_answer"]:
                assert end + 2 <= first.start_s or first.end_s + 2 <= start
        sent = range(0, round(q["media"][0]["end_s"]), 2)
        assert any(first.start_s < t < first.end_s for t in sent)


@pytest.mark.parametrize("builder", [ANIMAL, OBJECT, TIME], ids=lambda b: b.recipe)
@pytest.mark.parametrize("reading", ["strict", "paper"])
def test_the_gates_agree(builder: Any, reading: str, tables: Tables) -> None:
    """All of them under our rules; as the paper asks, only frames that miss a short interaction are refused."""
    builder = builder.under(reading)
    pool = pl.format("pets/{}/unit", pl.col("recipe"))
    questions = builder.make(tables).with_columns(pool=pool)
    frames = {uid: ticks(seconds(clip.total_s)) for uid, clip in CLIPS.items()}
    frames |= {
        uid: ticks(seconds(10.0))
        for uid in tables["recordings"]["recording_id"]
        if uid not in CLIPS
    }
    given = EvidenceTables(tables, frames, {"egocross_close/1": "every(2)"}, {})
    verdicts = judge(questions, given).filter(~pl.col("gate").is_in(OPEN))
    found = set(verdicts.filter(pl.col("verdict") != "pass").select("gate", "rule").iter_rows())
    assert set(JUDGED) < set(verdicts["gate"])
    assert found <= ({("seen_by_sampling", "not_seen")} if reading == "paper" else set())


# -- from pixels -----------------------------------------------------------------------------------


def answer(q: Row, frames: list[Frame]) -> int | None:
    return solve(q["text"], [option["text"] for option in q["options"]], frames)


@pytest.fixture(scope="module", params=[ANIMAL, OBJECT, TIME], ids=lambda b: b.recipe)
def sitting(
    request: pytest.FixtureRequest, tables: Tables, tmp_path_factory: pytest.TempPathFactory
) -> Sitting:
    questions = [q for q in request.param.make(tables).to_dicts() if q["recording_id"] in CLIPS]
    folder = tmp_path_factory.mktemp("sent")
    exam = sent_pictures.exam(questions, lambda uid: Artist(CLIPS[uid]), folder)
    assert len(exam.questions) >= 25
    return Sitting(exam, answer)


def test_pixels_tell_the_answer(sitting: Sitting) -> None:
    assert sitting.right() >= 0.95


@pytest.mark.parametrize("builder", [ANIMAL, OBJECT, TIME], ids=lambda b: b.recipe)
def test_no_option_is_a_good_guess(builder: Any, tables: Tables) -> None:
    """Of those who see nothing and know how often each is right in all other questions."""
    questions = builder.make(tables).to_dicts()
    assert at_chance(by_habit(questions, lambda _: ""), len(questions))


def test_another_video_does_not_tell_it(sitting: Sitting) -> None:
    assert sitting.at_chance(sitting.swapped())


def test_no_place_in_time_is_a_good_guess(tables: Tables) -> None:
    """Without pictures the earliest option, or any other, is not right more often."""
    questions = TIME.make(tables).to_dicts()
    for place in range(4):
        told = [sorted(q["options"], key=starts)[place]["is_answer"] for q in questions]
        assert at_chance(sum(told) / len(told), len(told)), place


def starts(option: Row) -> int:
    return int(option["value"].partition("-")[0])


def test_one_picture_tells_who_and_what_but_not_when(sitting: Sitting) -> None:
    """Of time, only where it happens to show the interaction."""
    if sitting.exam.questions[0]["subtask"] == "interaction_localisation":
        assert sitting.one(0.5) < 0.55
    else:
        assert sitting.one(0.5) >= 0.95

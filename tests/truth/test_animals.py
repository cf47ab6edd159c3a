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
from resources.worlds.animal.egopet import write_egopet
from resources.worlds.animal.plan import plan_animals
from resources.worlds.animal.truth import AnimalSpec
from tests.derivations.world import seconds, ticks

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

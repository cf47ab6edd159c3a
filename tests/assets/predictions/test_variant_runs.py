"""Variants and other readers through the store: what is sent, what is left out, what is bought."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assets.options import Options, silent
from assets.predictions import stage
from assets.report.readings import build_readings
from assets.scores.parity import stage as parity
from expectations.schemas import TABLES
from resources.config import Settings, load_settings
from resources.models import BUILT_IN, Capabilities
from resources.models.base import ask_each
from resources.models.runs import RunConfig
from tests.installation import own_copy

KEY = "egobridge.random"


@pytest.fixture
def settings(small_household: Path, tmp_path: Path) -> Settings:
    """A small installation with questions and no replies."""
    return load_settings(own_copy(small_household, tmp_path / "own") / "parallax.toml")


def with_run(settings: Settings, protocol: str) -> Settings:
    run = RunConfig("variant", "random", protocol, limit=20)
    return replace(settings, runs={**settings.runs, "variant": run})


def test_swapped_video_is_asked_with_the_media_of_others(settings: Settings) -> None:
    varied = with_run(settings, "direct+swapped_video")
    report, *_ = stage.STAGE.refresh(varied, "egobridge.variant", Options(), silent)
    questions = settings.store.read(TABLES["questions"], "egobridge")
    recordings = settings.store.read(TABLES["recordings"], "sample-egoexolearn")
    takes = dict(recordings.select("recording_id", "take_id").iter_rows())
    own = {
        row["question_id"]: {takes[m["recording_id"]] for m in row["media"]}
        for row in questions.iter_rows(named=True)
    }
    calls = settings.store.read(TABLES["calls"], "egobridge.variant")
    assert not calls.is_empty()
    assert set(calls["status"]) == {"ok"}
    for key, recipe in calls.select("question_id", "media_recipe").iter_rows():
        sent = {takes[m["recording_id"]] for m in json.loads(recipe)["media"]}
        assert sent
        assert sent.isdisjoint(own[key])
    asked = stage.asked_questions(varied, "egobridge", varied.runs["variant"])
    assert asked.asked.height == calls.height
    assert report.note == asked.sentence()
    assert stage.STAGE.is_fresh(varied, "egobridge.variant", Options())


def test_questions_without_the_variant_are_not_asked_and_are_no_errors(settings: Settings) -> None:
    varied = with_run(settings, "direct+ego_only")
    reports = stage.STAGE.refresh(varied, "egobridge.variant", Options(), silent)
    answers = settings.store.read(TABLES["answers"], "egobridge.variant")
    queries = settings.store.read(TABLES["questions"], "egobridge").filter(
        pl.col("subtask").str.contains("exo2ego")
    )
    # Egocentric options stay; of egocentric queries all options would be left out.
    assert answers.height == 20
    assert set(answers["question_id"]) <= set(queries["question_id"])
    assert set(answers["status"]) == {"parsed"}
    assert "would leave out its options, which are clips" in reports[0].note


class Parser:
    """Reads every reply as B."""

    capabilities = Capabilities()
    model = "parser@1"
    asked = 0

    def ask(self, batch: Any, media: Any) -> list[Any]:
        Parser.asked += len(batch)
        return ask_each(batch, lambda _: ("The answer is B", None, None))


def test_a_model_reads_replies_once_and_is_shown_beside_the_rules(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(BUILT_IN, "parser", lambda run: Parser())
    monkeypatch.setattr(Parser, "asked", 0)
    reader = RunConfig("parser", "parser", "own", price_per_million_tokens=1)
    benchmark = replace(settings.benchmarks["egobridge"], readers=("parser",))
    configured = replace(
        settings,
        text_models={**settings.text_models, "parser": reader},
        benchmarks={"egobridge": benchmark},
    )
    stage.STAGE.refresh(configured, KEY, Options(), silent)
    parity.STAGE.refresh(configured, KEY, Options(unattended=True), silent)
    rows = settings.store.read(TABLES["parity_answers"], KEY)
    assert set(rows["outcome"]) == {"not_asked"}, "nothing is bought unless a person asks"
    assert Parser.asked == 0

    parity.STAGE.refresh(configured, KEY, Options(), silent)
    rows = settings.store.read(TABLES["parity_answers"], KEY)
    answers = settings.store.read(TABLES["answers"], KEY)
    assert rows.height == answers.height
    assert set(rows["theirs"]) == {"B"}
    assert rows["agrees"].to_list() == (rows["ours"] == "B").to_list()
    calls = settings.store.read(TABLES["calls"], "texts.reading.parser")
    # Equal replies are read once.
    replies = settings.store.read(TABLES["calls"], KEY)["reply"]
    assert calls.height == Parser.asked == replies.n_unique()
    assert set(rows["reader_call_key"]) == set(calls["call_key"])
    assert all(
        text.startswith("Given a prediction for a multiple-choice") for text in calls["prompt"]
    )

    scores = settings.store.read(TABLES["parity_scores"], KEY).filter(slice="micro").to_dicts()[0]
    questions = settings.store.read(TABLES["questions"], "egobridge")
    share = questions.filter(pl.col("question_id").is_in(answers["question_id"].to_list()))
    assert scores["value"] == pytest.approx((share["answer"] == "B").mean())
    assert scores["effect"] == pytest.approx(scores["value"] - answers["right"].mean())

    shown = build_readings(
        rows,
        settings.store.read(TABLES["calls"], KEY).select("run", "call_key", "attempt", "reply"),
        questions.select("question_id", "answer"),
        most=3,
    )
    assert shown.n_differences == scores["n_differ"] == (rows["ours"] != "B").sum()
    assert len(shown.differences) == 3
    assert shown.differences[0].change in ("gained", "lost")

    assert parity.STAGE.is_fresh(configured, KEY, Options())
    parity.STAGE.refresh(configured, KEY, Options(), silent)
    assert Parser.asked == replies.n_unique()


def test_a_benchmark_without_other_readers_has_no_such_rows(settings: Settings) -> None:
    stage.STAGE.refresh(settings, KEY, Options(), silent)
    parity.STAGE.refresh(settings, KEY, Options(), silent)
    assert settings.store.read(TABLES["parity_answers"], KEY).is_empty()
    assert parity.published_reader(settings, "egobridge") is None

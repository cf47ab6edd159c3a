"""Questions about imitations of a simulated flat, held against what was done in it, and by the gates."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assets.options import Options, silent
from assets.pairs.sentences import sentence_key
from assets.questions.egoexobench.action_prediction_egome import BUILDER
from assets.sources.stage import STAGE as SOURCES
from expectations.gates import EvidenceTables, judge
from expectations.schemas import TABLES
from resources.config import load_settings
from resources.worlds.flat import FlatSpec
from resources.worlds.flat.egome import names, write_egome
from resources.worlds.flat.episodes import Performance, episodes

Row = dict[str, Any]
Tables = dict[str, pl.DataFrame]
SPEC = FlatSpec(kind="lemma", takes=3, render="none")
EPISODES = episodes(SPEC, unfaithful=True)
SHOWN: dict[str, Performance] = {
    uid: shown for at, episode in enumerate(EPISODES) for uid, shown in names(episode, at).items()
}


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    folder: Path = tmp_path_factory.mktemp("imitations")
    write_egome(SPEC, folder / "raw", workers=1)
    config = folder / "parallax.toml"
    config.write_text(
        'store = "tables"\n[sources.me]\nlayout = "egome"\nroot = "raw"\n', encoding="utf-8"
    )
    settings = load_settings(config)
    SOURCES.refresh(settings, "me", Options(), silent)
    found = {
        name: settings.store.read(TABLES[name], "me")
        for name in BUILDER.reads
        if name != "sentence_vectors"
    }
    # One dimension per sentence: only equal sentences mean the same here.
    sentences = found["segments"]["narration"].drop_nulls().unique().sort().to_list()
    rows = found["segments"].select("recording_id", "narration").unique().sort(pl.all())
    found["sentence_vectors"] = TABLES["sentence_vectors"].frame(
        {"source": "me", "recording_id": uid, "sentence": sentence_key(words), "model": "by hand"}
        | {"vector": [float(words == one) for one in sentences]}
        for uid, words in rows.iter_rows()
    )
    return found


@pytest.fixture(scope="module")
def questions(tables: Tables) -> list[Row]:
    return BUILDER.make(tables).to_dicts()


def test_the_answer_is_what_the_wearer_does_next(questions: list[Row]) -> None:
    assert len(questions) >= 12
    for row in questions:
        query, reference = row["media"]
        wearer, watched = SHOWN[query["recording_id"]], SHOWN[reference["recording_id"]]
        done = [a for a in wearer.actions if a.start_s < query["end_s"]]
        ahead = next(a for a in wearer.actions if a.start_s >= query["end_s"])
        assert 0.98 < ahead.start_s - query["end_s"] < 1.02
        said = {o["letter"]: o["text"].rstrip(".").casefold() for o in row["options"]}
        assert said[row["answer"]] == wearer.sentence(ahead)
        others = {words for letter, words in said.items() if letter != row["answer"]}
        assert len(others) == 3 and wearer.sentence(done[-1]) not in others
        assert said[row["answer"]] not in others
        # What is imitated is of the same task, and shows both steps in a row.
        assert (wearer.camera, watched.camera) == ("ego", "master")
        order = [watched.sentence(a) for a in watched.actions]
        pair = (wearer.sentence(done[-1]), wearer.sentence(ahead))
        assert watched.take.task == wearer.take.task
        assert pair in set(pairwise(order))


def test_an_imitation_that_is_wrong_on_purpose_is_not_asked_about(questions: list[Row]) -> None:
    faithful = {
        uid
        for at, episode in enumerate(EPISODES)
        for uid in names(episode, at)
        if episode.faithful and uid.endswith("_ego")
    }
    assert {row["recording_id"] for row in questions} == faithful
    assert len(faithful) == 2


def test_the_gates_derive_every_answer(questions: list[Row], tables: Tables) -> None:
    rows = TABLES["questions"].frame(
        {**row, "pool": f"me/{row['recipe']}/all"} for row in questions
    )
    said = judge(rows, EvidenceTables(tables, protocols={"direct": "midpoints(8)"}))
    refused = said.filter(pl.col("verdict") == "refuse")
    assert refused.select("gate", "rule", "message").rows() == []
    for gate in ("answer", "distractors", "consistent", "explanation", "margin", "leak"):
        assert set(said.filter(gate=gate)["verdict"]) == {"pass"}, gate

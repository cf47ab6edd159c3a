"""Answers in words are read again when a vocabulary or WordNet changes, and no others are."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from assets.predictions.stage import _read, wanted_answers
from expectations.schemas import TABLES
from resources.config import Settings, WordsConfig
from resources.store.tables import TableStore
from tests.assets.words.wordnet_folder import Synset, write_wordnet

KEY = "b.r"
ROWS = {
    # Question, its answer in words, the letters of its options, reply.
    "worded": ("cupboard", "", "the cabinet"),
    "lettered": (None, "AB", "B"),
}


def questions() -> pl.DataFrame:
    return TABLES["questions"].frame(
        {
            "benchmark": "b",
            "source": "s",
            "question_id": name,
            "question_hash": name,
            "text": "?",
            "options": [{"letter": x, "text": x, "segment_id": x} for x in letters],
            "answer": "B" if letters else None,
            "answer_text": answer,
            "chance": 0.0,
        }
        for name, (answer, letters, _) in ROWS.items()
    )


def write_terms(settings: Settings, *terms: str) -> None:
    row = {"source": "s", "taxonomy": "noun", "class_id": 1, "label": terms[0], "terms": terms}
    settings.store.replace(TABLES["taxonomies"], "s", ["noun"], TABLES["taxonomies"].frame([row]))


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    settings = Settings(home=tmp_path, store=TableStore(str(tmp_path / "t")), page=tmp_path / "p")
    common = {"benchmark": "b", "run": "r"}
    asked = [
        common | {"question_id": name, "question_hash": name, "call_key": name, "sample": 0}
        for name in ROWS
    ]
    calls = [
        common
        | {"question_id": name, "question_hash": name, "call_key": name, "attempt": 0}
        | {"reply": reply, "status": "ok", "asked_at": "2026-01-01T00:00:00Z"}
        for name, (*_, reply) in ROWS.items()
    ]
    settings.store.append(TABLES["requests"], KEY, TABLES["requests"].frame(asked))
    settings.store.append(TABLES["calls"], KEY, TABLES["calls"].frame(calls))
    write_terms(settings, "cupboard")
    return settings


def matches(settings: Settings) -> dict[str, str | None]:
    rows = _read(settings, KEY, questions(), list(ROWS)).tables["answers"]
    return dict(rows.select("question_id", "match").iter_rows())


def test_a_vocabulary_and_wordnet_find_matches(settings: Settings, tmp_path: Path) -> None:
    before = wanted_answers(settings, KEY, questions())
    assert matches(settings) == {"worded": "none_without_synsets", "lettered": None}

    write_terms(settings, "cupboard", "cabinet")
    listed = wanted_answers(settings, KEY, questions())
    assert {name for name in ROWS if listed[name] != before[name]} == {"worded"}
    assert matches(settings)["worded"] == "class_map"

    write_terms(settings, "cupboard")
    folder = write_wordnet(tmp_path / "dict", [Synset("noun", ["cupboard", "cabinet"])])
    words = WordsConfig(str(folder))
    known = Settings(home=tmp_path, store=settings.store, page=settings.page, words=words)
    found = wanted_answers(known, KEY, questions())
    assert {name for name in ROWS if found[name] != before[name]} == {"worded"}
    assert matches(known)["worded"] == "synset"

    write_wordnet(folder, [Synset("noun", ["cupboard"]), Synset("noun", ["cabinet"])])
    other = wanted_answers(known, KEY, questions())
    assert {name for name in ROWS if other[name] != found[name]} == {"worded"}
    assert matches(known)["worded"] == "none"
    assert wanted_answers(settings, KEY, questions()) == before

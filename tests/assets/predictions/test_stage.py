"""Replies and answers through the store: which reply counts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partialmethod
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

from assets.options import Options, silent
from assets.predictions import answers, stage
from assets.protocols import declared
from assets.protocols.declared import default_protocols
from assets.scores.table import score
from expectations.schemas import TABLES
from expectations.schemas.views import SCORE_ITEMS
from pipelines.run.failed_calls import failed_call_lines
from resources.config import Settings, load_settings
from resources.media.reader import MediaReader
from resources.models.calls.preparation import Preparation
from tests.installation import own_copy

KEY = "egobridge.random"


@pytest.fixture
def settings(small_household: Path, tmp_path: Path) -> Settings:
    """A small installation with questions and no replies."""
    return load_settings(own_copy(small_household, tmp_path / "own") / "parallax.toml")


def answered(settings: Settings) -> dict[str, str]:
    """Call that each answer was read from."""
    stage.STAGE.refresh(settings, KEY, Options(), silent)
    rows = settings.store.read(TABLES["answers"], KEY)
    return dict(rows.select("question_id", "call_key").iter_rows())


def test_a_protocol_that_goes_back_is_answered_by_its_own_replies(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = answered(settings)
    assert len(first) == 20
    direct = replace(default_protocols()["direct"], version=99)
    with monkeypatch.context() as patch:
        patch.setattr(declared, "default_protocols", lambda *_: {"direct": direct})
        second = answered(settings)
    assert second.keys() == first.keys()
    assert not set(second.values()) & set(first.values())

    assert answered(settings) == first
    calls = settings.store.read(TABLES["calls"], KEY)
    assert calls.height == 40, "nothing that was bought is bought again or lost"
    assert calls["call_key"].is_unique().all()


def test_without_asking_only_replies_that_are_there_are_read(settings: Settings) -> None:
    run = replace(settings.runs["random"], auto=False)
    untold = replace(settings, runs={"random": run})
    reports = stage.STAGE.refresh(untold, KEY, Options(unattended=True), silent)
    assert "asks only runs with `auto = true`" in reports[0].note
    assert settings.store.read(TABLES["calls"], KEY).is_empty()
    assert settings.store.read(TABLES["answers"], KEY).is_empty()
    stage.STAGE.refresh(settings, KEY, Options(unattended=True), silent)
    assert settings.store.read(TABLES["calls"], KEY).height == 20


def refused(settings: Settings) -> pl.DataFrame:
    """Replies that a reader failed on."""
    return settings.store.scan(TABLES["quarantine"]).filter(rule="reader_error").collect()


def test_a_reply_that_no_reader_can_read_is_named_and_loses_no_other(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_option, asked = answers.read_option, 0

    def failing(*given: Any, **named: Any) -> Any:
        nonlocal asked
        asked += 1
        if asked == 3:
            raise KeyError("third")
        return read_option(*given, **named)

    with monkeypatch.context() as patch:
        patch.setattr(answers, "read_option", failing)
        first = answered(settings)
    assert len(first) == asked == 20
    rows = settings.store.read(TABLES["answers"], KEY)
    (unread,) = rows.filter(status="error").to_dicts()
    assert (unread["rule"], unread["right"]) == ("reader_error", False)
    (row,) = refused(settings).to_dicts()
    assert (row["source"], row["stage"], row["unit"]) == (KEY, "answers", unread["question_id"])
    assert "KeyError: 'third'" in row["message"] and "report it" in row["remedy"]
    scored = score(rows).with_columns(run=pl.lit("random"))
    settings.store.replace(TABLES["scores"], KEY, ["random"], scored)
    (line,) = failed_call_lines(settings, [KEY])
    assert line.startswith("egobridge.random: replies that cannot be read and are in no score: 1;")

    # Another version of the readers reads it again, and no call is made.
    monkeypatch.setattr(stage, "code_version", lambda of: f"next {of.__name__}")
    assert answered(settings) == first
    rows = settings.store.read(TABLES["answers"], KEY)
    assert rows.filter(status="error").is_empty() and refused(settings).is_empty()
    assert settings.store.read(TABLES["calls"], KEY).height == 20
    assert list(failed_call_lines(settings, [KEY])) == []


def test_a_question_that_goes_takes_its_answer_and_leaves_its_call(settings: Settings) -> None:
    first = answered(settings)
    questions = settings.store.read(TABLES["questions"], "egobridge")
    gone = min(first)
    pool = questions.filter(pl.col("question_id") == gone)["pool"][0]
    kept = questions.filter((pl.col("pool") == pool) & (pl.col("question_id") != gone))
    settings.store.replace(TABLES["questions"], "egobridge", [pool], kept)

    left = answered(settings)
    assert gone not in left
    calls = settings.store.read(TABLES["calls"], KEY)
    assert gone in set(calls["question_id"])


def test_several_replies_to_each_question_are_kept_and_scored_as_their_mean(
    settings: Settings,
) -> None:
    once = answered(settings)
    run = replace(settings.runs["random"], samples=3)
    several = replace(settings, runs={**settings.runs, "random": run})
    assert not stage.STAGE.is_fresh(several, KEY, Options())
    answered(several)
    calls, answers = (settings.store.read(TABLES[name], KEY) for name in ("calls", "answers"))
    assert calls.height == answers.height == 3 * len(once), "the first replies are not bought again"
    firsts = answers.filter(sample=0)
    assert dict(firsts.select("question_id", "call_key").iter_rows()) == once
    scores = score(answers)
    (whole,) = scores.filter(slice="micro").to_dicts()
    assert (whole["n"], whole["samples"]) == (len(once), 3)
    assert whole["value"] == pytest.approx(answers["right"].mean())
    assert weighed(settings, answers, scores) == {
        (row["slice"]): pytest.approx(row["value"]) for row in scores.to_dicts()
    }

    assert answered(settings) == once
    assert settings.store.read(TABLES["calls"], KEY).height == calls.height


def weighed(settings: Settings, answers: pl.DataFrame, scores: pl.DataFrame) -> dict[str, float]:
    """Values of scores as the view `score_items` adds them up."""
    questions = settings.store.read(TABLES["questions"], "egobridge")
    with duckdb.connect() as connection:
        for name, table in (("answers", answers), ("scores", scores), ("questions", questions)):
            connection.register(name, table.to_arrow())
        sums = f'SELECT slice, sum(weight * "right"::INT) FROM ({SCORE_ITEMS.sql}) GROUP BY slice'
        return dict(connection.execute(sums).fetchall())


def test_frames_are_decoded_once_for_all_runs_and_nothing_is_seen_otherwise(
    small_household: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PARALLAX_CACHE", str(tmp_path / "cache"))
    decoded: list[tuple[str, int]] = []
    each = MediaReader.each

    def counted(self: MediaReader, recording: str, part: int, stamps: list[int]) -> Iterator[Any]:
        for stamp, frame in each(self, recording, part, stamps):
            decoded.append((recording, stamp))
            yield stamp, frame

    monkeypatch.setattr(MediaReader, "each", counted)

    def looked(name: str) -> list[dict[str, Any]]:
        made = load_settings(own_copy(small_household, tmp_path / name) / "parallax.toml")
        run = replace(made.runs["random"], name="looks", engine="image_similarity", limit=6)
        made = replace(made, runs={"looks": run})
        stage.STAGE.refresh(made, "egobridge.looks", Options(), silent)
        calls = made.store.read(TABLES["calls"], "egobridge.looks")
        seen = calls.select("call_key", "status", "reply", "option_scores", "bytes_hash")
        return seen.sort("call_key").to_dicts()

    first = looked("first")
    assert len(first) == 6 and {call["status"] for call in first} == {"ok"}
    assert len(decoded) == len(set(decoded)) > 8
    n = len(decoded)
    assert looked("second") == first
    assert len(decoded) == n, "all of it was kept"
    monkeypatch.setenv("PARALLAX_FRAMES_GB", "0")
    # Nothing is read ahead either: the engine reads each clip when it comes to it.
    monkeypatch.setattr(Preparation, "__init__", partialmethod(Preparation.__init__, reads=False))
    assert looked("third") == first
    assert len(decoded) > n

"""Once around: questions go out with their frames, decisions come in, and the gate follows them."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from assets.options import Options, silent
from assets.question_reviews.stage import STAGE as QUESTION_REVIEWS
from assets.questions.gating import STAGE as GATES
from assets.sources.stage import STAGE as SOURCES
from expectations.checks.results import question_review_check
from expectations.gates import published
from expectations.schemas import TABLES
from pipelines.cli import app
from resources.config import Settings, load_settings
from tests.installation import own_copy

BENCH = "egobridge"
PEOPLE = '\n[sources.people]\nlayout = "reviews"\nroot = "people"\n'


@pytest.fixture
def settings(small_household: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    base = own_copy(small_household, tmp_path / "own", PEOPLE)
    file = base / "parallax.toml"
    text = file.read_text()
    file.write_text(text.replace('root = "sample"\n', 'root = "sample"\nreviews = ["people"]\n'))
    (base / "people").mkdir()
    monkeypatch.setenv("PARALLAX_CONFIG", str(file))
    return load_settings(file)


def parallax(*words: str) -> str:
    done = CliRunner().invoke(app, list(words))
    assert done.exit_code == 0, done.output
    return done.output


def decide(home: Path, rows: list[dict[str, str]]) -> None:
    with (home / "people" / "round-1.csv").open("w", newline="") as handle:
        writer = csv.DictWriter(handle, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)


def test_a_rejected_question_is_refused_and_stays_with_its_verdict(settings: Settings) -> None:
    home = settings.home
    ask = ("review", "queue", BENCH, "--what", "questions", "--per-subtask", "1")
    parallax(*ask, "--out", str(home / "q.csv"))
    parallax(*ask, "--format", "label-studio", "--out", str(home / "q.json"),
             "--frames", str(home / "frames"))  # fmt: skip
    rows = list(csv.DictReader(io.StringIO((home / "q.csv").read_text("utf-8-sig"))))
    tasks = json.loads((home / "q.json").read_text())
    assert [task["data"]["item_id"] for task in tasks] == [row["item_id"] for row in rows]
    for address in tasks[0]["data"]["frames"]:
        file = home / "frames" / address.removeprefix("/data/local-files/?d=frames/")
        assert file.read_bytes().startswith(b"\xff\xd8\xff")
    rows[0] |= {"verdict": "reject", "reviewer": "ann", "note": "the hand is out of the picture"}
    decide(home, rows)

    SOURCES.refresh(settings, "people", Options(), silent)
    (report,) = GATES.refresh(settings, BENCH, Options(), silent)
    QUESTION_REVIEWS.refresh(settings, BENCH, Options(), silent)
    (row,) = settings.store.read(TABLES["question_reviews"], BENCH).to_dicts()
    assert (row["question_id"], row["state"]) == (rows[0]["item_id"], "standing")
    assert report.computed == [row["pool"]], "only its own unit is judged again"
    verdicts = settings.store.read(TABLES["question_gates"], BENCH)
    (said,) = verdicts.filter(gate="reviewed", verdict="refuse").to_dicts()
    assert said["message"] == "rejected by ann: the hand is out of the picture"
    questions = settings.store.read(TABLES["questions"], BENCH)
    assert row["question_id"] in questions["question_id"]
    assert row["question_id"] not in published(questions, verdicts)["question_id"]
    assert question_review_check(settings, BENCH).description == (
        "1 of 1 reviewed questions count; 1 are rejected"
    )
    assert "1 questions judged, 1 rejected" in parallax("review", "status")
    # Where only accepted questions are published, all others are refused.
    file = home / "parallax.toml"
    text, bench = file.read_text(), f"[benchmarks.{BENCH}]\n"
    file.write_text(text.replace(bench, f"{bench}accepted_only = true\n"))
    GATES.refresh(load_settings(file), BENCH, Options(), silent)
    verdicts = settings.store.read(TABLES["question_gates"], BENCH)
    assert published(questions, verdicts).is_empty()
    decide(home, [rows[0] | {"verdict": "accept", "reviewer": "bob"}])
    SOURCES.refresh(settings, "people", Options(allow_deletes=True), silent)
    GATES.refresh(load_settings(file), BENCH, Options(), silent)
    verdicts = settings.store.read(TABLES["question_gates"], BENCH)
    assert set(published(questions, verdicts)["question_id"]) <= {row["question_id"]}
    assert verdicts.filter(gate="reviewed", verdict="pass")["question_id"].to_list() == [
        row["question_id"]
    ]
    file.write_text(text)
    # Withdrawn, the decision refuses nothing.
    decide(home, [rows[0] | {"verdict": "", "reviewer": "", "note": ""}])
    SOURCES.refresh(settings, "people", Options(allow_deletes=True), silent)
    GATES.refresh(settings, BENCH, Options(), silent)
    verdicts = settings.store.read(TABLES["question_gates"], BENCH)
    assert verdicts.filter(
        (pl.col("gate") == "reviewed") & (pl.col("verdict") == "refuse")
    ).is_empty()

"""Once around: a server rewords templates, rules refuse, people accept a domain's sample, questions follow."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

from assets.options import Options, silent
from assets.questions.expansion.stage import STAGE as WORDINGS
from assets.questions.expansion.stage import expansion_lines
from assets.questions.gating import STAGE as GATES
from assets.questions.stage import STAGE as QUESTIONS
from assets.report.stage import write_page
from assets.sources.stage import STAGE as SOURCES
from expectations.schemas import TABLES
from pipelines.cli import app
from pipelines.run.failed_calls import failed_call_lines
from resources.config import Settings, load_settings
from resources.worlds.surgery.cholectrack20 import write_cholectrack20
from resources.worlds.surgery.truth import SurgerySpec
from tests.resources.models.chat_server import ChatServer, Say, chat_server, completion

BENCH = "egocross"
CONFIG = """
store = "tables"
page = "report/index.html"
[sources.operations]
layout = "cholectrack20"
root = "raw"
reviews = ["people"]
[sources.people]
layout = "reviews"
root = "people"
[text_models.model]
engine = "openai_server"
model = "some-model"
base_url = "{url}"
[benchmarks.egocross]
sources = ["operations"]
"""
LOCALISED = (
    "Approximately in which region of the view was the '{tool}' (operated by {operator}) located"
)
PHASE = "Which phase of the operation comes next, after the end of this video?"
SAID = {
    PHASE: [
        "After the end of this video, which phase of the operation is next?",
        "Which phase of the operation comes before the end of this video?",
        "After the end of this video, which phase of the operation is next?",
    ],
    f"{LOCALISED} around timestamp {{at_s}}s?": [
        "Around timestamp {at_s}s, in which region of the view was the '{tool}' (operated by {operator})?"
    ],
}


def reply(prompt: str, said: dict[str, list[str]]) -> str:
    """Good rewordings of two templates, and the template itself of every other."""
    (template,) = re.findall(r"^Template: (.*)$", prompt, re.MULTILINE)
    return f"```json\n{json.dumps({'Rewordings': said.get(template, [template])})}\n```"


def answering(server: ChatServer, said: dict[str, list[str]]) -> None:
    server.answer = lambda body: Say(body=completion(reply(body["messages"][-1]["content"], said)))


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    with chat_server() as made:
        answering(made, SAID)
        yield made


@pytest.fixture
def settings(tmp_path: Path, server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> Settings:
    (tmp_path / "people").mkdir()
    (tmp_path / "people" / "empty.txt").write_text("")
    file = tmp_path / "parallax.toml"
    file.write_text(CONFIG.format(url=server.url))
    monkeypatch.setenv("PARALLAX_CONFIG", str(file))
    return load_settings(file)


def with_model(settings: Settings) -> Settings:
    file = settings.home / "parallax.toml"
    file.write_text(file.read_text() + 'writer = "model"\n')
    return load_settings(file)


def built(settings: Settings) -> dict[str, dict[str, Any]]:
    for stage in (WORDINGS, QUESTIONS):
        stage.refresh(settings, BENCH, Options(allow_deletes=True), silent)
    rows = settings.store.read(TABLES["questions"], BENCH)
    return {row["question_id"]: row for row in rows.iter_rows(named=True)}


def decide(
    settings: Settings, verdict: str, name: str, reviewer: str = "ann"
) -> list[dict[str, str]]:
    """Fill in the queue of rewordings, as a person would."""
    out = settings.home / f"{name}.csv"
    words = ("review", "queue", BENCH, "--what", "wordings", "--out", str(out))
    done = CliRunner().invoke(app, list(words))
    assert done.exit_code == 0, done.output
    rows = list(csv.DictReader(io.StringIO(out.read_text("utf-8-sig"))))
    filled = [row | {"verdict": verdict, "reviewer": reviewer, "note": "stilted"} for row in rows]
    if rows:
        with (settings.home / "people" / f"{name}.csv").open("w", newline="") as handle:
            writer = csv.DictWriter(handle, rows[0].keys())
            writer.writeheader()
            writer.writerows(filled)
        SOURCES.refresh(settings, "people", Options(allow_deletes=True), silent)
    return rows


def moved(before: dict[str, dict], after: dict[str, dict]) -> set[str]:
    assert before.keys() == after.keys(), "ids stay"
    return {uid for uid, row in before.items() if after[uid] != row}


def test_a_rewording_is_asked_in_once_a_sample_of_its_domain_is_accepted(
    settings: Settings, server: ChatServer
) -> None:
    spec = SurgerySpec(videos=2, duration_s=70, render="none")
    write_cholectrack20(spec, settings.home / "raw", workers=1)
    SOURCES.refresh(settings, "operations", Options(), silent)
    plain = built(settings)
    assert settings.store.read(TABLES["wordings"], BENCH).is_empty() and server.got == []
    (line,) = expansion_lines(settings, BENCH)
    assert "no model is configured to reword templates" in line
    GATES.refresh(settings, BENCH, Options(), silent)
    assert line in write_page(settings, BENCH).read_text(encoding="utf-8")

    # What a model proposes is kept with its call, and changes no question before people saw it.
    settings = with_model(settings)
    assert moved(plain, built(settings)) == set()
    rows = settings.store.read(TABLES["wordings"], BENCH)
    counts = dict(rows.group_by("status", "rule").len().select(
        pl.struct("status", "rule").map_elements(lambda s: (s["status"], s["rule"]), pl.Object), "len"
    ).rows())  # fmt: skip
    assert counts["usable", None] == 2
    assert counts["refused", "order"] == 1 and counts["refused", "repeated"] == 1
    n = rows["template_id"].n_unique()
    assert counts["refused", "repeats_template"] == n - 2 and len(server.got) == n
    calls = settings.store.read(TABLES["calls"], "texts.egocross_template_expansion.model")
    assert set(rows["call_key"]) == set(calls["call_key"])
    assert list(failed_call_lines(settings, [BENCH])) == []

    # People see a tenth of the domain's questions in each, at least one.
    queue = decide(settings, "accept", "round-1")
    assert {row["item_id"].split("/")[0] for row in queue} == {"surgery"} and len(queue) == 2
    for row in queue:
        of = [q for q in plain.values() if q["subtask"] == row["subtask"]]
        if row["subtask"] == "object_localisation":
            of = [q for q in of if "(operated by" in q["text"]]
        shown = len(re.findall(r"^\d+\. ", row["text"], re.MULTILINE))
        assert shown == -(-len(of) // 10) and row["text"].startswith("Template: ")
    after = built(settings)
    changed = moved(plain, after)
    words = {after[uid]["text"] for uid in changed}
    assert words and all(
        re.fullmatch(r"After the end of this video, which phase of the operation is next\?"
                     r"|Around timestamp [\d.]+s, in which region .*\?", text) for text in words
    )  # fmt: skip
    assert {after[uid]["subtask"] for uid in changed} == {"next_phase", "object_localisation"}
    kept = [uid for uid in after if after[uid]["subtask"] == "next_phase" and uid not in changed]
    assert kept, "the plain template stays one of the wordings"
    for uid in changed:
        same = plain[uid].keys() - {"text", "question_hash", "evidence"}
        assert {name: after[uid][name] for name in same} == {n: plain[uid][n] for n in same}

    # The gates judge them as they judged the plain ones.
    def refused() -> set[tuple[str, str, str]]:
        said = settings.store.read(TABLES["question_gates"], BENCH)
        bad = said.filter(pl.col("verdict") != "pass")
        return set(bad.select("question_id", "gate", "verdict").iter_rows())

    before = refused()
    (report,) = GATES.refresh(settings, BENCH, Options(), silent)
    assert {unit.split("/")[1] for unit in report.computed} == {
        "next_phase@1",
        "object_localisation@1",
    }
    assert refused() == before
    assert "surgery: 2 of 2 rewordings accepted" in expansion_lines(settings, BENCH)[1]

    # A rejection moves the questions of its rewording alone, back to plain words; the queue is empty then.
    (phases,) = (row for row in queue if row["subtask"] == "next_phase")
    with (settings.home / "people" / "round-2.csv").open("w", newline="") as handle:
        writer = csv.DictWriter(handle, phases.keys())
        writer.writeheader()
        said = {"reviewer": "bea", "note": "it is the phase after the video"}
        writer.writerow(phases | said | {"verdict": "reject", "round": "2"})
    SOURCES.refresh(settings, "people", Options(), silent)
    WORDINGS.refresh(settings, BENCH, Options(), silent)
    (report,) = QUESTIONS.refresh(settings, BENCH, Options(), silent)
    assert {unit.split("/")[1] for unit in report.computed} == {"next_phase@1"}
    rejected = built(settings)
    assert {rejected[uid]["subtask"] for uid in moved(after, rejected)} == {"next_phase"}
    assert {uid for uid in rejected if rejected[uid] != plain[uid]} == {
        uid for uid in changed if after[uid]["subtask"] == "object_localisation"
    }
    assert decide(settings, "accept", "round-3") == []
    status = CliRunner().invoke(app, ["review", "status"]).output
    assert "surgery: 1 of 2 rewordings accepted, 1 rejected" in status
    assert "it is the phase after the video" in status

    # Reviewers of one round who disagree are not followed, and their agreement is told.
    with (settings.home / "people" / "round-2b.csv").open("w", newline="") as handle:
        writer = csv.DictWriter(handle, phases.keys())
        writer.writeheader()
        writer.writerow(phases | {"reviewer": "cec", "verdict": "accept", "round": "2"})
    SOURCES.refresh(settings, "people", Options(), silent)
    assert moved(rejected, built(settings)) == set()
    reviews = settings.store.read(TABLES["wording_reviews"], BENCH)
    assert sorted(reviews["state"]) == ["conflict", "standing"]
    agreed = settings.store.read(TABLES["wording_agreement"], BENCH)
    assert agreed.filter(round=2)["n_annotators"].to_list() == [2]

    # Nothing was asked twice; without a model all questions are in plain words again.
    assert len(server.got) == n
    file = settings.home / "parallax.toml"
    file.write_text(file.read_text().replace('writer = "model"\n', ""))
    assert moved(plain, built(load_settings(file))) == set()


def test_a_reply_that_cannot_be_read_is_refused_and_a_failed_call_is_told(
    settings: Settings, server: ChatServer
) -> None:
    server.answer = lambda body: Say(body=completion("I would rather not."))
    settings = with_model(settings)
    SOURCES.refresh(settings, "people", Options(), silent)
    WORDINGS.refresh(settings, BENCH, Options(), silent)
    rows = settings.store.read(TABLES["wordings"], BENCH)
    assert set(rows.select("status", "rule", "place").iter_rows()) == {("refused", "no_json", 0)}
    server.answer = lambda body: Say(status=400, body={"error": {"message": "no"}})
    file = settings.home / "parallax.toml"
    file.write_text(file.read_text().replace("some-model", "another-model"))
    settings = load_settings(file)
    WORDINGS.refresh(settings, BENCH, Options(), silent)
    rows = settings.store.read(TABLES["wordings"], BENCH)
    assert set(rows["status"]) == {"error"}
    (line,) = failed_call_lines(settings, [BENCH])
    assert f"rewordings of {BENCH}: {rows.height} templates have none" in line
    answering(server, SAID)

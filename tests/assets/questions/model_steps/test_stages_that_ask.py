"""Questions and gates of a simulated flat, written and judged by a real server."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import polars as pl

from assets.options import Options, silent
from assets.questions.gating import STAGE as GATES
from assets.questions.model_steps.steps import writing_step
from assets.questions.stage import STAGE as QUESTIONS
from assets.report.stage import write_page
from assets.sources.stage import STAGE as SOURCES
from expectations.schemas import TABLES
from pipelines.run.failed_calls import failed_call_lines
from resources.config import load_settings
from resources.worlds.flat import FlatSpec, lemma
from tests.resources.models.chat_server import Say, chat_server, completion

CONFIG = """
store = "tables"
[sources.flat]
layout = "lemma"
root = "raw"
[text_models.model]
engine = "openai_server"
model = "some-model"
base_url = "{url}"
concurrency = 4
[benchmarks.egoexobench]
sources = ["flat"]
"""
ASKING = CONFIG + 'writer = "model"\nchecker = "model"\n'


def reply(prompt: str) -> str:
    """Answers every prompt; names no listed action after one that gets something, and doubts cups."""
    if prompt.startswith("For the current action"):
        if "Current action: get" in prompt:
            return "do something else"
        return re.findall(r"^Actions: (.*)$", prompt, re.MULTILINE)[0].split(", ")[0]
    if prompt.startswith("You are an assistant"):
        return str("the cup" not in prompt)
    if prompt.startswith("Carefully"):
        return "B"
    following, _, statement = prompt.partition("Statement: ")
    after = re.findall(r'Right after that, the person does "([^"]*)"', following)
    return str(
        bool(after) and statement.startswith("Right after") and f'does "{after[0]}".' in statement
    )


def test_a_run_asks_once_and_shows_what_was_refused(tmp_path: Path) -> None:
    lemma.write_lemma(FlatSpec(kind="lemma", takes=7, render="none"), tmp_path / "raw", workers=1)
    path = tmp_path / "parallax.toml"
    questions, steps, gates = (
        TABLES[name] for name in ("questions", "question_steps", "question_gates")
    )
    with chat_server() as server:
        server.answer = lambda body: Say(body=completion(reply(body["messages"][-1]["content"])))
        path.write_text(CONFIG.format(url=server.url), encoding="utf-8")
        settings = load_settings(path)
        SOURCES.refresh(settings, "flat", Options(), silent)
        QUESTIONS.refresh(settings, "egoexobench", Options(), silent)
        plain = settings.store.read(questions, "egoexobench")
        assert server.got == []
        path.write_text(ASKING.format(url=server.url), encoding="utf-8")
        settings = load_settings(path)
        (report,) = QUESTIONS.refresh(settings, "egoexobench", Options(), silent)
        # Only units that a step concerns are made again.
        recipes = {unit.split("/")[1] for unit in report.computed}
        assert "action_prediction_lemma@1" in recipes
        assert all(writing_step("egoexobench", recipe) for recipe in recipes)
        asked = settings.store.read(steps, "egoexobench")
        made = settings.store.read(questions, "egoexobench")
        counts = Counter(asked.select("status", "rule").iter_rows())
        assert counts.keys() == {("used", None), ("refused", "not_listed")}
        assert "refused (not_listed)" in report.note and "written by model" in report.note
        stand_ins = plain.filter(pl.col("recipe") == "action_prediction_lemma@1")
        getting = pl.col("detailed_answer").str.contains('video shows "get', literal=True)
        assert counts["refused", "not_listed"] == stand_ins.filter(getting).height > 0
        written = made.filter(pl.col("recipe") == "action_prediction_lemma_written@1")
        assert set(asked["asked_id"]) == set(stand_ins["question_id"])
        assert set(asked["question_id"].drop_nulls()) == set(written["question_id"])
        assert not set(written["question_id"]) & set(plain["question_id"])
        others = pl.col("recipe") != "action_prediction_lemma@1"
        rest = made.filter(~pl.col("question_id").is_in(written["question_id"].implode()))
        assert rest.equals(plain.filter(others))

        GATES.refresh(settings, "egoexobench", Options(), silent)
        said = settings.store.read(gates, "egoexobench")
        refused = said.filter(pl.col("verdict") == "refuse")
        rules = Counter(refused.select("subtask", "gate", "rule").iter_rows())
        assert rules.keys() == {
            ("action_order", "consistent", "order_not_needed"),
            ("action_prediction", "blind", "answered_from_text"),
        }
        from_text = written.filter(pl.col("answer") == "B").height
        assert rules["action_prediction", "blind", "answered_from_text"] == from_text > 0
        cups = plain.filter(
            (pl.col("subtask") == "action_order")
            & pl.col("detailed_answer").str.contains("the cup", literal=True)
        ).height
        assert rules["action_order", "consistent", "order_not_needed"] == cups > 0
        page = write_page(settings, "egoexobench").read_text(encoding="utf-8")
        assert "sound in the writers words" in page
        costs = settings.store.read(TABLES["costs"], "texts.egoexobench_action_order.model")
        assert costs["n_calls"].sum() > 0
        assert list(failed_call_lines(settings, ["egoexobench"])) == []

        asked_so_far = len(server.got)
        assert len({got.texts()[0] for got in server.got}) == asked_so_far
        for stage in (QUESTIONS, GATES):
            assert stage.is_fresh(settings, "egoexobench", Options())
        for stage in (QUESTIONS, GATES):
            stage.refresh(settings, "egoexobench", Options(), silent)
        assert len(server.got) == asked_so_far

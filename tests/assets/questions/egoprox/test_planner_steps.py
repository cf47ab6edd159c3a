"""A model that chooses the planner's tools, asked over HTTP; its answer is compared with the question's own."""

from __future__ import annotations

import json
import re
from pathlib import Path

import polars as pl
import pytest

from assets.keysteps.stage import ORDER, PLACES
from assets.options import Options, silent
from assets.questions.egoprox.planner_steps import FORM, MOST
from assets.questions.gating import STAGE as GATES
from assets.questions.model_steps.forms import Unsound
from assets.questions.stage import STAGE as QUESTIONS
from assets.report.stage import write_page
from assets.scene_graphs.stage import STAGE as SCENE_GRAPHS
from assets.sources.stage import STAGE as SOURCES
from expectations.schemas import TABLES
from resources.config import load_settings
from resources.worlds.court.session_egoexo4d import write_training
from resources.worlds.court.truth import CourtSpec
from tests.resources.models.chat_server import Say, chat_server, completion

CONFIG = """
store = "tables"
[sources.world]
layout = "egoexo4d"
root = "raw"
[benchmarks.egoprox]
sources = ["world"]
checker = "model"
[text_models.model]
engine = "openai_server"
model = "some-model"
base_url = "{url}"
"""
RIGHT = ["keystep_extractor", "chain_constructor"]


@pytest.mark.parametrize(
    "reply",
    [
        "visibility",
        '{"tools": []}',
        '{"tools": ["telescope"]}',
        json.dumps({"tools": ["visibility"] * (MOST + 1)}),
        '{"tools": ["visibility"], "answer": "B"}',
    ],
)
def test_replies_that_are_no_choice_are_refused(reply: str) -> None:
    with pytest.raises(Unsound):
        FORM.value(reply)


def test_the_model_chooses_and_the_verdict_tells_whether_the_answer_is_the_same(
    tmp_path: Path,
) -> None:
    write_training(CourtSpec(render="none"), tmp_path / "raw", workers=1)
    with chat_server() as server:
        # In turn a question gets the right tools, too few of them, and no choice.
        replies = [
            json.dumps({"tools": RIGHT}),
            '{"tools": ["keystep_extractor"]}',
            "I cannot tell.",
        ]
        prompts: list[str] = []

        def answer(body: dict) -> Say:
            prompts.append(body["messages"][-1]["content"])
            return Say(body=completion(replies[(len(prompts) - 1) % 3]))

        server.answer = answer
        path = tmp_path / "parallax.toml"
        path.write_text(CONFIG.format(url=server.url), encoding="utf-8")
        settings = load_settings(path)
        for stage in (SOURCES, SCENE_GRAPHS, ORDER, PLACES):
            stage.refresh(settings, "world", Options(), silent)
        for stage in (QUESTIONS, GATES):
            stage.refresh(settings, "egoprox", Options(), silent)
        questions = settings.store.read(TABLES["questions"], "egoprox")
        assert len(prompts) == questions.height >= 6
        for prompt in prompts:
            assert f"at most {MOST} calls" in prompt
            assert "chain_constructor: all valid orders" in prompt
        assert not any(text in prompt for text in questions["answer_text"] for prompt in prompts)
        verdicts = settings.store.read(TABLES["question_gates"], "egoprox").filter(
            pl.col("gate") == "consistent"
        )
        found = dict(verdicts.group_by("rule").agg(pl.col("verdict").unique()).iter_rows())
        assert found == {
            "model_tools_agree": ["pass"],
            "model_tools_give_none": ["warn"],
            "no_model_verdict": ["unknown"],
        }
        agreeing = verdicts.filter(pl.col("rule") == "model_tools_agree")["message"][0]
        assert re.fullmatch(
            r"by the tools that model some-model .* chose \(keystep_extractor, chain_constructor\) the answer"
            " is the same",
            agreeing,
        )
        page = write_page(settings, "egoprox").read_text(encoding="utf-8")
        assert agreeing in page
        assert "Tools (2 calls): they give this answer" in page
        assert 'class="move also"' in page

        asked = len(prompts)
        GATES.refresh(settings, "egoprox", Options(), silent)
        assert len(prompts) == asked

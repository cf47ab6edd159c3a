"""Which models may be asked, and which only by a person."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assets.options import Options
from resources.config import load_settings
from resources.models.runs import RunConfig


def run(**keys: Any) -> RunConfig:
    return RunConfig("r", "openai_server", "direct", model="m", **keys)


LOCAL = run(base_url="http://127.0.0.1:8000/v1")
ELSEWHERE = run(base_urls=("http://localhost:8000/v1", "https://api.example.org/v1"))
PRICED = run(base_url="http://[::1]:8000/v1", price_per_million_tokens=1)
FREE = run(base_url="https://api.example.org/v1", price_per_million_tokens=0)
IN_PROCESS = RunConfig("r", "smollm2", "direct")


@pytest.mark.parametrize(
    ("model", "costs"),
    [(LOCAL, False), (ELSEWHERE, True), (PRICED, True), (FREE, False), (IN_PROCESS, False)],
)
def test_a_model_may_cost_by_its_price_or_its_place(model: RunConfig, costs: bool) -> None:
    assert model.may_cost == costs
    # Nothing that may cost is asked unless a person started the run.
    assert Options().may_ask(model)
    assert Options(unattended=True).may_ask(model) != costs


def test_a_model_says_itself_that_automation_may_ask_it() -> None:
    told = run(base_url="https://api.example.org/v1", price_per_million_tokens=1, auto=True)
    assert Options(unattended=True).may_ask(told)
    assert Options(unattended=True).may_ask(told, needs_auto=True)
    # Runs and judges may keep a machine busy for days: automation does not start them by itself.
    assert not Options(unattended=True).may_ask(IN_PROCESS, needs_auto=True)
    assert Options().may_ask(IN_PROCESS, needs_auto=True)


def test_text_models_say_it_as_runs_do(tmp_path: Path) -> None:
    file = tmp_path / "parallax.toml"
    file.write_text(
        'store = "tables"\n[text_models.m]\nengine = "openai_server"\nmodel = "m"\nauto = true\n'
        'base_url = "https://api.example.org/v1"\n'
    )
    model = load_settings(file).text_models["m"]
    assert model.may_cost
    assert Options(unattended=True).may_ask(model)

"""What costs money is asked by a person's run, and by none that automation starts, unless it says `auto`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from assets.dagster import OptionsResource
from assets.options import Options, Tell, silent
from assets.sources.stage import STAGE as SOURCES
from assets.stage import Inputs, Stage, Unit
from assets.translations.stage import STAGE as TRANSLATIONS
from pipelines.definitions import definitions
from pipelines.run import orchestrate, side_by_side
from pipelines.run.launch import shared_config
from pipelines.run.steps import Step
from resources.config import load_settings
from resources.models.calls.calls import TextModel
from resources.models.calls.permission import NotPermittedError
from resources.store.incremental import Output
from tests.assets.translations.test_translation_stage import write_narrations
from tests.resources.models.chat_server import ChatServer, Say, chat_server, completion

CONFIG = """
store = "tables"
page = "page.html"
[translation]
engine = "model"
[sources.house]
layout = "egoexolearn"
root = "raw"
[text_models.model]
engine = "openai_server"
model = "m"
base_url = "{url}"
price_per_million_tokens = 1
"""
SCHEDULED = {"dagster/schedule_name": "refresh_sources_every_night", "dagster/tick": "1"}


@pytest.fixture(scope="module")
def running() -> Iterator[ChatServer]:
    with chat_server() as made:
        yield made


@pytest.fixture
def server(running: ChatServer) -> ChatServer:
    running.got.clear()
    running.answer = lambda _: Say(body=completion("The right hand takes the cup."))
    return running


@pytest.fixture
def jobs(
    tmp_path: Path, server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> dg.RepositoryDefinition:
    """Definitions of a source whose narrations a priced model translates."""
    write_narrations(tmp_path / "raw")
    (tmp_path / "parallax.toml").write_text(CONFIG.format(url=server.url))
    monkeypatch.setenv("PARALLAX_CONFIG", str(tmp_path / "parallax.toml"))
    monkeypatch.setenv("PARALLAX_INVOCATION", "")
    settings = load_settings()
    SOURCES.refresh(settings, "house", Options(), silent)
    # The other stages of a source ask nobody.
    wave = (Step("source", "house", (TRANSLATIONS,)),)
    monkeypatch.setattr(orchestrate, "source_waves", lambda *_: [wave])
    return definitions(settings).get_repository_def()


def test_the_runs_of_a_scheduled_job_buy_nothing_and_those_of_a_person_do(
    jobs: dg.RepositoryDefinition, server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(orchestrate, "home_in_use", Path)
    monkeypatch.setattr(side_by_side, "default_workers", lambda: 1)
    job = jobs.get_job("refresh_sources")
    asked = []
    with dg.DagsterInstance.ephemeral() as instance:
        monkeypatch.setattr(orchestrate, "open_instance", lambda _: nullcontext(instance))
        for tags in (SCHEDULED, {}):
            assert job.execute_in_process(instance=instance, tags=tags).success
            asked.append(len(server.got))
        inner = [run for run in instance.get_runs() if run.job_name != "refresh_sources"]
    assert asked == [0, 2]
    # What a run launches has none of its tags, and is told by its configuration.
    configs: list[Any] = [run.run_config for run in inner]
    told = [config["resources"]["options"]["config"]["unattended"] for config in configs]
    assert set(told) == {True, False}
    assert not any(key in run.tags for run in inner for key in SCHEDULED)


def test_the_processes_of_a_side_by_side_run_are_told_who_started_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    launched: list[Options] = []
    monkeypatch.setattr(side_by_side, "launch", lambda *args: launched.append(args[4]))
    monkeypatch.setattr(side_by_side, "definitions", lambda *_, **__: None)
    monkeypatch.setattr(side_by_side, "load_settings", lambda: None)
    monkeypatch.setattr(side_by_side, "guard_process", lambda: None)
    monkeypatch.setattr(side_by_side, "end_with", lambda _: None)
    monkeypatch.setenv("PARALLAX_CONFIG", str(tmp_path / "parallax.toml"))
    update = {"assets": {"house": ["calls"]}, "configuration": "c", "parent": "p"}
    job = side_by_side.side_by_side_job("update_000")
    for unattended in (True, False):
        shared = shared_config(Options(unattended=unattended))
        # Loggers are those of the process that starts the others.
        config = {"resources": shared["resources"], "ops": {"update_000": {"config": update}}}
        assert job.execute_in_process(run_config=config).success
    assert [one.unattended for one in launched] == [True, False]


def test_every_choice_reaches_the_runs_that_are_launched() -> None:
    other: dict[str, Any] = {
        field.name: value
        for field in fields(Options)
        for value in (not field.default, ("a",), 3)
        if type(value) is type(field.default) or (field.name == "limit" and value == 3)
    }
    assert set(other) == {field.name for field in fields(Options)}
    for name, value in other.items():
        chosen = replace(Options(), **{name: value})
        configured: Any = shared_config(chosen)["resources"]
        assert OptionsResource(**configured["options"]["config"]).options({}) == chosen


@pytest.mark.parametrize(
    ("tags", "unattended"),
    [
        ({}, False),
        ({"dagster/partition": "x", "user": "anna"}, False),
        ({"dagster/backfill": "b"}, False),
        ({"dagster/sensor_name": "changed_files"}, True),
        ({"dagster/schedule_name": "nightly"}, True),
        ({"dagster/tick": "1"}, True),
        ({"dagster/from_automation_condition": "true"}, True),
        ({"dagster/backfill": "b", "dagster/auto_materialize": "true"}, True),
    ],
)
def test_runs_that_nobody_asked_for_are_known_by_their_tags(
    tags: dict[str, str], unattended: bool
) -> None:
    assert OptionsResource().options(tags).unattended == unattended
    assert OptionsResource(unattended=True).options(tags).unattended


def forgetting(
    inputs: Inputs, units: Sequence[Unit], _options: Options, _tell: Tell
) -> Iterable[Output]:
    """Asks a priced model, whoever started the run."""
    model = inputs.settings.text_models["model"]
    TextModel(inputs.settings.store, "forgetting", model).ask({"item": "Hello"}, buy=True)
    yield Output([unit.name for unit in units], {})


def test_a_stage_that_forgets_to_ask_for_leave_makes_no_call(
    tmp_path: Path, server: ChatServer
) -> None:
    stage = Stage(
        name="statistics",
        group="statistics",
        summary="It forgets.",
        partition="source",
        tables=("statistics",),
        reads={},
        adds_to=("calls",),
        asks=lambda settings: settings.text_models.values(),
        units=lambda _: [Unit("all")],
        compute=forgetting,
    )
    (tmp_path / "parallax.toml").write_text(CONFIG.format(url=server.url))
    settings = load_settings(tmp_path / "parallax.toml")
    with pytest.raises(NotPermittedError, match="model may not be asked by a run that automation"):
        stage.refresh(settings, "house", Options(unattended=True), silent)
    assert server.got == []
    stage.refresh(settings, "house", Options(), silent)
    assert len(server.got) == 1

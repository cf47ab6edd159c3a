"""Runs of vision-language models through the store: a server's and the path test's."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from assets.options import Options, silent
from assets.predictions import stage
from expectations.schemas import TABLES
from resources.config import Settings, load_settings
from resources.models import EngineUnavailableError
from tests.installation import own_copy
from tests.resources.models.chat_server import ChatServer, Say, chat_server, completion
from tests.resources.models.stand_in_vllm import make_environment

KEY = "sk-never-to-be-stored-987654"
RUNS = """
[runs.served]
engine = "openai_server"
protocol = "egoexobench_direct"
model = "some-vlm"
base_url = "{url}"
api_key_env = "SOME_KEY"
limit = 4
[runs.tiny]
engine = "tiny-vlm"
protocol = "direct"
limit = 4
"""


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    with chat_server() as made:
        yield made


@pytest.fixture(scope="module")
def settings(
    server: ChatServer, small_household: Path, tmp_path_factory: pytest.TempPathFactory
) -> Settings:
    """A small installation with questions, and runs of a server and of the path test."""
    runs = RUNS.format(url=server.url)
    base = own_copy(small_household, tmp_path_factory.mktemp("models") / "own", runs)
    return load_settings(base / "parallax.toml")


def test_a_servers_replies_and_faults_become_rows(
    settings: Settings, server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_KEY", KEY)
    cut = completion()
    cut["choices"][0] |= {
        "finish_reason": "length",
        "message": {"role": "assistant", "content": "Let me look at"},
    }
    server.got.clear()
    server.script = [Say(400, {"error": {"message": f"no, {KEY}"}}), Say(200, cut)]
    key = "egobridge.served"
    stage.STAGE.refresh(settings, key, Options(), silent)
    calls = settings.store.read(TABLES["calls"], key)
    assert len(server.got) == calls.height == 4
    assert sorted(calls["status"]) == ["error"] + ["ok"] * 3
    assert calls["prompt_tokens"].drop_nulls().to_list() == [120] * 3
    assert calls.filter(status="ok")["finish_reason"].value_counts().sort("count").rows() == [
        ("length", 1),
        ("stop", 2),
    ]
    answers = settings.store.read(TABLES["answers"], key)
    assert sorted(answers["status"]) == ["error"] + ["parsed"] * 2 + ["truncated"]
    # Query and options, eight pictures each.
    assert {len(got.images()) % 8 for got in server.got} == {0}

    written = [p for p in Path(settings.store.url).rglob("*") if p.is_file()]
    assert len(written) > 20
    assert not [p for p in written if KEY.encode() in p.read_bytes()]

    # What was bought is not bought again; what failed is.
    server.got.clear()
    stage.STAGE.refresh(settings, key, Options(), silent)
    assert len(server.got) == 1
    assert settings.store.read(TABLES["calls"], key).height == 5
    answers = settings.store.read(TABLES["answers"], key)
    assert sorted(answers["status"]) == ["parsed"] * 3 + ["truncated"]
    server.got.clear()
    assert stage.STAGE.is_fresh(settings, key, Options())
    stage.STAGE.refresh(settings, key, Options(), silent)
    assert server.got == []


def test_what_vllm_wrote_before_it_was_killed_is_kept_and_bought_once(
    small_household: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The worker is a process of its own, on a stand-in for vLLM; it is killed after three of six."""
    python = make_environment(tmp_path / "environment")
    model = tmp_path / "toy"
    model.mkdir()
    (model / "config.json").write_text("{}")
    (model / "model.safetensors").write_bytes(b"weights")
    run = (
        f'[runs.offline]\nengine = "vllm"\nprotocol = "direct"\nlimit = 6\nconcurrency = 2\n'
        f'python = "{python}"\nmodel = "{model}"\n'
    )
    settings = load_settings(own_copy(small_household, tmp_path / "own", run) / "parallax.toml")
    left = tmp_path / "left"
    left.write_text("3")
    monkeypatch.setenv("PARALLAX_TOY_LEFT", str(left))
    key = "egobridge.offline"
    with pytest.raises(EngineUnavailableError, match="status -9 and 3 prompts without a reply"):
        stage.STAGE.refresh(settings, key, Options(), silent)
    kept = settings.store.read(TABLES["calls"], key)
    assert kept["status"].to_list() == ["ok"] * 3

    stage.STAGE.refresh(settings, key, Options(), silent)
    calls = settings.store.read(TABLES["calls"], key)
    assert calls["status"].to_list() == ["ok"] * 6
    assert set(kept["call_key"]) < set(calls["call_key"])
    assert calls["call_key"].n_unique() == 6
    assert calls["attempt"].to_list() == [0] * 6
    assert calls["model"].str.contains("offline vllm=0.0.1").all()
    assert calls["bytes_hash"].is_not_null().all()
    assert stage.STAGE.is_fresh(settings, key, Options())


@pytest.mark.slow
@pytest.mark.skipif(
    importlib.util.find_spec("torch") is None or importlib.util.find_spec("transformers") is None,
    reason="vision-language models not tested: torch or transformers is not installed",
)
def test_the_path_test_runs_through(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PARALLAX_CACHE", str(tmp_path))
    key = "egobridge.tiny"
    stage.STAGE.refresh(settings, key, Options(), silent)
    calls = settings.store.read(TABLES["calls"], key)
    assert calls.height == 4
    assert set(calls["status"]) == {"ok"}, calls["error"].to_list()
    assert calls["model"].str.contains("random weights: path test").all()
    assert calls["bytes_hash"].is_not_null().all()
    for recipe, tokens in calls.select("media_recipe", "prompt_tokens").iter_rows():
        frames = sum(len(medium["frames"]) for medium in json.loads(recipe)["media"])
        # At least one token per picture, and its start and end.
        assert tokens > 3 * frames
    assert settings.store.read(TABLES["answers"], key).height == 4

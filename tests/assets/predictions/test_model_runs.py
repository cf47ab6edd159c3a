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
from tests.installation import own_copy
from tests.resources.models.chat_server import ChatServer, Say, chat_server, completion

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

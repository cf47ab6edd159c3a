"""vLLM in an environment of its own: the process, its files and its reports, on a stand-in for vLLM."""

from __future__ import annotations

import gc
import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import dagster as dg
import numpy as np
import pytest

from assets.dagster.worker_reports import pipes_channel
from resources.models import EngineUnavailableError, closed_after_use, open_engine
from resources.models.engines.vllm_offline.engine import VLLMOfflineEngine
from resources.models.engines.worker_reports import reporting_to
from resources.models.prompt import Clip, Prompt
from resources.models.runs import RunConfig
from tests.resources.models.stand_in_vllm import make_environment


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_environment(tmp_path_factory.mktemp("environment"))


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "toy"
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(b"weights")
    return folder


@pytest.fixture
def engine(python: Path, model: Path) -> Iterator[VLLMOfflineEngine]:
    with closed_after_use(made(python, model)) as opened:
        yield opened


def made(python: Path, model: Path, **changes: Any) -> VLLMOfflineEngine:
    settings = {"model": str(model), "python": str(python)} | changes
    return VLLMOfflineEngine(RunConfig("r", "vllm", "direct", **settings))


def clip(role: str, *times: float) -> Clip:
    frames = tuple((0, round(100 * t), t) for t in times)
    return Clip(role, "rec", "content", 0.0, 4.0, frames)


def prompt(name: str, *clips: Clip, text: str = "Which one?", **changes: Any) -> Prompt:
    base = Prompt(
        f"key-{name}", (*clips, f"{text} {name}"), choices=("A", "B"), encoding="jpeg-90", item=name
    )
    return replace(base, **changes)


def grey(recording: str, part: int, pts: list[int]) -> list[np.ndarray]:
    if recording != "rec":
        raise OSError("moov atom not found")
    return [np.full((24, 32, 3), 20 + i % 200, np.uint8) for i in pts]


def test_every_clip_goes_with_its_own_times(engine: VLLMOfflineEngine) -> None:
    """Replies come in another order than prompts, and clips of different length beside each other."""
    asked = [
        prompt("text"),
        prompt("one", clip("query", 0.5, 1.5)),
        prompt("several", clip("query", 0.5, 1.5), clip("option_A", 1, 2, 3), clip("option_B", 2)),
        prompt("broken", replace(clip("query", 0.5, 1.5), recording_id="gone")),
        prompt("marker", text="a <|im_end|> b"),
    ]
    replies = engine.ask(asked, grey)
    assert [r.call_key for r in replies] == [p.key for p in asked]
    assert [r.text for r in replies[:3]] == [
        "0 images [] text",
        "0 images [(2, [500, 1500])] one",
        "1 images [(2, [500, 1500]), (3, [1000, 2000, 3000])] several",
    ]
    assert replies[3].error == "OSError: moov atom not found"
    assert "'<|im_end|>', a marker of the model" in str(replies[4].error)
    assert replies[0].option_scores == (-0.65, -0.66)
    assert (replies[0].finish_reason, replies[0].completion_tokens) == ("stop", 2)
    assert replies[0].bytes_hash is None
    assert len({r.bytes_hash for r in replies[1:3]}) == 2
    assert [r.clips_sent_as for r in replies] == [None, "videos", "both", None, None]


def test_replies_are_held_to_a_schema_where_vllm_can(engine: VLLMOfflineEngine) -> None:
    held, refused = '{"type":"object"}', '{"format":"refused"}'
    asked = [
        prompt("held", json_schema=held),
        prompt("refused", json_schema=refused),
        prompt("free"),
        prompt("scored", json_schema=held, likelihood="sum", choice_texts=("a", "b")),
    ]
    replies = engine.ask(asked, grey)
    assert engine.capabilities.json_schema
    assert [r.text for r in replies[:3]] == [held, "0 images [] refused", "0 images [] free"]
    assert [r.asked_without for r in replies] == [(), ("json_schema",), (), ()]


def test_replies_are_held_to_the_letters_before_a_schema(python: Path, model: Path) -> None:
    with closed_after_use(made(python, model, letters_only=True)) as opened:
        replies = opened.ask([prompt("a", json_schema='{"type":"object"}'), prompt("b")], grey)
    assert [r.text for r in replies] == ["['A', 'B']"] * 2
    assert [r.asked_without for r in replies] == [("json_schema",), ()]


def test_texts_are_scored_token_by_token(engine: VLLMOfflineEngine) -> None:
    asked = prompt("q", likelihood="mean", choice_texts=("ab", "abc"))
    (reply,) = engine.ask([asked], grey)
    assert json.loads(reply.text or "") == {
        "answer": "A",
        "log_likelihood": [-(97 + 98) / 100, -(97 + 98 + 99) / 100],
        "tokens": [2, 3],
    }
    assert reply.prompt_tokens == len("Which one? q assistant:")


def test_a_model_that_is_cut_off_in_its_reasoning_is_given_room(engine: VLLMOfflineEngine) -> None:
    asked = [
        prompt("a", text="THINK"),
        prompt("b"),
        prompt("c", text="THINK", reasoning_tokens=0),
    ]
    replies = engine.ask(asked, grey)
    assert [r.text for r in replies] == ["<think>hm</think>B", "0 images [] b", "<think>hm"]
    assert [r.finish_reason for r in replies] == ["stop", "stop", "length"]


def test_the_model_is_loaded_once_and_let_go(engine: VLLMOfflineEngine) -> None:
    engine.ask([prompt("a")], grey)
    worker = engine._worker
    assert worker is not None
    engine.ask([prompt("b")], grey)
    assert engine._worker is worker
    engine.close()
    assert worker.status == 0, "it ends by itself when its input does"
    assert engine.ask([prompt("c")], grey)[0].status == "ok", "and is started again where needed"


def test_an_idle_model_makes_room_for_another(
    engine: VLLMOfflineEngine, python: Path, model: Path
) -> None:
    """Whoever asks texts does not say when it is done; both models would not fit an accelerator."""
    engine.ask([prompt("a")], grey)
    first = engine._worker
    assert first is not None
    with closed_after_use(made(python, model)) as other:
        other.ask([prompt("b")], grey)
        assert not first.is_running
        assert engine.ask([prompt("c")], grey)[0].status == "ok", "it is loaded again where needed"
        assert other._worker is not None and not other._worker.is_running


def test_nothing_that_the_process_started_outlives_it(engine: VLLMOfflineEngine) -> None:
    """It would go on to hold the accelerator."""
    engine.ask([prompt("a")], grey)
    assert engine._worker is not None
    group = engine._worker._process.pid
    assert len(group_members(group)) == 2
    engine.close()
    deadline = time.monotonic() + 10
    while group_members(group) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not group_members(group)


def group_members(group: int) -> list[int]:
    """Processes of a group that still run."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, member_of = stat.read_text().rpartition(") ")[2].split()[:3]
        except OSError:
            continue
        if int(member_of) == group and state != "Z":
            found.append(int(stat.parent.name))
    return found


def test_an_engine_that_is_forgotten_ends_its_process(python: Path, model: Path) -> None:
    opened = made(python, model)
    opened.ask([prompt("a")], grey)
    worker = opened._worker
    assert worker is not None
    del opened
    gc.collect()
    assert not worker.is_running


def test_what_was_written_before_a_crash_is_kept(engine: VLLMOfflineEngine) -> None:
    """The toy model takes the newest prompt first: two are answered, one kills it, one is not asked."""
    asked = [prompt("a"), prompt("b", text="CRASH"), prompt("c"), prompt("d")]
    kept: list[str] = []

    def read() -> None:
        for group in engine.replies(asked, grey):
            kept.extend(reply.call_key for reply in group)

    with pytest.raises(EngineUnavailableError) as caught:
        read()
    assert kept == ["key-d", "key-c"]
    assert "ended with status 3 and 2 prompts without a reply" in str(caught.value)
    assert "the toy model ran out of memory" in str(caught.value)
    assert engine.ask([prompt("a")], grey)[0].status == "ok", "the next run starts it again"


def test_who_stops_early_ends_the_process(engine: VLLMOfflineEngine) -> None:
    arriving = engine.replies([prompt(f"p{i}") for i in range(3)], grey)
    next(arriving)
    worker = engine._worker
    assert worker is not None
    began = time.monotonic()
    arriving.close()
    # Where all three had been written at once nothing is left to compute, and it may stay.
    if engine._worker is None:
        assert not worker.is_running
    assert time.monotonic() - began < 10


def test_the_process_sees_nothing_of_this_environment(
    engine: VLLMOfflineEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", "/nowhere")
    monkeypatch.setenv("VIRTUAL_ENV", "/nowhere")
    engine.ask([prompt("a")], grey)
    assert engine._worker is not None
    found = Path(f"/proc/{engine._worker._process.pid}/environ").read_bytes().split(b"\0")
    assert not [pair for pair in found if b"/nowhere" in pair]


def test_label_names_model_environment_and_options(python: Path, model: Path) -> None:
    plain = made(python, model).model
    assert plain.startswith("toy@") and "offline vllm=0.0.1 " in plain
    longer = made(python, model, vllm_args="--max-model-len  4096").model
    assert longer == plain + " [--max-model-len 4096]"
    assert made(python, model, letters_only=True).model == plain + " letters only"


def test_environments_that_cannot_be_used(model: Path, tmp_path: Path) -> None:
    with pytest.raises(EngineUnavailableError, match="is not a program"):
        made(tmp_path / "absent", model)
    bare = tmp_path / "python"
    bare.write_text("#!/bin/sh\nexit 0\n")
    bare.chmod(0o755)
    with pytest.raises(EngineUnavailableError, match="vLLM is not installed for"):
        made(bare, model)
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    with pytest.raises(EngineUnavailableError, match="does not run"):
        made(broken, model)


def test_a_process_reports_to_whoever_listens(python: Path, model: Path) -> None:
    opened: list[Mapping[str, str]] = []

    @contextmanager
    def channel(about: Mapping[str, str]) -> Iterator[Mapping[str, str]]:
        opened.append(about)
        yield {"A_CHANNEL": "1"}
        opened.append({"closed": "yes"})

    with reporting_to(channel), closed_after_use(made(python, model)) as asked:
        asked.ask([prompt("a")], grey)
        pid = asked._worker._process.pid
        assert b"A_CHANNEL=1" in Path(f"/proc/{pid}/environ").read_bytes()
    assert opened == [{"run": "r", "model": str(model)}, {"closed": "yes"}]
    assert "A_CHANNEL" not in os.environ


def test_log_lines_arrive_in_a_step_of_dagster(python: Path, model: Path, tmp_path: Path) -> None:
    @dg.asset
    def replies(context):
        with reporting_to(pipes_channel(context)), closed_after_use(made(python, model)) as asked:
            text = asked.ask([prompt("a"), prompt("b")], grey)[0].text
        return dg.MaterializeResult(metadata={"text": str(text)})

    with dg.instance_for_test(temp_dir=str(tmp_path)) as instance:
        result = dg.materialize([replies], instance=instance)
        logs = [entry.user_message for entry in instance.all_logs(result.run_id)]
    assert result.success
    assert f"vLLM has loaded {model}" in logs
    assert "vLLM has given 2 replies" in logs


def test_engine_is_opened_by_name(python: Path, model: Path) -> None:
    run = RunConfig("r", "vllm", "direct", model=str(model), python=str(python))
    assert isinstance(open_engine(run), VLLMOfflineEngine)

"""Engine `vllm` on vLLM itself, with a tiny random checkpoint, where an environment with vLLM is named.

`make test-vllm` makes one for CPUs and names its Python in `PARALLAX_VLLM_PYTHON`. Loading the model
takes most of the time, once for the server and once for each worker.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import dagster as dg
import numpy as np
import pytest

from assets.dagster.worker_reports import pipes_channel
from resources.models import closed_after_use, open_engine
from resources.models.base import PreparedPrompt
from resources.models.engines.transformers_vlm import TransformersVLM
from resources.models.engines.worker_reports import reporting_to
from resources.models.prompt import Clip, Prompt
from resources.models.reply import Reply
from resources.models.runs import RunConfig
from resources.models.server.vllm_server import VLLMServerEngine
from tests.resources.models.tiny_checkpoints import FAMILIES, make_checkpoint

NAMED = os.environ.get("PARALLAX_VLLM_PYTHON", "")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not NAMED,
        reason="vLLM itself not tested: `make test-vllm` does that",
    ),
    pytest.mark.skipif(
        importlib.util.find_spec("transformers") is None,
        reason="vLLM itself not tested: transformers, which makes the checkpoint, is not installed",
    ),
]
LIMITS = {
    "image": {"count": 16, "width": 112, "height": 56},
    "video": {"count": 4, "num_frames": 16, "width": 112, "height": 56},
}
# Random weights would fill a reply that is held to a schema with blanks.
SCHEMAS = {"backend": "xgrammar", "disable_any_whitespace": True}
SETTINGS = (
    "--dtype float32 --max-model-len 4096 --enforce-eager --max-num-seqs 8"
    f" --no-enable-prefix-caching --limit-mm-per-prompt '{json.dumps(LIMITS)}'"
    f" --structured-outputs-config '{json.dumps(SCHEMAS)}'"
)
IN_PROCESS = """
import json, sys
from pathlib import Path
from resources.models.engines.transformers_vlm import Setup, TransformersVLM
from tests.resources.models.test_vllm_real import BATCH, noise
found = {}
for folder in sys.argv[1:]:
    made = TransformersVLM(folder, setup=Setup(video=True))
    replies = made.ask(BATCH, noise)
    found[Path(folder).name] = {
        "form": [made._form.takes_times, made._form.mixes_lengths],
        "replies": [[r.error, r.prompt_tokens, r.option_scores, r.clips_sent_as] for r in replies],
    }
print(json.dumps(found))
"""
# A build of torchvision for GPUs does not find its operators beside torch for CPUs; none is used here.
SHIM = """
import importlib.util, pathlib, sys
class _Operators:
    def find_spec(self, name, path=None, target=None):
        if name == "torchvision":
            sys.meta_path.remove(self)
            import torch
            found = importlib.util.find_spec("torchvision")
            version = pathlib.Path(found.origin).with_name("version.py").read_text()
            if "+cu" in version and torch.version.cuda is None:
                library = torch.library.Library("torchvision", "DEF")
                library.define("nms(Tensor d, Tensor s, float t) -> Tensor")
                library.define("qnms(Tensor d, Tensor s, float t) -> Tensor")
                sys.torchvision_operators = library
            return found
sys.meta_path.insert(0, _Operators())
"""
ENVIRONMENT = {
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "VLLM_NO_USAGE_STATS": "1",
    "HF_HUB_OFFLINE": "1",
    "OMP_NUM_THREADS": "1",
    # Compiling takes minutes and saves nothing here.
    "TORCHDYNAMO_DISABLE": "1",
}
START_S = 600.0


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The named Python, set up for a CPU."""
    folder = tmp_path_factory.mktemp("vllm")
    (folder / "sitecustomize.py").write_text(SHIM)
    program = folder / "python"
    variables = " ".join(f"{name}={value}" for name, value in ENVIRONMENT.items())
    program.write_text(f'#!/bin/sh\nexec env PYTHONPATH="{folder}" {variables} "{NAMED}" "$@"\n')
    program.chmod(0o755)
    return program


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_checkpoint(
        FAMILIES["qwen2_5_vl"], tmp_path_factory.mktemp("checkpoints") / "qwen2_5_vl"
    )


@pytest.fixture(scope="module")
def server(
    python: Path, checkpoint: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """Address of a server of the checkpoint."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = tmp_path_factory.mktemp("server") / "log"
    program = [str(python), "-m", "vllm.entrypoints.openai.api_server", "--host", "127.0.0.1"]
    given = [f"--port={port}", f"--model={checkpoint}", "--served-model-name=tiny"]
    command = " ".join([*program, *given, "--trust-request-mm-kwargs", SETTINGS])
    with log.open("wb") as out:
        process = subprocess.Popen(
            ["/bin/sh", "-c", f"exec {command}"], stdout=out, stderr=subprocess.STDOUT
        )
    try:
        url = f"http://127.0.0.1:{port}"
        began = time.monotonic()
        while not _answers(f"{url}/health"):
            assert process.poll() is None, log.read_text()[-3000:]
            assert time.monotonic() - began < START_S, log.read_text()[-3000:]
            time.sleep(0.5)
        yield f"{url}/v1"
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:
            return answer.status == 200
    except OSError:
        return False


def noise(recording: str, part: int, pts: list[int]) -> list[np.ndarray]:
    seed = sum(map(ord, recording))
    return [
        np.random.default_rng([seed, i]).integers(0, 256, (48, 64, 3), dtype=np.uint8) for i in pts
    ]


def clip(role: str, recording: str, *times: float) -> Clip:
    frames = tuple((0, i, t) for i, t in enumerate(times))
    return Clip(role, recording, "content", 0.0, 24.0, frames)


def prompt(name: str, *clips: Clip, **changes: Any) -> Prompt:
    base = Prompt(
        f"key-{name}",
        (*clips, "Which one is it?"),
        choices=tuple("ABCD"),
        encoding="jpeg-90",
        max_tokens=4,
        item=name,
    )
    return replace(base, **changes)


QUERY = clip("query", "a", 0.25, 0.75, 1.25, 1.75)
OTHER = clip("option_A", "b", 1.0, 5.0)
WORDS = ("left", "right hand", "up", "down")
BATCH = [
    prompt("text"),
    prompt("one", QUERY),
    prompt("slow", clip("query", "a", 2.5, 7.5, 12.5, 17.5)),
    prompt("uneven", clip("query", "a", 0.25, 0.35, 0.45, 1.75)),
    prompt("several", QUERY, OTHER),
    prompt("words", likelihood="sum", choice_texts=WORDS),
    prompt("seen", QUERY, likelihood="sum", choice_texts=WORDS),
]


def test_the_processors_temporal_grid_equals_our_stamps(
    python: Path, checkpoint: Path, tmp_path: Path
) -> None:
    """Requests as the engine sends them, through vLLM's reader of videos and two processors."""
    even, uneven = (0.25, 0.75, 1.25, 1.75), (0.0, 0.4, 3.0, 3.6, 10.0, 10.2)
    slow = (1.0, 5.0, 9.0, 13.0, 17.0, 21.0)
    named, untold = (make_checkpoint(FAMILIES[f], tmp_path / f) for f in ("qwen3_vl", "qwen2_vl"))
    wanted = [(folder, times) for folder in (checkpoint, named) for times in (even, slow, uneven)]
    wanted += [(untold, even), (untold, (1.0, 5.0, 9.0, 13.0))]
    run = RunConfig("r", "vllm", "direct", model="m", base_url="http://h/v1")
    asked = []
    for folder, times in wanted:
        shown = prompt("p", clip("query", "a", *times), choices=())
        sent = VLLMServerEngine(run)._letter(PreparedPrompt(shown, noise))
        url = sent.messages[0]["content"][0]["video_url"]["url"]
        video = sent.extras["media_io_kwargs"]["video"]
        asked.append({"model": str(folder), "url": url, "video": video})
    done = subprocess.run(
        [str(python), str(Path(__file__).with_name("vllm_probe.py"))],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        timeout=START_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout.splitlines()[-1])
    # A step of the grid is two frames. One family knows a single distance: of uneven frames, the mean.
    steps = [one["second_per_grid_ts"] for one in found[:3]]
    assert steps == [pytest.approx([2 * mean_s]) for mean_s in (0.5, 4.0, 10.2 / 5)]
    # The other writes the mean time of both frames before them, in tenths of a second.
    stamps = [
        [float(said) for said in re.findall(r"<([\d.]+) seconds>", one["prompt"])]
        for one in found[3:6]
    ]
    assert stamps == [[0.5, 1.5], [3.0, 11.0, 19.0], [0.2, 3.3, 10.1]]
    assert found[6] == found[7], "this family takes no times"


@pytest.fixture(scope="module")
def by_server(server: str) -> list[Reply]:
    run = RunConfig("r", "vllm", "direct", model="tiny", base_url=server)
    return open_engine(run).ask(BATCH, noise)


@pytest.fixture(scope="module")
def offline(python: Path, checkpoint: Path) -> RunConfig:
    return RunConfig(
        "r", "vllm", "direct", model=str(checkpoint), python=str(python), vllm_args=SETTINGS
    )


@pytest.fixture(scope="module")
def step(
    offline: RunConfig, tmp_path_factory: pytest.TempPathFactory
) -> tuple[list[Reply], list[str]]:
    """Replies that a worker gives to a step of Dagster, and the log of the step."""
    replies: list[Reply] = []

    @dg.asset
    def asked(context):
        with reporting_to(pipes_channel(context)), closed_after_use(open_engine(offline)) as engine:
            replies.extend(engine.ask(BATCH, noise))
        return dg.MaterializeResult()

    with dg.instance_for_test(temp_dir=str(tmp_path_factory.mktemp("dagster"))) as instance:
        result = dg.materialize([asked], instance=instance)
        logs = [entry.user_message for entry in instance.all_logs(result.run_id)]
    return replies, logs


@pytest.fixture(scope="module")
def by_worker(step: tuple[list[Reply], list[str]]) -> list[Reply]:
    return step[0]


def test_the_server_takes_all_that_the_engine_sends(by_server: list[Reply]) -> None:
    assert [r.error for r in by_server] == [None] * len(BATCH)
    assert all(len(r.option_scores or ()) == 4 for r in by_server)
    scores = {asked.item: r.option_scores for asked, r in zip(BATCH, by_server, strict=True)}
    assert scores["one"] != scores["slow"], "the same frames ten times as far apart"
    assert scores["one"] == pytest.approx(scores["uneven"], abs=1e-3), (
        "their mean distance is the same"
    )


def test_server_and_worker_agree(by_server: list[Reply], by_worker: list[Reply]) -> None:
    assert [r.error for r in by_worker] == [None] * len(BATCH)
    for asked, a, b in zip(BATCH, by_server, by_worker, strict=True):
        if asked.item == "several":
            # Two clips with times of their own are images for the server, and videos for the worker.
            assert (a.prompt_tokens or 0) > (b.prompt_tokens or 0)
            continue
        assert a.option_scores == pytest.approx(b.option_scores, abs=2e-3), asked.item
        if asked.likelihood is not None:
            # The server is asked for the prompt, and for the prompt with each option.
            assert a.n_requests == 1 + len(asked.choice_texts)
            assert (a.prompt_tokens or 0) >= a.n_requests * (b.prompt_tokens or 0)
            continue
        assert (a.prompt_tokens, a.completion_tokens) == (b.prompt_tokens, b.completion_tokens)


def test_a_worker_reports_through_pipes(
    checkpoint: Path, step: tuple[list[Reply], list[str]]
) -> None:
    assert f"vLLM has loaded {checkpoint}" in step[1]
    assert f"vLLM has given {len(BATCH)} replies" in step[1]


def test_texts_and_images_score_as_in_process(checkpoint: Path, by_server: list[Reply]) -> None:
    """Where clips go as images, vLLM and transformers are given the same."""
    items = ("text", "several", "words")
    replies = TransformersVLM(str(checkpoint)).ask([p for p in BATCH if p.item in items], noise)
    served = [r for asked, r in zip(BATCH, by_server, strict=True) if asked.item in items]
    for mine, theirs in zip(replies, served, strict=True):
        assert mine.option_scores == pytest.approx(theirs.option_scores, abs=2e-3)
        if theirs.n_requests == 1:
            assert mine.prompt_tokens == theirs.prompt_tokens


def test_replies_are_held_to_the_letters(
    server: str, offline: RunConfig, by_worker: list[Reply]
) -> None:
    served = RunConfig("r", "vllm", "direct", model="tiny", base_url=server)
    for run in (served, offline):
        with closed_after_use(open_engine(replace(run, letters_only=True))) as engine:
            held = engine.ask(BATCH[1:3], noise)
        assert all(reply.text in ("A", "B", "C", "D") for reply in held), held
        for reply, free in zip(held, by_worker[1:3], strict=True):
            likely = np.exp(free.option_scores or ())
            assert np.exp(reply.option_scores or ()) == pytest.approx(
                likely / likely.sum(), abs=1e-3
            )


def test_replies_are_held_to_a_schema(server: str, offline: RunConfig) -> None:
    schema = {
        "type": "object",
        "properties": {"answer": {"enum": list("ABCD")}},
        "required": ["answer"],
        "additionalProperties": False,
    }
    asked = prompt("schema", QUERY, json_schema=json.dumps(schema), max_tokens=200)
    served = RunConfig("r", "vllm", "direct", model="tiny", base_url=server)
    for run in (served, offline):
        with closed_after_use(open_engine(run)) as engine:
            (reply,) = engine.ask([asked], noise)
        assert reply.error is None
        assert json.loads(reply.text or "")["answer"] in "ABCD"


@pytest.fixture(scope="module")
def in_process(
    python: Path, checkpoint: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    """What `transformers_vlm` with `video = true` makes of each family.

    transformers needs torchvision for videos; that of the other environment is lent to ours.
    """
    said = subprocess.run(
        [str(python), "-c", "import importlib.util as u; print(u.find_spec('torchvision').origin)"],
        capture_output=True,
        text=True,
        check=True,
    )
    package, lent = Path(said.stdout.strip()).parent, tmp_path_factory.mktemp("lent")
    for found in (package, *package.parent.glob("torchvision-*.dist-info")):
        (lent / found.name).symlink_to(found)
    shutil.copy(python.parent / "sitecustomize.py", lent)
    folders = [str(checkpoint)]
    for name in FAMILIES.keys() - {"qwen2_5_vl"}:
        folders.append(str(make_checkpoint(FAMILIES[name], lent / name)))
    root = Path(__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-c", IN_PROCESS, *folders],
        env={**os.environ, "PYTHONPATH": f"{lent}{os.pathsep}{root}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1]) | {"log": done.stderr}


def test_videos_score_in_process_as_in_vllm(
    in_process: dict[str, Any], by_worker: list[Reply]
) -> None:
    replies = in_process["qwen2_5_vl"]["replies"]
    for (error, tokens, scores, _), theirs in zip(replies, by_worker, strict=True):
        assert error is None
        assert tokens == theirs.prompt_tokens
        # Two versions of transformers prepare the frames.
        assert scores == pytest.approx(theirs.option_scores, abs=1e-2)


def test_families_take_times_as_the_page_of_models_says(in_process: dict[str, Any]) -> None:
    takes, mixes = {"qwen2_5_vl", "qwen3_vl"}, {"qwen2_vl", "qwen2_5_vl", "qwen3_vl"}
    untold = re.findall(r"takes no times of frames: (\w+) is told", in_process["log"])
    assert set(untold) == FAMILIES.keys() - takes
    for name in FAMILIES:
        assert in_process[name]["form"] == [name in takes, name in mixes]
        replies = dict(zip((p.item for p in BATCH), in_process[name]["replies"], strict=True))
        assert [error for error, *_ in replies.values()] == [None] * len(BATCH)
        assert replies["one"][3] == "videos"
        assert replies["several"][3] == ("videos" if name in mixes else "images")
        scores = {item: reply[2] for item, reply in replies.items()}
        assert (scores["one"] != scores["slow"]) == (name in takes)
        # Uneven frames at the same mean distance: only stamps tell them apart.
        assert (scores["one"] != scores["uneven"]) == (name == "qwen3_vl")

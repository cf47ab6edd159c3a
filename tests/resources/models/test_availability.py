"""Whether a run could be asked: engines, keys and servers in every state they can be in."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from resources.models.availability import Finding, run_findings
from resources.models.prompt import Needs
from resources.models.runs import RunConfig

SECRET = "sk-never-to-be-shown-987654"


class ModelServer:
    """Answers every GET with one status and body, and keeps the headers it got."""

    def __init__(self) -> None:
        self.status, self.body, self.wait_s = 200, b"{}", 0.0
        self.headers: dict[str, str] = {}
        self.got: list[tuple[str, str | None]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.got.append((self.path, self.headers.get("Authorization")))
                time.sleep(outer.wait_s)
                # Who asked may have given up meanwhile.
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                    self.send_response(outer.status)
                    for name, value in outer.headers.items():
                        self.send_header(name, value)
                    self.end_headers()
                    self.wfile.write(outer.body)

            def log_message(self, *_: Any) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}/v1"

    def list_models(self, *names: str) -> None:
        self.body = json.dumps({"data": [{"id": name} for name in names]}).encode()


@pytest.fixture
def server() -> Iterator[ModelServer]:
    model_server = ModelServer()
    thread = threading.Thread(
        target=model_server.http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
    )
    thread.start()
    yield model_server
    model_server.http.shutdown()
    model_server.http.server_close()
    thread.join(10)


def found(url: str = "", timeout_s: float = 5.0, **settings: Any) -> Finding:
    chosen = {"engine": "openai_server", "protocol": "direct", "model": "m", "base_url": url}
    run = RunConfig("served", **{**chosen, **settings})
    (finding,) = run_findings([run], {}, timeout_s)
    assert finding.subject == "run served"
    return finding


def test_a_server_that_lists_the_model_is_in_order(server) -> None:
    server.list_models("m", "other")
    assert found(server.url) == Finding("run served", "ok", f"server {server.url} answers")
    assert server.got == [("/v1/models", None)]


def test_the_key_is_sent_and_shown_nowhere(server, monkeypatch) -> None:
    monkeypatch.setenv("SOME_KEY", SECRET)
    server.status, server.body = 401, json.dumps({"error": SECRET}).encode()
    finding = found(server.url, api_key_env="SOME_KEY")
    assert finding.level == "problem"
    assert "refuses the key in SOME_KEY: correct it" in finding.text
    assert SECRET not in finding.text
    assert server.got == [("/v1/models", f"Bearer {SECRET}")]


def test_a_key_follows_no_redirect(server, monkeypatch) -> None:
    monkeypatch.setenv("SOME_KEY", SECRET)
    server.status, server.headers = 302, {"Location": f"{server.url}/elsewhere"}
    assert found(server.url, api_key_env="SOME_KEY").level == "ok"
    assert [path for path, _ in server.got] == ["/v1/models"]


def test_a_server_without_a_key_is_told_apart(server) -> None:
    server.status = 401
    assert "refuses requests without a key: name one by api_key_env" in found(server.url).text


def test_an_account_that_is_refused_is_a_problem(server) -> None:
    server.status = 402
    finding = found(server.url)
    assert finding.level == "problem" and "refuses the account" in finding.text


def test_a_key_that_is_not_set_is_a_problem_before_anything_is_sent(server, monkeypatch) -> None:
    monkeypatch.delenv("SOME_KEY", raising=False)
    finding = found(server.url, api_key_env="SOME_KEY")
    assert finding.level == "problem"
    assert "environment variable SOME_KEY (api_key_env) is not set" in finding.text
    assert not server.got


def test_a_server_that_does_not_list_the_model_is_doubtful(server) -> None:
    server.list_models(*"abcdefg")
    finding = found(server.url)
    assert finding.level == "warning"
    assert "does not list model 'm', but a, b, c, d, e and 2 more: correct model" in finding.text


@pytest.mark.parametrize(
    ("status", "body"), [(404, b""), (403, b""), (200, b"<html>"), (200, b"[]")]
)
def test_a_server_that_lists_nothing_is_in_order(status, body, server) -> None:
    server.status, server.body = status, body
    assert found(server.url).level == "ok"


def test_a_server_that_is_down_is_a_problem(server) -> None:
    server.http.server_close()
    finding = found(server.url)
    assert finding.level == "problem"
    assert "cannot be reached" in finding.text
    assert "start it, or correct base_url" in finding.text


def test_a_server_that_is_slow_is_doubtful(server) -> None:
    server.wait_s = 0.5
    assert found(server.url, timeout_s=0.1).level == "warning"


@pytest.mark.parametrize(
    ("settings", "part"),
    [
        ({"engine": "opnai"}, "engine 'opnai' is not one of"),
        ({"engine": "openai_server", "base_url": ""}, "needs base_url"),
        ({"engine": "transformers_vlm", "model": "/nowhere"}, "/nowhere"),
    ],
)
def test_an_engine_that_cannot_be_opened_is_a_problem(settings, part) -> None:
    finding = found(**settings)
    assert finding.level == "problem"
    assert part in finding.text


def test_an_engine_that_cannot_do_what_a_protocol_needs_is_a_problem() -> None:
    run = RunConfig("r", "random", "option_text")
    (finding,) = run_findings([run], {"r": [Needs(option_likelihood=True)]})
    assert finding.level == "problem"
    assert "name another protocol or another engine" in finding.text
    (finding,) = run_findings([run], {})
    assert finding.level == "ok"

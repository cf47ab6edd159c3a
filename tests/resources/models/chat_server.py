"""A real HTTP server that answers chat completions as a test tells it to, and keeps what it got."""

from __future__ import annotations

import base64
import io
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
from PIL import Image


def completion(text: Any = "B", **changes: Any) -> dict[str, Any]:
    """Body of a good answer."""
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": [
            {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
        ],
        "usage": {"prompt_tokens": 120, "completion_tokens": 2, "total_tokens": 122},
    } | changes


@dataclass
class Say:
    """One answer: status, body (JSON, or bytes as they are), headers and a delay.

    `claims_bytes` is a length the body does not have; `drip_s` sends it byte by byte; `half_close` sends
    half of the body, ends the sending side of the connection and goes on listening.
    """

    status: int = 200
    body: Any = field(default_factory=completion)
    headers: dict[str, str] = field(default_factory=dict)
    wait_s: float = 0.0
    content_type: str = "application/json"
    hang_up: bool = False
    claims_bytes: int | None = None
    drip_s: float = 0.0
    chunked: bool = False
    half_close: bool = False


@dataclass
class Got:
    """One request as it arrived; names of headers in small letters."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    def images(self) -> list[np.ndarray]:
        """Pictures in the user's message, decoded from their data URLs."""
        found = []
        for part in self.body["messages"][-1]["content"]:
            if part["type"] == "image_url":
                kind, data = part["image_url"]["url"].split(",", 1)
                assert kind == "data:image/jpeg;base64"
                found.append(_picture(data))
        return found

    def videos(self) -> list[list[np.ndarray]]:
        """Frames of each video in the user's message, decoded from its data URL."""
        found = []
        for part in self.body["messages"][-1]["content"]:
            if part["type"] == "video_url":
                kind, *frames = part["video_url"]["url"].split(",")
                assert kind == "data:video/jpeg;base64"
                found.append([_picture(data) for data in frames])
        return found

    def texts(self) -> list[str]:
        """Texts of the user's message."""
        content = self.body["messages"][-1]["content"]
        if isinstance(content, str):
            return [content]
        return [part["text"] for part in content if part["type"] == "text"]


def _picture(data: str) -> np.ndarray:
    picture = Image.open(io.BytesIO(base64.b64decode(data, validate=True)))
    assert picture.format == "JPEG"
    return np.asarray(picture)


class ChatServer:
    """Says its script in order, then what `answer` makes of a request: a good answer."""

    def __init__(self, port: int = 0) -> None:
        self.answer: Callable[[dict[str, Any]], Say] = lambda _body: Say()
        self.dies_after: int | None = None
        self.script: list[Say] = []
        self.got: list[Got] = []
        self.most_at_once = 0
        self.sent_bytes = 0
        self._at_once = 0
        # Monotonic times at which requests arrived.
        self.at: list[float] = []
        self._lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                outer._answer(self)

            def log_message(self, *_: Any) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._http.daemon_threads = True
        self.port = self._http.server_address[1]
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        body = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        with self._lock:
            self.at.append(time.monotonic())
            self.got.append(
                Got(handler.path, {k.lower(): v for k, v in handler.headers.items()}, body)
            )
            if self.dies_after is not None and len(self.got) >= self.dies_after:
                # Nobody listens any more: connections are refused.
                self._http.socket.close()
            say = self.script.pop(0) if self.script else self.answer(body)
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        time.sleep(say.wait_s)
        with self._lock:
            self._at_once -= 1
        if say.hang_up:
            handler.close_connection = True
            handler.connection.close()
            return
        data = say.body if isinstance(say.body, bytes) else json.dumps(say.body).encode()
        try:
            handler.send_response(say.status)
            handler.send_header("Content-Type", say.content_type)
            if say.chunked:
                handler.send_header("Transfer-Encoding", "chunked")
            else:
                handler.send_header("Content-Length", str(say.claims_bytes or len(data)))
            for name, value in say.headers.items():
                handler.send_header(name, value)
            handler.end_headers()
            if say.half_close:
                handler.wfile.write(data[: len(data) // 2])
                handler.wfile.flush()
                handler.connection.shutdown(socket.SHUT_WR)
                # The other side is not told that nobody will answer: its next request is read.
                handler.connection.settimeout(5)
                handler.connection.recv(1)
                handler.close_connection = True
                return
            size = 1 if say.drip_s else 1 << 16
            for at in range(0, len(data), size):
                part = data[at : at + size]
                framed = b"%x\r\n%s\r\n" % (len(part), part) if say.chunked else part
                handler.wfile.write(framed)
                self.sent_bytes += len(part)
                time.sleep(say.drip_s)
            if say.chunked:
                handler.wfile.write(b"0\r\n\r\n")
        except (BrokenPipeError, ConnectionResetError):
            handler.close_connection = True
        if say.claims_bytes:
            handler.close_connection = True


@contextmanager
def chat_server(port: int = 0) -> Iterator[ChatServer]:
    """A server on a free port (or the given one), for the length of a test."""
    server = ChatServer(port)
    thread = threading.Thread(target=server._http.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server._http.shutdown()
        server._http.server_close()
        thread.join(10)

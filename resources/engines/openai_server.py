"""Any server that speaks OpenAI's chat completions: vLLM, llama.cpp, a provider.

The run names the address, the model and the *name* of the environment variable that holds the key.
Without such a name no key is sent, whatever the environment holds. The key is never part of a label,
a row or a log line, even where a server repeats it in a message.

A server that is busy or fails is asked again; one that refuses a request makes that request's error
row; one that is not there at all stops the run. Replies that were had before it went away are kept.
"""

from __future__ import annotations

import base64
import json
import os
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import stamina
from blake3 import blake3

from assets.predictions.protocols import RunConfig
from assets.predictions.replies import Reply
from assets.predictions.requests import Clip, Request
from resources.engines.base import (
    JPEG_QUALITY,
    Capabilities,
    EngineUnavailableError,
    Media,
    message_parts,
    one_line,
    prepare,
    to_jpeg,
)

_LOOPBACK = {"127.0.0.1", "::1", "localhost"}
# Sent where the run names no key: the client insists on some text, local servers ignore it.
_NO_KEY = "none"
_TOP_LOGPROBS = 20
_MOST_WAIT_S = 60.0


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a server is waited for.

    Attributes:
        attempts: Attempts per request.
        wait_s: First wait between attempts; doubles each time.
        wait_max_s: Longest wait.
        jitter_s: At most so much is added to a wait at random, so that requests spread.
        reply_s: Longest silence while a reply is awaited.
        connect_s: Longest wait for a connection.
    """

    attempts: int = 6
    wait_s: float = 1.0
    wait_max_s: float = 30.0
    jitter_s: float = 1.0
    reply_s: float = 180.0
    connect_s: float = 10.0


class _BusyError(Exception):
    """The server may do better later.

    Attributes:
        wait_s: Wait it asks for, if it does.
    """

    def __init__(self, message: str, wait_s: float | None = None) -> None:
        super().__init__(message)
        self.wait_s = wait_s


class _GoneError(Exception):
    """Nobody answers, or nobody with this key is answered."""


class _RefusedError(Exception):
    """The server refuses this request."""


class OpenAIServerEngine:
    """A model behind an OpenAI-compatible server.

    Args:
        run: Run with `base_url` and `model`; `api_key_env` and `concurrency` are read too.
        patience: How long the server is waited for.

    Raises:
        EngineUnavailableError: The run names no address or no model, or the client is not installed.
    """

    capabilities = Capabilities(images=True)

    def __init__(self, run: RunConfig, patience: Patience | None = None) -> None:
        missing = [name for name in ("base_url", "model") if not getattr(run, name)]
        if missing:
            raise EngineUnavailableError(
                f"run {run.name}: engine openai_server needs {' and '.join(missing)}"
            )
        self._run = run
        self._patience = patience or Patience()
        url = urlsplit(run.base_url)
        self._host = url.hostname or ""
        place = f"{url.netloc}{url.path.rstrip('/')}"
        self.model = f"{run.model} at {place} jpeg={JPEG_QUALITY} turn=1"
        self._client: Any = None
        self._key = _NO_KEY
        # What a server was found not to take; learnt once, from its own message.
        self._no_logprobs = False
        self._length_field = "max_tokens"

    def ask(self, batch: Sequence[Request], media: Media) -> list[Reply]:
        """One reply per request, in order, `concurrency` of them under way at once."""
        if batch and self._client is None:
            self._open()
        letters, replies = prepare(batch, lambda r, decoded: _Letter(r, media, decoded))
        gone: list[_GoneError] = []
        with ThreadPoolExecutor(max_workers=self._run.concurrency) as pool:
            for letter, reply in zip(letters, pool.map(self._send, letters), strict=True):
                if isinstance(reply, _GoneError):
                    gone.append(reply)
                    reply = Reply.failed(letter.request, reply)
                replies[letter.request.call_key] = reply
        if gone and len(gone) == len(letters):
            raise EngineUnavailableError(str(gone[0])) from gone[0]
        return [replies[request.call_key] for request in batch]

    def _open(self) -> None:
        try:
            import httpx2
            import openai
        except ImportError as missing:
            raise EngineUnavailableError(
                f"openai_server: {missing.name} is missing: install the extra `openai`"
            ) from missing
        name = self._run.api_key_env
        if name:
            self._key = os.environ.get(name, "")
            if not self._key:
                raise EngineUnavailableError(
                    f"run {self._run.name}: environment variable {name} (api_key_env) is not set"
                )
        waits = self._patience
        client = openai.OpenAI(
            base_url=self._run.base_url,
            api_key=self._key,
            max_retries=0,
            http_client=openai.DefaultHttpxClient(
                timeout=httpx2.Timeout(waits.reply_s, connect=waits.connect_s),
                # A proxy of the environment has no business between a machine and itself.
                trust_env=self._host not in _LOOPBACK,
            ),
        )
        # The client reads these from the environment; they belong to another server, perhaps.
        client.organization = client.project = client.admin_api_key = None
        self._client = client

    def _send(self, letter: _Letter) -> Reply | _GoneError:
        request = letter.request
        began = time.perf_counter()
        waits = self._patience
        answer: Any = None
        try:
            for attempt in stamina.retry_context(
                on=lambda error: (
                    error.wait_s
                    if isinstance(error, _BusyError) and error.wait_s is not None
                    else isinstance(error, _BusyError)
                ),
                attempts=waits.attempts,
                timeout=None,
                wait_initial=waits.wait_s,
                wait_max=waits.wait_max_s,
                wait_jitter=waits.jitter_s,
            ):
                with attempt:
                    answer = self._post(letter)
            return self._reply(letter, answer, time.perf_counter() - began)
        except _GoneError as gone:
            return gone
        except Exception as cause:  # noqa: BLE001 - a fault of one request is its row
            seconds = time.perf_counter() - began
            message = self._plain(f"{type(cause).__name__.strip('_')}: {cause}")
            return Reply(request.call_key, "error", None, error=message, seconds=seconds)

    def _post(self, letter: _Letter) -> Any:
        """One exchange.

        Raises:
            _BusyError: It is worth asking again.
            _GoneError: The server is not there, or knows no such key.
            _RefusedError: The server refuses the request.
        """
        import httpx2
        import openai

        try:
            return self._client.chat.completions.create(**self._body(letter))
        except openai.APITimeoutError as cause:
            if isinstance(cause.__cause__, httpx2.ConnectTimeout):
                raise self._gone(f"does not answer within {self._patience.connect_s} s") from None
            raise _BusyError(f"no reply within {self._patience.reply_s} s") from None
        except openai.APIConnectionError as cause:
            why = self._plain(str(cause.__cause__ or cause))
            if isinstance(cause.__cause__, httpx2.ConnectError):
                raise self._gone(f"cannot be reached: {why}") from None
            raise _BusyError(f"connection lost: {why}") from None
        except openai.APIStatusError as cause:
            self._judge(letter, cause)
            return self._post(letter)

    def _judge(self, letter: _Letter, cause: Any) -> None:
        """Raise what a status means; return where the request can be said another way."""
        status = int(cause.status_code)
        said = self._plain(_message_of(cause))
        if status == 401:
            named = self._run.api_key_env
            key = f"the key in {named}" if named else "a request without a key (set api_key_env)"
            raise self._gone(f"refuses {key}: {said}") from None
        if status in (408, 409, 425, 429) or status >= 500:
            raise _BusyError(f"status {status}: {said}", _wait_of(cause)) from None
        if status == 400 and "logprob" in said.lower() and letter.asked_logprobs:
            self._no_logprobs = True
            return
        if (
            status == 400
            and "max_completion_tokens" in said
            and letter.length_field == "max_tokens"
        ):
            self._length_field = "max_completion_tokens"
            return
        raise _RefusedError(f"status {status}: {said}") from None

    def _gone(self, why: str) -> _GoneError:
        return _GoneError(
            f"run {self._run.name}: server {self._run.base_url} {why}; start it or correct the run"
        )

    def _body(self, letter: _Letter) -> dict[str, Any]:
        request = letter.request
        letter.asked_logprobs = not self._no_logprobs
        letter.length_field = self._length_field
        body: dict[str, Any] = {
            "model": self._run.model,
            "messages": letter.messages,
            "temperature": request.temperature,
            letter.length_field: request.max_tokens,
        }
        if letter.asked_logprobs:
            body |= {"logprobs": True, "top_logprobs": _TOP_LOGPROBS}
        return body

    def _reply(self, letter: _Letter, answer: Any, seconds: float) -> Reply:
        """Reply of a chat completion.

        Raises:
            TypeError: The reply is no text.
            ValueError: The server answered something else.
        """
        request = letter.request
        choices: Any = getattr(answer, "choices", None)
        message = getattr(choices[0], "message", None) if choices else None
        if message is None:
            raise ValueError(f"the server's answer is no chat completion: {str(answer)[:200]}")
        text: Any = message.content
        if text is None:
            text = getattr(message, "refusal", None) or ""
        if not isinstance(text, str):
            raise TypeError(f"the reply is {type(text).__name__}, not text")
        stopped = getattr(choices[0], "finish_reason", None)
        return Reply(
            request.call_key,
            "ok",
            text,
            option_scores=_letter_scores(choices[0], request),
            bytes_hash=letter.bytes_hash,
            seconds=seconds,
            finish_reason=one_line(stopped, 40) if isinstance(stopped, str) else None,
            prompt_tokens=_count(answer, "prompt_tokens"),
            completion_tokens=_count(answer, "completion_tokens"),
        )

    def _plain(self, text: str) -> str:
        """A server's text, on one line and without the key."""
        return one_line(text if self._key == _NO_KEY else text.replace(self._key, "***"))


class _Letter:
    """A request as the messages of a chat, pictures as JPEG in data URLs."""

    def __init__(
        self, request: Request, media: Media, decoded: dict[Clip, list[np.ndarray]]
    ) -> None:
        self.request = request
        self.asked_logprobs = False
        self.length_field = ""
        sent = blake3()
        content: list[dict[str, Any]] = []
        for part in message_parts(request, media, decoded):
            if isinstance(part, str):
                content.append({"type": "text", "text": part})
                continue
            picture = to_jpeg(part, request.encoding)
            sent.update(picture)
            url = "data:image/jpeg;base64," + base64.b64encode(picture).decode()
            content.append({"type": "image_url", "image_url": {"url": url}})
        # Servers of text models take plain text only.
        said: Any = content if request.clips else request.prompt
        self.messages: list[dict[str, Any]] = [{"role": "user", "content": said}]
        if request.system:
            self.messages.insert(0, {"role": "system", "content": request.system})
        self.bytes_hash = sent.hexdigest(length=16) if request.clips else None


def _message_of(cause: Any) -> str:
    """What a server says about a failure, out of the forms in use."""
    body = cause.body
    if isinstance(body, dict):
        inner = body.get("error", body)
        said = inner.get("message") if isinstance(inner, dict) else inner
        return said if isinstance(said, str) else json.dumps(body)[:1000]
    return str(body or cause.response.text or cause.response.reason_phrase)


def _wait_of(cause: Any) -> float | None:
    """Wait in seconds that a server asks for; dates are not read."""
    try:
        wait_s = float(cause.response.headers.get("retry-after", ""))
    except ValueError:
        return None
    return min(wait_s, _MOST_WAIT_S) if wait_s >= 0 else None


def _letter_scores(choice: Any, request: Request) -> tuple[float, ...] | None:
    """Log-probability of each letter as the first token, where the server tells all of them."""
    try:
        steps = choice.logprobs.content
        offered = {
            step.token.strip(): float(step.logprob) for step in reversed(steps[0].top_logprobs)
        }
    except (AttributeError, IndexError, TypeError, ValueError):
        return None
    if any(letter not in offered for letter in request.letters):
        return None
    return tuple(offered[letter] for letter in request.letters)


def _count(answer: Any, name: str) -> int | None:
    value = getattr(getattr(answer, "usage", None), name, None)
    return value if isinstance(value, int) and value >= 0 else None

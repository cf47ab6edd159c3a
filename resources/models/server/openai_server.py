"""Any server that speaks OpenAI's chat completions: vLLM, llama.cpp, a provider.

The run names the address, the model and the *name* of the environment variable that holds the key.
Without such a name no key is sent, whatever the environment holds. The key is never part of a label,
a row or a log line, even where a server repeats it.

A server that is busy, fails or garbles its answer is asked again; one that refuses a request makes
that request's error row; one that is not there, refuses the account, or fails several calls in a row,
is asked no more. Replies that were had before are kept. Answers are read within bounds. Of several servers each request
goes to one that is there and has the least to do. No request leaves faster than the run's limits, or
earlier than a server's own headers allow.
"""

from __future__ import annotations

import json
import math
import os
import random
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from resources.masking import mask, register_names
from resources.models.base import (
    JPEG_QUALITY,
    REASONING_TOKENS,
    Capabilities,
    EngineUnavailableError,
    Media,
    PreparedPrompt,
    is_open_reasoning,
)
from resources.models.costs.forecast import TokenForecast
from resources.models.costs.prices import Usage
from resources.models.prompt import Prompt
from resources.models.reply import Reply
from resources.models.runs import RunConfig
from resources.models.server.breaker import REMEDY, Breaker
from resources.models.server.chat_message import (
    ClipContent,
    as_pictures,
    as_video,
    chat_messages,
    form_sent,
)
from resources.models.server.endpoints import Endpoint, Endpoints
from resources.models.server.rate_limit import Departure, Pacer, RateLimiter, shared_limits
from resources.models.server.server_limits import retry_after, server_limits
from resources.roots.base import RootError
from resources.texts import one_line

if TYPE_CHECKING:
    from resources.models.server.bounded_http import Answer, Bounds

_LOOPBACK = {"127.0.0.1", "::1", "localhost"}
# Parts of a message, where it comes in parts: under which name each kind holds text that was said, and
# kinds that hold what was only thought.
_TEXT_PARTS = {"text": "text", "output_text": "text", "refusal": "refusal"}
_THOUGHTS = frozenset({"thinking", "reasoning", "redacted_thinking"})
# Sent where the run names no key: the client insists on some text, local servers ignore it.
_NO_KEY = "none"
_TOP_LOGPROBS = 20
# How servers that hold no reply to a schema say so.
_SCHEMA = re.compile(r"response_format|json_schema|structured|grammar", re.IGNORECASE)
# How servers of models that take no temperature of ours say so: that none is taken, or only their own.
# One that is merely out of bounds is a mistake of the run.
_TEMPERATURE = re.compile(
    r"temperature.*(unsupported|not.{0,3}support|not allowed|not permitted|deprecated|only|extra inputs)"
    r"|(unsupported|unknown|unrecogni[sz]ed|unexpected|deprecated|only).*temperature",
    re.IGNORECASE,
)
_BOUNDS = re.compile(r"between|range|at most|at least|less than|greater than|[<>]", re.IGNORECASE)
# Statuses of a request that may be taken when it says less.
_SAYS_TOO_MUCH = frozenset({400, 403, 422})
# How servers say that it is the account they refuse, and no request: as the code or type of the error,
# or in its words. A rate limit is no such thing, also where it is called a quota.
_ACCOUNT_CODES = frozenset(
    {
        "account_deactivated",
        "arrearage",
        "billing_hard_limit_reached",
        "billing_not_active",
        "exceeded_current_quota_error",
        "insufficient_balance",
        "insufficient_quota",
    }
)
_ACCOUNT = re.compile(
    r"insufficient[ _](quota|balance|credits?|funds)|credit balance is too low", re.IGNORECASE
)
_ACCOUNT_STATUSES = frozenset({400, 403, 429})
_MODEL_CODES = frozenset({"model_not_found", "invalid_model"})
_MODEL = re.compile(r"\bmodel\b.{0,80}\b(not found|not exist)|\binvalid model\b", re.IGNORECASE)
# Statuses after which a server may do better later, beside those of 500 and above.
_ASKED_AGAIN = frozenset({408, 409, 425, 429})
# Of a longer reply they would fill megabytes, and its first token is not an answer.
_LOGPROBS_TO_TOKENS = 2048
# An answer holds the reply and, per token, twenty candidates with their log-probabilities.
_MOST_BODY_BYTES = 8 << 20
_BODY_BYTES, _BODY_BYTES_PER_TOKEN = 65_536, 4_096
_MOST_COUNT = 1 << 53
# A slower server is taken to be silent.
_TOKENS_PER_S = 20
# Tokens for which the configured time is enough.
_SHORT_REPLY = 512
# While a server fails, waiting for each request as long as for the first would take hours.
_ATTEMPTS_IN_DOUBT = 2


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a server is waited for.

    Attributes:
        attempts: Attempts per prompt.
        costly_attempts: Attempts per request where each made the model work: no reply in time, or
            an answer that cannot be read.
        wait_s: First wait between attempts; doubles each time.
        wait_max_s: Longest wait.
        jitter_s: At most so much is added to a wait at random, so that requests spread.
        reply_s: Longest silence while a reply is awaited.
        whole_s: Longest time that reading a reply may take in all.
        connect_s: Longest wait for a connection.
    """

    attempts: int = 6
    costly_attempts: int = 3
    wait_s: float = 1.0
    wait_max_s: float = 30.0
    jitter_s: float = 1.0
    reply_s: float = 180.0
    whole_s: float = 600.0
    connect_s: float = 10.0


class _BusyError(Exception):
    """The server may do better later.

    Attributes:
        wait_s: Wait it asks for, if it does.
        is_costly: Whether the model worked for nothing, so that few attempts are made.
        is_billed: Whether the attempt may be billed: the server took the request.
        is_unreachable: Whether nobody answers.
        usage: Tokens that the server counted for it.
    """

    def __init__(
        self,
        message: str,
        wait_s: float | None = None,
        *,
        is_costly: bool = False,
        is_billed: bool = False,
        is_unreachable: bool = False,
        usage: Usage | None = None,
    ) -> None:
        super().__init__(message)
        self.wait_s = wait_s
        self.is_costly = is_costly
        self.is_billed = is_billed or is_costly or usage is not None
        self.is_unreachable = is_unreachable
        self.usage = usage


class _GoneError(Exception):
    """Nobody answers, or nobody with this key is answered.

    Attributes:
        remedy: What a person is to do about it.
    """

    def __init__(self, message: str, remedy: str = REMEDY) -> None:
        super().__init__(message)
        self.remedy = remedy


class _ElsewhereError(Exception):
    """This server is left out from now on; others are there to ask."""


class _StoppedError(Exception):
    """Nothing more is to be sent: all stops, or the budget does not allow another attempt."""


class _RefusedError(Exception):
    """The server refuses this prompt.

    Attributes:
        any_request: Whether it would refuse any other as well.
    """

    def __init__(self, message: str, *, any_request: bool = False) -> None:
        super().__init__(message)
        self.any_request = any_request


@dataclass(frozen=True, slots=True)
class _Sent:
    """What became of a prompt.

    Attributes:
        reply: Its reply; None where the server is asked no more before it has one.
        was_taken: False where there was no prompt left.
    """

    reply: Reply | None = None
    was_taken: bool = True


class OpenAIServerEngine:
    """A model behind an OpenAI-compatible server.

    Args:
        run: Run with `base_url` (or `base_urls`) and `model`; `api_key_env`, `concurrency`, `video` and
            the limits per minute are read too.
        patience: How long the server is waited for.

    Raises:
        EngineUnavailableError: The run names no address or no model, or the client is not installed.
    """

    def __init__(self, run: RunConfig, patience: Patience | None = None) -> None:
        needed = {"base_url": run.addresses, "model": run.model}
        missing = [name for name, value in needed.items() if not value]
        if missing:
            raise EngineUnavailableError(
                f"run {run.name}: engine openai_server needs {' and '.join(missing)}"
            )
        self._run = run
        self._patience = patience or Patience()
        # The first of several servers stands for all: which of them answers makes no difference.
        url = urlsplit(run.addresses[0])
        place = f"{url.netloc}{url.path.rstrip('/')}"
        self.model = f"{run.model} at {place} jpeg={JPEG_QUALITY} turn=1"
        if run.video:
            self.model += " video=jpeg"
        self.capabilities = Capabilities(images=True, video=run.video, json_schema=True)
        self.may_spend: Callable[[Prompt, int, Sequence[Usage]], bool] = _may_always
        self._clients: dict[str, Any] = {}
        self._key = _NO_KEY
        self._bounds: Bounds
        self._breaker = Breaker(run.stop_after_failures)
        self._endpoints = Endpoints(run.addresses)
        self._endpoints_lock = threading.Lock()
        sleep = self._breaker.sleep
        account = (run.addresses, run.model, run.api_key_env)
        limiter, lock = shared_limits(account, run.requests_per_minute, run.tokens_per_minute)
        self._pacer = Pacer(limiter, sleep, lock=lock)
        self._pacers = {url: Pacer(RateLimiter(), sleep) for url in run.addresses}
        self._forecast = TokenForecast()
        # What a server was found not to take; learnt once, from its own message.
        self._no_logprobs = False
        self._no_schema = False
        self._no_temperature = False
        self._length_field = "max_tokens"
        self._reasons = False

    def ask(self, batch: Sequence[Prompt], media: Media) -> list[Reply]:
        """One reply per prompt, in order, `concurrency` of them under way at once."""
        prompts = iter([PreparedPrompt(prompt, media) for prompt in batch])
        replies = {r.call_key: r for group in self.stream(prompts) for r in group}
        return [replies[prompt.key] for prompt in batch]

    def stream(self, prompts: Iterator[PreparedPrompt]) -> Iterator[list[Reply]]:
        """Replies as they arrive; the next prompts are taken when a group has been taken.

        Raises:
            EngineUnavailableError: The server is not there, or failed several calls in a row. The
                failures that showed it were yielded, marked as the server's.
        """
        if not self._clients:
            self._open()
        self._breaker.resume()
        taken = answered = 0
        is_drained = False
        with ThreadPoolExecutor(max_workers=self._run.concurrency) as pool:
            running: set[Future[_Sent]] = set()
            try:
                while True:
                    while (
                        not is_drained
                        and len(running) < self._run.concurrency
                        and not self._breaker.is_open
                    ):
                        running.add(pool.submit(self._send_next, prompts))
                    if not running:
                        break
                    done, running = wait(running, return_when=FIRST_COMPLETED)
                    sent = [future.result() for future in done]
                    is_drained = is_drained or not all(one.was_taken for one in sent)
                    taken += sum(one.was_taken for one in sent)
                    arrived = [one.reply for one in sent if one.reply is not None]
                    answered += sum(not reply.server_failed for reply in arrived)
                    if arrived:
                        yield arrived
            finally:
                # Whoever stops here is not kept waiting by requests that wait for their next turn.
                self._breaker.pause()
        if self._breaker.reason and (answered < taken or next(prompts, None) is not None):
            raise EngineUnavailableError(
                f"run {self._run.name}: server {', '.join(self._run.addresses)} {self._breaker.reason};"
                f" requests with a reply: {answered}; all others count as not asked;"
                f" {self._breaker.remedy}, then run again"
            )

    def clip_content(self, prompt: Prompt) -> ClipContent:
        """How the clips of a prompt are written into its message."""
        return as_video if self._run.video else as_pictures

    def request_extras(self, prompt: Prompt) -> dict[str, Any]:
        """Further fields of the body of a request, for servers that take more than OpenAI's."""
        return {}

    def billed(self, letter: Any) -> Sequence[Usage]:
        """Tokens of what a prompt was sent for so far, as long as it has no reply."""
        return letter.lost

    def refuses_all(self, said: str) -> bool:
        """Whether a server that refuses a request with these words would refuse any other as well."""
        return False

    def _letter(self, ready: PreparedPrompt) -> _Letter:
        """A prompt as it is sent."""
        prompt = ready.prompt
        return _Letter(prompt, ready.media, self.clip_content(prompt), self.request_extras(prompt))

    def _send_next(self, prompts: Iterator[PreparedPrompt]) -> _Sent:
        """Take the next prompt and send it; a prompt whose frames cannot be had is not sent."""
        ready = next(prompts, None)
        if ready is None:
            return _Sent(was_taken=False)
        began = time.perf_counter()
        try:
            letter = self._letter(ready)
        except (EngineUnavailableError, RootError):
            raise
        except Exception as cause:  # noqa: BLE001 - a fault of one prompt is its row
            return _Sent(Reply.failed(ready.prompt, cause, time.perf_counter() - began))
        return _Sent(self._send(letter))

    def _open(self) -> None:
        try:
            import httpx2
            import openai
        except ImportError as missing:
            raise EngineUnavailableError(
                f"openai_server: {missing.name} is missing: install the extra `openai`"
            ) from missing
        from resources.models.server.bounded_http import Bounds

        self._bounds = Bounds()
        name = self._run.api_key_env
        if name:
            register_names([name])
            self._key = os.environ.get(name, "")
            if not self._key:
                raise EngineUnavailableError(
                    f"run {self._run.name}: environment variable {name} (api_key_env) is not set"
                )
        waits = self._patience
        for address in self._run.addresses:
            host = urlsplit(address).hostname or ""
            client = openai.OpenAI(
                base_url=address,
                api_key=self._key,
                max_retries=0,
                default_headers={"Accept-Encoding": "identity"},
                http_client=openai.DefaultHttpxClient(
                    timeout=httpx2.Timeout(waits.reply_s, connect=waits.connect_s),
                    # A proxy of the environment has no business between a machine and itself.
                    trust_env=host not in _LOOPBACK,
                    event_hooks={"response": [self._bounds.apply]},
                ),
            )
            # The client reads these from the environment; they belong to another server, perhaps.
            client.organization = client.project = client.admin_api_key = None
            self._clients[address] = client

    def _send(self, letter: _Letter) -> Reply | None:
        """Reply to a request; None where the server is asked no more before it has one."""
        began = time.perf_counter()
        breaker = self._breaker
        attempt = 0
        while not breaker.is_open:
            attempt += 1
            try:
                answer = self._exchange(letter)
                if self._is_cut_in_reasoning(letter, answer.document):
                    self._reasons = True
                    letter.lost.append(self._usage(letter, answer.document))
                    answer = self._exchange(letter)
                reply = letter.told(self._reply(letter, answer, time.perf_counter() - began))
            except _ElsewhereError:
                attempt -= 1
                continue
            except _StoppedError as stopped:
                # What was billed is recorded.
                return self._failed(letter, stopped, began) if self.billed(letter) else None
            except _GoneError as gone:
                breaker.trip(str(gone), gone.remedy)
                return self._unasked(letter, gone, began)
            except _BusyError as busy:
                if busy.is_billed:
                    letter.lost.append(busy.usage or self._usage(letter, None))
                if attempt < self._attempts(busy):
                    breaker.sleep(self._wait(attempt, busy))
                    continue
                if busy.is_unreachable:
                    breaker.trip(str(busy))
                    return self._unasked(letter, busy, began)
                return self._failed(letter, busy, began, server_failed=True)
            except Exception as cause:  # noqa: BLE001 - a fault of one request is its row
                at_fault = isinstance(cause, _RefusedError) and cause.any_request
                return self._failed(letter, cause, began, server_failed=at_fault)
            breaker.succeeded()
            self._forecast.learn(letter.prompt, reply)
            return reply
        return self._unasked(letter, _StoppedError("the server is asked no more"), began)

    def _unasked(self, letter: _Letter, cause: Exception, began: float) -> Reply | None:
        """What is kept of a prompt whose server is asked no more: what was billed, if anything was."""
        if not self.billed(letter):
            return None
        return self._failed(letter, cause, began, server_failed=True)

    def _exchange(self, letter: _Letter) -> Answer:
        """One request to the server that is next, once the limits let it go.

        Raises:
            _StoppedError: It must not be sent.
            _ElsewhereError: The server failed, and others are there.
            _BusyError: It is worth asking again.
            _GoneError: No server is there, or knows the key.
            _RefusedError: The server refuses the prompt.
        """
        if not self.may_spend(letter.prompt, self._room(letter), letter.lost):
            raise _StoppedError("the budget of the run does not allow another attempt")
        expected = self._forecast.expected_of_request(letter.prompt)
        departure = self._pacer.depart(expected.prompt + expected.completion)
        if departure is None:
            raise _StoppedError("the run was stopped")
        with self._endpoints_lock:
            endpoint = self._endpoints.take(time.monotonic())
        try:
            if self._pacers[endpoint.url].depart(departure.tokens) is None:
                raise _StoppedError("the run was stopped")
            answer = self._post(letter, endpoint, departure)
        except (_GoneError, _BusyError) as cause:
            if self._leave(endpoint, cause):
                if isinstance(cause, _BusyError) and cause.is_billed:
                    letter.lost.append(cause.usage or self._usage(letter, None))
                raise _ElsewhereError from None
            raise
        finally:
            with self._endpoints_lock:
                self._endpoints.done(endpoint)
        with self._endpoints_lock:
            self._endpoints.succeeded(endpoint)
        return answer

    def _leave(self, endpoint: Endpoint, cause: _GoneError | _BusyError) -> bool:
        """Whether a server that failed is left out for a while, because others are there."""
        now = time.monotonic()
        with self._endpoints_lock:
            if isinstance(cause, _GoneError) or cause.is_unreachable:
                return self._endpoints.leave_out(endpoint, now)
            if cause.wait_s is not None:
                self._endpoints.pause(endpoint, now + cause.wait_s)
                return False
            return self._endpoints.failed(endpoint, now)

    def _usage(self, letter: _Letter, body: Any) -> Usage:
        """Tokens of an attempt that gave no reply: as the server counts them, else as expected."""
        counted = usage_of(body)
        if counted is not None:
            return counted
        expected = self._forecast.expected_of_request(letter.prompt)
        return Usage(expected.prompt, letter.prompt.max_tokens + letter.room)

    def _attempts(self, busy: _BusyError) -> int:
        waits = self._patience
        most = min(waits.attempts, waits.costly_attempts) if busy.is_costly else waits.attempts
        if not self._breaker.failures:
            return most
        return 1 if busy.is_costly else min(most, _ATTEMPTS_IN_DOUBT)

    def _wait(self, attempt: int, busy: _BusyError) -> float:
        waits = self._patience
        if busy.wait_s is not None:
            # The pause of its server is waited for before the next request.
            return 0.0
        # Spread, not secret.
        jitter = random.uniform(0, waits.jitter_s)  # noqa: S311
        return min(waits.wait_s * 2 ** (attempt - 1), waits.wait_max_s) + jitter

    def _failed(
        self, letter: _Letter, cause: Exception, began: float, *, server_failed: bool = False
    ) -> Reply:
        message = self._plain(f"{type(cause).__name__.strip('_')}: {cause}")
        if server_failed:
            self._breaker.failed(self._plain(str(cause)))
        else:
            self._breaker.succeeded()
        seconds = time.perf_counter() - began
        key = letter.prompt.key
        failed = Reply(
            key,
            "error",
            None,
            error=message,
            seconds=seconds,
            server_failed=server_failed,
            lost=tuple(self.billed(letter)),
        )
        return letter.told(failed)

    def _post(self, letter: _Letter, endpoint: Endpoint, departure: Departure) -> Answer:
        """One request and its answer.

        Raises:
            _BusyError: It is worth asking again.
            _GoneError: The server is not there, or knows no such key.
            _RefusedError: The server refuses the prompt.
        """
        import httpx2
        import openai

        from resources.models.server.bounded_http import read_answer

        tokens = letter.prompt.max_tokens + self._room(letter)
        # Scored texts come with the log-likelihood of every token before them.
        room = _MOST_BODY_BYTES if letter.prompt.likelihood else _BODY_BYTES_PER_TOKEN * tokens
        self._bounds.most_bytes = min(_MOST_BODY_BYTES, _BODY_BYTES + room)
        # Nothing comes before the last token: a long reply is waited for longer.
        reply_s = self._patience.reply_s
        if tokens > _SHORT_REPLY:
            reply_s = max(reply_s, tokens / _TOKENS_PER_S)
        self._bounds.whole_s = max(self._patience.whole_s, reply_s)
        try:
            raw = self._clients[endpoint.url].chat.completions.with_raw_response.create(
                **self._body(letter),
                timeout=httpx2.Timeout(reply_s, connect=self._patience.connect_s),
            )
            endpoint.has_answered = True
            self._pacers[endpoint.url].heed(server_limits(raw.headers))
            answer = read_answer(raw.http_response)
            usage = self._usage(letter, answer.document)
            self._pacer.correct(departure, usage.prompt + usage.completion)
            return answer
        except openai.APITimeoutError as cause:
            if isinstance(cause.__cause__, httpx2.ConnectTimeout):
                self._pacer.correct(departure, 0)
                raise self._unreachable(
                    endpoint, f"does not answer within {self._patience.connect_s:g} s"
                ) from None
            why = f"no reply within {reply_s:g} s"
            raise _BusyError(why, is_costly=True) from None
        except openai.APIConnectionError as cause:
            why = self._plain(str(cause.__cause__ or cause))
            if isinstance(cause.__cause__, httpx2.ConnectError):
                self._pacer.correct(departure, 0)
                raise self._unreachable(endpoint, f"cannot be reached: {why}") from None
            raise _BusyError(f"connection lost: {why}", is_billed=True) from None
        except openai.APIStatusError as cause:
            endpoint.has_answered = True
            self._pacer.correct(departure, 0)
            self._heed_refusal(endpoint, cause)
            self._judge(letter, cause)
            again = self._pacer.depart(departure.tokens)
            if again is None:
                raise _StoppedError("the run was stopped") from None
            return self._post(letter, endpoint, again)
        except ValueError as cause:
            why = self._plain(f"the server's answer is not a chat completion: {cause}")
            raise _BusyError(why, is_costly=True) from None

    def _heed_refusal(self, endpoint: Endpoint, cause: Any) -> None:
        """Leave a server alone as long as it asks for."""
        headers = cause.response.headers
        pacer = self._pacers[endpoint.url]
        pacer.heed(server_limits(headers))
        wait_s = retry_after(headers)
        if wait_s is not None and int(cause.status_code) in _ASKED_AGAIN:
            pacer.pause(wait_s)

    def _unreachable(self, endpoint: Endpoint, why: str) -> Exception:
        """What it means that nobody answers: a server that did answer may be starting again."""
        if endpoint.has_answered:
            return _BusyError(why, is_unreachable=True)
        return _GoneError(why)

    def _judge(self, letter: _Letter, cause: Any) -> None:
        """Raise what a status means; return where the request can be said another way."""
        status = int(cause.status_code)
        said = self._plain(_message_of(cause))
        if status == 401:
            named = self._run.api_key_env
            key = f"the key in {named}" if named else "a request without a key (set api_key_env)"
            raise _GoneError(f"refuses {key}: {said}") from None
        codes = _codes_of(cause.body)
        is_about_account = codes & _ACCOUNT_CODES or _ACCOUNT.search(said)
        if status == 402 or (status in _ACCOUNT_STATUSES and is_about_account):
            raise _account_refused(f"status {status}: {said}") from None
        if codes & _MODEL_CODES:
            why = f"has no model {self._run.model!r} (status {status}: {said})"
            raise _GoneError(why, "correct model") from None
        if status in _ASKED_AGAIN or status >= 500:
            wait_s = retry_after(cause.response.headers)
            raise _BusyError(f"status {status}: {said}", wait_s) from None
        if status in _SAYS_TOO_MUCH and self._says_less(letter, said):
            return
        # No such address, model or permission: no matter what is asked.
        always = (
            status < 400
            or status in (403, 404, 405)
            or (status == 400 and _MODEL.search(said) is not None)
            or self.refuses_all(said)
        )
        raise _RefusedError(f"status {status}: {said}", any_request=always) from None

    def _says_less(self, letter: _Letter, said: str) -> bool:
        """Leave out from now on what a server refuses; whether the request is then another one."""
        if letter.asked_logprobs and "logprob" in said.lower():
            self._no_logprobs = True
        elif letter.asked_schema and _SCHEMA.search(said):
            self._no_schema = True
        elif letter.length_field == "max_tokens" and "max_completion_tokens" in said:
            self._length_field = "max_completion_tokens"
        elif letter.asked_temperature and _TEMPERATURE.search(said) and not _BOUNDS.search(said):
            self._no_temperature = True
        else:
            return False
        return True

    def asks_schema(self, letter: _Letter) -> bool:
        """Whether a reply is to be held to the schema of its prompt."""
        return bool(letter.prompt.json_schema) and not self._no_schema

    def _body(self, letter: _Letter) -> dict[str, Any]:
        prompt = letter.prompt
        letter.room = self._room(letter)
        tokens = prompt.max_tokens + letter.room
        letter.asked_logprobs = not self._no_logprobs and tokens <= _LOGPROBS_TO_TOKENS
        letter.length_field = self._length_field
        body: dict[str, Any] = {
            "model": self._run.model,
            "messages": letter.messages,
            letter.length_field: tokens,
        }
        letter.asked_temperature = not self._no_temperature
        if letter.asked_temperature:
            body["temperature"] = prompt.temperature
        if prompt.sampling_seed is not None:
            body["seed"] = prompt.sampling_seed
        if letter.asked_logprobs:
            body |= {"logprobs": True, "top_logprobs": _TOP_LOGPROBS}
        letter.asked_schema = self.asks_schema(letter)
        if letter.asked_schema:
            schema = {"name": "reply", "strict": True, "schema": json.loads(prompt.json_schema)}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        return body | {"extra_body": letter.extras} if letter.extras else body

    def _room(self, letter: _Letter) -> int:
        """Tokens that the model may spend on reasoning, beside those of its answer."""
        if letter.prompt.reasoning_tokens is not None:
            return letter.prompt.reasoning_tokens
        return REASONING_TOKENS if self._reasons else 0

    def _is_cut_in_reasoning(self, letter: _Letter, body: Any) -> bool:
        """Whether a model without room for reasoning spent all its tokens on it."""
        choice = _choice(body)
        message = choice.get("message")
        if (
            letter.room
            or letter.prompt.reasoning_tokens is not None
            or choice.get("finish_reason") != "length"
            or not isinstance(message, dict)
        ):
            return False
        text = _text_of(message)
        if text is not None and text.strip():
            return is_open_reasoning(text)
        usage = body.get("usage")
        details = usage.get("completion_tokens_details") if isinstance(usage, dict) else None
        reasoned = details.get("reasoning_tokens") if isinstance(details, dict) else None
        shown = message.get("reasoning_content"), message.get("reasoning"), _has_thoughts(message)
        return any((*shown, reasoned))

    def _reply(self, letter: _Letter, answer: Answer, seconds: float) -> Reply:
        """Reply of a chat completion.

        Raises:
            _BusyError: The server answered something else.
        """
        from resources.models.server.bounded_http import CUT

        prompt, body = letter.prompt, answer.document
        choice = _choice(body)
        message = choice.get("message")
        failed = _error_of(body) or _error_of(choice)
        if failed or choice.get("finish_reason") == "error":
            said = self._plain(f"status 200 with an error: {failed or 'finish_reason error'}")
            if _codes_of(body) & {*_ACCOUNT_CODES, "402"}:
                raise _account_refused(said)
            raise _BusyError(said, usage=usage_of(body))
        if not isinstance(message, dict):
            said = self._plain(f"the server's answer is not a chat completion: {_start(body)}")
            raise _BusyError(said, is_costly=True, usage=usage_of(body))
        text = _text_of(message)
        if text is None:
            said = f"the reply is {type(message.get('content')).__name__}, not text"
            raise _BusyError(said, is_costly=True, usage=usage_of(body))
        stopped = choice.get("finish_reason")
        is_cut = answer.unread_bytes > 0 and text.endswith(CUT)
        return Reply(
            prompt.key,
            "ok",
            text.removesuffix(CUT) if is_cut else text,
            option_scores=_letter_scores(choice, prompt),
            bytes_hash=letter.bytes_hash,
            seconds=seconds,
            finish_reason=one_line(mask(stopped), 40) if isinstance(stopped, str) else None,
            prompt_tokens=_count(body, "prompt_tokens"),
            completion_tokens=_count(body, "completion_tokens"),
            cut_bytes=answer.unread_bytes if is_cut else None,
            cached_tokens=_cached(body),
            lost=tuple(letter.lost),
        )

    def _plain(self, text: str) -> str:
        """A server's text, on one line and without the key."""
        # The key also where it is too short to be a secret elsewhere.
        return one_line(mask(text if self._key == _NO_KEY else text.replace(self._key, "***")))


class _Letter:
    """A prompt as it is sent, and what was tried of it so far."""

    def __init__(
        self,
        prompt: Prompt,
        media: Media,
        clip_content: ClipContent,
        extras: Mapping[str, Any],
    ) -> None:
        self.prompt = prompt
        self.extras = dict(extras)
        # Answers to the parts of a prompt that takes several requests, by part.
        self.parts: dict[int, Any] = {}
        self.asked_logprobs = False
        self.asked_schema = bool(prompt.json_schema)
        self.asked_temperature = True
        self.length_field = ""
        self.room = 0
        # Tokens of attempts that gave no reply, and are billed all the same.
        self.lost: list[Usage] = []
        self.messages, self.bytes_hash = chat_messages(prompt, media, clip_content)
        self._clips_sent_as = form_sent(self.messages)

    def told(self, reply: Reply) -> Reply:
        """A reply that says what was sent."""
        without = {
            "temperature": not self.asked_temperature,
            "json_schema": bool(self.prompt.json_schema) and not self.asked_schema,
        }
        left_out = tuple(name for name, is_left_out in without.items() if is_left_out)
        return replace(reply, clips_sent_as=self._clips_sent_as, asked_without=left_out)


def _may_always(_prompt: Prompt, _room: int, _lost: Sequence[Usage]) -> bool:
    """No budget is set."""
    return True


def _message_of(cause: Any) -> str:
    """What a server says about a failure, out of the forms in use."""
    body = cause.body
    if isinstance(body, dict):
        inner = body.get("error", body)
        said = inner.get("message") if isinstance(inner, dict) else inner
        return said if isinstance(said, str) else json.dumps(body)
    return str(body or cause.response.text or cause.response.reason_phrase)


def _account_refused(message: str) -> _GoneError:
    """What is asked makes no difference, and waiting is of no help."""
    return _GoneError(f"refuses the account ({message})", "settle it with the provider")


def _codes_of(body: Any) -> set[str]:
    """Code and type of a failure as a server names them, in small letters."""
    inner = body.get("error", body) if isinstance(body, dict) else None
    if not isinstance(inner, dict):
        return set()
    return {str(inner.get(name)).lower() for name in ("code", "type")}


def _choice(body: Any) -> dict[str, Any]:
    choices = body.get("choices") if isinstance(body, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, dict) else {}


def _text_of(message: dict[str, Any]) -> str | None:
    """Text of a message, whole or in parts, without the model's thoughts; None where it is neither."""
    content = message.get("content")
    refusal = message.get("refusal")
    said = refusal if isinstance(refusal, str) else ""
    if content is None:
        return said
    if not isinstance(content, list):
        return content if isinstance(content, str) else None
    texts: list[str] = []
    for part in content:
        kind = part.get("type") if isinstance(part, dict) else None
        if kind in _THOUGHTS:
            continue
        text = part.get(_TEXT_PARTS[kind]) if kind in _TEXT_PARTS else None
        if not isinstance(text, str):
            return None
        texts.append(text)
    return "".join(texts) or said


def _has_thoughts(message: dict[str, Any]) -> bool:
    """Whether thoughts of the model are among the parts of a message."""
    content = message.get("content")
    parts = content if isinstance(content, list) else []
    return any(isinstance(part, dict) and part.get("type") in _THOUGHTS for part in parts)


def _error_of(part: Any) -> str:
    """What an answer with status 200 says of an error; empty where it says of none."""
    error = part.get("error") if isinstance(part, dict) else None
    if not error:
        return ""
    said = error.get("message") if isinstance(error, dict) else error
    return said if isinstance(said, str) and said else json.dumps(error)


def _start(body: Any) -> str:
    return json.dumps(body)[:2000]


def _letter_scores(choice: dict[str, Any], prompt: Prompt) -> tuple[float, ...] | None:
    """Log-probability of each letter as the first token, where the server tells all of them."""
    try:
        steps = choice["logprobs"]["content"]
        offered = {
            step["token"].strip(): float(step["logprob"])
            for step in reversed(steps[0]["top_logprobs"])
        }
    except (AttributeError, IndexError, KeyError, TypeError, ValueError, OverflowError):
        return None
    if any(math.isnan(offered.get(letter, math.nan)) for letter in prompt.choices):
        return None
    return tuple(offered[letter] for letter in prompt.choices)


def _count(body: Any, name: str) -> int | None:
    usage = body.get("usage") if isinstance(body, dict) else None
    return _as_count(usage.get(name)) if isinstance(usage, dict) else None


def _cached(body: Any) -> int | None:
    """Tokens that a server took from its cache, where it says."""
    usage = body.get("usage") if isinstance(body, dict) else None
    details = usage.get("prompt_tokens_details") if isinstance(usage, dict) else None
    return _as_count(details.get("cached_tokens")) if isinstance(details, dict) else None


def _as_count(value: Any) -> int | None:
    return value if type(value) is int and 0 <= value < _MOST_COUNT else None


def usage_of(body: Any) -> Usage | None:
    """Tokens that a server counted; None where it did not."""
    read = _count(body, "prompt_tokens")
    if read is None:
        return None
    return Usage(read, _count(body, "completion_tokens") or 0, _cached(body) or 0)

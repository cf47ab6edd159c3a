"""Whether a run could be asked right now: its engine, its key, its server. Nothing is generated or bought."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlsplit

from resources.masking import mask, register_names
from resources.models import EngineUnavailableError, open_engine
from resources.models.prompt import Needs
from resources.models.runs import RunConfig

Level = Literal["ok", "warning", "problem"]
_LEVELS: tuple[Level, ...] = ("ok", "warning", "problem")
_ASKED_BY_HTTP = frozenset({"openai_server", "vllm"})
_TIMEOUT_S = 3.0
_MOST_BYTES = 1 << 20
_NAMED = 5
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found.

    Attributes:
        subject: What was checked.
        level: `ok`; `warning` where some things will not work; `problem` where it cannot be used.
        text: What was found and, unless it is in order, what to do.
    """

    subject: str
    level: Level
    text: str


def run_findings(
    runs: Sequence[RunConfig], needs: dict[str, Collection[Needs]], timeout_s: float = _TIMEOUT_S
) -> list[Finding]:
    """Whether runs could be asked, in the order given; servers are looked at side by side.

    Args:
        runs: Runs and text models.
        needs: What the protocols ask of an engine, by run.
        timeout_s: Longest wait for a server.
    """
    with ThreadPoolExecutor(max(1, min(8, len(runs)))) as pool:
        return list(
            pool.map(
                lambda run: _run_finding(run, needs.get(run.name) or [Needs()], timeout_s), runs
            )
        )


def _run_finding(run: RunConfig, needs: Iterable[Needs], timeout_s: float) -> Finding:
    subject = f"run {run.name}"
    try:
        for need in needs:
            open_engine(run, need)
    except EngineUnavailableError as error:
        return Finding(subject, "problem", mask(str(error)).removeprefix(f"run {run.name}: "))
    if run.engine not in _ASKED_BY_HTTP or not run.addresses:
        return Finding(subject, "ok", f"engine {run.engine} is installed")
    level, text = _server(run, timeout_s)
    return Finding(subject, level, mask(text))


def _server(run: RunConfig, timeout_s: float) -> tuple[Level, str]:
    """Whether the server of a run answers, knows its key and lists its model."""
    try:
        import openai  # noqa: F401 - whether it can be imported is the question
    except ImportError as missing:
        return "problem", f"{missing.name} is missing: install the extra `openai`"
    key = ""
    if run.api_key_env:
        register_names([run.api_key_env])
        key = os.environ.get(run.api_key_env, "")
        if not key:
            return "problem", (
                f"environment variable {run.api_key_env} (api_key_env) is not set: set it to the "
                "server's key"
            )
    # One that is worse off than the others is what a person has to hear of.
    found = [_address(run, address, key, timeout_s) for address in run.addresses]
    return max(found, key=lambda one: _LEVELS.index(one[0]))


def _address(run: RunConfig, address: str, key: str, timeout_s: float) -> tuple[Level, str]:
    """Whether one server of a run answers, knows its key and lists its model."""
    try:
        listed = _listed_models(address, key, timeout_s)
    except urllib.error.HTTPError as error:
        if error.code == 401:
            named = f"the key in {run.api_key_env}" if run.api_key_env else "requests without a key"
            remedy = "correct it" if run.api_key_env else "name one by api_key_env"
            return "problem", f"server {address} refuses {named}: {remedy}"
        if error.code == 402:
            return "problem", f"server {address} refuses the account: settle it with the provider"
        # Many servers list no models, or not to every key.
        return "ok", f"server {address} answers (status {error.code} for its list of models)"
    except OSError as error:
        why = getattr(error, "reason", None) or error
        if isinstance(why, TimeoutError):
            return "warning", (
                f"server {address} does not answer within {timeout_s:g} s: start it, or correct "
                "base_url"
            )
        return "problem", (
            f"server {address} cannot be reached ({why}): start it, or correct base_url"
        )
    except ValueError:
        return "ok", f"server {address} answers (its list of models cannot be read)"
    if listed and run.model not in listed:
        more = f" and {len(listed) - _NAMED} more" if len(listed) > _NAMED else ""
        return "warning", (
            f"server {address} does not list model {run.model!r}, but {', '.join(listed[:_NAMED])}"
            f"{more}: correct model"
        )
    return "ok", f"server {address} answers"


def _listed_models(base_url: str, key: str, timeout_s: float) -> list[str]:
    """Models that a server lists; empty where it lists none.

    Raises:
        HTTPError: It answers with an error.
        OSError: It cannot be reached.
        ValueError: Its answer is not a list of models.
    """
    request = urllib.request.Request(f"{base_url.rstrip('/')}/models")  # noqa: S310 - http(s) alone
    if key:
        # Not sent on where a server redirects: see `_NoRedirects`.
        request.add_unredirected_header("Authorization", f"Bearer {key}")
    handlers: list[Any] = [_NoRedirects()]
    if urlsplit(base_url).hostname in _LOOPBACK:
        handlers.append(urllib.request.ProxyHandler({}))
    opener = urllib.request.build_opener(*handlers)
    with opener.open(request, timeout=timeout_s) as answer:
        body = json.loads(answer.read(_MOST_BYTES))
    listed = body.get("data") if isinstance(body, dict) else None
    if listed is None:
        raise ValueError("the answer holds no list of models")
    return [str(one["id"]) for one in listed if isinstance(one, dict) and "id" in one]


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect is an answer like any other: a key goes to the server it is meant for."""

    def redirect_request(self, *_args: Any, **_kwargs: Any) -> None:
        """Follow nothing."""

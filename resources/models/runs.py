"""Runs: an engine with its settings, and the name of the protocol it is asked under."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

_ENV_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
MAX_CONCURRENCY = 64
MAX_TIMES = 1000
OWN_PROTOCOL = "own"
"""Run setting: ask each benchmark under the protocol that the benchmark names."""


@dataclass(frozen=True, slots=True)
class RunConfig:
    """A model under a protocol.

    Attributes:
        name: Name of the run; scores carry it.
        engine: Engine that answers (`random`, `smollm2`, `image_similarity`, `tiny-vlm`,
            `transformers_vlm`, `openai_server`, or a plug-in's).
        protocol: Name of the protocol; `own` takes each benchmark's.
        model: Model the engine loads, in the engine's own terms; empty where it has only one.
        auto: Whether automation may ask; engines with a price or a GPU are asked by a person.
        limit: At most so many questions, those of lowest question hash.
        subtasks: Subtasks asked; empty means all.
        benchmarks: Benchmarks it runs on; empty means all.
        base_url: Where an OpenAI-compatible server answers (`http://127.0.0.1:8000/v1`).
        api_key_env: Name of the environment variable that holds its key; never the key itself.
        concurrency: Requests that are under way at once, or computed together in process.
        trust_remote_code: Whether code beside a model's weights may be run.
        max_attempts: Runs in a row that may fail on a call before it is left alone; then only
            `--retry-errors` asks it again.
        stop_after_failures: Calls in a row that a server may fail before it is asked no more in
            this run.
    """

    name: str
    engine: str
    protocol: str
    model: str = ""
    auto: bool = False
    limit: int | None = None
    subtasks: tuple[str, ...] = ()
    benchmarks: tuple[str, ...] = ()
    base_url: str = ""
    api_key_env: str = ""
    concurrency: int = 4
    trust_remote_code: bool = False
    max_attempts: int = 3
    stop_after_failures: int = 5

    def __post_init__(self) -> None:
        for setting in ("max_attempts", "stop_after_failures"):
            value = getattr(self, setting)
            if type(value) is not int or not 1 <= value <= MAX_TIMES:
                raise ValueError(
                    f"run {self.name}: {setting} {value!r} is not a whole number from 1 to"
                    f" {MAX_TIMES}"
                )
        if self.limit is not None and self.limit < 1:
            raise ValueError(f"run {self.name}: limit {self.limit} asks nothing; leave it out")
        if type(self.concurrency) is not int or not 1 <= self.concurrency <= MAX_CONCURRENCY:
            raise ValueError(
                f"run {self.name}: concurrency {self.concurrency!r} is not a whole number from 1 to"
                f" {MAX_CONCURRENCY}"
            )
        if type(self.trust_remote_code) is not bool:
            raise ValueError(
                f"run {self.name}: trust_remote_code {self.trust_remote_code!r} is not true or"
                " false"
            )
        if self.api_key_env and not _ENV_NAME.fullmatch(self.api_key_env):
            # The value may be a key that was pasted here: it is not repeated.
            raise ValueError(
                f"run {self.name}: api_key_env is not the name of an environment variable; put the"
                " key into one and write its name here"
            )
        if self.base_url:
            self._check_url()

    def _check_url(self) -> None:
        url = urlsplit(self.base_url)
        if url.scheme not in ("http", "https") or not url.hostname:
            raise ValueError(f"run {self.name}: base_url is not an http(s) address")
        if url.username or url.password or url.query or url.fragment:
            raise ValueError(
                f"run {self.name}: base_url holds a login, a query or a fragment; name the key by"
                " api_key_env"
            )


def read_runs(
    tables: Mapping[str, Mapping[str, Any]], protocols: Collection[str] | None = None
) -> dict[str, RunConfig]:
    """Runs as configured, one table per run.

    Args:
        tables: Settings per run name, as a TOML file's `[runs.<name>]` holds them.
        protocols: Names of the protocols there are; None leaves them to be checked where they are
            declared.

    Raises:
        TypeError: A run has an unknown setting, or lacks one.
        ValueError: A setting is out of its bounds, or the protocol is not one of those given.
    """
    runs: dict[str, RunConfig] = {}
    for name, table in tables.items():
        fields: dict[str, Any] = dict(table)
        for key in ("subtasks", "benchmarks"):
            fields[key] = tuple(fields.get(key, ()))
        run = RunConfig(name=name, **fields)
        if protocols is not None and run.protocol not in (OWN_PROTOCOL, *protocols):
            raise ValueError(
                f"run {name}: protocol {run.protocol!r} is not one of {sorted(protocols)}"
            )
        runs[name] = run
    return runs

"""Protocols (what is sent and how it is asked) and runs (a model under a protocol)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import polars as pl

from expectations.schemas.sampling import SamplingRule
from resources.media.crops import KINDS, CropKind

AnswerBy = Literal["letter", "option_likelihood"]
Likelihood = Literal["sum", "mean"]
_HERE = Path(__file__).parent
_ENCODING = re.compile(r"rgb|jpeg-(?:[1-9]|[1-8][0-9]|9[0-5])")
_ENV_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
MAX_CONCURRENCY = 64
MAX_TIMES = 1000
OWN_PROTOCOL = "own"
"""Run setting: ask each benchmark under the protocol that the benchmark names."""


@dataclass(frozen=True, slots=True)
class Protocol:
    """Prompt and inputs of a run.

    Attributes:
        name: Name; `name/version` is what calls record.
        version: Counts up when a model would see something else.
        about: One sentence for readers of the report.
        prompt: Template under `prompts/`.
        answer_by: The model names a letter, or each option's text is scored by likelihood.
        reads_option_text: Whether the model reads the texts of options that are clips too: they
            are narrations, and showing them gives the video away. Options in words are a property
            of the question and always shown.
        system: Template of the system prompt under `prompts/`; None for none.
        sampling: Frames per clip, where a medium names no rule of its own; None sends no media.
        short_side_px: Frames are scaled down to this short side; None keeps the stored size.
        encoding: What the engine gets (`rgb`, `jpeg-90`).
        likelihood: Log-likelihood of an option's text as the sum over its tokens, or as their mean:
            the sum prefers short options.
        max_options: Questions with more options are not asked.
        temperature: 0 is greedy.
        max_tokens: Longest reply.
        crop: Part of egocentric frames that is sent (see `crops`): `full`, `centre` or `gaze`.
    """

    name: str
    version: int
    about: str
    prompt: str
    answer_by: AnswerBy
    reads_option_text: bool
    system: str | None = None
    sampling: SamplingRule | None = None
    short_side_px: int | None = None
    encoding: str = "rgb"
    likelihood: Likelihood = "mean"
    max_options: int | None = None
    temperature: float = 0.0
    max_tokens: int = 16
    crop: CropKind = "full"

    def __post_init__(self) -> None:
        if self.answer_by not in ("letter", "option_likelihood"):
            raise ValueError(f"protocol {self.name}: answer_by {self.answer_by!r} is not known")
        if self.answer_by == "option_likelihood" and not self.reads_option_text:
            raise ValueError(f"protocol {self.name}: option likelihood reads the options' texts")
        if self.likelihood not in ("sum", "mean"):
            raise ValueError(f"protocol {self.name}: likelihood {self.likelihood!r} is not known")
        if not _ENCODING.fullmatch(self.encoding):
            raise ValueError(
                f"protocol {self.name}: encoding {self.encoding!r} is not `rgb` or `jpeg-1`.."
            )
        if self.crop not in KINDS:
            raise ValueError(f"protocol {self.name}: crop {self.crop!r} is not one of {KINDS}")
        if self.crop != "full" and self.sampling is None:
            raise ValueError(f"protocol {self.name}: crop {self.crop!r} without media to crop")
        if self.temperature < 0 or self.max_tokens < 1 or self.version < 1:
            raise ValueError(f"protocol {self.name}: temperature, max_tokens or version too low")

    @property
    def label(self) -> str:
        """Name and version, as calls record it."""
        return f"{self.name}/{self.version}"

    @property
    def sends_media(self) -> bool:
        """Whether any pixels are sent."""
        return self.sampling is not None


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
            raise ValueError(f"run {self.name}: base_url is no http(s) address")
        if url.username or url.password or url.query or url.fragment:
            raise ValueError(
                f"run {self.name}: base_url holds a login, a query or a fragment; name the key by"
                " api_key_env"
            )


def read_protocols(text: str) -> dict[str, Protocol]:
    """Protocols of a TOML text, one table per protocol.

    Raises:
        TypeError: A protocol has an unknown key, or lacks one.
        ValueError: A value breaks a protocol's rules.
    """
    protocols: dict[str, Protocol] = {}
    for name, table in tomllib.loads(text).items():
        fields: dict[str, Any] = dict(table)
        if "sampling" in fields:
            fields["sampling"] = SamplingRule.parse(fields["sampling"])
        protocols[name] = Protocol(name=name, **fields)
    return protocols


def read_runs(
    tables: Mapping[str, Mapping[str, Any]], protocols: Mapping[str, Protocol]
) -> dict[str, RunConfig]:
    """Runs as configured, one table per run.

    Args:
        tables: Settings per run name, as a TOML file's `[runs.<name>]` holds them.
        protocols: Protocols there are.

    Raises:
        TypeError: A run has an unknown setting, or lacks one.
        ValueError: A run names a protocol that is not there.
    """
    runs: dict[str, RunConfig] = {}
    for name, table in tables.items():
        fields: dict[str, Any] = dict(table)
        for key in ("subtasks", "benchmarks"):
            fields[key] = tuple(fields.get(key, ()))
        run = RunConfig(name=name, **fields)
        if run.protocol != OWN_PROTOCOL and run.protocol not in protocols:
            raise ValueError(
                f"run {name}: protocol {run.protocol!r} is not one of {sorted(protocols)}"
            )
        runs[name] = run
    return runs


def default_protocols() -> dict[str, Protocol]:
    """General protocols (`protocols.toml` beside this module) and those of every benchmark.

    Raises:
        ValueError: Two files declare a protocol of one name.
    """
    protocols: dict[str, Protocol] = {}
    for folder in _folders():
        file = folder / "protocols.toml"
        if not file.is_file():
            continue
        for name, protocol in read_protocols(file.read_text(encoding="utf-8")).items():
            if name in protocols:
                raise ValueError(f"{file}: protocol {name!r} is declared by another file too")
            protocols[name] = protocol
    return protocols


def prompt_folders() -> list[Path]:
    """Folders of prompt templates, in the order in which a template is looked for."""
    return [folder / "prompts" for folder in _folders() if (folder / "prompts").is_dir()]


def _folders() -> list[Path]:
    """This folder, then each benchmark's."""
    benchmarks = _HERE.parent / "questions"
    return [_HERE, *sorted(path for path in benchmarks.iterdir() if path.is_dir())]


def select_questions(questions: pl.DataFrame, run: RunConfig, protocol: Protocol) -> pl.DataFrame:
    """Questions the run asks.

    A question whose pixels are not here is not asked where the protocol sends media: it is a
    matter of the source, shown there, and no failure of the model. Under a limit the subtasks take
    turns (first of each, second of each ...), in order of question hash, so that the same questions
    are asked again after others have been added elsewhere.

    Args:
        questions: Rows of `questions`.
        run: Run.
        protocol: Its protocol.

    Returns:
        The rows, sorted by subtask and question id.
    """
    chosen = questions
    if run.subtasks:
        chosen = chosen.filter(pl.col("subtask").is_in(run.subtasks))
    if protocol.sends_media:
        chosen = chosen.filter("media_present")
    if protocol.max_options is not None:
        chosen = chosen.filter(pl.col("options").list.len() <= protocol.max_options)
    if run.limit is not None:
        turn = pl.col("question_hash").rank("ordinal").over("subtask").alias("_turn")
        chosen = (
            chosen.with_columns(turn)
            .sort("_turn", "subtask", "question_hash")
            .head(run.limit)
            .drop("_turn")
        )
    return chosen.sort("subtask", "question_id")

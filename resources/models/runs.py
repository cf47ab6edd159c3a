"""Runs: an engine with its settings, and the name of the protocol it is asked under."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from resources.config_keys import DeclaredKey, Key, check_fields, declared_keys, is_price
from resources.models.costs.prices import Prices

MAX_CONCURRENCY = 64
MAX_HANDED_OVER = 1024
"""Most prompts handed over at once to an engine that chooses by itself how many it computes together."""
MAX_TIMES = 1000
MAX_TOKENS = 1_000_000
MAX_BATCH_TOKENS = 10_000_000
GROUP = 16
"""Prompts, at least, that are handed at once to an engine that yields replies as they come."""
FRAME_TOKENS = 2_000
"""Most tokens that a frame is taken to need where a run states nothing."""
MAX_SAMPLES = 100
MAX_SEED = 2**31 - 1
ENGINES = (
    "random",
    "shared_words",
    "image_similarity",
    "pixel_statistics",
    "smollm2",
    "tiny-vlm",
    "transformers_vlm",
    "openai_server",
    "vllm",
    "human",
    "predictions",
)
"""Names of the built-in engines."""
SERVED_VLLM, OFFLINE_VLLM = "vllm with base_url", "vllm with python"
"""Engine `vllm`, by where its model is."""
_SERVERS = ("openai_server", SERVED_VLLM)
# Those that write their answers, and count tokens.
_WRITERS = ("openai_server", "tiny-vlm", "transformers_vlm", "vllm")
_GIVEN = ("human", "predictions")
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
OWN_PROTOCOL = "own"
"""Run setting: ask each benchmark under the protocol that the benchmark names."""


@dataclass(frozen=True, slots=True)
class RunConfig:
    """A model under a protocol.

    Every setting is described where it is declared; `docs/configuration.md` shows them all.
    """

    name: str
    engine: Annotated[
        str,
        Key(
            f"Engine that answers: {', '.join(f'`{name}`' for name in ENGINES)}, or that of a plug-in.",
            example="openai_server",
        ),
    ]
    protocol: Annotated[
        str,
        Key(
            "Protocol under which questions are asked; `own` takes the one that each benchmark names.",
            example="own",
        ),
    ]
    model: Annotated[
        str,
        Key(
            "Model in the engine's own terms: the name a server knows it by, or a folder of weights.",
            engines=("openai_server", "transformers_vlm", "vllm"),
            example="Qwen/Qwen2.5-VL-7B-Instruct",
            default="none; engines with a single model need none",
        ),
    ] = ""
    auto: Annotated[
        bool,
        Key(
            "Whether automation in Dagster may ask this model without a person; nothing that may cost money is"
            " asked by it otherwise.",
            example=True,
        ),
    ] = False
    limit: Annotated[
        int | None,
        Key(
            "Most questions asked, shared out evenly over the subtasks.",
            example=100,
            unit="questions",
            low=1,
            default="all questions",
        ),
    ] = None
    subtasks: Annotated[
        tuple[str, ...],
        Key("Subtasks asked.", example=["intention_relative"], default="all subtasks"),
    ] = ()
    splits: Annotated[
        tuple[str, ...],
        Key(
            "Splits of the recordings whose questions are asked; a question without a split is then not"
            " asked.",
            example=["val", "test"],
            default="all splits",
        ),
    ] = ()
    benchmarks: Annotated[
        tuple[str, ...],
        Key("Benchmarks asked.", example=["egoprox"], default="all configured benchmarks"),
    ] = ()
    base_url: Annotated[
        str,
        Key(
            "Address of an OpenAI-compatible server, up to and including `/v1`.",
            engines=_SERVERS,
            example="http://127.0.0.1:8000/v1",
            default="none; engine `openai_server` needs one",
            secret=True,
        ),
    ] = ""
    base_urls: Annotated[
        tuple[str, ...],
        Key(
            "Addresses of several servers of the same model, in place of `base_url`: requests are spread over"
            " them, and one that fails is left out for a while. The first names the run's model in labels"
            " and call keys, so keep it first.",
            engines=_SERVERS,
            example=["http://gpu1:8000/v1", "http://gpu2:8000/v1"],
            default="none",
            secret=True,
        ),
    ] = ()
    api_key_env: Annotated[
        str,
        Key(
            "Name of the environment variable that holds the server's key, never the key itself.",
            engines=_SERVERS,
            example="OPENAI_API_KEY",
            pattern=r"([A-Za-z_][A-Za-z0-9_]*)?",
            shape="the name of an environment variable (a key does not belong into the file)",
            default="none; no key is sent",
            secret=True,
        ),
    ] = ""
    concurrency: Annotated[
        int,
        Key(
            "Requests sent to a server at once, or computed together in process; above"
            f" {MAX_CONCURRENCY} only for engine `vllm` with `python`, to which so many are handed over.",
            example=8,
            unit="requests",
            low=1,
            high=MAX_HANDED_OVER,
        ),
    ] = 4
    trust_remote_code: Annotated[
        bool,
        Key(
            "Whether Python code beside a model's weights may be executed.",
            engines=("transformers_vlm", OFFLINE_VLLM),
            example=False,
        ),
    ] = False
    dtype: Annotated[
        str,
        Key(
            "Number format that a model in process computes in; `auto` takes that of its files.",
            engines=("transformers_vlm",),
            example="bfloat16",
            one_of=("auto", "float32", "bfloat16", "float16"),
        ),
    ] = "auto"
    device: Annotated[
        str,
        Key(
            "Where a model in process computes; `auto` takes the first GPU if there is one, else the CPU.",
            engines=("transformers_vlm",),
            example="cuda:1",
            pattern=r"auto|cpu|mps|(cuda|xpu)(:[0-9]{1,3})?",
            shape="`auto`, `cpu`, `mps`, `cuda`, or one GPU such as `cuda:1`",
        ),
    ] = "auto"
    adapter: Annotated[
        str,
        Key(
            "Folder of a LoRA adapter, as PEFT writes it, that a model in process is asked with.",
            engines=("transformers_vlm",),
            example="adapters/kitchens",
            default="none",
        ),
    ] = ""
    merge_adapter: Annotated[
        bool,
        Key(
            "Whether the adapter is added into the weights once, which is faster, in place of being"
            " computed beside them.",
            engines=("transformers_vlm",),
            example=True,
        ),
    ] = False
    batch_tokens: Annotated[
        int | None,
        Key(
            "Most tokens of prompts and padding that a model in process computes together; prompts of"
            " like length are put together.",
            engines=("transformers_vlm",),
            example=32768,
            unit="tokens",
            low=1,
            high=MAX_BATCH_TOKENS,
            default="`concurrency` prompts are computed together, however long they are",
        ),
    ] = None
    letters_only: Annotated[
        bool,
        Key(
            "Whether the reply is held to one of the letters, for engines that can constrain it (`vllm`).",
            engines=("vllm",),
            example=True,
        ),
    ] = False
    python: Annotated[
        str,
        Key(
            "Python of an environment in which vLLM is installed: engine `vllm` then loads the model there"
            " in place of asking a server.",
            engines=("vllm",),
            example="/opt/vllm/bin/python",
            default="none; engine `vllm` then needs `base_url`",
        ),
    ] = ""
    vllm_args: Annotated[
        str,
        Key(
            "Further options of `vllm serve`, for a model that engine `vllm` loads by `python`.",
            engines=(OFFLINE_VLLM,),
            example="--max-model-len 16384 --tensor-parallel-size 2",
            default="none",
        ),
    ] = ""
    replies: Annotated[
        str,
        Key(
            "File of a person's replies for engine `human`, `.csv` or `.jsonl` (`parallax reply-sheet`"
            " writes one to fill in); or of a toolkit's predictions for engine `predictions`, `.tsv`,"
            " `.json` or `.xlsx`.",
            engines=_GIVEN,
            example="replies/anna.csv",
            default="none; engines `human` and `predictions` need one",
        ),
    ] = ""
    max_attempts: Annotated[
        int,
        Key(
            "Failures in a row after which only `--retry-errors` asks a question again.",
            example=5,
            unit="attempts",
            low=1,
            high=MAX_TIMES,
        ),
    ] = 3
    stop_after_failures: Annotated[
        int,
        Key(
            "Failures of the server in a row after which it is not asked again during this run.",
            engines=_SERVERS,
            example=10,
            unit="calls",
            low=1,
            high=MAX_TIMES,
        ),
    ] = 5
    temperature: Annotated[
        float | None,
        Key(
            "Sampling temperature in place of the protocol's; 0 is greedy.",
            engines=_WRITERS,
            example=0.7,
            low=0,
            high=2,
            default="that of the protocol",
        ),
    ] = None
    max_tokens: Annotated[
        int | None,
        Key(
            "Longest reply in place of the protocol's limit.",
            engines=_WRITERS,
            example=512,
            unit="tokens",
            low=1,
            high=MAX_TOKENS,
            default="that of the protocol",
        ),
    ] = None
    reasoning_tokens: Annotated[
        int | None,
        Key(
            "Room for a model's reasoning, beside the limit for its answer.",
            engines=_WRITERS,
            example=16384,
            unit="tokens",
            low=0,
            high=MAX_TOKENS,
            default="8192 once a model is seen to reason, else 0",
        ),
    ] = None
    system_prompt: Annotated[
        str | None,
        Key(
            "System prompt in place of the protocol's, sent as it stands; an empty text sends none.",
            engines=(*_GIVEN, *_WRITERS),
            example="You are a careful observer.",
            default="that of the protocol",
        ),
    ] = None
    seed: Annotated[
        int | None,
        Key(
            "Seed passed to the engine where it samples; servers that know no seed ignore it.",
            engines=_WRITERS,
            example=1,
            low=0,
            high=MAX_SEED,
            default="none is sent",
        ),
    ] = None
    samples: Annotated[
        int,
        Key(
            "Replies asked of each question, which need a temperature above 0; each is kept, and a"
            " question counts with their mean.",
            engines=("random", *_WRITERS),
            example=5,
            unit="replies",
            low=1,
            high=MAX_SAMPLES,
        ),
    ] = 1

    video: Annotated[
        bool,
        Key(
            "Whether a clip of several frames is handed over as one video in place of single images: by"
            " `openai_server` as JPEGs in a `video_url`, for servers that take it (vLLM); by `transformers_vlm`"
            " with the time of every frame. Engine `vllm` always does, with times. Of the families that are"
            " tested, Qwen2.5-VL and Qwen3-VL take times.",
            engines=("openai_server", "transformers_vlm"),
            example=True,
        ),
    ] = False
    requests_per_minute: Annotated[
        int | None,
        Key(
            "Most requests sent to the server in a minute, attempts that failed included.",
            engines=_SERVERS,
            example=500,
            unit="requests",
            low=1,
            default="no limit, beside what the server's own replies say",
        ),
    ] = None
    tokens_per_minute: Annotated[
        int | None,
        Key(
            "Most tokens read and written in a minute: estimated before a request, corrected by what the"
            " server reports.",
            engines=_SERVERS,
            example=200_000,
            unit="tokens",
            low=1,
            default="no limit, beside what the server's own replies say",
        ),
    ] = None
    price_per_million_tokens: Annotated[
        float | Mapping[str, float] | None,
        Key(
            "Price of the model: one number for reading and writing alike, or a table; `cached` is the price"
            " of tokens that the server takes from its cache.",
            engines=_WRITERS,
            example={"prompt": 2.5, "completion": 10.0, "cached": 1.25},
            unit="dollars per million tokens",
            default="not stated",
            kind="price",
        ),
    ] = field(default=None, hash=False)
    budget: Annotated[
        float | None,
        Key(
            "Most that the run may cost, over all benchmarks and all updates: the call that might pass it is"
            " not made. Needs a price.",
            engines=_WRITERS,
            example=20.0,
            unit="dollars",
            above=0,
            default="no limit",
        ),
    ] = None
    max_frame_tokens: Annotated[
        int,
        Key(
            "Most tokens that a frame needs; `budget` holds as long as that is true. More is reserved for the"
            " next calls once a frame is seen to need more.",
            engines=_WRITERS,
            example=800,
            unit="tokens",
            low=1,
            high=MAX_TOKENS,
        ),
    ] = FRAME_TOKENS
    prompt_price: Annotated[
        float | None,
        Key(
            "Price of what the model reads; the same as `prompt` in `price_per_million_tokens`.",
            engines=_WRITERS,
            example=2.5,
            unit="dollars per million tokens",
            low=0,
            default="not stated",
        ),
    ] = None
    completion_price: Annotated[
        float | None,
        Key(
            "Price of what the model writes; the same as `completion` in `price_per_million_tokens`.",
            engines=_WRITERS,
            example=10,
            unit="dollars per million tokens",
            low=0,
            default="not stated",
        ),
    ] = None

    def __post_init__(self) -> None:
        check_fields(self, f"run {self.name}")
        if self.base_url and self.base_urls:
            raise ValueError(
                f"run {self.name}: base_url and base_urls are both set; list every address in base_urls"
            )
        for url in self.addresses:
            self._check_url("base_url" if self.base_url else "base_urls", url)
        is_offline = self.engine == "vllm" and bool(self.python)
        if self.concurrency > MAX_CONCURRENCY and not is_offline:
            raise ValueError(
                f"run {self.name}: concurrency = {self.concurrency} is more than {MAX_CONCURRENCY}, which only"
                " engine `vllm` with `python` takes; write a smaller number"
            )
        if self.merge_adapter and not self.adapter:
            raise ValueError(
                f"run {self.name}: merge_adapter = true without an adapter to merge; state adapter, or leave"
                " merge_adapter out"
            )
        self._check_prices()

    @property
    def addresses(self) -> tuple[str, ...]:
        """Addresses of the servers that are asked; the first names the model."""
        return self.base_urls or ((self.base_url,) if self.base_url else ())

    @property
    def way(self) -> str:
        """Its engine; of `vllm` also where its model is, if that is said."""
        if self.engine != "vllm" or bool(self.python) == bool(self.addresses):
            return self.engine
        return OFFLINE_VLLM if self.python else SERVED_VLLM

    @property
    def calls_at_once(self) -> int:
        """Calls whose times overlap: those under way at a server, or in an engine that takes many at once.

        What a model in process computes together, each call has its share of.
        """
        if self.addresses:
            return self.concurrency
        return max(GROUP, self.concurrency) if self.python else 1

    @property
    def sends_videos(self) -> bool:
        """Whether clips of several frames are handed over as videos."""
        return self.video or self.engine == "vllm"

    @property
    def may_cost(self) -> bool:
        """Whether asking it may cost money: it states a price, or is asked of another machine."""
        if self.prices is not None:
            return not self.prices.are_zero
        return any(urlsplit(url).hostname not in _LOOPBACK for url in self.addresses)

    @property
    def prices(self) -> Prices | None:
        """What its model costs; None where that is not stated in full."""
        if self.price_per_million_tokens is not None:
            return Prices.parse(self.price_per_million_tokens)
        if self.prompt_price is None or self.completion_price is None:
            return None
        return Prices(self.prompt_price, self.completion_price)

    @property
    def note(self) -> str:
        """What it sets otherwise than its protocol, for readers of scores; empty for nothing."""
        names = ("temperature", "max_tokens", "reasoning_tokens", "seed")
        values = {name: getattr(self, name) for name in names}
        parts = [f"{name} = {value}" for name, value in values.items() if value is not None]
        if self.system_prompt is not None:
            parts.append("a system prompt of its own" if self.system_prompt else "no system prompt")
        said = [f"The run sets {', '.join(parts)}."] if parts else []
        if self.adapter:
            said.append(f"It is asked with the adapter {Path(self.adapter).name}.")
        if self.letters_only:
            said.append("Replies are held to the letters.")
        if self.samples > 1:
            said.append(f"Every question counts with the mean of {self.samples} replies.")
        return " ".join(said)

    def _check_prices(self) -> None:
        price = self.price_per_million_tokens
        if price is not None and not is_price(price):
            raise ValueError(
                f"run {self.name}: price_per_million_tokens is neither a number nor a table with prompt and"
                " completion; write for example `{ prompt = 2.5, completion = 10.0 }`"
            )
        if price is not None and not (self.prompt_price is self.completion_price is None):
            raise ValueError(
                f"run {self.name}: price_per_million_tokens stands beside prompt_price or"
                " completion_price; keep the first alone"
            )
        one, other = (
            ("prompt_price", self.prompt_price),
            ("completion_price", self.completion_price),
        )
        for (stated, price_), (missing, absent) in ((one, other), (other, one)):
            if price_ is not None and absent is None:
                raise ValueError(
                    f"run {self.name}: {stated} without {missing}; state both, or price_per_million_tokens"
                )
        if self.budget is not None and (self.prices is None or self.prices.are_zero):
            raise ValueError(
                f"run {self.name}: budget = {self.budget:g} without a price to reckon by; state"
                " price_per_million_tokens, or leave budget out"
            )

    def _check_url(self, key: str, text: str) -> None:
        try:
            url = urlsplit(text)
            url.port  # noqa: B018 - raises where it is not a number
        except ValueError:
            url = urlsplit("")
        if url.scheme not in ("http", "https") or not url.hostname:
            raise ValueError(
                f"run {self.name}: {key} is not an http(s) address; write for example"
                " `http://127.0.0.1:8000/v1`"
            )
        if url.username or url.password or url.query or url.fragment:
            raise ValueError(
                f"run {self.name}: {key} holds a login, a query or a fragment; name the key by"
                " api_key_env"
            )


def unused_settings(run: RunConfig) -> dict[str, tuple[str, ...]]:
    """Settings of a run that its engine does not use, each with the engines that do.

    That of a plug-in may use any.
    """
    if run.engine not in ENGINES:
        return {}
    return {
        key.name: key.key.engines
        for key in declared_keys(RunConfig)
        if getattr(run, key.name) != key.default
        and key.key.engines
        and not _names(key.key.engines, run.way)
    }


def _names(engines: Collection[str], way: str) -> bool:
    """Whether the engine of a run is among those that a setting names."""
    engine = way.partition(" ")[0]
    if engine in engines or way in engines:
        return True
    # A run of `vllm` that does not say where its model is: that is told when it is opened.
    return way == engine and any(name.startswith(f"{engine} ") for name in engines)


_OF_TEXT_MODELS = frozenset(
    {
        "engine",
        "model",
        "auto",
        "base_url",
        "base_urls",
        "api_key_env",
        "concurrency",
        "trust_remote_code",
        "dtype",
        "device",
        "adapter",
        "merge_adapter",
        "batch_tokens",
        "python",
        "vllm_args",
        "max_attempts",
        "stop_after_failures",
        "reasoning_tokens",
        "requests_per_minute",
        "tokens_per_minute",
        "price_per_million_tokens",
        "budget",
        "max_frame_tokens",
        "prompt_price",
        "completion_price",
        "replies",
    }
)


def text_model_keys() -> tuple[DeclaredKey, ...]:
    """Keys of a text model: those of a run that do not concern questions."""
    return tuple(key for key in declared_keys(RunConfig) if key.name in _OF_TEXT_MODELS)


def read_runs(
    tables: Mapping[str, Mapping[str, Any]],
    protocols: Collection[str] | None = None,
    home: Path | None = None,
) -> dict[str, RunConfig]:
    """Runs as configured, one table per run.

    Args:
        tables: Settings per run name, as a TOML file's `[runs.<name>]` holds them.
        protocols: Names of the protocols there are; None leaves them to be checked where they are
            declared.
        home: Folder that relative paths start from; None leaves them as they are.

    Raises:
        TypeError: A run has an unknown setting, or lacks one.
        ValueError: A setting is out of its bounds, or the protocol is not one of those given.
    """
    runs: dict[str, RunConfig] = {}
    for name, table in tables.items():
        values: dict[str, Any] = dict(table)
        for key in ("subtasks", "benchmarks", "base_urls"):
            values[key] = tuple(values.get(key, ()))
        run = RunConfig(name=name, **values)
        if home is not None:
            run = _placed(run, home)
        if protocols is not None and run.protocol not in (OWN_PROTOCOL, *protocols):
            raise ValueError(
                f"run {name}: protocol {run.protocol!r} is not one of {sorted(protocols)}"
            )
        runs[name] = run
    return runs


def _placed(run: RunConfig, home: Path) -> RunConfig:
    """A run whose relative paths start from a folder."""
    paths = {key: value for key in ("adapter", "replies") if (value := getattr(run, key))}
    # A bare word is a command of the search path, such as `python3.11`.
    if os.sep in run.python:
        paths["python"] = run.python
    return replace(run, **{key: str(home / Path(path).expanduser()) for key, path in paths.items()})

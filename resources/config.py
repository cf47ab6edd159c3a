"""Configuration: one TOML file that names the store, the sources, the benchmarks and the runs."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from expectations.schemas.pairs import POSITIVES_PER_QUERY, SENTENCE_THRESHOLD
from expectations.schemas.readings import READINGS, STRICT
from resources.errors import ExpectedError
from resources.masking import register_names, register_values
from resources.models.runs import OWN_PROTOCOL, RunConfig, read_runs
from resources.plugins import benchmark_packages, folder
from resources.roots.s3 import s3_options
from resources.store.tables import TableStore

DEFAULT_FILE = "parallax.toml"
# Who compares the sentences of pairs, beside text models.
BY_EMBEDDING, NOT_MATCHED = "embedding", "none"
_SECRETS = ("aws_access_key_id", "aws_secret_access_key", "aws_session_token")
# Names become parts of paths and of keys that are cut at dots.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")


class ConfigError(ExpectedError, ValueError):
    """The configuration says something that cannot be."""


@dataclass(frozen=True, slots=True)
class SourceConfig:
    """A source: a named root that holds one dataset's layout.

    Attributes:
        name: Name.
        layout: Layout of its files.
        root: Where they lie: a folder, an archive, or `s3://bucket/prefix`.
        positives_per_query: Recordings of the other view in which a segment seeks its positives.
        excerpt: Whether only a part of the dataset (or a sample in its layout) lies there, so that
            counts below the published ones are no surprise.
        unpack: Whether archives under the root read as if they were unpacked.
        show_media: Whether pages may show frames of it, though its licence does not let them be
            passed on.
        reviews: Sources in layout `reviews` whose decisions on this one's labels, translations and
            pairs count.
        sentence_match: What tells whether two narrations with the same verbs and nouns tell of the
            same activity: `embedding`, the name of a text model, or `none`.
        sentence_threshold: Least cosine of a match by embedding.
        verified_only: Whether only pairs that a person accepted are used.
        hashed_splits: Whether recordings without a published split get one by hash; None leaves it
            to the layout.
    """

    name: str
    layout: str
    root: str
    positives_per_query: int = POSITIVES_PER_QUERY
    excerpt: bool = False
    unpack: bool = True
    show_media: bool = False
    reviews: tuple[str, ...] = ()
    sentence_match: str = BY_EMBEDDING
    sentence_threshold: float = SENTENCE_THRESHOLD
    verified_only: bool = False
    hashed_splits: bool | None = None


@dataclass(frozen=True, slots=True)
class BenchmarkConfig:
    """A benchmark.

    Attributes:
        name: Name.
        sources: Sources it may draw on; an absent one is empty, not a blockade.
        protocol: Protocol of runs that are configured to ask under each benchmark's own.
        blind: Run whose engine scores the options without video, for the gate `blind`; empty asks
            none.
        blind_limit: At most so many questions of a subtask are scored, those of lowest hash.
        reading: `strict` builds questions by the rules of this project, `paper` by what the paper
            says alone; `docs/deviations.md` lists where the two differ.
    """

    name: str
    sources: tuple[str, ...]
    protocol: str = "direct"
    blind: str = ""
    blind_limit: int | None = None
    reading: str = STRICT


@dataclass(frozen=True, slots=True)
class TranslationConfig:
    """Who translates narrations that were written in another language.

    Attributes:
        engine: Run or text model that is asked; empty for none.
        second: The one that is asked for what fails the check.
    """

    engine: str = ""
    second: str = ""


@dataclass(frozen=True)
class Settings:
    """Everything that is configured.

    Attributes:
        home: Folder relative paths start from.
        store: Table store.
        page: Where the report page is written.
        sources: By name.
        benchmarks: By name.
        runs: By name.
        plugins: Modules, files and folders from outside the repository (see `resources.plugins`).
        benchmark_folders: Folders of plug-in benchmarks, whose protocols and prompts count too.
        translation: Who translates narrations.
        text_models: Models that may be asked for texts, by name: the runs, and those of
            `[text_models]`, which answer no benchmark.
    """

    home: Path
    store: TableStore
    page: Path
    sources: Mapping[str, SourceConfig] = field(default_factory=dict)
    benchmarks: Mapping[str, BenchmarkConfig] = field(default_factory=dict)
    runs: Mapping[str, RunConfig] = field(default_factory=dict)
    plugins: tuple[str, ...] = ()
    benchmark_folders: tuple[Path, ...] = ()
    translation: TranslationConfig = TranslationConfig()
    text_models: Mapping[str, RunConfig] = field(default_factory=dict)

    def sources_of(self, benchmark: str) -> list[str]:
        """Configured sources of a benchmark; one that is named but not configured is empty."""
        return [name for name in self.benchmarks[benchmark].sources if name in self.sources]

    def evaluations(self) -> list[str]:
        """Keys of all pairs of benchmark and run: `benchmark.run`."""
        return sorted(
            f"{benchmark}.{run.name}"
            for run in self.runs.values()
            for benchmark in run.benchmarks or self.benchmarks
        )


def config_path() -> Path:
    """The configuration file: `PARALLAX_CONFIG`, else `parallax.toml` beside the project."""
    named = os.environ.get("PARALLAX_CONFIG")
    return Path(named) if named else Path(__file__).resolve().parents[1] / DEFAULT_FILE


def load_settings(path: Path | None = None) -> Settings:
    """Read the configuration.

    Raises:
        ConfigError: The file is absent, no TOML, or has unknown or contradicting entries.
    """
    path = path or config_path()
    try:
        said = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(
            f"no configuration at {path}: create it, or set PARALLAX_CONFIG"
        ) from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: {error}") from error
    known = {
        "store",
        "page",
        "plugins",
        "sources",
        "benchmarks",
        "runs",
        "text_models",
        "translation",
    }
    _only(path, "the file", said, known)
    home = path.resolve().parent
    for kind in ("sources", "benchmarks", "runs", "text_models"):
        for name in said.get(kind, {}):
            if not _NAME.fullmatch(name):
                raise ConfigError(
                    f"{path}: {kind} {name!r}: names are letters, digits, `-` and `_`"
                )
    url = os.environ.get("PARALLAX_STORE") or _text(path, said, "store")
    sources = {
        name: _entry(
            path, SourceConfig, name, {**body, "root": _place(home, str(body.get("root", "")))}
        )
        for name, body in said.get("sources", {}).items()
    }
    for source in sources.values():
        n = source.positives_per_query
        if type(n) is not int or n < 1:
            raise ConfigError(
                f"{path}: source {source.name}: positives_per_query {n!r} is not a count from 1"
            )
        for other in source.reviews:
            if other not in sources or other == source.name or sources[other].reviews:
                raise ConfigError(
                    f"{path}: source {source.name}: source {other!r} listed under `reviews` does not have the layout `reviews`"
                )
    benchmarks = {
        name: _entry(path, BenchmarkConfig, name, body)
        for name, body in said.get("benchmarks", {}).items()
    }
    plugins = tuple(said.get("plugins", ()))
    try:
        folders = tuple(map(folder, benchmark_packages(plugins, home)))
        runs = read_runs(said.get("runs", {}))
        texts = {n: {"protocol": OWN_PROTOCOL, **b} for n, b in said.get("text_models", {}).items()}
        text_models = read_runs(texts)
        translation = TranslationConfig(**said.get("translation", {}))
    except (TypeError, ValueError) as error:
        raise ConfigError(f"{path}: {error}") from error
    for source in sources.values():
        _check_matching(path, source, {*runs, *text_models})
        if source.hashed_splits is not None and type(source.hashed_splits) is not bool:
            raise ConfigError(
                f"{path}: source {source.name}: hashed_splits {source.hashed_splits!r} is not true"
                " or false"
            )
    twice = sorted(runs.keys() & text_models.keys())
    if twice:
        raise ConfigError(f"{path}: {twice} are both runs and text models: rename one of each")
    for name in (translation.engine, translation.second):
        if name and name not in runs and name not in text_models:
            raise ConfigError(f"{path}: translation names no run or text model {name!r}")
    if translation.second and not translation.engine:
        raise ConfigError(f"{path}: translation has a second engine and no first")
    for benchmark in benchmarks.values():
        if benchmark.reading not in READINGS:
            raise ConfigError(
                f"{path}: benchmark {benchmark.name}: unknown reading {benchmark.reading!r}; use"
                f" {' or '.join(READINGS)}"
            )
        if benchmark.blind and benchmark.blind not in runs:
            raise ConfigError(
                f"{path}: benchmark {benchmark.name} names no run {benchmark.blind!r}"
            )
    for run in runs.values():
        for benchmark in run.benchmarks:
            if benchmark not in benchmarks:
                raise ConfigError(f"{path}: run {run.name} names no benchmark {benchmark!r}")
    store = TableStore(_place(home, url), s3_options() if "://" in url else {})
    register_names(run.api_key_env for run in [*runs.values(), *text_models.values()])
    register_values(
        store.storage_options[name] for name in _SECRETS if name in store.storage_options
    )
    return Settings(
        home=home,
        store=store,
        page=Path(_place(home, said.get("page", "data/page.html"))),
        sources=sources,
        benchmarks=benchmarks,
        runs=runs,
        plugins=plugins,
        benchmark_folders=folders,
        translation=translation,
        text_models={**runs, **text_models},
    )


def _check_matching(path: Path, source: SourceConfig, models: set[str]) -> None:
    by, threshold = source.sentence_match, source.sentence_threshold
    if by not in {BY_EMBEDDING, NOT_MATCHED, *models}:
        raise ConfigError(
            f"{path}: source {source.name}: sentence_match {by!r} is neither {BY_EMBEDDING}, a run or"
            f" text model, nor {NOT_MATCHED}"
        )
    if type(threshold) not in (int, float) or not -1 <= threshold <= 1:
        raise ConfigError(
            f"{path}: source {source.name}: sentence_threshold {threshold!r} is not a cosine"
        )
    if type(source.verified_only) is not bool:
        raise ConfigError(
            f"{path}: source {source.name}: verified_only {source.verified_only!r} is not true or"
            " false"
        )


def _entry(path: Path, kind: type, name: str, body: Mapping[str, Any]):
    fields = kind.__dataclass_fields__
    _only(path, f"{kind.__name__} {name}", body, set(fields) - {"name"})
    values = {k: tuple(v) if isinstance(v, list) else v for k, v in body.items()}
    try:
        return kind(name=name, **values)
    except TypeError as error:
        raise ConfigError(f"{path}: {name}: {error}") from error


def _only(path: Path, where: str, said: Mapping[str, Any], known: set[str]) -> None:
    unknown = sorted(said.keys() - known)
    if unknown:
        raise ConfigError(f"{path}: {where} has unknown entries {unknown}; known: {sorted(known)}")


def _text(path: Path, said: Mapping[str, Any], key: str) -> str:
    value = said.get(key)
    if not isinstance(value, str):
        raise ConfigError(f"{path}: {key} must be a text")
    return value


def _place(home: Path, url: str) -> str:
    return url if "://" in url or os.path.isabs(url) else str(home / url)

"""Configuration: one TOML file that names the store, the sources, the benchmarks and the runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from expectations.schemas.labels import BOTH, OPEN, PARSER, VOCABULARY
from expectations.schemas.pairs import POSITIVES_PER_QUERY, SENTENCE_THRESHOLD
from expectations.schemas.readings import READINGS, STRICT
from resources.config_file import ConfigFile, config_path
from resources.config_keys import (
    ConfigError,
    DeclaredKey,
    Key,
    declared_keys,
    in_words,
    toml_value,
)
from resources.errors import suggestion
from resources.masking import register_names, register_values
from resources.models.protocol import protocol_keys
from resources.models.runs import (
    OWN_PROTOCOL,
    RunConfig,
    read_runs,
    text_model_keys,
    unused_settings,
)
from resources.plugins import benchmark_packages, folder
from resources.roots.s3 import s3_options
from resources.store.tables import TableStore
from resources.wordnet import REMEDY, missing_file

# Who compares the sentences of pairs, beside text models.
BY_EMBEDDING, NOT_MATCHED = "embedding", "none"
_SECRETS = ("aws_access_key_id", "aws_secret_access_key", "aws_session_token")


@dataclass(frozen=True, slots=True)
class FileConfig:
    """Keys at the top of the file, before any table."""

    store: Annotated[
        str,
        Key(
            "Where the tables lie: a folder, or `s3://bucket/prefix`; the variable `PARALLAX_STORE`"
            " goes before it.",
            example="data/tables",
        ),
    ]
    page: Annotated[
        str, Key("File of the report page; reports of benchmarks lie beside it.", "data/page.html")
    ] = "data/page.html"
    plugins: Annotated[
        tuple[str, ...],
        Key(
            "Python modules, files and folders that declare further layouts and benchmarks.",
            example=["plugins/my_dataset.py"],
            default="none",
        ),
    ] = ()


@dataclass(frozen=True, slots=True)
class SourceConfig:
    """A source: a named root that holds one dataset in its layout."""

    name: str
    layout: Annotated[str, Key("Layout of the files under the root.", example="egoexo4d")]
    root: Annotated[
        str,
        Key(
            "Where the files lie: a folder, an archive, or `s3://bucket/prefix`; a relative path"
            " starts from this file.",
            example="/data/egoexo4d",
            pattern=r"(?s).+",
            shape="the path of a folder or archive, or an address `s3://bucket/prefix`",
        ),
    ]
    positives_per_query: Annotated[
        int,
        Key(
            "Recordings of the other view in which a segment seeks its positives.",
            example=1,
            unit="recordings",
            low=1,
        ),
    ] = POSITIVES_PER_QUERY
    excerpt: Annotated[
        bool,
        Key(
            "Whether only a part of the dataset lies there, so that counts below the published ones"
            " are expected.",
            example=True,
        ),
    ] = False
    unpack: Annotated[
        bool,
        Key("Whether archives under the root are read as if they were unpacked.", example=False),
    ] = True
    show_media: Annotated[
        bool,
        Key(
            "Whether reports may show frames although the licence does not let them be passed on.",
            example=True,
        ),
    ] = False
    reviews: Annotated[
        tuple[str, ...],
        Key(
            "Sources in layout `reviews` whose decisions on labels, translations and pairs count.",
            example=["my-reviews"],
            default="none",
        ),
    ] = ()
    sentence_match: Annotated[
        str,
        Key(
            "What decides whether two narrations with the same verbs and nouns describe the same"
            " activity: `embedding`, the name of a run or text model, or `none`.",
            example="embedding",
        ),
    ] = BY_EMBEDDING
    sentence_threshold: Annotated[
        float,
        Key(
            "Least cosine of two sentences that match by embedding.",
            example=0.8,
            unit="cosine",
            low=-1,
            high=1,
        ),
    ] = SENTENCE_THRESHOLD
    narrations: Annotated[
        str,
        Key(
            "Who reads the narrations into labels: `vocabulary` for the classes of the source's"
            " taxonomies, `open` for a parse by spaCy that needs no vocabulary, or `both`"
            " (docs/labels.md).",
            example="both",
            one_of=(VOCABULARY, OPEN, BOTH),
            default="by the vocabulary; where the source has no taxonomy of verbs, by the open"
            " reader too if spaCy is installed",
        ),
    ] = ""
    parser: Annotated[
        str,
        Key(
            "Installed spaCy model for English that the open reader parses with.",
            example="en_core_web_md",
            pattern=r"[A-Za-z]\w*",
            shape="the name of a spaCy model",
        ),
    ] = PARSER
    verified_only: Annotated[
        bool, Key("Whether only pairs that a person accepted are used.", example=True)
    ] = False
    hashed_splits: Annotated[
        bool | None,
        Key(
            "Whether recordings without a published split get one by hash.",
            example=True,
            default="the layout decides",
        ),
    ] = None


@dataclass(frozen=True, slots=True)
class BenchmarkConfig:
    """A benchmark and the sources it may draw on."""

    name: str
    sources: Annotated[
        tuple[str, ...],
        Key(
            "Sources it may draw on; one that is not configured contributes nothing.",
            example=["my-adt"],
        ),
    ]
    protocol: Annotated[
        str,
        Key('Protocol of the runs that say `protocol = "own"`.', example="egoprox_cot"),
    ] = "direct"
    blind: Annotated[
        str,
        Key(
            "Run whose model is asked without video, for the gate `blind`.",
            example="shared-words",
            default="none; the gate is not applied",
        ),
    ] = ""
    blind_limit: Annotated[
        int | None,
        Key(
            "Most questions of a subtask about which the gate `blind` asks, those of lowest hash.",
            example=6,
            unit="questions",
            low=1,
            default="all questions",
        ),
    ] = None
    single_frame: Annotated[
        str,
        Key(
            "Run whose model is asked with one frame of each clip, for the gate `single_frame`.",
            example="qwen-vl",
            default="none; the gate is not applied",
        ),
    ] = ""
    single_frame_limit: Annotated[
        int | None,
        Key(
            "Most questions of a subtask about which the gate `single_frame` asks, those of lowest hash.",
            example=6,
            unit="questions",
            low=1,
            default="all questions",
        ),
    ] = None
    option_orders: Annotated[
        int | None,
        Key(
            "Orders of the options in which the gates `blind` and `single_frame` ask a question, at most one per"
            " option; each is a call.",
            example=3,
            unit="orders",
            low=1,
            default="one per option, at most 5: every option stands in every place",
        ),
    ] = None
    chance_margin: Annotated[
        float,
        Key(
            "How much better than chance a model may be under the gates `blind` and `single_frame` before a"
            " question is refused: 0 is chance, 1 certainty.",
            example=0.6,
            low=0,
            high=1,
        ),
    ] = 0.5
    accepted_only: Annotated[
        bool,
        Key(
            "Whether only questions that people accepted are published: where they are reviewed in steps, those"
            " that the review ended by accepting (docs/reviews.md).",
            example=True,
        ),
    ] = False
    reading: Annotated[
        str,
        Key(
            "Rules that questions are built by: `strict` for those of this project, `paper` for what"
            " the paper says alone (docs/deviations.md).",
            example="paper",
            one_of=READINGS,
        ),
    ] = STRICT
    extensions: Annotated[
        tuple[str, ...],
        Key(
            "Recipes it asks beyond its paper, by name without version (docs/questions.md).",
            example=["next_phase_egosurgery"],
            default="none; what a paper does not ask is not asked",
        ),
    ] = ()
    daily_life: Annotated[
        str,
        Key(
            "Benchmark of EgoSchema's released questions that it is compared with, subtask by subtask"
            " (docs/questions.md).",
            example="egoschema",
            default="none; nothing is compared",
        ),
    ] = ""
    sorting_rounds: Annotated[
        str,
        Key(
            "File of review rounds that correct how the questions of `daily_life` are sorted into subtasks"
            " (docs/questions.md).",
            example="sorting_rounds.csv",
            default="none; keywords alone sort them",
        ),
    ] = ""
    image_encoder: Annotated[
        str,
        Key(
            "Folder of a model whose image features place the questions of both in a picture, such as CLIP.",
            example="models/clip-vit-base-patch32",
            default="none; statistics of colours and gradients stand in, and the picture says so",
        ),
    ] = ""
    released: Annotated[
        bool,
        Key(
            "Whether it asks the questions that its sources released, as they stand (docs/questions.md);"
            " then its name is free.",
            example=True,
        ),
    ] = False
    judges: Annotated[
        tuple[str, ...],
        Key(
            "Judges of open answers, and of the reasoning beside a letter where a protocol asks for it.",
            example=["qwen-max"],
            default="none; open answers count where they equal the released one",
        ),
    ] = ()
    readers: Annotated[
        tuple[str, ...],
        Key(
            "Runs or text models that read the replies too, as EgoExoBench's parser does; what they read is"
            " shown beside our reading (docs/models.md).",
            example=["qwen"],
            default="none",
        ),
    ] = ()
    writer: Annotated[
        str,
        Key(
            "Run or text model that writes the questions whose paper lets a model write them, or rewords"
            " their templates (docs/questions.md).",
            example="deepseek",
            default="none; such questions are made from the annotations alone",
        ),
    ] = ""
    checker: Annotated[
        str,
        Key(
            "Run or text model that judges questions where the paper lets a model judge them"
            " (docs/questions.md).",
            example="qwen",
            default="none; such questions are judged by the annotations alone",
        ),
    ] = ""

    @property
    def gate_runs(self) -> Mapping[str, str]:
        """Run whose model each gate asks that judges by a model's answers; empty where it does not apply."""
        return {"blind": self.blind, "single_frame": self.single_frame}

    @property
    def gates_not_applied(self) -> tuple[str, ...]:
        """Gates that do not apply, since no run is named for them."""
        return tuple(gate for gate, run in self.gate_runs.items() if not run)


@dataclass(frozen=True, slots=True)
class JudgeConfig:
    """A text model that judges answers.

    Attributes:
        model: The model, with the keys of a text model.
    """

    model: RunConfig
    mode: Annotated[
        str,
        Key(
            "How open answers are judged: `paper` for a verdict with mark and reason after an exact match,"
            " `parity` for what the released EgoCross script does (docs/judges.md).",
            example="parity",
            one_of=("paper", "parity"),
        ),
    ] = "paper"

    @property
    def name(self) -> str:
        """Name of the judge."""
        return self.model.name


def judge_keys() -> tuple[DeclaredKey, ...]:
    """Keys of a judge: those of a text model, and its own."""
    return (*text_model_keys(), *declared_keys(JudgeConfig))


@dataclass(frozen=True, slots=True)
class TranslationConfig:
    """Who translates narrations that were written in another language."""

    engine: Annotated[
        str,
        Key(
            "Run or text model that translates.",
            example="qwen",
            default="none; nothing is translated",
        ),
    ] = ""
    second: Annotated[
        str,
        Key(
            "Run or text model that translates what fails the check of the first translation.",
            example="larger",
            default="none",
        ),
    ] = ""


@dataclass(frozen=True, slots=True)
class WordsConfig:
    """What knows words that mean the same."""

    wordnet: Annotated[
        str,
        Key(
            "Folder of WordNet's files, as Debian's package `wordnet-base` installs it; open answers are then"
            " also compared by its synsets (docs/metrics.md).",
            example="/usr/share/wordnet",
            default="none; words match by their stems and by the vocabularies of sources",
        ),
    ] = ""


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
        words: What knows words that mean the same; its folder is absolute.
        text_models: Models that may be asked for texts, by name: the runs, and those of
            `[text_models]`, which answer no benchmark.
        judges: Judges by name.
        protocols: Tables of protocols by name, as the file has them: their keys and types are
            checked, what they extend is not.
        file: The configuration file; None where the settings come from none.
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
    words: WordsConfig = WordsConfig()
    text_models: Mapping[str, RunConfig] = field(default_factory=dict)
    judges: Mapping[str, JudgeConfig] = field(default_factory=dict)
    protocols: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    file: Path | None = None

    @property
    def has_further_benchmarks(self) -> bool:
        """Whether any benchmark is not one of this project: a plug-in's, or released questions."""
        return bool(self.benchmark_folders) or any(b.released for b in self.benchmarks.values())

    def sources_of(self, benchmark: str) -> list[str]:
        """Configured sources of a benchmark; one that is named but not configured is empty."""
        return [name for name in self.benchmarks[benchmark].sources if name in self.sources]

    def judges_of(self, benchmark: str) -> list[JudgeConfig]:
        """Judges of a benchmark, in the order in which it names them."""
        return [self.judges[name] for name in self.benchmarks[benchmark].judges]

    def evaluations(self) -> list[str]:
        """Keys of all pairs of benchmark and run: `benchmark.run`."""
        return sorted(
            f"{benchmark}.{run.name}"
            for run in self.runs.values()
            for benchmark in run.benchmarks or self.benchmarks
        )


NAMED_TABLES: Mapping[str, Callable[[], tuple[DeclaredKey, ...]]] = {
    "sources": lambda: declared_keys(SourceConfig),
    "benchmarks": lambda: declared_keys(BenchmarkConfig),
    "runs": lambda: declared_keys(RunConfig),
    "text_models": text_model_keys,
    "judges": judge_keys,
    "protocols": protocol_keys,
}
"""Keys of the tables that carry a name: `[sources.<name>]`."""
SECTIONS = (*NAMED_TABLES, "translation", "words")


def load_settings(path: Path | None = None) -> Settings:
    """Read the configuration.

    Args:
        path: The file; None for `config_path()`.

    Raises:
        ConfigError: The file is absent or not TOML, a plug-in cannot be imported, or a key is
            unknown, missing, of a wrong type, out of its bounds, or names what is not configured.
    """
    path = path or config_path()
    file = ConfigFile.read(path)
    home = path.resolve().parent
    top = {name: value for name, value in file.content.items() if name not in SECTIONS}
    url = os.environ.get("PARALLAX_STORE")
    if url and "store" not in top:
        top["store"] = url
    file.check((), declared_keys(FileConfig), top, SECTIONS)
    config = FileConfig(**_tuples(top))
    tables = {name: file.tables(name, keys()) for name, keys in NAMED_TABLES.items()}
    translation = file.table("translation", declared_keys(TranslationConfig))
    words = _words(file, home)
    sources = {
        name: SourceConfig(**_tuples({**table, "root": _place(home, table["root"])}), name=name)
        for name, table in tables["sources"].items()
    }
    benchmarks = {
        name: BenchmarkConfig(**_tuples(_placed(home, table)), name=name)
        for name, table in tables["benchmarks"].items()
    }
    texts = {n: {"protocol": OWN_PROTOCOL, **b} for n, b in tables["text_models"].items()}
    try:
        folders = tuple(map(folder, benchmark_packages(config.plugins, home)))
        runs = read_runs(tables["runs"], home=home)
        text_models = read_runs(texts, home=home)
        judges = _judges(tables["judges"], home)
    except ValueError as error:
        raise ConfigError(f"{path}: {error}") from error
    _check_names(file, sources, benchmarks, runs, text_models)
    _check_judges(file, benchmarks, judges)
    _check_translation(file, TranslationConfig(**translation), {*runs, *text_models})
    _check_engines(file, {"runs": runs, "text_models": text_models})
    _check_engines(file, {"judges": {name: judge.model for name, judge in judges.items()}})
    url = url or config.store
    store = TableStore(_place(home, url), s3_options() if "://" in url else {})
    models = [*runs.values(), *text_models.values(), *(judge.model for judge in judges.values())]
    register_names(run.api_key_env for run in models)
    register_values(
        store.storage_options[name] for name in _SECRETS if name in store.storage_options
    )
    return Settings(
        home=home,
        store=store,
        page=Path(_place(home, config.page)),
        sources=sources,
        benchmarks=benchmarks,
        runs=runs,
        plugins=config.plugins,
        benchmark_folders=folders,
        translation=TranslationConfig(**translation),
        words=words,
        text_models={**runs, **text_models},
        judges=judges,
        protocols=tables["protocols"],
        file=path,
    )


def _check_names(
    file: ConfigFile,
    sources: Mapping[str, SourceConfig],
    benchmarks: Mapping[str, BenchmarkConfig],
    runs: Mapping[str, RunConfig],
    text_models: Mapping[str, RunConfig],
) -> None:
    """Check that what one table names exists in another."""
    for name in text_models:
        if name in runs:
            raise file.error(
                ("text_models", name), "is also the name of a run", "rename one of the two"
            )
    models = {*runs, *text_models}
    for source in sources.values():
        where = ("sources", source.name)
        for other in source.reviews:
            if other not in sources or other == source.name or sources[other].reviews:
                raise file.error(
                    (*where, "reviews"),
                    f"names {toml_value(other)}, which is not another source that holds reviews",
                    f"configure a source {toml_value(other)} with the layout `reviews`, or remove"
                    " the name",
                )
        if source.sentence_match not in {BY_EMBEDDING, NOT_MATCHED, *models}:
            raise file.error(
                (*where, "sentence_match"),
                f"= {toml_value(source.sentence_match)} is not `{BY_EMBEDDING}`, `{NOT_MATCHED}`, or"
                " the name of a run or text model",
                suggestion(source.sentence_match, {BY_EMBEDDING, NOT_MATCHED, *models}),
            )
    for benchmark in benchmarks.values():
        for key, name in benchmark.gate_runs.items():
            if name and name not in runs:
                raise file.error(
                    ("benchmarks", benchmark.name, key),
                    f"= {toml_value(name)} is not the name of a configured run",
                    suggestion(name, runs),
                )
        if benchmark.daily_life:
            others = {b.name for b in benchmarks.values() if b.released} - {benchmark.name}
            if benchmark.daily_life not in others:
                raise file.error(
                    ("benchmarks", benchmark.name, "daily_life"),
                    f"= {toml_value(benchmark.daily_life)} is not another benchmark of released questions",
                    suggestion(benchmark.daily_life, others),
                )
        for key in ("writer", "checker"):
            name = getattr(benchmark, key)
            if name and name not in models:
                raise file.error(
                    ("benchmarks", benchmark.name, key),
                    f"= {toml_value(name)} is not the name of a run or text model",
                    suggestion(name, models),
                )
        for name in benchmark.readers:
            if name not in models:
                raise file.error(
                    ("benchmarks", benchmark.name, "readers"),
                    f"names {toml_value(name)}, which is not the name of a run or text model",
                    suggestion(name, models),
                )
        for key, default in (
            *(("blind", ""), ("single_frame", ""), ("checker", ""), ("extensions", ())),
            *(("reading", STRICT), ("writer", "")),
        ):
            if benchmark.released and getattr(benchmark, key) != default:
                raise file.error(
                    ("benchmarks", benchmark.name, key),
                    "says how questions are built or judged, and released questions are asked as they"
                    " stand",
                    "leave it out, or leave out `released`",
                )
    for run in runs.values():
        for other in run.benchmarks:
            if other not in benchmarks:
                raise file.error(
                    ("runs", run.name, "benchmarks"),
                    f"names {toml_value(other)}, which is not a configured benchmark",
                    suggestion(other, benchmarks),
                )


def _placed(home: Path, table: Mapping[str, Any]) -> dict[str, Any]:
    """Keys of a benchmark, its files and folders as absolute paths."""
    names = ("sorting_rounds", "image_encoder")
    return {**table, **{name: _place(home, table[name]) for name in names if table.get(name)}}


def _judges(tables: Mapping[str, Mapping[str, Any]], home: Path) -> dict[str, JudgeConfig]:
    own = {key.name for key in declared_keys(JudgeConfig)}
    models = {
        name: {"protocol": OWN_PROTOCOL, **{k: v for k, v in table.items() if k not in own}}
        for name, table in tables.items()
    }
    return {
        name: JudgeConfig(model, **{k: v for k, v in tables[name].items() if k in own})
        for name, model in read_runs(models, home=home).items()
    }


def _check_engines(file: ConfigFile, tables: Mapping[str, Mapping[str, RunConfig]]) -> None:
    """Check that each model's engine uses what is set for it."""
    for table, models in tables.items():
        for name, run in models.items():
            for key, engines in unused_settings(run).items():
                raise file.error(
                    (table, name, key),
                    f"is for {in_words(engines)}, and engine {run.way} does not use it",
                    "leave it out, or name another engine",
                )


def _check_judges(
    file: ConfigFile, benchmarks: Mapping[str, BenchmarkConfig], judges: Collection[str]
) -> None:
    for benchmark in benchmarks.values():
        for name in benchmark.judges:
            if name not in judges:
                raise file.error(
                    ("benchmarks", benchmark.name, "judges"),
                    f"names {toml_value(name)}, which is not a configured judge",
                    suggestion(name, judges),
                )


def _check_translation(
    file: ConfigFile, translation: TranslationConfig, models: Collection[str]
) -> None:
    for key in ("engine", "second"):
        name = getattr(translation, key)
        if name and name not in models:
            raise file.error(
                ("translation", key),
                f"= {toml_value(name)} is not the name of a run or text model",
                suggestion(name, models),
            )
    if translation.second and not translation.engine:
        raise file.error(
            ("translation", "second"), "is set without `engine`", "name the first one as `engine`"
        )


def _words(file: ConfigFile, home: Path) -> WordsConfig:
    config = WordsConfig(**file.table("words", declared_keys(WordsConfig)))
    if not config.wordnet:
        return config
    folder = Path(_place(home, config.wordnet))
    missing = missing_file(folder)
    if missing is not None:
        raise file.error(
            ("words", "wordnet"),
            f"= {toml_value(config.wordnet)} is not a folder of WordNet, as it has no file {missing}",
            REMEDY,
        )
    return WordsConfig(str(folder))


def _tuples(table: Mapping[str, Any]) -> dict[str, Any]:
    return {k: tuple(v) if isinstance(v, list) else v for k, v in table.items()}


def _place(home: Path, url: str) -> str:
    return url if "://" in url or os.path.isabs(url) else str(home / url)

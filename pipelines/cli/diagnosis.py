"""What an installation needs, checked: store, disks, sources, benchmarks, runs, programs.

Nothing is computed and nothing is asked of a model; of a root only its first file is looked for.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import tempfile
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from pathlib import Path

from assets.configuration import check_settings
from assets.labels.open.model import ParserUnavailableError, parser_version
from assets.protocols.declared import protocol_of
from assets.sources.registry import layout
from expectations.schemas.labels import VOCABULARY
from pipelines.errors import sentence
from resources.config import BY_EMBEDDING, Settings
from resources.errors import ExpectedError
from resources.meteor import MeteorUnavailable, meteor_command
from resources.models.availability import Finding, run_findings
from resources.models.embedder import EmbedderUnavailableError, find_model
from resources.models.prompt import Needs
from resources.roots.archives import ending_of
from resources.roots.base import RootError
from resources.roots.cache import cache_folder
from resources.roots.s3 import s3_options
from resources.store.locks import s3_client

_FULL_BYTES, _LOW_BYTES = 200 * 10**6, 2 * 10**9


def diagnosis(settings: Settings, dagster_home: Path) -> Iterator[Finding]:
    """Everything that is checked, line by line."""
    yield _tried("configuration", lambda: _configuration(settings))
    yield _tried("store", lambda: _store(settings))
    yield _tried("Dagster's home", lambda: _dagster_home(dagster_home))
    yield from _disks(settings, dagster_home)
    for name in settings.sources:
        yield _tried(f"source {name}", lambda name=name: _source(settings, name))
    for name in settings.benchmarks:
        yield _tried(f"benchmark {name}", lambda name=name: _benchmark(settings, name))
    yield from _runs(settings, settings.text_models)
    yield from _judges(settings, settings.judges)
    yield from _packages(settings)


def first_look(settings: Settings, partitions: Collection[str]) -> Iterator[Finding]:
    """What stands in the way of an update, looked for before it begins; nothing that is in order.

    Args:
        settings: Configuration.
        partitions: Sources, benchmarks and evaluations that are looked at.
    """
    sources = [name for name in settings.sources if name in partitions]
    judged = {key.partition(".")[0] for key in partitions} & settings.benchmarks.keys()
    judges = {judge for name in judged for judge in settings.benchmarks[name].judges}
    findings = [
        *(_tried(f"source {name}", lambda name=name: _source(settings, name)) for name in sources),
        *_runs(settings, {key.partition(".")[2] for key in partitions} - {""}),
        *_judges(settings, judges),
        *_disks(settings, Path(os.environ.get("DAGSTER_HOME") or settings.home)),
    ]
    yield from (finding for finding in findings if finding.level != "ok")


def line(finding: Finding) -> str:
    """A finding as the command prints it."""
    return f"{finding.level:<8} {finding.subject}: {finding.text}"


def _tried(subject: str, check: Callable[[], Finding | str]) -> Finding:
    """The result of a check; an expected error is a problem."""
    try:
        result = check()
    except Exception as error:
        text = sentence(error)
        if text is None:
            raise
        return Finding(subject, "problem", text)
    return result if isinstance(result, Finding) else Finding(subject, "ok", result)


def _configuration(settings: Settings) -> str:
    check_settings(settings)
    counts = (
        (settings.sources, "source"),
        (settings.benchmarks, "benchmark"),
        (settings.runs, "run"),
    )
    return ", ".join(
        f"{len(named)} {kind}{'' if len(named) == 1 else 's'}" for named, kind in counts
    )


def _store(settings: Settings) -> str:
    store = settings.store
    if store.is_local:
        _require_writable(Path(store.url))
        return f"{store.url} can be written"
    # A lock is a conditional write, which is what every commit needs.
    with store.lock("doctor"):
        pass
    return f"{store.url} answers and can be written"


def _dagster_home(home: Path) -> str:
    _require_writable(home)
    if (home / "dagster.yaml").is_file():
        from pipelines.run.dagster_home import open_instance

        open_instance(home).dispose()
        return f"{home} can be opened"
    return f"{home} is made by the first run"


def _require_writable(folder: Path) -> None:
    """Write a file into a folder, or into the nearest one above it that is there; it is gone at once."""
    with tempfile.TemporaryFile(dir=_existing(folder)):
        pass


def _existing(place: Path) -> Path:
    """A place, or the nearest one above it that is there."""
    path = place.absolute()
    return next(one for one in (path, *path.parents) if one.exists())


def _disks(settings: Settings, dagster_home: Path) -> Iterator[Finding]:
    """Free space of each disk that is written to."""
    written = {
        "page": settings.page.parent,
        "Dagster's home": dagster_home,
        "copies": cache_folder(),
    }
    if settings.store.is_local:
        written = {"store": Path(settings.store.url), **written}
    disks: dict[int, dict[str, Path]] = {}
    for name, folder in written.items():
        there = _existing(folder)
        disks.setdefault(there.stat().st_dev, {})[name] = there
    for places in disks.values():
        there = next(iter(places.values()))
        free = shutil.disk_usage(there).free
        subject, text = f"disk of {', '.join(places)}", f"{free / 1e9:.1f} GB free"
        if free < _FULL_BYTES:
            yield Finding(
                subject, "problem", f"only {free / 1e6:.0f} MB free at {there}: make room"
            )
        elif free < _LOW_BYTES:
            yield Finding(subject, "warning", f"{text} at {there}: make room before it is full")
        else:
            yield Finding(subject, "ok", text)


def _source(settings: Settings, name: str) -> str:
    source = settings.sources[name]
    declared = layout(source.layout, settings.plugins, settings.home)
    _require_root(source.root)
    return f"{source.root} holds files; layout {declared.name} ({declared.certainty})"


def _require_root(url: str) -> None:
    """Look whether a root is there and holds anything.

    Raises:
        RootError: It is not, or does not.
    """
    remedy = "mount it, or correct the source's `root`"
    if url.startswith("s3://"):
        bucket, _, prefix = url.removeprefix("s3://").partition("/")
        listing = s3_client(s3_options()).call_s3(
            "list_objects_v2", Bucket=bucket, Prefix=prefix, MaxKeys=1
        )
        if not listing.get("KeyCount"):
            raise RootError(f"root {url} holds no object: correct the source's `root`")
    elif ending_of(url) is not None and not os.path.isdir(url):
        if not os.path.isfile(url):
            raise RootError(f"root {url} is neither a folder nor an archive: {remedy}")
    elif not os.path.isdir(url):
        raise RootError(f"root {url} is not a folder: {remedy}")
    elif not any(not entry.name.startswith(".") for entry in os.scandir(url)):
        raise RootError(f"root {url} holds no file: {remedy}")


def _benchmark(settings: Settings, name: str) -> Finding | str:
    benchmark = settings.benchmarks[name]
    absent = [source for source in benchmark.sources if source not in settings.sources]
    if len(absent) == len(benchmark.sources):
        return Finding(
            f"benchmark {name}",
            "warning",
            f"none of its sources is configured ({', '.join(absent)}): it has no question until one is",
        )
    if absent:
        return Finding(
            f"benchmark {name}",
            "warning",
            f"sources {', '.join(absent)} are not configured: they contribute nothing",
        )
    return f"draws on {', '.join(benchmark.sources)}"


def _runs(settings: Settings, names: Collection[str]) -> Iterator[Finding]:
    """Whether runs and text models can be asked under the protocols of the benchmarks they ask."""
    needs: dict[str, Collection[Needs]] = {}
    refused: dict[str, Finding] = {}
    for key in settings.evaluations():
        benchmark, _, name = key.partition(".")
        if name not in names:
            continue
        try:
            needed = protocol_of(settings, benchmark, settings.runs[name]).needs
            needs[name] = {*needs.get(name, ()), needed}
        except ExpectedError as error:
            refused[name] = Finding(f"run {name}", "problem", str(error))
    ready = [
        run for name, run in settings.text_models.items() if name in names and name not in refused
    ]
    yield from refused.values()
    yield from run_findings(ready, needs)


def _judges(settings: Settings, names: Collection[str]) -> Iterator[Finding]:
    """Whether judges can be asked."""
    models = [judge.model for name, judge in settings.judges.items() if name in names]
    for finding in run_findings(models, {}):
        yield replace(finding, subject=finding.subject.replace("run ", "judge ", 1))


def _parsers(settings: Settings) -> Iterator[Finding]:
    """Parsers that the open reader of narrations needs."""
    readers = [
        s for s in settings.sources.values() if s.layout != "reviews" and s.narrations != VOCABULARY
    ]
    for parser in sorted({source.parser for source in readers}):
        mine = [source for source in readers if source.parser == parser]
        asked = [source.name for source in mine if source.narrations]
        try:
            yield Finding("narrations", "ok", f"they can be parsed with {parser_version(parser)}")
        except ParserUnavailableError as error:
            if asked:
                remedy = f"or set narrations of {', '.join(asked)} to {VOCABULARY}"
            else:
                remedy = "else narrations of sources without a taxonomy of verbs are not parsed"
            yield Finding("narrations", "problem" if asked else "warning", f"{error}, {remedy}")


def _packages(settings: Settings) -> Iterator[Finding]:
    """Packages and programs that only some features need."""
    by_embedding = [s.name for s in settings.sources.values() if s.sentence_match == BY_EMBEDDING]
    if by_embedding:
        try:
            find_model()
            yield Finding("sentence vectors", "ok", "the embedder is installed")
        except EmbedderUnavailableError as error:
            yield Finding(
                "sentence vectors",
                "problem",
                f"{error}, or set sentence_match of {', '.join(by_embedding)} to a text model or none",
            )
    yield from _parsers(settings)
    if importlib.util.find_spec("great_expectations") is None:
        text = (
            "Great Expectations is missing, `parallax check` needs it: install the extra `quality`"
        )
        yield Finding("suites", "warning", text)
    else:
        yield Finding("suites", "ok", "Great Expectations is installed")
    try:
        meteor_command()
        yield Finding("captions", "ok", "METEOR can be computed")
    except MeteorUnavailable as error:
        yield Finding("captions", "warning", f"scores of captions come without METEOR: {error}")

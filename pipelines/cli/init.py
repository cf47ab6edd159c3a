"""A first configuration for what somebody has: datasets below a folder, servers, keys and models."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assets.benchmarks import about, benchmark_folders
from assets.protocols.declared import default_protocols
from assets.questions.kit.builder import Builder, builders
from assets.sources.layout import TABLE_PARTS, Layout
from assets.sources.recognition import PLAIN_VIDEOS, Recognised, Recognition, recognise
from assets.sources.registry import layouts
from resources.config_keys import toml_text
from resources.roots.archives import ending_of
from resources.texts import printable

MOST_FILES = 500_000
_PROJECT = Path(__file__).resolve().parents[2]
_SCHEMA = _PROJECT / "docs" / "parallax.schema.json"
# Folders that hold no dataset: tables of a store, and what programs keep beside themselves.
_STORE = "_delta_log"
_SKIPPED = frozenset({"node_modules", "site-packages", "__pycache__", "__MACOSX"})


@dataclass(frozen=True, slots=True)
class Provider:
    """A service or local server that an environment variable speaks for.

    Attributes:
        variable: Name of the environment variable.
        name: Name of the run that is suggested.
        base_url: Address.
        is_key: Whether the variable holds the key.
    """

    variable: str
    name: str
    base_url: str
    is_key: bool = True


PROVIDERS = (
    Provider("OPENAI_API_KEY", "openai", "https://api.openai.com/v1"),
    Provider("ANTHROPIC_API_KEY", "anthropic", "https://api.anthropic.com/v1"),
    Provider("GEMINI_API_KEY", "gemini", "https://generativelanguage.googleapis.com/v1beta/openai"),
    Provider("OPENROUTER_API_KEY", "openrouter", "https://openrouter.ai/api/v1"),
    Provider("MISTRAL_API_KEY", "mistral", "https://api.mistral.ai/v1"),
    Provider("TOGETHER_API_KEY", "together", "https://api.together.xyz/v1"),
    Provider("GROQ_API_KEY", "groq", "https://api.groq.com/openai/v1"),
    Provider("XAI_API_KEY", "xai", "https://api.x.ai/v1"),
    Provider("DASHSCOPE_API_KEY", "qwen", "https://dashscope-intl.aliyuncs.com/compatible-mode/v1"),
    Provider("VLLM_API_KEY", "vllm", "http://127.0.0.1:8000/v1"),
    Provider("OLLAMA_HOST", "ollama", "http://127.0.0.1:11434/v1", is_key=False),
    Provider("LLAMA_ARG_MODEL", "llama-cpp", "http://127.0.0.1:8080/v1", is_key=False),
)


@dataclass(frozen=True, slots=True)
class Findings:
    """What was found on this machine.

    Attributes:
        folder: Folder that was looked at, absolute.
        recognition: Layouts recognised below it.
        files: Files that were looked at.
        is_whole: Whether these are all of them.
        archives: Archives outside of recognised sources; what is in them was not looked at.
        variables: Names of known environment variables that are set; never their values.
    """

    folder: Path
    recognition: Recognition
    files: int = 0
    is_whole: bool = True
    archives: int = 0
    variables: tuple[str, ...] = ()


def look(folder: Path, environment: Iterable[str] = os.environ) -> Findings:
    """Look at a folder and at the names of environment variables.

    Args:
        folder: Folder; tables of a store and hidden folders below it are passed over.
        environment: Names of environment variables.
    """
    paths: list[str] = []
    is_whole = True
    for path in _files(str(folder)):
        if len(paths) >= MOST_FILES:
            is_whole = False
            break
        paths.append(path)
    known = {provider.variable for provider in PROVIDERS}
    recognition = recognise(paths, layouts())
    return Findings(
        folder=folder.absolute(),
        recognition=recognition,
        files=len(paths),
        is_whole=is_whole,
        archives=sum(_is_unknown_archive(path, recognition) for path in paths),
        variables=tuple(sorted(known & set(environment))),
    )


def configuration_text(findings: Findings, home: Path) -> str:
    """A commented configuration for what was found.

    Args:
        findings: What was found.
        home: Folder of the file, absolute; roots below it are written relative to it.
    """
    sources = named_sources(findings.recognition.sources, findings.folder.name)
    benchmarks = askable(sources)
    blocks = [
        _head(findings),
        *(_source(findings.folder, home, name, one) for name, one in sources.items()),
        *([] if sources else [_NO_SOURCE]),
        *(_benchmark(name, names) for name, names in benchmarks.items()),
        *([] if benchmarks else [_NO_BENCHMARK]),
        *([_BASELINES] if benchmarks else []),
        *(_provider(provider) for provider in PROVIDERS if provider.variable in findings.variables),
        _MODELS,
    ]
    return "\n".join(blocks)


def named_sources(recognised: Sequence[Recognised], folder: str) -> dict[str, Recognised]:
    """Recognised folders, each under a name of its own.

    Args:
        recognised: Recognised folders.
        folder: Name of the folder that was looked at.
    """
    named: dict[str, Recognised] = {}
    for one in recognised:
        last = one.folder.rpartition("/")[2] or folder
        base = re.sub(r"[^A-Za-z0-9_-]+", "-", last).strip("-_") or one.layout
        name, number = base, 1
        while name in named:
            number += 1
            name = f"{base}-{number}"
        named[name] = one
    return named


def askable(sources: Mapping[str, Recognised]) -> dict[str, list[str]]:
    """Benchmarks that sources may have questions for, each with these sources.

    A source counts where its files fill every part that the benchmark's questions need first; whether
    what is in them suffices is known once they are read.
    """
    known = builders().values()
    sources_by_benchmark: dict[str, list[str]] = {}
    for folder in benchmark_folders():
        mine = [builder for builder in known if builder.benchmark == folder.name]
        fit = [
            name
            for name, one in sources.items()
            # Recordings without any annotation name neither tasks nor views.
            if set(one.parts) - {"recordings"}
            and any(_needed_parts(builder) <= set(one.parts) for builder in mine)
        ]
        if mine and fit:
            sources_by_benchmark[folder.name] = fit
    return sources_by_benchmark


def default_protocol(benchmark: str) -> str:
    """Protocol for a benchmark: its first that sends whole frames, else `direct`."""
    own = [
        protocol
        for protocol in default_protocols().values()
        if any(folder.name == benchmark for folder in protocol.folders)
    ]
    return next((p.name for p in own if p.crop == "full"), "direct")


def next_steps(path: Path, is_found: bool) -> Iterator[str]:
    """The commands to go on with.

    Args:
        path: The configuration that was written.
        is_found: Whether commands find it by themselves.
    """
    if not is_found:
        yield f"export PARALLAX_CONFIG={path.absolute()}"
    yield "parallax run       # read the sources, build questions, ask the runs"
    yield "parallax status    # what was read, and why a source has no questions"
    yield "parallax dev       # the same in the Dagster UI"


def _files(folder: str) -> Iterator[str]:
    """Paths below a folder, relative to it and ascending; links are followed, circles are not."""
    seen: set[str] = set()
    for at, folders, names in os.walk(folder, followlinks=True):
        real = os.path.realpath(at)
        if real in seen or _STORE in folders:
            folders.clear()
            continue
        seen.add(real)
        folders[:] = sorted(f for f in folders if not f.startswith(".") and f not in _SKIPPED)
        below = os.path.relpath(at, folder).replace(os.sep, "/")
        start = "" if below == "." else f"{below}/"
        for name in sorted(names):
            path = start + name
            if not name.startswith(".") and is_text(path):
                yield path


def _is_unknown_archive(path: str, recognition: Recognition) -> bool:
    """Whether a file is an archive that lies in no recognised source: sources open their own."""
    return ending_of(path) is not None and not any(
        not one.folder or path.startswith(f"{one.folder}/") for one in recognition.sources
    )


def is_text(path: str) -> bool:
    """Whether a path can be written as text: names of files may be any bytes."""
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _needed_parts(builder: Builder) -> set[str]:
    """Parts of a layout that fill the tables which a builder looks at first, or narrations."""
    tables = {table for need in builder.needs for table in need.reads}
    if "segments" in builder.reads:
        tables.add("segments")
    return {TABLE_PARTS[table] for table in tables if table in TABLE_PARTS}


def _head(findings: Findings) -> str:
    lines = [f"#:schema {_SCHEMA}"] if _SCHEMA.is_file() else []
    looked = (
        f"{findings.files:,} files" if findings.is_whole else f"the first {findings.files:,} files"
    )
    lines += [
        f"# Written by `parallax init` after a look at {looked} below",
        f"# {printable(str(findings.folder))}.",
        "# Every key is described in docs/configuration.md. Relative paths start from this file's folder.",
    ]
    if findings.archives:
        lines.append(
            f"# Archives that were not opened: {findings.archives:,}. Name one, or a folder of them, as the"
            " root of a source."
        )
    if findings.recognition.loose_videos:
        lines.append(
            f"# Videos that lie beside other sources: {findings.recognition.loose_videos:,}. Move them into"
            " a folder of their own."
        )
    return "\n".join([*lines, "", 'store = "data/tables"', 'page = "data/page.html"', ""])


def _source(folder: Path, home: Path, name: str, one: Recognised) -> str:
    layout = layouts()[one.layout]
    root = folder / one.folder if one.folder else folder
    place = root.relative_to(home).as_posix() if root.is_relative_to(home) else str(root)
    lines = [f"# {printable(layout.title)}: {_counts(one)}.", f"# {_about(layout)}"]
    if one.layout == PLAIN_VIDEOS:
        lines += [
            "# Videos without annotations are indexed and can be looked at, but no benchmark can ask",
            "# about them: docs/own-recordings.md says how to annotate recordings of your own.",
        ]
    return "\n".join(
        [
            *lines,
            f"[sources.{name}]",
            f"layout = {toml_text(one.layout)}",
            f"root = {toml_text(place)}",
            "# excerpt = true    # only a part of the dataset lies here",
            "",
        ]
    )


def _counts(one: Recognised) -> str:
    read = [f"annotation files: {one.annotations:,}"] if one.annotations else []
    return "; ".join([*read, f"media files: {one.media:,}"])


def _about(layout: Layout) -> str:
    certainty = {
        "verified": "The layout was checked on real files",
        "documented": "The layout follows the dataset's documentation",
        "inferred": "The layout is inferred, see docs/datasets.md",
    }
    return f"{certainty[layout.certainty]}; licence: {printable(layout.licence)}."


def _benchmark(name: str, sources: Collection[str]) -> str:
    title = about(name).title
    return "\n".join(
        [
            f"# {printable(title)}. `parallax status` says what a source lacks if it has no questions.",
            f"[benchmarks.{name}]",
            f"protocol = {toml_text(default_protocol(name))}",
            f"sources = [{', '.join(map(toml_text, sources))}]",
            "",
        ]
    )


def _provider(provider: Provider) -> str:
    what = "Fill in a model" if provider.is_key else "Fill in a model, check the address"
    lines = [
        f"# The environment variable {provider.variable} is set. {what}, and remove the `#`.",
        f"# [runs.{provider.name}]",
        '# engine = "openai_server"',
        f"# base_url = {toml_text(provider.base_url)}",
    ]
    if provider.is_key:
        lines.append(f"# api_key_env = {toml_text(provider.variable)}")
    return "\n".join([*lines, '# model = "..."', '# protocol = "own"', "# limit = 20", ""])


_NO_SOURCE = f"""\
# No dataset was recognised. Name a root and its layout; docs/datasets.md lists the layouts.
# [sources.mine]
# layout = {toml_text("egoexo4d")}
# root = "/path/to/the/files"
"""
_NO_BENCHMARK = """\
# No benchmark can ask about these sources. Once there are annotations:
# [benchmarks.egocot]
# protocol = "egocot_direct"
# sources = ["mine"]
"""
_BASELINES = """\
# Baselines that need no model: `own` takes each benchmark's protocol.
[runs.random]
engine = "random"
protocol = "own"
auto = true

# Words alone: the option whose words the question repeats.
[runs.shared-words]
engine = "shared_words"
protocol = "option_text"
auto = true
"""
_MODELS = """\
# A local server (vLLM, llama.cpp, Ollama):
# [runs.local-server]
# engine = "openai_server"
# base_url = "http://127.0.0.1:8000/v1"
# model = "Qwen/Qwen2.5-VL-7B-Instruct"
# protocol = "own"
# limit = 20

# A checkpoint on this machine, asked in process:
# [runs.checkpoint]
# engine = "transformers_vlm"
# model = "/path/to/the/folder"
# protocol = "own"
# limit = 20
"""

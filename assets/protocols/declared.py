"""Protocols that are declared: the general ones beside this module, and each benchmark's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from assets.benchmarks import benchmark_folders
from resources.config import ConfigError, Settings
from resources.models.protocol import Protocol, read_protocols
from resources.models.runs import OWN_PROTOCOL, RunConfig

_HERE = Path(__file__).parent


def default_protocols(folders: Iterable[Path] = ()) -> dict[str, Protocol]:
    """General protocols (`protocols.toml` beside this module) and those of every benchmark.

    Args:
        folders: Folders of plug-in benchmarks.

    Raises:
        ValueError: Two files declare a protocol of one name.
    """
    protocols = dict(_own_protocols())
    for folder in folders:
        _add_protocols(protocols, folder)
    return protocols


@cache
def _own_protocols() -> Mapping[str, Protocol]:
    protocols: dict[str, Protocol] = {}
    for folder in _folders():
        _add_protocols(protocols, folder)
    return protocols


def _add_protocols(protocols: dict[str, Protocol], folder: Path) -> None:
    """Add what a folder declares, if it declares any."""
    file = folder / "protocols.toml"
    if not file.is_file():
        return
    for name, protocol in read_protocols(file.read_text(encoding="utf-8"), folder).items():
        if name in protocols:
            raise ValueError(f"{file}: protocol {name!r} is declared by another file too")
        protocols[name] = protocol


def prompt_folders() -> list[Path]:
    """Folders of prompt templates, in the order in which a template is looked for."""
    return [folder / "prompts" for folder in _folders() if (folder / "prompts").is_dir()]


def _folders() -> list[Path]:
    """This folder, then each benchmark's."""
    return [_HERE, *benchmark_folders()]


def protocol_of(settings: Settings, benchmark: str, run: RunConfig) -> Protocol:
    """Protocol under which a run asks a benchmark.

    Raises:
        ConfigError: The run or the benchmark names a protocol that nobody declares.
    """
    own = run.protocol == OWN_PROTOCOL
    name = settings.benchmarks[benchmark].protocol if own else run.protocol
    who = f"benchmark {benchmark}" if own else f"run {run.name}"
    return _declared(who, name, default_protocols(settings.benchmark_folders))


def check_protocols(settings: Settings) -> None:
    """Check that every protocol which runs, text models and benchmarks name is declared.

    Raises:
        ConfigError: One is not; the message says who names it and which there are.
    """
    protocols = default_protocols(settings.benchmark_folders)
    for run in settings.text_models.values():
        if run.protocol != OWN_PROTOCOL:
            _declared(f"run {run.name}", run.protocol, protocols)
    for benchmark in settings.benchmarks.values():
        _declared(f"benchmark {benchmark.name}", benchmark.protocol, protocols)


def _declared(who: str, name: str, protocols: Mapping[str, Protocol]) -> Protocol:
    if name not in protocols:
        raise ConfigError(
            f"{who}: protocol {name!r} is not one of {sorted(protocols)}; correct the configuration"
        )
    return protocols[name]

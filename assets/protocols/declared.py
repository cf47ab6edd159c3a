"""Protocols that are declared: the general ones beside this module, and each benchmark's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

from assets.benchmarks import benchmark_folders
from resources.config import ConfigError, Settings
from resources.config_keys import listed, toml_value
from resources.errors import suggestion
from resources.models.protocol import (
    Protocol,
    configured_protocol,
    read_protocols,
    with_run,
)
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


def all_protocols(settings: Settings) -> dict[str, Protocol]:
    """Declared protocols, and those that the configuration defines or derives.

    Raises:
        ConfigError: A protocol of the configuration has the name of another, extends one that nobody
            declares, extends itself, or breaks a rule.
    """
    protocols = default_protocols(settings.benchmark_folders)
    waiting = dict(settings.protocols)
    taken = sorted(waiting.keys() & protocols.keys())
    if taken:
        raise _error(
            settings,
            f"protocols.{taken[0]} has the name of a declared protocol; choose another name and"
            f' extend it by `extends = "{taken[0]}"`',
        )
    while waiting:
        ready = [n for n, t in waiting.items() if "extends" not in t or t["extends"] in protocols]
        if not ready:
            _reject_bases(settings, waiting, protocols)
        for name in ready:
            table = waiting.pop(name)
            base = protocols[table["extends"]] if "extends" in table else None
            own = {key: value for key, value in table.items() if key != "extends"}
            try:
                protocols[name] = configured_protocol(name, own, settings.home, base)
            except ValueError as error:
                raise _error(settings, str(error)) from error
    return protocols


def _reject_bases(
    settings: Settings,
    tables: Mapping[str, Mapping[str, Any]],
    protocols: Mapping[str, Protocol],
) -> NoReturn:
    """Raise for protocols of which each extends one that is unknown, or another of these."""
    for name, table in tables.items():
        base = table["extends"]
        if base not in tables:
            raise _error(
                settings,
                f"protocols.{name}.extends = {toml_value(base)} is not a declared protocol;"
                f" {suggestion(base, [*protocols, *settings.protocols])}",
            )
    raise _error(
        settings,
        f"protocols {listed(sorted(tables))} extend each other; let one of them extend a declared"
        " protocol",
    )


def protocol_of(settings: Settings, benchmark: str, run: RunConfig) -> Protocol:
    """Protocol under which a run asks a benchmark, with what the run sets in its place.

    Raises:
        ConfigError: The run or the benchmark names a protocol that nobody declares.
    """
    return with_run(_asked_under(settings, benchmark, run, all_protocols(settings)), run)


def protocols_in_use(settings: Settings) -> dict[str, Protocol]:
    """Protocols under which the configured runs ask, by label, beside all that are declared."""
    protocols = all_protocols(settings)
    evaluations = (
        _asked_under(settings, benchmark, run, protocols)
        for run in settings.runs.values()
        for benchmark in run.benchmarks or settings.benchmarks
    )
    return {protocol.label: protocol for protocol in (*protocols.values(), *evaluations)}


def _asked_under(
    settings: Settings, benchmark: str, run: RunConfig, protocols: Mapping[str, Protocol]
) -> Protocol:
    """Protocol that a run names; `own` is that of the benchmark, of which it may ask a variant too."""
    name, plus, variants = run.protocol.partition("+")
    if name != OWN_PROTOCOL:
        return _declared(settings, f"runs.{run.name}", run.protocol, protocols)
    own = settings.benchmarks[benchmark].protocol
    plain = _declared(settings, f"benchmarks.{benchmark}", own, protocols)
    return _with_variants(settings, f"runs.{run.name}", plain, variants) if plus else plain


def check_protocols(settings: Settings) -> None:
    """Check that every protocol which runs and benchmarks name is declared.

    Raises:
        ConfigError: One is not, or a variant does not go with it; the message says who names it and which
            is meant.
    """
    protocols = all_protocols(settings)
    for benchmark in settings.benchmarks.values():
        _declared(settings, f"benchmarks.{benchmark.name}", benchmark.protocol, protocols)
    for run in settings.runs.values():
        if run.protocol.partition("+")[0] != OWN_PROTOCOL:
            _declared(settings, f"runs.{run.name}", run.protocol, protocols)
        for benchmark in run.benchmarks or settings.benchmarks:
            _asked_under(settings, benchmark, run, protocols)


def _declared(
    settings: Settings, who: str, name: str, protocols: Mapping[str, Protocol]
) -> Protocol:
    """A protocol by its name, or a variant of it by `name+variant`."""
    plain, plus, variants = name.partition("+")
    if plain not in protocols:
        raise _error(
            settings,
            f"{who}.protocol = {toml_value(name)} is not a declared protocol;"
            f" {suggestion(plain, protocols)}",
        )
    return _with_variants(settings, who, protocols[plain], variants) if plus else protocols[plain]


def _with_variants(settings: Settings, who: str, protocol: Protocol, variants: str) -> Protocol:
    try:
        return protocol.with_variants(variants.split("+"))
    except ValueError as error:
        raise _error(settings, f"{who}: {error}") from error


def _error(settings: Settings, message: str) -> ConfigError:
    return ConfigError(f"{settings.file}: {message}" if settings.file else message)

"""Names in the configuration that only the code above it can judge: layouts, protocols, benchmarks."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from assets.benchmarks import benchmark_folders
from assets.protocols.declared import check_protocols, protocol_of
from assets.questions.stage import builders_of
from assets.sources.registry import layouts
from expectations.schemas.readings import bare_recipe
from resources.config import ConfigError, Settings, load_settings
from resources.config_keys import toml_value
from resources.errors import suggestion
from resources.models.runs import RunConfig


def load_configuration(path: Path | None = None) -> Settings:
    """Read the configuration and check every name in it.

    Raises:
        ConfigError: See `load_settings` and `check_settings`.
    """
    settings = load_settings(path)
    check_settings(settings)
    return settings


def check_settings(settings: Settings) -> None:
    """Check that layouts, benchmarks, protocols and subtasks of a configuration exist.

    Raises:
        ConfigError: One does not, or a plug-in cannot be loaded.
    """
    known = layouts(settings.plugins, settings.home)
    for source in settings.sources.values():
        where = f"sources.{source.name}.layout"
        _check_name(settings, where, source.layout, known, "a known layout")
    folders = (*benchmark_folders(), *settings.benchmark_folders)
    benchmarks = {folder.name for folder in folders}
    for name in settings.benchmarks:
        if settings.benchmarks[name].released:
            continue  # it needs no folder, so that its name is free
        _check_name(settings, f"benchmarks.{name}", name, benchmarks, "a known benchmark")
        _check_extensions(settings, name)
    check_protocols(settings)
    for run in settings.runs.values():
        _check_samples(settings, run)
        asked = run.benchmarks or tuple(settings.benchmarks)
        # The subtasks of released questions are known when their files are read.
        if not run.subtasks or any(settings.benchmarks[name].released for name in asked):
            continue
        subtasks = {
            subtask
            for benchmark in asked
            for builder in builders_of(
                benchmark, plugins=settings.plugins, home=settings.home
            ).values()
            for subtask in builder.subtasks
        }
        for subtask in run.subtasks:
            where = f"runs.{run.name}.subtasks"
            _check_name(settings, where, subtask, subtasks, "a subtask of its benchmarks")


def _check_extensions(settings: Settings, benchmark: str) -> None:
    """Check that a benchmark has the extensions that its configuration lists."""
    listed = settings.benchmarks[benchmark].extensions
    if listed:
        built = builders_of(benchmark, plugins=settings.plugins, home=settings.home)
        known = {bare_recipe(recipe) for recipe, one in built.items() if one.extension}
        for name in listed:
            where = f"benchmarks.{benchmark}.extensions"
            _check_name(settings, where, name, known, "an extension of this benchmark")


def _check_samples(settings: Settings, run: RunConfig) -> None:
    """Check that a run which asks for several replies can be given different ones."""
    if run.samples == 1 or run.engine == "random":
        return
    for benchmark in run.benchmarks or settings.benchmarks:
        protocol = protocol_of(settings, benchmark, run)
        if protocol.temperature == 0 or protocol.answer_by == "option_likelihood":
            place = f"{settings.file}: " if settings.file else ""
            raise ConfigError(
                f"{place}runs.{run.name}.samples = {run.samples} would buy the same reply to"
                f" {benchmark} again, since nothing is drawn under protocol `{protocol.name}`; set a"
                " `temperature` above 0 and a protocol that asks for letters, or remove `samples`"
            )


def _check_name(
    settings: Settings, where: str, name: str, known: Collection[str], what: str
) -> None:
    if name not in known:
        place = f"{settings.file}: " if settings.file else ""
        raise ConfigError(
            f"{place}{where}: {toml_value(name)} is not {what}; {suggestion(name, known)}"
        )

"""Layouts by name: one folder each beside this file, and plug-ins from outside the repository."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

import assets.sources
from assets.sources.layout import Layout
from resources.config_keys import ConfigError, toml_value
from resources.errors import suggestion
from resources.plugins import PluginError, is_benchmark, load_plugin
from resources.texts import printable


class UnknownLayout(ConfigError):
    """A source names a layout that nothing declares, or a plug-in declares none."""


@cache
def layouts(plugins: tuple[str, ...] = (), home: Path | None = None) -> dict[str, Layout]:
    """All declared layouts.

    Args:
        plugins: Plug-ins (see `resources.plugins`); a benchmark's folder need not declare a
            `LAYOUT`, all others do.
        home: Folder relative paths of plug-ins start from; the working folder if null.

    Raises:
        UnknownLayout: A plug-in cannot be loaded or declares no layout, or two layouts have one
            name.
    """
    found: dict[str, Layout] = {}
    for module in _own_modules():
        declared = getattr(module, "LAYOUT", None)
        if isinstance(declared, Layout):
            _add(found, declared)
    for name in plugins:
        try:
            module = load_plugin(name, home or Path())
        except PluginError as error:
            raise UnknownLayout(str(error)) from error
        declared = getattr(module, "LAYOUT", None)
        if declared is None and is_benchmark(module):
            continue
        if not isinstance(declared, Layout):
            raise UnknownLayout(
                f"plug-in {name} declares no LAYOUT; declare one, or remove it from `plugins`"
            )
        _add(found, declared)
    for entry in _installed_entries():
        _add(found, _installed(entry))
    return found


def layout(name: str, plugins: tuple[str, ...] = (), home: Path | None = None) -> Layout:
    """A layout by name (see `layouts`).

    Raises:
        UnknownLayout: Nothing declares it.
    """
    known = layouts(plugins, home)
    if name not in known:
        raise UnknownLayout(f"no layout {toml_value(name)}; {suggestion(name, known)}")
    return known[name]


def _own_modules() -> Iterable[object]:
    for info in pkgutil.iter_modules(assets.sources.__path__):
        if info.ispkg:
            yield importlib.import_module(f"assets.sources.{info.name}")


@cache
def _installed_entries() -> tuple[EntryPoint, ...]:
    """Entry points of installed packages; looking for them reads the metadata of every package."""
    return tuple(entry_points(group="parallax.sources"))


def _installed(entry: EntryPoint) -> Layout:
    try:
        declared = entry.load()
    except Exception as error:
        cause = printable(f"{type(error).__name__}: {error}")
        raise UnknownLayout(
            f"installed plug-in {entry.value} cannot be imported ({cause}); correct or uninstall it"
        ) from error
    if not isinstance(declared, Layout):
        raise UnknownLayout(
            f"installed plug-in {entry.value} is not a Layout; correct or uninstall it"
        )
    return declared


def _add(found: dict[str, Layout], declared: Layout) -> None:
    if declared.name in found:
        raise UnknownLayout(
            f"layout {declared.name!r} is declared twice; rename that of the plug-in"
        )
    found[declared.name] = declared

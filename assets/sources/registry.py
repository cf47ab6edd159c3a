"""Layouts by name: one folder each beside this file, and plug-ins from outside the repository."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import sys
from collections.abc import Iterable
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path

import assets.sources
from assets.sources.layout import Layout

PLUGIN = "parallax_plugin_"


class UnknownLayout(ValueError):
    """A source names a layout that nothing declares."""


@cache
def layouts(plugins: tuple[str, ...] = (), home: Path | None = None) -> dict[str, Layout]:
    """All declared layouts.

    Args:
        plugins: Module names or paths of Python files that declare a `LAYOUT`; named by the user's
            configuration, never by data.
        home: Folder relative paths of plug-ins start from; the working folder if null.

    Raises:
        UnknownLayout: A plug-in cannot be loaded or declares no layout.
        ValueError: Two layouts have one name.
    """
    found: dict[str, Layout] = {}
    for module in _own_modules():
        declared = getattr(module, "LAYOUT", None)
        if isinstance(declared, Layout):
            _add(found, declared)
    for name in plugins:
        declared = getattr(_plugin(name, home or Path()), "LAYOUT", None)
        if not isinstance(declared, Layout):
            raise UnknownLayout(f"plug-in {name} declares no LAYOUT")
        _add(found, declared)
    for entry in entry_points(group="parallax.sources"):
        _add(found, entry.load())
    return found


def layout(name: str, plugins: tuple[str, ...] = (), home: Path | None = None) -> Layout:
    """A layout by name (see `layouts`).

    Raises:
        UnknownLayout: Nothing declares it.
    """
    known = layouts(plugins, home)
    if name not in known:
        raise UnknownLayout(f"no layout {name!r}; known: {sorted(known)}")
    return known[name]


def _own_modules() -> Iterable[object]:
    for info in pkgutil.iter_modules(assets.sources.__path__):
        if info.ispkg:
            yield importlib.import_module(f"assets.sources.{info.name}")


def _plugin(name: str, home: Path) -> object:
    if not name.endswith(".py"):
        try:
            return importlib.import_module(name)
        except ImportError as error:
            raise UnknownLayout(f"plug-in {name} cannot be imported: {error}") from error
    path = (home / name).resolve()
    known_as = f"{PLUGIN}{path.stem}"
    there = getattr(sys.modules.get(known_as), "__file__", None)
    if there is not None and Path(there) != path:
        raise UnknownLayout(f"plug-ins {there} and {path} have the same name: rename one")
    spec = importlib.util.spec_from_file_location(known_as, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise UnknownLayout(f"plug-in {path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    # Known by name, so that its code version can be computed like that of our own modules.
    sys.modules[known_as] = module
    spec.loader.exec_module(module)
    return module


def _add(found: dict[str, Layout], declared: Layout) -> None:
    if declared.name in found:
        raise ValueError(f"layout {declared.name!r} is declared twice")
    found[declared.name] = declared

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
        plugins: Names of modules, or paths of Python files or folders, that declare a `LAYOUT`; named
            by the user's configuration, never by data.
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
    """Module of a plug-in: a path ends in `.py` or holds a slash, anything else is a module's name."""
    if not name.endswith(".py") and "/" not in name:
        try:
            return importlib.import_module(name)
        except ImportError as error:
            raise UnknownLayout(f"plug-in {name} cannot be imported: {error}") from error
    path = (home / name).resolve()
    known_as = f"{PLUGIN}{path.stem}"
    package = path.is_dir()
    file = path / "__init__.py" if package else path
    there = getattr(sys.modules.get(known_as), "__file__", None)
    if there is not None and Path(there) != file:
        raise UnknownLayout(f"plug-ins {there} and {file} have the same name: rename one")
    # Submodules of a folder are imported relative to it: `from .recordings import read_recordings`.
    inside = [str(path)] if package else None
    spec = importlib.util.spec_from_file_location(known_as, file, submodule_search_locations=inside)
    if spec is None or spec.loader is None or not file.is_file():
        raise UnknownLayout(
            f"plug-in {path} is no Python file and no folder with an __init__.py; "
            "correct its path under `plugins`"
        )
    module = importlib.util.module_from_spec(spec)
    # Known by name, so that its code version can be computed like that of our own modules.
    sys.modules[known_as] = module
    spec.loader.exec_module(module)
    return module


def _add(found: dict[str, Layout], declared: Layout) -> None:
    if declared.name in found:
        raise ValueError(f"layout {declared.name!r} is declared twice")
    found[declared.name] = declared

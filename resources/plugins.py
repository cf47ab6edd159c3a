"""Plug-ins: modules, files and folders from outside the repository that the configuration names.

A file or module declares a dataset's `LAYOUT`. A folder with a `benchmark.toml` holds a benchmark: modules
with builders, their templates, `protocols.toml`, `prompts/` and `derivations/`, as a folder in
`assets/questions` does; its `__init__.py` may declare a `LAYOUT` too.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType

from resources.config_keys import ConfigError
from resources.texts import printable

PREFIX = "parallax_plugin_"
ABOUT = "benchmark.toml"


class PluginError(ConfigError):
    """A plug-in cannot be loaded."""


def load_plugin(name: str, home: Path) -> ModuleType:
    """A plug-in by name.

    Args:
        name: Name of an installed module, or path of a Python file or of a folder with an
            `__init__.py`; named by the user's configuration, never by data.
        home: Folder that relative paths start from.

    Raises:
        PluginError: It cannot be imported, is not a Python file, or has the name of another.
    """
    path = (home / name).resolve()
    if path.is_dir():
        return _load(path / "__init__.py", path.name, [str(path)])
    if name.endswith(".py"):
        return _load(path, path.stem, None)
    try:
        return importlib.import_module(name)
    except Exception as error:
        raise _unimportable(name, error) from error


def benchmark_packages(plugins: tuple[str, ...], home: Path | None = None) -> list[ModuleType]:
    """Packages of all plug-in benchmarks, also those of the entry points `parallax.benchmarks`.

    Raises:
        PluginError: A plug-in cannot be loaded, or an entry point is not a package with a
            `benchmark.toml`.
    """
    loaded = (load_plugin(name, home or Path()) for name in plugins)
    packages = [module for module in loaded if is_benchmark(module)]
    for entry in _installed():
        try:
            package = entry.load()
        except Exception as error:
            raise _unimportable(entry.value, error) from error
        if not is_benchmark(package):
            raise PluginError(f"entry point {entry.value} is not a package with a {ABOUT}")
        packages.append(package)
    return packages


@cache
def _installed() -> tuple[EntryPoint, ...]:
    """Entry points of installed packages; looking for them reads the metadata of every package."""
    return tuple(entry_points(group="parallax.benchmarks"))


def is_benchmark(module: ModuleType) -> bool:
    """Whether a module is the folder of a benchmark."""
    return hasattr(module, "__path__") and (folder(module) / ABOUT).is_file()


def folder(package: ModuleType) -> Path:
    """Folder of a package."""
    return Path(next(iter(package.__path__)))


def _load(path: Path, name: str, search: list[str] | None) -> ModuleType:
    known_as = f"{PREFIX}{name}"
    loaded = sys.modules.get(known_as)
    there = getattr(loaded, "__file__", None)
    if there is not None and Path(there) != path:
        raise PluginError(f"plug-ins {there} and {path} have the same name: rename one")
    if search is not None and loaded is not None:
        return loaded
    spec = importlib.util.spec_from_file_location(known_as, path, submodule_search_locations=search)
    if spec is None or spec.loader is None or not path.is_file():
        place = path.parent if search is not None else path
        raise PluginError(
            f"plug-in {place} is neither a Python file nor a folder with an __init__.py; "
            "correct its path under `plugins`"
        )
    module = importlib.util.module_from_spec(spec)
    # Known by name, so that its code version can be computed like that of our own modules.
    sys.modules[known_as] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[known_as]
        raise _unimportable(str(path), error) from error
    return module


def _unimportable(name: str, error: Exception) -> PluginError:
    """What is raised for code from outside, which may fail in any way while it is imported."""
    cause = printable(f"{type(error).__name__}: {error}")
    return PluginError(
        f"plug-in {name} cannot be imported ({cause}); correct its code, or its name under `plugins`"
    )

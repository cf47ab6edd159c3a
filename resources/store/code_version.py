"""Code versions, computed: what a function does, not when it was edited.

The version of a function is a hash of its normalised syntax tree, of every definition of this
project that it reaches by name, of the data files those name, and of the versions of the libraries
they use. Comments, docstrings, annotations and layout do not count; a helper three calls away does.

What is reached: names and attributes of modules and packages however they were imported (also inside
a function), classes that annotations name (for their methods), functions that tables and tuples hold,
definitions registered by a decorator of the project. What is not: names built from strings at run
time, and registrations made by modules that nothing here imports.
"""

from __future__ import annotations

import ast
import builtins
import functools
import hashlib
import importlib
import importlib.util
import inspect
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import packages_distributions, version
from pathlib import Path
from typing import Any

from expectations.schemas.identity import digest
from resources.store.code_reading import DEFINITION, read_definition, statements
from resources.store.kept_versions import kept_versions

PROJECT = ("assets", "expectations", "resources", "pipelines")
_ROOT = Path(__file__).resolve().parents[2]
_FOLDERS = tuple(_ROOT / name for name in PROJECT)
# Declarations of tables have a fingerprint of their own; hashing them here would count wording.
NOT_FOLLOWED = frozenset(
    f"expectations.schemas{name}"
    for name in (
        "",
        ".core",
        ".sources",
        ".frames",
        ".labels",
        ".pairs",
        ".questions",
        ".predictions",
        ".scores",
        ".ledger",
    )
)
# Libraries whose version does not change what our functions return.
FREE = frozenset({"dagster", "typer", "stamina", "s3fs", "fsspec"})
# Pseudo-name of the statements of a module that define no name.
_EFFECTS = "<module>"
_BUILT_IN = frozenset(dir(builtins))
_OWN_NAMES = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp | ast.Lambda
_INCLUDED = re.compile(r"""\{%-?\s*(?:include|import|extends|from)\s+["']([^"']+)["']""")


@cache
def code_version(*functions: Callable[..., Any]) -> str:
    """Version of one or several functions or classes together.

    Args:
        functions: Top-level functions or classes of modules with readable source; of a
            `functools.partial` the function and what is bound count.

    Raises:
        ValueError: A function is not a top-level definition, or was loaded without source.
    """
    name = " ".join(_name(function) for function in functions)
    kept = kept_versions(_FOLDERS)
    known = kept.get(name)
    if known is None:
        known, ours = compute_version(*functions)
        if ours:
            kept.add(name, known)
    return known


def compute_version(*functions: Callable[..., Any]) -> tuple[str, bool]:
    """Version of one or several functions as `code_version`, computed anew.

    Returns:
        The version, and whether everything it depends on lies in the project's own packages.
    """
    _remember_sources()
    reached = _Reached()
    for function in functions:
        _start(function, reached)
    parts = [f"{module}:{name}={text}" for (module, name), text in sorted(reached.seen.items())]
    parts += sorted(f"{_place(path)}={content}" for path, content in reached.files.items())
    parts += [f"{name}=={_library_version(name)}" for name in sorted(reached.libraries)]
    parts += sorted(reached.bound)
    paths = {*reached.files, *(_module(module).path for module, _ in reached.seen)}
    return digest(parts), all(_lies_in_project(path) for path in paths)


def _lies_in_project(path: Path | None) -> bool:
    return path is not None and any(path.is_relative_to(folder) for folder in _FOLDERS)


class _Reached:
    """What was found on the way from a function."""

    def __init__(self) -> None:
        self.seen: dict[tuple[str, str], str] = {}
        self.files: dict[Path, str] = {}
        self.libraries: set[str] = set()
        self.bound: set[str] = set()


def _start(function: Callable[..., Any], reached: _Reached) -> None:
    if isinstance(function, functools.partial):
        for value in (*function.args, *function.keywords.values()):
            if inspect.isfunction(value) or inspect.isclass(value):
                _start(value, reached)
            elif not isinstance(value, str | int | float | bool | None | tuple | frozenset):
                raise ValueError(f"{function} binds a {type(value).__name__}, which has no version")
        reached.bound.add(_bound(function))
        function = function.func
    module, name = function.__module__, function.__qualname__
    if name not in _module(module).definitions:
        raise ValueError(f"{module}.{name} is not a top-level name")
    _visit(module, name, reached)


def _bound(function: functools.partial[Any]) -> str:
    """Hash of what is bound to a function."""
    texts = [
        *map(str, function.args),
        *(f"{name}={value}" for name, value in sorted(function.keywords.items())),
    ]
    return digest(re.sub(r" at 0x[0-9a-f]+", "", text) for text in texts)


def _name(function: Callable[..., Any]) -> str:
    """What tells a function from others while the code is the same."""
    if not isinstance(function, functools.partial):
        return f"{function.__module__}:{function.__qualname__}"
    values = (*function.args, *function.keywords.values())
    bound = [
        _name(value) for value in values if inspect.isfunction(value) or inspect.isclass(value)
    ]
    return f"{_name(function.func)}({','.join(bound)};{_bound(function)})"


# -- modules -------------------------------------------------------------------------------------


@cache
def _remembered() -> dict[str, str | None]:
    return {}


def _remember_sources() -> None:
    """Keep the source of every module as it was loaded; null for modules of others.

    A process can live long after its files were edited; what it runs is what it loaded.
    """
    known = _remembered()
    for name in sys.modules.keys() - known.keys():
        if not _is_ours(name):
            known[name] = None
            continue
        path = getattr(sys.modules[name], "__file__", None)
        if path and path.endswith(".py"):
            known[name] = Path(path).read_text(encoding="utf-8")


class _Module:
    """Top-level definitions and imports of one module."""

    def __init__(self, name: str) -> None:
        module = importlib.import_module(name)
        self.name = name
        self.path = Path(module.__file__) if module.__file__ else None
        self.definitions: dict[str, list[ast.AST]] = {}
        self.imports: dict[str, tuple[str, str | None]] = {}
        self.starred: list[str] = []
        if self.path is None:
            return
        if self.path.suffix != ".py":
            raise ValueError(f"module {name} has no source")
        self.is_package = self.path.name == "__init__.py"
        _remember_sources()
        text = _remembered().get(name) or self.path.read_text(encoding="utf-8")
        said = ast.parse(text).body
        imports_in(self, said, self.imports, self.starred)
        self.own = {node.name for node in said if isinstance(node, DEFINITION)}
        for node in said:
            self._take(node)

    def _take(self, node: ast.stmt) -> None:
        names = set(_bound_names(node))
        if isinstance(node, DEFINITION) and any(_is_local(self, d) for d in node.decorator_list):
            # Registered somewhere by its decorator: whoever asks the registry may get it.
            names.add(_EFFECTS)
        if isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant):
            names.add(_EFFECTS)
        for name in names:
            self.definitions.setdefault(name, []).append(node)


def _bound_names(node: ast.stmt) -> Iterator[str]:
    """Names that a statement defines or changes."""
    if isinstance(node, DEFINITION):
        yield node.name
        return
    for child in _own_scope(node):
        if isinstance(child, DEFINITION):
            yield child.name
        elif isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store | ast.Del):
            yield child.id
        elif isinstance(child, ast.Subscript | ast.Attribute) and isinstance(
            child.ctx, ast.Store | ast.Del
        ):
            yield from _root(child)
        elif isinstance(child, ast.Call):
            # `TABLE.update(...)` changes what TABLE is; `dict.fromkeys(...)` leaves dict as it was.
            yield from (name for name in _root(child.func) if name not in _BUILT_IN)


def _own_scope(node: ast.AST) -> Iterator[ast.AST]:
    """The node and what lies in it, but not inside functions, classes and comprehensions."""
    yield node
    if isinstance(node, DEFINITION | _OWN_NAMES):
        return
    for child in ast.iter_child_nodes(node):
        yield from _own_scope(child)


def _root(node: ast.AST) -> Iterator[str]:
    """The name an attribute or item is asked of."""
    if not isinstance(node, ast.Attribute | ast.Subscript):
        return
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    if isinstance(node, ast.Name):
        yield node.id


def _is_local(module: _Module, decorator: ast.AST) -> bool:
    while isinstance(decorator, ast.Call | ast.Attribute):
        decorator = decorator.func if isinstance(decorator, ast.Call) else decorator.value
    if not isinstance(decorator, ast.Name):
        return False
    base = module.imports.get(decorator.id, ("", None))[0]
    return decorator.id in module.own or _is_ours(base)


def imports_in(
    module: _Module,
    nodes: Iterable[ast.AST],
    found: dict[str, tuple[str, str | None]],
    starred: list[str],
) -> None:
    """Imports made by statements, those inside functions not included.

    Args:
        module: Module they stand in, for relative imports.
        nodes: Statements.
        found: Receives local name to (module, name in it or None).
        starred: Receives modules of which everything is imported.
    """
    for node in statements(nodes):
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                found[alias.asname or top] = (alias.name if alias.asname else top, None)
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(module, node)
            for alias in node.names:
                if alias.name == "*":
                    starred.append(base)
                else:
                    found[alias.asname or alias.name] = (base, alias.name)


def _absolute(module: _Module, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    parts = module.name.split(".")
    if not module.is_package:
        parts = parts[:-1]
    parts = parts[: len(parts) - node.level + 1]
    return ".".join([*parts, *([node.module] if node.module else [])])


@cache
def _module(name: str) -> _Module:
    return _Module(name)


# -- reaching ------------------------------------------------------------------------------------


def _visit(module_name: str, name: str, reached: _Reached) -> None:
    """Take a name of a module, wherever that module has it from."""
    if (module_name, name) in reached.seen or module_name in NOT_FOLLOWED:
        return
    module = _module(module_name)
    nodes = module.definitions.get(name)
    if nodes is None:
        if name in module.imports:
            _follow(module.imports[name], (), reached)
        elif _is_module(f"{module_name}.{name}"):
            _visit_all(f"{module_name}.{name}", reached)
        else:
            for base in module.starred:
                _follow((base, name), (), reached)
        return
    said = _definition(module_name, name)
    reached.seen[module_name, name] = said.text
    for path in said.files:
        _take_file(path, reached)
    for chain in said.chains:
        _resolve(module, said.imports, chain, name, reached)
    for annotated in said.annotations:
        _visit_class(module, annotated, reached)
    if _EFFECTS in module.definitions:
        _visit(module_name, _EFFECTS, reached)


@dataclass(frozen=True, slots=True)
class _Definition:
    """What a name of a module stands for: its normal text, and what it reaches by itself."""

    text: str
    files: tuple[Path, ...]
    chains: tuple[tuple[str, ...], ...]
    annotations: tuple[str, ...]
    imports: dict[str, tuple[str, str | None]]


@cache
def _definition(module_name: str, name: str) -> _Definition:
    module = _module(module_name)
    said = read_definition(module.definitions[name])
    imports: dict[str, tuple[str, str | None]] = {}
    imports_in(module, said.imports, imports, [])
    return _Definition(
        text=digest([said.text]),
        files=tuple(_files_of(module, said.strings)),
        chains=said.chains,
        annotations=said.annotations,
        imports=imports,
    )


def _resolve(
    module: _Module,
    inner: dict[str, tuple[str, str | None]],
    chain: tuple[str, ...],
    own: str,
    reached: _Reached,
) -> None:
    first, *rest = chain
    if first in inner:
        _follow(inner[first], tuple(rest), reached)
    if first in module.definitions and first != own:
        _visit(module.name, first, reached)
    elif first in module.imports:
        _follow(module.imports[first], tuple(rest), reached)
    elif first not in inner:
        for base in module.starred:
            _follow((base, first), tuple(rest), reached)


def _follow(target: tuple[str, str | None], rest: tuple[str, ...], reached: _Reached) -> None:
    """Follow an import, and the attributes asked of it, into the project, or note the library."""
    base, name = target
    if not _is_ours(base):
        top = base.partition(".")[0]
        if top not in sys.stdlib_module_names and top not in FREE:
            reached.libraries.add(top)
        return
    chain = (name, *rest) if name is not None else rest
    while chain and chain[0] not in _module(base).definitions and _is_module(f"{base}.{chain[0]}"):
        base, chain = f"{base}.{chain[0]}", chain[1:]
    if chain:
        module = _module(base)
        if chain[0] in module.imports and chain[0] not in module.definitions:
            _follow(module.imports[chain[0]], chain[1:], reached)
        else:
            _visit(base, chain[0], reached)
    else:
        # A module handed on as a value: anything of it may be asked.
        _visit_all(base, reached)


def _visit_all(module_name: str, reached: _Reached) -> None:
    for name in list(_module(module_name).definitions):
        _visit(module_name, name, reached)


def _visit_class(module: _Module, name: str, reached: _Reached) -> None:
    """Take what an annotation names if it is a class of ours: its methods may be called."""
    while name not in module.definitions and name in module.imports:
        base, asked = module.imports[name]
        if not _is_ours(base) or asked is None or base in NOT_FOLLOWED:
            return
        if (base, asked) == (module.name, name):
            return  # a package that hands on its own module
        module, name = _module(base), asked
    if any(isinstance(node, ast.ClassDef) for node in module.definitions.get(name, ())):
        _visit(module.name, name, reached)


def _is_ours(name: str) -> bool:
    top = name.partition(".")[0]
    return top in PROJECT or top.startswith("parallax_plugin_")


@cache
def _is_module(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except (ModuleNotFoundError, ValueError):
        return False


# -- files ---------------------------------------------------------------------------------------


def _files_of(module: _Module, texts: frozenset[str]) -> Iterator[Path]:
    """Data files that strings name."""
    if module.path is None:
        return
    packages = {t for t in texts if "." in t and _is_ours(t) and re.fullmatch(r"[\w.]+", t)}
    bases = {module.path.parent: None}
    bases |= {found: None for name in packages if (found := _folder_of(name)) is not None}
    for base in sorted(bases):
        names = _names_in(base)
        for text in sorted(texts):
            if text.partition("/")[0] in names:
                yield from _files_at(base, text)


def _take_file(path: Path, reached: _Reached) -> None:
    path = path.resolve()
    if path in reached.files:
        return
    content = path.read_bytes()
    # Not the project's own hash: what a file holds is the same by any.
    reached.files[path] = hashlib.sha256(content).hexdigest()
    if path.suffix in {".j2", ".jinja", ".jinja2"}:
        for other in _INCLUDED.findall(content.decode()):
            if (path.parent / other).is_file():
                _take_file(path.parent / other, reached)


def _place(path: Path) -> str:
    """Name of a data file that does not depend on where the project lies."""
    return path.relative_to(_ROOT).as_posix() if path.is_relative_to(_ROOT) else path.name


def _files_at(base: Path, text: str) -> Iterator[Path]:
    if not text.strip("./ ") or len(text) > 100 or any(c in text for c in "\n\0"):
        return
    path = base / text
    if "__pycache__" in path.parts:
        return  # what Python compiles: no data, and new with every process
    if path.is_file():
        if path.suffix not in {"", ".py"}:
            yield path
    elif path.is_dir() and not any(path.rglob("*.py")):
        yield from sorted(p for p in path.rglob("*") if p.is_file() and not p.name.startswith("."))


def _names_in(folder: Path) -> frozenset[str]:
    """What a path inside or beside a folder may begin with; an absolute one names no file of ours."""
    try:
        return frozenset([".", "..", *os.listdir(folder)])
    except OSError:
        return frozenset()  # gone since it was loaded, or closed to us


def _folder_of(name: str) -> Path | None:
    """Folder of a package or module that a string names."""
    spec = importlib.util.find_spec(name) if _is_module(name) else None
    if spec is None:
        return None
    if spec.submodule_search_locations:
        return Path(next(iter(spec.submodule_search_locations)))
    return Path(spec.origin).parent if spec.origin else None


def _library_version(top: str) -> str:
    names = _distributions().get(top)
    return version(names[0]) if names else "unknown"


@cache
def _distributions() -> dict[str, list[str]]:
    return {top: sorted(names) for top, names in packages_distributions().items()}

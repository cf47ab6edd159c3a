"""Gates beside this file and the derivations of every benchmark: found by scanning, no list to edit."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from collections.abc import Iterator
from functools import cache
from types import ModuleType

import expectations.derivations
import expectations.gates
from expectations.gates.base import Derivation, Gate


@cache
def gates() -> dict[str, Gate]:
    """Gates by name, in order of name.

    Raises:
        ValueError: Two modules declare a gate of one name.
    """
    found: dict[str, Gate] = {}
    for module in (m.name for m in _modules(expectations.gates)):
        gate = getattr(importlib.import_module(module), "GATE", None)
        if isinstance(gate, Gate):
            if gate.name in found:
                raise ValueError(f"gate {gate.name} is declared twice, again by {module}")
            found[gate.name] = gate
    return dict(sorted(found.items()))


@cache
def derivations(packages: tuple[str, ...] = ()) -> dict[tuple[str, str], Derivation]:
    """Derivations by benchmark and subtask.

    Args:
        packages: Packages of loaded plug-in benchmarks; their derivations lie in the folder
            `derivations` of each.

    Raises:
        ValueError: Two modules derive the same subtask.
    """
    found: dict[tuple[str, str], Derivation] = {}
    for module in _derivation_modules(packages):
        derivation = getattr(importlib.import_module(module), "DERIVATION", None)
        if not isinstance(derivation, Derivation):
            continue
        for subtask in derivation.subtasks:
            key = (derivation.benchmark, subtask)
            if key in found:
                raise ValueError(f"subtask {'/'.join(key)} is derived twice, again by {module}")
            found[key] = derivation
    return found


def _derivation_modules(packages: tuple[str, ...]) -> Iterator[str]:
    for benchmark in _modules(expectations.derivations):
        if benchmark.ispkg:
            yield from (m.name for m in _modules(importlib.import_module(benchmark.name)))
    for package in packages:
        if importlib.util.find_spec(f"{package}.derivations") is not None:
            yield from (m.name for m in _modules(importlib.import_module(f"{package}.derivations")))


def _modules(package: ModuleType) -> Iterator[pkgutil.ModuleInfo]:
    return pkgutil.iter_modules(package.__path__, f"{package.__name__}.")

"""Gates and derivations of this package, found by scanning it: there is no list to edit."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

import expectations.gates as package
from expectations.gates.base import Derivation, Gate


@cache
def gates() -> dict[str, Gate]:
    """Gates by name, in order of name.

    Raises:
        ValueError: Two modules declare a gate of one name.
    """
    found: dict[str, Gate] = {}
    for module in _modules():
        gate = getattr(importlib.import_module(module), "GATE", None)
        if isinstance(gate, Gate):
            if gate.name in found:
                raise ValueError(f"gate {gate.name} is declared twice, again by {module}")
            found[gate.name] = gate
    return dict(sorted(found.items()))


@cache
def derivations() -> dict[tuple[str, str], Derivation]:
    """Derivations by benchmark and subtask.

    Raises:
        ValueError: Two modules derive the same subtask.
    """
    found: dict[tuple[str, str], Derivation] = {}
    for module in _modules():
        derivation = getattr(importlib.import_module(module), "DERIVATION", None)
        if not isinstance(derivation, Derivation):
            continue
        for subtask in derivation.subtasks:
            key = (derivation.benchmark, subtask)
            if key in found:
                raise ValueError(f"subtask {'/'.join(key)} is derived twice, again by {module}")
            found[key] = derivation
    return found


def _modules() -> list[str]:
    return [m.name for m in pkgutil.iter_modules(package.__path__, f"{package.__name__}.")]

"""Small worlds and planted faults of all subtasks: found by scanning, no list to edit.

A module of a subtask (`<benchmark>/<subtask>.py`) declares `WORLDS`, functions by name, and `FAULTS`. The modules
beside this one declare the faults that several subtasks share; each world names the groups that fit it.
"""

from __future__ import annotations

import importlib
import pickle
from functools import cache
from pathlib import Path
from types import ModuleType

from tests.derivations import (
    clips,
    every,
    labels,
    operations,
    people,
    phases,
    places,
    two_states,
    words,
)
from tests.derivations.world import EVERY, LETTERED, PICTURES, SEQUENCES, TIMED, Fault, World

HERE = Path(__file__).parent


def _modules() -> dict[str, ModuleType]:
    paths = sorted(HERE.glob("*/*.py"))
    names = [f"{path.parent.name}.{path.stem}" for path in paths]
    return {name: importlib.import_module(f"tests.derivations.{name}") for name in names}


def _worlds() -> dict[str, World]:
    worlds: dict[str, World] = {}
    for module, contents in MODULES.items():
        for name, make in contents.WORLDS.items():
            if name in worlds:
                raise ValueError(f"{module} declares small world {name}, which exists; rename it")
            worlds[name] = make()
    return worlds


def _fits(fault: Fault, name: str) -> bool:
    groups = WORLDS[name].groups
    timed = () if PICTURES in groups else (TIMED,)
    lettered = () if SEQUENCES in groups else (LETTERED,)
    return bool(fault.fits & {EVERY, name, *groups, *timed, *lettered})


# Modules of subtasks by name, as `egocross.object_localisation`.
MODULES = _modules()
WORLDS = _worlds()
FAULTS: list[Fault] = [
    fault
    for module in (
        every,
        clips,
        labels,
        operations,
        people,
        phases,
        places,
        two_states,
        words,
        *MODULES.values(),
    )
    for fault in module.FAULTS
]
# Every fault with every world it fits, by name.
CASES = [(name, fault) for fault in FAULTS for name in WORLDS if _fits(fault, name)]


def fresh(name: str) -> World:
    """Return a copy of a small world, which may be spoiled.

    Args:
        name: Name of the world.
    """
    world: World = pickle.loads(_copy_of(name))
    world.copied_from = WORLDS[name]
    return world


@cache
def _copy_of(name: str) -> bytes:
    # Read back in a tenth of the time that `copy.deepcopy` takes.
    return pickle.dumps(WORLDS[name])

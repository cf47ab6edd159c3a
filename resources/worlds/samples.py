"""The sample worlds by layout: what `parallax sample` writes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from resources.code_version import code_version
from resources.worlds.adt import write_adt
from resources.worlds.easg import write_easg
from resources.worlds.egoexolearn import write_egoexolearn
from resources.worlds.flat import FlatSpec
from resources.worlds.lemma import write_lemma
from resources.worlds.surgery import SurgerySpec, write_cholectrack20
from resources.worlds.truth import HouseholdSpec

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample world in one layout.

    Attributes:
        layout: Layout it is written in.
        spec: What it holds.
        write: Writes it under a folder: spec, folder, progress.
    """

    layout: str
    spec: Any
    write: Callable[[Any, Path, Progress | None], None]

    def fingerprint(self) -> str:
        """What its files depend on."""
        return f"{self.spec} {code_version(self.write)}"


def samples(render: str = "full", ego: int = 16, exo: int = 8) -> dict[str, Sample]:
    """Sample worlds by layout.

    Args:
        render: `full`, `small` or `none`.
        ego: Egocentric recordings of the household in EgoExoLearn's layout.
        exo: Exocentric ones.
    """
    household: Any = HouseholdSpec(ego=ego, exo=exo, render=render)  # type: ignore[arg-type]
    found = [
        Sample("egoexolearn", household, write_egoexolearn),
        Sample("lemma", _flat("lemma", render), write_lemma),
        Sample("adt", _flat("adt", render), write_adt),
        Sample("easg", _flat("easg", render, takes=8), write_easg),
        Sample("cholectrack20", SurgerySpec(render=render), write_cholectrack20),  # type: ignore[arg-type]
    ]
    return {sample.layout: sample for sample in found}


def _flat(kind: str, render: str, takes: int = 0) -> FlatSpec:
    return FlatSpec(kind=kind, takes=takes, render=render)  # type: ignore[arg-type]


LAYOUTS: Final = ("egoexolearn", "lemma", "adt", "easg", "cholectrack20")

"""The sample worlds by name: what `parallax sample` writes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from resources.code_version import code_version
from resources.worlds.adt import write_adt
from resources.worlds.animal import AnimalSpec, write_egopet
from resources.worlds.court import CourtSpec, write_court
from resources.worlds.easg import write_easg
from resources.worlds.ego4d import write_ego4d
from resources.worlds.egoexo4d import write_egoexo4d
from resources.worlds.egoexolearn import write_egoexolearn
from resources.worlds.egotaskqa import write_egotaskqa
from resources.worlds.flat import FlatSpec
from resources.worlds.kitchens import write_epic_kitchens, write_hd_epic
from resources.worlds.lemma import write_lemma
from resources.worlds.own import write_own
from resources.worlds.released import write_egocross_testbed, write_egoschema
from resources.worlds.slope import SlopeSpec, write_extremesportfpv
from resources.worlds.square import SquareSpec, write_cvmhat, write_tf2023
from resources.worlds.surgery import SurgerySpec, write_cholectrack20, write_egosurgery
from resources.worlds.truth import HouseholdSpec
from resources.worlds.twice import write_charades_ego, write_egome
from resources.worlds.workbench import WorkbenchSpec, write_enigma51, write_meccano

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample world in one layout.

    Attributes:
        name: What it is called: its layout, or the dataset whose files lie beside that layout's.
        spec: What it holds.
        write: Writes it under a folder: spec, folder, progress.
    """

    name: str
    spec: Any
    write: Callable[[Any, Path, Progress | None], None]

    def fingerprint(self) -> str:
        """What its files depend on."""
        return f"{self.spec} {code_version(self.write)}"


def samples(render: str = "full", ego: int = 16, exo: int = 8) -> dict[str, Sample]:
    """Sample worlds by name.

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
        Sample("egoexo4d", _flat("egoexo4d", render), write_egoexo4d),
        Sample("court", CourtSpec(render=render), write_court),  # type: ignore[arg-type]
        Sample("cholectrack20", SurgerySpec(render=render), write_cholectrack20),  # type: ignore[arg-type]
        Sample("egosurgery", SurgerySpec(render=render), write_egosurgery),  # type: ignore[arg-type]
        Sample("extremesportfpv", SlopeSpec(render=render), write_extremesportfpv),  # type: ignore[arg-type]
        Sample("egopet", AnimalSpec(render=render), write_egopet),  # type: ignore[arg-type]
        Sample("cvmhat", _square("cvmhat", render, takes=4), write_cvmhat),
        Sample("tf2023", _square("tf2023", render, takes=3), write_tf2023),
        Sample("epic_kitchens", _flat("easg", render, takes=4, seed="epic"), write_epic_kitchens),
        Sample("hd_epic", _flat("easg", render, takes=4, seed="hd"), write_hd_epic),
        Sample("ego4d", _flat("lemma", render, takes=3, seed="ego4d"), write_ego4d),
        Sample("egotaskqa", _flat("lemma", render, takes=3, seed="states"), _write_with_states),
        Sample("egome", _flat("lemma", render, takes=3, seed="egome"), write_egome),
        Sample("charades_ego", _flat("lemma", render, takes=3, seed="acted"), write_charades_ego),
        Sample("egoschema", _flat("lemma", render, takes=6, seed="asked"), write_egoschema),
        Sample("egocross_testbed", AnimalSpec(clips=4, render=render), write_egocross_testbed),  # type: ignore[arg-type]
        Sample("own", _flat("lemma", render, takes=2, seed="own"), write_own),
        Sample("enigma51", _workbench("electronics", render), write_enigma51),
        Sample("meccano", _workbench("toy", render), write_meccano),
    ]
    return {sample.name: sample for sample in found}


def _write_with_states(spec: FlatSpec, folder: Path, progress: Progress | None = None) -> None:
    write_lemma(spec, folder, progress)
    write_egotaskqa(spec, folder)


def _flat(kind: str, render: str, takes: int = 0, seed: str = "parallax") -> FlatSpec:
    return FlatSpec(kind=kind, takes=takes, seed=seed, render=render)  # type: ignore[arg-type]


def _square(kind: str, render: str, takes: int) -> SquareSpec:
    return SquareSpec(kind=kind, takes=takes, render=render)  # type: ignore[arg-type]


def _workbench(kind: str, render: str) -> WorkbenchSpec:
    return WorkbenchSpec(kind=kind, render=render)  # type: ignore[arg-type]


LAYOUTS: Final = ("egoexolearn", "lemma", "adt", "easg", "cholectrack20")
"""Sample worlds that are written where none is named; the others are written by name."""

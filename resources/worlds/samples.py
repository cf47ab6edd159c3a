"""The sample worlds by name: what `parallax sample` writes."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from resources.errors import ExpectedError
from resources.store.code_version import code_version
from resources.store.locks import FileLock
from resources.worlds.animal import AnimalSpec, write_egopet
from resources.worlds.animal.egocross_testbed import write_egocross_testbed
from resources.worlds.court import CourtSpec, write_court
from resources.worlds.court.egoexo4d import write_club
from resources.worlds.court.session_egoexo4d import write_circuit
from resources.worlds.flat import FlatSpec, adt, easg, plan_flat
from resources.worlds.flat.adt import write_adt
from resources.worlds.flat.charades_ego import write_charades_ego
from resources.worlds.flat.easg import write_easg
from resources.worlds.flat.ego4d import write_ego4d
from resources.worlds.flat.egoexo4d import write_egoexo4d
from resources.worlds.flat.egome import write_egome
from resources.worlds.flat.egoschema import write_egoschema
from resources.worlds.flat.egotaskqa import write_egotaskqa
from resources.worlds.flat.epic_kitchens import write_epic_kitchens
from resources.worlds.flat.hd_epic import write_hd_epic
from resources.worlds.flat.lemma import write_lemma
from resources.worlds.flat.own import write_own
from resources.worlds.household import egoexolearn
from resources.worlds.household.egoexolearn import write_egoexolearn
from resources.worlds.household.plan import plan, plan_kitchens
from resources.worlds.household.truth import HouseholdSpec
from resources.worlds.slope import SlopeSpec, write_extremesportfpv
from resources.worlds.square import SquareSpec, write_cvmhat, write_tf2023
from resources.worlds.surgery import (
    SurgerySpec,
    cholectrack20,
    plan_surgery,
    write_cholectrack20,
    write_egosurgery,
)
from resources.worlds.tools.slips import Slip
from resources.worlds.workbench import WorkbenchSpec, write_enigma51, write_meccano

Progress = Callable[[int, int, str], None]
_UNFINISHED = "being written"


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample world in one layout.

    Attributes:
        name: What it is called: its layout, or the dataset whose files lie beside that layout's.
        spec: What it holds.
        write: Writes it under a folder: spec, folder, progress.
        slips: Slips of annotation and recording that a world of this spec holds.
    """

    name: str
    spec: Any
    write: Callable[[Any, Path, Progress | None], None]
    slips: Callable[[Any], tuple[Slip, ...]] = lambda _: ()

    def fingerprint(self) -> str:
        """What its files depend on."""
        return f"{self.spec} {code_version(self.write)}"


def samples(render: str = "full", ego: int = 10, exo: int = 8) -> dict[str, Sample]:
    """Sample worlds by name; all of them in full take less than 122 MB and about five minutes of two cores.

    Args:
        render: `full`, `small` or `none`.
        ego: Egocentric recordings of the household in EgoExoLearn's layout.
        exo: Exocentric ones.
    """
    household: Any = HouseholdSpec(ego=ego, exo=exo, render=render, slips=True)  # type: ignore[arg-type]
    table: Any = SurgerySpec(duration_s=90, render=render, slips=True)  # type: ignore[arg-type]
    found = [
        Sample(
            "egoexolearn",
            household,
            write_egoexolearn,
            lambda s: egoexolearn.planned_slips(plan(s)),
        ),
        # A second household of which only the kitchens are drawn: more is asked about whole tasks.
        Sample("kitchens", HouseholdSpec(11, 7, "kitchens", render), _write_kitchens),  # type: ignore[arg-type]
        Sample("lemma", _flat("lemma", render, takes=5), write_lemma),
        Sample(
            "adt",
            _flat("adt", render, takes=3, slips=True),
            write_adt,
            lambda s: adt.planned_slips(plan_flat(s)),
        ),
        # Somebody who carries things about all the time: more is asked about what hands are about to do.
        Sample("errands", FlatSpec("adt", 2, "errands", render, 4, errands=12), write_adt),  # type: ignore[arg-type]
        Sample(
            "easg",
            _flat("easg", render, takes=6, slips=True),
            write_easg,
            lambda s: easg.planned_slips(plan_flat(s)),
        ),
        Sample("egoexo4d", _layout_of("egoexo4d", render, 0, "parallax"), write_egoexo4d),
        Sample("court", CourtSpec(render=render), write_court),  # type: ignore[arg-type]
        # Other levels and other orders: more is asked about who is best, and in which order things are done.
        Sample("club", CourtSpec(seed="club", render=render), write_club),  # type: ignore[arg-type]
        # Takes of one task with its keysteps, at numbered stations: chains of actions are asked about it.
        Sample("training", CourtSpec(render=render, picture_hz=2), write_circuit),  # type: ignore[arg-type]
        Sample(
            "cholectrack20",
            table,
            write_cholectrack20,
            lambda s: cholectrack20.planned_slips(plan_surgery(s)),
        ),
        # More operations in either layout: more is asked about what comes next and what is not there.
        Sample("theatre", SurgerySpec(4, 90, "theatre", render), write_cholectrack20),  # type: ignore[arg-type]
        Sample("egosurgery", SurgerySpec(duration_s=90, render=render), write_egosurgery),  # type: ignore[arg-type]
        Sample("clinic", SurgerySpec(7, 150, "clinic", render), write_egosurgery),  # type: ignore[arg-type]
        Sample("extremesportfpv", SlopeSpec(runs=6, render=render), write_extremesportfpv),  # type: ignore[arg-type]
        # More runs and more clips: each is asked about once as a whole.
        Sample("outings", SlopeSpec(15, "outings", render, actions=6), write_extremesportfpv),  # type: ignore[arg-type]
        Sample("egopet", AnimalSpec(render=render), write_egopet),  # type: ignore[arg-type]
        Sample("walks", AnimalSpec(11, "walks", render), write_egopet),  # type: ignore[arg-type]
        Sample("cvmhat", _square("cvmhat", render, takes=8), write_cvmhat),
        Sample("tf2023", _square("tf2023", render, takes=6), write_tf2023),
        Sample(
            "epic_kitchens", _layout_of("easg", render, takes=4, seed="epic"), write_epic_kitchens
        ),
        Sample("hd_epic", _layout_of("easg", render, takes=4, seed="hd"), write_hd_epic),
        Sample("ego4d", _layout_of("lemma", render, takes=3, seed="ego4d"), write_ego4d),
        Sample(
            # One task twice: what comes next is asked beside another performance of the task.
            "egotaskqa",
            _layout_of("lemma", render, takes=7, seed="states"),
            _write_with_states,
        ),
        Sample("egome", _layout_of("lemma", render, takes=4, seed="egome"), write_egome),
        Sample(
            "charades_ego", _layout_of("lemma", render, takes=2, seed="acted"), write_charades_ego
        ),
        Sample("egoschema", _layout_of("lemma", render, takes=3, seed="asked"), write_egoschema),
        Sample("egocross_testbed", AnimalSpec(clips=4, render=render), write_egocross_testbed),  # type: ignore[arg-type]
        Sample("own", _layout_of("lemma", render, takes=2, seed="own"), write_own),
        Sample("enigma51", _workbench("electronics", render, 60), write_enigma51),
        # Other repairs, of other things in other places.
        Sample("workshop", _workbench("electronics", render, 60, 5, "workshop"), write_enigma51),
        Sample("meccano", _workbench("toy", render, 24), write_meccano),
    ]
    return {sample.name: sample for sample in found}


def sample_of(name: str, write: Callable[[Path], None]) -> Sample:
    """Sample world of a layout from outside the repository, written by a function of its own.

    Args:
        name: Name of the layout.
        write: Writes the world under a folder.
    """
    return Sample(name, name, partial(_write_alone, write))


def _write_alone(
    write: Callable[[Path], None], _spec: Any, folder: Path, _progress: Progress | None
) -> None:
    write(folder)


class NoSampleError(ExpectedError, ValueError):
    """A folder holds something else than a sample world."""


def bring_up_sample(one: Sample, place: Path, force: bool, say: Callable[[str], None]) -> int:
    """Writes a sample world where it is not there already as it would be written now.

    One process at a time writes; another that wants the same world waits and finds it there.

    Args:
        one: The world.
        place: Its folder.
        force: Write it again in any case.
        say: Told of progress.

    Returns:
        Bytes of its files.

    Raises:
        NoSampleError: The folder holds files that are not a sample world.
    """
    marker, lock = place / ".sample-world", place / ".sample-world.lock"
    if not marker.exists() and _holds_other_files(place, lock):
        raise NoSampleError(f"{place} holds other files than a sample world; name another --root")
    with FileLock(lock):
        fingerprint = one.fingerprint()
        there = marker.exists() and marker.read_text(encoding="utf-8") == fingerprint and not force
        if not there:
            # Stated first: what a killed process leaves is known as a part of a sample world.
            marker.write_text(_UNFINISHED, encoding="utf-8")
            _clear(place, {marker, lock})

            def progress(done: int, total: int, what: str) -> None:
                if done == total or done % 4 == 0:
                    say(f"  sample world in {one.name} layout: {done} of {total} ({what})")

            one.write(one.spec, place, progress)
            marker.write_text(fingerprint, encoding="utf-8")
    size = sum(path.stat().st_size for path in place.rglob("*") if path.is_file())
    say(f"sample world {'is there already' if there else 'written'}: {place} ({size / 1e6:.1f} MB)")
    return size


def _holds_other_files(place: Path, lock: Path) -> bool:
    return place.exists() and any(path != lock for path in place.iterdir())


def _clear(place: Path, kept: set[Path]) -> None:
    for path in place.iterdir():
        if path in kept:
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def _write_kitchens(spec: HouseholdSpec, folder: Path, progress: Progress | None = None) -> None:
    write_egoexolearn(plan_kitchens(spec), folder, progress)


def _write_with_states(spec: FlatSpec, folder: Path, progress: Progress | None = None) -> None:
    write_lemma(spec, folder, progress)
    write_egotaskqa(spec, folder)


def _flat(
    kind: str,
    render: str,
    takes: int = 0,
    seed: str = "parallax",
    picture_hz: int = 8,
    slips: bool = False,
) -> FlatSpec:
    return FlatSpec(kind, takes, seed, render, picture_hz, slips)  # type: ignore[arg-type]


def _layout_of(kind: str, render: str, takes: int, seed: str) -> FlatSpec:
    """A flat that shows a layout: half as many pictures as where solvers read them."""
    return _flat(kind, render, takes, seed, 4)


def _square(kind: str, render: str, takes: int) -> SquareSpec:
    return SquareSpec(kind=kind, takes=takes, frames=30, render=render)  # type: ignore[arg-type]


def _workbench(
    kind: str, render: str, duration_s: int, benches: int = 3, seed: str = "parallax"
) -> WorkbenchSpec:
    repair = kind == "electronics"
    return WorkbenchSpec(kind, benches, duration_s, seed, render, repair)  # type: ignore[arg-type]


LAYOUTS: Final = ("egoexolearn", "lemma", "adt", "easg", "cholectrack20")
"""Sample worlds that are written where none is named; the others are written by name."""

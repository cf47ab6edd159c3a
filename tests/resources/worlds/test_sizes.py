"""What the sample worlds take on disk: written in pieces, the rest reckoned from their plans.

All of them written would take minutes. Pieces of some seconds are written by the writers themselves,
and the lengths that plans state give the rest.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from resources.worlds.court.plan import plan_club, plan_court
from resources.worlds.flat import plan_flat
from resources.worlds.flat.adt import write_sequence
from resources.worlds.household import egoexolearn
from resources.worlds.household.plan import plan, plan_kitchens
from resources.worlds.household.truth import World
from resources.worlds.samples import NoSampleError, Sample, bring_up_sample, samples
from resources.worlds.tools.encode import write_video

PIECE_S = 5.0
MOST_MB = 122
# Of the worlds that are drawn as pictures or in few seconds: measured, and a quarter more.
OTHERS_MB = 50.3


def _bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


@pytest.fixture(scope="module")
def known() -> dict[str, Sample]:
    return samples()


def _households(worlds: Sequence[World], folder: Path) -> float:
    """MB of all recordings, each form of recording written once."""
    total, rates = 0.0, dict[tuple[str, str], float]()
    for rec in (rec for world in worlds for rec in world.recordings):
        kind = (rec.view, rec.form)
        if kind not in rates:
            home = folder / "-".join(kind)
            for name in ("videos", "gazes_30fps_npy"):
                (home / name).mkdir(parents=True)
            egoexolearn.write_recording(replace(rec, duration_s=PIECE_S, gap_s=None), home)
            rates[kind] = _bytes(home) / PIECE_S
        total += rates[kind] * rec.duration_s
    assert len(rates) == 4
    return total / 1e6


def _sequences(spec: Any, folder: Path) -> float:
    takes = plan_flat(spec).takes
    write_sequence(replace(takes[0], duration_s=PIECE_S), folder)
    return sum(take.duration_s for take in takes) * _bytes(folder) / PIECE_S / 1e6


def _films(takes: Any, cameras: dict[str, str], fps: int, folder: Path, fine: bool) -> float:
    """MB of all videos of takes; `cameras` gives the camera whose rate one has."""
    folder.mkdir()
    rates = dict[str, float]()
    for name in sorted(set(cameras.values())):
        path, camera = folder / f"{name}.mp4", takes[0].camera(name)
        times = [n / fps for n in range(round(PIECE_S * fps))]
        size = (camera.width_px, camera.height_px)
        frames = takes[0].frames(name, times)
        write_video(path, frames, range(len(times)), fps, size, fps=fps, repeated=True, fine=fine)
        rates[name] = path.stat().st_size / PIECE_S
    streams = [(take.duration_s, cameras[name]) for take in takes for name in take.cameras]
    return sum(seconds * rates[like] for seconds, like in streams) / 1e6


def test_all_sample_worlds_together_stay_small(known: dict[str, Sample], tmp_path: Path) -> None:
    (tmp_path / "household").mkdir()
    sizes = {
        "egoexolearn": _households(
            [plan(known["egoexolearn"].spec), plan_kitchens(known["kitchens"].spec)],
            tmp_path / "household",
        ),
        "adt": _sequences(known["adt"].spec, tmp_path / "adt"),
        "errands": _sequences(known["errands"].spec, tmp_path / "errands"),
    }
    flat = plan_flat(known["lemma"].spec)
    alike = {"ego": "ego", "ego2": "ego", "master": "master"}
    sizes["lemma"] = _films(flat.takes, alike, 24, tmp_path / "lemma", fine=flat.spec.fine)
    flat = plan_flat(known["easg"].spec)
    sizes["easg"] = _films(flat.takes, {"ego": "ego"}, 30, tmp_path / "easg", fine=flat.spec.fine)
    courts = (plan_court(known["court"].spec), plan_club(known["club"].spec))
    takes = [take for court in courts for take in court.takes]
    alike = {"ego": "ego"} | {f"cam0{n}": "cam01" for n in (1, 2, 3, 4)}
    sizes["court"] = _films(takes, alike, 30, tmp_path / "court", fine=False)
    assert sum(sizes.values()) + OTHERS_MB < MOST_MB, sizes


def _write_and_die(write: Callable[..., None], files: int, *given: Any) -> None:
    """Write a world as a process does that is killed before its first file, or after its last."""
    if files:
        write(*given)
    raise KeyboardInterrupt


def test_a_world_tells_its_size_and_is_not_written_twice(tmp_path: Path) -> None:
    said: list[str] = []
    one = samples("none")["egome"]
    size = bring_up_sample(one, tmp_path / "it", False, said.append)
    assert size == _bytes(tmp_path / "it") > 0
    assert said[-1] == f"sample world written: {tmp_path / 'it'} ({size / 1e6:.1f} MB)"
    assert bring_up_sample(one, tmp_path / "it", False, said.append) == size
    assert "is there already" in said[-1]
    # A process that dies over it leaves no half of a world that counts as whole.
    for dies_after in (0, 1):
        broken = replace(one, write=partial(_write_and_die, one.write, dies_after))
        with pytest.raises(KeyboardInterrupt):
            bring_up_sample(broken, tmp_path / "it", True, said.append)
        assert bring_up_sample(one, tmp_path / "it", False, said.append) == size
        assert said[-1].startswith("sample world written")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "mine.txt").write_text("mine")
    with pytest.raises(NoSampleError, match="holds other files than a sample world"):
        bring_up_sample(one, tmp_path / "other", True, said.append)
    assert sorted(path.name for path in (tmp_path / "other").iterdir()) == ["mine.txt"]
    assert (tmp_path / "other" / "mine.txt").read_text() == "mine"


FORK = multiprocessing.get_context("fork")


def _write_alone(spec: tuple[str, ...], folder: Path, _progress: Any) -> None:
    """Writes files slowly; fails where another process writes into the folder at the same time."""
    (folder / "busy").mkdir(parents=True)
    for name in spec:
        time.sleep(0.02)
        (folder / name).write_text(name)
        if name == "dies":
            os.kill(os.getpid(), signal.SIGKILL)
    (folder / "busy").rmdir()


def _start(one: Sample, place: Path, force: bool = False) -> Any:
    process = FORK.Process(target=bring_up_sample, args=(one, place, force, lambda _: None))
    process.start()
    return process


@pytest.mark.parametrize("force", [False, True])
def test_processes_that_write_one_world_at_once_write_it_whole(force: bool, tmp_path: Path) -> None:
    one = Sample("slow", ("a", "b", "c", "d"), _write_alone)
    writers = [_start(one, tmp_path / "it", force) for _ in range(3)]
    for writer in writers:
        writer.join(30)
    assert [writer.exitcode for writer in writers] == [0, 0, 0]
    assert {p.name for p in (tmp_path / "it").glob("[!.]*")} == {"a", "b", "c", "d"}


def test_a_world_whose_writer_was_killed_is_written_by_the_next(tmp_path: Path) -> None:
    killed = _start(Sample("killed", ("a", "dies", "b"), _write_alone), tmp_path / "it")
    killed.join(30)
    assert killed.exitcode == -signal.SIGKILL
    bring_up_sample(Sample("whole", ("a", "b"), _write_alone), tmp_path / "it", False, str)
    assert {p.name for p in (tmp_path / "it").glob("[!.]*")} == {"a", "b"}

"""The simulated square: repeatable bytes, and pictures that answer what will be asked of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from scipy.io import loadmat

from resources.worlds.square import (
    Square,
    SquareSpec,
    Take,
    plan_square,
    write_cvmhat,
    write_tf2023,
)
from resources.worlds.square.draw import LEAST_SEEN, from_above, from_eyes, from_side
from resources.worlds.square.tf2023 import pairs, people_in

SMALL = {
    "cvmhat": SquareSpec("cvmhat", takes=3, frames=20, render="small"),
    "tf2023": SquareSpec("tf2023", takes=3, frames=20, render="small"),
}
WRITE = {"cvmhat": write_cvmhat, "tf2023": write_tf2023}


@pytest.fixture(scope="module")
def roots(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    made = {}
    for kind, spec in SMALL.items():
        told: list[tuple[int, int]] = []
        made[kind] = tmp_path_factory.mktemp(kind)
        WRITE[kind](spec, made[kind], lambda done, of, _, t=told: t.append((done, of)))
        assert told == [(1, 3), (2, 3), (3, 3)]
    return made


@pytest.fixture(scope="module")
def seen_from_side() -> Square:
    return plan_square(SquareSpec("tf2023", takes=3, frames=36))


def files(folder: Path) -> dict[str, bytes]:
    found = (p for p in folder.rglob("*") if p.is_file())
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in found}


def test_bytes_are_repeatable_in_any_process(roots: dict[str, Path], tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from resources.worlds.square import SquareSpec, write_cvmhat, write_tf2023\n"
        "for kind, write in (('cvmhat', write_cvmhat), ('tf2023', write_tf2023)):\n"
        "    spec = SquareSpec(kind, takes=3, frames=20, render='small')\n"
        "    write(spec, Path(sys.argv[1]) / kind)\n"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "4711"}
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True, env=environment)
    for kind, root in roots.items():
        assert files(tmp_path / kind) == files(root)


def test_files_lie_as_the_formats_say(roots: dict[str, Path]) -> None:
    names = Counter(str(Path(n).parent) for n in files(roots["cvmhat"]))
    first, second, third = (take.name for take in plan_square(SMALL["cvmhat"]).takes)
    pictures = {f"{t}_{v}": 20 for t in (first, second, third) for v in ("hor", "top")}
    assert names == {**pictures, f"{third}_top": 17, "GT_txt": 4, "GT": 4}
    cells = loadmat(roots["cvmhat"] / f"GT/{third}_hor.mat")["objs_inter"]
    assert cells.shape == (20, 2) and cells[3, 0].item() == "0004.jpg"
    assert {c.shape[1] for c in cells[:, 1] if c.size} == {5}
    home = roots["tf2023"] / "TF2023/data"
    names = Counter(str(Path(n).parent) for n in files(home))
    assert names == {
        "61/frame/T": 17, "61/frame/1": 17, "61/frame/2": 17, "61/Segmentation/T": 17,
        "62/frame/1": 20, "62/frame/2": 20, "62/Segmentation/T": 40,
        "63/frame/1": 20, "63/Segmentation/T": 20, "63/Segmentation": 20,
    }  # fmt: skip
    drawn = json.loads((home / "62/Segmentation/T/00003.json").read_text())
    with Image.open(home / "62/Segmentation/T/00003.jpg") as picture:
        assert picture.size == (drawn["imageWidth"], drawn["imageHeight"])


def test_without_pictures_the_annotations_are_the_same(tmp_path: Path) -> None:
    for kind, write in WRITE.items():
        for render in ("full", "none"):
            spec = SquareSpec(kind, takes=1, frames=20, render=render)  # type: ignore[arg-type]
            write(spec, tmp_path / kind / render)
        full, none = (files(tmp_path / kind / render) for render in ("full", "none"))
        assert none and none == {n: d for n, d in full.items() if not n.endswith(".jpg")}


def colour_in(image: Image.Image, box: tuple[float, float, float, float]) -> tuple[int, ...]:
    """The vivid colour that covers most of a box: ground, sky, houses and skin are dull."""
    left, top, right, bottom = (round(v) for v in box)
    pixels = np.asarray(image)[max(0, top) : bottom, max(0, left) : right].reshape(-1, 3) // 32
    found = Counter(map(tuple, pixels.tolist()))
    vivid = {c: n for c, n in found.items() if max(c) - min(c) >= 3}
    return max(vivid, key=lambda c: vivid[c], default=())


@pytest.mark.parametrize("index", [0, 1, 2])
def test_a_person_is_known_again_from_above(index: int) -> None:
    """By colour: the box of one view fits one box of the other, and it is the same person's."""
    spec = SquareSpec("cvmhat", takes=3)
    take = plan_square(spec).takes[index]
    right = asked = 0
    for frame in range(2, 36, 6):
        eyes, above = from_eyes(take, 0, frame, spec.size), from_above(take, frame, spec.size)
        tops = {s.number: colour_in(above.image, s.box) for s in above.seen}
        shares = {s.number: s.share for s in above.seen}
        for one in eyes.seen:
            if one.share > 0.9 and shares.get(one.number, 0) > 0.6:
                asked += 1
                fits = [n for n, c in tops.items() if c == colour_in(eyes.image, one.box)]
                right += fits == [one.number]
    assert asked >= 15 and right == asked


def clip(take: Take, frame: int) -> list[int]:
    return sorted(take.frames, key=lambda f: (abs(f - frame), f))[:8]


def test_the_wearer_is_told_by_who_is_never_seen(seen_from_side: Square) -> None:
    """Of those in a picture of T, the wearer alone does not appear in the wearer's eight pictures."""
    size, asked = seen_from_side.spec.size, 0
    for index, take in enumerate(seen_from_side.takes):
        eyes = {
            (w, f): {s.number for s in from_eyes(take, w, f, size).seen if s.share > LEAST_SEEN}
            for w in take.wearers
            for f in take.frames
        }
        for pair in pairs(seen_from_side, index)[::5]:
            people = {int(n) for n in pair.people}
            if pair.wearer in people and len(people) >= 4:
                met = set().union(*(eyes[pair.wearer, f] for f in clip(take, pair.frame)))
                assert people - met == {pair.wearer}
                asked += 1
    assert asked >= 20


def test_the_square_holds_what_the_real_data_hold(seen_from_side: Square) -> None:
    listed = [p for i in range(3) for p in pairs(seen_from_side, i)]
    lacking = [p for p in listed if str(p.wearer) not in p.people]
    assert 0.02 < len(lacking) / len(listed) < 0.4
    assert Counter(len(p.people) for p in listed).keys() >= {4, 5, 6}
    orders = {p.people for p in listed}
    assert len(orders) > len({frozenset(o) for o in orders})
    parts = Counter(
        len(picture.parts(n))
        for take in seen_from_side.takes
        for f in take.frames
        for picture in [from_side(take, f, seen_from_side.spec.size)]
        for n in people_in(picture)
    )
    assert parts[2] >= 3 and 0 not in parts

    square = plan_square(SquareSpec("cvmhat", takes=2))
    first, second = square.takes
    # Two wearers of one shot: the same people from above, with other numbers.
    assert set(first.walkers) == set(second.walkers) and first.walkers[0] != second.walkers[0]
    size = square.spec.size
    above = [from_above(take, 9, size).image.tobytes() for take in square.takes]
    assert above[0] == above[1]
    hor = [{s.number for s in from_eyes(first, 0, f, size).seen} for f in first.frames]
    top = [{s.number for s in from_above(first, f, size).seen} for f in first.frames]
    assert all(0 not in one for one in hor) and all(0 in one for one in top)
    assert len(set(map(frozenset, hor))) > 3 and len(set(map(frozenset, top))) > 1
    assert min(len(h & t) for h, t in zip(hor, top, strict=True)) >= 3


@pytest.mark.parametrize(
    "wrong",
    [{"kind": "ring"}, {"takes": 0}, {"frames": 3}, {"render": "huge"}],
    ids=["kind", "takes", "frames", "render"],
)
def test_a_spec_that_cannot_be(wrong: dict) -> None:
    with pytest.raises(ValueError, match=str(next(iter(wrong.values())))):
        SquareSpec(**{"kind": "cvmhat", **wrong})  # type: ignore[arg-type]

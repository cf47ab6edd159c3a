"""The simulated workbench: repeatable bytes, a plan that two hands can follow, pictures that show it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from itertools import combinations, pairwise
from pathlib import Path

import av
import numpy as np
import pytest

from resources.worlds.workbench import (
    Workbench,
    WorkbenchSpec,
    plan_workbench,
    write_enigma51,
    write_meccano,
)
from resources.worlds.workbench.draw import TOUCHED, Artist
from resources.worlds.workbench.plan import FIXED, MOVABLE, cell
from resources.worlds.workbench.truth import HANDS

KINDS = ("electronics", "toy")


@pytest.fixture(scope="module", params=KINDS)
def made(request: pytest.FixtureRequest) -> Workbench:
    return plan_workbench(WorkbenchSpec(kind=request.param))


def test_bytes_are_repeatable_in_any_process(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from resources.worlds.workbench import WorkbenchSpec, write_enigma51, write_meccano\n"
        "e, t = (WorkbenchSpec(kind=k, duration_s=9, benches=2, render='small')"
        " for k in ('electronics', 'toy'))\n"
        "write_enigma51(e, Path(sys.argv[1]) / 'e'); write_meccano(t, Path(sys.argv[1]) / 't')\n"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "4711"}
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "a")], check=True, env=environment)
    for kind, write, name in (("electronics", write_enigma51, "e"), ("toy", write_meccano, "t")):
        spec = WorkbenchSpec(kind=kind, duration_s=9, benches=2, render="small")  # type: ignore[arg-type]
        told: list[tuple[int, int, str]] = []
        write(spec, tmp_path / "b" / name, lambda *now, to=told: to.append(now))
        assert [(done, count) for done, count, _ in told] == [(1, 2), (2, 2)]
    first, second = (
        {
            p.relative_to(tmp_path / x): p.read_bytes()
            for p in (tmp_path / x).rglob("*")
            if p.is_file()
        }
        for x in "ab"
    )
    assert first == second and len(first) > 20
    with av.open(str(tmp_path / "b/e/videos/901.mp4")) as video:
        assert (video.streams.video[0].frames, video.streams.video[0].average_rate) == (270, 30)


def test_two_hands_never_hold_one_thing_and_never_jump(made: Workbench) -> None:
    both = 0
    for bench in made.benches:
        for a, b in combinations(bench.acts, 2):
            together = a.start_s < b.end_s and b.start_s < a.end_s
            assert not (together and (a.thing == b.thing or a.hand == b.hand))
            both += together
        for hand in HANDS:
            for first, then in pairwise(a for a in bench.acts if a.hand == hand):
                assert then.start_s - first.end_s >= 1.5, "time to go and to come"
        assert all(a.start_s * 2 == int(a.start_s * 2) for a in bench.acts)
    both_seen = [
        t
        for bench in made.benches
        for t in np.arange(0, 36, 0.5)
        if all(bench.hand_box(hand, float(t)) for hand in HANDS)
    ]
    assert both_seen, "both hands in view at once"


def test_things_never_lie_on_each_other(made: Workbench) -> None:
    for bench in made.benches:
        for t in [0.0, *(act.end_s for act in bench.acts), 36.0]:
            held = {a.thing for h in HANDS if (a := bench.touching(h, t))}
            places = [bench.place(x.name, t) for x in bench.things if x.name not in held]
            assert len(set(places)) == len(places)


def test_buttons_are_several_and_pressed_again() -> None:
    for bench in plan_workbench(WorkbenchSpec()).benches:
        for name in FIXED["electronics"][:4]:
            assert (bench.thing(name).home[0] < 0.5) == name.startswith("left_")
        pressed = Counter(a.thing for a in bench.acts if a.doing == "press")
        assert pressed["left_red_button"] >= 2
        assert sum(e.category == "take" for e in bench.events()) == sum(
            e.category == "release" for e in bench.events()
        )


def test_the_toy_is_put_together_in_its_order() -> None:
    for bench in plan_workbench(WorkbenchSpec(kind="toy")).benches:
        carried = [act for act in bench.acts if act.doing == "carry"]
        assert [act.thing for act in carried] == list(MOVABLE["toy"])
        assert [act.end for act in carried] == [cell(n, 2) for n in range(len(carried))]


def test_a_rim_shows_what_is_touched(made: Workbench) -> None:
    bench = made.benches[0]
    artist, act = Artist(bench), bench.acts[0]
    for t, touched in ((act.start_s - 0.5, False), (act.start_s + 0.5, True), (act.end_s, False)):
        picture = np.asarray(artist.picture(t))
        height, width = picture.shape[:2]
        left, top, right, bottom = bench.box(act.thing, t)
        rows, columns = (
            slice(round(low * side) - 1, round(high * side) + 2)
            for low, high, side in ((top, bottom, height), (left, right, width))
        )
        ys, xs = np.nonzero((picture[rows, columns] == TOUCHED).all(axis=2))
        assert (ys.size > 0) == touched
        if touched:
            # It goes around the thing: it is as wide and as high as its box.
            assert np.ptp(xs) + 1 == pytest.approx((right - left) * width, abs=4)
            assert np.ptp(ys) + 1 == pytest.approx((bottom - top) * height, abs=4)

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
from resources.worlds.workbench.enigma51 import annotated
from resources.worlds.workbench.plan import FIXED, MOVABLE
from resources.worlds.workbench.repair import KINDS as REPAIRED
from resources.worlds.workbench.truth import HANDS, cell

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


# -- a repair --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def repair() -> Workbench:
    return plan_workbench(WorkbenchSpec(duration_s=120, repair=True, render="small"))


def test_a_repair_holds_things_for_long_and_leaves_out_of_view_what_nobody_acts_on(
    repair: Workbench,
) -> None:
    for bench in repair.benches:
        for a, b in combinations(bench.acts, 2):
            together = a.start_s < b.end_s and b.start_s < a.end_s
            assert not (together and (a.thing == b.thing or a.hand == b.hand))
        for hand in HANDS:
            for first, then in pairwise(a for a in bench.acts if a.hand == hand):
                assert then.start_s - first.end_s >= 2, "time to go and to come"
            lengths = [a.end_s - a.start_s for a in bench.acts if a.hand == hand]
            assert max(lengths) >= 9 and min(lengths) <= 2
        for act in bench.acts:
            for t in np.arange(act.start_s, act.end_s + 0.5, 0.5):
                assert bench.thing(act.thing) in bench.in_view(float(t))
        counts = {len(bench.in_view(float(t))) for t in range(bench.duration_s)}
        assert min(counts) <= 7 and max(counts) >= 11


def test_no_two_things_of_a_repair_lie_in_one_place(repair: Workbench) -> None:
    for bench in repair.benches:
        for t in [0.0, *(act.end_s for act in bench.acts)]:
            held = {a.thing for h in HANDS if (a := bench.touching(h, t))}
            places = [bench.place(x.name, t) for x in bench.things if x.name not in held]
            assert len(set(places)) == len(places)


def test_a_repair_has_several_of_a_kind_and_of_a_class(repair: Workbench) -> None:
    assert {name for names in REPAIRED.values() for name in names} == {
        thing.name for thing in repair.benches[0].things
    }
    classes = Counter(thing.class_name for thing in repair.benches[0].things)
    assert {name for name, n in classes.items() if n > 1} == {"pliers"}
    assert max(map(len, REPAIRED.values())) == 4


def test_a_repair_is_not_annotated_everywhere(repair: Workbench) -> None:
    for bench in repair.benches:
        missed = [t for t in range(bench.duration_s) if not bench.annotated(float(t))]
        assert len(missed) == 6
        assert not {t * 30 for t in missed} & {*annotated(bench)}


def test_what_is_out_of_view_is_not_drawn(repair: Workbench) -> None:
    """The welder's tip has a colour of its own: of all pictures those that show it have it."""
    bench = repair.benches[0]
    artist, thing = Artist(bench), bench.thing("welder_probe_tip")
    seen = set()
    for t in range(0, bench.duration_s, 3):
        shown = bool((np.asarray(artist.picture(float(t))) == (60, 130, 240)).all(axis=2).any())
        assert shown == (thing in bench.in_view(float(t)))
        seen.add(shown)
    assert seen == {True, False}


def test_a_toy_is_not_repaired() -> None:
    with pytest.raises(ValueError, match="only electronics"):
        WorkbenchSpec(kind="toy", repair=True)

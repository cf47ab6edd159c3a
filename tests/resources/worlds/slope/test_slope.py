"""The simulated slope: repeatable bytes, and pictures in which what the labels say can be seen."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path

import av
import numpy as np
import pytest

from resources.worlds.slope import Slope, SlopeSpec, plan_slope, write_extremesportfpv
from resources.worlds.slope.draw import BAND_COLOUR, Artist
from resources.worlds.slope.path import Path as Track
from resources.worlds.slope.truth import DIRECTIONS, SPORTS

SPEC = SlopeSpec(runs=1, render="small")


@pytest.fixture(scope="module")
def slope() -> Slope:
    return plan_slope(SlopeSpec())


@pytest.fixture(scope="module")
def artists(slope: Slope) -> list[Artist]:
    return [Artist(run) for run in slope.runs[:4]]


def test_bytes_are_repeatable_in_any_process(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from resources.worlds.slope import SlopeSpec, write_extremesportfpv\n"
        "write_extremesportfpv(SlopeSpec(runs=1, render='small'), Path(sys.argv[1]), workers=1)\n"
    )
    other, mine = tmp_path / "other", tmp_path / "mine"
    environment = {**os.environ, "PYTHONHASHSEED": "4711"}
    subprocess.run([sys.executable, "-c", code, str(other)], check=True, env=environment)
    write_extremesportfpv(SPEC, mine, workers=1)
    files = [
        {p.relative_to(home).as_posix(): p.read_bytes() for p in home.rglob("*") if p.is_file()}
        for home in (other, mine)
    ]
    assert files[0] == files[1]
    assert set(files[0]) == {"annotations.csv", "sports.csv", "videos/skiing/VID101.mp4"}
    with av.open(str(mine / "videos/skiing/VID101.mp4")) as container:
        stream = container.streams.video[0]
        stamps = [p.pts for p in container.demux(stream) if p.pts is not None]
    run = plan_slope(SPEC).runs[0]
    assert len(stamps) == round(10 * run.duration_s)


def test_the_plan_holds_what_questions_need(slope: Slope) -> None:
    """Sequences of three, tricks, directions after something seen, and silence between labels."""
    assert Counter(run.sport for run in slope.runs if run.stored) == dict.fromkeys(SPORTS, 2)
    labels = Counter(a.label for run in slope.runs for a in run.actions)
    assert all(labels[direction] >= 4 for direction in DIRECTIONS)
    assert all(labels[trick] >= 2 for trick in ("jump", "spin", "flip", "roll"))
    pauses = 0
    for run in slope.runs:
        for one, after in pairwise(run.actions):
            assert one.end_s <= after.start_s and one.seconds >= 1.5
            assert one.label != after.label
            pauses += one.end_s < after.start_s
        assert run.actions[-1].end_s < run.duration_s
    assert pauses >= len(slope.runs)
    assert [run.stored for run in slope.runs] == [True] * 8 + [False]


def test_tracks_never_meet_themselves(slope: Slope) -> None:
    for run in slope.runs:
        assert np.abs(Track(run).heading_deg).max() < 90


def test_labels_are_what_the_track_does(slope: Slope) -> None:
    """Turns by heading, told from the track alone."""
    for run in slope.runs:
        track = Track(run)
        for action in run.actions:
            inside = np.linspace(action.start_s, action.end_s, 20)
            turned = np.interp(inside, track.t_s, track.heading_deg)
            change = turned[-1] - turned[0]
            expected = {"left": 70, "right": -70, "curveleft": 55, "curveright": -55}
            assert change == pytest.approx(expected.get(action.label, 0), abs=4)
            swing = turned.max() - turned[0]
            assert (swing > 40) == (action.label in ("left", "curveleft", "leftright"))


def seen(picture: np.ndarray, label: str) -> int:
    """Pixels in the colour of a label's band."""
    return int((picture == BAND_COLOUR[label]).all(axis=-1).sum())


def test_what_comes_next_can_be_seen_before_it_comes(artists: list[Artist]) -> None:
    """Of every action that the wearer rides into: its band lies ahead, the nearest of all."""
    looked = 0
    for artist in artists:
        actions = artist.run.actions
        for before, action in pairwise(actions):
            if before.label in ("jump", "spin", "flip", "roll") and before.end_s == action.start_s:
                continue
            picture = artist.frame(action.start_s - 0.7)
            rows = {
                label: np.nonzero((picture == colour).all(axis=-1))[0].max()
                for label, colour in BAND_COLOUR.items()
                if seen(picture, label) >= 40
            }
            assert max(rows, key=lambda label: rows[label]) == action.label
            looked += 1
    assert looked >= 20


def test_sports_look_different(artists: list[Artist]) -> None:
    """By the commonest colour below the horizon, in any picture before anything happens."""
    commonest = {
        Counter(map(tuple, artist.frame(0.2)[80:].reshape(-1, 3).tolist())).most_common(1)[0][0]
        for artist in artists
    }
    assert len(commonest) == len(SPORTS)


def test_tricks_turn_the_picture(artists: list[Artist]) -> None:
    """Halfway through a flip or a roll the sky is below, through a spin the sun is behind."""
    for artist in artists:
        sky = artist.frame(0.2)[2, 20]
        for action in artist.run.actions:
            middle = artist.frame((action.start_s + action.end_s) / 2)
            upside_down = (middle[-30:-10] == sky).all(axis=-1).mean() > 0.3
            assert upside_down == (action.label in ("flip", "roll")), action.label


@pytest.mark.parametrize("wrong", [{"runs": 0}, {"render": "huge"}], ids=["runs", "render"])
def test_a_spec_that_cannot_be(wrong: dict) -> None:
    with pytest.raises(ValueError, match=str(next(iter(wrong.values())))):
        SlopeSpec(**wrong)

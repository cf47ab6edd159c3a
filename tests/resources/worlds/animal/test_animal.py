"""The simulated animals' path: repeatable bytes, and pictures that show what the lists say."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from resources.worlds.animal import Animals, AnimalSpec, Clip, plan_animals, write_egopet
from resources.worlds.animal.draw import OBJECT_COLOUR, Artist
from resources.worlds.animal.truth import ANIMALS


@pytest.fixture(scope="module")
def world() -> Animals:
    return plan_animals(AnimalSpec())


def test_bytes_are_repeatable_in_any_process(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from resources.worlds.animal import AnimalSpec, write_egopet\n"
        "write_egopet(AnimalSpec(clips=3, render='small'), Path(sys.argv[1]), workers=1)\n"
    )
    other, mine = tmp_path / "other", tmp_path / "mine"
    environment = {**os.environ, "PYTHONHASHSEED": "4711"}
    subprocess.run([sys.executable, "-c", code, str(other)], check=True, env=environment)
    write_egopet(AnimalSpec(clips=3, render="small"), mine, workers=1)
    files = [
        {p.relative_to(home).as_posix(): p.read_bytes() for p in home.rglob("*") if p.is_file()}
        for home in (other, mine)
    ]
    assert files[0] == files[1]
    assert sum(name.endswith(".mp4") for name in files[0]) == 3
    folders = {name.split("/")[0] for name in files[0] if name.endswith(".mp4")}
    assert folders == {"training_set", "training_and_validation_test_set"}


def test_the_plan_holds_what_the_lists_hold(world: Animals) -> None:
    assert Counter(clip.animal for clip in world.clips) == dict.fromkeys(ANIMALS, 3)
    assert len({clip.stem for clip in world.clips}) == 12
    assert len({clip.sha for clip in world.clips}) == 8, "some segments are of one video"
    splits = {clip.sha: {c.split for c in world.clips if c.sha == clip.sha} for clip in world.clips}
    assert all(len(split) == 1 for split in splits.values())
    assert Counter(len(clip.interactions) for clip in world.clips) == {0: 2, 1: 2, 2: 4, 3: 3, 4: 1}
    assert any(clip.number != str(int(clip.number)) for clip in world.clips)
    over = [c for c in world.clips if c.interactions and c.interactions[-1].end_s > c.total_s]
    assert [clip.interactions[-1].end_s - clip.total_s for clip in over] == [1]
    for clip in world.clips:
        assert len({i.name for i in clip.interactions}) == len(clip.interactions)
        assert not {i.name for i in clip.interactions} & {name for name, _ in clip.passed}
        for one, after in pairwise(clip.interactions):
            assert one.end_s + 2 <= after.start_s


def near(clip: Clip, t_s: float) -> set[str]:
    """Objects that fill a good part of the picture's middle, by their colour."""
    width, height = clip.size
    picture = Artist(clip).frame(t_s)[:, width // 3 : 2 * width // 3]
    least = 0.03 * height * height
    return {
        name
        for name, colour in OBJECT_COLOUR.items()
        if (picture == colour).all(axis=-1).sum() > least
    }


def test_the_near_object_is_that_of_the_interaction(world: Animals) -> None:
    """Every half second of every clip, but for the seconds in which something comes or goes."""
    looked = 0
    for clip in world.clips:
        for t_s in np.arange(0.25, clip.duration_s, 0.5):
            edges = [edge for i in clip.interactions for edge in (i.start_s - 0.5, i.end_s + 0.5)]
            if any(abs(t_s - edge) < 0.6 for edge in edges):
                continue
            now = clip.at(t_s)
            assert near(clip, t_s) == ({now.name} if now else set())
            looked += now is not None
    assert looked > 100


def test_animals_look_different(world: Animals) -> None:
    below = [
        Counter(map(tuple, Artist(clip).frame(0.2)[88:].reshape(-1, 3).tolist())).most_common(1)[0]
        for clip in world.clips[:4]
    ]
    assert len({colour for colour, _ in below}) == 4


def test_the_camera_turns_as_its_path_does(world: Animals) -> None:
    """What stands still moves to the left as the animal turns to the right."""
    clip = next(c for c in world.clips if c.passed and c.animal == "cat")
    name = clip.passed[0][0]
    places = {}
    for t_s in np.arange(0.0, clip.duration_s, 0.25):
        picture = Artist(clip).frame(t_s)
        columns = np.nonzero((picture == OBJECT_COLOUR[name]).all(axis=-1))[1]
        if columns.size and columns.min() > 0 and columns.max() < clip.size[0] - 1:
            places[clip.yaw_deg(t_s)] = columns.mean()
    turned = sorted(places)
    assert len(turned) > 10
    assert np.corrcoef(turned, [places[yaw] for yaw in turned])[0, 1] < -0.95


@pytest.mark.parametrize("wrong", [{"clips": 0}, {"render": "huge"}], ids=["clips", "render"])
def test_a_spec_that_cannot_be(wrong: dict) -> None:
    with pytest.raises(ValueError, match=str(next(iter(wrong.values())))):
        AnimalSpec(**wrong)

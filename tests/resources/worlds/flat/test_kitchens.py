"""The flat's kitchen written as EPIC-KITCHENS-100 and HD-EPIC: equal bytes, small, true pixels."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import av
import numpy as np
import pytest

from resources.worlds.flat import FlatSpec, plan_flat
from resources.worlds.flat.epic_kitchens import VIDEOS, video_of, write_epic_kitchens
from resources.worlds.flat.hd_epic import questions, write_hd_epic
from resources.worlds.flat.visor import outline

WRITE = (
    "import sys; from pathlib import Path; from resources.worlds.flat import FlatSpec;"
    "from resources.worlds.flat.epic_kitchens import write_epic_kitchens;"
    "from resources.worlds.flat.hd_epic import write_hd_epic;"
    "[write(FlatSpec('easg', takes=2, render=sys.argv[2]), Path(sys.argv[1]) / write.__name__, workers=1)"
    " for write in (write_epic_kitchens, write_hd_epic)]"
)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Both layouts, written twice in processes that hash otherwise, the second time not drawn."""
    folder = tmp_path_factory.mktemp("kitchens")
    for seed, render in (("0", "small"), ("7", "none")):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", WRITE, str(folder / seed), render]
        subprocess.run(command, env=environment, check=True)
    return [folder / "0", folder / "7"]


def content(folder: Path) -> dict[str, str]:
    return {
        p.relative_to(folder).as_posix(): hashlib.sha256(p.read_bytes()).hexdigest()
        for p in sorted(folder.rglob("*"))
        if p.is_file()
    }


def test_equal_specs_give_equal_bytes_in_every_process(written: list[Path]) -> None:
    first = content(written[0])
    videos = {name for name in first if name.lower().endswith(".mp4")}
    assert {n: c for n, c in first.items() if n not in videos} == content(written[1])
    assert len(videos) == 4
    assert sum(p.stat().st_size for p in written[0].rglob("*") if p.is_file()) < 2_000_000


@pytest.mark.parametrize("write", [write_epic_kitchens, write_hd_epic])
def test_another_kind_of_flat_is_refused(tmp_path: Path, write) -> None:
    with pytest.raises(ValueError, match="kind="):
        write(FlatSpec("adt", takes=1), tmp_path)


def test_videos_have_the_rates_of_the_release(written: list[Path]) -> None:
    takes = plan_flat(FlatSpec("easg", takes=2, render="small")).takes
    for index, take in enumerate(takes):
        video = video_of(index)
        path = f"EPIC-KITCHENS/{video.video_id[:3]}/videos/{video.video_id}.MP4"
        with av.open(str(written[0] / "write_epic_kitchens" / path)) as container:
            stream = container.streams.video[0]
            assert float(stream.average_rate or 0) == pytest.approx(float(video.fps), rel=1e-3)
            assert float(stream.duration or 0) * float(stream.time_base or 0) == pytest.approx(
                take.duration_s, abs=0.05
            )
    # Two that the released frame numbers do not count: 59.94 and 29.97.
    assert [float(v.fps) for v in VIDEOS] == pytest.approx([59.94, 50, 29.97, 50], rel=1e-4)
    assert [v.base for v in VIDEOS] == [60, 50, 60, 50]


def test_an_outline_has_the_extremes_of_its_mask() -> None:
    mask = np.zeros((100, 100), bool)
    mask[20:40, 30:50] = True
    mask[30, 10:90] = True
    points = np.array(outline(mask, (200, 50)))
    assert points.min(0).tolist() == [20.0, 10.0]
    assert points.max(0).tolist() == [180.0, 20.0]


def test_the_outlined_pixels_are_in_the_video(written: list[Path]) -> None:
    """The colour of what is outlined is seen inside its outline, at the time its frame tells."""
    folder = written[0] / "write_epic_kitchens"
    path = folder / "VISOR/GroundTruth-SparseAnnotations/annotations/train/P01_01.json"
    take = plan_flat(FlatSpec("easg", takes=2, render="small")).takes[0]
    colours = {thing.name: thing.kind.colour for thing in take.things}
    with av.open(str(folder / "EPIC-KITCHENS/P01/videos/P01_01.MP4")) as container:
        frames = [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]
    gaps = []
    for item in json.loads(path.read_text())["video_annotations"]:
        number = int(item["image"]["name"][-14:-4])
        picture = frames[min(round((number - 1) / 60 * 60000 / 1001), len(frames) - 1)]
        for one in item["annotations"]:
            if one["name"] not in colours:
                continue
            points = np.array(one["segments"][0]) * np.array(picture.shape[1::-1]) / (1920, 1080)
            (x0, y0), (x1, y1) = points.min(0).astype(int), np.ceil(points.max(0)).astype(int)
            inside = picture[y0:y1, x0:x1].reshape(-1, 3).astype(float)
            gaps.append(np.abs(inside - colours[one["name"]]).mean(1).min())
    assert len(gaps) > 8
    assert np.median(gaps) < 40


def test_each_question_has_one_right_option() -> None:
    made = questions(plan_flat(FlatSpec("easg", takes=6, render="none")))
    rights = set()
    for held in made.values():
        for one in held.values():
            options = [str(c) for c in one["choices"]]
            assert len(set(options)) == len(options) >= 2
            assert 0 <= one["correct_idx"] < len(options)
            rights.add(one["correct_idx"])
    assert len(rights) > 3

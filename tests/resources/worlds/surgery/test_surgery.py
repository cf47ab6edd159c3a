"""The simulated operating table: repeatable bytes, and the plan that a person would draw up."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image

from resources.worlds.surgery import Surgery, SurgerySpec, plan_surgery, write_cholectrack20

SPEC = SurgerySpec(videos=2, duration_s=40, render="small")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("surgery")
    told: list[tuple[int, int, str]] = []
    write_cholectrack20(SPEC, folder, lambda *now: told.append(now), workers=1)
    assert told == [(1, 2, "VID201"), (2, 2, "VID202")]
    return folder


@pytest.fixture(scope="module")
def surgery() -> Surgery:
    return plan_surgery(SurgerySpec())


def _files(folder: Path) -> dict[str, bytes]:
    found = (p for p in folder.rglob("*") if p.is_file())
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in found}


def test_bytes_are_repeatable_in_any_process(root: Path, tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from resources.worlds.surgery import SurgerySpec, write_cholectrack20\n"
        "spec = SurgerySpec(videos=2, duration_s=40, render='small')\n"
        "write_cholectrack20(spec, Path(sys.argv[1]), workers=1)\n"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "4711"}
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True, env=environment)
    assert _files(tmp_path) == _files(root)


def test_files_lie_as_the_format_says(root: Path) -> None:
    names = set(_files(root))
    pictures = {n for n in names if n.endswith(".png")}
    assert names - pictures == {
        "Training/VID201/VID201.json",
        "Testing/VID202/VID202.json",
        "Testing/VID202/VID202.mp4",
    }
    numbers = sorted(int(n[-10:-4]) for n in pictures)
    (lost,) = plan_surgery(SPEC).videos[0].unpictured
    assert numbers == [25 * t + 1 for t in range(40) if t != lost]
    assert all(n == f"Training/VID201/Frames/{int(n[-10:-4]):06d}.png" for n in pictures)


def test_the_video_runs_at_25_frames_a_second(root: Path) -> None:
    with av.open(str(root / "Testing/VID202/VID202.mp4")) as container:
        stream = container.streams.video[0]
        stamps = sorted(
            p.pts * stream.time_base for p in container.demux(stream) if p.pts is not None
        )
    assert stamps == [pytest.approx(i / 25) for i in range(1000)]


def test_the_stated_size_is_that_of_the_pictures(root: Path) -> None:
    said = json.loads((root / "Training/VID201/VID201.json").read_text())["video"]
    with Image.open(root / "Training/VID201/Frames/000001.png") as picture:
        assert picture.size == (said["width"], said["height"])


def test_a_box_is_where_the_tools_colour_is(root: Path) -> None:
    """Of every grasper that is whole: no pixel of its colour beyond a box, and all four sides met."""
    data = json.loads((root / "Training/VID201/VID201.json").read_text())
    looked = 0
    for key, items in data["annotations"].items():
        graspers = [i["tool_bbox"] for i in items if i["instrument"] == 0]
        path = root / f"Training/VID201/Frames/{int(key):06d}.png"
        if len(graspers) != 1 or not path.exists():
            continue
        x, y, w, h = graspers[0]
        if min(x, y, 1 - x - w, 1 - y - h) < 0.01:
            continue
        image = np.asarray(Image.open(path))
        rows, columns = np.nonzero((image == (0, 220, 230)).all(axis=-1))
        height, width = image.shape[:2]
        found = (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1)
        told = (x * width, y * height, (x + w) * width, (y + h) * height)
        assert found == pytest.approx(told, abs=1.01)
        looked += 1
    assert looked >= 5


def test_the_plan_holds_what_the_real_data_hold(surgery: Surgery) -> None:
    seen = [
        (v, t, v.tools_at(t)) for v in surgery.videos for t in range(v.duration_s) if v.annotated(t)
    ]
    tools = Counter(one.instrument.tool for _, _, now in seen for one in now)
    assert len(tools) == 7 and min(tools.values()) >= 5
    assert Counter(one.instrument.operator for _, _, now in seen for one in now).keys() == {
        "MSLH", "MSRH", "ASRH",
    }  # fmt: skip
    twins = [now for _, _, now in seen if len(now) > len({one.instrument.tool for one in now})]
    assert len(twins) >= 20, "two tools of one class in different hands"
    assert all(
        len({(o.instrument.tool, o.instrument.operator) for o in now}) == len(now)
        for _, _, now in seen
    )
    assert {len(now) for _, _, now in seen} >= {1, 2, 3}
    boxes = [one for _, _, now in seen for one in now]
    assert any(o.x < 0 for o in boxes) and any(o.y + o.h > 1 for o in boxes)
    for video in surgery.videos:
        assert [p.start_s for p in video.phases[1:]] == [p.end_s for p in video.phases[:-1]]
        assert (video.phases[0].start_s, video.phases[-1].end_s) == (0.0, video.duration_s)
        assert len(video.phases) == 7 and len(video.gaps) == 1
    assert {v.split for v in surgery.videos} == {"Training", "Validation", "Testing"}
    assert [v.as_video for v in surgery.videos] == [False, False, False, True]


@pytest.mark.parametrize(
    "wrong",
    [{"videos": 0}, {"duration_s": 10}, {"render": "huge"}],
    ids=["videos", "length", "render"],
)
def test_a_spec_that_cannot_be(wrong: dict) -> None:
    with pytest.raises(ValueError, match=str(next(iter(wrong.values())))):
        SurgerySpec(**wrong)

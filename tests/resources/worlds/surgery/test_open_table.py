"""The operating table as open surgery: repeatable bytes, and boxes around what is drawn."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from resources.worlds.surgery import SurgerySpec, plan_surgery, write_egosurgery
from resources.worlds.surgery.egosurgery import SPLITS, at, sessions
from resources.worlds.surgery.open_table import GLOVE_COLOUR, HANDS, OpenArtist, hands_boxed

SPEC = SurgerySpec(videos=4, duration_s=40, render="small")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("open")
    told: list[tuple[int, int, str]] = []
    write_egosurgery(SPEC, folder, lambda *now: told.append(now))
    assert told == [(1, 4, "31_1"), (2, 4, "31_2"), (3, 4, "32_1"), (4, 4, "33_1")]
    return folder


def _files(folder: Path) -> dict[str, bytes]:
    found = (p for p in folder.rglob("*") if p.is_file())
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in found}


def test_bytes_are_repeatable_in_any_process(root: Path, tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from resources.worlds.surgery import SurgerySpec, write_egosurgery\n"
        "spec = SurgerySpec(videos=4, duration_s=40, render='small')\n"
        "write_egosurgery(spec, Path(sys.argv[1]))\n"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "4711"}
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True, env=environment)
    assert _files(tmp_path) == _files(root)


def test_files_lie_as_the_format_says(root: Path) -> None:
    names = set(_files(root))
    made = sessions(plan_surgery(SPEC))
    pictures = {
        f"{s.split}/{s.uid[:2]}/{s.uid}_{n:04d}.jpg" for s in made for n in range(1, 21)
    } - {f"{s.split}/{s.uid[:2]}/{s.uid}_{n:04d}.jpg" for s in made for n in s.lost}
    assert {n for n in names if n.endswith(".jpg")} == pictures
    assert {n for n in names if not n.endswith(".jpg")} == {
        *(f"egosurgery_phase/{s.uid}.csv" for s in made),
        *(f"egosurgery_{k}/instances_{split}.json" for k in ("tool", "hand") for split in SPLITS),
        "splits/ego_train.txt",
        "splits/ego_val.txt",
    }


def test_coco_files_have_the_quirks_of_the_release(root: Path) -> None:
    short = set()
    for split in SPLITS:
        data = json.loads((root / f"egosurgery_tool/instances_{split}.json").read_text())
        assert [image["id"] for image in data["images"]] == list(range(len(data["images"])))
        assert [one["id"] for one in data["annotations"]] == list(range(len(data["annotations"])))
        assert {image["video_id"] for image in data["images"]} == {1}
        running = [image["frame_id"] for image in data["images"]]
        assert running == list(range(1, len(running) + 1))
        for one in data["annotations"]:
            (corners,) = one["segmentation"]
            x, y, w, h = one["bbox"]
            assert (x, y) == (corners[0], corners[1])
            short |= {corners[2] - x - w, corners[5] - y - h}
            assert one["area"] == (corners[2] - x) * (corners[5] - y)
    assert short == {0, 1}


def test_boxes_are_around_the_gloves() -> None:
    """Some of every own hand shows in its box (tools lie over it), and much of most."""
    shares = []
    for session in sessions(plan_surgery(SurgerySpec(videos=2, duration_s=60))):
        artist = OpenArtist(session.video)
        for number in session.numbers:
            image = artist.frame(at(number))
            for box in hands_boxed(session.video, at(number)):
                glove = (image == GLOVE_COLOUR[box.name]).all(axis=-1)
                shares.append(glove[box.top : box.bottom, box.left : box.right].mean())
    assert len(shares) >= 40
    assert min(shares) > 0.05 and np.median(shares) > 0.5


def test_all_hands_and_empty_pictures_occur() -> None:
    made = sessions(plan_surgery(SurgerySpec()))
    hands = {b.name for s in made for n in s.looked_at("hands") for b in s.boxed("hands", n)}
    assert hands == set(HANDS)
    for session in made:
        labelled, all_of = session.phased(), session.numbers
        assert min(labelled) == 5 and len(labelled) < len(all_of) - 4
        assert set(session.looked_at("tools")) < set(labelled)

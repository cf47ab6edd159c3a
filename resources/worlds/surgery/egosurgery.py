"""Writes a simulated operating table in the raw layout of EgoSurgery (see the formats note).

Two sessions are of one video. Every session has pictures from number 1, phases from a later one
with a stretch nobody annotated, and tools and hands on some of the annotated pictures only.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from resources.worlds.surgery.open_table import (
    HANDS,
    PHASE_NAMES,
    STEP_S,
    Boxed,
    OpenArtist,
    hands_boxed,
    tools_boxed,
)
from resources.worlds.surgery.plan import plan_surgery
from resources.worlds.surgery.truth import Surgery, SurgerySpec, Video
from resources.worlds.tools.chance import unit

Progress = Callable[[int, int, str], None]

TOOLS: Final = (
    "Bipolar Forceps", "Electric Cautery", "Forceps", "Gauze", "Hook", "Mouth Gag",
    "Needle Holders", "Raspatory", "Retractor", "Scalpel", "Scissors", "Skewer",
    "Suction Cannula", "Syringe", "Tweezers",
)  # fmt: skip
SPLITS: Final = ("train", "val", "test")
LISTED: Final = {"train": (31, 33), "val": (32,)}
"""Lists beside the annotations, which put video 33 elsewhere than its folder does."""
_FIRST_VIDEO: Final = 31
_UNPHASED: Final = 4
"""Pictures at the start of a session before its phases begin."""
_ROWS_BROKEN: Final = 4
_JPEG: Final = {"quality": 55, "subsampling": 2}


@dataclass(frozen=True)
class Session:
    """A session of the table in this layout.

    Attributes:
        uid: Video and session; no number of the real dataset.
        split: Folder of its pictures.
        video: What it shows; picture n is at 2 (n - 1) s.
    """

    uid: str
    split: str
    video: Video

    @property
    def numbers(self) -> range:
        """Numbers of all pictures."""
        return range(1, self.video.duration_s // STEP_S + 1)

    @property
    def lost(self) -> frozenset[int]:
        """Pictures that were annotated and are absent."""
        return frozenset(t // STEP_S + 1 for t in self.video.unpictured)

    def phased(self) -> dict[int, str]:
        """Phase by number, where somebody annotated it."""
        return {
            n: PHASE_NAMES[self.video.phase_at(at(n))]
            for n in self.numbers
            if n > _UNPHASED and self.video.annotated(at(n))
        }

    def looked_at(self, what: str) -> list[int]:
        """Pictures on which tools or hands were boxed, ascending."""
        every = 9 if what == "tools" else 7
        return [n for n in self.phased() if n % every or n in self.lost]

    def boxed(self, what: str, number: int) -> list[Boxed]:
        """What there is to box on a picture."""
        boxes = tools_boxed if what == "tools" else hands_boxed
        return boxes(self.video, at(number))

    def name(self, number: int) -> str:
        """Name of a picture without ending."""
        return f"{self.uid}_{number:04d}"


def at(number: int) -> float:
    """Time of a picture."""
    return float((number - 1) * STEP_S)


def sessions(surgery: Surgery) -> tuple[Session, ...]:
    """Sessions of a table: the first two are of one video."""
    made = []
    for index, video in enumerate(surgery.videos):
        number = _FIRST_VIDEO + max(0, index - 1)
        session = 2 if index == 1 else 1
        split = SPLITS[(number - _FIRST_VIDEO) % 3]
        made.append(Session(f"{number}_{session}", split, video))
    return tuple(made)


def spoilt(session: Session, what: str) -> int:
    """Picture of a session on which a box of an unknown class was added."""
    return session.looked_at(what)[3]


def phase_file(session: Session) -> str:
    """Phases of a session; the first one's file ends with rows that must be refused."""
    rows = [f"{session.name(n)},{phase}" for n, phase in session.phased().items()]
    if session.uid == f"{_FIRST_VIDEO}_1":
        silent = next(n for n in session.numbers if n > _UNPHASED and n not in session.phased())
        rows += [
            f"{session.name(silent)},incision",
            f"{session.name(silent)},closure",
            f"{_FIRST_VIDEO}_2_0007,closure",
            f"{session.uid}_x,closure",
        ]
        assert len(rows) == len(session.phased()) + _ROWS_BROKEN
    return "\n".join(["Frame,Phase", *rows]) + "\n"


def coco_file(all_sessions: tuple[Session, ...], split: str, what: str) -> dict[str, object]:
    """Tools or hands of one split; ids start at 0, videos at 1, `frame_id` runs through each video."""
    names = TOOLS if what == "tools" else HANDS
    images: list[dict] = []
    annotations: list[dict] = []
    videos: dict[str, int] = {}
    running: dict[str, int] = {}
    for session in (s for s in all_sessions if s.split == split):
        folder = f"{split}/{session.uid.partition('_')[0]}"
        video_id = videos.setdefault(folder, len(videos) + 1)
        width, height = session.video.size
        for number in session.looked_at(what):
            running[folder] = running.get(folder, 0) + 1
            images.append(
                {
                    "id": len(images),
                    "width": width,
                    "height": height,
                    "file_name": f"{folder}/{session.name(number)}.jpg",
                    "license": 1,
                    "flickr_url": None,
                    "coco_url": None,
                    "date_captured": None,
                    "flickr_640_url": None,
                    "video_id": video_id,
                    "frame_id": running[folder],
                }
            )
            for box in session.boxed(what, number):
                key = (session.uid, number, what, box)
                annotations.append(
                    _annotation(annotations, images, names.index(box.name), box, key)
                )
            if number == spoilt(session, what):
                box = Boxed("", 5, 5, 20, 20)
                annotations.append(_annotation(annotations, images, 99, box, ()))
    return {
        "images": images,
        "annotations": annotations,
        "categories": [{"supercategory": "", "id": i, "name": n} for i, n in enumerate(names)],
        "info": {"year": 2026, "version": "v1", "description": "simulated operating table"},
        "licenses": [],
        "videos": [{"id": number, "name": folder} for folder, number in videos.items()],
    }


def _annotation(
    before: list[dict], images: list[dict], category: int, box: Boxed, key: tuple
) -> dict[str, object]:
    width, height = box.right - box.left, box.bottom - box.top
    corners = (
        box.left, box.top, box.right, box.top, box.right, box.bottom, box.left, box.bottom,
    )  # fmt: skip
    # Sizes were cut to whole pixels in the release.
    short = [int(unit(*key, side) < 0.7) for side in ("w", "h")]
    return {
        "id": len(before),
        "image_id": len(images) - 1,
        "category_id": category,
        "segmentation": [list(corners)],
        "area": float(width * height),
        "bbox": [box.left, box.top, width - short[0], height - short[1]],
        "iscrowd": 0,
    }


def write_egosurgery(
    spec: SurgerySpec,
    folder: Path,
    progress: Progress | None = None,
) -> None:
    """Writes a table under `folder` in the raw layout; equal specs give equal bytes.

    Args:
        spec: What to write; the truth itself is never written.
        folder: Folder to create or fill.
        progress: Called with (sessions done, sessions in all, id).
    """
    made = sessions(plan_surgery(spec))
    for name in ("egosurgery_phase", "egosurgery_tool", "egosurgery_hand", "splits"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for session in made:
        path = folder / "egosurgery_phase" / f"{session.uid}.csv"
        path.write_text(phase_file(session), encoding="utf-8")
    for split in SPLITS:
        for kind, what in (("tool", "tools"), ("hand", "hands")):
            text = json.dumps(coco_file(made, split, what))
            path = folder / f"egosurgery_{kind}" / f"instances_{split}.json"
            path.write_text(text, encoding="utf-8")
    for split, videos in LISTED.items():
        path = folder / "splits" / f"ego_{split}.txt"
        path.write_text("".join(f"{video}\n" for video in videos), encoding="utf-8")
    for done, session in enumerate(made if spec.render != "none" else (), 1):
        _draw(session, folder)
        if progress is not None:
            progress(done, len(made), session.uid)


def _draw(session: Session, folder: Path) -> None:
    home = folder / session.split / session.uid.partition("_")[0]
    home.mkdir(parents=True, exist_ok=True)
    artist = OpenArtist(session.video)
    for number in session.numbers:
        if number not in session.lost:
            path = home / f"{session.name(number)}.jpg"
            artist.picture(at(number)).save(path, "JPEG", **_JPEG)

"""Writes a simulated operating table in the raw layout of CholecTrack20 (see the formats note)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from resources.worlds.surgery.draw import Artist
from resources.worlds.surgery.plan import plan_surgery
from resources.worlds.surgery.truth import (
    OPERATORS,
    PHASES,
    TOOLS,
    Seen,
    Surgery,
    SurgerySpec,
    Video,
)
from resources.worlds.tools.encode import write_video
from resources.worlds.tools.side_by_side import each
from resources.worlds.tools.slips import Slip

Progress = Callable[[int, int, str], None]

FPS = 25
DRAWN_PER_S = 5
"""Different pictures in a second of video; each stands for five frames."""
VERBS = (
    "grasp", "retract", "dissect", "coagulate", "clip", "cut", "aspirate", "irrigate", "pack",
)  # fmt: skip
TARGETS = (
    "gallbladder", "cystic_plate", "cystic_duct", "cystic_artery", "cystic_pedicle",
    "blood_vessel", "fluid", "abdominal_wall_cavity", "liver", "adhesion", "omentum",
    "peritoneum", "gut", "specimen_bag",
)  # fmt: skip
# Seconds of the video that its recorder lost, from here up to there.
_LOST_S = (12.3, 14.8)
_OPERATOR_NAMES = {
    "MSLH": "main-surgeon-left-hand (MSLH)",
    "MSRH": "main-surgeon-right-hand (MSRH)",
    "ASRH": "assistant-surgeon-right-hand (ASRH)",
}


def planned_slips(surgery: Surgery) -> tuple[Slip, ...]:
    """What went wrong with a table's recordings."""
    if not surgery.spec.slips:
        return ()
    (video,) = (v for v in surgery.videos if v.as_video)
    return (
        Slip(
            "lost frames",
            video.video_id,
            "The recorder lost two and a half seconds, which annotators saw in another copy.",
            gates=("seen_by_sampling",),
            span_s=_LOST_S,
        ),
    )


def frame_number(t_s: float) -> int:
    """Number of the frame at a time: from 1, 25 a second."""
    return round(t_s * FPS) + 1


def _annotation(video: Video, t_s: float, one: Seen) -> dict[str, object]:
    made = one.instrument
    return {
        "instrument": TOOLS.index(made.tool),
        "verb": -1 if made.verb is None else VERBS.index(made.verb),
        "target": -1 if made.target is None else TARGETS.index(made.target),
        "triplet": -1,
        "phase": PHASES.index(video.phase_at(t_s)),
        "tool_bbox": [round(v, 6) for v in (one.x, one.y, one.w, one.h)],
        "area": round(one.w * one.h, 6),
        "score": 1.0,
        "iscrowd": 0,
        "operator": OPERATORS.index(made.operator) + 1,
        "intraoperative_track": made.intraoperative,
        "intracorporeal_track": made.intracorporeal,
        "visibility_track": made.intracorporeal,
        "visibility": 1,
        "visible": 1,
        "crowded": int(len(video.tools_at(t_s)) > 2),
        "occluded": 0,
        "bleeding": 0,
        "smoke": int(video.smoky(t_s)),
        "blurred": 0,
        "undercoverage": int(min(one.x, one.y, 1 - one.x - one.w, 1 - one.y - one.h) < 0),
        "reflection": 0,
        "stainedlens": 0,
    }


def annotation_file(video: Video) -> dict[str, object]:
    """The annotation file of one operation; size and box shares are those of its pictures."""
    width, height = video.size
    seconds = [t for t in range(video.duration_s) if video.annotated(t)]
    return {
        "info": {"description": "simulated operating table", "version": "1.0"},
        "video": {
            "name": video.video_id,
            "split": video.split.lower(),
            "height": height,
            "width": width,
            "num_frames": video.duration_s,
        },
        "categories": {
            "tools": _listed(TOOLS),
            "operators": [
                {"id": i, "name": _OPERATOR_NAMES[name]} for i, name in enumerate(OPERATORS, 1)
            ],
            "phases": _listed(PHASES),
            "verbs": _listed(VERBS),
            "targets": _listed(TARGETS),
        },
        "annotations": {
            str(frame_number(t)): [_annotation(video, t, one) for one in video.tools_at(t)]
            for t in seconds
        },
    }


def _listed(names: tuple[str, ...]) -> list[dict[str, object]]:
    return [{"id": i, "name": name} for i, name in enumerate(names)]


def write_operation(video: Video, root: Path, draw: bool, slips: bool = False) -> str:
    """Writes one operation; returns its id. With slips its video lacks some frames."""
    folder = root / video.split / video.video_id
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(annotation_file(video))
    (folder / f"{video.video_id}.json").write_text(text, encoding="utf-8")
    if not draw:
        return video.video_id
    artist = Artist(video)
    if video.as_video:
        lost = _LOST_S if slips else (0.0, 0.0)
        kept = [n for n in range(video.duration_s * FPS) if not lost[0] <= n / FPS < lost[1]]
        write_video(
            folder / f"{video.video_id}.mp4",
            _held(artist, kept),
            kept,
            FPS,
            video.size,
            fps=FPS,
            repeated=True,
        )
        return video.video_id
    (folder / "Frames").mkdir(exist_ok=True)
    for t in range(video.duration_s):
        if t not in video.unpictured:
            path = folder / "Frames" / f"{frame_number(t):06d}.png"
            artist.picture(t).save(path, "PNG", compress_level=9)
    return video.video_id


def _held(artist: Artist, numbers: Sequence[int]) -> Iterator[np.ndarray]:
    """Frames of the video; a picture is drawn every fifth."""
    step = FPS // DRAWN_PER_S
    shown, drawn = 0, artist.frame(0.0)
    for at in numbers:
        if at // step != shown:
            shown = at // step
            drawn = artist.frame(shown * step / FPS)
        yield drawn


def write_cholectrack20(
    spec: SurgerySpec,
    folder: Path,
    progress: Progress | None = None,
    workers: int = 2,
) -> None:
    """Writes a table in this layout (see `side_by_side.Writer`)."""
    videos, draw = plan_surgery(spec).videos, spec.render != "none"
    jobs = [(video, folder, draw, spec.slips) for video in videos]
    each(write_operation, jobs, progress, workers if draw else 1)

"""Writes a simulated workbench in the raw layout of ENIGMA-51 (see the formats note).

The first bench is in no file of points (of a split that is not released), the last lies as frames.
The form of the master file is the one that the adapter assumes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

from resources.worlds.tools.chance import unit
from resources.worlds.tools.encode import write_video
from resources.worlds.workbench.draw import Artist, outline
from resources.worlds.workbench.plan import plan_workbench
from resources.worlds.workbench.truth import HANDS, Bench, Box, Event, WorkbenchSpec

Progress = Callable[[int, int, str], None]

FPS: Final = 30
SIZE_PX: Final = (2272, 1278)
"""Pixels in which boxes and outlines are counted, whatever the size of the pictures."""
FILES: Final = {
    "ht_hr_fc_hd": ("take", "release", "first_contact", "decontact"),
    "ht_hr": ("take", "release"),
    "fc_hd": ("first_contact", "decontact"),
}
ASKED: Final = 4
"""Questions of each bench that has points."""
REFUSED: Final = {
    ("segments", "unreadable_row"): 6,
    ("segments", "event_twice"): 1,
    ("boxes", "unreadable_row"): 4,
    ("imported_questions", "unreadable_row"): 1,
}
"""What is wrong in the files, as table and rule: in a file of points a category, a time and a frame
that are none, in the master file an object and a hand that are none, and a key (told for segments
and for boxes); an outline of two points and one of a hand without a side, a hand in the middle."""
_DRAWN_PER_S: Final = 10
_FIRST: Final = 901
_PICTURED: Final = 15
_JPEG: Final = {"quality": 55, "subsampling": 2}


def uid(bench: Bench) -> str:
    """Id of a video: no number of the real dataset."""
    return str(_FIRST + bench.index)


def frame_of(t_s: float) -> int:
    """Number of the frame at a time: from 0."""
    return round(t_s * FPS)


def has_points(bench: Bench) -> bool:
    """Whether the files of points name the bench."""
    return bench.index > 0


def annotated(bench: Bench) -> list[int]:
    """Frames of the master file: every second, and every event, but none that nobody annotated."""
    events = {frame_of(e.t_s) for e in bench.events()}
    every = sorted({t * FPS for t in range(bench.duration_s)} | events)
    return [frame for frame in every if bench.annotated(frame / FPS)]


def outlined(bench: Bench) -> list[int]:
    """Frames with outlines: in between."""
    every = [t * FPS + 10 for t in range(0, bench.duration_s, 5)]
    return [frame for frame in every if bench.annotated(frame / FPS)]


def points_file(benches: Iterable[Bench], kinds: tuple[str, ...]) -> str:
    """A file of points; times are cut to milliseconds."""
    lines = ["video_id,frame,timestamp,interaction_category"]
    for bench in benches:
        for event in bench.events():
            if event.category in kinds:
                lines.append(_point(bench, event))
    if len(kinds) == len(FILES["ht_hr_fc_hd"]):
        video = lines[-1].partition(",")[0]
        # A category that is none, a time of another frame, a frame that is none, a row twice.
        lines += [f"{video},30,1.000,touch", f"{video},60,2.500,take", f"{video},x,1.000,take"]
        lines.append(lines[1])
    return "\n".join(lines) + "\n"


def _point(bench: Bench, event: Event) -> str:
    frame = frame_of(event.t_s)
    milliseconds = frame * 1000 // FPS
    stamp = f"{milliseconds // 1000}.{milliseconds % 1000:03d}"
    return f"{uid(bench)},{frame},{stamp},{event.category}"


def master_file(benches: Iterable[Bench]) -> dict[str, Any]:
    """The master file, as it is assumed to be, with what is wrong in it at its end."""
    made: dict[str, Any] = {}
    for bench in benches:
        for frame in annotated(bench):
            made[f"{uid(bench)}_{frame}"] = _member(bench, frame)
    last = made[list(made)[-1]]
    last["interactions"].append({"category": "take", "hand_side": "left", "object_id": 99})
    last["interactions"].append({"category": "hold", "hand_side": "left"})
    last["hands"].append({"hand_side": "middle", "bbox": [0, 0, 10, 10]})
    made["bench_12"] = {"interactions": [], "objects": [], "hands": []}
    return made


def _member(bench: Bench, frame: int) -> dict[str, Any]:
    t_s = frame / FPS
    ids = {one.name: number for number, one in enumerate(bench.things, 1)}
    touched = {act.thing for hand in HANDS if (act := bench.touching(hand, t_s))}
    hands = [(hand, bench.hand_box(hand, t_s)) for hand in HANDS]
    return {
        "timestamp": (frame * 1000 // FPS) / 1000,
        "interactions": [
            {
                "category": event.category,
                "hand_side": event.hand,
                "object_id": ids[event.thing],
            }
            for event in bench.events()
            if frame_of(event.t_s) == frame
        ],
        "objects": [
            {
                "id": ids[one.name],
                "class_id": one.class_id,
                "class_name": one.class_name,
                "bbox": _pixels(bench.box(one.name, t_s)),
                "state": "active" if one.name in touched else "passive",
            }
            for one in bench.in_view(t_s)
        ],
        "hands": [{"hand_side": h, "bbox": _pixels(box)} for h, box in hands if box is not None],
    }


def _pixels(box: Box) -> list[float]:
    left, top, right, bottom = (v * side for v, side in zip(box, SIZE_PX * 2, strict=True))
    return [round(v, 2) for v in (left, top, right - left, bottom - top)]


def masks_file(benches: Iterable[Bench]) -> dict[str, Any]:
    """Outlines of things and hands, the last frame's with what is wrong in them."""
    made: dict[str, Any] = {}
    for bench in benches:
        for frame in outlined(bench):
            t_s = frame / FPS
            hands = [(hand, bench.hand_box(hand, t_s)) for hand in HANDS]
            made[f"{uid(bench)}_{frame}"] = {
                "objects": [
                    {
                        "class_id": one.class_id,
                        "segmentation": [
                            _points(outline(one.class_name, bench.box(one.name, t_s)))
                        ],
                    }
                    for one in bench.in_view(t_s)
                ],
                "hands": [
                    {"hand_side": hand, "segmentation": [_points(outline("", box))]}
                    for hand, box in hands
                    if box is not None
                ],
            }
    last = made[list(made)[-1]]
    last["objects"].append({"class_id": 1, "segmentation": [[1, 1, 2, 2]]})
    last["hands"].append({"hand_side": "", "segmentation": [[0, 0, 9, 0, 9, 9]]})
    return made


def _points(corners: Iterable[tuple[float, float]]) -> list[float]:
    return [round(v * side, 2) for at in corners for v, side in zip(at, SIZE_PX, strict=True)]


def questions_file(benches: Iterable[Bench]) -> dict[str, Any]:
    """Questions by column; the last has a sixth of five options as its answer."""
    rows = [row for bench in benches for row in _questions(bench)]
    if not rows:
        raise ValueError("a bench so short leaves nothing to ask about")
    rows.append({**rows[-1], "id": f"{rows[-1]['id']}_broken", "correct": 6})
    return {name: {str(at): row[name] for at, row in enumerate(rows)} for name in rows[0]}


def _questions(bench: Bench) -> list[dict[str, Any]]:
    """What the wearer used right after a thing."""
    made = []
    for at, (first, then) in enumerate(zip(bench.acts, bench.acts[1:], strict=False)):
        # Options are classes: of several things of one, only the first has its name.
        shown = bench.in_view(frame_of(first.start_s) / FPS)
        single = [t.name for t in shown if t.among is None]
        names = [name for name in single if name not in (first.thing, then.thing)]
        others = sorted(names, key=lambda n: unit(uid(bench), "option", at, n))[:4]
        if first.thing == then.thing or len(made) == ASKED:
            continue
        if len(others) < 4 or not {first.thing, then.thing} <= set(single):
            continue
        options = sorted([then.thing, *others], key=lambda n: unit(uid(bench), "order", at, n))
        made.append(
            {
                "id": f"Q5_{uid(bench)}{at:03d}",
                "video_id": uid(bench),
                "question": "What did I use with [VQ]?",
                "question_image": _shown(bench, first.thing, frame_of(first.start_s) + 7),
                "answers": {
                    str(n): _shown(bench, name, frame_of(first.start_s) + 7)
                    for n, name in enumerate(options, 1)
                },
                "correct": options.index(then.thing) + 1,
            }
        )
    return made


def _shown(bench: Bench, name: str, frame: int) -> dict[str, Any]:
    return {name: [[frame, [round(v, 6) for v in bench.box(name, frame / FPS)]]]}


def write_enigma51(spec: WorkbenchSpec, folder: Path, progress: Progress | None = None) -> None:
    """Writes a workbench under `folder` in the raw layout; equal specs give equal bytes.

    Args:
        spec: What to write; the truth itself is never written.
        folder: Folder to create or fill.
        progress: Called with (benches done, benches in all, id).
    """
    benches = plan_workbench(spec).benches
    tested = [bench for bench in benches if has_points(bench)]
    for name, kinds in FILES.items():
        _text(folder / f"UAD/mp_mAP/test_csv/{name}.csv", points_file(tested, kinds))
    documents = {
        "annotations/ENIGMA-51_annotations_master.json": master_file(benches),
        "annotations/exported_SAMHQ_ENIGMA.json": masks_file(benches),
        "Experiments/Q5_ENIGMA_TEST.json": questions_file(tested),
    }
    for name, document in documents.items():
        _text(folder / name, json.dumps(document))
    for done, bench in enumerate(benches if spec.render != "none" else (), 1):
        _draw(bench, folder, as_frames=done == len(benches))
        if progress is not None:
            progress(done, len(benches), uid(bench))


def _text(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")


def _draw(bench: Bench, folder: Path, *, as_frames: bool) -> None:
    artist = Artist(bench)
    home = folder / ("frames" if as_frames else "videos")
    home.mkdir(parents=True, exist_ok=True)
    count = bench.duration_s * FPS
    if as_frames:
        for frame in sorted({*range(0, count, _PICTURED), *annotated(bench)}):
            path = home / f"{uid(bench)}_{frame}.jpg"
            artist.picture(frame / FPS).save(path, "JPEG", **_JPEG)
        return
    write_video(
        home / f"{uid(bench)}.mp4",
        artist.frames(count, FPS, _DRAWN_PER_S),
        range(count),
        FPS,
        bench.size,
        fps=FPS,
        repeated=True,
    )

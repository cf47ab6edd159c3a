"""Writes a simulated workbench in the raw layout of MECCANO (see the formats note).

One bench for each split. The actions of `val` have no header, those of `test` have lost the zeros of
their videos; the last bench lies as pictures. Zips were unpacked into folders of their own name.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from resources.worlds.tools.chance import between
from resources.worlds.tools.encode import write_video
from resources.worlds.workbench.draw import Artist
from resources.worlds.workbench.plan import FIXED, MOVABLE, plan_workbench
from resources.worlds.workbench.truth import HANDS, Act, Bench, Box, Point, WorkbenchSpec

Progress = Callable[[int, int, str], None]

FPS: Final = 12
GAZE_HZ: Final = 200
SIZE_PX: Final = (1920, 1080)
SPLITS: Final = ("train", "val", "test")
VERBS: Final = ("check", "tighten", "take", "put")
CLASSES: Final = (*FIXED["toy"], *MOVABLE["toy"])
SIDES: Final = {"left": "SX_Hand", "right": "DX_Hand"}
REFUSED: Final = {
    ("segments", "unreadable_row"): 3,
    ("boxes", "unreadable_row"): 3,
    ("gaze_samples", "unreadable_row"): 1,
}
"""What is wrong in the files, as table and rule: of actions an end before the start, a frame that is
none and a row without one; a box of a class and one of a picture that are not listed, a hand of no
side; a sample of gaze with a word as its place."""
_FIRST: Final = 21
_PRESSED: Final = {"bolt": "tighten", "instruction_booklet": "check"}
_GRASP_S: Final = 0.5
_BEFORE_S: Final = 0.5
_JPEG: Final = {"quality": 40, "subsampling": 2}
Step = tuple[str, str, float, float]


def uid(bench: Bench) -> str:
    """Id of a video: no number of the real dataset."""
    return f"{_FIRST + bench.index:04d}"


def split_of(bench: Bench) -> str:
    """Split it is released in."""
    return SPLITS[bench.index % 3]


def frame_of(t_s: float) -> int:
    """Number of the frame at a time: from 1."""
    return round(t_s * FPS) + 1


def steps(bench: Bench) -> list[Step]:
    """Verb, object, start and end of what is done: a part is taken, and put at the end."""
    made: list[Step] = []
    for act in bench.acts:
        if act.doing == "press":
            made.append((_PRESSED[act.thing], act.thing, act.start_s, act.end_s))
        else:
            made.append(("take", act.thing, act.start_s, act.start_s + _GRASP_S))
            made.append(("put", act.thing, act.end_s - _GRASP_S, act.end_s))
    return sorted(made, key=lambda s: (s[2], s[1]))


def action_names() -> list[str]:
    """All actions by number."""
    verbs = {name: [verb] for name, verb in _PRESSED.items()}
    return [f"{v}_{name}" for name in CLASSES for v in verbs.get(name, ["take", "put"])]


def boxed(bench: Bench) -> list[tuple[int, list[Act]]]:
    """Frames in which active objects are boxed, four a second while there are any."""
    every = range(1, bench.duration_s * FPS + 1, 3)
    found = [(n, _active(bench, n)) for n in every]
    return [(n, acts) for n, acts in found if acts]


def boxed_next(bench: Bench) -> list[tuple[int, list[Act]]]:
    """Frames in which the next active object is boxed: half a second before it is touched."""
    return [(frame_of(act.start_s - _BEFORE_S), [act]) for act in bench.acts]


def _active(bench: Bench, frame: int) -> list[Act]:
    touching = (bench.touching(hand, (frame - 1) / FPS) for hand in HANDS)
    return [act for act in touching if act is not None]


def handled(bench: Bench) -> list[int]:
    """Frames in which hands are boxed: two a second."""
    return list(range(1, bench.duration_s * FPS + 1, 6))


# -- files -----------------------------------------------------------------------------------------


def actions_file(benches: Iterable[Bench], what: str) -> str:
    """Actions or verbs of one split's benches."""
    lines: list[list[object]] = []
    names: list[str] = action_names() if what == "action" else [*VERBS]
    split = "train"
    for bench in benches:
        split = split_of(bench)
        video = str(int(uid(bench))) if split == "test" else uid(bench)
        for verb, thing, start_s, end_s in steps(bench):
            name = f"{verb}_{thing}" if what == "action" else verb
            # The last frame is the one before the end.
            first, last = frame_of(start_s), frame_of(end_s) - 1
            lines.append([video, names.index(name), name, f"{first:05d}.jpg", f"{last:05d}.jpg"])
    if split == "train" and what == "action" and lines:
        video, number, name = lines[0][:3]
        lines += [
            [video, number, name, "00020.jpg", "00010.jpg"],
            [video, number, name, "frame", "00010.jpg"],
            [video, number, name, "", ""],
        ]
    header = ["video_id", f"{what}_id", f"{what}_name", "start_frame", "end_frame"]
    return _csv(lines if split == "val" and what == "action" else [header, *lines])


def coco_file(benches: Iterable[Bench], *, ahead: bool) -> dict[str, Any]:
    """Active objects of one split's benches, or those that will be (`ahead`)."""
    images: list[dict] = []
    made: list[dict] = []
    split = "train"
    for bench in benches:
        split = split_of(bench)
        for frame, acts in boxed_next(bench) if ahead else boxed(bench):
            name = f"{int(uid(bench)):02d}_{frame:05d}.jpg"
            known = next((i for i in images if i["file_name"] == name), None)
            image = known or {
                "id": len(images), "file_name": name, "width": SIZE_PX[0], "height": SIZE_PX[1],
            }  # fmt: skip
            if known is None:
                images.append(image)
            for act in acts:
                box = _pixels(bench.box(act.thing, (frame - 1) / FPS))
                made.append(_annotation(len(made), image["id"], CLASSES.index(act.thing) + 1, box))
    if split == "train" and not ahead:
        made.append(_annotation(len(made), images[0]["id"], 99, [1.0, 1.0, 9.0, 9.0]))
        made.append(_annotation(len(made), len(images) + 7, 1, [1.0, 1.0, 9.0, 9.0]))
    categories = [
        {"id": n, "name": name, "supercategory": "object"} for n, name in enumerate(CLASSES, 1)
    ]
    return {"info": {}, "images": images, "annotations": made, "categories": categories}


def _annotation(key: int, image: int, category: int, box: list[float]) -> dict[str, Any]:
    return {
        "id": key, "image_id": image, "category_id": category, "bbox": box,
        "area": round(box[2] * box[3], 2), "iscrowd": 0,
    }  # fmt: skip


def hands_file(bench: Bench) -> str:
    """Hands of a bench, as VGG's annotator exports them; the last frame of `val` has one of no side."""
    rows: list[list[object]] = [
        [
            "filename", "file_size", "file_attributes", "region_count", "region_id",
            "region_shape_attributes", "region_attributes",
        ]
    ]  # fmt: skip
    for frame in handled(bench):
        seen = [(h, bench.hand_box(h, (frame - 1) / FPS)) for h in HANDS]
        boxes = [(SIDES[h], _pixels(box)) for h, box in seen if box is not None]
        if split_of(bench) == "val" and frame == handled(bench)[-1]:
            boxes.append(("Hand", [5.0, 5.0, 10.0, 10.0]))
        name = f"{frame:05d}.jpg"
        if not boxes:
            rows.append([name, 1, "{}", 0, 0, "{}", "{}"])
        for at, (side, (x, y, w, h)) in enumerate(boxes):
            shape = {"name": "rect", "x": x, "y": y, "width": w, "height": h}
            cells = json.dumps(shape), json.dumps({"class": side})
            rows.append([name, 1, "{}", len(boxes), at, *cells])
    return _csv(rows)


def gaze_at(bench: Bench, sample: int) -> Point:
    """Where the wearer looks, as a share of the picture: at what is touched, or will be next.

    Every 97th sample lies outside the picture.
    """
    t_s = sample / GAZE_HZ
    act = next((a for a in bench.acts if a.end_s > t_s), None)
    x, y = (0.5, 0.5) if act is None else bench.place(act.thing, t_s)
    if sample % 97 == 96:
        return -0.05, y
    off = [between(-0.01, 0.01, uid(bench), "gaze", sample // 20, axis) for axis in "xy"]
    return x + off[0], y + off[1]


def gaze_file(bench: Bench) -> str:
    """Gaze of a bench: the name of the frame stands in each of its samples."""
    rows: list[list[object]] = [["frame", "timestamp", "x", "y"]]
    for sample in range(bench.duration_s * GAZE_HZ):
        x, y = gaze_at(bench, sample)
        name = f"{sample * FPS // GAZE_HZ + 1:05d}.jpg"
        rows.append([name, sample * 5, round(x * SIZE_PX[0], 1), round(y * SIZE_PX[1], 1)])
    if split_of(bench) == "train":
        rows[5][2] = "left"
    return _csv(rows)


def _pixels(box: Box) -> list[float]:
    left, top, right, bottom = (v * side for v, side in zip(box, SIZE_PX * 2, strict=True))
    return [round(v, 2) for v in (left, top, right - left, bottom - top)]


def _csv(rows: Iterable[Iterable[object]]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _files(benches: tuple[Bench, ...]) -> Iterator[tuple[str, str]]:
    """Paths and texts of all annotations."""
    boxes, verbs = "bounding_box_annotations", "MECCANO_verb_temporal_annotations"
    for split in SPLITS:
        mine = [bench for bench in benches if split_of(bench) == split]
        if not mine:
            continue
        yield (
            f"MECCANO_action_annotations/MECCANO_{split}_actions.csv",
            actions_file(mine, "action"),
        )
        yield f"{verbs}/MECCANO_verb_annotations_{split}.csv", actions_file(mine, "verb")
        for kind, ahead in (("active_object", False), ("NAO", True)):
            zipped = f"MECCANO_{kind}_{boxes}"
            # The one zip was unpacked into a folder of its name, the other not.
            home = f"{zipped}/{zipped}" if ahead else zipped
            text = json.dumps(coco_file(mine, ahead=ahead))
            yield f"{home}/instances_meccano_{split}.json", text
        for bench in mine:
            zipped = f"MECCANO_hands_{boxes}"
            yield f"{zipped}/{zipped}/{split.title()}/{uid(bench)}.csv", hands_file(bench)
            zipped = "MECCANO_Gaze_data"
            yield f"{zipped}/{zipped}/{split.title()}/{uid(bench)}_gaze-data.csv", gaze_file(bench)


def write_meccano(spec: WorkbenchSpec, folder: Path, progress: Progress | None = None) -> None:
    """Writes a workbench under `folder` in the raw layout; equal specs give equal bytes.

    Args:
        spec: What to write; the truth itself is never written.
        folder: Folder to create or fill.
        progress: Called with (benches done, benches in all, id).
    """
    benches = plan_workbench(spec).benches
    for name, text in _files(benches):
        path = folder / "annotations" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    for done, bench in enumerate(benches if spec.render != "none" else (), 1):
        _draw(bench, folder, as_frames=done == len(benches))
        if progress is not None:
            progress(done, len(benches), uid(bench))


def _draw(bench: Bench, folder: Path, *, as_frames: bool) -> None:
    artist, count = Artist(bench), bench.duration_s * FPS
    zipped = "MECCANO_RGB_Videos"
    home = folder / (f"MECCANO_RGB_frames/{uid(bench)}" if as_frames else f"{zipped}/{zipped}")
    home.mkdir(parents=True, exist_ok=True)
    if as_frames:
        for frame in range(1, count + 1):
            path = home / f"{frame:05d}.jpg"
            artist.picture((frame - 1) / FPS).save(path, "JPEG", **_JPEG)
        return
    frames = artist.frames(count, FPS, FPS)
    write_video(home / f"{uid(bench)}.mp4", frames, range(count), FPS, bench.size, fps=FPS)

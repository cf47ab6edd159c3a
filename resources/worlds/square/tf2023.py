"""Writes a simulated square in the raw layout of TF2023 (see the formats note).

Scenes keep the pictures of the camera T in different places, and the last one lacks the pictures of
a wearer. Items and outlines that a reader must refuse are among the others, and `refused_tf2023`
tells them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from resources.worlds.square.draw import LEAST_SEEN, Picture, from_eyes, from_side
from resources.worlds.square.plan import plan_square
from resources.worlds.square.truth import Square, SquareSpec, Take
from resources.worlds.tools.chance import unit

Progress = Callable[[int, int, str], None]
Refused = tuple[str, str, str | None, str]
"""Table, file, row and rule."""

PLACES: Final = ("frame/T", "Segmentation/T", "Segmentation")
TRAIN, EVAL = "TF2023train.json", "TF2023eval.json"
_LISTED: Final = 0.85
"""Share of pairs that the lists name."""
_CUT, _DOG, _THIN = 5, 6, 7
"""Pictures of the first scene whose outlines are bad: a file cut off, a dog, a line."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A listed pair: what an item of a list says."""

    scene: str
    frame: int
    wearer: int
    people: str

    def item(self) -> list[str]:
        """As the list has it."""
        return [self.scene, f"{self.frame:05d}.jpg", "T", str(self.wearer), self.people]


def is_eval(index: int) -> bool:
    """Whether a scene, counted from 0, is in the second list."""
    return index % 3 == 2


def people_in(shown: Picture) -> tuple[int, ...]:
    """Who is named in a picture, from left to right."""
    seen = [s for s in shown.seen if s.share >= LEAST_SEEN and shown.parts(s.number)]
    return tuple(s.number for s in sorted(seen, key=lambda s: s.box[0] + s.box[2]))


@cache
def pairs(square: Square, index: int) -> tuple[Pair, ...]:
    """Pairs of a scene that its list names, by wearer and picture."""
    take = square.takes[index]
    said = {
        frame: "".join(map(str, people_in(from_side(take, frame, square.spec.size))))
        for frame in take.frames
    }
    return tuple(
        Pair(take.name, frame, wearer, said[frame])
        for wearer in take.wearers
        for frame in take.frames
        if said[frame] and unit(square.spec.seed, take.name, frame, wearer, "listed") < _LISTED
    )


def write_tf2023(spec: SquareSpec, folder: Path, progress: Progress | None = None) -> None:
    """Writes a square under `folder`; equal specs give equal bytes.

    Args:
        spec: What to write; the truth itself is never written.
        folder: Folder to create or fill.
        progress: Called with (scenes done, scenes in all, number).
    """
    square = plan_square(spec)
    folder.mkdir(parents=True, exist_ok=True)
    for name, items in _lists(square).items():
        (folder / name).write_text(json.dumps(items), encoding="utf-8")
    for index, take in enumerate(square.takes):
        home = folder / "TF2023/data" / take.name
        for frame in take.frames:
            shown = from_side(take, frame, spec.size)
            _put(home / f"Segmentation/T/{frame:05d}.json", _outlines(shown, index, frame))
            if spec.render == "none":
                continue
            _picture(shown, home / PLACES[index % 3] / f"{frame:05d}.jpg")
            for wearer in _pictured(take, index):
                worn = from_eyes(take, wearer, frame, spec.size)
                _picture(worn, home / f"frame/{wearer}/{frame:05d}.jpg")
        if progress is not None:
            progress(index + 1, len(square.takes), take.name)


def refused_tf2023(square: Square) -> list[Refused]:
    """What a reader must refuse, with one entry for each refusal."""
    good = sum(len(pairs(square, i)) for i in range(len(square.takes)) if not is_eval(i))
    made: list[Refused] = [
        ("listed_people", TRAIN, str(good + at), rule)
        for at, (_, rule) in enumerate(_bad_items(square))
    ]
    take = square.takes[0]
    home = f"TF2023/data/{take.name}/Segmentation/T"
    made.append(("boxes", f"{home}/{_CUT:05d}.json", None, "unreadable_file"))
    for frame in (_DOG, _THIN):
        count = len(_shapes(from_side(take, frame, square.spec.size)))
        made.append(("boxes", f"{home}/{frame:05d}.json", f"shape {count}", "unreadable_row"))
    return made


def _lists(square: Square) -> dict[str, list[list[str]]]:
    lists: dict[str, list[list[str]]] = {TRAIN: [], EVAL: []}
    for index in range(len(square.takes)):
        items = lists[EVAL if is_eval(index) else TRAIN]
        items += [pair.item() for pair in pairs(square, index)]
    lists[TRAIN] += [item for item, _ in _bad_items(square)]
    return lists


def _bad_items(square: Square) -> Iterator[tuple[list[str], str]]:
    """Items to be refused, at the end of the first list, with the rule."""
    known = pairs(square, 0)
    yield known[0].item()[:4], "unreadable_row"
    yield [*known[1].item()[:2], "X", *known[1].item()[3:]], "unreadable_row"
    yield [*known[2].item()[:4], "1123"], "unreadable_row"
    yield known[3].item(), "pair_twice"
    listed = {(p.frame, p.wearer) for p in known}
    lone = next(p for p in known if (p.frame, 3 - p.wearer) not in listed)
    yield Pair(lone.scene, lone.frame, 3 - lone.wearer, lone.people[1:]).item(), "lists_disagree"


def _pictured(take: Take, index: int) -> tuple[int, ...]:
    return take.wearers[:1] if is_eval(index) else take.wearers


def _shapes(shown: Picture) -> list[dict[str, object]]:
    return [
        {
            "label": str(number),
            "points": [[float(x), float(y)] for x, y in outline],
            "group_id": None,
            "shape_type": "polygon",
            "flags": {},
        }
        for number in people_in(shown)
        for outline in shown.parts(number)
    ]


def _outlines(shown: Picture, index: int, frame: int) -> str:
    shapes = _shapes(shown)
    if index == 0 and frame in (_DOG, _THIN):
        label, corners = ("dog", 3) if frame == _DOG else ("1", 2)
        points = [[10.0, 10.0], [14.0, 10.0], [14.0, 16.0]][:corners]
        shapes.append({"label": label, "points": points, "shape_type": "polygon"})
    height, width = shown.cover.shape
    text = json.dumps(
        {
            "version": "5.0.1",
            "flags": {},
            "shapes": shapes,
            "imagePath": f"{frame:05d}.jpg",
            "imageData": None,
            "imageHeight": height,
            "imageWidth": width,
        }
    )
    return text[: len(text) // 2] if index == 0 and frame == _CUT else text


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _picture(shown: Picture, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    shown.image.save(path, "JPEG", quality=60, subsampling=0)

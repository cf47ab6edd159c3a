"""Writes a simulated square in the raw layout of CVMHAT (see the formats note).

Boxes count in pixels of the dataset's pictures (2704x1520), of which the drawn ones are small
copies. The takes lie in different forms: text, text with MATLAB beside it, MATLAB, XML. Rows that a
reader must refuse are among them, and `refused_cvmhat` tells them.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from scipy.io import savemat

from resources.worlds.square.draw import LEAST_SEEN, Picture, from_above, from_eyes
from resources.worlds.square.plan import plan_square
from resources.worlds.square.truth import Square, SquareSpec, Take

Progress = Callable[[int, int, str], None]
Refused = tuple[str, str, str | None, str]
"""Table, file, row and rule."""

WIDTH_PX, HEIGHT_PX = 2704, 1520
VIEWS: Final = ("hor", "top")
_FORMS: Final = (("txt",), ("txt", "mat"), ("mat",), ("xml",))
_BEYOND_PX: Final = 25
"""How far boxes reach beyond the picture at most."""
_UNPICTURED: Final = 3
"""Pictures from above that the third take lacks at its end."""
_NARROWER_PX: Final = 6
_ENTITY: Final = (
    '<?xml version="1.0"?>\n<!DOCTYPE annotation [<!ENTITY a "person"><!ENTITY b "&a;&a;&a;&a;">]>\n'
    "<annotation><object><name>&b;</name></object></annotation>\n"
)
_HEADER: Final = b"MATLAB 5.0 MAT-file, simulated square".ljust(116)


@dataclass(frozen=True, slots=True)
class PixelBox:
    """A box as the dataset states it."""

    frame: int
    person: int
    left: int
    top: int
    right: int
    bottom: int


def forms(index: int) -> tuple[str, ...]:
    """Forms in which the boxes of a take lie, the take counted from 0."""
    return _FORMS[index % len(_FORMS)]


def picture(take: Take, view: str, frame: int, size: tuple[int, int]) -> Picture:
    """What a view of a take shows."""
    return from_eyes(take, 0, frame, size) if view == "hor" else from_above(take, frame, size)


def boxes_of(shown: Picture, frame: int) -> list[PixelBox]:
    """Boxes of a picture: of everybody of whom enough is seen, whole bodies."""
    height, width = shown.cover.shape
    across, down = WIDTH_PX / width, HEIGHT_PX / height
    return [
        PixelBox(
            frame,
            one.number,
            max(-_BEYOND_PX, round(one.box[0] * across)),
            max(-_BEYOND_PX, round(one.box[1] * down)),
            min(WIDTH_PX + _BEYOND_PX, round(one.box[2] * across)),
            min(HEIGHT_PX + _BEYOND_PX, round(one.box[3] * down)),
        )
        for one in shown.seen
        if one.share >= LEAST_SEEN
    ]


def write_cvmhat(spec: SquareSpec, folder: Path, progress: Progress | None = None) -> None:
    """Writes a square under `folder`; equal specs give equal bytes.

    Args:
        spec: What to write; the truth itself is never written.
        folder: Folder to create or fill.
        progress: Called with (takes done, takes in all, name).
    """
    square = plan_square(spec)
    for index, take in enumerate(square.takes):
        for view in VIEWS:
            boxes: list[list[PixelBox]] = []
            name = f"{take.name}_{view}"
            pictured = _pictured(take, index, view)
            if spec.render != "none":
                (folder / name).mkdir(parents=True, exist_ok=True)
            for frame in take.frames:
                shown = picture(take, view, frame, spec.size)
                boxes.append(boxes_of(shown, frame))
                if spec.render != "none" and frame in pictured:
                    path = folder / name / f"{frame:04d}.jpg"
                    shown.image.save(path, "JPEG", quality=60, subsampling=0)
            for path, data in _annotations(name, index, view, boxes):
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_bytes(data)
        if progress is not None:
            progress(index + 1, len(square.takes), take.name)


def refused_cvmhat(square: Square) -> list[Refused]:
    """What a reader must refuse, with one entry for each refusal."""
    made: list[Refused] = []
    for index, take in enumerate(square.takes):
        if index == 0:
            boxes = [_boxes(square, take, "hor", frame) for frame in take.frames]
            lines, keys = _bad_lines(boxes)
            file, count = f"GT_txt/{take.name}_hor.txt", sum(map(len, boxes))
            for at, (row, rule) in enumerate(keys, count + 1):
                made.append(("boxes", file, row or str(at), rule))
                if rule == "person_twice":
                    made.append(("boxes", file, row, rule))
            assert len(lines) == len(keys)
        if index == 1:
            made.append(("boxes", f"GT/{take.name}_top.mat", None, "forms_differ"))
        if index == 2 and square.spec.render != "none":
            file = f"GT/{take.name}_top.mat"
            made.append(("recordings", file, None, "annotated_without_picture"))
        if index == 3:
            made.append(("boxes", f"GT_xml/{take.name}_hor/0004.xml", None, "unreadable_file"))
    return made


def _boxes(square: Square, take: Take, view: str, frame: int) -> list[PixelBox]:
    return boxes_of(picture(take, view, frame, square.spec.size), frame)


def _pictured(take: Take, index: int, view: str) -> tuple[int, ...]:
    return take.frames[:-_UNPICTURED] if (index, view) == (2, "top") else take.frames


def _annotations(
    name: str, index: int, view: str, boxes: list[list[PixelBox]]
) -> Iterator[tuple[str, bytes]]:
    for form in forms(index):
        if form == "txt":
            rows = sorted((b for one in boxes for b in one), key=lambda b: (b.person, b.frame))
            lines = [_line(b) for b in rows]
            if (index, view) == (0, "hor"):
                lines += _bad_lines(boxes)[0]
            yield f"GT_txt/{name}.txt", ("\n".join(lines) + "\n").encode()
        elif form == "mat":
            less = _NARROWER_PX if (index, view) == (1, "top") else 0
            yield f"GT/{name}.mat", _mat(boxes, less)
        else:
            for frame, one in enumerate(boxes, 1):
                bad = (index, view, frame) == (3, "hor", 4)
                text = _ENTITY if bad else _xml(one, frame)
                yield f"GT_xml/{name}/{frame:04d}.xml", text.encode()


def _line(b: PixelBox) -> str:
    return (
        f"{b.frame},{b.person},{b.left},{b.top},{b.right - b.left},{b.bottom - b.top},-1,-1,-1,-1"
    )


def _bad_lines(boxes: list[list[PixelBox]]) -> tuple[list[str], list[tuple[str | None, str]]]:
    """Lines to be refused; of each the row it is reported for (None: its line) and the rule."""
    again = boxes[9][0]
    lines = [
        "5,three,100,100,50,50,-1,-1,-1,-1",
        "6,3,100,100,50,50,-1,-1",
        "7,0,900,600,80,200,-1,-1,-1,-1",
        "8,9,300,300,0,100,-1,-1,-1,-1",
        f"{again.frame},{again.person},10,10,60,150,-1,-1,-1,-1",
    ]
    return lines, [
        (None, "unreadable_row"),
        (None, "unreadable_row"),
        ("7/0", "wearer_in_own_view"),
        ("8/9", "no_area"),
        (f"{again.frame}/{again.person}", "person_twice"),
    ]


def _mat(boxes: list[list[PixelBox]], less: int) -> bytes:
    cells = np.empty((len(boxes), 2), dtype=object)
    for at, one in enumerate(boxes):
        numbers = [
            [b.left + less, b.top + less, b.right - less, b.bottom - less, b.person] for b in one
        ]
        table = np.array(numbers, dtype=np.int64).reshape(-1, 5)
        # As released: unsigned, but for a picture with a negative number; nobody is an empty array.
        kind = np.int16 if table.min(initial=0) < 0 else np.uint16
        cells[at, 0] = f"{at + 1:04d}.jpg"
        cells[at, 1] = table.astype(kind) if len(one) else np.zeros((0, 0), np.uint16)
    out = io.BytesIO()
    savemat(out, {"objs_inter": cells}, do_compression=True)
    # The header holds the time of writing.
    return _HEADER + out.getvalue()[len(_HEADER) :]


def _xml(boxes: list[PixelBox], frame: int) -> str:
    """A picture's boxes: even ones by the standard's name, odd ones as the dataset's reader expects."""
    name = "bndbox" if frame % 2 == 0 else "rectangle"
    objects = "".join(
        f"<object><name>{b.person}</name><{name}><xmin>{b.left}</xmin><ymin>{b.top}</ymin>"
        f"<xmax>{b.right}</xmax><ymax>{b.bottom}</ymax></{name}></object>\n"
        for b in boxes
    )
    size = f"<size><width>{WIDTH_PX}</width><height>{HEIGHT_PX}</height><depth>3</depth></size>"
    return f"<annotation><filename>{frame:04d}.jpg</filename>{size}\n{objects}</annotation>\n"

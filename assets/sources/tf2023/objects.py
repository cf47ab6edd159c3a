"""Boxes of people in TF2023, made of the outlines drawn in the third-person pictures."""

from __future__ import annotations

import re
from functools import partial
from typing import Any, Final

from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.json import document_of
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed, number, whole_number
from assets.sources.tf2023.files import POLYGONS, person_of
from expectations.schemas import TABLES

WHAT: Final = "people"
Size = tuple[int, int]
Outline = list[tuple[float, float]]


def read_objects(part: PartFiles) -> Rows:
    """Boxes of one third-person recording.

    A person who is hidden in the middle has several outlines with one label: the box goes around
    all of them, and each is kept. A picture counts as annotated where each of its outlines could be
    read; `listed_people` says who should be there.
    """
    assert part.recording is not None
    uid = str(part.recording["recording_id"])
    scene = uid.rpartition("_")[0]
    reader = RowReader("boxes")
    boxes: list[dict] = []
    frames: list[dict] = []
    seen: dict[int, str] = {}
    for path in sorted(part.files, key=lambda p: (p.count("/"), p)):
        match = re.fullmatch(POLYGONS, path)
        frame = -1 if match is None else int(match["frame"])
        if seen.setdefault(frame, path) != path:
            reader.reject(
                path, None, "outlines_twice", seen[frame],
                "another file has the outlines of this picture and is used",
                "keep one of the files", uid,
            )  # fmt: skip
            continue
        try:
            size, shapes = _document(part.files[path])
        except Malformed as error:
            reader.unreadable(path, error, uid)
            continue
        outlines, whole = _outlines(reader, path, shapes, uid)
        for person in sorted(outlines):
            key = f"{frame}/{person}"
            said = {
                "source": part.source,
                "recording_id": uid,
                "box_id": f"{uid}/{key}",
                "source_frame": frame,
                "class_name": "person",
                "track_id": person,
                "person_id": person_of(scene, person),
                "image_space": "stored",
                "method": "mask",
                "source_file": path,
                "source_key": key,
            }
            row = reader.make(path, key, partial(_box, outlines[person], size), uid)
            whole = whole and row is not None
            if row is not None:
                boxes.append({**said, **row})
        if whole:
            one = {"recording_id": uid, "what": WHAT, "source_frame": frame}
            frames.append({"source": part.source, **one})
    tables = {
        "boxes": TABLES["boxes"].frame(boxes),
        "annotated_frames": TABLES["annotated_frames"].frame(frames),
    }
    return Rows(tables, tuple(reader.refused))


def _document(data: bytes) -> tuple[Size, list[object]]:
    """Size of the picture and what is drawn in it."""
    tree = document_of(data)
    if not isinstance(tree, dict) or not isinstance(tree.get("shapes"), list):
        raise Malformed("the document holds no list `shapes`", type(tree).__name__)
    width, height = (whole_number(tree.get(f"image{side}")) for side in ("Width", "Height"))
    if width < 1 or height < 1:
        raise Malformed(f"a picture of {width} x {height}", f"{width} x {height}")
    return (width, height), tree["shapes"]


def _outlines(
    reader: RowReader, path: str, shapes: list[object], uid: str
) -> tuple[dict[str, list[Outline]], bool]:
    """Outlines of each person, and whether all could be read."""
    found: dict[str, list[Outline]] = {}
    whole = True
    for at, shape in enumerate(shapes):
        made = reader.make(path, f"shape {at}", lambda s=shape: _shape(s), uid)
        if made is None:
            whole = False
        else:
            found.setdefault(made["person"], []).append(made["points"])
    return found, whole


def _shape(shape: object) -> dict[str, Any]:
    if not isinstance(shape, dict):
        raise Malformed("the shape is not an object", shape)
    label, kind = shape.get("label"), shape.get("shape_type") or "polygon"
    if not isinstance(label, str) or not re.fullmatch(r"[1-9]", label):
        raise Malformed("the label is not a number of a person", label)
    points = shape.get("points")
    least = {"polygon": 3, "rectangle": 2}.get(kind)
    if least is None:
        raise Malformed("the shape is neither polygon nor rectangle", kind)
    if not isinstance(points, list) or len(points) < least:
        raise Malformed(f"a {kind} has fewer than {least} points", points)
    made: Outline = []
    for point in points:
        if not isinstance(point, list) or len(point) != 2:
            raise Malformed("a point is not a pair of numbers", point)
        made.append((number(point[0]), number(point[1])))
    return {"person": label, "points": made}


def _box(outlines: list[Outline], size: Size) -> dict[str, Any]:
    xs = [x for outline in outlines for x, _ in outline]
    ys = [y for outline in outlines for _, y in outline]
    raw = [min(xs), min(ys), max(xs), max(ys)]
    corners = [value / side for value, side in zip(raw, (*size, *size), strict=True)]
    inside = [min(1.0, max(0.0, value)) for value in corners]
    if not (inside[2] > inside[0] and inside[3] > inside[1]):
        raise Malformed("the outlines have no area inside the picture", raw)
    return {
        **dict(zip(("x_min", "y_min", "x_max", "y_max"), inside, strict=True)),
        "raw": raw,
        "raw_form": "polygon_px",
        "polygons": [[value for point in outline for value in point] for outline in outlines],
        "clipped": inside != corners,
    }

"""Boxes of tools and hands in EgoSurgery, masks of HTS, and the pictures that were annotated.

Ids of pictures and annotations start at 0 in every file, and videos at 1: keys carry what a file
annotates and its split. Boxes are whole pixels; their width and height are up to a pixel less than
those of the outline they were made from, which is kept beside them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from assets.sources.egosurgery.files import Document, Picture, read_document, split_of, what_of
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.json import members_of
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed, number, whole_number
from expectations.schemas import TABLES

TRUNCATED_PX: Final = 2.0
"""How far a box may differ from its outline: sizes were cut to whole pixels."""


def read_objects(part: PartFiles) -> Rows:
    """Boxes of all sessions, and their annotated pictures.

    A picture a file lists was annotated, also where nothing is in it; a picture it does not list
    was not. Where an annotation cannot be read, its picture does not count: absence is concluded
    from it.
    """
    reader = RowReader("boxes")
    boxes: list[dict] = []
    frames: list[dict] = []
    covered: dict[tuple[str, str, int], str] = {}
    for file in sorted(part.files):
        try:
            document = read_document(file, part.files[file])
        except Malformed as error:
            reader.unreadable(file, error)
            continue
        made, spoilt = _boxes(part.source, document, reader)
        boxes += made
        for image_id, picture in sorted(document.pictures.items()):
            shot = picture.shot
            key = (what_of(file), shot.recording_id, shot.number)
            if key in covered:
                reader.reject(
                    file, image_id, "picture_twice", covered[key],
                    "another file annotates the same things in the same picture",
                    "keep one of the files", shot.recording_id,
                )  # fmt: skip
                continue
            covered[key] = file
            if image_id in spoilt:
                continue
            frames.append(
                {
                    "source": part.source,
                    "recording_id": shot.recording_id,
                    "what": what_of(file),
                    "source_frame": shot.number,
                    "t_s": shot.t_s,
                }
            )
    tables = {
        "boxes": TABLES["boxes"].frame(boxes),
        "annotated_frames": TABLES["annotated_frames"].frame(frames),
    }
    return Rows(tables, tuple(reader.refused))


def _boxes(source: str, document: Document, reader: RowReader) -> tuple[list[dict], set[int]]:
    """Boxes of a file, and the pictures of which one could not be read."""
    made: list[dict] = []
    spoilt: set[int] = set()
    known: set[str] = set()
    for at, raw in enumerate(document.items):
        picture = _picture_of(document, raw)
        uid = None if picture is None else picture.shot.recording_id
        row = reader.make(
            document.file, f"annotations[{at}]", lambda r=raw: _box(source, document, r), uid
        )
        if row is not None and row["box_id"] in known:
            reader.reject(
                document.file, row["source_key"], "box_twice", row["box_id"],
                "two annotations of the file have one id", "give each an id of its own", uid,
            )  # fmt: skip
            row = None
        if row is not None:
            known.add(row["box_id"])
            made.append(row)
        elif picture is not None:
            spoilt.add(picture.image_id)
    return made, spoilt


def _picture_of(document: Document, raw: object) -> Picture | None:
    """Picture of an annotation, as far as that much of it can be read."""
    try:
        return document.pictures.get(whole_number(members_of(raw).get("image_id")))
    except Malformed:
        return None


def _box(source: str, document: Document, raw: object) -> dict:
    item = members_of(raw)
    picture = _picture_of(document, item)
    if picture is None:
        raise Malformed("the annotation's picture is not listed", item.get("image_id"))
    class_id = whole_number(item.get("category_id"))
    if class_id not in document.classes:
        raise Malformed(f"category {class_id} is in no list of the file", class_id)
    given = item.get("bbox")
    if not isinstance(given, list) or len(given) != 4:
        raise Malformed("bbox is not a list of four numbers", given)
    box = [number(value) for value in given]
    outlines = _outlines(item.get("segmentation"))
    _agree(box, outlines)
    x, y, w, h = box
    size = (picture.width, picture.height, picture.width, picture.height)
    shares = [v / side for v, side in zip((x, y, x + w, y + h), size, strict=True)]
    inside = [min(1.0, max(0.0, value)) for value in shares]
    if not (inside[2] > inside[0] and inside[3] > inside[1]):
        raise Malformed("the box has no area inside the picture", given)
    what, shot, name = what_of(document.file), picture.shot, document.classes[class_id]
    key = whole_number(item.get("id"))
    return {
        "source": source,
        "recording_id": shot.recording_id,
        "box_id": f"{what}/{split_of(document.file)}/{key}",
        "source_frame": shot.number,
        "t_s": shot.t_s,
        "class_name": name,
        "class_id": class_id,
        **_hand(name),
        "image_space": "stored",
        **dict(zip(("x_min", "y_min", "x_max", "y_max"), inside, strict=True)),
        "raw": box,
        "raw_form": "xywh_px",
        "polygons": outlines or None,
        "clipped": inside != shares,
        "method": "mask" if what.startswith("hts_") else "manual",
        "source_file": document.file,
        "source_key": str(key),
    }


def _outlines(given: object) -> list[list[float]]:
    """Outlines of an annotation; none where it has none or a bitmap, which no column holds."""
    if given is None or isinstance(given, Mapping):
        return []
    if not isinstance(given, list):
        raise Malformed("segmentation is not a list of outlines", given)
    made: list[list[float]] = []
    for outline in given:
        if not isinstance(outline, list) or len(outline) < 6 or len(outline) % 2:
            raise Malformed("an outline is not a list of three points or more", outline)
        made.append([number(value) for value in outline])
    return made


def _agree(box: list[float], outlines: list[list[float]]) -> None:
    if not outlines:
        return
    across = [v for outline in outlines for v in outline[0::2]]
    down = [v for outline in outlines for v in outline[1::2]]
    extent = (min(across), min(down), max(across) - min(across), max(down) - min(down))
    off = max(abs(a - b) for a, b in zip(box, extent, strict=True))
    if off > TRUNCATED_PX:
        raise Malformed(f"the box is {off:g} px off its outline", box)


def _hand(name: str) -> dict[str, Any]:
    """Whose hand a class is and which (`Own hands left`, `Other_Right`); nothing for tools."""
    words = set(re.findall(r"[a-z]+", name.lower()))
    owner = "wearer" if "own" in words else "other" if words & {"other", "others"} else None
    side = next((side for side in ("left", "right") if side in words), None)
    return {} if owner is None or side is None else {"hand_owner": owner, "hand_side": side}

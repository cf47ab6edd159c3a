"""Boxes of MECCANO: active objects, next active objects, hands; and the frames that were annotated."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from typing import Any, Final

from assets.sources.layout import PartFiles, Rows
from assets.sources.meccano.files import (
    COCO,
    SIZE_PX,
    Document,
    frame_number,
    is_next,
    read_document,
    split_of,
    time_of,
    video_id,
)
from assets.sources.reading.json import json_of, members_of
from assets.sources.reading.row_reader import REMEDY_ROW, RowReader
from assets.sources.reading.values import Malformed, number, whole_number
from expectations.schemas import TABLES

NEXT: Final = "next active "
"""Prefix of the class of an object that is not touched yet."""
SIDES: Final = {"SX_Hand": "left", "DX_Hand": "right"}
_CELLS: Final = ("filename", "region_count", "region_shape_attributes", "region_attributes")
_EDGES: Final = ("x_min", "y_min", "x_max", "y_max")
_Frame = tuple[str, str, int]


def read_objects(part: PartFiles) -> Rows:
    """Boxes of all videos; a frame of which a row cannot be read does not count as annotated."""
    made = _Boxes(part.source)
    for path, data in sorted(part.files.items()):
        if re.fullmatch(COCO, path):
            made.coco(path, data)
        else:
            made.hands(path, data)
    frames = [
        {
            "source": part.source,
            "recording_id": video,
            "what": what,
            "source_frame": frame,
            "t_s": time_of(frame),
        }
        for what, video, frame in sorted(made.seen - made.spoilt)
    ]
    tables = {
        "boxes": TABLES["boxes"].frame(made.rows.values()),
        "annotated_frames": TABLES["annotated_frames"].frame(frames),
    }
    return Rows(tables, tuple(made.reader.refused))


class _Boxes:
    """Boxes by id; frames that were looked at and those of which something is lost."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.reader = RowReader("boxes")
        self.rows: dict[str, dict] = {}
        self.seen: set[_Frame] = set()
        self.spoilt: set[_Frame] = set()

    # -- objects -----------------------------------------------------------------------------------

    def coco(self, path: str, data: bytes) -> None:
        """Active objects of a split, or those that will be."""
        try:
            document = read_document(data)
        except Malformed as error:
            self.reader.unreadable(path, error)
            return
        what = "next_objects" if is_next(path) else "active_objects"
        for key, fault in document.faults:
            said = f"row cannot be read: {fault}"
            self.reader.reject(path, key, "unreadable_row", fault.value, said, REMEDY_ROW)
        self.seen |= {(what, p.video, p.frame) for p in document.pictures.values()}
        for at, raw in enumerate(document.items):
            frame = self._frame_of(what, document, raw)
            self._add(
                path, f"annotations[{at}]", frame,
                lambda r=raw: self._object(path, what, document, r),
            )  # fmt: skip

    def _frame_of(self, what: str, document: Document, raw: object) -> _Frame | None:
        try:
            picture = document.pictures.get(whole_number(members_of(raw).get("image_id")))
        except Malformed:
            return None
        return None if picture is None else (what, picture.video, picture.frame)

    def _object(self, path: str, what: str, document: Document, raw: object) -> dict:
        item = members_of(raw)
        picture = document.pictures.get(whole_number(item.get("image_id")))
        if picture is None:
            raise Malformed("the annotation's picture is not listed", item.get("image_id"))
        class_id = whole_number(item.get("category_id"))
        if class_id not in document.classes:
            raise Malformed(f"category {class_id} is in no list of the file", class_id)
        key = whole_number(item.get("id"))
        given = item.get("bbox")
        if not isinstance(given, list) or len(given) != 4:
            raise Malformed("bbox is not a list of four numbers", str(given)[:80])
        prefix = NEXT if what == "next_objects" else ""
        return {
            **self._of(path, picture.video, picture.frame),
            # Ids count from the start in every file.
            "box_id": f"{what}/{split_of(path)}/{key}",
            "class_name": prefix + document.classes[class_id],
            "class_id": class_id,
            **_box([number(v) for v in given], (picture.width, picture.height)),
            "source_key": str(key),
        }

    # -- hands -------------------------------------------------------------------------------------

    def hands(self, path: str, data: bytes) -> None:
        """Hands of a video."""
        uid = video_id(path.rpartition("/")[2].removesuffix(".csv"))
        stated: dict[int, set[int]] = defaultdict(set)
        count: dict[int, int] = defaultdict(int)

        def row(values: Mapping[str, str]) -> dict:
            return {"frame": frame_number(values["filename"]), "values": values}

        for line, made in self.reader.csv(path, data, _CELLS, row, lambda _: uid):
            frame: int = made["frame"]
            place = ("hands", uid, frame)
            self.seen.add(place)
            held = self.reader.make(path, line, lambda m=made: {"n": _count(m["values"])}, uid)
            if held is None:
                self.spoilt.add(place)
                continue
            stated[frame].add(held["n"])
            if held["n"] == 0:
                continue
            count[frame] += 1
            self._add(path, line, place, lambda m=made, at=line: self._hand(path, uid, at, m))
        for frame, numbers in sorted(stated.items()):
            if numbers != {count[frame]}:
                self.spoilt.add(("hands", uid, frame))
                self.reader.reject(
                    path, f"{frame:05d}.jpg", "region_count", ", ".join(map(str, sorted(numbers))),
                    f"the file holds {count[frame]} hands of the frame, not as many as it states;"
                    " the frame does not count as annotated",
                    "restore the file from the release", uid,
                )  # fmt: skip

    def _hand(self, path: str, uid: str, line: int, made: Mapping[str, Any]) -> dict:
        values = made["values"]
        shape, about = (_cell(values[c]) for c in _CELLS[2:])
        if shape.get("name") != "rect":
            raise Malformed("the shape is not a rectangle", str(shape)[:80])
        side = SIDES.get(str(about.get("class")))
        if side is None:
            raise Malformed(f"a hand is one of {', '.join(SIDES)}", about.get("class"))
        box = [number(shape.get(n)) for n in ("x", "y", "width", "height")]
        return {
            **self._of(path, uid, made["frame"]),
            "box_id": f"hands/{uid}_{made['frame']:05d}/{side}",
            "class_name": about["class"],
            "hand_side": side,
            "hand_owner": "wearer",
            **_box(box, SIZE_PX),
            "source_key": str(line),
        }

    # -- what they share ---------------------------------------------------------------------------

    def _of(self, path: str, video: str, frame: int) -> dict[str, Any]:
        return {
            "source": self.source,
            "recording_id": video,
            "source_frame": frame,
            "t_s": time_of(frame),
            "image_space": "stored",
            "method": "manual",
            "source_file": path,
        }

    def _add(self, path: str, key: object, frame: _Frame | None, make: Any) -> None:
        uid = None if frame is None else frame[1]
        row = self.reader.make(path, key, make, uid)
        if row is not None and row["box_id"] in self.rows:
            self.reader.reject(
                path, key, "box_twice", row["box_id"],
                "the same box is given twice; the first counts", "remove one of them", uid,
            )  # fmt: skip
            row = None
        if row is not None:
            self.rows[row["box_id"]] = row
        elif frame is not None:
            self.spoilt.add(frame)


def _count(values: Mapping[str, str]) -> int:
    found = whole_number(values["region_count"])
    if found < 0:
        raise Malformed("a frame has a number of regions", found)
    return found


def _cell(text: str) -> dict[str, Any]:
    """JSON of a cell."""
    made = json_of(text.encode())
    if not isinstance(made, dict):
        raise Malformed("the cell is not an object", text[:80])
    return made


def _box(box: list[float], size: tuple[int, int]) -> dict[str, Any]:
    """Box of left, top, width and height in pixels.

    Raises:
        Malformed: It has no area inside the picture.
    """
    x, y, w, h = box
    shares = [v / s for v, s in zip((x, y, x + w, y + h), size * 2, strict=True)]
    inside = [min(max(v, 0.0), 1.0) for v in shares]
    if not (inside[2] > inside[0] and inside[3] > inside[1]):
        raise Malformed("the box has no area inside the picture", box)
    return {
        **dict(zip(_EDGES, inside, strict=True)),
        "raw": box,
        "raw_form": "xywh_px",
        "clipped": inside != shares,
    }

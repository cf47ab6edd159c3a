"""Boxes of tools in CholecTrack20, and the frames in which every tool was boxed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from assets.sources.cholectrack20.files import (
    Document,
    Frame,
    number_of,
    opened,
    operator_of,
    time_of,
    tool_of,
)
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.json import members_of
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed, number
from expectations.schemas import TABLES

WHAT: Final = "tools"
PIXELS_FROM: Final = 1.5
"""A share of the picture reaches a little beyond 1; what is larger than this counts pixels."""


def read_objects(part: PartFiles) -> Rows:
    """Boxes of one recording, and its annotated frames.

    A frame counts as annotated only where each of its annotations could be read: absence is
    concluded from it. The track is that over the whole operation.
    """
    assert part.recording is not None
    uid = str(part.recording["recording_id"])
    reader = RowReader("boxes")
    document = opened(part, reader)
    if document is None:
        return Rows({}, tuple(reader.refused))
    for key, fault in document.faults:
        reader.make(document.file, key, lambda f=fault: _raise(f), uid)
    boxes: list[dict] = []
    frames: list[dict] = []
    for frame in document.frames:
        made = _boxes(part.source, uid, document, frame, reader)
        boxes += [box for box in made if box is not None]
        if None not in made:
            frames.append(
                {
                    "source": part.source,
                    "recording_id": uid,
                    "what": WHAT,
                    "source_frame": frame.number,
                    "t_s": time_of(frame.number),
                }
            )
    tables = {
        "boxes": TABLES["boxes"].frame(boxes),
        "annotated_frames": TABLES["annotated_frames"].frame(frames),
    }
    return Rows(tables, tuple(reader.refused))


def _boxes(
    source: str, uid: str, document: Document, frame: Frame, reader: RowReader
) -> list[dict | None]:
    made: list[dict | None] = []
    known: set[str] = set()
    for at, item in enumerate(frame.items):
        row = reader.make(
            document.file,
            f"{frame.number}[{at}]",
            lambda i=item: _box(
                source, uid, document, frame.number, members_of(i, "the annotation")
            ),
            uid,
        )
        if row is not None and row["box_id"] in known:
            reader.reject(
                document.file,
                row["source_key"],
                "box_twice",
                row["box_id"],
                "the same tool, hand and track is boxed twice in one frame",
                "remove one of the annotations",
                uid,
            )
            row = None
        if row is not None:
            known.add(row["box_id"])
        made.append(row)
    return made


def _box(source: str, uid: str, document: Document, frame: int, item: Mapping[str, Any]) -> dict:
    tool, operator = tool_of(document, item), operator_of(document, item)
    track = number_of(item, "intraoperative_track")
    given = item.get("tool_bbox")
    if not isinstance(given, list) or len(given) != 4:
        raise Malformed("tool_bbox is not a list of four numbers", given)
    raw = [number(value) for value in given]
    form, shares = _shares(raw, document)
    x, y, w, h = shares
    corners = (x, y, x + w, y + h)
    inside = tuple(min(1.0, max(0.0, value)) for value in corners)
    if not (inside[2] > inside[0] and inside[3] > inside[1]):
        raise Malformed("the box has no area inside the picture", given)
    # Where no track tells two boxes apart, their numbers do: never their order in the file.
    instance = str(track) if track is not None else ",".join(f"{value:g}" for value in raw)
    key = f"{frame}/{tool}/{operator or 'unknown'}/{instance}"
    return {
        "source": source,
        "recording_id": uid,
        "box_id": f"{uid}/{key}",
        "source_frame": frame,
        "t_s": time_of(frame),
        "class_name": tool,
        "track_id": None if track is None else str(track),
        "operator": operator,
        "image_space": "stored",
        "x_min": inside[0],
        "y_min": inside[1],
        "x_max": inside[2],
        "y_max": inside[3],
        "raw": raw,
        "raw_form": form,
        "clipped": inside != corners,
        "method": "manual",
        "source_file": document.file,
        "source_key": key,
    }


def _shares(raw: list[float], document: Document) -> tuple[str, list[float]]:
    """Left, top, width and height over the picture's sides, and what the numbers were."""
    if max(map(abs, raw)) <= PIXELS_FROM:
        return "xywh_norm", raw
    width, height = (number_of(document.video, side) for side in ("width", "height"))
    if not width or not height:
        raise Malformed("the box is in pixels and the file states no size of the picture", raw)
    x, y, w, h = raw
    return "xywh_px", [x / width, y / height, w / width, h / height]


def _raise(fault: Malformed) -> dict:
    raise fault

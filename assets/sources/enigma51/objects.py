"""Boxes of ENIGMA-51: objects and hands of the master file, outlines, and boxes of questions.

Three origins, told apart by `box_id` and method: `master/...` (manual), `mask/...` (outlines made by a
machine; other frames, other classes' numbers) and `question/...` (manual boxes that the questions
repeat, taken only where the master file has none of the frame). Only the first two list all of a
frame: `annotated_frames` has `objects`, `hands`, `mask_objects` and `mask_hands`, and none for
questions. In a frame with a first contact or a take of a known object, the hand's box names it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from assets.sources.enigma51.files import MASKS, MASTER, QUESTIONS, SIZE_PX, Shot, members, side
from assets.sources.enigma51.master import act_of, hand_of, items, thing_of
from assets.sources.enigma51.questions import Pictured, read_pictured
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.json import sound
from assets.sources.reading.row_reader import REMEDY_ROW, RowReader
from assets.sources.reading.values import Malformed, number, whole_number
from expectations.schemas import TABLES

_EDGES: Final = ("x_min", "y_min", "x_max", "y_max")
_TOUCHES: Final = frozenset({"take", "first_contact"})


def read_objects(part: PartFiles) -> Rows:
    """Boxes of all videos, and the frames that were annotated."""
    made = _Boxes(part.source)
    for path, data in sorted(part.files.items()):
        if re.fullmatch(MASTER, path):
            for shot, item in members(path, data, made.reader):
                made.master(path, shot, item)
    for path, data in sorted(part.files.items()):
        if re.fullmatch(MASKS, path):
            for shot, item in members(path, data, made.reader):
                made.masks(path, shot, item)
        elif re.fullmatch(QUESTIONS, path):
            for one in read_pictured(path, data):
                made.question(path, one)
    tables = {
        "boxes": TABLES["boxes"].frame(made.rows.values()),
        "annotated_frames": TABLES["annotated_frames"].frame(made.frames.values()),
    }
    return Rows(tables, tuple(made.reader.refused))


class _Boxes:
    """Rows of all files: boxes by id, annotated frames by kind and frame."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.reader = RowReader("boxes")
        self.rows: dict[str, dict] = {}
        self.frames: dict[tuple[str, Shot], dict] = {}
        self.in_master: set[Shot] = set()

    # -- the master file ---------------------------------------------------------------------------

    def master(self, path: str, shot: Shot, item: object) -> None:
        """Objects and hands of a frame, and what the hands touch."""
        self.in_master.add(shot)
        read = {"objects": self._thing, "hands": self._hand}
        for what, make in read.items():
            try:
                listed = items(shot, item, what)
            except Malformed as error:
                self._unreadable(path, shot, error)
                continue
            self._all(path, shot, what, listed, make)
        for hand, thing in self._touched(shot, item):
            if hand in self.rows and thing in self.rows:
                self.rows[hand]["contact"] = thing

    def _thing(self, path: str, shot: Shot, raw: object) -> dict:
        thing = thing_of(raw)
        return {
            **self._box(path, shot, f"master/{shot.key}/object/{thing.uid}"),
            "class_name": thing.name,
            "class_id": thing.class_id,
            **_pixels(thing.box),
            "raw_form": "xywh_px",
            "method": "manual",
        }

    def _hand(self, path: str, shot: Shot, raw: object) -> dict:
        held, box = hand_of(raw)
        return {
            **self._box(path, shot, f"master/{shot.key}/hand/{held}"),
            "class_name": f"{held} hand",
            "hand_side": held,
            "hand_owner": "wearer",
            **_pixels(box),
            "raw_form": "xywh_px",
            "method": "manual",
        }

    def _touched(self, shot: Shot, item: object) -> Iterator[tuple[str, str]]:
        """Boxes of hands and of what they begin to touch; faults are reported where segments are made."""
        try:
            acts = items(shot, item, "interactions")
        except Malformed:
            return
        for raw in acts:
            try:
                act = act_of(raw)
            except Malformed:
                continue
            if act.category in _TOUCHES and act.side and act.object_uid:
                yield (
                    f"master/{shot.key}/hand/{act.side}",
                    f"master/{shot.key}/object/{act.object_uid}",
                )

    # -- outlines ----------------------------------------------------------------------------------

    def masks(self, path: str, shot: Shot, item: object) -> None:
        """Outlines of a frame's objects and hands."""
        for what in ("objects", "hands"):
            listed = item.get(what) if isinstance(item, dict) else None
            if not isinstance(listed, list):
                said = Malformed(f"the member holds no list `{what}`", shot.key)
                self._unreadable(path, shot, said)
                continue
            numbered = [{"at": at, "raw": raw} for at, raw in enumerate(listed)]
            self._all(path, shot, f"mask_{what}", numbered, self._mask)

    def _mask(self, path: str, shot: Shot, given: Any) -> dict:
        raw = sound(given["raw"])
        if not isinstance(raw, dict):
            raise Malformed("the item is not an object", str(raw)[:80])
        outlines = _outlines(raw.get("segmentation"))
        across = [v for outline in outlines for v in outline[::2]]
        down = [v for outline in outlines for v in outline[1::2]]
        x, y = min(across), min(down)
        box = _pixels((x, y, max(across) - x, max(down) - y))
        what: dict[str, Any]
        if "hand_side" in raw:
            held = side(raw["hand_side"])
            what = {"class_name": f"{held} hand", "hand_side": held, "hand_owner": "wearer"}
            key = f"hand/{held}"
        else:
            class_id = whole_number(raw.get("class_id"))
            what = {"class_name": f"class {class_id}", "class_id": class_id}
            # Two outlines of a class are distinguished by the place in the frame's list.
            key = f"object/{class_id}/{given['at']}"
        return {
            **self._box(path, shot, f"mask/{shot.key}/{key}"),
            **what,
            **box,
            "raw": [x, y, max(across), max(down)],
            "raw_form": "polygon_px",
            "polygons": outlines,
            "method": "mask",
        }

    # -- questions ---------------------------------------------------------------------------------

    def question(self, path: str, one: Pictured) -> None:
        """A box that questions show, unless the master file has the frame."""
        if one.shot in self.in_master:
            return
        uid = f"question/{one.shot.key}/{one.name}"
        edges = list(one.box)
        inside = [min(max(v, 0.0), 1.0) for v in edges]
        if not (inside[2] > inside[0] and inside[3] > inside[1]):
            error = Malformed("the box has no area inside the picture", edges)
            self._unreadable(path, one.shot, error, one.released_id)
            return
        known = self.rows.get(uid)
        if known is None:
            self.rows[uid] = {
                **self._box(path, one.shot, uid),
                "class_name": one.name,
                **dict(zip(_EDGES, inside, strict=True)),
                "raw": edges,
                "raw_form": "xyxy_norm",
                "clipped": inside != edges,
                "method": "manual",
                "source_key": f"{one.released_id}#{one.shot.key}",
            }
        elif known["raw"] != edges:
            self.reader.reject(
                path, one.released_id, "contradicting_box", f"{uid} {edges}",
                f"{known['source_key']} gives another box of the object in the frame; it holds",
                "decide which of the boxes is right", one.shot.video,
            )  # fmt: skip

    # -- what they share ---------------------------------------------------------------------------

    def _all(self, path: str, shot: Shot, what: str, listed: list, make: Any) -> None:
        """Boxes of one kind; the frame counts as annotated if all of them could be read."""
        whole = True
        for at, raw in enumerate(listed):
            key = f"{shot.key}/{what}[{at}]"
            row = self.reader.make(path, key, lambda r=raw: make(path, shot, r), shot.video)
            if row is not None and row["box_id"] in self.rows:
                self.reader.reject(
                    path, key, "box_twice", row["box_id"],
                    "the frame gives the box twice; the first counts", "remove one of them",
                    shot.video,
                )  # fmt: skip
                continue
            if row is None:
                whole = False
            else:
                self.rows[row["box_id"]] = row
        if whole:
            self.frames[what, shot] = {
                "source": self.source,
                "recording_id": shot.video,
                "what": what,
                "source_frame": shot.frame,
                "t_s": shot.t_s,
            }

    def _box(self, path: str, shot: Shot, uid: str) -> dict[str, Any]:
        return {
            "source": self.source,
            "recording_id": shot.video,
            "box_id": uid,
            "source_frame": shot.frame,
            "t_s": shot.t_s,
            "image_space": "stored",
            "source_file": path,
            "source_key": uid.partition("/")[2],
        }

    def _unreadable(self, path: str, shot: Shot, error: Malformed, key: str | None = None) -> None:
        said = f"row cannot be read: {error}"
        self.reader.reject(
            path, key or shot.key, "unreadable_row", error.value, said, REMEDY_ROW, shot.video
        )


def _pixels(box: tuple[float, ...]) -> dict[str, Any]:
    """Box of left, top, width and height as shares of the video's size.

    Raises:
        Malformed: It has no area inside the picture.
    """
    x, y, w, h = box
    shares = [v / s for v, s in zip((x, y, x + w, y + h), SIZE_PX * 2, strict=True)]
    inside = [min(max(v, 0.0), 1.0) for v in shares]
    if not (inside[2] > inside[0] and inside[3] > inside[1]):
        raise Malformed("the box has no area inside the picture", list(box))
    return {
        **dict(zip(_EDGES, inside, strict=True)),
        "raw": list(box),
        "clipped": inside != shares,
    }


def _outlines(given: object) -> list[list[float]]:
    if not isinstance(given, list) or not given:
        raise Malformed("segmentation is not a list of outlines", str(given)[:80])
    made: list[list[float]] = []
    for outline in given:
        if not isinstance(outline, list) or len(outline) < 6 or len(outline) % 2:
            raise Malformed("an outline is not a list of three points or more", str(outline)[:80])
        made.append([number(value) for value in outline])
    return made

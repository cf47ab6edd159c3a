"""Outlines of VISOR: things and hands in pictures of EPIC-KITCHENS, and what the hands touch.

Sparse outlines were drawn by hand in pictures of 1920x1080, dense ones interpolated in 854x480.
`picture_times` says when a picture was taken.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping
from typing import Any, Final

from assets.sources.epic_kitchens.files import CORRECTIONS, DENSE, MAPPING, STAMPS
from assets.sources.epic_kitchens.picture_times import picture_times, reject_without_times
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.json import json_tree, member_of, sound
from assets.sources.reading.row_reader import REMEDY_ROW, RowReader
from assets.sources.reading.values import Malformed, number, whole_number
from expectations.schemas import TABLES

SPARSE_PX: Final = (1920, 1080)
DENSE_PX: Final = (854, 480)
NO_CONTACT: Final = "hand-not-in-contact"
UNSURE: Final = frozenset({"inconclusive", "none-of-the-above"})
_NAME = re.compile(r"(P[0-9]{2}_[0-9]{2,3})_frame_([0-9]{1,10})\.(?:jpg|png)")
_SIDE = re.compile(r"\b(left|right|rigth)\b")
_EXHAUSTIVE = {"y": True, "yes": True, "n": False, "no": False, "inconclusive": False}
_GROUND_TRUTH: Final = 1
_EDGES: Final = ("x_min", "y_min", "x_max", "y_max")


def read_objects(part: PartFiles) -> Rows:
    """Boxes of one recording with their outlines, and the classes that a picture has all of."""
    assert part.recording is not None
    made = _Recording(part, str(part.recording["recording_id"]))
    for path, data in part.files.items():
        if any(re.fullmatch(shared, path) for shared in (STAMPS, MAPPING, CORRECTIONS)):
            continue
        made.read(path, data, dense=re.fullmatch(DENSE, path) is not None)
    tables = {
        "boxes": TABLES["boxes"].frame(made.boxes),
        "annotated_frames": TABLES["annotated_frames"].frame(made.frames.values()),
    }
    return Rows(tables, tuple(made.reader.refused))


class _Recording:
    """Rows of one recording, from its sparse and its dense file."""

    def __init__(self, part: PartFiles, uid: str) -> None:
        self.source, self.uid = part.source, uid
        self.reader = RowReader("boxes")
        self.boxes: list[dict] = []
        self.frames: dict[tuple[str, int], dict] = {}
        self.times = picture_times(part.files, uid, self.reader)
        self.corrections, self.corrected_by = self._corrections(part.files)

    def read(self, path: str, data: bytes, *, dense: bool) -> None:
        """Take the rows of a file."""
        try:
            document = json_tree(data)
            listed = member_of(document, "video_annotations", list)
        except Malformed as error:
            self.reader.unreadable(path, error, self.uid)
            return
        reject_without_times(path, self.times, self.reader)
        for at, item in enumerate(listed):
            self.reader.make(path, at, lambda i=item: self._picture(path, i, dense) or {}, self.uid)

    # -- one picture -------------------------------------------------------------------------------

    def _picture(self, path: str, item: Any, dense: bool) -> None:
        image, things = _field(item, "image", dict), _field(item, "annotations", list)
        name = _field(image, "name", str)
        match = _NAME.fullmatch(name)
        if match is None or match[1] != self.uid:
            raise Malformed(f"picture {name[:60]!r} is not one of {self.uid}", name)
        frame = int(match[2])
        stamps = self.times.stamps
        if stamps and name not in stamps and not dense:
            self.reader.reject(
                path, name, "picture_without_time", frame,
                "frames_to_timestamps.json has times of the recording and none of this picture; the"
                " time follows from its number",
                "restore frames_to_timestamps.json", self.uid,
            )  # fmt: skip
        t_s = self.times.at_s(name, frame)
        shown = self.times.numbers.get(frame, frame)
        space = f"{self.uid}|dense|{frame}" if dense else f"{self.uid}|{frame}"
        rows: list[dict] = []
        known = {str(one.get("id")) for one in things if isinstance(one, dict)}
        whole: dict[str, bool] = {}
        for at, one in enumerate(things):
            made = self.reader.make(
                path, f"{name}[{at}]", lambda o=one: self._box(o, dense), self.uid
            )
            if made is None:
                # What could not be read was annotated: nothing may be said to be all of its class.
                whole[str(one.get("name")) if isinstance(one, dict) else ""] = False
                continue
            exhaustive = made.pop("exhaustive")
            whole[made["class_name"]] = whole.get(made["class_name"], True) and exhaustive
            made["contact"] = self._contact(path, name, made, space, known)
            rows.append(made)
        _number(rows, space)
        for row in rows:
            corrected = row.pop("corrected")
            key = row.pop("id") or row["box_id"].removeprefix(f"{space}|")
            row |= {
                "source": self.source,
                "recording_id": self.uid,
                "source_frame": shown,
                "t_s": t_s,
                "image_space": "stored",
                "source_file": path,
                "source_key": f"{name}#{key}" + (f" +{self.corrected_by}" if corrected else ""),
            }
        self.boxes += rows
        for name_of, exhaustive in whole.items():
            if exhaustive and not dense:
                self.frames[name_of, shown] = {
                    "source": self.source,
                    "recording_id": self.uid,
                    "what": name_of,
                    "source_frame": shown,
                    "t_s": t_s,
                }

    def _box(self, one: Any, dense: bool) -> dict:
        one = sound(one)
        name = _field(one, "name", str).strip()
        polygons = [_polygon(p) for p in _field(one, "segments", list)]
        if not polygons:
            raise Malformed("an annotation has no outline", name)
        xs = [v for polygon in polygons for v in polygon[::2]]
        ys = [v for polygon in polygons for v in polygon[1::2]]
        raw = (min(xs), min(ys), max(xs), max(ys))
        across, down = DENSE_PX if dense else SPARSE_PX
        edges = [v / size for v, size in zip(raw, (across, down) * 2, strict=True)]
        inside = [min(max(v, 0.0), 1.0) for v in edges]
        uid = one.get("id")
        touches = one.get("in_contact_object")
        if touches is not None and not isinstance(touches, str):
            raise Malformed("in_contact_object is not text", touches)
        by_hand = not dense or one.get("type") == _GROUND_TRUTH
        return {
            "id": uid if isinstance(uid, str) and uid else None,
            "class_name": name,
            "class_id": None if one.get("class_id") is None else whole_number(one["class_id"]),
            "hand_side": hand_side(name, one.get("on_which_hand")),
            "touches": touches,
            "exhaustive": _EXHAUSTIVE.get(str(one.get("exhaustive")).lower(), False),
            **dict(zip(_EDGES, inside, strict=True)),
            "raw": list(raw),
            "raw_form": "polygon_px",
            "polygons": polygons,
            "clipped": inside != edges,
            "method": "manual" if by_hand else "interpolated",
        }

    def _contact(
        self, path: str, image: str, made: dict, space: str, known: set[str]
    ) -> str | None:
        """What a hand touches, corrected where the release says so; the row notes the correction."""
        said = made.pop("touches")
        right = self.corrections.get(image, {}).get(made["class_name"])
        made["corrected"] = right is not None and right != said
        said = said if right is None else right
        if said is None:
            return None
        if said == NO_CONTACT:
            return "none"
        if said in UNSURE:
            return "inconclusive"
        if said in known:
            return f"{space}|{said}"
        self.reader.reject(
            path, f"{image}#{made['id']}", "unknown_contact", said,
            f"the {made['class_name']} touches something that is not in the picture; its contact is"
            " left open",
            REMEDY_ROW, self.uid,
        )  # fmt: skip
        return None

    # -- files of all recordings -------------------------------------------------------------------

    def _corrections(self, files: Mapping[str, bytes]) -> tuple[dict[str, dict[str, str]], str]:
        """Corrected contacts by picture and hand, and the file that corrects."""
        corrections: dict[str, dict[str, str]] = defaultdict(dict)
        by = ""
        for path, data in files.items():
            if re.fullmatch(CORRECTIONS, path):
                by = path
                for row in self.reader.json_object(path, data, self._correction):
                    corrections[row["image"]] |= row["hands"]
        return corrections, by

    def _correction(self, image: str, hands: Any) -> dict:
        if not isinstance(hands, dict) or not all(isinstance(v, str) for v in hands.values()):
            raise Malformed("a correction is not an object of hands", json.dumps(hands)[:80])
        return {"image": image, "hands": hands}


def hand_side(name: str, worn_on: object = None) -> str | None:
    """Side of a hand, or of the hand a glove is on; null for other things.

    Args:
        name: Name of the thing; some left and some "rigth".
        worn_on: What the release says of a glove: a hand, a list of hands, or nothing.
    """
    if name.endswith(("hand", "glove")):
        told = worn_on if isinstance(worn_on, list) else [worn_on]
        words = [name, *(one for one in told if isinstance(one, str))]
        sides = {m[1].replace("rigth", "right") for w in words if (m := _SIDE.search(w))}
        if len(sides) == 2:
            return "both"
        return next(iter(sides), None)
    return None


def _number(rows: list[dict], space: str) -> None:
    """Ids of boxes: the release's own, or the name numbered from the left where it gives none."""
    count: dict[str, int] = defaultdict(int)
    for row in sorted(rows, key=lambda r: (r["class_name"], r["raw"], r["polygons"])):
        if row["id"] is None:
            at = count[row["class_name"]]
            count[row["class_name"]] = at + 1
            row["box_id"] = f"{space}|{row['class_name']}|{at}"
        else:
            row["box_id"] = f"{space}|{row['id']}"


def _field(item: Any, name: str, kind: type) -> Any:
    value = item.get(name) if isinstance(item, dict) else None
    if not isinstance(value, kind):
        raise Malformed(f"{name} is absent or no {kind.__name__}", str(sound(value))[:80])
    return value


def _polygon(points: Any) -> list[float]:
    if not isinstance(points, list) or len(points) < 3:
        raise Malformed("an outline has fewer than three points", str(points)[:80])
    made: list[float] = []
    for point in points:
        if not isinstance(point, list) or len(point) != 2:
            raise Malformed("a point of an outline is not a pair", str(point)[:80])
        made += [number(v) for v in point]
    return made

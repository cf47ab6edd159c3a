"""Interactions of ENIGMA-51: points in time, with hand and object where the master file says them.

An event is a frame and a category; it is one event in however many files it stands. What the master
file says of it (which hand, which object; two hands at once are two events) replaces the bare point.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from assets.sources.enigma51.files import (
    CATEGORIES,
    EVENTS,
    FPS,
    MASTER,
    SPLIT,
    Shot,
    category,
    check_time,
    frame_number,
    members,
    video_id,
)
from assets.sources.enigma51.master import act_of, items, thing_of
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.row_reader import REMEDY_ROW, RowReader
from assets.sources.reading.values import Malformed, number
from expectations.schemas import TABLES

WEARER = "Camera wearer"
_COLUMNS = ("video_id", "frame", "timestamp", "interaction_category")
_Point = tuple[Shot, str]


@dataclass(frozen=True, slots=True)
class _Event:
    """An interaction with what is known of it."""

    shot: Shot
    category: str
    side: str | None
    thing: str | None
    thing_uid: str | None
    file: str
    key: str

    @property
    def segment_id(self) -> str:
        said = [self.side, self.thing_uid and f"object {self.thing_uid}"]
        return "/".join([self.shot.key, self.category, *(s for s in said if s)])


def read_segments(part: PartFiles) -> Rows:
    """Points of all videos, and who did what to what where it is stated."""
    reader = RowReader("segments")
    points: dict[_Point, tuple[str, str]] = {}
    # The file of both kinds first: an event that stands in two counts as from it.
    for path in sorted(part.files, key=lambda p: ("ht_hr_fc_hd" not in p, p)):
        if re.fullmatch(EVENTS, path):
            for point, line in _points(path, part.files[path], reader).items():
                points.setdefault(point, (path, str(line)))
    tests = {shot.video for shot, _ in points}
    told: dict[_Point, list[_Event]] = defaultdict(list)
    for path, data in sorted(part.files.items()):
        if re.fullmatch(MASTER, path):
            for event in _told(path, data, reader):
                told[event.shot, event.category].append(event)
    for (shot, kind), (path, line) in points.items():
        if (shot, kind) not in told:
            told[shot, kind].append(_Event(shot, kind, None, None, None, path, line))
    events = [event for point in sorted(told, key=_order) for event in told[point]]
    segments = [_segment(part.source, one, tests) for one in events]
    relations = [row for one in events for row in _relations(part.source, one)]
    tables = {
        "segments": TABLES["segments"].frame(segments),
        "relations": TABLES["relations"].frame(relations),
    }
    return Rows(tables, tuple(reader.refused))


def _order(point: _Point) -> tuple[int, str, int, str]:
    shot, kind = point
    return int(shot.video), shot.video, shot.frame, kind


def _points(path: str, data: bytes, reader: RowReader) -> dict[_Point, int]:
    """Points of a file with their lines."""
    found: dict[_Point, int] = {}

    def point(values: Mapping[str, str]) -> dict:
        shot = Shot(video_id(values["video_id"]), frame_number(values["frame"]))
        check_time(shot, round(number(values["timestamp"]) * 1000))
        return {"point": (shot, category(values["interaction_category"]))}

    for line, row in reader.csv(path, data, _COLUMNS, point):
        if row["point"] in found:
            shot, kind = row["point"]
            reader.reject(
                path, line, "event_twice", f"{shot.key} {kind}",
                "the file gives the event twice; it counts once", "remove one of the rows", shot.video,
            )  # fmt: skip
            continue
        found[row["point"]] = line
    return found


def _told(path: str, data: bytes, reader: RowReader) -> list[_Event]:
    """Events of the master file."""
    made: list[_Event] = []
    for shot, item in members(path, data, reader):
        try:
            acts = items(shot, item, "interactions")
            names = _names(items(shot, item, "objects"))
        except Malformed as error:
            said = f"row cannot be read: {error}"
            reader.reject(
                path, shot.key, "unreadable_row", error.value, said, REMEDY_ROW, shot.video
            )
            continue
        seen: set[str] = set()
        for at, raw in enumerate(acts):
            key = f"{shot.key}/interactions[{at}]"

            row = reader.make(path, key, partial(_event, path, key, shot, raw, names), shot.video)
            if row is None:
                continue
            uid = row["event"].segment_id
            if uid in seen:
                reader.reject(
                    path, key, "event_twice", uid,
                    "the frame gives the interaction twice; it counts once",
                    "remove one of them", shot.video,
                )  # fmt: skip
                continue
            seen.add(uid)
            made.append(row["event"])
    return made


def _event(path: str, key: str, shot: Shot, raw: object, names: Mapping[str, str]) -> dict:
    act = act_of(raw)
    uid = act.object_uid
    if uid is not None and uid not in names:
        raise Malformed("the frame lists no such object", uid)
    thing = None if uid is None else names[uid]
    return {"event": _Event(shot, act.category, act.side, thing, uid, path, key)}


def _names(things: list[object]) -> dict[str, str]:
    """Class names of a frame's objects by id; what cannot be read is reported where boxes are made."""
    found: dict[str, str] = {}
    for raw in things:
        try:
            thing = thing_of(raw)
        except Malformed:
            continue
        found.setdefault(thing.uid, thing.name)
    return found


def _segment(source: str, one: _Event, tests: set[str]) -> dict:
    return {
        "source": source,
        "segment_id": one.segment_id,
        "recording_id": one.shot.video,
        "kind": "interaction",
        "is_point": True,
        "start_s": one.shot.t_s,
        "end_s": one.shot.t_s,
        "precision_s": 1 / FPS,
        "split": SPLIT if one.shot.video in tests else None,
        "class_id": CATEGORIES.index(one.category),
        "class_name": one.category,
        "source_file": one.file,
        "source_key": one.key,
    }


def _relations(source: str, one: _Event) -> list[dict]:
    """The wearer's hand does something, to something."""
    fixed = {
        "source": source,
        "recording_id": one.shot.video,
        "segment_id": one.segment_id,
        "hand_side": one.side,
        "source_file": one.file,
        "source_key": one.key,
    }
    rows = []
    if one.side is not None:
        rows.append(
            {**fixed, "subject": WEARER, "relation": "verb", "object": one.category, "role": None}
        )
    if one.thing is not None:
        direct = {"relation": "direct object", "object": one.thing, "role": "direct"}
        rows.append({**fixed, "subject": one.category, **direct})
    return [{**row, "relation_id": f"{one.segment_id}/{row['relation']}"} for row in rows]

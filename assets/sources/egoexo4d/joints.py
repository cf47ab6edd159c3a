"""Joints of the wearer's body and hands in Ego-Exo4D, from the annotations of ego poses.

A file per take holds poses by frame of its synchronous videos (30 fps, from 0). Body joints are
written with hyphens, hand joints with underscores; joints that nobody could place are absent.
Positions are metres in the world of the capture, as its trajectory and the places of its GoPros are.
What people marked goes before what a model found. The pixels beside the positions are left out: they
count in pictures whose bend was taken out and, for the Aria, in the unturned sensor's.

Frames are read one after the other; the joints of all takes are held together.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any, Final

import polars as pl

from assets.sources.egoexo4d.recordings import FPS, Take
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.row_reader import REMEDY_ROW, RowReader
from assets.sources.reading.values import Malformed, number, whole_number
from expectations.contracts import Refusal
from expectations.schemas import TABLES
from expectations.schemas.sensors import BODY, FINGERS

JOINTS: Final = r"(?:[^/]+/)*annotations/ego_pose/(?:train|val)/(body|hand)/(annotation|automatic)/([^/]+)\.json"
_TABLE: Final = {"body": "body_joints", "hand": "hand_joints"}
_NAMES: Final[Mapping[str, Mapping[str, dict]]] = {
    "body": {name.replace("_", "-"): {"joint": name} for name in BODY},
    "hand": {
        f"{side}_{name}": {"hand_side": side, "joint": name}
        for side in ("left", "right")
        for name in ("wrist", *FINGERS)
    },
}
"""What the tables say of a joint, by the dataset's name."""
_FRAME: Final = re.compile(r"[0-9]{1,9}")


def read_joints(part: PartFiles, takes: Iterable[Take]) -> Rows:
    """Rows of `body_joints` and `hand_joints` of all takes whose files are here."""
    known = {take.uid: take for take in takes}
    tables = {table: [TABLES[table].empty()] for table in _TABLE.values()}
    refused: list[Refusal] = []
    files: dict[tuple[str, str], str] = {}
    for (kind, uid), paths in groupby(sorted(part.large, key=_rank), key=lambda p: _rank(p)[:2]):
        reader = RowReader(_TABLE[kind])
        take = known.get(uid)
        if take is None or take.ego is None:
            reader.reject(
                next(paths), uid, "unknown_take", uid, "poses of a take that takes.json does not list",
                "download the take, or leave its annotations out",
            )  # fmt: skip
        else:
            mine = list(paths)
            files[reader.table, take.ego.recording_id] = mine[0]
            rows = list(_rows(part, reader, kind, take, mine))
            tables[reader.table].append(TABLES[reader.table].frame(rows))
        refused.extend(reader.refused)
    made = {name: pl.concat(held) for name, held in tables.items()}
    return Rows(made, tuple(refused), files)


def _rank(path: str) -> tuple[str, str, bool, int, str]:
    """Kind and take of a file; before others what people marked, and what lies nearer to the root."""
    match = re.fullmatch(JOINTS, path)
    if match is None:
        raise ValueError(f"{path!r} is not a file of poses")
    return match[1], match[3], match[2] == "automatic", path.count("/"), path


def _rows(
    part: PartFiles, reader: RowReader, kind: str, take: Take, paths: list[str]
) -> Iterator[dict]:
    """Joints of one take: each frame from the first file that holds a pose of it."""
    assert take.ego is not None
    uid, told = take.ego.recording_id, set[int]()
    read: dict[str, str] = {}
    for path in paths:
        how = "automatic" if "/automatic/" in path else "manual"
        if how in read:
            reader.reject(
                path, take.uid, "given_twice", read[how], f"poses of this take stand in {read[how]} too",
                "remove one of the two files", uid,
            )  # fmt: skip
            continue
        read[how] = path
        mine = set[int]()
        for pose in reader.large_json(path, part.large[path](), (), _pose, uid):
            frame = pose["frame"]
            if frame >= take.end - take.start:
                reader.reject(
                    path, frame, "outside_recording", frame,
                    f"the take has {take.end - take.start} frames", REMEDY_ROW, uid,
                )  # fmt: skip
            elif pose["joints"] and frame not in told:
                mine.add(frame)
                shared = {
                    "source": part.source,
                    "recording_id": uid,
                    "sample": frame,
                    "t_s": frame / FPS,
                    "world_frame_id": take.capture,
                    "annotation": how,
                }
                for joint in _joints(reader, path, kind, pose, uid):
                    yield shared | joint
        told |= mine


def _pose(key: int | str, item: Any) -> dict:
    """Frame and its joints; none where nobody was seen."""
    if not isinstance(key, str) or _FRAME.fullmatch(key) is None:
        raise Malformed("poses are not named by a frame's number", key)
    if not isinstance(item, list) or len(item) > 1:
        raise Malformed("frame is not a list of one pose", item)
    if not item:
        return {"frame": int(key), "joints": {}}
    solid = item[0].get("annotation3D") if isinstance(item[0], dict) else None
    if not isinstance(solid, dict):
        raise Malformed("pose without annotation3D", item[0])
    return {"frame": int(key), "joints": solid}


def _joints(reader: RowReader, path: str, kind: str, pose: dict, uid: str) -> Iterator[dict]:
    for name, place in pose["joints"].items():
        row = f"{pose['frame']}/{name}"
        told = _NAMES[kind].get(name)
        if told is None:
            reader.reject(
                path, row, "unknown_joint", name, f"no joint of a {kind} is called so",
                "correct the name", uid,
            )  # fmt: skip
            continue
        made = reader.make(path, row, lambda p=place: _place(p), uid)
        if made is not None:
            yield told | made


def _place(place: object) -> dict:
    if not isinstance(place, dict):
        raise Malformed("joint is not a position", place)
    views = place.get("num_views_for_3d")
    return {
        **{axis: number(place.get(axis)) for axis in "xyz"},
        "views": None if views is None else whole_number(views),
    }

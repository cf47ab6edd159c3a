"""Movements of objects in HD-EPIC, from pick-up to put-down, with the boxes at their ends.

Both files are read one video at a time. Places of masks in 3D are left out: nothing says in which
world they are given.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from assets.sources.hd_epic.files import (
    ASSOCIATIONS,
    FPS,
    MASKS,
    SIDE_PX,
    first_of,
    video_id,
    video_or_none,
)
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.json import json_trees, sound
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed, number, text_or_none, whole_number
from expectations.schemas import TABLES

_EDGES = ("x_min", "y_min", "x_max", "y_max")
_Owner = tuple[str, str, str]
"""Track, object and name that a mask belongs to."""


def read_objects(part: PartFiles) -> Rows:
    """One track per movement; where the masks are here, its places and boxes too."""
    reader, boxes = RowReader("tracks"), RowReader("boxes")
    tracks, owners = _tracks(part, reader)
    made, fixtures = _masks(part, owners, boxes)
    for track in tracks:
        track.update(
            _places(track, sorted(fixtures[m] for m in track.pop("masks") if m in fixtures))
        )
    tables = {
        "tracks": TABLES["tracks"].frame(tracks),
        "boxes": TABLES["boxes"].frame(made),
    }
    return Rows(tables, (*reader.refused, *boxes.refused))


def _tracks(part: PartFiles, reader: RowReader) -> tuple[list[dict], dict[tuple[str, str], _Owner]]:
    """Rows of `tracks` with their masks, and whose each mask is, by video and mask."""
    path = first_of(part.files, ASSOCIATIONS)
    rows: list[dict] = []
    owners: dict[tuple[str, str], _Owner] = {}
    if path is None:
        return rows, owners
    for video, uid, said in _nested(path, part.files[path], reader):
        listed = said.get("tracks") if isinstance(said, dict) else None
        for at, one in enumerate(listed if isinstance(listed, list) else [None]):
            made = reader.make(
                path, f"{video}.{uid}.tracks[{at}]",
                lambda o=one, s=said, v=video, u=uid: _track(part.source, path, v, u, s, o),
                video_or_none(video),
            )  # fmt: skip
            if made is not None:
                rows.append(made)
                for mask in made["masks"]:
                    owners[video, mask[1]] = (made["track_id"], uid, made["name"])
    return rows, owners


def _track(source: str, path: str, video: str, uid: str, said: Any, one: Any) -> dict:
    uid, one = str(sound(uid)), sound(one)
    name = text_or_none(sound(said.get("name")) if isinstance(said, dict) else None, "name")
    track = text_or_none(one.get("track_id") if isinstance(one, dict) else None, "track_id")
    if name is None or track is None:
        raise Malformed("an association without a name, or a track without an id", name)
    times, masks = one.get("time_segment"), one.get("masks")
    if not isinstance(times, list) or len(times) != 2:
        raise Malformed("time_segment is not a pair", times)
    if not isinstance(masks, list) or not all(isinstance(m, str) for m in masks):
        raise Malformed("masks is not a list of ids", masks)
    return {
        "source": source,
        "recording_id": video_id(video),
        "track_id": track,
        "object_id": uid,
        "name": name,
        "start_s": number(times[0]),
        "end_s": number(times[1]),
        "moves": True,
        "source_file": path,
        "source_key": f"{uid}|{track}",
        "masks": [(video, mask) for mask in masks],
    }


def _places(track: Mapping[str, Any], masks: list[tuple[int, str]]) -> dict[str, str]:
    """Fixtures at a track's ends: a mask tells of the end that it lies nearer to."""
    middle = (track["start_s"] + track["end_s"]) / 2
    early = [fixture for frame, fixture in masks if frame / FPS <= middle]
    late = [fixture for frame, fixture in masks if frame / FPS > middle]
    return {
        **({"start_place": early[0]} if early else {}),
        **({"end_place": late[-1]} if late else {}),
    }


def _masks(
    part: PartFiles, owners: Mapping[tuple[str, str], _Owner], reader: RowReader
) -> tuple[list[dict], dict[tuple[str, str], tuple[int, str]]]:
    """Rows of `boxes`, and frame and fixture of each mask; masks of no track are left out."""
    path = first_of(part.files, MASKS)
    rows: list[dict] = []
    places: dict[tuple[str, str], tuple[int, str]] = {}
    if path is None:
        return rows, places
    absent = dict.fromkeys(owners)
    for video, mask, said in _nested(path, part.files[path], reader):
        owner = owners.get((video, mask))
        if owner is None:
            continue
        del absent[video, mask]
        made = reader.make(
            path, f"{video}.{mask}",
            lambda s=said, v=video, m=mask, o=owner: _box(part.source, path, v, m, s, o),
            video_or_none(video),
        )  # fmt: skip
        if made is not None:
            fixture = made.pop("fixture")
            if fixture is not None:
                places[video, mask] = (made["source_frame"], fixture)
            rows.append(made)
    for video, count in Counter(video for video, _ in absent).items():
        reader.reject(
            path, video, "masks_missing", count,
            f"{count} masks that tracks of the video name are not in the file",
            "restore the file from the release", video_or_none(video),
        )  # fmt: skip
    return rows, places


def _box(source: str, path: str, video: str, mask: str, said: Any, owner: _Owner) -> dict:
    if not isinstance(said, dict):
        raise Malformed("a mask is not an object", str(sound(said))[:80])
    # Places in 3D may be no numbers; only what is used must be sound.
    frame, box = whole_number(sound(said.get("frame_number"))), sound(said.get("bbox"))
    if frame < 0:
        raise Malformed("frames count from 0", frame)
    if not isinstance(box, list) or len(box) != 4:
        raise Malformed("bbox is not a list of four numbers", str(box)[:80])
    raw = [number(v) for v in box]
    inside = [min(max(v / SIDE_PX, 0.0), 1.0) for v in raw]
    track, uid, name = owner
    return {
        "source": source,
        "recording_id": video_id(video),
        "box_id": f"{video}|{mask}",
        "source_frame": frame,
        "t_s": frame / FPS,
        "class_name": name,
        "object_id": uid,
        "track_id": track,
        "image_space": "stored",
        **dict(zip(_EDGES, inside, strict=True)),
        "raw": raw,
        "raw_form": "xyxy_px",
        "clipped": any(not 0 <= v <= SIDE_PX for v in raw),
        "method": "manual",
        "source_file": path,
        "source_key": mask,
        "fixture": _fixture(sound(said.get("fixture"))),
    }


def _fixture(said: object) -> str | None:
    """A fixture's name; absent ones are null, also where that is written out."""
    text = text_or_none(said, "fixture")
    return None if text is None or text.lower() in ("null", "none", "") else text


def _nested(path: str, data: bytes, reader: RowReader) -> Iterator[tuple[str, str, Any]]:
    """Video, key and value of each member of a video's members."""
    try:
        for video, held in json_trees(data):
            if isinstance(held, dict):
                for key, said in held.items():
                    yield video, key, said
            else:
                fault = f"members of {video} are not an object"
                reader.make(path, video, lambda f=fault: _raise(f), video_or_none(video))
    except Malformed as error:
        reader.unreadable(path, error)


def _raise(message: str) -> dict:
    raise Malformed(message)

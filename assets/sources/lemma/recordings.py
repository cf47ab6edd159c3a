"""Recordings of LEMMA: one per agent's own camera and one of the room, all counting frames alike."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from assets.sources.layout import Medium, PartFiles, Rows
from assets.sources.lemma.files import (
    EXO,
    FPS,
    IMAGE,
    LENGTHS,
    LICENCE,
    SPLIT,
    VIDEO,
    is_person,
    recording_of,
    scene_of,
    vid_or_none,
    view_of,
)
from assets.sources.lemma.intervals import PEOPLE, Interval
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed, whole_number
from expectations.schemas import TABLES

Lengths = Mapping[str, Mapping[str, int]]
Pictures = Mapping[int, Medium]
_LENGTHS_FILE = "metadata/lengths.json"


def read_recordings(part: PartFiles) -> Rows:
    """Recordings of all videos that the annotations name, with their pictures and clocks."""
    reader = RowReader("recordings")
    # Intervals that cannot be read are refused once, by the part that fills `segments`.
    people = part.document(PEOPLE)
    lengths = _lengths(part.files, reader)
    videos, pictures = _media(part.media)
    splits = _splits(part.files)
    rows, images, clocks = [], [], []
    for vid in sorted(people.keys() | lengths.keys()):
        for view in _views(vid, people.get(vid, {}), lengths, {*videos, *pictures}):
            uid = recording_of(vid, view)
            shown, video = pictures.get(uid, {}), videos.get(uid)
            row = _recording(part.source, vid, view, people.get(vid, {}), lengths.get(vid, {}))
            row.update(split=splits.get(vid), **_pixels(video, shown))
            if video is not None and shown:
                _twice(video, shown, uid, reader)
            elif shown:
                images.extend(_images(part.source, uid, shown))
            rows.append(row)
            clocks.append(_clock(part.source, row))
    _strangers(videos, pictures, {row["recording_id"] for row in rows}, reader)
    tables = {
        name: TABLES[name].frame(made)
        for name, made in (("recordings", rows), ("images", images), ("clocks", clocks))
    }
    return Rows(tables, tuple(reader.refused))


def _views(
    vid: str, people: Mapping[str, object], lengths: Lengths, media: set[str]
) -> Iterator[str]:
    """Views of a video: each agent's, those that lie here, and the room's."""
    agents = {view_of(pid) for pid in {*people, *lengths.get(vid, {})}}
    yield from sorted(agents | {u.partition("|")[2] for u in media if u.startswith(f"{vid}|fpv")})
    yield EXO


def _recording(
    source: str,
    vid: str,
    view: str,
    people: Mapping[str, list[Interval]],
    lengths: Mapping[str, int],
) -> dict:
    pid = None if view == EXO else f"P{view[3:]}"
    told = people.values() if pid is None else [people.get(pid, [])]
    tasks = {task for intervals in told for one in intervals for task in one.tasks}
    frames = max(lengths.values(), default=None) if pid is None else lengths.get(pid)
    # A video that only the list of lengths names is made from that list.
    file = next((one.file for intervals in people.values() for one in intervals), _LENGTHS_FILE)
    return {
        "source": source,
        "recording_id": recording_of(vid, view),
        "take_id": vid,
        "view": "exo" if pid is None else "ego",
        # Several tasks are separated by a comma: such a video shows more than one.
        "scenario": ", ".join(sorted(tasks)) or None,
        "scene": scene_of(vid),
        # The room's camera shows every agent and is worn by none.
        "person_id": pid,
        "time_base": "nominal_fps",
        "duration_s": None if frames is None else frames / FPS,
        "declared_frames": frames,
        "declared_fps": FPS,
        "licence": LICENCE,
        "source_file": file,
        "source_key": recording_of(vid, view),
    }


def _clock(source: str, row: Mapping[str, object]) -> dict:
    """Views of a video count the same frames."""
    return {
        "source": source,
        "recording_id": row["recording_id"],
        "take_id": row["take_id"],
        "offset_s": 0.0,
        "rate": 1.0,
        "method": "same_index",
        "source_file": row["source_file"],
    }


# -- pixels ----------------------------------------------------------------------------------------


def _media(media: Mapping[str, Medium]) -> tuple[dict[str, Medium], dict[str, dict[int, Medium]]]:
    """Videos by recording, and pictures by recording and frame from 0 (files count from 1)."""
    videos: dict[str, Medium] = {}
    pictures: dict[str, dict[int, Medium]] = {}
    # A folder `videos/` goes before one at the root.
    for path, medium in sorted(media.items(), key=lambda m: (not m[0].startswith("videos/"), m[0])):
        if match := re.fullmatch(VIDEO, path):
            uid = recording_of(match["vid"].replace("_", "-"), match["view"])
            videos.setdefault(uid, medium)
        elif match := re.fullmatch(IMAGE, path):
            uid = recording_of(match["vid_of_image"].replace("_", "-"), match["view_of_image"])
            if int(match["image"]) > 0:
                pictures.setdefault(uid, {}).setdefault(int(match["image"]) - 1, medium)
    return videos, pictures


def _pixels(video: Medium | None, pictures: Pictures) -> dict:
    ordered = [pictures[frame] for frame in sorted(pictures)]
    shown = ordered if video is None else [video]
    return {
        "media_kind": "image_sequence" if shown and video is None else "video",
        "time_base": "pts" if video is not None or not shown else "nominal_fps",
        "media_duration_s": None if video is None else video.duration_s,
        "media": "present" if shown else "missing",
        "media_paths": [m.path for m in shown],
        "media_hashes": [m.content for m in shown],
    }


def _images(source: str, uid: str, pictures: Pictures) -> Iterator[dict]:
    for frame, medium in sorted(pictures.items()):
        yield {
            "source": source,
            "recording_id": uid,
            "source_frame": frame,
            "path": medium.path,
            "content": medium.content,
            "t_s": frame / FPS,
        }


def _twice(video: Medium, pictures: Pictures, uid: str, reader: RowReader) -> None:
    reader.reject(
        pictures[min(pictures)].path,
        None,
        "recording_twice",
        video.path,
        "pictures of a recording whose video is here and is used",
        "keep the video or the pictures",
        uid,
    )


def _strangers(
    videos: Mapping[str, Medium],
    pictures: Mapping[str, Pictures],
    known: set[str],
    reader: RowReader,
) -> None:
    for uid in sorted({*videos, *pictures} - known):
        medium = videos[uid] if uid in videos else pictures[uid][min(pictures[uid])]
        reader.reject(
            medium.path,
            None,
            "unknown_recording",
            uid,
            "media of a video that no annotation names",
            "add the video to the annotations, or remove the files",
            uid,
        )


# -- lists -----------------------------------------------------------------------------------------


def _lengths(files: Mapping[str, bytes], reader: RowReader) -> dict[str, dict[str, int]]:
    """Frames of each agent's recording, by video and agent."""
    path = next((p for p in sorted(files) if re.fullmatch(LENGTHS, p)), None)
    if path is None:
        return {}
    made = reader.json_object(path, files[path], _length)
    return {row["vid"]: row["frames"] for row in made}


def _length(name: str, people: object) -> dict:
    vid = vid_or_none(name)
    if vid is None:
        raise Malformed(f"{name!r} is not an id of a video", name)
    if not isinstance(people, dict) or not people or not all(is_person(pid) for pid in people):
        raise Malformed("the lengths are not given by agent (P1, P2)", people)
    frames = {pid: whole_number(count) for pid, count in people.items()}
    if any(count < 0 for count in frames.values()):
        raise Malformed("a length is negative", people)
    return {"vid": vid, "frames": frames}


def _splits(files: Mapping[str, bytes]) -> dict[str, str]:
    """Split of each video; of several lists `all` counts, and then the most protected split."""
    found: dict[str, tuple[tuple[bool, int], str]] = {}
    for path, data in files.items():
        match = re.fullmatch(SPLIT, path)
        if match is None:
            continue
        rank = (match[1] != "all", ("test", "val", "train").index(match[2]))
        for _, vid in split_vids(path, data, RowReader("splits")):
            found[vid] = min(found.get(vid, (rank, match[2])), (rank, match[2]))
    return {vid: split for vid, (_, split) in found.items()}


def split_vids(path: str, data: bytes, reader: RowReader) -> Iterator[tuple[int, str]]:
    """Videos of a split list with their place in it, the unreadable ones refused."""

    def made(item: object) -> dict:
        vid = vid_or_none(item)
        if vid is None:
            raise Malformed(f"{item!r} is not an id of a video", item)
        return {"vid": vid}

    for at, row in reader.json(path, data, made):
        yield at, row["vid"]

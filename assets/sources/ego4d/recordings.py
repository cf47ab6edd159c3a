"""Videos and clips of Ego4D, their places on the clock of what several cameras saw, and splits."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assets.sources.ego4d.files import CLIP, EGO4D, FPS, LICENCE, VIDEO, chosen, uid_or_none
from assets.sources.layout import Medium, PartFiles, Rows
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed, number, text_or_none, whole_number
from assets.sources.recording_rows import video_media
from expectations.schemas import TABLES

SPLITS = ("fho", "em", "av")


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a video starts on its take's clock."""

    take_id: str
    offset_s: float
    file: str
    method: str


def read_recordings(part: PartFiles) -> Rows:
    """A recording per listed video, and per clip that lies here while its video does not."""
    reader, clocks = RowReader("recordings"), RowReader("clocks")
    path = chosen(part.large, EGO4D, reader)
    if path is None:
        reader.reject("ego4d.json", None, "file_missing", None, "the list of videos is absent",
                     "restore ego4d.json")  # fmt: skip
        return Rows({}, tuple(reader.refused))
    pieces = part.large[path]
    videos: dict[str, dict] = {}
    for row in reader.large_json(path, pieces(), ["videos"], lambda _, item: _video(item)):
        if row["recording_id"] in videos:
            reader.reject(path, row["recording_id"], "video_twice", row["recording_id"],
                         "the video is listed twice; the first row counts",
                         "remove one of the rows")  # fmt: skip
        videos.setdefault(row["recording_id"], row)
    places = _places(path, part, videos, clocks)
    whole, cut = _media(part.media, VIDEO), _media(part.media, CLIP)
    rows = [
        _recording(part.source, path, row, places[uid].take_id, whole.get(uid))
        for uid, row in videos.items()
    ]
    placed = [(uid, place) for uid, place in places.items()]
    # Clips are looked up for the clips that lie here.
    clips = reader.large_json(
        path, pieces(), ["clips"], lambda _, item: _clip(item), may_be_empty=not cut
    )
    for clip in clips:
        uid, video = clip["recording_id"], clip["video"]
        if uid not in cut or video in whole or uid in videos:
            continue
        if video not in videos:
            reader.reject(path, uid, "unknown_video", video, "the clip's video is not listed",
                         "restore ego4d.json")  # fmt: skip
            continue
        home = places[video]
        row = {**videos[video], "recording_id": uid, "duration_s": clip["duration_s"],
               "declared_frames": None}  # fmt: skip
        rows.append(_recording(part.source, path, row, home.take_id, cut[uid]))
        offset = home.offset_s + clip["start_s"]
        method = "timesync" if home.method == "timesync" else "frame_aligned"
        placed.append((uid, _Place(home.take_id, offset, path, method)))
    tables = {
        "recordings": TABLES["recordings"].frame(rows),
        "clocks": TABLES["clocks"].frame(
            [
                {
                    "source": part.source,
                    "recording_id": uid,
                    "take_id": place.take_id,
                    "offset_s": place.offset_s,
                    "rate": 1.0,
                    "method": place.method,
                    "source_file": place.file,
                }
                for uid, place in placed
            ]
        ),
    }
    return Rows(tables, (*reader.refused, *clocks.refused))


def _media(media: Mapping[str, Medium], pattern: str) -> dict[str, Medium]:
    """Files by id; whole ones go before scaled ones."""
    found: dict[str, Medium] = {}
    for path in sorted(media, key=lambda p: ("540ss" in p, p.startswith("v1/"), p)):
        match = re.fullmatch(pattern, path)
        if match is not None:
            found.setdefault(match[1], media[path])
    return found


def require_object(item: object, what: str) -> Mapping[str, Any]:
    """The item, which must be an object.

    Raises:
        Malformed: It is something else.
    """
    if not isinstance(item, dict):
        raise Malformed(f"{what} is not an object", str(item)[:80])
    return item


def require_uid(value: object) -> str:
    """The value, which must be the id of a video or clip.

    Raises:
        Malformed: It has another form.
    """
    uid = uid_or_none(value)
    if uid is None:
        raise Malformed(f"{value!r} is not an id of a video or clip", value)
    return uid


def _whole(value: object) -> int | None:
    return None if value is None else whole_number(value)


def _video(item: object) -> dict:
    """What a video is, in the columns of `recordings`, and its splits."""
    video = require_object(item, "a video")
    meta = require_object(video.get("video_metadata") or {}, "video_metadata")
    scenarios = video.get("scenarios") or []
    if not isinstance(scenarios, list) or not all(isinstance(s, str) for s in scenarios):
        raise Malformed("scenarios are not a list of texts", str(scenarios)[:80])
    person = video.get("fb_participant_id")
    return {
        "recording_id": require_uid(video.get("video_uid")),
        "device": text_or_none(video.get("device"), "device"),
        "scenario": "; ".join(s.strip() for s in scenarios if s.strip()) or None,
        "environment_id": text_or_none(video.get("physical_setting_name"), "physical_setting_name"),
        "person_id": None if person is None else str(whole_number(person)),
        "split": _one_split(video),
        "duration_s": number(video.get("duration_sec")),
        "declared_frames": _whole(meta.get("num_frames")),
        "width_px": _whole(meta.get("display_resolution_width")),
        "height_px": _whole(meta.get("display_resolution_height")),
    }


def _one_split(video: Mapping[str, Any]) -> str | None:
    """Split of a video, if the tasks that split it agree."""
    said = [s for name in SPLITS if (s := video.get(f"split_{name}")) is not None]
    agree = bool(said) and all(split == said[0] for split in said)
    return said[0] if agree and said[0] in ("train", "val", "test") else None


def _clip(item: object) -> dict:
    clip = require_object(item, "a clip")
    start, end = number(clip.get("video_start_sec")), number(clip.get("video_end_sec"))
    if not 0 <= start < end:
        raise Malformed("the clip ends before it begins", f"{start}-{end}")
    return {
        "recording_id": require_uid(clip.get("clip_uid")),
        "video": require_uid(clip.get("video_uid")),
        "start_s": start,
        "duration_s": end - start,
    }


def _recording(
    source: str, file: str, row: Mapping[str, Any], take: str, medium: Medium | None
) -> dict:
    return {
        "source": source,
        **row,
        "take_id": take,
        "view": "ego",
        **video_media(medium),
        "declared_fps": FPS,
        "licence": LICENCE,
        "source_file": file,
        "source_key": row["recording_id"],
    }


def _places(
    path: str, part: PartFiles, videos: Mapping[str, dict], reader: RowReader
) -> dict[str, _Place]:
    """Take and start of each video: its set of concurrent videos, or itself alone."""
    found: dict[str, _Place] = {}
    pieces = part.large[path]()
    sets = reader.large_json(
        path, pieces, ["concurrent_video_sets"], lambda _, i: _set(i), may_be_empty=True
    )
    for one in sets:
        name = one["id"]
        if not one["valid"]:
            reader.reject(path, name, "set_not_valid", len(one["offsets"]),
                         "the release says that this set's offsets do not hold",
                         "nothing to do: its videos are takes of their own")  # fmt: skip
            continue
        for uid, offset in one["offsets"].items():
            if uid not in videos:
                reader.reject(path, name, "unknown_video", uid,
                             "a set names a video that is not listed",
                             "restore ego4d.json")  # fmt: skip
            elif uid in found:
                reader.reject(path, name, "video_in_two_sets", uid,
                             f"the video is in set {found[uid].take_id} too, which counts",
                             "remove the video from one of the sets")  # fmt: skip
            else:
                found[uid] = _Place(name, offset, path, "timesync")
    return {uid: found.get(uid) or _Place(uid, 0.0, path, "alone") for uid in videos}


def _set(item: object) -> dict:
    said = require_object(item, "a set of concurrent videos")
    videos = said.get("videos")
    if not isinstance(videos, list) or not isinstance(said.get("valid"), bool):
        raise Malformed("the set has no list of videos, or does not say whether it is valid",
                        str(said)[:80])  # fmt: skip
    offsets: dict[str, float] = {}
    for video in videos:
        row = require_object(video, "a video of the set")
        uid = require_uid(row.get("video_uid"))
        if uid in offsets:
            raise Malformed("a video is in the set twice", uid)
        offsets[uid] = number(row.get("video_start_offset_sec"))
    return {
        "id": f"concurrent_{whole_number(said.get('concurrent_video_set_id'))}",
        "valid": said["valid"],
        "offsets": offsets,
    }

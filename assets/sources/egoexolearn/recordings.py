"""Recordings of EgoExoLearn: the released list, with split and whatever media is here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

from assets.sources.egoexolearn.files import (
    BUNDLE,
    LICENCE,
    META,
    PUPIL,
    RELEASED,
    SESSIONS,
    uid_or_none,
)
from assets.sources.egoexolearn.sessions import ALL_SESSIONS, Session, links
from assets.sources.egoexolearn.splits import bundle_uids
from assets.sources.layout import Medium, PartFiles, Rows
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed, number, text_or_none, whole_number
from expectations.schemas import TABLES
from expectations.schemas.sources import WEB


def read_recordings(part: PartFiles) -> Rows:
    """Recordings from the released video list, with the media that is here."""
    reader = RowReader("recordings")
    media = _media_by_recording(part.media, reader)
    splits = _splits(part.files, reader)
    held = part.document(ALL_SESSIONS, reader)
    rows: list[dict] = []
    is_listed = META in part.files
    if META not in part.files:
        reader.reject(
            META, None, "file_missing", None, "the list of recordings is absent", f"restore {META}"
        )
    else:
        rows = [
            {
                **row,
                "source_key": row["recording_id"],
                **_session(held.get(row["recording_id"]), row),
            }
            for _, row in reader.json(
                META, part.files[META], lambda item: _recording(part.source, item, media, splits)
            )
        ]
        # A list that cannot be read names nobody: that is reported once, and not for everything else.
        is_listed = all(refused["rule"] != "unreadable_file" for refused in reader.refused)
        if is_listed:
            _strangers(media, {row["recording_id"] for row in rows}, reader)
    # Of a recording that is listed twice the first row is kept.
    views = {row["recording_id"]: row["view"] for row in reversed(rows)}
    for uid in sorted(held.keys() - views.keys()) if is_listed else ():
        reader.reject(
            SESSIONS,
            uid,
            "unknown_recording",
            uid,
            "session of a recording that the list of recordings does not name",
            f"add it to {META}, or remove the row",
            uid,
        )
    tables = {
        "recordings": TABLES["recordings"].frame(rows),
        "take_links": TABLES["take_links"].frame(links(part.source, held, views, reader)),
    }
    return Rows(tables, tuple(reader.refused))


def _session(held: Session | None, row: Mapping[str, object]) -> dict:
    """Who was recorded where, as far as the sessions say; demonstrations in kitchens come from the web."""
    is_web = (row["view"], row["scene"]) == ("exo", "kitchen")
    place = f"{WEB}{row['recording_id']}" if is_web else None
    if held is None:
        return {"environment_id": place}
    return {"person_id": held.participant, "environment_id": held.environment or place}


def _strangers(media: Mapping[str, list[Medium]], known: set[str], reader: RowReader) -> None:
    for uid in sorted(media.keys() - known):
        reader.reject(
            media[uid][0].path,
            None,
            "unknown_recording",
            uid,
            "media of a recording that the list of recordings does not name",
            f"add it to {META}, or remove the file",
            uid,
        )


def _splits(files: Mapping[str, bytes], reader: RowReader) -> dict[str, str]:
    """Split of each listed recording; where lists contradict, the most protected one holds."""
    splits: dict[str, str] = {}
    bundles = [p for p in files if re.fullmatch(BUNDLE, p) and "/ego_gaze_" not in p]
    for wanted in ("test", "val", "train"):
        for path in (p for p in bundles if p.endswith(f"_{wanted}_annotations.bundle")):
            # Unreadable lines are refused once, by the part that fills `splits`.
            for line, uid in bundle_uids(path, files[path], RowReader("splits")):
                if splits.setdefault(uid, wanted) != wanted:
                    reader.reject(
                        path,
                        line,
                        "contradicting_split",
                        f"{wanted}, also {splits[uid]}",
                        f"recording is listed in two splits; {splits[uid]} holds",
                        "remove it from one of the lists",
                        uid,
                    )
    return splits


def _recording(
    source: str, item: object, media: Mapping[str, list[Medium]], splits: Mapping[str, str]
) -> dict:
    if not isinstance(item, dict):
        raise Malformed(f"{item!r} is not an object", item)
    uid = uid_or_none(item.get("video_uid"))
    if uid is None:
        raise Malformed(f"video_uid {item.get('video_uid')!r} is not a UUID", item.get("video_uid"))
    fps = number(item.get("fps"))
    if fps <= 0:
        raise Malformed(f"fps {fps} is not positive", fps)
    frames = whole_number(item.get("num_frames"))
    files = media.get(uid, [])
    return {
        "source": source,
        "recording_id": uid,
        "take_id": uid,
        "view": text_or_none(item.get("view"), "view"),
        "device": "pupil_invisible" if files and files[0].path.startswith("pupil/") else None,
        "scenario": text_or_none(item.get("task"), "task"),
        "scene": text_or_none(item.get("scene"), "scene"),
        "split": splits.get(uid),
        "media_kind": "video",
        "time_base": "pts",
        "duration_s": frames / fps,
        "media_duration_s": files[0].duration_s if len(files) == 1 else None,
        "declared_frames": frames,
        "declared_fps": fps,
        "width_px": whole_number(item.get("width")),
        "height_px": whole_number(item.get("height")),
        "media": "present" if files else "missing",
        "media_paths": [m.path for m in files],
        "media_hashes": [m.content for m in files],
        "licence": LICENCE,
        "source_file": META,
    }


def _media_by_recording(media: Mapping[str, Medium], reader: RowReader) -> dict[str, list[Medium]]:
    """Media files per recording, parts in numeric order; raw recordings before released ones."""
    raw: dict[str, dict[str, list[Medium]]] = {}
    found: dict[str, list[Medium]] = {}
    for path, medium in media.items():
        if match := re.fullmatch(PUPIL, path):
            folder = str(PurePosixPath(path).parent)
            raw.setdefault(match[1], {}).setdefault(folder, []).append(medium)
        elif match := re.fullmatch(RELEASED, path):
            found[match[1]] = [medium]
    for uid, folders in raw.items():
        # The native folder, whose name is shorter, holds the device's own stamps.
        chosen, *others = sorted(folders, key=lambda name: (len(name), name))
        found[uid] = sorted(folders[chosen], key=_part_number)
        for other in others:
            reader.reject(
                other,
                None,
                "recording_twice",
                chosen,
                "another folder holds the same recording and is used",
                "keep one of the folders",
                uid,
            )
    return found


def _part_number(medium: Medium) -> tuple[int, str]:
    match = re.search(r"ps(\d+)\.mp4$", medium.path)
    return (int(match[1]) if match else 0, medium.path)

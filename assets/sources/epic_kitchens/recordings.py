"""Recordings of EPIC-KITCHENS-100, their places, and the split lists they stand in."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping

from assets.sources.documents import Document
from assets.sources.epic_kitchens.files import (
    ACTIONS,
    DETECTION,
    EXTENSION,
    LICENCE,
    LISTS,
    SOUNDS,
    VIDEO,
    VIDEO_INFO,
    in_order,
    is_extension,
    participant_of,
    video_id,
    video_or_none,
)
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.text_columns import text_columns
from assets.sources.reading.values import Malformed, number
from assets.sources.recording_rows import recording_tables, video_media, videos_by_id

_SIZE = re.compile(r"([0-9]{2,5})x([0-9]{2,5})")
_REMEDY_SPLIT = "decide which list is right and correct the other"


def read_recordings(part: PartFiles) -> Rows:
    """One recording per video that any list, or a file of pixels, names.

    The split is that of the lists for action recognition. Lists for domain adaptation call parts of
    the same videos by other names; they are in `splits` alone.
    """
    reader = RowReader("recordings")
    info = part.document(INFO, reader)
    moved = _moved(part.files, reader)
    media = videos_by_id(part.media, VIDEO)
    listed = part.document(LISTED)
    named: dict[str, str] = {}
    for (_, path), videos in listed.items():
        for video in videos:
            named.setdefault(video, path)
    splits = part.document(MAIN_SPLITS, reader)
    rows = []
    for uid in sorted({*info, *named, *media}):
        medium = media.get(uid)
        known = info.get(uid, {})
        rows.append(
            {
                "source": part.source,
                "recording_id": uid,
                "take_id": uid,
                "view": "ego",
                "device": "gopro",
                "scenario": "cooking",
                "scene": "kitchen",
                "environment_id": _kitchen(uid, moved),
                "person_id": participant_of(uid),
                "split": splits.get(uid),
                **video_media(medium),
                "licence": LICENCE,
                "source_file": named.get(uid, "" if medium is None else medium.path),
                "source_key": uid,
                **known,
            }
        )
    return Rows(recording_tables(rows, "alone"), tuple(reader.refused))


def _parse_info(files: Mapping[str, bytes], reader: RowReader) -> Mapping[str, dict]:
    """Length, rate and size of each video, as the release states them."""
    found: dict[str, dict] = {}

    def row(values: Mapping[str, str]) -> dict:
        size = _SIZE.fullmatch(values["resolution"].strip())
        if size is None:
            raise Malformed("resolution is not WIDTHxHEIGHT", values["resolution"])
        return {
            "uid": video_id(values["video_id"]),
            "duration_s": number(values["duration"]),
            "declared_fps": number(values["fps"]),
            "width_px": int(size[1]),
            "height_px": int(size[2]),
        }

    for path, data in files.items():
        columns = ("video_id", "duration", "fps", "resolution")
        mine: dict[str, dict] = {}
        for at, made in reader.csv(
            path, data, columns, row, lambda v: video_or_none(v["video_id"])
        ):
            uid = made.pop("uid")
            reader.keep_first(mine, uid, made, file=path, row=at, recording_id=uid)
        for uid, made in mine.items():
            found.setdefault(uid, {**made, "source_file": path})
    return found


def _moved(files: Mapping[str, bytes], reader: RowReader) -> dict[str, bool] | None:
    """Whether each participant of the extension cooked in another kitchen than before."""
    path = next((p for p in files if re.fullmatch(EXTENSION, p)), None)
    if path is None:
        return None

    def row(values: Mapping[str, str]) -> dict:
        told = values["ChangingKitchen"].strip()
        if told not in ("0", "1"):
            raise Malformed("ChangingKitchen is neither 0 nor 1", told)
        return {"who": values["Participant"].strip(), "moved": told == "1"}

    columns = ("Participant", "ChangingKitchen")
    found: dict[str, bool] = {}
    for at, made in reader.csv(path, files[path], columns, row):
        reader.keep_first(found, made["who"], made["moved"], file=path, row=at)
    return found


def _kitchen(video: str, moved: Mapping[str, bool] | None) -> str | None:
    """A participant's kitchen; null where the files do not say whether the extension changed it."""
    who = participant_of(video)
    if not is_extension(video):
        return who
    if moved is None or who not in moved:
        return None
    return f"{who}|extension" if moved[who] else who


def _parse_lists(
    files: Mapping[str, bytes], reader: RowReader
) -> Mapping[tuple[str, str], list[str]]:
    """Videos of each list in the order in which it first names them, by family and path."""
    found: dict[tuple[str, str], list[str]] = {}
    for path, one in in_order(files, (*ACTIONS, *SOUNDS, DETECTION)):
        columns = text_columns(reader, path, files[path], ("video_id",))
        texts = [] if columns is None else columns.texts["video_id"]
        found[one.family, path] = [v for v in dict.fromkeys(texts) if video_or_none(v)]
    return found


def _parse_splits(files: Mapping[str, bytes], reader: RowReader) -> Mapping[str, str]:
    """Split of each video by the lists for action recognition; none where they contradict."""
    told: dict[str, dict[str, str]] = defaultdict(dict)
    lists = {path: one for path, one in in_order(files, ACTIONS) if one.family == "recognition"}
    # What is wrong with their rows is recorded with `LISTED`, of which they are a part.
    listed = _parse_lists({path: files[path] for path in lists}, RowReader("splits"))
    for (_, path), videos in listed.items():
        for video in videos:
            told[video].setdefault(lists[path].split, path)
    for video, splits in sorted(told.items()):
        if len(splits) > 1:
            reader.reject(
                max(splits.values()), video, "contradicting_split", ", ".join(sorted(splits)),
                f"the video is listed in {' and '.join(sorted(splits))}", _REMEDY_SPLIT, video,
            )  # fmt: skip
    return {video: next(iter(splits)) for video, splits in told.items() if len(splits) == 1}


INFO = Document("recordings", VIDEO_INFO, _parse_info)
"""Length, rate and size of each video; `recordings` records what is wrong with the file."""

LISTED = Document("splits", LISTS, _parse_lists)
"""Videos by list; `splits` records what is wrong with the lists."""

MAIN_SPLITS = Document("recordings", "|".join(one.pattern for one in ACTIONS), _parse_splits)
"""Split of each video by the lists for action recognition; `recordings` records contradictions."""

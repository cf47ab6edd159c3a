"""Recordings of HD-EPIC: one per video of an Aria, each wearer in the own kitchen."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

from assets.sources.documents import Document
from assets.sources.hd_epic.files import (
    ACTIVITIES,
    ASSOCIATIONS,
    FPS,
    LICENCE,
    MULTI_SLAM,
    SIDE_PX,
    URLS,
    VIDEO,
    first_of,
    video_id,
    video_or_none,
)
from assets.sources.hd_epic.recipes import ALL_RECIPES, Recipe
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.json import json_trees, object_of
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.text_columns import text_columns
from assets.sources.reading.values import Malformed, number
from assets.sources.recording_rows import recording_tables, video_media, videos_by_id


def read_recordings(part: PartFiles) -> Rows:
    """One recording per video that a list or a file of pixels names."""
    reader = RowReader("recordings")
    lengths = part.document(LENGTHS, reader)
    media = videos_by_id(part.media, VIDEO)
    named: dict[str, str] = {uid: path for uid, (_, path) in lengths.items()}
    for path, videos in _named(part.files):
        for video in videos:
            named.setdefault(video, path)
    for uid, medium in media.items():
        named.setdefault(uid, medium.path)
    recipes = _cooked(part.document(ALL_RECIPES))
    rows = []
    for uid, path in sorted(named.items()):
        medium = media.get(uid)
        rows.append(
            {
                "source": part.source,
                "recording_id": uid,
                "take_id": uid,
                "view": "ego",
                "device": "aria",
                "scenario": ", ".join(recipes.get(uid, ())) or None,
                "scene": "kitchen",
                "environment_id": uid[:3],
                "person_id": uid[:3],
                **video_media(medium),
                "duration_s": lengths[uid][0] if uid in lengths else None,
                "declared_fps": FPS,
                "width_px": SIDE_PX,
                "height_px": SIDE_PX,
                "licence": LICENCE,
                "source_file": path,
                "source_key": uid,
            }
        )
    _tell_multi_slam(part.files, reader)
    return Rows(recording_tables(rows, "alone"), tuple(reader.refused))


def _parse_lengths(
    files: Mapping[str, bytes], reader: RowReader
) -> Mapping[str, tuple[float, str]]:
    """Length of each video, and the file that states it."""
    path = first_of(files, URLS)
    if path is None:
        return {}

    def row(values: Mapping[str, str]) -> dict:
        return {"uid": video_id(values["video_id"]), "s": number(values["duration"])}

    rows = reader.csv(path, files[path], ("video_id", "duration"), row)
    return {made["uid"]: (made["s"], path) for _, made in rows}


LENGTHS = Document("recordings", URLS, _parse_lengths)
"""Length of each video and the file that states it; `recordings` records what is wrong with it."""


def _named(files: Mapping[str, bytes]) -> list[tuple[str, list[str]]]:
    """Videos that lists of annotations name; what is wrong with these is reported by their own parts."""
    found: list[tuple[str, list[str]]] = []
    for path, data in files.items():
        if re.fullmatch(ACTIVITIES, path):
            columns = text_columns(RowReader("segments"), path, data, ("video_id",))
            texts = [] if columns is None else columns.texts["video_id"]
            found.append((path, [v for v in dict.fromkeys(texts) if video_or_none(v)]))
        elif re.fullmatch(ASSOCIATIONS, path):
            try:
                keys = [key for key, _ in json_trees(data)]
            except Malformed:
                continue
            found.append((path, [key for key in keys if video_or_none(key)]))
    return found


def _cooked(recipes: Iterable[Recipe]) -> dict[str, list[str]]:
    """Names of the recipes that are cooked in each video, in order of their ids."""
    found: dict[str, list[str]] = defaultdict(list)
    for one in sorted(recipes, key=lambda r: r.uid):
        for video in one.videos:
            if one.name not in found[video]:
                found[video].append(one.name)
    return found


def _tell_multi_slam(files: Mapping[str, bytes], reader: RowReader) -> None:
    """Trajectories of several videos lie under numbers: their paths do not tell whose they are."""
    for path, data in files.items():
        if not re.fullmatch(MULTI_SLAM, path):
            continue
        try:
            said = object_of(data)
        except Malformed as error:
            reader.unreadable(path, error)
            continue
        home = path.rpartition("/")[0]
        for key, number_of in sorted(said.items()):
            found = re.search(r"P[0-9]{2}-[0-9]{8}-[0-9]{6}", key)
            if found is not None:
                reader.reject(
                    path, key, "trajectory_by_number", number_of,
                    f"the trajectory lies in {home}/{number_of}/slam and is not read from there",
                    f"link or copy that folder to mps_{found[0]}_vrs/slam beside the eye gaze",
                    found[0],
                )  # fmt: skip

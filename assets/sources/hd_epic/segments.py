"""Narrated actions, activities, recipe steps, sounds and gaze priming of HD-EPIC."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from assets.sources.hd_epic.files import (
    ACTIVITIES,
    FPS,
    PRIMING,
    SOUNDS,
    first_of,
    video_id,
    video_or_none,
)
from assets.sources.hd_epic.narrations import narrations_of
from assets.sources.hd_epic.recipes import ALL_RECIPES, recipe_segments
from assets.sources.hd_epic.recordings import LENGTHS
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.json import json_trees, sound
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.text_columns import clock_s, text_columns
from assets.sources.reading.values import Malformed, number, whole_number
from expectations.schemas import TABLES

_TO_THE_END = "end"
_ACTIVITY_PRECISION_S = 1.0
_SOUND_PRECISION_S = 0.001
_NOT_PRIMED, _EXCLUDED = -1, -2


def read_segments(part: PartFiles) -> Rows:
    """All annotated spans, the relations of the narrations, and what gaze foretold."""
    reader = RowReader("segments")
    segments, relations = narrations_of(part.source, part.files, reader)
    segments += _activities(part, part.document(LENGTHS), reader)
    segments += recipe_segments(part.source, part.document(ALL_RECIPES, reader))
    segments += _sounds(part.source, part.files, reader)
    states = RowReader("object_states")
    tables = {
        "segments": TABLES["segments"].frame(segments),
        "relations": TABLES["relations"].frame(relations),
        "object_states": TABLES["object_states"].frame(_priming(part.source, part.files, states)),
    }
    return Rows(tables, (*reader.refused, *states.refused))


def _activities(
    part: PartFiles, lengths: Mapping[str, tuple[float, str]], reader: RowReader
) -> Iterator[dict]:
    """Activities; one that lasts to the `end` needs the video's length."""

    def row(path: str, values: Mapping[str, str]) -> dict:
        video = video_id(values["video_id"])
        label, recipe = values["high_level_activity_label"].strip(), values["recipe_id"].strip()
        if not label:
            raise Malformed("high_level_activity_label is empty")
        start, text = number(values["start_time"]), values["end_time"].strip()
        if text == _TO_THE_END:
            if video not in lengths:
                raise Malformed("lasts to the end of a video whose length no file states", video)
            end = lengths[video][0]
        else:
            end = number(text)
        key = f"activity|{video}|{recipe or 'background'}|{start:g}|{text}|{label}"
        return {
            "source": part.source,
            "segment_id": key,
            "recording_id": video,
            "kind": "coarse",
            "start_s": start,
            "end_s": end,
            "precision_s": _ACTIVITY_PRECISION_S,
            "class_name": label,
            "source_file": path,
            "source_key": key,
        }

    columns = ("video_id", "recipe_id", "high_level_activity_label", "start_time", "end_time")
    for path, data in part.files.items():
        if re.fullmatch(ACTIVITIES, path):
            rows = reader.csv(
                path, data, columns, lambda v, p=path: row(p, v),
                lambda v: video_or_none(v["video_id"]),
            )  # fmt: skip
            yield from (made for _, made in rows)


def _sounds(source: str, files: Mapping[str, bytes], reader: RowReader) -> Iterator[dict]:
    """Sounds; they have no ids: their key is what is heard when."""
    path = first_of(files, SOUNDS)
    needed = ("video_id", "start_timestamp", "stop_timestamp", "class", "class_id")
    columns = None if path is None else text_columns(reader, path, files[path], needed)
    if columns is None:
        return
    videos = columns.read("video_id", video_id)
    starts = columns.read("start_timestamp", clock_s)
    ends = columns.read("stop_timestamp", clock_s)
    classes = columns.read("class_id", whole_number)
    columns.reject(reader, videos)
    for at, (video, start, end, class_id) in enumerate(
        zip(videos, starts, ends, classes, strict=True)
    ):
        if at in columns.faults:
            continue
        name = columns.texts["class"][at]
        key = f"sound|{video}|{start:.3f}|{end:.3f}|{class_id}"
        yield {
            "source": source,
            "segment_id": key,
            "recording_id": video,
            "kind": "sound",
            "start_s": start,
            "end_s": end,
            "precision_s": _SOUND_PRECISION_S,
            "class_id": class_id,
            "class_name": name,
            "source_file": path,
            "source_key": key,
        }


# -- gaze priming ----------------------------------------------------------------------------------


def _priming(source: str, files: Mapping[str, bytes], reader: RowReader) -> Iterator[dict]:
    """Whether gaze was on a place before an object was taken from it or put there.

    A state holds from the primed frame (where there is none, from the window's start) to the frame
    of the interaction. What the release excludes is not a row.
    """
    path = first_of(files, PRIMING)
    if path is None:
        return
    try:
        for video, objects in json_trees(files[path]):
            uid = video_or_none(video)
            for name, said in objects.items() if isinstance(objects, dict) else ():
                for edge, attribute in (("start", "primed_pick_up"), ("end", "primed_put_down")):
                    key = f"{video}|{name}|{edge}"
                    made = reader.make(
                        path, key, lambda s=said, e=edge, n=name: _primed(s, e, str(sound(n))), uid
                    )
                    if made and uid is not None:
                        yield {
                            "source": source,
                            "recording_id": video,
                            "state_id": f"priming|{key}",
                            "attribute": attribute,
                            "source_file": path,
                            "source_key": key,
                            **made,
                        }
    except Malformed as error:
        reader.unreadable(path, error)


def _primed(said: Any, edge: str, name: str) -> dict:
    event = said.get(edge) if isinstance(said, dict) else None
    if event is None:
        return {}
    stats = event.get("prime_stats") if isinstance(event, dict) else None
    if not isinstance(event, dict) or not isinstance(stats, dict):
        raise Malformed("prime_stats is absent or no object", name)
    frame, primed = (
        whole_number(sound(v)) for v in (event.get("frame"), stats.get("frame_primed"))
    )
    if primed == _EXCLUDED:
        return {}
    if primed < _NOT_PRIMED or frame < 0:
        raise Malformed("frame_primed is neither a frame, -1 nor -2", primed)
    start = primed if primed >= 0 else whole_number(sound(stats.get("prime_window_start")))
    return {
        "start_s": start / FPS,
        "end_s": frame / FPS,
        "value": "yes" if primed >= 0 else "no",
        "object": f"object {name}",
        "object_id": f"priming|{name}",
    }

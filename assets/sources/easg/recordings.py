"""Recordings of Ego-EASG."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from assets.sources.easg.clips import ALL_GRAPHS, Known, clip_videos
from assets.sources.easg.files import (
    CLIP,
    FPS,
    LICENCE,
)
from assets.sources.layout import Medium, PartFiles, Rows
from assets.sources.reading.row_reader import RowReader
from assets.sources.recording_rows import video_media
from expectations.schemas import TABLES


def read_recordings(part: PartFiles) -> Rows:
    """Clips that any file of graphs names, placed on their video where its start is known.

    Other clips of Ego4D may lie in the same folder: they are not part of this dataset.
    """
    media = _media(part.media)
    reader = RowReader("recordings")
    videos = clip_videos(part.files, reader)
    clips = {
        uid: replace(known, video=known.video or videos.get(uid))
        for uid, known in part.document(ALL_GRAPHS).clips.items()
    }
    rows = [_recording(part.source, uid, known, media.get(uid)) for uid, known in clips.items()]
    clocks = [
        {
            "source": part.source,
            "recording_id": uid,
            "take_id": known.video,
            "offset_s": known.start / FPS,
            "rate": 1.0,
            "method": "frame_aligned",
            "source_file": known.file,
        }
        for uid, known in clips.items()
        if known.video is not None and known.start is not None
    ]
    if not rows:
        reader.reject(
            "easg-downstream/ALL_GRAPHS_FOR_DOWNSTREAM.json",
            None,
            "file_missing",
            None,
            "no file of graphs is here",
            "restore ALL_GRAPHS_FOR_DOWNSTREAM.json or the pickles",
        )
    tables = {
        "recordings": TABLES["recordings"].frame(rows),
        "clocks": TABLES["clocks"].frame(clocks),
    }
    return Rows(tables, tuple(reader.refused))


def _media(media: Mapping[str, Medium]) -> dict[str, Medium]:
    """Clips by id; whole ones go before scaled ones."""
    found: dict[str, Medium] = {}
    for path in sorted(media, key=lambda p: ("540ss" in p, p)):
        match = re.fullmatch(CLIP, path)
        if match is not None:
            found.setdefault(match[1], media[path])
    return found


def _recording(source: str, uid: str, known: Known, medium: Medium | None) -> dict:
    width, height = known.size_px or (None, None)
    return {
        "source": source,
        "recording_id": uid,
        # Clips of one video show one performance.
        "take_id": known.video or uid,
        "view": "ego",
        "split": known.split,
        **video_media(medium),
        "duration_s": known.length_s,
        "declared_fps": FPS,
        "width_px": width,
        "height_px": height,
        "licence": LICENCE,
        "source_file": known.file,
        "source_key": uid,
    }

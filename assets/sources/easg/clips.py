"""Everything the files of Ego-EASG tell, joined: clips and their graphs in frames of the clip."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from assets.sources.documents import Document
from assets.sources.easg.downstream import clip_starts, declared_clips, placed_graphs, written_clips
from assets.sources.easg.files import GRAPHS, VIDEO_UIDS, uid_or_none
from assets.sources.easg.graph import Graph
from assets.sources.easg.master import master_clips, master_graphs
from assets.sources.easg.pickles import pickled_graphs
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of one clip.

    Attributes:
        video: Canonical video it is cut from.
        split: Its split.
        start: Its first frame in that video.
        length_s: Its length.
        size_px: Width and height of its pictures.
        file: File that names it first.
    """

    file: str
    video: str | None = None
    split: str | None = None
    start: int | None = None
    length_s: float | None = None
    size_px: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """Clips by id, and graphs by id."""

    clips: Mapping[str, Known]
    graphs: Mapping[str, Graph]


def _parse_graphs(files: Mapping[str, bytes], reader: RowReader) -> Told:
    """Join the graphs of all files."""
    pickled = pickled_graphs(files, reader)
    written = written_clips(files, reader)
    declared = declared_clips(files, reader)
    master = master_clips(files, reader)
    starts = clip_starts(written, pickled.values(), declared)
    graphs = {g.uid: g for g in pickled.values()}
    for one in placed_graphs(written, pickled, starts, reader):
        graphs[one.uid] = one
    for one in master_graphs(master, graphs, reader):
        graphs[one.uid] = one
    clips: dict[str, Known] = {}
    for uid, clip in written.items():
        clips[uid] = Known(clip.file, clip.video, clip.split)
    for graph in pickled.values():
        clips.setdefault(graph.clip, Known(graph.file, split=graph.split))
    for uid, clip in master.items():
        before = clips.setdefault(uid, Known(clip.file, split=clip.split))
        clips[uid] = replace(before, size_px=clip.size_px)
    return Told(
        {
            uid: replace(
                known,
                start=starts.get(uid, declared.get(uid, (None, None))[0]),
                length_s=declared.get(uid, (None, None))[1],
            )
            for uid, known in sorted(clips.items())
        },
        dict(sorted(graphs.items())),
    )


ALL_GRAPHS = Document("segments", GRAPHS, _parse_graphs)
"""Clips and graphs of all files; `segments` records what is wrong with them."""


def clip_videos(files: Mapping[str, bytes], reader: RowReader) -> dict[str, str]:
    """Canonical video of each clip that the mapping names."""
    path = next((p for p in files if re.fullmatch(VIDEO_UIDS, p)), None)
    if path is None:
        return {}
    return {row["clip"]: row["video"] for row in reader.json_object(path, files[path], _pair)}


def _pair(clip: object, video: object) -> dict:
    if uid_or_none(clip) is None or uid_or_none(video) is None:
        raise Malformed("clip and video are not both UUIDs", video)
    return {"clip": clip, "video": video}

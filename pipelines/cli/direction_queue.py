"""Movements of a source, take by take, for people to write directions of."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from assets.protocols.clips import build_clip
from assets.protocols.declared import default_protocols
from assets.questions.egoexobench.direction_prediction import BUILDER
from assets.questions.egoexobench.written_directions import DIRECTION_QUEUE, direction_queue
from expectations.schemas import TABLES
from pipelines.cli.shown_questions import ENCODING, local_files, media_reader
from pipelines.cli.written_files import write_pictures
from resources.config import Settings
from resources.models.base import decode_clip, to_jpeg

_PROTOCOL = "egoexobench_direct"
"""Its frames are shown: eight of each clip."""


def directions_of(
    settings: Settings,
    source: str,
    round_: int,
    limit: int | None = None,
    folder: Path | None = None,
) -> pl.DataFrame:
    """Queue of directions of a source, in the columns of `QUEUE` and `frames`.

    Args:
        settings: Configuration.
        source: Source.
        round_: Round the decisions will belong to: in the first people write, in later ones others accept.
        limit: At most so many movements; None for all.
        folder: Folder for the frames of all views; None writes none.

    Returns:
        `frames` are pictures of the views in the order in which `text` names them, as Label Studio finds
        them; a view whose media are not here has none.
    """
    movements = _movements(settings, source, round_)
    movements = movements if limit is None else movements.head(limit)
    written: list[list[str]] = [[] for _ in range(movements.height)]
    if folder is not None:
        views = _Views(settings, source, folder)
        written = [local_files(folder, views.write(row)) for row in movements.iter_rows(named=True)]
    return movements.drop("views").with_columns(
        pl.Series("frames", written, dtype=pl.List(pl.String))
    )


class _Views:
    """Frames of what people watch, as files below a folder."""

    def __init__(self, settings: Settings, source: str, folder: Path) -> None:
        self._store, self._source, self._folder = settings.store, source, folder
        self._reader = media_reader(settings, source)
        self._protocol = default_protocols()[_PROTOCOL]
        recordings = settings.store.read(TABLES["recordings"], source).filter(media="present")
        self._hashes = dict(recordings.select("recording_id", "media_hashes").iter_rows())

    def write(self, movement: Mapping[str, Any]) -> list[str]:
        """Paths below the folder of the frames of a movement, view by view."""
        paths: list[str] = []
        for number, view in enumerate(movement["views"]):
            uid = view["recording_id"]
            frames = self._store.read(TABLES["frames"], self._source, [uid])
            if uid not in self._hashes or frames.is_empty():
                continue
            content = "+".join(self._hashes[uid] or ())
            medium = {"role": f"view_{number}", "content": content, "sampling": None, **view}
            clip = build_clip(medium, self._protocol, frames)
            frames_sent = decode_clip(clip, self._reader, self._protocol.short_side_px)
            pictures = (to_jpeg(frame, ENCODING) for frame in frames_sent)
            place = Path(movement["item_hash"]) / f"{number}"
            paths += write_pictures(self._folder, place, pictures)
        return paths


def _movements(settings: Settings, source: str, round_: int) -> pl.DataFrame:
    """Movements of all takes, in the columns of `DIRECTION_QUEUE`."""
    store = settings.store
    recordings = store.read(TABLES["recordings"], source)
    states = store.read(TABLES["review_states"], source)
    queues = [pl.DataFrame(schema=DIRECTION_QUEUE)]
    for _, members in recordings.sort("take_id", "recording_id").group_by(
        "take_id", maintain_order=True
    ):
        if members["view"].n_unique() < 2:
            continue
        uids = members["recording_id"].to_list()
        tables = {
            name: store.read(TABLES[name], source, uids)
            for name in BUILDER.reads
            if TABLES[name].unit == "recording_id"
        }
        tables |= {"recordings": members, "review_states": states}
        queues.append(direction_queue(tables, round_))
    return pl.concat(queues)

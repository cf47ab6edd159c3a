"""A source's rows without a store: the steps of `assets.sources.stage`, repeated for files in memory.

Readers are pure, so what a reader gave for the same files is kept: an edit of one file costs the
parts that read it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b

import polars as pl

from assets.sources.layout import Layout, Medium, Part, PartFiles, Rows
from assets.sources.reading.row_reader import REMEDY_FILE
from assets.sources.reading.values import Malformed
from assets.sources.rows import contracted, inside_recordings, of_recording
from assets.sources.splits import with_splits
from assets.sources.stage import STAGES
from expectations.contracts import Refusal
from expectations.schemas import TABLES

_PIECE = 1 << 16


@dataclass(frozen=True)
class Read:
    """Rows and refusals of a source."""

    tables: Mapping[str, pl.DataFrame]
    refused: tuple[Refusal, ...]


@dataclass
class Reader:
    """Reads one layout's files.

    Attributes:
        layout: The layout.
        media: Media by path.
    """

    layout: Layout
    media: Mapping[str, Medium]
    source: str = "it"
    _kept: dict[tuple, Rows] = field(default_factory=dict)
    _checked: dict[tuple[int, int], Rows] = field(default_factory=dict)
    _objects: list[object] = field(default_factory=list)

    def read(self, files: Mapping[str, bytes], *, keep: bool = False) -> Read:
        """Rows of files.

        Args:
            files: Content by path.
            keep: Whether what the readers give is kept for later calls.
        """
        recordings = TABLES["recordings"].empty()
        tables: dict[str, pl.DataFrame] = {}
        refused: list[Refusal] = []
        for part in self.layout.parts:
            mine = {p: d for p, d in sorted(files.items()) if part.claims(p)}
            known = recordings.select("recording_id", "media_duration_s")
            parts: dict[str, list[pl.DataFrame]] = defaultdict(list)
            references = {"recordings.recording_id": known["recording_id"]}
            for made in self._of_part(part, mine, recordings, keep):
                place = (id(made), id(recordings) if part.name != "recordings" else 0)
                rows = self._checked.get(place)
                if rows is None:
                    rows = inside_recordings(made, known)
                    known_ids = {} if part.name == "recordings" else references
                    rows = contracted(rows, STAGES[part.name].tables, known_ids, mine)
                    if keep:
                        # Kept, so that no other object takes the id.
                        self._objects += [made, recordings]
                        self._checked[place] = rows
                refused += rows.refused
                for name, frame in rows.tables.items():
                    parts[name].append(frame)
            for name, frames in parts.items():
                tables[name] = frames[0] if len(frames) == 1 else pl.concat(frames)
            if part.name == "recordings":
                recordings = tables.get("recordings", recordings)
        return Read(tables, tuple(refused))

    def _of_part(
        self, part: Part, mine: Mapping[str, bytes], recordings: pl.DataFrame, keep: bool
    ) -> Iterator[Rows]:
        if not part.per_recording:
            media = {p: m for p, m in self.media.items() if part.claims_medium(p)}
            small = {p: d for p, d in mine.items() if not part.is_large(p)}
            large = {p: d for p, d in mine.items() if part.is_large(p)}
            given = PartFiles(
                self.source, small, media, large={p: _pieces(d) for p, d in large.items()}
            )
            yield self._once((part.name, _hash(mine)), part, given, keep)
            return
        held: dict[str, dict[str, bytes]] = defaultdict(dict)
        shared: dict[str, bytes] = {}
        for path, data in mine.items():
            to = shared if part.is_shared(path) else held[part.recording_of(path)]
            to[path] = data
        rows = recordings.rows_by_key("recording_id", named=True, unique=True, include_key=True)
        for uid, files in sorted(held.items()):
            files = dict(sorted({**files, **shared}.items()))
            if uid not in rows:
                said = Refusal(
                    min(files), None, "unknown_recording", uid,
                    "files of a recording that the source does not list", "add the recording",
                    recording_id=uid,
                )  # fmt: skip
                yield Rows({}, (said,))
                continue
            needed = {name: rows[uid][name] for name in part.needs}
            key = (part.name, uid, _hash(files), str(needed))
            made = self._once(key, part, PartFiles(self.source, files, {}, needed), keep)
            yield made

    def _once(self, key: tuple, part: Part, given: PartFiles, keep: bool) -> Rows:
        if key in self._kept:
            return self._kept[key]
        try:
            made = self._with_splits(part.read(given))
            if given.recording is not None:
                uid = str(given.recording["recording_id"])
                made = of_recording(made, STAGES[part.name].tables, uid, given.files)
        except Malformed as error:
            file = min((*given.files, *given.large), default="")
            said = Refusal(
                file,
                None,
                "unreadable_file",
                error.value,
                f"file cannot be read: {error}",
                REMEDY_FILE,
            )
            made = Rows({}, (said,))
        if keep:
            self._kept[key] = made
        return made

    def _with_splits(self, rows: Rows) -> Rows:
        if "recordings" not in rows.tables:
            return rows
        links = rows.tables.get("take_links", TABLES["take_links"].empty())
        made = with_splits(rows.tables["recordings"], links, hashed=self.layout.hashed_splits)
        return Rows({**rows.tables, "recordings": made}, rows.refused, rows.files)


def _pieces(data: bytes):
    def pieces() -> Iterator[bytes]:
        for at in range(0, len(data), _PIECE):
            yield data[at : at + _PIECE]

    return pieces


def _hash(files: Mapping[str, bytes]) -> bytes:
    hasher = blake2b(digest_size=16)
    for path, data in files.items():
        hasher.update(f"{path}\0{len(data)}\0".encode("utf-8", "surrogateescape"))
        hasher.update(data)
    return hasher.digest()

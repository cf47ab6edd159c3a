"""Reads files with a layout's readers and the contracts, without a store: for tests of many cases."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import polars as pl

from assets.sources.layout import Layout, Medium, PartFiles, Rows
from assets.sources.rows import contracted, inside_recordings, of_recording
from assets.sources.stage import STAGES
from expectations.contracts import check
from expectations.schemas import TABLES


@dataclass
class Read:
    """What a layout makes of files.

    Attributes:
        tables: Rows by table, sorted by key.
        refused: All refusals.
    """

    tables: dict[str, pl.DataFrame] = field(default_factory=dict)
    refused: list[dict] = field(default_factory=list)

    def rows(self, table: str) -> pl.DataFrame:
        return self.tables.get(table, TABLES[table].empty())

    def rules(self) -> Counter[tuple[str | None, str]]:
        return Counter((one["table"], one["rule"]) for one in self.refused)


def medium(path: str, duration_s: float | None = None) -> Medium:
    return Medium(path, 1, f"content of {path}", duration_s)


def parts_of(
    layout: Layout, files: Mapping[str, bytes], media: Iterable[str | Medium] = ()
) -> dict[str, Rows]:
    """What each reader makes of files by itself, by part; parts read per recording are left out."""
    known = {m.path: m for m in (medium(m) if isinstance(m, str) else m for m in media)}
    return {
        part.name: part.read(
            PartFiles(
                "s",
                {path: data for path, data in sorted(files.items()) if part.claims(path)},
                {path: m for path, m in known.items() if part.claims_medium(path)},
            )
        )
        for part in layout.parts
        if not part.per_recording
    }


def sound(rows: Mapping[str, Rows]) -> None:
    """Every row keeps its table's contract."""
    for made in rows.values():
        for name, frame in made.tables.items():
            assert not check(TABLES[name], frame).refused


def read_parts(
    layout: Layout, files: Mapping[str, object], media: Iterable[str | Medium] = ()
) -> Read:
    """Rows of files: bytes and text as they are, anything else as JSON."""
    data = {path: as_bytes(content) for path, content in sorted(files.items())}
    given = [medium(m) if isinstance(m, str) else m for m in media]
    read = Read()
    for part in layout.parts:
        mine = {path: content for path, content in data.items() if part.claims(path)}
        seen = {m.path: m for m in given if part.claims_medium(m.path)}
        tables = STAGES[part.name].tables
        if part.per_recording:
            rows = _per_recording(part, mine, read)
        else:
            rows = part.read(PartFiles("it", mine, seen))
        recordings = read.rows("recordings")
        known = recordings.select("recording_id", "media_duration_s")
        references = {"recordings.recording_id": recordings["recording_id"]}
        rows = inside_recordings(rows, known)
        rows = contracted(rows, tables, references if part.name != "recordings" else {})
        for name, frame in rows.tables.items():
            read.tables[name] = frame.sort(TABLES[name].key)
        read.refused += rows.refused
    return read


def _per_recording(part, mine, read: Read) -> Rows:
    by_uid: dict[str, dict[str, bytes]] = defaultdict(dict)
    for path, content in mine.items():
        by_uid[part.recording_of(path)][path] = content
    known = {row["recording_id"]: row for row in read.rows("recordings").rows(named=True)}
    frames: dict[str, list[pl.DataFrame]] = defaultdict(list)
    refused: list[dict] = []
    for uid, held in by_uid.items():
        needed = {name: known[uid][name] for name in part.needs}
        made = of_recording(
            part.read(PartFiles("it", held, {}, needed)), STAGES[part.name].tables, uid
        )
        refused += made.refused
        for name, frame in made.tables.items():
            frames[name].append(frame)
    return Rows({name: pl.concat(held) for name, held in frames.items()}, tuple(refused))


def as_bytes(content: object) -> bytes:
    if isinstance(content, bytes):
        return content
    return (content if isinstance(content, str) else json.dumps(content)).encode()

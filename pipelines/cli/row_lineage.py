"""From rows of a source back to the rows they were made from, and to the files of the dataset."""

from __future__ import annotations

import importlib
import pkgutil
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import polars as pl

import assets
from assets.report.rows import named_row, named_rows, place_of, source_rows
from assets.sources.layout import PART_TABLES, TABLE_PARTS, Layout
from assets.sources.registry import UnknownLayout
from assets.sources.stage import layout_of
from assets.stage import Stage
from expectations.schemas import TABLES, Table
from resources.config import Settings
from resources.texts import joined_lines

SHOWN_TEXT = 110
SHOWN_ROWS = 6
SHOWN_FILES = 20
# Tables whose rows name their file in a column of another name.
_PATHS = {"images": "path", "files": "path", "quarantine": "file"}
# Tables of a calibration's evidence, by its method: its rows name none.
_CALIBRATED_FROM = {
    "stated": ("cameras",),
    "estimated": ("cameras", "camera_poses", "objects_3d", "boxes"),
}


class RowWalk:
    """A walk over rows of one source. It remembers which rows it showed and which files they lie in.

    Args:
        settings: Configuration.
        source: The source.
        recordings: Recordings in whose order rows are looked up where keys count within a recording.
    """

    def __init__(self, settings: Settings, source: str, recordings: Sequence[str]) -> None:
        self.settings = settings
        self.source = source
        self.recordings = list(recordings)
        self._shown: set[tuple[str, str, str]] = set()
        # What uses each file, by recording; the recording is empty for rows of none.
        self._uses: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))

    def row(self, name: str, key: str, role: str, depth: int = 0) -> Iterator[str]:
        """Lines on a row that is named by its table and key, and on the rows it was made from."""
        yield from self._named(name, key, role, self.recordings, depth)

    def _named(
        self, name: str, key: str, role: str, recordings: Sequence[str], depth: int
    ) -> Iterator[str]:
        table = TABLES.get(name)
        row = None
        if table is not None and "source" in table.schema:
            scanned = self.settings.store.scan(table, self.source)
            row = named_row(named_rows(scanned, table, [key], recordings), key, recordings)
        if table is None or row is None:
            yield f"{'  ' * depth}{role} {name}:{key} (no longer there)"
            return
        yield from self.loaded_row(table, key, row, role, depth)

    def loaded_row(
        self, table: Table, key: str, row: Mapping[str, Any], role: str, depth: int = 0
    ) -> Iterator[str]:
        """Lines on a row that was read already, and on the rows it was made from.

        Args:
            table: Its table.
            key: Its key, as evidence names it.
            row: The row.
            role: What the row is to whoever names it, one word.
            depth: Levels that the lines are indented by.
        """
        recording = row.get("recording_id") or ""
        below = _below(table, row)
        line = f"{'  ' * depth}{role} {table.name}:{key}"
        content = cut(place_of(table, key, row).says)
        if (table.name, recording, key) in self._shown:
            yield f"{line} (shown above): {content}"
            return
        self._shown.add((table.name, recording, key))
        yield f"{line} ({self._place(table, row, below)}): {content}"
        within = [recording] if recording else self.recordings
        for table_below, key_below in below[:SHOWN_ROWS]:
            yield from self._named(table_below, key_below, "from", within, depth + 1)
        if len(below) > SHOWN_ROWS:
            yield f"{'  ' * (depth + 1)}and {len(below) - SHOWN_ROWS} more rows"

    def _place(self, table: Table, row: Mapping[str, Any], below: Sequence[tuple[str, str]]) -> str:
        """Where a row comes from: its file, the rows it was made from, or the files it was read from."""
        recording = row.get("recording_id") or ""
        if row.get("source_file"):
            path = _bare(row["source_file"])
            self._uses[recording][path].add(table.name)
            return " ".join(filter(None, (row["source_file"], row.get("source_key"))))
        path = row.get(_PATHS.get(table.name, ""))
        if path:
            self._uses[recording][path].add(table.name)
            return path
        if below:
            return "made from " + ", ".join(f"{name}:{key}" for name, key in below[:SHOWN_ROWS])
        origins = _CALIBRATED_FROM.get(row.get("method") or "", ())
        tables = origins if table.name == "calibrations" else (table.name,)
        files = {path: what for name in tables for path, what in self._files(name, recording)}
        for path, what in files.items():
            self._uses[recording][path].add(what)
        if not files:
            return "no file of it is listed any more"
        parts = ", ".join(sorted(set(files.values())))
        where = (
            next(iter(files)) if len(files) == 1 else f"{len(files)} files listed below as {parts}"
        )
        return f"read from {where}" if table.name in TABLE_PARTS else f"made from {where}"

    def _files(self, name: str, recording: str) -> list[tuple[str, str]]:
        """Files that rows of a table are read from, directly or through other tables, and their part."""
        if name in TABLE_PARTS:
            part = TABLE_PARTS[name]
            return [(path, part) for path in self._files_of_part(part, recording)]
        parts: dict[str, str] = {}
        for read in _sources_of(name):
            if read == "recordings":
                parts |= dict.fromkeys(self._media(recording), "media")
            parts |= dict(self._files(read, recording))
        return list(parts.items())

    def _files_of_part(self, name: str, recording: str) -> list[str]:
        """Files that the reader of a part is given for a recording, as far as that is known."""
        part = None if self._layout is None else self._layout.part(name)
        if part is None:
            return [path for path, (_, claimed) in self._listed.items() if claimed == name]
        claimed = [path for path in self._listed if part.claims(path)]
        if part.per_recording:
            return [p for p in claimed if part.is_shared(p) or part.recording_of(p) == recording]
        stated = self._stated(name, recording)
        return [path for path in claimed if path in stated] or claimed

    def _stated(self, part: str, recording: str) -> set[str]:
        """Files that rows of a recording name: those of the part, and the row of the recording."""
        units = [recording] if recording else None
        stated: set[str] = set()
        for name in ("recordings", *PART_TABLES[part]):
            table = TABLES[name]
            if "source_file" in table.schema and table.unit == "recording_id":
                files = self.settings.store.scan(table, self.source, units, ["source_file"])
                stated.update(map(_bare, files.unique().collect()["source_file"].drop_nulls()))
        return stated

    def _media(self, recording: str) -> list[str]:
        table = TABLES["recordings"]
        units = [recording] if recording else None
        rows = self.settings.store.read(table, self.source, units, ["media_paths"])
        return rows["media_paths"].explode().drop_nulls().to_list()

    @cached_property
    def _layout(self) -> Layout | None:
        """The layout of the source; None where the configuration does not name it any more."""
        if self.source not in self.settings.sources:
            return None
        try:
            return layout_of(self.settings, self.source)
        except UnknownLayout:
            return None

    @cached_property
    def _listed(self) -> dict[str, tuple[str, str | None]]:
        """Content and part of each listed file that is not a medium, by path."""
        columns = ("path", "content", "part", "is_media")
        files = self.settings.store.read(TABLES["files"], self.source, columns=columns)
        files = files.filter(~pl.col("is_media").fill_null(False)).sort("path")
        return {path: (content, part) for path, content, part, _ in files.iter_rows()}

    def files(self) -> Iterator[str]:
        """Lines on the recordings of the walk and the files that its rows lie in, with their content."""
        rows = self.settings.store.read(TABLES["recordings"], self.source)
        known = rows.rows_by_key("recording_id", named=True, unique=True, include_key=True)
        for recording in dict.fromkeys((*self.recordings, *self._uses)):
            row = known.get(recording)
            uses, contents = self._uses[recording], self._contents
            if row is not None:
                about = (row[c] for c in ("view", "scenario", "licence"))
                yield f"  {recording} ({', '.join(text for text in about if text)})"
                media = [*(row["media_paths"] or ())] if row["media_kind"] == "video" else []
                hashes = row["media_hashes"] or []
                contents = {**contents, **dict(zip(media, hashes, strict=False))}
                for path in media:
                    uses[path].add("media")
                if not media and hashes:
                    yield f"    {row['media_kind']} {'+'.join(hashes)}"
                if row["source_file"]:
                    uses[_bare(row["source_file"])].add("recordings")
            elif recording:
                yield f"  {recording} (no longer there)"
            elif uses:
                yield "  of no recording"
            for path in list(uses)[:SHOWN_FILES]:
                content = contents.get(path, "no longer listed")
                yield f"    {path} {content} ({', '.join(sorted(uses[path]))})"
            if len(uses) > SHOWN_FILES:
                yield f"    and {len(uses) - SHOWN_FILES} more files"

    def add_stated(self, name: str) -> None:
        """Count the files that rows of a table name, of the recordings of the walk."""
        table = TABLES[name]
        columns = ["recording_id", "source_file"]
        rows = self.settings.store.read(table, self.source, self.recordings, columns)
        for recording, path in sorted(rows.unique().drop_nulls().iter_rows()):
            self._uses[recording][_bare(path)].add(name)

    @cached_property
    def _contents(self) -> dict[str, str]:
        columns = ("path", "content")
        files = self.settings.store.read(TABLES["files"], self.source, columns=columns)
        return dict(files.iter_rows())


def _below(table: Table, row: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Rows that a row was made from, as pairs of table and key."""
    if row.get("source_file"):
        return []
    below = [str(one).partition(":")[::2] for one in row.get("evidence") or ()]
    if row.get("source_table"):
        below += [(row["source_table"], key) for key in source_rows(row)]
    if not below:
        for column in table.columns:
            referred = (column.refers_to or "").partition(".")[0]
            if referred and referred != "recordings" and row.get(column.name):
                below.append((referred, row[column.name]))
    return [(name, key) for name, key in dict.fromkeys(below)]


def _sources_of(name: str) -> list[str]:
    """Tables that the stage behind a derived table reads and that are not derived by it."""
    stage = _stage_of(TABLES[name])
    return [] if stage is None else [read for read in stage.reads if read not in stage.tables]


def _stage_of(table: Table) -> Stage | None:
    """The stage that writes a table."""
    others = sorted(info.name for info in pkgutil.iter_modules(assets.__path__) if info.ispkg)
    for folder in dict.fromkeys((table.stage, *others)):
        try:
            module = importlib.import_module(f"assets.{folder}.stage")
        except ModuleNotFoundError:
            continue
        for value in vars(module).values():
            if isinstance(value, Stage) and table.name in value.tables:
                return value
    return None


def _bare(source_file: str) -> str:
    """Path of the file, without the member or sheet that is named behind a colon."""
    return source_file.partition(":")[0]


def cut(text: str) -> str:
    """Text on one line that a terminal may show, cut where it is long."""
    line = joined_lines(text)
    return line if len(line) <= SHOWN_TEXT else line[: SHOWN_TEXT - 1] + "…"

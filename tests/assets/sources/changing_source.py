"""A small source on disk whose files change, vanish, come back and are read by killed processes."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assets.options import Options, silent
from assets.sources.stage import STAGE as SOURCES
from expectations.schemas import TABLES
from resources.config import Settings, SourceConfig
from resources.roots.base import LocalRoot
from resources.store import ledger
from resources.store.incremental import Report
from resources.store.tables import TableStore

PLUGIN = '''
"""Diary: list.csv, films/<name>.mp4, notes/<any>.csv, stamps/<name>.csv and all.csv, words/<kind>.csv."""

from assets.sources.reading.row_reader import RowReader
from assets.sources.layout import Layout, Part, Rows
from assets.sources.reading.values import number, whole_number
from expectations.schemas import TABLES


def read_recordings(part):
    films = {path.split("/")[1].removesuffix(".mp4"): film for path, film in part.media.items()}
    reader = RowReader("recordings")

    def recording(values):
        film = films.get(values["name"])
        return {
            "source": part.source, "recording_id": values["name"], "take_id": values["name"],
            "view": values["view"], "media_kind": "video", "time_base": "pts",
            "media": "present" if film else "missing",
            "media_paths": [film.path] if film else [],
            "media_hashes": [film.content] if film else [], "licence": "mine",
            "source_file": "list.csv", "source_key": values["name"]}

    rows = [row for path, data in part.files.items()
            for _, row in reader.csv(path, data, ("name", "view"), recording)]
    return Rows({"recordings": TABLES["recordings"].frame(rows)}, tuple(reader.refused))


def read_notes(part):
    reader = RowReader("segments")
    rows = []
    for path, data in part.files.items():
        def note(values, path=path):
            start = number(values["start"])
            return {
                "source": part.source, "segment_id": f"{path}:{values['key']}",
                "recording_id": values["name"], "kind": "fine", "start_s": start,
                "end_s": start + 1.0, "narration": values["text"], "source_file": path,
                "source_key": values["key"]}
        rows += [row for _, row in reader.csv(path, data, ("key", "name", "start", "text"), note)]
    return Rows({"segments": TABLES["segments"].frame(rows)}, tuple(reader.refused))


def read_stamps(part):
    uid = part.recording["recording_id"]
    added = int(part.files.get("stamps/all.csv", b"0"))
    rows = [{
        "source": part.source, "recording_id": uid, "part": 0, "clock": "device",
        "frame_stamps_ns": [int(n) + added for n in data.split()], "source_file": path}
        for path, data in part.files.items() if path != "stamps/all.csv"]
    return Rows({"frame_stamps": TABLES["frame_stamps"].frame(rows)})


def read_words(part):
    reader = RowReader("taxonomies")
    rows = []
    for path, data in part.files.items():
        def word(values, path=path):
            return {
                "source": part.source, "taxonomy": path[6:-4], "class_id": whole_number(values["id"]),
                "label": values["label"], "terms": [values["label"]], "source_file": path}
        rows += [row for _, row in reader.csv(path, data, ("id", "label"), word)]
    return Rows({"taxonomies": TABLES["taxonomies"].frame(rows)}, tuple(reader.refused))


LAYOUT = Layout("diary", "Diary", "CC0", "verified", (
    Part("recordings", read_recordings, r"list\\.csv", r"films/[^/]+\\.mp4"),
    Part("segments", read_notes, r"notes/[^/]+\\.csv"),
    Part("sensors", read_stamps, r"stamps/(?:all|(?P<recording>r[0-9]+))\\.csv"),
    Part("taxonomies", read_words, r"words/(?:verb|noun)\\.csv"),
))
'''
NAMES = tuple(f"r{n}" for n in range(6))
TABLES_HERE = ("recordings", "segments", "frame_stamps", "taxonomies")
SHARED_STAMPS = "stamps/all.csv"


def _list(names: tuple[str, ...], **views: str) -> bytes:
    lines = [f"{name},{views.get(name, 'ego')}" for name in names]
    return "\n".join(["name,view", *lines, ""]).encode()


def _notes(names: tuple[str, ...], each: int, text: str = "stir", start: str = "1") -> bytes:
    lines = [f"{name}-{n},{name},{start},{text} {n}" for name in names for n in range(each)]
    return "\n".join(["key,name,start,text", *lines, ""]).encode()


def _words(*labels: str) -> bytes:
    return "\n".join(["id,label", *(f"{n},{w}" for n, w in enumerate(labels)), ""]).encode()


VARIANTS: dict[str, tuple[bytes | None, ...]] = {
    # The first is what the source begins with. Some of the others have its size to the byte.
    "list.csv": (
        _list(NAMES),
        _list(NAMES, r0="exo"),
        _list(NAMES[:2], r1="exo"),
        _list(NAMES[1:]),
        _list((*NAMES, "r7")),
        _list(("r9", *NAMES[1:])),
        _list(NAMES, r2="up"),
        None,
    ),
    "notes/a.csv": (
        _notes(NAMES, 4),
        _notes(NAMES, 4, "wash"),
        _notes(NAMES[:2], 4, "wash"),
        _notes(NAMES, 3),
        _notes(NAMES, 1, "chop"),
        _notes(NAMES, 4, start="x"),
        _notes((*NAMES, "r7"), 4),
        b"\x89PNG",
        None,
    ),
    "notes/b.csv": (
        _notes(NAMES[:4], 1, "pour"),
        _notes(NAMES[:4], 1, "boil"),
        _notes(NAMES[3:], 2, "pour"),
        None,
    ),
    "notes/c.csv": (None, _notes(NAMES[4:], 2, "peel")),
    "films/r0.mp4": (b"film 0", b"film 1", None),
    "films/r1.mp4": (b"film 0", None),
    "stamps/r0.csv": (b"1 2 3", b"1 2 4", b"1", None),
    "stamps/r1.csv": (b"1 2 3", b"7 8 9", None),
    "stamps/r2.csv": (b"5 6", None),
    "stamps/r7.csv": (None, b"4 5"),
    SHARED_STAMPS: (b"10", b"20", None),
    "words/verb.csv": (_words("stir", "wash", "chop"), _words("stir", "wash", "boil"), None),
    "words/noun.csv": (_words("cup", "pot"), _words("cup"), None),
}


class Died(BaseException):
    """As kill -9: nothing after it runs, only the file lock goes."""


class Changing:
    """The source, and the store that follows it.

    Attributes:
        root: Folder of the files.
        settings: Configuration with the source `it`.
        denied: Files that may not be read.
        on_read: Called with the path before a file is opened.
        commits: Commits so far.
        reads: Files opened so far.
    """

    def __init__(self, home: Path, plugin: Path) -> None:
        self.home, self.plugin = home, plugin
        self.root = home / "root"
        self.denied: set[str] = set()
        self.on_read: Callable[[str], None] = lambda _path: None
        self.commits = self.reads = 0
        self._die: tuple[int, bool] | None = None
        self.settings = self.configured(home / "store")
        if not self.root.is_dir():
            self.root.mkdir(parents=True)
            for path, (first, *_) in VARIANTS.items():
                self.put(path, first)

    def configured(self, store: Path) -> Settings:
        """Configuration with a store at this place."""
        return Settings(
            self.home,
            TableStore(str(store)),
            self.home / "page.html",
            {"it": SourceConfig("it", "diary", str(self.root))},
            plugins=(str(self.plugin),),
        )

    def put(self, path: str, data: bytes | None, *, keep_stamp: bool = False) -> None:
        """Write a file, or remove it; `keep_stamp` leaves its time as it was."""
        target = self.root / path
        if data is None:
            target.unlink(missing_ok=True)
            return
        before = target.stat() if keep_stamp else None
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        if before is not None:
            os.utime(target, ns=(before.st_atime_ns, before.st_mtime_ns))

    def files(self) -> dict[str, bytes]:
        """Content of what is there."""
        return {
            path: (self.root / path).read_bytes()
            for path in VARIANTS
            if (self.root / path).is_file()
        }

    def run(self, *, die: tuple[int, bool] | None = None, **options: Any) -> list[Report]:
        """Bring the source up to date; `die` at the n-th commit, before it or after."""
        self.commits, self._die = 0, die
        with self._hooked():
            return SOURCES.refresh(self.settings, "it", Options(**options), silent)

    def is_fresh(self, **options: Any) -> bool:
        with self._hooked():
            return SOURCES.is_fresh(self.settings, "it", Options(**options))

    def new_process(self) -> None:
        """Forget all that a process knows."""
        ledger._HELD.clear()
        self.settings = self.configured(self.home / "store")

    def tables(self, settings: Settings | None = None) -> dict[str, pl.DataFrame]:
        """All rows; of quarantine, without those that say which files are gone."""
        store = (settings or self.settings).store
        found = {}
        for name in (*TABLES_HERE, "quarantine", "files"):
            rows = store.read(TABLES[name]).sort(TABLES[name].key)
            found[name] = rows.select(TABLES[name].content_columns)
        found["quarantine"] = found["quarantine"].filter(pl.col("rule") != "file_gone")
        found["files"] = found["files"].filter(pl.col("is_gone").is_null())
        return found

    def gone(self) -> list[str]:
        """Files that quarantine says are gone."""
        rows = self.settings.store.read(TABLES["quarantine"])
        return sorted(rows.filter(pl.col("rule") == "file_gone")["file"])

    def fresh_build(self, place: Path) -> dict[str, pl.DataFrame]:
        """Tables of an empty store that reads the files as they are."""
        settings = self.configured(place)
        on_read, self.on_read, self._die = self.on_read, lambda _path: None, None
        with self._hooked():
            SOURCES.refresh(settings, "it", Options(), silent)
        self.on_read = on_read
        found = self.tables(settings)
        shutil.rmtree(place)
        return found

    @contextmanager
    def _hooked(self) -> Iterator[None]:
        """Count commits and reads, die where told, refuse what may not be read."""
        commit, locate = TableStore._commit, LocalRoot._locate

        def counted(*args: Any, **kwargs: Any) -> None:
            self.commits += 1
            if self._die == (self.commits, False):
                raise Died
            commit(*args, **kwargs)
            if self._die == (self.commits, True):
                raise Died

        def located(root: LocalRoot, path: str) -> Path:
            self.reads += 1
            self.on_read(path)
            if path in self.denied:
                raise PermissionError(13, "Permission denied")
            return locate(root, path)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(TableStore, "_commit", staticmethod(counted))
            patch.setattr(LocalRoot, "_locate", located)
            yield


def write_plugin(folder: Path) -> Path:
    """The layout's module."""
    path = folder / "diary.py"
    path.write_text(PLUGIN)
    return path

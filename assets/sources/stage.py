"""From a root to canonical rows: listing, identity, and the parts of a layout, incrementally."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import polars as pl

from assets.options import Options, Tell
from assets.sources.layout import PART_TABLES, Layout, Part, PartFiles, Rows
from assets.sources.reading import Malformed, refusal
from assets.sources.registry import layout as layout_named
from assets.sources.rows import WHOLE, by_unit, contracted, inside_recordings, of_recording, unit_of
from assets.sources.splits import with_splits
from expectations.schemas import TABLES
from expectations.schemas.identity import digest
from resources.code_version import code_version
from resources.config import Settings
from resources.files import Root, UnreadableFile, open_root
from resources.incremental import (
    ALL,
    Output,
    Progress,
    Report,
    Selection,
    Stage,
    make_plan,
    run_stage,
)
from resources.ledger import (
    Entry,
    read_complete,
    read_ledger,
    schema_fingerprint,
    write_entries,
)
from resources.manifest import Manifest, see_manifest, take_manifest
from resources.tables import TableStore

STAGES = {
    name: Stage(f"sources.{name}", tuple(TABLES[t] for t in tables))
    for name, tables in PART_TABLES.items()
}
_PIECE = 1 << 20
_KNOWN_COLUMNS = ("recording_id", "media_duration_s")


def changed_files(
    store: TableStore, source: str, layout: Layout, root: Root
) -> Mapping[str, str | None]:
    """Claimed files whose content differs from the stored listing, without storing anything.

    Only files whose size or stamp moved are read, so asking often is cheap.

    Returns:
        New content by path, ascending; None for files that are gone.
    """
    return see_manifest(store, source, layout, root).changed


def ingest(
    store: TableStore,
    source: str,
    layout: Layout,
    root: Root,
    *,
    selection: Selection = ALL,
    allow_deletes: bool = False,
    hashed_splits: bool | None = None,
    progress: Callable[[str], Progress] | None = None,
) -> list[Report]:
    """Bring all tables of a source up to date.

    Args:
        store: Table store.
        source: Name of the source.
        layout: Its layout.
        root: Where it lies.
        selection: Recordings a person picked.
        allow_deletes: Whether the deletion guard is off.
        hashed_splits: Whether recordings without a published split get one by hash; None leaves it
            to the layout.
        progress: Gives a progress function for a named step.

    Returns:
        One report per part.

    Raises:
        RootError: The root cannot be listed or is empty; nothing was changed.
    """
    told = progress or (lambda _step: None)
    reports = []
    hashed = layout.hashed_splits if hashed_splits is None else hashed_splits
    # One lock from listing to last row: a slower process must not write an older listing's rows.
    with store.lock(f"ingest.{source}"):
        manifest = take_manifest(store, source, layout, root, told("files"))
        for part in layout.parts:
            stage = STAGES[part.name]
            worker = _PartWorker(store, source, part, root, manifest, stage, hashed)
            made = worker.per_recording if part.per_recording else worker.per_source
            reports.append(made(selection, allow_deletes, told(part.name)))
    return reports


@dataclass(frozen=True)
class _PartWorker:
    """One part of one source."""

    store: TableStore
    source: str
    part: Part
    root: Root
    manifest: Manifest
    stage: Stage
    hashed_splits: bool

    def per_source(
        self, selection: Selection, allow_deletes: bool, progress: Progress | None
    ) -> Report:
        """Parse files that hold all recordings, if any changed; move the recordings that differ."""
        made_from = self._read_from()
        entries = read_ledger(self.store, self.stage.name, self.source)
        if self._is_read(made_from, entries):
            report = Report(self.stage.name, self.source, len(entries), len(entries))
            report.entries = entries
            report.refused = sum(e.n_refused for e in entries.values())
            return report
        durations = self._durations()
        rows, whole = self._parse(durations)
        units = by_unit(self.stage.tables, rows)
        report = run_stage(
            self.store,
            self.stage,
            self.source,
            lambda: units,
            lambda todo: [_output(self.stage, rows, todo, units)],
            references=lambda: self._references(durations),
            selection=selection,
            allow_deletes=allow_deletes,
            progress=progress,
        )
        if selection.is_all and whole and not report.held_back:
            done = Entry(WHOLE, made_from, "ok", "", 0, {})
            write_entries(self.store, f"{self.stage.name}.read", self.source, [done])
        return report

    def is_fresh(self, selection: Selection) -> bool:
        """Whether the part is not to be read."""
        if not self.part.per_recording:
            entries = read_ledger(self.store, self.stage.name, self.source)
            return self._is_read(self._read_from(), entries)
        wanted = self._wanted_recordings(self._files_by_recording())
        return make_plan(self.store, self.stage, self.source, wanted, selection).is_fresh

    def _read_from(self) -> str:
        """What a reading of the part's files depends on."""
        return digest(
            [
                code_version(self.part.read),
                schema_fingerprint(self.stage.tables),
                self.part.version,
                *(f"{p}={c}" for p, c in self.manifest.of_part(self.part).items()),
                *(f"{m}" for m in self.manifest.media_of(self.part).values()),
                *(str(r) for r in self._own_refusals()),
                self._recordings(),
                *self._split_by(),
            ]
        )

    def _is_read(self, made_from: str, entries: Mapping[str, Entry]) -> bool:
        read = read_ledger(self.store, f"{self.stage.name}.read", self.source).get(WHOLE)
        whole = all(entry.status == "ok" for entry in entries.values())
        return read is not None and read.made_from == made_from and whole

    def per_recording(
        self, selection: Selection, allow_deletes: bool, progress: Progress | None
    ) -> Report:
        """Parse the files of each recording whose files changed."""
        files = self._files_by_recording()

        def compute(todo: list[str]) -> Iterator[Output]:
            table = TABLES["recordings"]
            rows = self.store.read(table, self.source, todo).rows_by_key(
                "recording_id", named=True, unique=True, include_key=True
            )
            for uid in todo:
                yield self._one(uid, files[uid], rows.get(uid))

        return run_stage(
            self.store,
            self.stage,
            self.source,
            lambda: self._wanted_recordings(files),
            compute,
            selection=selection,
            allow_deletes=allow_deletes,
            progress=progress,
        )

    def _files_by_recording(self) -> dict[str, dict[str, str]]:
        files: dict[str, dict[str, str]] = defaultdict(dict)
        shared: dict[str, str] = {}
        for path, content in self.manifest.of_part(self.part).items():
            to = shared if self.part.is_shared(path) else files[self.part.recording_of(path)]
            to[path] = content
        return {uid: dict(sorted({**held, **shared}.items())) for uid, held in files.items()}

    def _wanted_recordings(self, files: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
        entries = read_ledger(self.store, STAGES["recordings"].name, self.source)
        code = code_version(self.part.read)
        columns = self.part.needs
        if any({"start_s", "end_s"} <= set(table.schema) for table in self.stage.tables):
            columns = (*columns, *_KNOWN_COLUMNS)
        return {
            uid: digest(
                [
                    code,
                    self.part.version,
                    entries[uid].inputs("recordings", columns) if uid in entries else "",
                    *(f"{p}={c}" for p, c in held.items()),
                ]
            )
            for uid, held in files.items()
        }

    def _one(self, uid: str, files: Mapping[str, str], row: Mapping[str, object] | None) -> Output:
        if row is None:
            said = refusal(
                min(files),
                None,
                "unknown_recording",
                uid,
                "files of a recording that the source does not list",
                "add the recording to the source's list, or remove the files",
                recording_id=uid,
            )
            return Output([uid], {}, [(uid, said)])
        content, refused = self._contents(files)
        needed = {name: row[name] for name in self.part.needs}
        rows = self._read(PartFiles(self.source, content, {}, needed)) if content else Rows({})
        rows = of_recording(rows, self.stage.tables, uid, files)
        durations = TABLES["recordings"].frame([dict(row)]).select(_KNOWN_COLUMNS)
        rows = inside_recordings(rows, durations)
        return Output([uid], rows.tables, [(uid, r) for r in (*refused, *rows.refused)])

    def _parse(self, durations: pl.DataFrame) -> tuple[Rows, bool]:
        """Rows of a part's files, and whether every file could be read."""
        paths = self.manifest.of_part(self.part)
        files, refused = self._contents(p for p in paths if not self.part.is_large(p))
        large = {p: partial(self._pieces, p) for p in paths if self.part.is_large(p)}
        given = PartFiles(self.source, files, self.manifest.media_of(self.part), large=large)
        try:
            rows = self._read(given)
        except UnreadableFile as error:
            rows = Rows({})
            refused.append(error.refusal)
        said = (*rows.refused, *refused, *self._own_refusals())
        rows = Rows(self._with_splits(rows.tables), said, rows.files)
        rows = inside_recordings(rows, durations)
        return contracted(rows, self.stage.tables, self._references(durations), paths), not refused

    def _pieces(self, path: str) -> Iterator[bytes]:
        """Content of a large file, piece by piece."""
        with self.root.open(path) as handle:
            while piece := handle.read(_PIECE):
                yield piece

    def _read(self, given: PartFiles) -> Rows:
        """What the part's reader makes; a part it cannot read at all is one refusal."""
        try:
            return self.part.read(given)
        except Malformed as error:
            uid = None if given.recording is None else str(given.recording["recording_id"])
            said = refusal(
                min((*given.files, *given.large), default=""),
                None,
                "unreadable_file",
                error.value,
                f"file cannot be read: {error}",
                "restore the file from the release",
                recording_id=uid,
            )
            return Rows({}, (said,))

    def _contents(self, paths: Iterable[str]) -> tuple[dict[str, bytes], list[dict]]:
        """Content of files, and what is said of those that may not be read any more."""
        files: dict[str, bytes] = {}
        refused: list[dict] = []
        for path in paths:
            try:
                files[path] = self.root.read(path)
            except UnreadableFile as error:
                refused.append(error.refusal)
        return files, refused

    def _own_refusals(self) -> tuple[dict, ...]:
        """What the listing refused is told once, by the first part."""
        return self.manifest.refused if self.part.name in ("recordings", "reviews") else ()

    def _split_by(self) -> tuple[str, ...]:
        """What decides the splits of recordings without a published one."""
        if self.part.name != "recordings":
            return ()
        return (code_version(with_splits), str(self.hashed_splits))

    def _with_splits(self, tables: Mapping[str, pl.DataFrame]) -> Mapping[str, pl.DataFrame]:
        """Tables with the splits of their recordings, where they hold any."""
        if "recordings" not in tables:
            return tables
        links = tables.get("take_links", TABLES["take_links"].empty())
        made = with_splits(tables["recordings"], links, hashed=self.hashed_splits)
        return {**tables, "recordings": made}

    def _recordings(self) -> str:
        """Digest of the recordings other parts refer to."""
        if self.part.name == "recordings":
            return ""
        entries = read_ledger(self.store, STAGES["recordings"].name, self.source)
        return digest(
            f"{uid}={e.inputs('recordings', _KNOWN_COLUMNS)}" for uid, e in entries.items()
        )

    def _references(self, durations: pl.DataFrame) -> dict[str, pl.Series]:
        if self.part.name == "recordings":
            return {}
        return {"recordings.recording_id": durations["recording_id"]}

    def _durations(self) -> pl.DataFrame:
        if self.part.name == "recordings":
            return TABLES["recordings"].empty().select(_KNOWN_COLUMNS)
        return self.store.read(TABLES["recordings"], self.source, columns=_KNOWN_COLUMNS)


def _output(stage: Stage, rows: Rows, todo: list[str], units: Mapping[str, str]) -> Output:
    tables = {
        table.name: rows.tables[table.name].filter(pl.col(table.unit).is_in(todo))
        for table in stage.tables
        if table.name in rows.tables
    }
    wanted = set(todo)
    refused = [(unit, one) for one in rows.refused if (unit := unit_of(one, units)) in wanted]
    return Output(todo, tables, refused)


def bring_up(settings: Settings, source: str, options: Options, tell: Tell) -> list[Report]:
    """Bring a configured source's tables up to date (see `ingest`)."""
    return ingest(
        settings.store,
        source,
        layout_of(settings, source),
        root_of(settings, source),
        selection=options.of_recordings(),
        allow_deletes=options.allow_deletes,
        hashed_splits=settings.sources[source].hashed_splits,
        progress=tell,
    )


def is_fresh(settings: Settings, source: str, options: Options) -> bool:
    """Whether no file changed and no part is to be read again; commits nothing.

    Raises:
        RootError: The root cannot be listed or is empty.
    """
    declared = layout_of(settings, source)
    root = root_of(settings, source)
    manifest = see_manifest(settings.store, source, declared, root)
    said = settings.sources[source].hashed_splits
    hashed = declared.hashed_splits if said is None else said
    return not manifest.changed and all(
        _PartWorker(
            settings.store, source, part, root, manifest, STAGES[part.name], hashed
        ).is_fresh(options.of_recordings())
        for part in declared.parts
    )


def layout_of(settings: Settings, source: str) -> Layout:
    """The layout a configured source names, plug-ins included."""
    return layout_named(settings.sources[source].layout, settings.plugins, settings.home)


def root_of(settings: Settings, source: str) -> Root:
    """The root of a configured source; archives in it read as if its layout had them unpacked.

    Raises:
        RootError: The kind of place is not supported.
    """
    configured = settings.sources[source]
    claims = layout_of(settings, source).knows if configured.unpack else None
    return open_root(configured.root, claims)


def reviews_of(settings: Settings, source: str, item_kind: str) -> pl.DataFrame:
    """Decisions on items of a source, from all sources of decisions its configuration names.

    Raises:
        IncompleteUpstream: One of them was left half-written.
    """
    table = TABLES["reviews"]
    found = [table.empty()]
    for place in settings.sources[source].reviews:
        read_complete(settings.store, STAGES["reviews"].name, place)
        rows = settings.store.read(table, place)
        about = (pl.col("source") == source) & (pl.col("item_kind") == item_kind)
        found.append(rows.filter(about))
    # The same decision may lie under two roots.
    return pl.concat(found).unique("decision_id", keep="first", maintain_order=True)


def may_show(settings: Settings, source: str) -> bool:
    """Whether pages may show frames of a source: by its licence, or by the configuration's word.

    Sample worlds are drawn by code, whatever dataset's layout they are written in.
    """
    by_licence = layout_of(settings, source).may_be_passed_on
    return by_licence or settings.sources[source].show_media or source.startswith("sample")

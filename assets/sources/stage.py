"""From a root to canonical rows: listing, identity, and the parts of a layout, incrementally."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

import polars as pl

from assets.options import Options, Tell
from assets.sources.documents import Documents
from assets.sources.layout import PART_TABLES, Layout, Part, PartFiles, Rows
from assets.sources.manifest import Manifest, see_manifest, take_manifest
from assets.sources.reading.values import Malformed
from assets.sources.registry import layout as layout_named
from assets.sources.rows import (
    by_unit,
    contracted,
    inside_recordings,
    of_recording,
    sizes_by_unit,
    unit_of,
)
from assets.sources.splits import with_splits
from assets.stage import Inputs, OwnRun, Stage
from expectations.contracts import Refusal
from expectations.schemas import TABLES
from expectations.schemas.identity import digest
from resources.config import Settings
from resources.roots.base import (
    FileChangedError,
    Root,
    RootError,
    UnreadableFile,
    WholeHash,
    has_content,
)
from resources.roots.open import open_root
from resources.store.code_version import code_version
from resources.store.deletion_guard import Loss, Sizes
from resources.store.incremental import (
    ALL,
    Output,
    Pending,
    Progress,
    Report,
    Selection,
    StageTables,
    make_plan,
    run_stage,
)
from resources.store.ledger import read_complete, read_ledger, schema_fingerprint
from resources.store.locks import Lock
from resources.store.readings import Reading, recall_reading, remember_reading
from resources.store.tables import TableStore

STAGES = {
    name: StageTables(f"sources.{name}", tuple(TABLES[t] for t in tables))
    for name, tables in PART_TABLES.items()
}
_PIECE = 1 << 20
_KNOWN_COLUMNS = ("recording_id", "media_duration_s")
_FEW_UNITS = frozenset({"taxonomies", "splits", "questions", "released_lists"})
MEDIA = "media files"


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
        RootError: The root cannot be listed or holds no file of the layout; nothing was changed.
    """
    told = progress or (lambda _step: None)
    hashed = layout.hashed_splits if hashed_splits is None else hashed_splits
    # One lock from listing to last row: a slower process must not write an older listing's rows.
    with store.lock(f"ingest.{source}") as lock:
        suspects: set[str] = set()
        while True:
            manifest = take_manifest(
                store,
                source,
                layout,
                root,
                told("files"),
                forget=allow_deletes and selection.is_all,
                suspects=suspects,
            )
            reports = []
            documents = Documents()
            try:
                for part in layout.parts:
                    stage = STAGES[part.name]
                    worker = _PartWorker(
                        store, source, part, root, manifest, stage, hashed, lock, documents
                    )
                    made = worker.per_recording if part.per_recording else worker.per_source
                    reports.append(made(selection, allow_deletes, told(part.name)))
                return reports
            except FileChangedError as error:
                # Listed anew, whatever its stamp says; a file that goes on changing stops the run.
                if error.path in suspects:
                    raise
                suspects.add(error.path)


@dataclass(frozen=True)
class _PartWorker:
    """One part of one source."""

    store: TableStore
    source: str
    part: Part
    root: Root
    manifest: Manifest
    stage: StageTables
    hashed_splits: bool
    lock: Lock | None = None
    documents: Documents = field(default_factory=Documents)

    def per_source(
        self, selection: Selection, allow_deletes: bool, progress: Progress | None
    ) -> Report:
        """Move the recordings whose rows differ; files are parsed only where some may."""
        input_hash = self._input_hash()
        stored = recall_reading(self.store, self.stage.name, self.source, input_hash)
        if stored is not None:
            plan = make_plan(
                self.store,
                self.stage,
                self.source,
                stored.units,
                selection,
                allow_deletes,
                loss=lambda: self._loss(stored),
            )
            if plan.is_fresh:
                return Report.of_plan(self.stage.name, self.source, plan)
        durations = self._durations()
        rows, is_whole = self._parse(durations)
        reading = self._reading_of(rows)
        if is_whole:
            self._check_lock()
            remember_reading(self.store, self.stage.name, self.source, input_hash, reading)
        return run_stage(
            self.store,
            self.stage,
            self.source,
            lambda: self._while_locked(reading.units),
            lambda todo: [_output(self.stage, rows, todo, reading.units)],
            references=lambda: self._references(durations),
            selection=selection,
            allow_deletes=allow_deletes,
            loss=lambda: self._loss(reading),
            progress=progress,
            code=self._code,
        )

    def pending(self, selection: Selection) -> Pending:
        """What is to be read and replaced of the part."""
        if self.part.per_recording:
            wanted = self._wanted_recordings(self._files_by_recording())
        else:
            reading = recall_reading(self.store, self.stage.name, self.source, self._input_hash())
            if reading is None:
                # Which recordings differ shows when the files are parsed.
                return Pending(self.stage.name, {"files or code changed": None})
            wanted = reading.units
        plan = make_plan(self.store, self.stage, self.source, wanted, selection, code=self._code)
        return Pending.of(self.stage.name, plan)

    def _code(self, _unit: str) -> str:
        return code_version(self.part.read)

    def _while_locked(self, units: Mapping[str, str]) -> Mapping[str, str]:
        self._check_lock()
        return units

    def _check_lock(self) -> None:
        """Stop a process that was away for so long that another one took the source over."""
        if self.lock is not None:
            self.lock.check()

    def _input_hash(self) -> str:
        """Hash of everything that a reading of the part's files depends on."""
        return digest(
            [
                code_version(self.part.read),
                code_version(inside_recordings, contracted, by_unit),
                schema_fingerprint(self.stage.tables),
                self.part.version,
                *(f"{p}={c}" for p, c in self.manifest.of_part(self.part).items()),
                *(f"{m}" for m in self.manifest.media_of(self.part).values()),
                *(str(r) for r in self._own_refusals()),
                self._recordings(),
                *self._split_by(),
            ]
        )

    def _loss(self, reading: Reading | None) -> Loss:
        """What the deletion guard has to know of the part."""
        listed = read_ledger(self.store, STAGES["recordings"].name, self.source)
        is_first = self.part.name in ("recordings", "reviews")
        held = read_ledger(self.store, self.stage.name, self.source)
        by_recording = all(table.unit == "recording_id" for table in self.stage.tables)
        return Loss(
            sizes={} if reading is None else reading.sizes,
            held=self._held_media,
            lost_files=self._units_without_a_file(held) if reading is None else (),
            # Rows of a recording go with it, whatever share of them that is.
            free=held.keys() - listed.keys() if by_recording and not is_first else (),
            few_units=self.part.name in _FEW_UNITS,
            by_units_alone=is_first,
        )

    def _units_without_a_file(self, held: Iterable[str]) -> set[str]:
        """Recordings one of whose files is gone."""
        units: set[str] = set()
        for path in self.manifest.gone:
            if self.part.claims(path):
                shared = self.part.is_shared(path)
                units.update(held if shared else (self.part.recording_of(path),))
        return units

    def _reading_of(self, rows: Rows) -> Reading:
        """Hashes and sizes of the units that were read."""
        sizes = sizes_by_unit(self.stage.tables, rows)
        if self.part.name == "recordings" and "recordings" in rows.tables:
            for unit, count in _media_counts(rows.tables["recordings"]):
                sizes[unit][MEDIA] = count
        return Reading(by_unit(self.stage.tables, rows), sizes)

    def _held_media(self) -> Sizes:
        """Number of media files of each recording that is stored."""
        if self.part.name != "recordings":
            return {}
        table = TABLES["recordings"]
        rows = self.store.read(table, self.source, columns=("recording_id", "media_paths"))
        return {unit: {MEDIA: count} for unit, count in _media_counts(rows)}

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
            lambda: self._while_locked(self._wanted_recordings(files)),
            compute,
            selection=selection,
            allow_deletes=allow_deletes,
            loss=lambda: self._loss(None),
            progress=progress,
            code=self._code,
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
        code = code_version(self.part.read) + code_version(of_recording, inside_recordings)
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
            said = Refusal(
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
        rows = (
            self._read(PartFiles(self.source, content, {}, needed, documents=self.documents))
            if content
            else Rows({})
        )
        rows = of_recording(rows, self.stage.tables, uid, files)
        durations = TABLES["recordings"].frame([dict(row)]).select(_KNOWN_COLUMNS)
        rows = inside_recordings(rows, durations)
        said = [(uid, r) for r in (*refused, *rows.refused)]
        # A file that could not be read may be readable in the next run, and be the same then.
        return Output([uid], rows.tables, said, lasting=not refused)

    def _parse(self, durations: pl.DataFrame) -> tuple[Rows, bool]:
        """Rows of a part's files, and whether every file could be read."""
        paths = self.manifest.of_part(self.part)
        files, refused = self._contents(p for p in paths if not self.part.is_large(p))
        checked: set[str] = set()
        large = {p: partial(self._pieces, p, checked) for p in paths if self.part.is_large(p)}
        media = self.manifest.media_of(self.part)
        given = PartFiles(self.source, files, media, large=large, documents=self.documents)
        try:
            rows = self._read(given)
            for path in large.keys() - checked:
                deque(self._pieces(path, checked), maxlen=0)
        except UnreadableFile as error:
            rows = Rows({})
            refused.append(error.refusal)
        said = (*rows.refused, *refused, *self._own_refusals())
        rows = Rows(self._with_splits(rows.tables), said, rows.files)
        rows = inside_recordings(rows, durations)
        return contracted(rows, self.stage.tables, self._references(durations), paths), not refused

    def _pieces(self, path: str, checked: set[str]) -> Iterator[bytes]:
        """Content of a large file, piece by piece; what was read to its end is checked."""
        said = WholeHash()
        with self.root.open(path) as handle:
            while piece := handle.read(_PIECE):
                said.update(piece)
                yield piece
        if not said.is_content(self.manifest.files[path]["content"]):
            raise self._changed(path)
        checked.add(path)

    def _changed(self, path: str) -> RootError:
        """What is raised where a file is not the one that was listed.

        Rows of it would be stored under the hash of the listed file, and pass for its rows should it
        come back.
        """
        return FileChangedError(
            f"root {self.root.url}: {path} changed while it was read; run again", path
        )

    def _read(self, given: PartFiles) -> Rows:
        """What the part's reader makes; a part it cannot read at all is one refusal."""
        try:
            return self.part.read(given)
        except Malformed as error:
            uid = None if given.recording is None else str(given.recording["recording_id"])
            said = Refusal(
                min((*given.files, *given.large), default=""),
                None,
                "unreadable_file",
                error.value,
                f"file cannot be read: {error}",
                "restore the file from the release",
                recording_id=uid,
            )
            return Rows({}, (said,))

    def _contents(self, paths: Iterable[str]) -> tuple[dict[str, bytes], list[Refusal]]:
        """Content of files, and what is reported about those that may not be read any more."""
        files: dict[str, bytes] = {}
        refused: list[Refusal] = []
        for path in paths:
            try:
                data = self.root.read(path)
            except UnreadableFile as error:
                refused.append(error.refusal)
                continue
            if not has_content(data, self.manifest.files[path]["content"]):
                raise self._changed(path)
            files[path] = data
        return files, refused

    def _own_refusals(self) -> tuple[Refusal, ...]:
        """What the listing refused is reported once, by the first part."""
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
            f"{uid}={e.inputs('recordings', _KNOWN_COLUMNS)}"
            for uid, e in entries.items()
            if "recordings" in e.tables
        )

    def _references(self, durations: pl.DataFrame) -> dict[str, pl.Series]:
        if self.part.name == "recordings":
            return {}
        return {"recordings.recording_id": durations["recording_id"]}

    def _durations(self) -> pl.DataFrame:
        if self.part.name == "recordings":
            return TABLES["recordings"].empty().select(_KNOWN_COLUMNS)
        return self.store.read(TABLES["recordings"], self.source, columns=_KNOWN_COLUMNS)


def _media_counts(recordings: pl.DataFrame) -> Iterator[tuple[str, int]]:
    """Recordings and the number of their media files."""
    counts = recordings.select("recording_id", pl.col("media_paths").list.len().fill_null(0))
    yield from counts.iter_rows()


def _output(stage: StageTables, rows: Rows, todo: list[str], units: Mapping[str, str]) -> Output:
    tables = {
        table.name: rows.tables[table.name].filter(pl.col(table.unit).is_in(todo))
        for table in stage.tables
        if table.name in rows.tables
    }
    wanted = set(todo)
    refused = [(unit, one) for one in rows.refused if (unit := unit_of(one, units)) in wanted]
    return Output(todo, tables, refused)


def _refresh(inputs: Inputs, options: Options, tell: Tell) -> list[Report]:
    """Recompute what changed of a configured source (see `ingest`)."""
    settings, source = inputs.settings, inputs.partition
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


def _pending(inputs: Inputs, options: Options) -> Iterator[Pending]:
    """Files that changed, and the parts that are to be read again; commits nothing.

    Raises:
        RootError: The root cannot be listed or holds no file of the layout.
    """
    settings, source = inputs.settings, inputs.partition
    declared = layout_of(settings, source)
    root = root_of(settings, source)
    selection = options.of_recordings()
    forget = options.allow_deletes and selection.is_all
    manifest = see_manifest(settings.store, source, declared, root, forget=forget)
    gone = sum(content is None for content in manifest.changed.values())
    counts = {"files gone": gone, "files new or changed": len(manifest.changed) - gone}
    yield Pending("files", {why: n for why, n in counts.items() if n})
    said = settings.sources[source].hashed_splits
    hashed = declared.hashed_splits if said is None else said
    recordings = STAGES["recordings"].name
    depends_on: tuple[str, ...] = ()
    for part in declared.parts:
        worker = _PartWorker(
            settings.store, source, part, root, manifest, STAGES[part.name], hashed
        )
        pending = worker.pending(selection)
        if pending.name == recordings and not pending.is_fresh:
            depends_on = (recordings,)
        elif depends_on and pending.is_fresh:
            # Rows of other parts refer to recordings.
            pending = replace(pending, depends_on=depends_on)
        yield pending


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


def _listing_version(store: TableStore, source: str) -> str:
    """Digest of a source's listing: paths and contents."""
    columns = ("path", "content", "is_gone")
    rows = store.read(TABLES["files"], source, columns=columns).sort("path")
    return digest(repr(row) for row in rows.iter_rows())


def _tables_of_layout(settings: Settings, source: str) -> frozenset[str]:
    """Tables of the parts that a source's layout has, and its listing."""
    parts = layout_of(settings, source).parts
    return frozenset({"files"}.union(*(PART_TABLES[part.name] for part in parts)))


_TABLES = tuple(table for tables in PART_TABLES.values() for table in tables)
STAGE = Stage(
    name="sources",
    group="sources",
    summary="What a dataset says, read from its raw layout into one form.",
    partition="source",
    tables=("files", *_TABLES),
    reads={},
    own=OwnRun(_refresh, _pending),
    data_versions={"files": _listing_version},
    derived_from={"files": (), **dict.fromkeys(_TABLES, ("files",))},
    fills=_tables_of_layout,
)

"""What a source's layout lists, what of it is here, what can be read and what is used."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from assets.sources.layout import Layout
from assets.sources.manifest import take_manifest
from assets.sources.registry import UnknownLayout
from assets.sources.stage import layout_of, may_show, root_of
from expectations.schemas import TABLES
from pipelines.cli.question_status import question_lines
from resources.config import Settings
from resources.media.names import looks_like_media
from resources.store.tables import TableStore

_NAMED = 3
_UNREAD = ("unread_members", "unread_media", "unread_first")


def source_lines(settings: Settings, name: str) -> Iterator[str]:
    """Counts of a source, and in words what is listed and absent, or here and not readable."""
    source, store = settings.sources[name], settings.store
    decisions = store.read(TABLES["reviews"], name, columns=("source",))
    if decisions.height:
        judged = ", ".join(sorted(decisions["source"].unique()))
        yield f"  {name} ({source.layout}): {decisions.height} decisions on {judged}"
        yield from _file_lines(store, name, layout_of(settings, name))
        yield from _refused_lines(store, name)
        return
    columns = ["recording_id", "media", "media_kind"]
    recordings = store.read(TABLES["recordings"], name, columns=columns).sort("recording_id")
    present = recordings.filter(pl.col("media") == "present")
    frames = store.scan(TABLES["frames"], name, columns=["recording_id"])
    readable = set(frames.unique().collect()["recording_id"])
    used = _used(store, name)
    yield (
        f"  {name} ({source.layout}): {recordings.height} recordings listed, "
        f"{present.height} with media, {len(readable)} readable, {used} used in questions"
    )
    try:
        layout = layout_of(settings, name)
    except UnknownLayout as error:
        yield f"    {error}"
        return
    passed_on = "" if may_show(settings, name) else "; no frame on pages"
    yield f"    layout {layout.certainty}; {layout.licence}{passed_on}"
    if layout.assumed:
        yield f"    assumed: {layout.assumed}"
    yield from _file_lines(store, name, layout)
    absent = recordings.filter(pl.col("media") == "missing")["recording_id"].to_list()
    if absent:
        yield f"    absent: {_named(absent)}: no media under the root"
    refused = _refused(store, name)
    broken = [uid for uid in present["recording_id"] if uid not in readable]
    if broken and readable:
        yield f"    not readable: {_named(broken)}: {_rules_of(refused, broken)}"
    elif broken:
        yield "    no frames are made yet"
    yield from _refused_lines(store, name)
    yield from question_lines(settings, name)
    states = store.read(TABLES["review_states"], name, columns=("state",))
    if states.height:
        counts = states["state"].value_counts().sort("state").iter_rows()
        yield f"    reviews: {', '.join(f'{n} {state}' for state, n in counts)}"


def _refused_lines(store: TableStore, name: str) -> Iterator[str]:
    refused = _refused(store, name)
    if refused.height:
        yield f"    {refused.height} rows in quarantine ({_rules(refused)})"


def _file_lines(store: TableStore, name: str, layout: Layout) -> Iterator[str]:
    columns = ["path", "part", "is_media", "bytes", "content", "whole", "archive", "is_gone"]
    columns += _UNREAD
    files = store.read(TABLES["files"], name, columns=columns)
    gone = files.filter("is_gone")["path"].sort().to_list()
    files = files.filter(pl.col("is_gone").is_null())
    if files.is_empty():
        yield "    not listed yet"
        return
    known = files.filter(pl.col("part").is_not_null())
    media = known.filter("is_media")
    sampled = known.filter(pl.col("content").str.starts_with("sampled:"))
    line = (
        f"    files: {files.height} under the root, {known.height} of the layout "
        f"({media.height} media), {size_text(sum(known['bytes']))}"
    )
    packed = known["archive"].drop_nulls()
    if len(packed):
        line += f"; {len(packed)} in {packed.n_unique()} archives"
    if sampled.height:
        checked = sampled["whole"].is_not_null().sum()
        line += f"; {sampled.height} large media known by samples, {checked} of them verified"
    yield line
    yield from _unread_lines(files, layout)
    if gone:
        yield f"    gone: {len(gone)} files that were here before, first {gone[0]}"
    # A file may be read by several parts; its row names the first.
    paths = known["path"].to_list()
    lacking = [p.name for p in layout.parts if p.files and not any(map(p.claims, paths))]
    if lacking:
        yield f"    absent: no file of {', '.join(lacking)}"


def _unread_lines(files: pl.DataFrame, layout: Layout) -> Iterator[str]:
    """Files and members of archives that no part of the layout reads."""
    opened = files.filter(pl.col("unread_members").is_not_null())
    # An archive that is opened is read in its members, or passed over in them.
    loose = files.filter(pl.col("part").is_null(), pl.col("unread_members").is_null())
    paths = sorted(loose["path"])
    media = [path for path in paths if looks_like_media(path)]
    others = [path for path in paths if not looks_like_media(path)]
    archives = opened.filter(pl.col("unread_members") > 0).sort("path")
    for path, first in archives.select("path", "unread_first").iter_rows():
        named = [f"{name} (in {path})" for name in first]
        media += [text for name, text in zip(first, named, strict=True) if looks_like_media(name)]
        others += [
            text for name, text in zip(first, named, strict=True) if not looks_like_media(name)
        ]
    n_media = sum(map(looks_like_media, paths)) + int(archives["unread_media"].sum())
    count = len(paths) + int(archives["unread_members"].sum())
    if n_media:
        what = "looks like media and is" if n_media == 1 else "look like media and are"
        yield (
            f"    WARNING: {_first(media, n_media)} {what} not read: layout {layout.name} expects "
            "other names (docs/datasets.md); rename or convert what should be read"
        )
    if count > n_media:
        yield f"    not of the layout: {_first(others, count - n_media)}"


def _first(names: Sequence[str], count: int) -> str:
    """A number of files, and the first few of them by name."""
    more = ", ..." if count > min(len(names), _NAMED) else ""
    return f"{count} {'file' if count == 1 else 'files'} ({', '.join(names[:_NAMED])}{more})"


def size_text(size: int) -> str:
    """Bytes in words."""
    for unit, factor in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= factor:
            return f"{size / factor:.1f} {unit}"
    return f"{size} B"


def _used(store: TableStore, source: str) -> int:
    media = (
        store.scan(TABLES["questions"], columns=["source", "media"])
        .filter(pl.col("source") == source)
        .select(pl.col("media").explode().struct.field("recording_id"))
        .collect()
    )
    return media["recording_id"].drop_nulls().n_unique()


def _refused(store: TableStore, source: str) -> pl.DataFrame:
    columns = ["source", "recording_id", "rule"]
    rows = store.scan(TABLES["quarantine"], columns=columns)
    return rows.filter(pl.col("source") == source).collect()


def _rules(refused: pl.DataFrame) -> str:
    counts = refused.group_by("rule").len().sort(["len", "rule"], descending=[True, False])
    return ", ".join(f"{rule} {n}" for rule, n in counts.iter_rows())


def _rules_of(refused: pl.DataFrame, recordings: Sequence[str]) -> str:
    theirs = refused.filter(pl.col("recording_id").is_in(list(recordings)))
    return _rules(theirs) if theirs.height else "no frame could be placed"


def _named(uids: Sequence[str]) -> str:
    more = f" and {len(uids) - _NAMED} more" if len(uids) > _NAMED else ""
    return f"{len(uids)} recordings ({', '.join(uids[:_NAMED])}{more})"


def verify_source(settings: Settings, name: str) -> str:
    """Read every byte of every file of the layout, and store what differs; a line about it.

    What differs is made anew by the next run.
    """
    layout, root = layout_of(settings, name), root_of(settings, name)
    with settings.store.lock(f"ingest.{name}"):
        manifest = take_manifest(settings.store, name, layout, root, verify=True)
    first = f", first {next(iter(manifest.changed))}" if manifest.changed else ""
    return (
        f"{name}: every byte of {manifest.hashed} files read ({size_text(manifest.bytes_read)}), "
        f"{len(manifest.changed)} differ{first}"
    )

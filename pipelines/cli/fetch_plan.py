"""Which files of a dataset's release a choice of subtasks needs, and how large they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from assets.questions.kit.builder import Builder, builders
from assets.sources.layout import PART_TABLES, TABLE_PARTS, Layout, Part
from assets.sources.registry import layouts
from assets.sources.release_sizes import Released, sizes_of
from expectations.schemas import TABLES
from pipelines.cli.source_status import size_text
from pipelines.definitions import STAGES
from resources.config import Settings
from resources.errors import require_known


@dataclass(frozen=True, slots=True)
class Needed:
    """Files or media of one part of one layout.

    Attributes:
        layout: The layout.
        part: The part.
        is_media: Whether pixels are meant.
        pattern: Paths under a root, as a regular expression.
        why: Tables that need it, ascending.
        here: Files there are under configured roots of this layout.
        bytes_here: Their size.
        released: What is known of the full release.
    """

    layout: str
    part: str
    is_media: bool
    pattern: str
    why: tuple[str, ...]
    here: int
    bytes_here: int
    released: tuple[Released, ...]


def tables_needed(chosen: Iterable[Builder]) -> dict[str, set[str]]:
    """Tables of the sources stage that builders need in the end, each with what asks for it.

    Builders name what they read; what a table of another stage is made from, the stages tell.
    """
    origins = {
        table: stage.deps for stage in STAGES for table in stage.tables if stage.name != "sources"
    }
    askers: dict[str, set[str]] = {}
    # Frames are what protocols send: without them no question can be asked.
    waiting = [
        (t, f"{b.benchmark}/{s}") for b in chosen for s in b.subtasks for t in (*b.reads, "frames")
    ]
    seen = set()
    while waiting:
        table, asker = waiting.pop()
        if (table, asker) in seen:
            continue
        seen.add((table, asker))
        if table in TABLE_PARTS:
            askers.setdefault(table, set()).add(asker)
        waiting += [(below, asker) for below in origins.get(table, ())]
    return askers


def chosen_builders(
    benchmarks: Iterable[str], subtasks: Iterable[str], settings: Settings | None = None
) -> list[Builder]:
    """Builders of benchmarks and subtasks; of all, where none is named.

    Raises:
        UnknownName: Nothing is named so.
    """
    ours = builders() if settings is None else builders(settings.plugins, settings.home)
    known = list(ours.values())
    named, named_subtasks = set(benchmarks), set(subtasks)
    require_known("benchmark", sorted(named), {b.benchmark for b in known})
    require_known("subtask", sorted(named_subtasks), {s for b in known for s in b.subtasks})
    return [
        b
        for b in known
        if (not named or b.benchmark in named)
        and (not named_subtasks or named_subtasks & set(b.subtasks))
    ]


def needed(settings: Settings, chosen: Iterable[Builder], names: Iterable[str]) -> Iterator[Needed]:
    """What is needed of each layout, part by part.

    Args:
        settings: Configuration; its sources tell what is here.
        chosen: Builders of the questions that are wanted.
        names: Layouts.
    """
    tables = tables_needed(chosen)
    known = layouts(settings.plugins, settings.home)
    parts = {TABLE_PARTS[table] for table in tables} | {"recordings"}
    for name in names:
        require_known("layout", [name], known)
        listed = _listed(settings, name)
        for part in known[name].parts:
            if part.name in parts:
                yield from _needed_of_part(known[name], part, tables, listed)


def _needed_of_part(
    layout: Layout,
    part: Part,
    tables: Mapping[str, set[str]],
    listed: Sequence[tuple[str, int]],
) -> Iterator[Needed]:
    why = tuple(t for t in PART_TABLES[part.name] if t in tables)
    # Some annotations are too large to be held and are named apart from the others.
    files = "|".join(pattern for pattern in (part.files, part.large) if pattern is not None)
    for is_media, pattern in ((False, files), (True, part.media)):
        if not pattern:
            continue
        # Parts may read the same file.
        claims = part.claims_medium if is_media else part.claims
        sizes = [size for path, size in listed if claims(path)]
        released = tuple(sizes_of(layout, part.name, is_media=is_media))
        yield Needed(
            layout.name, part.name, is_media, pattern, why, len(sizes), sum(sizes), released
        )


def _listed(settings: Settings, layout: str) -> list[tuple[str, int]]:
    """Paths and sizes of what the layout knows, as the sources of it were last listed."""
    names = [s.name for s in settings.sources.values() if s.layout == layout]
    files = settings.store.scan(
        TABLES["files"], columns=["source", "part", "path", "bytes", "is_gone"]
    )
    known = pl.col("source").is_in(names) & pl.col("part").is_not_null()
    known &= pl.col("is_gone").is_null()
    return list(files.filter(known).select("path", "bytes").collect().iter_rows())


def plan_lines(
    settings: Settings,
    benchmarks: Iterable[str] = (),
    subtasks: Iterable[str] = (),
    names: Iterable[str] = (),
) -> Iterator[str]:
    """The plan in words.

    Args:
        settings: Configuration.
        benchmarks: Only these benchmarks.
        subtasks: Only these subtasks.
        names: Layouts; those of the configured sources of the benchmarks where none is named.

    Raises:
        UnknownName: Nothing is known by a name.
    """
    chosen = chosen_builders(benchmarks, subtasks, settings)
    chosen_subtasks = sorted({f"{b.benchmark}/{s}" for b in chosen for s in b.subtasks})
    layout_names = list(names) or _configured(settings, {b.benchmark for b in chosen})
    yield f"{len(chosen_subtasks)} subtasks: {', '.join(chosen_subtasks)}"
    yield f"tables: {', '.join(sorted(tables_needed(chosen)))}"
    known = layouts(settings.plugins, settings.home)
    plan = list(needed(settings, chosen, layout_names))
    for name in layout_names:
        layout = known[name]
        yield ""
        yield f"{name}: {layout.title} (layout {layout.certainty}; {layout.licence})"
        total, unknown = 0, 0
        for one in (n for n in plan if n.layout == name):
            kind = "media" if one.is_media else "files"
            yield f"  {one.part}, {kind}: {_readable(one.pattern)}"
            if one.here:
                yield f"    here: {one.here} files, {size_text(one.bytes_here)}"
            for released in one.released:
                size = "size not known" if released.bytes is None else size_text(released.bytes)
                yield f"    released: {released.what}: {size} ({released.certainty}: {released.said_in})"
                total += released.bytes or 0
                unknown += released.bytes is None
            if not one.released:
                yield "    released: size not known"
                unknown += 1
        rest = [
            p.name for p in layout.parts if p.name not in {n.part for n in plan if n.layout == name}
        ]
        if rest:
            yield f"  not needed: {', '.join(rest)}"
        lacking = {TABLE_PARTS[t] for t in tables_needed(chosen)} - {p.name for p in layout.parts}
        if lacking:
            yield f"  read by some of these subtasks, and not in this dataset: {', '.join(sorted(lacking))}"
        also = f", and {unknown} items of unknown size" if unknown else ""
        yield f"  known sizes of the full release: {size_text(total)}{also}"


def _configured(settings: Settings, benchmarks: set[str]) -> list[str]:
    used = [b for b in settings.benchmarks.values() if b.name in benchmarks]
    return sorted(
        {settings.sources[s].layout for b in used for s in b.sources if s in settings.sources}
    )


def _readable(pattern: str) -> str:
    """A pattern with less in it that only machines need."""
    return pattern.replace("\\.", ".").replace("[^/]+", "*").replace("(?:", "(")

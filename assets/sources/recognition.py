"""Which declared layouts the files below a folder have, told from their paths alone."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from assets.sources.layout import Layout

PLAIN_VIDEOS = "videos"
# Their files may be of any name: such a layout is never told from paths.
_NAMELESS = frozenset({PLAIN_VIDEOS, "reviews"})
# Folders below the given one that may be the root of a dataset.
_DEEPEST_ROOT = 4
_DIGITS = re.compile(r"\d+")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class Recognised:
    """A folder whose files a layout declares.

    Attributes:
        layout: Name of the layout.
        folder: Folder, relative to the one that was looked at; empty for that one.
        annotations: Files whose content the layout reads.
        media: Files that it knows as media.
        parts: Parts of the layout that have files here, in the layout's order.
    """

    layout: str
    folder: str
    annotations: int
    media: int
    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Recognition:
    """What was recognised below a folder.

    Attributes:
        sources: Folders with a layout, ascending; plain videos last.
        loose_videos: Videos that lie beside other sources, so that no folder holds them alone.
    """

    sources: tuple[Recognised, ...]
    loose_videos: int = 0


@dataclass(frozen=True, slots=True)
class _Group:
    """Files of one folder whose names differ in numbers and identifiers only."""

    path: str
    count: int


@dataclass(slots=True)
class _Claims:
    """Groups of files that a layout claims under one root."""

    read: set[int] = field(default_factory=set)
    media: set[int] = field(default_factory=set)
    parts: set[str] = field(default_factory=set)


def recognise(paths: Iterable[str], layouts: Mapping[str, Layout]) -> Recognition:
    """Layouts that the files below a folder have.

    A layout counts where its part `recordings` reads a file, and where media or a second kind of file
    bear it out. A file that a layout with more to show has claimed does not speak for another.

    Args:
        paths: Paths relative to the folder, with forward slashes.
        layouts: Declared layouts by name.
    """
    groups = _grouped(paths)
    found = _claims(groups, layouts)
    taken: set[int] = set()
    roots: list[str] = []
    sources: list[Recognised] = []
    for (folder, name), claims in sorted(found.items(), key=lambda item: _rank(item, groups)):
        if not claims.read - taken or not _bears_out(claims):
            continue
        if any(_nested(folder, one.folder) for one in sources if one.layout == name):
            continue
        taken |= claims.read | claims.media
        roots.append(folder)
        sources.append(_recognised(folder, layouts[name], claims, groups))
    sources.sort(key=lambda one: (one.folder, one.layout))
    plain, loose = _plain_videos(groups, taken, roots, layouts.get(PLAIN_VIDEOS))
    return Recognition((*sources, *plain), loose)


def _grouped(paths: Iterable[str]) -> list[_Group]:
    first: dict[tuple[str, str], str] = {}
    counts: Counter[tuple[str, str]] = Counter()
    for path in sorted(paths):
        folder, _, name = path.rpartition("/")
        shape = folder, _DIGITS.sub("0", _UUID.sub("uuid", name))
        first.setdefault(shape, path)
        counts[shape] += 1
    return [_Group(path, counts[shape]) for shape, path in first.items()]


def _claims(
    groups: Sequence[_Group], layouts: Mapping[str, Layout]
) -> dict[tuple[str, str], _Claims]:
    """Claims by root and layout, of every folder that may be a root."""
    named = {name: layout for name, layout in layouts.items() if name not in _NAMELESS}
    found: dict[tuple[str, str], _Claims] = defaultdict(_Claims)
    for at, group in enumerate(groups):
        folders = group.path.split("/")[:-1]
        for depth in range(min(len(folders), _DEEPEST_ROOT) + 1):
            root = "/".join(folders[:depth])
            path = group.path[len(root) + 1 :] if root else group.path
            for name, layout in named.items():
                reading = [part.name for part in layout.parts if part.claims(path)]
                showing = [part.name for part in layout.parts if part.claims_medium(path)]
                if reading or showing:
                    claims = found[root, name]
                    (claims.read if reading else claims.media).add(at)
                    claims.parts.update(reading or showing)
                    if "recordings" in reading:
                        claims.parts.add("")
    return found


def _bears_out(claims: _Claims) -> bool:
    return "" in claims.parts and (bool(claims.media) or len(claims.read) > 1)


def _rank(item: tuple[tuple[str, str], _Claims], groups: Sequence[_Group]) -> tuple:
    """Those with more to show first; of equal ones the deepest folder."""
    (folder, name), claims = item
    files = sum(groups[at].count for at in claims.read | claims.media)
    return -len(claims.read), -files, -len(claims.parts), -folder.count("/"), -len(folder), name


def _nested(one: str, other: str) -> bool:
    return _within(one, other) or _within(other, one)


def _within(path: str, folder: str) -> bool:
    return not folder or path == folder or path.startswith(f"{folder}/")


def _recognised(
    folder: str, layout: Layout, claims: _Claims, groups: Sequence[_Group]
) -> Recognised:
    return Recognised(
        layout=layout.name,
        folder=folder,
        annotations=sum(groups[at].count for at in claims.read),
        media=sum(groups[at].count for at in claims.media),
        parts=tuple(part.name for part in layout.parts if part.name in claims.parts),
    )


def _plain_videos(
    groups: Sequence[_Group], taken: Collection[int], roots: Sequence[str], videos: Layout | None
) -> tuple[list[Recognised], int]:
    """Folders of videos that no other source claims, and the videos that have no such folder."""
    found: Counter[str] = Counter()
    loose = 0
    for at, group in enumerate(groups):
        if videos is None or at in taken or not videos.knows(group.path):
            continue
        if any(_within(group.path, root) for root in roots):
            continue
        folders = group.path.split("/")[:-1]
        ways = ("/".join(folders[:depth]) for depth in range(len(folders) + 1))
        own = next((way for way in ways if not any(_within(root, way) for root in roots)), None)
        if own is None:
            loose += group.count
        else:
            found[own] += group.count
    return [
        Recognised(PLAIN_VIDEOS, folder, 0, count, ("recordings",))
        for folder, count in sorted(found.items())
    ], loose

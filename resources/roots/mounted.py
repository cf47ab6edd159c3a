"""Roots whose archives read as if they had been unpacked where they lie.

Where an archive's content belongs is not the same in every release: beside the archive, in a folder
of the archive's name, or without the one folder that holds everything in it. The layout decides: the
place at which it knows most members is taken, the first of these where several are equal. A loose
file goes before a member at the same path. Archives inside archives are opened too, twice at most.
"""

from __future__ import annotations

import builtins
import json
import posixpath
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import BinaryIO

from expectations.contracts import Refusal
from resources.media.names import looks_like_media
from resources.roots.archives import Archive, DamagedArchiveError, Member, ending_of
from resources.roots.base import (
    Claims,
    Listing,
    RawFile,
    Root,
    RootError,
    UnreadableFile,
    UnreadMembers,
    content_of,
    refused_file,
)

_DEPTH = 2
_SAMPLE = 2000
_NAMED = 3
_AGAIN = "fetch the archive again"


@dataclass(frozen=True, slots=True)
class _Place:
    """A member where it reads as if it lay."""

    file: RawFile
    archive: Archive
    member: Member


class OneFile:
    """A single file of a root, as a root of its own."""

    def __init__(self, root: Root, name: str, url: str) -> None:
        self.url = url
        self.is_local = root.is_local
        self.name = name
        self._root = root
        self.list_one = root.list_one
        self.has = root.has
        self.read = root.read
        self.open = root.open
        self.glance = root.glance
        self.content = root.content

    def list(self) -> Listing:
        """The one file (see `Root.list`)."""
        try:
            found = self._root.list_one(self.name)
        except RootError as error:
            raise RootError(f"{error}; nothing was deleted") from error
        return Listing(tuple(found))


class MountedRoot:
    """A root with what its archives hold."""

    def __init__(self, root: Root, claims: Claims | None, *, everything: bool = False) -> None:
        """A root with its archives opened.

        Args:
            root: Where the archives lie.
            claims: Whether the layout knows a path.
            everything: Whether the root is one archive: then all its members are listed, also those
                the layout does not know, and it is not.
        """
        self.url = root.url
        self.is_local = root.is_local
        self._root = root
        self._claims = claims
        self._everything = everything
        self._places: dict[str, _Place] | None = None

    def list(self) -> Listing:
        """All files (see `Root.list`)."""
        plain = self._root.list()
        refused = list(plain.refused)
        places: dict[str, _Place] = {}
        unread: dict[str, _Unread] = {}
        taken = {file.path for file in plain.files}
        for file in plain.files:
            if self._is_to_be_opened(file.path):
                passed = unread.setdefault(file.path, _Unread())
                self._mount(file, self._archive(file), places, taken, refused, passed, 1)
        self._places = places
        if self._everything and not places:
            said = "; ".join(f"{r.message}: {r.value}" for r in refused)
            raise RootError(
                f"root {self.url} holds no file that can be read{': ' + said if said else ''}; "
                "nothing was deleted"
            )
        files: builtins.list[RawFile] = []
        if not self._everything:
            opened = {path: passed.summed() for path, passed in unread.items()}
            files += [replace(f, unread=opened.get(f.path)) for f in plain.files]
        files += [place.file for place in places.values()]
        folders = {*plain.folders, *(f for path in places for f in _folders_above(path))}
        return Listing(
            tuple(sorted(files, key=lambda f: f.path)),
            tuple(sorted(refused, key=lambda r: (r["file"], r["rule"]))),
            tuple(sorted(folders)),
        )

    def list_one(self, path: str) -> builtins.list[RawFile]:
        """One file as listed (see `Root.list_one`)."""
        place = self._place(path)
        return [place.file] if place is not None else self._root.list_one(path)

    def has(self, path: str) -> bool:
        """Whether there is such a file, loose or in an archive."""
        return self._place(path) is not None or self._root.has(path)

    def read(self, path: str) -> bytes:
        """Content of a file (see `Root.read`)."""
        place = self._place(path)
        if place is None:
            return self._root.read(path)
        with self._reading(place):
            return b"".join(place.archive.chunks(place.member))

    def open(self, path: str) -> BinaryIO:
        """A seekable reader of a file (see `Root.read`)."""
        place = self._place(path)
        if place is None:
            return self._root.open(path)
        with self._reading(place):
            return place.archive.open(place.member)

    def glance(self, path: str) -> BinaryIO:
        """A seekable reader for a look (see `Root.read`)."""
        return self._root.glance(path) if self._place(path) is None else self.open(path)

    def content(self, file: RawFile, *, whole: bool = False) -> str:
        """Content identity of a file (see `Root.read`)."""
        place = self._place(file.path)
        if place is None:
            return self._root.content(file, whole=whole)
        with self._reading(place), place.archive.open(place.member) as handle:
            return content_of(handle, place.member.bytes, whole=whole)

    def _is_to_be_opened(self, path: str) -> bool:
        if ending_of(path) is None:
            return False
        # An archive that is itself a file of the layout is its reader's.
        return self._everything or (self._claims is not None and not self._claims(path))

    def _place(self, path: str) -> _Place | None:
        """Where a member lies; None for a file that is the root's own."""
        if self._places is None and (self._everything or not self._root.has(path)):
            self.list()
        place = (self._places or {}).get(path)
        if place is None and self._everything:
            raise RootError(f"root {self.url}: there is no {path} in the archive")
        return place

    def _archive(self, file: RawFile) -> Archive:
        local = self._root.is_local

        def opener() -> BinaryIO:
            return self._root.open(file.path) if local else self._root.glance(file.path)

        key = json.dumps([self.url, file.path, file.bytes, file.stamp])
        return Archive(file.path, key, file.bytes, opener, local=local)

    def _mount(
        self,
        file: RawFile,
        archive: Archive,
        places: dict[str, _Place],
        taken: set[str],
        refused: builtins.list[Refusal],
        unread: _Unread,
        depth: int,
    ) -> None:
        """Put an archive's members where they belong, and open those that are archives.

        What is refused is reported whether or not the layout knows the other members; names of those it
        does not know go into `unread`.
        """
        try:
            index = archive.index()
        except UnreadableFile as error:
            refused.append(error.refusal)
            return
        except OSError as error:
            raise RootError(
                f"root {self.url}: cannot read {file.path}: {error.strerror or error}"
            ) from error
        whole = self._everything and depth == 1
        folder = "" if whole else posixpath.dirname(file.path)
        stem = posixpath.basename(file.path)[: -len(ending_of(file.path) or "")]
        refused.extend(index.refused)
        # Where nothing of the layout is in it, it is perhaps in an archive inside it.
        where = self._where(index.members, folder, stem) or _Where("" if whole else folder, 0)
        for member in index.members:
            path = where.path(member.path)
            if path in taken:
                if path in places:
                    refused.append(refused_file(path, "member_twice", archive.name, *_TWICE))
                continue
            stamp = f"{file.bytes}:{file.stamp}:{member.offset}"
            one = RawFile(path, member.bytes, stamp, file.archive or file.path)
            if depth < _DEPTH + 1 and self._claims is not None and self._is_inner(path):
                inner = self._inner(one, archive, member)
                passed = _Unread() if whole else unread
                self._mount(one, inner, places, taken, refused, passed, depth + 1)
                if not whole:
                    continue
                one = replace(one, unread=passed.summed())
            elif not whole and not self._known(path):
                unread.add(path)
                continue
            taken.add(path)
            places[path] = _Place(one, archive, member)

    def _known(self, path: str) -> bool:
        return self._claims is not None and self._claims(path)

    def _is_inner(self, path: str) -> bool:
        return ending_of(path) is not None and not self._known(path)

    def _inner(self, file: RawFile, archive: Archive, member: Member) -> Archive:
        key = json.dumps([self.url, file.archive, file.path, file.bytes, file.stamp])
        return Archive(file.path, key, file.bytes, lambda: archive.open(member), local=True)

    def _where(self, members: Sequence[Member], folder: str, stem: str) -> _Where | None:
        """Where the layout knows most members; None where it knows none anywhere."""
        if self._claims is None or not members:
            return None
        top = members[0].path.partition("/")[0]
        one_top = all(m.path.startswith(f"{top}/") for m in members)
        choices = [_Where(folder, 0), _Where(posixpath.join(folder, stem), 0)]
        if one_top:
            choices.append(_Where(folder, len(top) + 1))
        step = max(1, len(members) // _SAMPLE)
        for chosen in (members[::step], members) if step > 1 else (members,):
            counts = [sum(self._claims(w.path(m.path)) for m in chosen) for w in choices]
            if any(counts):
                return choices[counts.index(max(counts))]
        return None

    @contextmanager
    def _reading(self, place: _Place) -> Iterator[None]:
        try:
            yield
        except DamagedArchiveError as error:
            raise UnreadableFile(
                place.file.path,
                str(error),
                f"the file cannot be read from the archive {place.file.archive}",
                _AGAIN,
            ) from error
        except UnreadableFile:
            raise
        except OSError as error:
            raise RootError(
                f"root {self.url}: cannot read {place.file.archive}: {error.strerror or error}"
            ) from error


@dataclass(frozen=True, slots=True)
class _Where:
    """Folder members are put into, and how much of their path is left out at its start."""

    folder: str
    cut: int

    def path(self, member: str) -> str:
        return posixpath.join(self.folder, member[self.cut :])


class _Unread:
    """Counts members that no part of the layout reads, and keeps the names of a few."""

    def __init__(self) -> None:
        self._counts = {True: 0, False: 0}
        self._first: dict[bool, list[str]] = {True: [], False: []}

    def add(self, path: str) -> None:
        """Count a member."""
        is_media = looks_like_media(path)
        self._counts[is_media] += 1
        if len(self._first[is_media]) < _NAMED:
            self._first[is_media].append(path)

    def summed(self) -> UnreadMembers:
        """What was counted."""
        first = (*self._first[True], *self._first[False])
        return UnreadMembers(sum(self._counts.values()), self._counts[True], first)


def _folders_above(path: str) -> Iterator[str]:
    while path := posixpath.dirname(path):
        yield path


_TWICE = ("two archives hold this file; that of the first archive is read", "remove one of them")

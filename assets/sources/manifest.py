"""The manifest of a source: which files its layout claims, known by content.

Files whose size and stamp are those of the last listing are not read again, so that looking costs
a listing. The listing is stored in `files`.

Annotations are hashed whole, media beyond 64 MB by samples (`resources.roots.base.content_of`). Verifying
hashes every byte of them too: what was changed behind unmoved samples, size and stamp is found by it.

A claimed file that disappears stays in `files`, marked as gone, and is named in quarantine, until it is
back or a person allows deletes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass

from assets.sources.layout import Layout, Medium, Part
from expectations.contracts import Refusal
from expectations.schemas import TABLES
from resources.media.pictures import is_picture
from resources.media.video import container_duration
from resources.roots.base import (
    SAMPLED,
    VERIFIED,
    Listing,
    RawFile,
    Root,
    RootError,
    UnreadableFile,
)
from resources.store.schema_change import renew_outdated
from resources.store.tables import OutdatedTable, TableStore

FILES = TABLES["files"]
_TOLD_EVERY = 200

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True)
class Manifest:
    """Claimed files of a source with their content.

    Attributes:
        files: Rows of `files` by path, claimed ones only.
        refused: What the listing refused, and claimed files that are gone.
        gone: Paths of claimed files that are gone, ascending.
        hashed: Files whose content was read to know it.
        changed: New content by path, ascending, of files that differ from the stored listing; None
            for files that are gone.
        bytes_read: Size of the files that were hashed.
    """

    files: Mapping[str, dict]
    refused: tuple[Refusal, ...]
    hashed: int
    changed: Mapping[str, str | None]
    gone: tuple[str, ...] = ()
    bytes_read: int = 0

    def of_part(self, part: Part) -> dict[str, str]:
        """Content by path of the files a part reads."""
        return {p: f["content"] for p, f in self.files.items() if part.claims(p)}

    def media_of(self, part: Part) -> dict[str, Medium]:
        """Media of a part by path."""
        return {
            p: Medium(p, f["bytes"], f["content"], f["duration_s"])
            for p, f in self.files.items()
            if not part.claims(p) and part.claims_medium(p)
        }


def take_manifest(
    store: TableStore,
    source: str,
    layout: Layout,
    root: Root,
    progress: Progress | None = None,
    *,
    verify: bool = False,
    forget: bool = False,
    suspects: Collection[str] = (),
) -> Manifest:
    """List a root, know the content of every file its layout claims, and store the listing.

    Args:
        store: Table store.
        source: Name of the source.
        layout: Its layout.
        root: Where it lies.
        progress: Told (files looked at, files, last path).
        verify: Whether every byte of every claimed file is read, whatever its stamp says.
        forget: Whether files that are gone are meant to be gone.
        suspects: Files that are read whatever their stamps say.

    Raises:
        RootError: The root cannot be listed or holds no file of the layout; nothing was changed.
    """
    listing = root.list()
    renew_outdated(store, "files", (FILES,))
    with store.lock(f"files.{source}"):
        known = _known(store, source)
        rows, manifest = _look(
            source,
            layout,
            root,
            listing,
            known,
            progress,
            verify=verify,
            forget=forget,
            suspects=suspects,
        )
        moved = [p for p, row in rows.items() if known.get(p) != row]
        gone = sorted(known.keys() - rows.keys())
        if moved or gone:
            store.replace(FILES, source, [*moved, *gone], FILES.frame(rows[p] for p in moved))
    return manifest


def see_manifest(
    store: TableStore, source: str, layout: Layout, root: Root, *, forget: bool = False
) -> Manifest:
    """The manifest as it would be taken now (see `take_manifest`); nothing is stored.

    Raises:
        RootError: The root cannot be listed or holds no file of the layout.
    """
    known = _known(store, source)
    return _look(source, layout, root, root.list(), known, None, forget=forget)[1]


def _known(store: TableStore, source: str) -> dict[str, dict]:
    try:
        rows = store.read(FILES, source)
    except OutdatedTable:
        return {}  # every file is looked at anew
    return {r["path"]: r for r in rows.iter_rows(named=True)}


def _look(
    source: str,
    layout: Layout,
    root: Root,
    listing: Listing,
    known: Mapping[str, dict],
    progress: Progress | None,
    *,
    verify: bool = False,
    forget: bool = False,
    suspects: Collection[str] = (),
) -> tuple[dict[str, dict], Manifest]:
    """Rows of `files` for all that is listed or gone, and the manifest of what is claimed."""
    rows: dict[str, dict] = {}
    misplaced = list(_misplaced(layout, listing))
    # Where people have decided nothing yet there is no file of theirs, and nothing to be lost.
    may_lack_files = layout.part("reviews") is not None and not any(
        row["part"] is not None for row in known.values()
    )
    if not may_lack_files and not any(layout.knows(file.path) for file in listing.files):
        raise _nothing_claimed(layout, root, listing, misplaced)
    refused = [*listing.refused, *misplaced]
    hashed = bytes_read = 0
    for at, file in enumerate(listing.files):
        claim = layout.claim(file.path)
        old = known.get(file.path)
        is_read = claim is not None and (verify or file.path in suspects)
        if old is not None and _is_same(old, file, claim) and not is_read:
            rows[file.path] = old
            continue
        row = {
            "source": source,
            "path": file.path,
            "bytes": file.bytes,
            "stamp": file.stamp,
            "content": "",
            "part": None,
            "is_media": False,
            "duration_s": None,
            "archive": file.archive,
            "whole": None,
            **_unread(file),
            "is_gone": None,
        }
        rows[file.path] = row
        if claim is None:
            continue
        try:
            # Of an annotation file every byte counts, however large it is.
            content = root.content(file, whole=not claim[1])
            duration = _duration(root, file) if claim[1] else None
            whole = None
            if verify and content.startswith(SAMPLED):
                whole = root.content(file, whole=True)
                content = _verified(content, whole, old or {})
        except UnreadableFile as error:
            refused.append(error.refusal)
            continue
        row.update(content=content, part=claim[0], is_media=claim[1], duration_s=duration)
        row["whole"] = whole
        hashed += 1
        bytes_read += file.bytes
        if progress is not None and hashed % _TOLD_EVERY == 0:
            progress(at + 1, len(listing.files), file.path)
    claimed = {p: row for p, row in rows.items() if row["part"] is not None}
    # What is refused is there, and its refusal says what is wrong with it.
    here = {*rows, *(one["file"] for one in refused)}
    lost = {} if forget else _gone(layout, here, known)
    refused.extend(_gone_refusal(layout, path) for path in lost)
    manifest = Manifest(
        claimed, tuple(refused), hashed, _changed(claimed, known), tuple(lost), bytes_read
    )
    return {**rows, **lost}, manifest


def _nothing_claimed(
    layout: Layout, root: Root, listing: Listing, misplaced: list[Refusal]
) -> RootError:
    """What is raised for a root that holds other things than its layout names."""
    near = [one["file"] for one in misplaced if one["rule"] == "name_case"]
    found = f"first: {listing.files[0].path}" if listing.files else "no files"
    if near:
        found = f"only upper and lower case differ in {near[0]}"
    return RootError(
        f"root {root.url} holds no file of layout {layout.name!r} ({found}): mount it, or correct the "
        "source's `root` or `layout`; nothing was deleted"
    )


def _gone(layout: Layout, here: Collection[str], known: Mapping[str, dict]) -> dict[str, dict]:
    """Rows of claimed files that were here and are gone, by path, ascending."""
    return {
        path: {**row, "is_gone": True}
        for path, row in sorted(known.items())
        if path not in here and row["part"] is not None and layout.knows(path)
    }


def _gone_refusal(layout: Layout, path: str) -> Refusal:
    part = next(p for p in layout.parts if p.claims(path) or p.claims_medium(path))
    named = part.claims(path) and part.per_recording and not part.is_shared(path)
    return Refusal(
        path,
        None,
        "file_gone",
        path,
        "the file was here before and is gone",
        "restore the file, or run once with --allow-deletes if it was removed on purpose",
        recording_id=part.recording_of(path) if named else None,
    )


def _verified(content: str, whole: str, old: Mapping[str, object]) -> str:
    """Content of a large medium whose every byte was read.

    Samples that are equal while the whole differs from what it was tell nothing any more: from then
    on the whole is the identity, as long as the file stays as it is.
    """
    known, before = old.get("whole"), old.get("content")
    if before == f"{VERIFIED}{whole}" or (before == content and known not in (None, whole)):
        return f"{VERIFIED}{whole}"
    return content


def _is_same(old: Mapping[str, object], file: RawFile, claim: tuple[str, bool] | None) -> bool:
    """Whether a file is as it was listed, and claimed as it was."""
    stood = (old["bytes"], old["stamp"], old["is_gone"]) == (file.bytes, file.stamp, None)
    same_members = all(old[name] == value for name, value in _unread(file).items())
    return stood and same_members and (old["part"], old["is_media"]) == (claim or (None, False))


def _unread(file: RawFile) -> dict[str, object]:
    """Columns of an archive that is opened: what in it no part of the layout reads."""
    unread = file.unread
    return {
        "unread_members": None if unread is None else unread.count,
        "unread_media": None if unread is None else unread.media,
        "unread_first": None if unread is None else list(unread.first),
    }


def _changed(claimed: Mapping[str, dict], known: Mapping[str, dict]) -> dict[str, str | None]:
    now = {p: row["content"] for p, row in claimed.items()}
    before = {
        p: row["content"]
        for p, row in known.items()
        if row["part"] is not None and not row["is_gone"]
    }
    moved = sorted(p for p in now.keys() | before.keys() if now.get(p) != before.get(p))
    return {p: now.get(p) for p in moved}


def _misplaced(layout: Layout, listing: Listing) -> Iterator[Refusal]:
    """Folders where a file is expected, and files that only their case keeps from being claimed."""
    for folder in listing.folders:
        if layout.claim(folder) is not None:
            yield Refusal(
                folder,
                None,
                "not_a_file",
                "folder",
                "a folder lies where the layout has a file",
                "put the file in its place",
            )
    for file in listing.files:
        if layout.claim(file.path) is None and layout.claim(file.path, any_case=True) is not None:
            yield Refusal(
                file.path,
                None,
                "name_case",
                file.path,
                "only upper and lower case keep this file from being part of the layout",
                "rename the file as the dataset names it",
            )


def _duration(root: Root, file: RawFile) -> float | None:
    if is_picture(file.path):
        return None  # a picture has no length, and there may be many thousands
    with root.glance(file.path) as handle:
        return container_duration(handle)

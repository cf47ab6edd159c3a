"""The manifest of a source: files known by content, read again only when they may have changed."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from assets.sources.layout import Layout, Part, PartFiles, Rows
from assets.sources.manifest import FILES, Manifest, take_manifest
from resources.roots import base as files
from resources.roots.base import LocalRoot, RootError
from resources.roots.open import open_root
from resources.store.tables import TableStore


def _read(_part: PartFiles) -> Rows:
    return Rows({})


LAYOUT = Layout(
    "pictures",
    "Pictures",
    "CC0",
    "verified",
    (Part("recordings", _read, r"lists/.+\.json", r"r\d+/\d+\.(png|mp4)"),),
)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory, where the machine has one."""
    shared = Path("/dev/shm")
    made = (shared if os.access(shared, os.W_OK) else tmp_path) / f"parallax-{os.getpid()}"
    made.mkdir()
    yield made
    shutil.rmtree(made)


def test_thirty_thousand_unchanged_files_are_not_read_again(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for recording in range(30):
        (folder / f"r{recording}").mkdir()
        for number in range(1000):
            os.close(os.open(folder / f"r{recording}" / f"{number}.png", os.O_CREAT))
    store, root = TableStore(str(tmp_path / "t")), open_root(str(folder), LAYOUT.knows)
    # What the first reading costs is not the question here.
    monkeypatch.setattr(LocalRoot, "content", lambda _self, file, whole: file.path)
    first = take_manifest(store, "it", LAYOUT, root)
    assert first.hashed == len(first.files) == 30_000

    for name in ("content", "read", "open", "glance"):
        monkeypatch.setattr(LocalRoot, name, lambda *_a, **_k: pytest.fail("a file was read"))
    version = store.version(FILES)
    again = take_manifest(store, "it", LAYOUT, root)
    assert (again.hashed, again.changed, len(again.files)) == (0, {}, 30_000)
    assert store.version(FILES) == version


class Kept:
    """A small source with one large medium and one large list."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.root = home / "root"
        (self.root / "r1").mkdir(parents=True)
        (self.root / "lists").mkdir()
        self.noise = bytearray(random.Random(1).randbytes(300_000))
        self.put("r1/1.mp4", bytes(self.noise))
        self.put("lists/a.json", bytes(self.noise))
        self.store = TableStore(str(home / "t"))

    def put(self, path: str, data: bytes, stamp_of: str | None = None) -> None:
        """Write a file, under another one's time if asked."""
        target = self.root / path
        before = target.stat() if stamp_of else None
        target.write_bytes(data)
        if before is not None:
            os.utime(target, ns=(before.st_atime_ns, before.st_mtime_ns))

    def take(self, *, verify: bool = False) -> Manifest:
        return take_manifest(self.store, "it", LAYOUT, open_root(str(self.root)), verify=verify)


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kept:
    monkeypatch.setattr(files, "WHOLE_BYTES", 50_000)
    monkeypatch.setattr(files, "SAMPLE_BYTES", 1000)
    return Kept(tmp_path)


def test_of_a_large_list_every_byte_counts_and_of_a_medium_samples(kept: Kept) -> None:
    before = kept.take()
    assert not before.files["lists/a.json"]["content"].startswith("sampled:")
    assert before.files["r1/1.mp4"]["content"].startswith("sampled:")
    kept.noise[5_000] ^= 1  # between the first sample and the second
    kept.put("r1/1.mp4", bytes(kept.noise))
    kept.put("lists/a.json", bytes(kept.noise))
    after = kept.take()
    assert after.hashed == 2
    assert list(after.changed) == ["lists/a.json"]


def test_verifying_finds_what_no_sample_and_no_stamp_shows(kept: Kept) -> None:
    before = kept.take(verify=True)
    kept.noise[5_000] ^= 1
    for path in ("r1/1.mp4", "lists/a.json"):
        kept.put(path, bytes(kept.noise), stamp_of=path)
    assert kept.take().changed == {}
    found = kept.take(verify=True)
    assert sorted(found.changed) == ["lists/a.json", "r1/1.mp4"]
    assert found.bytes_read == 600_000
    # It stays what it was found to be, verified or not.
    assert kept.take(verify=True).changed == {}
    assert kept.take().changed == {}
    assert kept.take().hashed == 0
    assert found.files["r1/1.mp4"]["content"] != before.files["r1/1.mp4"]["content"]


def test_verifying_what_is_as_it_was_moves_nothing(kept: Kept) -> None:
    before = kept.take()
    for _ in range(2):
        again = kept.take(verify=True)
        assert again.changed == {}
        assert {p: f["content"] for p, f in again.files.items()} == {
            p: f["content"] for p, f in before.files.items()
        }


def _box(kind: bytes, data: bytes, *, large: bool = False) -> bytes:
    if large:
        return (1).to_bytes(4, "big") + kind + (len(data) + 16).to_bytes(8, "big") + data
    return (len(data) + 8).to_bytes(4, "big") + kind + data


@pytest.mark.parametrize("large", [False, True])
def test_a_sample_table_between_the_samples_counts(kept: Kept, large: bool) -> None:
    """Two MP4s that differ in one byte of `moov`, where no sample is taken."""

    def movie(table: bytes) -> bytes:
        before, after = bytes(kept.noise[:103_000]), bytes(kept.noise[:180_000])
        parts = (_box(b"ftyp", b"isom"), _box(b"mdat", before, large=large))
        return b"".join((*parts, _box(b"moov", table), _box(b"mdat", after)))

    said = []
    for last in (1, 2):
        kept.put("r1/1.mp4", movie(bytes([7] * 4000 + [last] + [7] * 4000)))
        said.append(kept.take().files["r1/1.mp4"]["content"])
    assert said[0] != said[1]
    # The same bytes in no MP4 are told apart by samples alone: the test would fail without `moov`.
    for last in (1, 2):
        kept.put("r1/1.mp4", b"x" + movie(bytes([7] * 4000 + [last] + [7] * 4000))[1:])
        said.append(kept.take().files["r1/1.mp4"]["content"])
    assert said[2] == said[3]


def test_a_folder_of_decisions_may_be_without_any_until_there_were_some(tmp_path: Path) -> None:
    part = Part("reviews", _read, r".+\.csv")
    layout = Layout("reviews", "Reviews", "own", "verified", (part,))
    store, root = TableStore(str(tmp_path / "t")), open_root(str(tmp_path / "root"))
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "notes.txt").write_text("soon")
    assert take_manifest(store, "it", layout, root).files == {}
    (tmp_path / "root" / "a.csv").write_text("1")
    assert list(take_manifest(store, "it", layout, root).files) == ["a.csv"]
    (tmp_path / "root" / "a.csv").unlink()
    with pytest.raises(RootError, match="nothing was deleted"):
        take_manifest(store, "it", layout, root)


@pytest.mark.parametrize("found", [("a.txt",), ("LISTS/A.JSON", "b.txt")])
def test_a_new_source_whose_root_holds_other_things_stops_the_run(
    tmp_path: Path, found: tuple[str, ...]
) -> None:
    for path in found:
        (tmp_path / "root" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "root" / path).write_text("x")
    store, root = TableStore(str(tmp_path / "t")), open_root(str(tmp_path / "root"))
    with pytest.raises(RootError, match="holds no file of layout 'pictures'") as told:
        take_manifest(store, "it", LAYOUT, root)
    assert found[0] in str(told.value)
    assert store.version(FILES) is None

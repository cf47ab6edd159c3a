"""Archives as roots and in roots: what is read, what is refused, and that nothing gets out."""

from __future__ import annotations

import gzip
import io
import os
import random
import re
import stat
import struct
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

import pytest

from resources.roots import archives
from resources.roots.base import Root, RootError, UnreadableFile, UnreadMembers
from resources.roots.cache import cache_folder, open_copy, trim
from resources.roots.open import open_root

FILES = {
    "list.csv": b"id\n1\n",
    "a/one.txt": b"one",
    "a/b/two.bin": bytes(range(256)) * 9,
    "empty": b"",
    "ü/漢 ~.txt": b"text",
}


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARALLAX_CACHE", str(tmp_path / "cache"))


def make_zip(path: Path, files: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def make_tar(path: Path, files: Mapping[str, bytes]) -> Path:
    mode = "w:gz" if path.name.endswith("gz") else "w"
    with tarfile.open(path, mode) as archive:
        for name, data in files.items():
            one = tarfile.TarInfo(name)
            one.size = len(data)
            archive.addfile(one, io.BytesIO(data))
    return path


def packed(path: Path, files: Mapping[str, bytes]) -> Path:
    return make_zip(path, files) if path.suffix == ".zip" else make_tar(path, files)


def content(root: Root) -> dict[str, bytes]:
    found = {file.path: root.read(file.path) for file in root.list().files}
    for path, data in found.items():
        with root.open(path) as handle:
            assert handle.seek(0, os.SEEK_END) == len(data)
            handle.seek(len(data) // 2)
            assert handle.read() == data[len(data) // 2 :]
    return found


@pytest.mark.parametrize("name", ["x.zip", "x.ZIP", "x.tar", "x.tar.gz", "x.tgz"])
def test_an_archive_reads_like_the_folder_it_was_made_from(tmp_path: Path, name: str) -> None:
    suffix = name.replace("ZIP", "zip")
    path = packed(tmp_path / suffix, FILES).rename(tmp_path / name)
    folder = tmp_path / "folder"
    for said, data in FILES.items():
        (folder / said).parent.mkdir(parents=True, exist_ok=True)
        (folder / said).write_bytes(data)
    root, plain = open_root(str(path)), open_root(str(folder))
    assert content(root) == FILES
    listed, there = root.list(), plain.list()
    assert listed.folders == there.folders
    assert listed.refused == ()
    for one, other in zip(listed.files, there.files, strict=True):
        assert (one.path, one.bytes) == (other.path, other.bytes)
        assert root.content(one) == plain.content(other)
        assert (one.archive, other.archive) == (name, None)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2])
def test_members_too_large_for_memory(tmp_path: Path, monkeypatch, method: int) -> None:
    monkeypatch.setattr(archives, "IN_MEMORY_BYTES", 100)
    data = random.Random(1).randbytes(300_000)
    root = open_root(str(make_zip(tmp_path / "x.zip", {"big": data, "small": b"x"}, method)))
    assert content(root) == {"big": data, "small": b"x"}


def test_its_list_is_kept_until_it_changes(tmp_path: Path, monkeypatch) -> None:
    path = make_tar(tmp_path / "x.tar.gz", FILES)
    before = open_root(str(path)).list()
    with monkeypatch.context() as patched:
        patched.setattr(archives.Archive, "_list", lambda _self: pytest.fail("listed again"))
        assert open_root(str(path)).list() == before
    make_tar(path, {**FILES, "new": b"x"})
    assert "new" in {f.path for f in open_root(str(path)).list().files}


# -- hostile and damaged ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["/abs.txt", "../out.txt", "a/../../out.txt", "C:/x.txt"])
@pytest.mark.parametrize("kind", ["x.zip", "x.tar"])
def test_a_member_that_leaves_is_refused(tmp_path: Path, kind: str, name: str) -> None:
    root = open_root(str(packed(tmp_path / kind, {name: b"bad", "fine": b"good"})))
    assert content(root) == {"fine": b"good"}
    (said,) = root.list().refused
    assert (said["rule"], said["file"]) == ("outside_archive", f"{kind}!{name}")
    for path in (name, "../fine", "fine/../../x"):
        with pytest.raises(RootError, match=r"no .* in the archive"):
            root.read(path)


def test_links_and_devices_in_a_tar_are_refused(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"secret")
    with tarfile.open(tmp_path / "x.tar", "w") as archive:
        for name, kind, target in (
            ("soft", tarfile.SYMTYPE, "../secret"),
            ("hard", tarfile.LNKTYPE, "/etc/hostname"),
            ("pipe", tarfile.FIFOTYPE, ""),
            ("disk", tarfile.BLKTYPE, ""),
        ):
            one = tarfile.TarInfo(name)
            one.type, one.linkname = kind, target
            archive.addfile(one)
        fine = tarfile.TarInfo("soft/fine")
        fine.size = 1
        archive.addfile(fine, io.BytesIO(b"x"))
    root = open_root(str(tmp_path / "x.tar"))
    assert content(root) == {"soft/fine": b"x"}
    assert {r["file"]: r["rule"] for r in root.list().refused} == dict.fromkeys(
        ("x.tar!soft", "x.tar!hard", "x.tar!pipe", "x.tar!disk"), "not_a_file"
    )


def test_a_link_in_a_zip_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        link = zipfile.ZipInfo("link")
        link.create_system = 3
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/hostname")
        archive.writestr("fine", b"x")
    root = open_root(str(tmp_path / "x.zip"))
    assert content(root) == {"fine": b"x"}
    assert [r["rule"] for r in root.list().refused] == ["not_a_file"]


def test_names_written_on_windows(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        for name in ("a\\one.txt", "..\\out.txt"):
            one = zipfile.ZipInfo(name)
            one.create_system = 0
            one.filename = name
            archive.writestr(one, b"x")
    root = open_root(str(tmp_path / "x.zip"))
    assert content(root) == {"a/one.txt": b"x"}
    assert [r["rule"] for r in root.list().refused] == ["outside_archive"]


def test_what_systems_add_is_left_out(tmp_path: Path) -> None:
    names = (".DS_Store", "__MACOSX/a/._one.txt", "a/._one.txt", "a/one.txt")
    root = open_root(str(make_zip(tmp_path / "x.zip", dict.fromkeys(names, b"x"))))
    assert content(root) == {"a/one.txt": b"x"}
    assert root.list().refused == ()


def test_what_is_packed_twice_is_read_as_unpacking_would_leave_it(tmp_path: Path) -> None:
    path = tmp_path / "x.tar"
    make_tar(path, {"a": b"old", "b": b"b"})
    with tarfile.open(path, "a") as archive:
        one = tarfile.TarInfo("a")
        one.size = 3
        archive.addfile(one, io.BytesIO(b"new"))
    root = open_root(str(path))
    assert content(root) == {"a": b"new", "b": b"b"}
    assert [r["rule"] for r in root.list().refused] == ["member_twice"]


def test_a_zip_that_unpacks_to_far_more_than_it_holds(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(archives, "BOMB_BYTES", 1 << 20)
    path = make_zip(tmp_path / "x.zip", {"bomb": bytes(3 << 20), "fine": b"x"})
    root = open_root(str(path))
    assert content(root) == {"fine": b"x"}
    assert [r["rule"] for r in root.list().refused] == ["unpacks_too_far"]


def test_a_zip_that_lies_about_a_size(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "x.zip", {"a": bytes(5000)})
    data = path.read_bytes()
    lie = struct.pack("<I", 10)
    at = data.rindex(b"PK\1\2") + 24  # unpacked size in the central directory
    path.write_bytes(data[:at] + lie + data[at + 4 :])
    root = open_root(str(path))
    assert [f.bytes for f in root.list().files] == [10]
    with pytest.raises(UnreadableFile, match="more than the archive says"):
        root.read("a")


def test_members_over_one_another(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "x.zip", {"a": b"a" * 50, "b": b"b" * 50}, zipfile.ZIP_STORED)
    data = path.read_bytes()
    second = [m.start() for m in re.finditer(re.escape(b"PK\1\2"), data)][
        1
    ] + 42  # its header's place
    path.write_bytes(data[:second] + struct.pack("<I", 20) + data[second + 4 :])
    listing = open_root(str(path)).list()
    assert [r["rule"] for r in listing.refused] == ["members_overlap"]
    assert [f.path for f in listing.files] == ["a"]


def test_an_encrypted_member(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "x.zip", {"a": b"secret", "b": b"b"})
    data = bytearray(path.read_bytes())
    data[data.index(b"PK\1\2") + 8] |= 1
    path.write_bytes(bytes(data))
    root = open_root(str(path))
    assert content(root) == {"b": b"b"}
    assert [r["rule"] for r in root.list().refused] == ["encrypted_member"]


def test_a_gzipped_tar_that_unpacks_to_far_more(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(archives, "BOMB_BYTES", 1 << 20)
    path = make_tar(tmp_path / "x.tar.gz", {"bomb": bytes(30 << 20)})
    with pytest.raises(RootError, match="unpacks to far more"):
        open_root(str(path)).list()
    assert sum(p.stat().st_size for p in cache_folder().rglob("*.copy")) < 1 << 20


@pytest.mark.parametrize("kind", ["x.tar", "x.tar.gz"])
def test_of_a_cut_archive_the_members_before_the_cut_are_read(tmp_path: Path, kind: str) -> None:
    noise = random.Random(2)
    files = {name: noise.randbytes(20_000) for name in "abcd"}
    path = make_tar(tmp_path / kind, files)
    path.write_bytes(path.read_bytes()[:50_000])
    root = open_root(str(path))
    assert content(root) == {n: files[n] for n in "ab"}
    assert [r["rule"] for r in root.list().refused] == ["damaged_archive"]


def test_a_damaged_member_costs_itself(tmp_path: Path) -> None:
    noise = random.Random(3)
    files = {name: noise.randbytes(5_000) for name in "abc"}
    path = make_zip(tmp_path / "x.zip", files, zipfile.ZIP_STORED)
    data = bytearray(path.read_bytes())
    data[data.index(files["b"]) + 100] ^= 1
    path.write_bytes(bytes(data))
    root = open_root(str(path))
    assert root.read("a") == files["a"] and root.read("c") == files["c"]
    with pytest.raises(UnreadableFile, match="check sum") as told:
        root.read("b")
    assert told.value.refusal["file"] == "b"
    assert told.value.refusal["rule"] == "unreadable_file"


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("x.zip", b""),
        ("x.zip", b"no zip"),
        ("x.tar", b""),
        ("x.tar", b"no tar" * 200),
        ("x.tar.gz", b"no gzip"),
        ("x.tar.gz", gzip.compress(b"no tar" * 200, mtime=0)),
        ("x.zip", zipfile.ZipFile(io.BytesIO(), "w").comment),
    ],
)
def test_a_root_that_is_no_archive_is_broken_machinery(tmp_path: Path, name, data) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(RootError, match="nothing was deleted"):
        open_root(str(tmp_path / name)).list()


def test_a_root_archive_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(RootError, match="nothing was deleted"):
        open_root(str(tmp_path / "gone.zip")).list()


# -- archives inside a root ------------------------------------------------------------------------


def claims(path: str) -> bool:
    return re.fullmatch(r"list\.csv|videos/[^/]+\.mp4|notes/all\.tar\.gz", path) is not None


@pytest.mark.parametrize(
    ("archive", "members"),
    [
        ("videos.zip", ["videos/a.mp4", "videos/b.mp4", "videos/readme"]),
        ("videos.zip", ["a.mp4", "b.mp4"]),
        ("videos/part1.zip", ["a.mp4", "b.mp4"]),
        ("release.tar", ["release-v2/videos/a.mp4", "release-v2/videos/b.mp4"]),
        ("videos.tar.gz", ["./videos/a.mp4", "./videos/b.mp4"]),
    ],
    ids=["beside", "of its name", "in place", "top folder", "tar from here"],
)
def test_an_archive_in_a_root_reads_as_if_unpacked(tmp_path: Path, archive, members) -> None:
    root = tmp_path / "root"
    (root / archive).parent.mkdir(parents=True)
    (root / "list.csv").write_bytes(b"id\n")
    packed(root / archive, {m: m.encode() for m in members})
    found = open_root(str(root), claims)
    names = {f.path for f in found.list().files if claims(f.path)}
    assert names == {"list.csv", "videos/a.mp4", "videos/b.mp4"}
    # Also by a reader that was never asked for a listing, as stages behind have it.
    late = open_root(str(root), claims)
    assert late.read("videos/b.mp4") == members[1].encode()
    with pytest.raises(RootError, match="vanished"):
        late.read("videos/c.mp4")


def test_a_loose_file_goes_first_and_a_claimed_archive_stays_packed(tmp_path: Path) -> None:
    (tmp_path / "videos").mkdir()
    (tmp_path / "notes").mkdir()
    (tmp_path / "videos" / "a.mp4").write_bytes(b"loose")
    packed(tmp_path / "videos.zip", {"a.mp4": b"packed", "b.mp4": b"packed"})
    packed(tmp_path / "notes" / "all.tar.gz", {"../list.csv": b"x", "list.csv": b"x"})
    root = open_root(str(tmp_path), claims)
    assert root.list().refused == ()
    assert root.read("videos/a.mp4") == b"loose"
    assert root.read("videos/b.mp4") == b"packed"
    assert "list.csv" not in {f.path for f in root.list().files}


def test_two_archives_with_one_file(tmp_path: Path) -> None:
    packed(tmp_path / "p1.zip", {"videos/a.mp4": b"1"})
    packed(tmp_path / "p2.zip", {"videos/a.mp4": b"2", "videos/b.mp4": b"2"})
    root = open_root(str(tmp_path), claims)
    assert [(r["rule"], r["file"]) for r in root.list().refused] == [
        ("member_twice", "videos/a.mp4")
    ]
    assert root.read("videos/a.mp4") == b"1"


def test_an_archive_in_an_archive(tmp_path: Path) -> None:
    inner = packed(tmp_path / "inner.zip", {"a.mp4": b"A", "b.mp4": b"B"}).read_bytes()
    (tmp_path / "root").mkdir()
    packed(tmp_path / "root" / "all.tar", {"all/list.csv": b"id", "all/videos/P01.zip": inner})
    for url in (tmp_path / "root", tmp_path / "root" / "all.tar"):
        root = open_root(str(url), claims)
        assert root.read("videos/a.mp4") == b"A", url
        assert root.read("list.csv") == b"id", url


@pytest.mark.parametrize("known", ["videos/a.mp4", "notes.txt"], ids=["claimed", "unknown"])
def test_hostile_members_are_named_whether_or_not_the_layout_knows_the_others(
    tmp_path: Path, known: str
) -> None:
    with tarfile.open(tmp_path / "x.tar", "w") as archive:
        for name, kind in (
            ("../out", tarfile.REGTYPE),
            ("soft", tarfile.SYMTYPE),
            ("disk", tarfile.BLKTYPE),
            (known, tarfile.REGTYPE),
        ):
            one = tarfile.TarInfo(name)
            one.type, one.linkname = kind, "/etc/hostname" if kind == tarfile.SYMTYPE else ""
            archive.addfile(one)
    packed(tmp_path / "y.zip", {"/etc/passwd": b"x", known: b"x"})
    (tmp_path / "list.csv").write_bytes(b"id\n")
    refused = {(r["file"], r["rule"]) for r in open_root(str(tmp_path), claims).list().refused}
    assert refused - {("videos/a.mp4", "member_twice")} == {
        ("x.tar!../out", "outside_archive"),
        ("x.tar!soft", "not_a_file"),
        ("x.tar!disk", "not_a_file"),
        ("y.zip!/etc/passwd", "outside_archive"),
    }


def test_members_no_layout_knows_are_counted_with_their_archive(tmp_path: Path) -> None:
    inner = packed(tmp_path / "inner.zip", {"deep.ts": b"x", "b.mp4": b"B"}).read_bytes()
    root = tmp_path / "root"
    root.mkdir()
    members = {"all/list.csv": b"id", "all/readme": b"x", "all/clip.ts": b"x", "all/v.zip": inner}
    packed(root / "all.tar", members)
    packed(root / "empty.zip", {"list.csv": b"id"})
    files = {f.path: f for f in open_root(str(root), claims).list().files}
    # Of the inner archive: the layout knows videos under `videos/` alone.
    assert files["all.tar"].unread == UnreadMembers(4, 3, ("clip.ts", "b.mp4", "deep.ts", "readme"))
    assert files["empty.zip"].unread == UnreadMembers(0, 0, ())
    assert files["list.csv"].unread is None
    # A root that is an archive lists its members themselves.
    files = {f.path: f for f in open_root(str(root / "all.tar"), claims).list().files}
    assert {"readme", "clip.ts", "v.zip"} <= files.keys()
    assert files["v.zip"].unread == UnreadMembers(2, 2, ("b.mp4", "deep.ts"))


def test_a_damaged_archive_in_a_root_is_a_row(tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_bytes(b"id\n")
    (tmp_path / "videos.zip").write_bytes(b"half a zip")
    listing = open_root(str(tmp_path), claims).list()
    assert [(r["rule"], r["file"]) for r in listing.refused] == [("damaged_archive", "videos.zip")]
    assert "list.csv" in {f.path for f in listing.files}


# -- copies ----------------------------------------------------------------------------------------


def test_copies_beyond_the_bound_go_by_age_of_use(tmp_path: Path) -> None:
    for at, key in enumerate("abc"):
        open_copy(key, lambda out: out.write(bytes(100)) and None).close()
        for path in cache_folder().rglob("*.copy"):
            os.utime(path, (at, at)) if path.stat().st_mtime > 10 else None
    open_copy("a", lambda _out: pytest.fail("made twice")).close()
    assert trim(200) == 100
    made: list[str] = []
    for key in "acb":
        open_copy(key, lambda out, k=key: made.append(k)).close()
    assert made == ["b"]


def _write_text(out: BinaryIO) -> None:
    out.write(b"text")


def test_people_may_share_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    before = os.umask(0o027)
    try:
        open_copy("shared", _write_text).close()
    finally:
        os.umask(before)
    (path,) = cache_folder().rglob("*.copy")
    assert path.stat().st_mode & 0o777 == 0o640, "what the umask leaves"

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError("another user's")

    monkeypatch.setattr(os, "utime", refuse)
    monkeypatch.setattr(Path, "unlink", refuse)
    assert open_copy("shared", lambda _out: pytest.fail("made twice")).read() == b"text"
    assert trim(0) == 0


def test_a_copy_that_fails_leaves_nothing(tmp_path: Path) -> None:
    def fail(out: io.BufferedWriter) -> None:
        out.write(b"half")
        raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        open_copy("x", fail)  # type: ignore[arg-type]
    assert not [p for p in cache_folder().rglob("*") if p.is_file()]

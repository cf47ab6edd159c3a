"""Files under a root: what is listed, what is refused, and that nothing outside is reached."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from blake3 import blake3

from resources.roots import base as files
from resources.roots.base import LocalRoot, RawFile, RootError, content_of
from resources.roots.open import open_root


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    (folder / "a" / "b").mkdir(parents=True)
    (folder / "a" / "b" / "two.txt").write_bytes(b"two")
    (folder / "one.txt").write_bytes(b"one")
    return folder


def _paths(root: Path) -> list[str]:
    return [file.path for file in LocalRoot(str(root)).list().files]


def test_listing_is_by_path_with_sizes_and_folders(root: Path) -> None:
    listing = open_root(str(root)).list()
    assert [(f.path, f.bytes) for f in listing.files] == [("a/b/two.txt", 3), ("one.txt", 3)]
    assert listing.folders == ("a", "a/b")
    assert listing.refused == ()
    assert listing.files[1].stamp == str((root / "one.txt").stat().st_mtime_ns)


def test_hidden_files_and_folders_are_left_out(root: Path) -> None:
    (root / ".DS_Store").write_bytes(b"x")
    (root / ".git").mkdir()
    (root / ".git" / "config").write_bytes(b"x")
    assert _paths(root) == ["a/b/two.txt", "one.txt"]


@pytest.mark.parametrize(
    "name", ["a b", "it's", 'say "x"', "new\nline", "ünï", "漢", "%s{0}", "-rf", "~"]
)
def test_any_text_is_a_name(root: Path, name: str) -> None:
    (root / name).write_bytes(b"data")
    assert name in _paths(root)
    assert open_root(str(root)).read(name) == b"data"


@pytest.mark.parametrize("url", ["gs://bucket/x", "https://host/x", "file:///x"])
def test_places_that_cannot_be_read(url: str) -> None:
    with pytest.raises(RootError, match="nothing else"):
        open_root(url)


@pytest.mark.parametrize(
    "path",
    [
        "../secret",
        "a/../../secret",
        "/etc/hostname",
        "link",
        "folder/secret",
        "a/b/../../../secret",
    ],
)
def test_nothing_outside_is_read(root: Path, path: str) -> None:
    secret = root.parent / "secret"
    secret.write_text("secret")
    (root / "link").symlink_to(secret)
    (root / "folder").symlink_to(root.parent)
    place = LocalRoot(str(root))
    for reach in (place.read, place.open, lambda p: place.content(RawFile(p, 6, ""))):
        with pytest.raises(RootError, match="leaves the root"):
            reach(path)


def test_a_root_whose_name_begins_like_another(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data-private").mkdir()
    (tmp_path / "data-private" / "x").write_text("secret")
    (tmp_path / "data" / "y").write_text("mine")
    (tmp_path / "data" / "x").symlink_to(tmp_path / "data-private" / "x")
    listing = LocalRoot(str(tmp_path / "data")).list()
    assert [f.path for f in listing.files] == ["y"]
    assert [r["rule"] for r in listing.refused] == ["outside_root"]


def test_a_root_that_is_a_link_is_followed(root: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(root)
    assert _paths(tmp_path / "link") == ["a/b/two.txt", "one.txt"]


def test_a_linked_folder_inside_is_listed_twice_and_ends(root: Path) -> None:
    (root / "c").symlink_to("a")
    assert _paths(root) == ["a/b/two.txt", "c/b/two.txt", "one.txt"]


def test_circles_of_any_length_end(root: Path) -> None:
    for name, target in (("x", "y"), ("y", "z"), ("z", "x")):
        (root / name).mkdir(exist_ok=True)
    for name, target in (("x", "y"), ("y", "z"), ("z", "x")):
        (root / name / "next").symlink_to(root / target)
    listing = LocalRoot(str(root)).list()
    assert [f.path for f in listing.files] == ["a/b/two.txt", "one.txt"]
    assert {r["file"] for r in listing.refused} == {f"{n}/next/next/next" for n in "xyz"}
    assert {r["rule"] for r in listing.refused} == {"link_circle"}


def test_a_socket_or_pipe_is_not_opened(root: Path) -> None:
    os.mkfifo(root / "pipe")
    listing = LocalRoot(str(root)).list()
    assert [r["rule"] for r in listing.refused] == ["not_a_file"]
    assert all(r["remedy"] and r["message"] for r in listing.refused)


@pytest.mark.parametrize("make", [None, "empty", "hidden", "file", "links out"])
def test_an_absent_or_empty_root_is_broken_machinery(tmp_path: Path, make: str | None) -> None:
    folder = tmp_path / "it"
    if make == "file":
        folder.write_text("x")
    elif make is not None:
        folder.mkdir()
    if make == "hidden":
        (folder / ".x").write_text("x")
    if make == "links out":
        (folder / "x").symlink_to("/etc/hostname")
    with pytest.raises(RootError, match="nothing was deleted"):
        LocalRoot(str(folder)).list()


def test_a_file_that_vanished_is_said(root: Path) -> None:
    with pytest.raises(RootError, match="vanished"):
        LocalRoot(str(root)).read("nothing.txt")


def test_a_folder_read_as_a_file_is_machinery(root: Path) -> None:
    with pytest.raises(RootError, match="cannot read a"):
        LocalRoot(str(root)).read("a")


# -- content ---------------------------------------------------------------------------------------


def test_small_files_are_hashed_whole(root: Path) -> None:
    place = LocalRoot(str(root))
    assert place.content(RawFile("one.txt", 3, "")) == blake3(b"one").hexdigest(length=16)


def test_large_files_by_size_ends_and_samples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "WHOLE_BYTES", 1000)
    monkeypatch.setattr(files, "SAMPLE_BYTES", 10)
    path = tmp_path / "large"

    def content(data: bytes) -> str:
        path.write_bytes(data)
        with path.open("rb") as handle:
            return content_of(handle, len(data))

    data = bytes(range(256)) * 8
    whole = content(data)
    assert whole.startswith("sampled:")
    assert content(data) == whole
    assert content(b"x" + data[1:]) != whole
    assert content(data[:-1] + b"x") != whole
    assert content(data + b"\0") != whole
    assert not content(data[:1000]).startswith("sampled:")

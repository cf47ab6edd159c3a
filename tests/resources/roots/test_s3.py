"""Roots on a real S3 server: what is listed, read and refused, and that credentials stay unsaid."""

from __future__ import annotations

import io
import random
import zipfile
from pathlib import Path

import pytest

from resources.config import SourceConfig
from resources.roots import base as files
from resources.roots.base import LocalRoot, RootError
from resources.roots.open import open_root
from resources.roots.s3 import S3Root, s3_options
from resources.store.locks import s3_client

FILES = {
    "list.csv": b"id\n1\n",
    "a/b/two.bin": bytes(range(256)) * 9,
    "empty": b"",
    "ü/漢 + ~%20.txt": b"text",
}


@pytest.fixture
def prefix(s3_options: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("PARALLAX_CACHE", str(tmp_path / "cache"))
    for name, value in s3_options.items():
        monkeypatch.setenv(name.upper(), value)
    return f"s3://parallax/root-{tmp_path.name}"


def put(options: dict[str, str], prefix: str, held: dict[str, bytes]) -> None:
    client = s3_client(options)
    for path, data in held.items():
        client.pipe_file(f"{prefix.removeprefix('s3://')}/{path}", data)


def test_objects_read_like_files(prefix: str, s3_options, tmp_path: Path) -> None:
    put(s3_options, prefix, {**FILES, ".hidden": b"x", "c/.git/x": b"x"})
    folder = tmp_path / "folder"
    for path, data in FILES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    root, plain = open_root(prefix), LocalRoot(str(folder))
    listed, there = root.list(), plain.list()
    assert [(f.path, f.bytes) for f in listed.files] == [(f.path, f.bytes) for f in there.files]
    assert listed.folders == there.folders
    for one, other in zip(listed.files, there.files, strict=True):
        assert one.stamp
        assert root.read(one.path) == FILES[one.path]
        assert root.content(one) == plain.content(other)
        for reader in (root.open, root.glance):
            with reader(one.path) as handle:
                handle.seek(len(FILES[one.path]) // 2)
                assert handle.read() == FILES[one.path][len(FILES[one.path]) // 2 :]


def test_a_new_object_is_seen(prefix: str, s3_options) -> None:
    put(s3_options, prefix, {"x": b"one"})
    root = open_root(prefix)
    (before,) = root.list().files
    with root.open("x") as handle:
        assert handle.read() == b"one"
    put(s3_options, prefix, {"x": b"two"})
    (after,) = root.list().files
    assert (before.bytes, before.stamp) != (after.bytes, after.stamp)
    with root.open("x") as handle:
        assert handle.read() == b"two"


def test_large_objects_are_sampled_like_files(
    prefix: str, s3_options, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "WHOLE_BYTES", 100_000)
    monkeypatch.setattr("resources.roots.s3.WHOLE_BYTES", 100_000)
    monkeypatch.setattr(files, "SAMPLE_BYTES", 1000)
    data = random.Random(5).randbytes(3_000_000)
    put(s3_options, prefix, {"x": data})
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x", data)
    put(s3_options, prefix, {"packed/x.zip": packed.getvalue()})
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "x").write_bytes(data)
    roots = [open_root(u) for u in (str(tmp_path / "plain"), f"{prefix}/packed/x.zip", prefix)]
    for whole in (False, True):
        found = set()
        for root in roots:
            file = next(f for f in root.list().files if f.path == "x")
            found.add(root.content(file, whole=whole))
        assert len(found) == 1
        assert found.pop().startswith("sampled:") is not whole


def test_archives_on_s3_read_in_place(prefix: str, s3_options) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("videos/a.mp4", b"A")
    put(s3_options, prefix, {"release.zip": packed.getvalue(), "list.csv": b"id\n"})
    root = open_root(prefix, lambda path: path in ("videos/a.mp4", "list.csv"))
    assert root.read("videos/a.mp4") == b"A"
    assert root.read("list.csv") == b"id\n"
    listed = {f.path: f.archive for f in root.list().files}
    assert listed["videos/a.mp4"] == "release.zip"


@pytest.mark.parametrize("path", ["../x", "a/../../x", "/etc/hostname"])
def test_no_key_leaves_the_prefix(prefix: str, path: str) -> None:
    with pytest.raises(RootError, match="leaves the root"):
        open_root(prefix).read(path)


def test_what_is_not_there_is_broken_machinery(prefix: str, monkeypatch) -> None:
    with pytest.raises(RootError, match="nothing was deleted"):
        open_root(prefix).list()
    with pytest.raises(RootError):
        open_root("s3://no-such-bucket/x").list()
    with pytest.raises(RootError, match="vanished"):
        open_root(prefix).read("gone")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong-secret")
    with pytest.raises(RootError) as told:
        open_root(prefix).list()
    assert "wrong-secret" not in str(told.value)


def test_credentials_come_from_the_environment_alone(monkeypatch) -> None:
    for url in ("s3://key:topsecret@bucket/x", "s3://"):
        with pytest.raises(RootError, match="environment") as told:
            S3Root(url)
        assert "topsecret" not in str(told.value)
    assert not {"key", "secret", "token"} & set(SourceConfig.__dataclass_fields__)
    said = s3_options({"AWS_ACCESS_KEY_ID": "k", "AWS_ENDPOINT_URL": "http://x", "HOME": "/"})
    assert said == {
        "aws_access_key_id": "k",
        "aws_endpoint_url": "http://x",
        "aws_allow_http": "true",
        "aws_conditional_put": "etag",
    }

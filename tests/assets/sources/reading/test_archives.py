"""Archives that are cut, damaged, hostile or too large: their good members are read."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from collections.abc import Callable
from typing import TYPE_CHECKING

import polars as pl
import pytest

from assets.sources.reading import archives
from assets.sources.reading.archives import tar_members
from assets.sources.reading.values import Malformed

if TYPE_CHECKING:
    from conftest import Sample

COARSE = "annotations/coarse_annotations.tar.gz"
PATTERN = r"l1/[^/]+\.json"


def _tar(members: list[tuple[tarfile.TarInfo | str, bytes]], zipped: bool = True) -> bytes:
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as archive:
        for info, data in members:
            made = tarfile.TarInfo(info) if isinstance(info, str) else info
            made.size = len(data) if made.isreg() else 0
            archive.addfile(made, io.BytesIO(data))
    return gzip.compress(raw.getvalue(), mtime=0) if zipped else raw.getvalue()


def _special(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def _read(data: bytes) -> dict[str, bytes | str]:
    return {n: str(c) if isinstance(c, Malformed) else c for n, c in tar_members(data, PATTERN)}


GOOD = ("l1/a.json", b"[1]")


@pytest.mark.parametrize(
    ("member", "word"),
    [
        (("../../etc/passwd", b"x"), "leaves the archive"),
        (("/etc/passwd", b"x"), "leaves the archive"),
        (("l1/../../b.json", b"x"), "leaves the archive"),
        ((_special("l1/b.json", tarfile.SYMTYPE, "/etc/passwd"), b""), "a link or a device"),
        ((_special("l1/b.json", tarfile.LNKTYPE, "l1/a.json"), b""), "a link or a device"),
        ((_special("l1/b.json", tarfile.CHRTYPE), b""), "a link or a device"),
        ((_special("l1/b.json", tarfile.FIFOTYPE), b""), "a link or a device"),
        (("l1/a.json", b"[2]"), "occurs twice"),
    ],
)
def test_a_hostile_member_is_named_and_the_others_are_read(
    member: tuple[tarfile.TarInfo | str, bytes], word: str
) -> None:
    found = list(tar_members(_tar([GOOD, member, ("l1/c.json", b"[3]")]), PATTERN))
    assert [(n, c) for n, c in found if not isinstance(c, Malformed)] == [
        GOOD,
        ("l1/c.json", b"[3]"),
    ]
    (fault,) = [c for _, c in found if isinstance(c, Malformed)]
    assert word in str(fault)


def test_what_is_of_no_use_is_passed_over() -> None:
    data = _tar(
        [
            (_special("l1", tarfile.DIRTYPE), b""),
            ("l1/._a.json", b"\0\5mac"),
            ("README", b"x"),
            ("./l1/b.json", b"[2]"),
            GOOD,
        ]
    )
    assert _read(data) == {"l1/a.json": b"[1]", "l1/b.json": b"[2]"}


def test_plain_and_twice_compressed_streams_read_too() -> None:
    plain = _tar([GOOD], zipped=False)
    assert _read(plain) == dict([GOOD])
    half = len(plain) // 2
    assert _read(gzip.compress(plain[:half]) + gzip.compress(plain[half:])) == dict([GOOD])


@pytest.mark.parametrize("data", [b"", b"no tar", b"\x1f\x8b", b"\x1f\x8b\x08\0garbage", b"\0" * 3])
def test_no_archive(data: bytes) -> None:
    found = _read(data)
    assert list(found) == [""]


def test_a_member_larger_than_its_archive() -> None:
    plain = bytearray(_tar([("l1/b.json", b"[2]")], zipped=False))
    info = tarfile.TarInfo("l1/b.json")
    info.size = 1 << 40
    plain[:512] = info.tobuf()
    assert _read(bytes(plain)) == {"": "archive is cut off"}


def test_a_bomb_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "UNPACKED_BYTES", 4 << 20)
    data = _tar([GOOD, ("l1/b.json", b" " * (64 << 20))])
    assert len(data) < 1 << 17
    assert _read(data) == {"": f"archive unpacks to over {4 << 20} bytes"}


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8, 0.95])
@pytest.mark.parametrize("how", ["cut", "flip"])
def test_members_before_the_damage_are_read(share: float, how: str) -> None:
    # Content that does not compress, so that the damage lies where it is put.
    import hashlib

    members = [
        (
            f"l1/{n:02d}.json",
            b"".join(hashlib.sha256(b"%d %d" % (n, k)).digest() for k in range(99)),
        )
        for n in range(20)
    ]
    data = _tar(members)
    at = int(len(data) * share)
    broken = data[:at] if how == "cut" else data[:at] + bytes([data[at] ^ 255]) + data[at + 1 :]
    found = _read(broken)
    assert "" in found
    whole = {n: c for n, c in found.items() if n}
    if how == "cut":
        assert whole == dict(members[: len(whole)])
        assert len(whole) >= int(20 * share) - 1


def test_a_damaged_header_is_not_taken_for_the_end() -> None:
    plain = bytearray(_tar([GOOD, ("l1/b.json", b"[2]"), ("l1/c.json", b"[3]")], zipped=False))
    plain[1024 + 148 : 1024 + 156] = b"99999999"  # checksum of the second header
    found = _read(bytes(plain))
    assert found["l1/a.json"] == b"[1]"
    assert "damaged at byte 1024" in str(found[""])


# -- in the source ---------------------------------------------------------------------------------


def _members(sample: Sample) -> dict[str, bytes]:
    with tarfile.open(fileobj=io.BytesIO(sample.get(COARSE))) as archive:
        handles = {m.name: archive.extractfile(m) for m in archive.getmembers()}
        return {name: handle.read() for name, handle in handles.items() if handle}


def test_a_cut_archive_gives_what_it_holds(sample: Sample) -> None:
    sample.put(COARSE, sample.get(COARSE)[:-200])
    sample.ingest()
    (said,) = sample.quarantine()
    assert (said["table"], said["file"], said["rule"]) == ("segments", COARSE, "unreadable_file")
    now = sample.rows("segments")
    assert now.filter(pl.col("kind") == "fine").equals(
        sample.before["segments"].filter(pl.col("kind") == "fine")
    )
    assert now.filter(pl.col("kind") == "coarse").height > 0


ITEMS: dict[str, tuple[Callable[[dict], object], str, str | None]] = {
    "no number": (lambda i: {**i, "start": "soon"}, "unreadable_row", "soon"),
    "number as text": (lambda i: {**i, "start": None}, "unreadable_row", None),
    "attribute a list": (lambda i: {**i, "attribute": ["1"]}, "unreadable_row", "['1']"),
    "attribute an object": (lambda i: {**i, "attribute": {}}, "unreadable_row", "{}"),
    "attribute empty": (lambda i: {**i, "attribute": ""}, "unreadable_row", ""),
    "attribute a number": (lambda i: {**i, "attribute": 1}, "unreadable_row", "1"),
    "class unknown": (lambda i: {**i, "attribute": "99"}, "unreadable_row", "99"),
    "id a float": (lambda i: {**i, "id": 0.5}, "unreadable_row", "0.5"),
    "id absent": (lambda i: {k: v for k, v in i.items() if k != "id"}, "unreadable_row", None),
    "text a list": (lambda i: {**i, "textAttribute_en": [1]}, "unreadable_row", "[1]"),
    "NaN": (lambda i: {**i, "end": float("nan")}, "unreadable_row", "NaN"),
    "end before start": (lambda i: {**i, "start": 9.0, "end": 8.0}, "end_after_start", "key"),
    "negative": (lambda i: {**i, "start": -1}, "range:start_s", "-1.0"),
    "outside": (
        lambda i: {**i, "start": 60, "end": 1e6},
        "outside_recording",
        "60-1e+06 s",
    ),
    "no object": (lambda _: 5, "unreadable_row", "5"),
}


@pytest.mark.parametrize("name", sorted(ITEMS))
def test_a_broken_item(sample: Sample, name: str) -> None:
    change, rule, value = ITEMS[name]
    members = _members(sample)
    path = f"l1/{sample.uid['native']}.json"
    items = json.loads(members[path])
    segment = f"coarse:{sample.uid['native']}:{items[2]['id']}"
    items[2] = change(items[2])
    members[path] = json.dumps(items).encode()
    sample.put(COARSE, _tar(list(members.items())))
    if value == "key":
        value = str({"source": "it", "segment_id": segment})
    # A reader tells the place in the list, a contract the row's key.
    row = "2" if rule == "unreadable_row" else segment.rpartition(":")[2]
    sample.check(
        [("segments", f"{COARSE}:{path}", row, rule, value)],
        {"segments": pl.col("segment_id") == segment},
    )


@pytest.mark.parametrize("data", [b"", b"{}", b"[{", b"\xff", b"[" * 99_999])
def test_a_member_that_cannot_be_read(sample: Sample, data: bytes) -> None:
    members = _members(sample)
    uid = sample.uid["native"]
    members[f"l1/{uid}.json"] = data
    sample.put(COARSE, _tar(list(members.items())))
    sample.ingest()
    (said,) = sample.quarantine()
    assert (said["file"], said["rule"], said["recording_id"]) == (
        f"{COARSE}:l1/{uid}.json",
        "unreadable_file",
        uid,
    )
    lost = (pl.col("recording_id") == uid) & (pl.col("kind") == "coarse")
    assert sample.rows("segments").equals(sample.before["segments"].filter(~lost))


def test_hostile_members_beside_the_real_ones(sample: Sample) -> None:
    members: list[tuple[tarfile.TarInfo | str, bytes]] = [*_members(sample).items()]
    members.append(("../../../tmp/l1/x.json", b"[]"))
    members.append((_special("l1/device.json", tarfile.CHRTYPE), b""))
    members.append(("l1/nobody.json", b"[]"))
    sample.put(COARSE, _tar(members))
    sample.check(
        [
            (
                "segments",
                f"{COARSE}:../../../tmp/l1/x.json",
                None,
                "unreadable_file",
                "../../../tmp/l1/x.json",
            ),
            ("segments", f"{COARSE}:l1/device.json", None, "unreadable_file", "l1/device.json"),
            ("segments", f"{COARSE}:l1/nobody.json", None, "unreadable_file", "l1/nobody.json"),
        ]
    )

"""Sample tables of MP4 files, against what demuxing the same files gives."""

from __future__ import annotations

import io
import struct
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

import resources.media.video
from resources.media.sample_table import read_sample_table
from resources.media.video import read_packets

# MP4 files whose table says all there is to know.
TOLD = ("vfr", "vfr_b_frames", "open_gop", "hevc_open_gop", "trimmed", "late_start", "one_frame")


def _entries(path: Path) -> int:
    with av.open(str(path)) as container:
        return len(container.streams.video[0].index_entries)


@pytest.mark.parametrize("name", [*TOLD, "cut_faststart"])
def test_packets_by_table_are_those_demuxed(
    name: str, made: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = made(name)
    by_table = read_packets(path)
    with path.open("rb") as file:
        table = read_sample_table(file, 1, _entries(path))
        assert table is not None and file.tell() == 0
    monkeypatch.setattr(resources.media.video, "read_sample_table", lambda *_: None)
    demuxed = read_packets(path)
    assert np.array_equal(by_table.packets, demuxed.packets)
    assert by_table.rotation_deg == demuxed.rotation_deg
    assert by_table.fault == demuxed.fault
    offsets = demuxed.packets["pts"] - demuxed.packets["dts"]
    offsets = offsets - table.offsets[: len(offsets)]
    assert len(np.unique(offsets)) == 1


def _noise(path: Path, count: int, **options: str) -> None:
    pictures = np.random.default_rng(1).integers(0, 256, (count, 64, 96, 3), dtype=np.uint8)
    with av.open(str(path), "w", options=options) as out:
        stream = out.add_stream("libx264", rate=25)
        stream.width, stream.height, stream.pix_fmt = 96, 64, "yuv420p"
        stream.time_base = Fraction(1, 25)
        for picture in pictures:
            out.mux(stream.encode(av.VideoFrame.from_ndarray(picture)))
        out.mux(stream.encode())


class _Counting(io.BytesIO):
    """Counts the bytes taken from it."""

    taken = 0

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(size)
        self.taken += len(data)
        return data


def test_pictures_are_not_read_where_the_table_tells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "long.mp4"
    _noise(path, 400)
    by_table, demuxed = (_Counting(path.read_bytes()) for _ in range(2))
    found = read_packets(by_table)
    monkeypatch.setattr(resources.media.video, "read_sample_table", lambda *_: None)
    assert np.array_equal(found.packets, read_packets(demuxed).packets)
    assert len(found.packets) == 400
    assert demuxed.taken > path.stat().st_size
    assert by_table.taken < 0.5 * demuxed.taken


@pytest.mark.parametrize("box", [b"stsz", b"stts", b"ctts", b"stsd", b"stbl", b"tkhd"])
def test_broken_boxes_leave_it_to_the_demuxer(box: bytes, made: Callable[[str], Path]) -> None:
    path = made("vfr_b_frames")
    data = bytearray(path.read_bytes())
    at = data.index(box)
    count = at + (12 if box == b"stsz" else 8)
    for place, value in ((count, 2**32 - 1), (count, 0), (at - 4, 2**31), (at - 4, 7)):
        broken = bytearray(data)
        broken[place : place + 4] = struct.pack(">I", value)
        if box in (b"stbl", b"tkhd") and place == count:
            continue
        assert read_sample_table(io.BytesIO(broken), 1, _entries(path)) is None


def test_other_samples_tracks_and_containers_have_no_table(made: Callable[[str], Path]) -> None:
    path = made("vfr")
    count = _entries(path)
    with path.open("rb") as file:
        assert read_sample_table(file, 1, count) is not None
        assert read_sample_table(file, 1, count + 1) is None
        assert read_sample_table(file, 2, count) is None
    with made("doubled").open("rb") as file:
        assert read_sample_table(file, 1, count) is None


def test_fragments_have_no_table(tmp_path: Path) -> None:
    path = tmp_path / "fragments.mp4"
    _noise(path, 20, movflags="frag_keyframe+empty_moov")
    with path.open("rb") as file:
        assert read_sample_table(file, 1, 20) is None
    assert len(read_packets(path).packets) == 20

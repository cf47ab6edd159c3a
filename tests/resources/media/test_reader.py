"""Pixels of recordings: pictures of image sequences, and what is not a picture."""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from expectations.schemas import TABLES
from resources.media.pictures import PictureError, is_picture, read_picture
from resources.media.reader import MediaReader
from resources.media.video import VideoError
from resources.roots.base import RootError
from resources.roots.open import open_root


def encoded(kind: str, mode: str = "RGB", size: tuple[int, int] = (6, 4)) -> bytes:
    out = io.BytesIO()
    Image.new(mode, size, 0 if mode in "LP" else (10, 200, 30, 255)[: len(mode)]).save(out, kind)
    return out.getvalue()


def bomb() -> bytes:
    """A PNG that claims 100,000 x 100,000 pixels."""
    data = bytearray(encoded("PNG"))
    data[16:24] = struct.pack(">II", 100_000, 100_000)
    data[29:33] = struct.pack(">I", zlib.crc32(data[12:29]))
    return bytes(data)


def reader(folder: Path, **files: bytes) -> MediaReader:
    rows = []
    for name, data in files.items():
        (folder / f"{name}.png").write_bytes(data)
        number = int(name[1:])
        rows.append({"recording_id": "r", "source_frame": number, "path": f"{name}.png"})
    recordings = TABLES["recordings"].frame([{"recording_id": "r", "media_paths": []}])
    return MediaReader.of(open_root(str(folder)), recordings, TABLES["images"].frame(rows))


def test_pictures_are_found_by_number(tmp_path: Path) -> None:
    shades = {n: np.full((4, 6, 3), n, np.uint8) for n in (1, 26, 51)}
    files = {}
    for n, array in shades.items():
        out = io.BytesIO()
        Image.fromarray(array).save(out, "PNG")
        files[f"n{n}"] = out.getvalue()
    read = reader(tmp_path, **files)("r", 0, [51, 1, 51])
    for array, n in zip(read, (51, 1, 51), strict=True):
        assert array.dtype == np.uint8
        np.testing.assert_array_equal(array, shades[n])


@pytest.mark.parametrize(
    ("kind", "mode"), [("PNG", "L"), ("PNG", "P"), ("PNG", "RGBA"), ("JPEG", "L")]
)
def test_every_form_becomes_rgb(kind: str, mode: str) -> None:
    assert read_picture(io.BytesIO(encoded(kind, mode)), "x").shape == (4, 6, 3)


@pytest.mark.parametrize(
    "data",
    [b"", b"no picture", encoded("PNG")[:40], encoded("JPEG")[:200], encoded("GIF"), bomb()],
    ids=["empty", "text", "cut_png", "cut_jpeg", "gif", "bomb"],
)
def test_a_broken_picture_is_an_error_of_its_own(tmp_path: Path, data: bytes) -> None:
    read = reader(tmp_path, n1=data, n26=encoded("PNG"))
    with pytest.raises(PictureError, match=r"n1\.png"):
        read("r", 0, [1])
    # Whoever catches a video's fault catches a picture's; the next question is none the worse.
    assert issubclass(PictureError, VideoError) and not issubclass(PictureError, RootError)
    assert len(read("r", 0, [26])) == 1


def test_a_number_without_a_picture(tmp_path: Path) -> None:
    with pytest.raises(PictureError, match="no picture 27"):
        reader(tmp_path, n26=encoded("PNG"))("r", 0, [27])


@pytest.mark.parametrize(
    ("path", "expected"),
    [("a/000001.png", True), ("b.JPG", True), ("c.jpeg", True), ("d.mp4", False), ("png", False)],
)
def test_names_of_pictures(path: str, expected: bool) -> None:
    assert is_picture(path) is expected

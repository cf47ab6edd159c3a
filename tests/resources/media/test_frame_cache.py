"""Kept frames: the pixels that were decoded, made again where a file is damaged, within a bound."""

from __future__ import annotations

import errno
import logging
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from resources.media import frame_cache
from resources.media.crops import Crop
from resources.media.frame_cache import (
    CachedMedia,
    FrameCache,
    FrameCacheError,
    frame_limit_bytes,
    with_frame_cache,
)
from resources.media.stills import Still, read_stills

STILL = Still("r", "content", 0, 512, None, 224)
PLENTY = 1 << 30


def noise(number: int, height: int = 30, width: int = 50) -> np.ndarray:
    """A frame that does not pack."""
    return np.random.default_rng(number).integers(0, 256, (height, width, 3), np.uint8)


class Recording:
    """Media that note what is decoded."""

    def __init__(self) -> None:
        self.decoded: list[int] = []

    def __call__(self, recording: str, part: int, stamps: list[int]) -> list[np.ndarray]:
        return [image for _, image in self.each(recording, part, stamps)]

    def each(
        self, recording: str, part: int, stamps: Sequence[int]
    ) -> Iterator[tuple[int, np.ndarray]]:
        for stamp in stamps:
            self.decoded.append(stamp)
            yield stamp, noise(stamp)


def stills(n: int, first: int = 0) -> list[Still]:
    return [replace(STILL, source_pts=i) for i in range(first, first + n)]


def kept(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if path.is_file() and path.name != "trim.lock"}


@pytest.mark.parametrize(
    "image",
    [
        noise(1),
        noise(2, 1, 1),
        noise(3, 1, 40),
        noise(4, 40, 1),
        np.zeros((5, 7, 3), np.uint8),
        np.rot90(noise(5)),
        noise(6)[:, ::-1],
    ],
)
def test_pixels_come_back_as_they_were(tmp_path: Path, image: np.ndarray) -> None:
    cache = FrameCache(tmp_path, PLENTY)
    assert cache.get(STILL) is None
    before = image.copy()
    cache.put(STILL, image)
    np.testing.assert_array_equal(image, before)
    found = FrameCache(tmp_path, PLENTY).get(STILL)
    assert found is not None and found.dtype == np.uint8
    np.testing.assert_array_equal(found, image)
    with pytest.raises(ValueError, match="read-only"):
        found[0, 0, 0] = 1


def test_a_frame_is_known_by_all_that_its_pixels_depend_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = FrameCache(tmp_path, PLENTY)
    others = [
        replace(STILL, content="other"),
        replace(STILL, part=1),
        replace(STILL, source_pts=513),
        replace(STILL, short_side_px=None),
        replace(STILL, crop=Crop("gaze", 0.25, 0.5)),
        replace(STILL, crop=Crop("gaze", 0.5, 0.25)),
    ]
    names = {cache.path_of(still) for still in (STILL, *others)}
    assert len(names) == 7
    # One video under two names is one content.
    assert cache.path_of(replace(STILL, recording_id="copy")) in names
    monkeypatch.setattr(frame_cache, "_libraries", lambda: ("frame-1", "av 99"))
    assert cache.path_of(STILL) not in names


def test_a_frame_of_unknown_content_is_not_kept(tmp_path: Path) -> None:
    unknown = replace(STILL, content="")
    cache = FrameCache(tmp_path, PLENTY)
    cache.put(unknown, noise(1))
    assert cache.get(unknown) is None and kept(tmp_path) == set()


@pytest.mark.parametrize(
    "how", ["empty", "cut", "head", "digest", "size", "pixels", "longer", "other"]
)
def test_a_damaged_frame_is_made_again(tmp_path: Path, how: str) -> None:
    media = Recording()
    cached = CachedMedia(media, FrameCache(tmp_path, PLENTY))
    cache = FrameCache(tmp_path, PLENTY)
    assert len(list(read_stills(cached, stills(2)))) == 2
    path, other = (cache.path_of(still) for still in stills(2))
    data = path.read_bytes()
    at = {"head": 1, "digest": 10, "size": 25, "pixels": len(data) // 2}.get(how)
    if at is not None:
        damaged = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
    else:
        damaged = {
            "empty": b"",
            "cut": data[: len(data) // 2],
            "longer": data + b"x",
            "other": other.read_bytes(),
        }[how]
    path.write_bytes(damaged)
    (found,) = read_stills(cached, stills(1))
    np.testing.assert_array_equal(found[1], noise(0))
    assert media.decoded == [0, 1, 0]
    assert path.read_bytes() == data


def test_what_is_kept_is_decoded_once_for_all_runs(tmp_path: Path) -> None:
    media = Recording()
    for _ in range(3):
        cached = CachedMedia(media, FrameCache(tmp_path, PLENTY))
        for still, image in read_stills(cached, [*stills(5), *stills(3), *stills(4, 3)]):
            np.testing.assert_array_equal(image, noise(still.source_pts))
    assert media.decoded == list(range(7))
    # Whole frames are not kept: nobody sends them.
    assert len(CachedMedia(media, FrameCache(tmp_path, PLENTY))("r", 0, [1, 2])) == 2
    assert media.decoded == [*range(7), 1, 2]


def test_beyond_the_bound_what_was_not_used_for_longest_goes_first(tmp_path: Path) -> None:
    cache = FrameCache(tmp_path, PLENTY)
    paths = []
    for age, still in enumerate(stills(10)):
        cache.put(still, noise(still.source_pts))
        paths.append(cache.path_of(still))
        os.utime(paths[-1], (1000 + age, 1000 + age))
    assert cache.get(stills(1)[0]) is not None  # used now
    size = paths[0].stat().st_size
    small = FrameCache(tmp_path, 5 * size)
    assert small.trim() == 6 * size
    assert kept(tmp_path) == {paths[0], *paths[7:]}
    assert small.trim() == 0


def test_the_bound_holds_while_frames_are_written(tmp_path: Path) -> None:
    one = len(frame_cache._pack(noise(0), "x"))
    cache = FrameCache(tmp_path, 40 * one)
    for still in stills(100):
        cache.put(still, noise(still.source_pts))
        assert (
            still.source_pts % 5 or sum(path.stat().st_size for path in kept(tmp_path)) <= 43 * one
        )
    assert len(kept(tmp_path)) >= 35
    assert cache.get(stills(1, 99)[0]) is not None


def test_what_a_killed_process_was_writing_is_deleted(tmp_path: Path) -> None:
    old, new = tmp_path / "ab" / "old.part", tmp_path / "ab" / "new.part"
    old.parent.mkdir()
    old.write_bytes(b"x")
    new.write_bytes(b"x")
    os.utime(old, (1000, 1000))
    FrameCache(tmp_path, PLENTY).trim()
    assert kept(tmp_path) == {new}


def test_a_disk_that_takes_nothing_is_said_once_and_stops_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "frames").write_text("a file where the folder should be")
    media = Recording()
    cached = CachedMedia(media, FrameCache(tmp_path / "frames", PLENTY))
    with caplog.at_level(logging.WARNING, "parallax"):
        assert len(list(read_stills(cached, stills(3)))) == 3
    assert media.decoded == [0, 1, 2]
    (said,) = caplog.messages
    assert said.startswith("no frames can be kept in") and "PARALLAX_FRAMES_GB=0" in said


def test_the_cache_may_be_deleted_while_it_is_used(tmp_path: Path) -> None:
    cache = FrameCache(tmp_path / "frames", PLENTY)
    cache.put(STILL, noise(1))
    for path in kept(tmp_path):
        path.unlink()
        path.parent.rmdir()
    assert cache.get(STILL) is None
    cache.put(STILL, noise(1))
    assert cache.get(STILL) is not None


@pytest.mark.parametrize(("said", "limit"), [("", 20e9), ("0", 0), ("0.5", 5e8), (None, 20e9)])
def test_the_environment_names_the_bound(
    monkeypatch: pytest.MonkeyPatch, said: str | None, limit: float
) -> None:
    monkeypatch.delenv("PARALLAX_FRAMES_GB", raising=False)
    if said is not None:
        monkeypatch.setenv("PARALLAX_FRAMES_GB", said)
    assert frame_limit_bytes() == limit
    media = Recording()
    assert (with_frame_cache(media) is media) == (limit == 0)


@pytest.mark.parametrize("said", ["much", "-1", "nan", "inf"])
def test_a_bound_that_is_no_size_is_an_error(monkeypatch: pytest.MonkeyPatch, said: str) -> None:
    monkeypatch.setenv("PARALLAX_FRAMES_GB", said)
    with pytest.raises(FrameCacheError, match=rf"PARALLAX_FRAMES_GB is '{said}'"):
        frame_limit_bytes()


SHARING = """
import sys
from pathlib import Path
from typing import Any
from resources.media.frame_cache import CachedMedia, FrameCache
from resources.media.stills import read_stills
from tests.resources.media.test_frame_cache import Recording, noise, stills

cached = CachedMedia(Recording(), FrameCache(Path(sys.argv[1]), int(sys.argv[2])))
for turn in range(12):
    for still, image in read_stills(cached, stills(40)):
        assert (image == noise(still.source_pts)).all(), still
"""


def test_two_processes_share_it_and_damage_nothing(tmp_path: Path) -> None:
    """Both write and read the same frames, under a bound that deletes them all the time."""
    one = len(frame_cache._pack(noise(0), "x"))
    words = [sys.executable, "-c", SHARING, str(tmp_path), str(20 * one)]
    running = [subprocess.Popen(words, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    for process in running:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
    left = kept(tmp_path)
    assert all(path.suffix == ".frame" for path in left)
    assert sum(path.stat().st_size for path in left) <= 22 * one


def test_threads_share_it(tmp_path: Path) -> None:
    cached = CachedMedia(Recording(), FrameCache(tmp_path, PLENTY))
    wrong: list[Still] = []

    def read() -> None:
        for still, image in read_stills(cached, stills(30)):
            if not np.array_equal(image, noise(still.source_pts)):
                wrong.append(still)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == [] and len(kept(tmp_path)) == 30


def test_what_another_user_keeps_is_read_and_not_taken_for_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    before = os.umask(0o027)
    try:
        FrameCache(tmp_path, PLENTY).put(STILL, noise(1))
    finally:
        os.umask(before)
    (path,) = kept(tmp_path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640, "what the umask leaves"
    monkeypatch.setattr(frame_cache.os, "utime", refuse)
    media = Recording()
    ((_, image),) = read_stills(CachedMedia(media, FrameCache(tmp_path, PLENTY)), [STILL])
    np.testing.assert_array_equal(image, noise(1))
    assert media.decoded == [] and kept(tmp_path) == {path}

    # What may not be deleted stays, and keeps nobody from writing.
    monkeypatch.setattr(Path, "unlink", refuse)
    small = FrameCache(tmp_path, 1)
    assert small.trim() == 0
    small.put(replace(STILL, source_pts=1), noise(2))
    assert len(kept(tmp_path)) == 2

"""Frames that were decoded, cropped and scaled down, kept on this machine for every run and engine.

A frame is named by what its pixels depend on (the content of the medium, stamp, crop, size, and the
libraries that decode and scale), so that it can never be another video's, and an upgrade begins anew.
Several processes may use the cache at once: files are written whole under a name of their own, and
only then get theirs. A file that is not what was written is deleted and made again.

Pixels are kept as they are. Of what was tried on 32 real frames of 224 rows (per frame: size over
raw, writing, reading), differences along a row under Zstandard 1 (0.29, 0.7 ms, 0.8 ms) cost little
and hold three times as many frames as raw pixels; PNG (0.27, 4.3 ms, 1.8 ms) is hardly smaller and
slower, and lossless WebP (0.18, 4.7 ms, 1.1 ms) takes as long as decoding some videos does. JPEG would
change what a model sees.

The cache lies below the folder of copies (`PARALLAX_CACHE`). `PARALLAX_FRAMES_GB` bounds it, 0 turns it
off; what was not used for longest goes first. It may be deleted at any time.
"""

from __future__ import annotations

import contextlib
import fcntl
import logging
import math
import os
import struct
import threading
import time
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import numpy as np
from blake3 import blake3

from expectations.schemas.identity import digest
from resources.errors import ExpectedError
from resources.media.crops import SHARE
from resources.media.stills import Media, Still, read_stills
from resources.roots.cache import PART, cache_folder, new_file

LIMIT_GB = 20.0
_SUFFIX = ".frame"
# Counts up when equal names would stand for other pixels, or files for another form.
_FORM = b"frame-1\n"
_SIZE = struct.Struct("<II")
_DIGEST_BYTES = 16
_HEAD_BYTES = len(_FORM) + _DIGEST_BYTES + _SIZE.size
_LEVEL = 1
# Whoever writes looks at the size of the whole again after this share of the bound.
_LOOK_AFTER = 1 / 32
_KEEP = 0.95
# A process that was killed leaves what it was writing.
_ABANDONED_S = 3600.0
_LOG = logging.getLogger("parallax")


class FrameCacheError(ExpectedError, ValueError):
    """The bound of the frame cache is not a size."""


def frame_limit_bytes() -> int:
    """Bound of the cache in bytes, from `PARALLAX_FRAMES_GB`.

    Raises:
        FrameCacheError: It is not a number of at least 0.
    """
    setting = os.environ.get("PARALLAX_FRAMES_GB")
    try:
        limit_gb = float(setting or LIMIT_GB)
    except ValueError:
        limit_gb = math.nan
    if not 0 <= limit_gb < math.inf:
        raise FrameCacheError(
            f"PARALLAX_FRAMES_GB is {setting!r}, not a number of gigabytes; set it to one (0 keeps no"
            " frames), or leave it out"
        )
    return int(limit_gb * 1e9)


def with_frame_cache(media: Media) -> Media:
    """Media in front of which the cache of this machine stands, unless it is turned off."""
    limit_bytes = frame_limit_bytes()
    if not limit_bytes:
        return media
    return CachedMedia(media, FrameCache(cache_folder() / "frames", limit_bytes))


class CachedMedia:
    """Media whose stills are kept; whole frames are passed through.

    Args:
        media: Where frames come from.
        cache: Where stills are kept.
    """

    def __init__(self, media: Media, cache: FrameCache) -> None:
        self._media = media
        self._cache = cache

    def __call__(self, recording_id: str, part: int, stamps: list[int]) -> list[np.ndarray]:
        """Whole frames."""
        return self._media(recording_id, part, stamps)

    def stills(self, wanted: Iterable[Still]) -> Iterator[tuple[Still, np.ndarray]]:
        """Pixels of stills, those that are kept first (see `read_stills`)."""
        lacking = []
        for still in dict.fromkeys(wanted):
            image = self._cache.get(still)
            if image is None:
                lacking.append(still)
            else:
                yield still, image
        for still, image in read_stills(self._media, lacking):
            self._cache.put(still, image)
            yield still, image


class FrameCache:
    """Stills on disk, by what their pixels depend on; threads and processes may share it.

    Args:
        folder: Where they lie.
        limit_bytes: Bound; it may be passed by a few percent for a while.
    """

    def __init__(self, folder: Path, limit_bytes: int) -> None:
        self._folder = folder
        self._limit = limit_bytes
        self._lock = threading.Lock()
        # Looked at before the first frame is written.
        self._since_look: float = math.inf
        self._is_writable = True

    def get(self, still: Still) -> np.ndarray | None:
        """Pixels of a still, read-only uint8 [height, width, 3]; None where they are not kept."""
        if not still.content:
            return None
        path = self.path_of(still)
        try:
            with path.open("rb") as file:
                data = file.read()
                # The time of use decides what goes first when there is too much. Of another user's file it
                # cannot always be set; the frame is there all the same.
                with contextlib.suppress(OSError):
                    os.utime(file.fileno())
        except FileNotFoundError:
            return None
        except OSError as error:
            _LOG.debug("frame %s cannot be read: %s", path, error)
            return None
        image = _unpack(data, path.stem)
        if image is None:
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
        return image

    def put(self, still: Still, image: np.ndarray) -> None:
        """Keep a still; a disk that takes no more is not a reason to stop."""
        if not still.content or not self._is_writable:
            return
        path = self.path_of(still)
        data = _pack(image, path.stem)
        fresh = ""
        try:
            self._make_room(len(data))
            path.parent.mkdir(parents=True, exist_ok=True)
            out, fresh = new_file(path.parent)
            with out:
                out.write(data)
            os.replace(fresh, path)
        except FileNotFoundError:
            # Somebody deletes the cache; the next frame makes its folders anew.
            return
        except OSError as error:
            self._is_writable = False
            _LOG.warning(
                "no frames can be kept in %s (%s): this run decodes what it needs; set"
                " PARALLAX_CACHE to a folder with room, or PARALLAX_FRAMES_GB=0",
                self._folder,
                error.strerror or error,
            )
            if fresh:
                with contextlib.suppress(OSError):
                    Path(fresh).unlink(missing_ok=True)

    def path_of(self, still: Still) -> Path:
        """File that a still is kept in."""
        crop = "" if still.crop is None else f"{SHARE} {still.crop.recipe()}"
        size = "" if still.short_side_px is None else str(still.short_side_px)
        parts = [*_libraries(), still.content, str(still.part), str(still.source_pts), crop, size]
        name = digest(parts)
        return self._folder / name[:2] / f"{name}{_SUFFIX}"

    def _make_room(self, n_bytes: int) -> None:
        with self._lock:
            self._since_look += n_bytes
            if self._since_look < self._limit * _LOOK_AFTER:
                return
            self._since_look = 0.0
        self.trim()

    def trim(self) -> int:
        """Delete frames beyond the bound, those not used for longest first.

        Returns:
            Bytes deleted; 0 also where another process is at it.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        try:
            lock = (self._folder / "trim.lock").open("wb")
        except PermissionError:
            # It is another user's, who may delete what others may not.
            return 0
        with lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return 0
            return self._trim()

    def _trim(self) -> int:
        found = []
        now = time.time()
        for folder in os.scandir(self._folder):
            if not folder.is_dir():
                continue
            for entry in os.scandir(folder.path):
                with contextlib.suppress(FileNotFoundError, PermissionError):
                    status = entry.stat()
                    if not entry.name.endswith(PART):
                        found.append((status.st_mtime_ns, status.st_size, entry.path))
                    elif now - status.st_mtime > _ABANDONED_S:
                        os.unlink(entry.path)
        kept_bytes, deleted = sum(size for _, size, _ in found), 0
        if kept_bytes <= self._limit:
            return 0
        for _, size, path in sorted(found):
            if kept_bytes - deleted <= self._limit * _KEEP:
                break
            # Whoever has it open keeps it; whoever comes later makes it again.
            try:
                Path(path).unlink(missing_ok=True)
            except PermissionError:
                # It is another user's, who deletes it in turn.
                continue
            deleted += size
        return deleted


@cache
def _libraries() -> tuple[str, ...]:
    """What decodes, converts and scales: another version may round another way."""
    import av
    import PIL

    ffmpeg = [f"{name} {av.library_versions[name]}" for name in ("libavcodec", "libswscale")]
    return (_FORM.decode(), f"av {av.__version__}", *ffmpeg, f"Pillow {PIL.__version__}")


def _pack(image: np.ndarray, name: str) -> bytes:
    """A frame as a file: form, digest, size, and packed differences along each row."""
    import pyarrow as pa

    steps = image.copy()
    steps[:, 1:] -= image[:, :-1]
    packed = pa.Codec("zstd", compression_level=_LEVEL).compress(steps.tobytes(), asbytes=True)
    body = _SIZE.pack(*image.shape[:2]) + packed
    return _FORM + _digest(name, body) + body


def _unpack(data: bytes, name: str) -> np.ndarray | None:
    """The frame in a file; None where it is not what was written under that name."""
    import pyarrow as pa

    body = data[len(_FORM) + _DIGEST_BYTES :]
    if len(data) < _HEAD_BYTES or data[: -len(body)] != _FORM + _digest(name, body):
        return None
    height, width = _SIZE.unpack_from(body)
    pixels = pa.Codec("zstd").decompress(
        memoryview(body)[_SIZE.size :], decompressed_size=height * width * 3, asbytes=True
    )
    steps = np.frombuffer(pixels, np.uint8).reshape(height, width, 3)
    image = np.add.accumulate(steps, axis=1, dtype=np.uint8)
    image.flags.writeable = False
    return image


def _digest(name: str, body: bytes) -> bytes:
    return blake3(name.encode() + body).digest(length=_DIGEST_BYTES)

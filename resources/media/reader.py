"""Pixels of recordings: frames by stamp, from the files that `recordings` names."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import polars as pl

from resources.media.pictures import PictureError, read_picture
from resources.media.video import each_frame, read_frames
from resources.roots.base import Root

JPEG_QUALITY = 82


class MediaReader:
    """Frames of one source's recordings.

    Attributes:
        root: Where the source lies.
        paths: Media files per recording, parts in order.
        images: Pictures of image sequences per recording, by the source's own number.
    """

    def __init__(
        self,
        root: Root,
        paths: Mapping[str, Sequence[str]],
        images: Mapping[str, Mapping[int, str]] | None = None,
    ) -> None:
        self.root = root
        self.paths = paths
        self.images = images or {}

    @classmethod
    def of(cls, root: Root, recordings: pl.DataFrame, images: pl.DataFrame) -> MediaReader:
        """A reader of these recordings.

        Args:
            root: Where their source lies.
            recordings: Rows of `recordings`.
            images: Rows of `images` of the same recordings.
        """
        pictures: dict[str, dict[int, str]] = {}
        for uid, number, path in images.select("recording_id", "source_frame", "path").iter_rows():
            pictures.setdefault(uid, {})[number] = path
        paths = dict(recordings.select("recording_id", "media_paths").iter_rows())
        return cls(root, paths, pictures)

    def __call__(self, recording_id: str, part: int, stamps: list[int]) -> list[np.ndarray]:
        """Upright RGB frames, uint8 [height, width, 3], one per stamp.

        A stamp is `frames.source_pts`: the container's, or the number of a picture.

        Raises:
            VideoError: The file does not decode at a stamp, or a picture cannot be read
                (`PictureError`).
        """
        if recording_id in self.images:
            return [self._picture(recording_id, number) for number in stamps]
        with self.root.open(self.paths[recording_id][part]) as handle:
            return read_frames(handle, stamps)

    def each(
        self, recording_id: str, part: int, stamps: Sequence[int]
    ) -> Iterator[tuple[int, np.ndarray]]:
        """Frames one by one with their stamps, each once; the file is open while they are taken.

        Raises:
            VideoError: A frame cannot be had: the first of those, after all others.
        """
        if recording_id not in self.images:
            with self.root.open(self.paths[recording_id][part]) as handle:
                yield from each_frame(handle, stamps)
            return
        fault: PictureError | None = None
        for number in sorted(set(stamps)):
            try:
                picture = self._picture(recording_id, number)
            except PictureError as error:
                fault = fault or error
                continue
            yield number, picture
        if fault is not None:
            raise fault

    def _picture(self, recording_id: str, number: int) -> np.ndarray:
        path = self.images[recording_id].get(number)
        if path is None:
            raise PictureError(f"recording {recording_id} has no picture {number}")
        with self.root.open(path) as handle:
            return read_picture(handle, path)


def to_jpeg(image: np.ndarray, short_side_px: int) -> bytes:
    """JPEG of a frame, scaled down to a short side."""
    from PIL import Image

    picture = Image.fromarray(image)
    factor = short_side_px / min(picture.size)
    if factor < 1:
        size = (round(picture.width * factor), round(picture.height * factor))
        picture = picture.resize(size, Image.Resampling.BOX)
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=JPEG_QUALITY)
    return buffer.getvalue()

"""Pixels of recordings: frames by stamp, from the files that `recordings` names."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence

import numpy as np

from resources.files import Root
from resources.video import read_frames

JPEG_QUALITY = 82


class MediaReader:
    """Frames of one source's recordings.

    Attributes:
        root: Where the source lies.
        paths: Media files per recording, parts in order.
    """

    def __init__(self, root: Root, paths: Mapping[str, Sequence[str]]) -> None:
        self.root = root
        self.paths = paths

    def __call__(self, recording_id: str, part: int, stamps: list[int]) -> list[np.ndarray]:
        """Upright RGB frames, uint8 [height, width, 3], one per stamp.

        Raises:
            VideoError: The file does not decode at a stamp.
        """
        with self.root.open(self.paths[recording_id][part]) as handle:
            return read_frames(handle, stamps)


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

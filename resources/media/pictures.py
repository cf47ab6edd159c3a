"""Pictures of image sequences: told by their name, opened with a limit."""

from __future__ import annotations

from typing import IO, Final

import numpy as np

from resources.media.video import VideoError

PICTURES: Final = (".png", ".jpg", ".jpeg")
MOST_PIXELS: Final = 50_000_000
"""A picture that claims more is a fault, or meant to exhaust memory."""


class PictureError(VideoError):
    """A picture that cannot be read; whoever can do without one frame can do without it."""

    def __init__(self, message: str) -> None:
        super().__init__("undecodable", message)


def is_picture(path: str) -> bool:
    """Whether a file is a picture by its name."""
    return path.lower().endswith(PICTURES)


def read_picture(handle: IO[bytes], name: str) -> np.ndarray:
    """A picture as it is stored; orientation tags are obeyed, transparency is dropped.

    Args:
        handle: Seekable binary reader.
        name: Its path, for messages.

    Returns:
        RGB, uint8 [height, width, 3].

    Raises:
        PictureError: No PNG or JPEG, damaged, or larger than `MOST_PIXELS`.
    """
    from PIL import Image, ImageOps

    try:
        with Image.open(handle, formats=("PNG", "JPEG")) as picture:
            width, height = picture.size
            if width * height > MOST_PIXELS:
                raise PictureError(
                    f"picture {name} has {width}x{height} pixels, more than {MOST_PIXELS}"
                )
            return np.asarray(ImageOps.exif_transpose(picture).convert("RGB"))
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        # PIL says SyntaxError of a broken PNG header.
        raise PictureError(f"picture {name} cannot be read: {error}") from error

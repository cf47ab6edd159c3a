"""Writes H.264 in mp4 with PyAV: repeatable bytes, free frame times, optional rotation."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, cast

import av
import numpy as np
import numpy.typing as npt
from av.video.reformatter import VideoReformatter

_SMALL_PX: Final = 160
_TINY: Final = ("ultrafast", "29", "")
"""Preset, rate factor and parameters of small pictures."""
_MOVING: Final = ("veryfast", "29", ":mbtree=0")
"""Of pictures shown once: bits are not taken from what moves fast, as hands do."""
_REPEATED: Final = ("veryfast", "28", "")
"""Of pictures that stand for several frames: bits go to what is seen again, a quarter of the bytes less
than without for the same likeness."""
_FINE: Final = ("superfast", "29", "")
"""Of those in which small things must be told apart, as hands and what they hold: by `_REPEATED` pictures
the solver of active objects is right four times in five, by these nineteen in twenty."""


def write_video(
    path: Path,
    frames: Iterable[npt.NDArray[np.uint8]],
    pts: Iterable[int],
    ticks: int,
    size: tuple[int, int],
    *,
    fps: int,
    b_frames: bool = False,
    rotated: bool = False,
    repeated: bool = False,
    fine: bool = False,
) -> None:
    """Encodes frames at given stamps.

    Args:
        path: mp4 to write.
        frames: (height, width, 3) uint8 RGB, in presentation order.
        pts: stamp of each frame in 1/`ticks` s, increasing.
        ticks: container ticks per second.
        size: width and height of the frames given, pixels (upright).
        fps: nominal rate, for the encoder's rate control only.
        b_frames: whether the encoder may reorder.
        rotated: store the picture a quarter turn counterclockwise, with the display matrix that
            turns it back, as a phone held sideways does.
        repeated: pictures stand for several frames: frames that are one object are converted once,
            and the encoder spends bits on what is seen again. Not for a writer that draws into one
            array again and again.
        fine: small things in repeated pictures must be told apart.
    """
    width, height = size[::-1] if rotated else size
    # One thread and no version strings: the same frames give the same bytes.
    with av.open(str(path), "w", format="mp4", options={"fflags": "+bitexact"}) as container:
        stream = cast("Any", container.add_stream("libx264", rate=fps))
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        stream.time_base = Fraction(1, ticks)
        stream.codec_context.time_base = Fraction(1, ticks)
        stream.codec_context.thread_count = 1
        large = (_FINE if fine else _REPEATED) if repeated else _MOVING
        group_s = 6 if large is _MOVING and width > _SMALL_PX else 4
        bf, (preset, crf, more) = "2" if b_frames else "0", large if width > _SMALL_PX else _TINY
        stream.options = {"preset": preset, "crf": crf, "bf": bf, "g": str(group_s * fps)}
        stream.options |= {"x264-params": f"threads=1:bframes={bf}:b-adapt=0:aq-mode=0{more}"}
        # One for all frames: a frame's own would be set up anew for each.
        planes, shown, frame = VideoReformatter(), None, cast("Any", None)
        for image, stamp in zip(frames, pts, strict=True):
            if frame is None or not (repeated and image is shown):
                shown = image
                upright = np.ascontiguousarray(np.rot90(image)) if rotated else image
                frame = planes.reformat(
                    av.VideoFrame.from_ndarray(upright, format="rgb24"), format="yuv420p", threads=1
                )
            frame.pts, frame.time_base = int(stamp), Fraction(1, ticks)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    if rotated:
        _turn(path, height)


def _turn(path: Path, height: int) -> None:
    """Sets the track header's display matrix to a clockwise quarter turn (ISO 14496-12, 8.3.2)."""
    data = bytearray(path.read_bytes())
    at = data.rfind(b"tkhd")
    if at < 0 or data[at + 4] != 0:
        raise ValueError(f"{path.name}: no version 0 track header to turn")
    one = 0x10000
    matrix = (0, one, 0, -one & 0xFFFFFFFF, 0, 0, height * one, 0, 0x40000000)
    start = at + 4 + 40
    data[start : start + 36] = b"".join(v.to_bytes(4, "big") for v in matrix)
    path.write_bytes(bytes(data))

"""Small videos with a named fault each, made on the spot.

Every maker writes one file and says in its docstring how the fault is made. `VIDEOS` lists those
that must read; `UNREADABLE` those that must not, with the reason expected.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from av.packet import Packet
from av.video.frame import VideoFrame

MS = Fraction(1, 1000)
WIDTH, HEIGHT = 96, 64


def picture(number: int, width: int = WIDTH, height: int = HEIGHT) -> np.ndarray:
    """RGB image whose 12 blocks (4 by 3) spell the frame number in binary, so that it can be read
    back from a lossy decode."""
    image = np.zeros((height, width, 3), dtype=np.uint8)
    for bit in range(12):
        row, column = divmod(bit, 4)
        y0, y1 = row * height // 3, (row + 1) * height // 3
        x0, x1 = column * width // 4, (column + 1) * width // 4
        image[y0:y1, x0:x1] = 255 if number >> bit & 1 else 0
    return image


def number_of(image: np.ndarray) -> int:
    """The number `picture` wrote."""
    height, width = image.shape[:2]
    number = 0
    for bit in range(12):
        row, column = divmod(bit, 4)
        block = image[
            row * height // 3 + 4 : (row + 1) * height // 3 - 4,
            column * width // 4 + 4 : (column + 1) * width // 4 - 4,
        ]
        number |= int(block.mean() > 127) << bit
    return number


def encode(
    target: str | io.BytesIO,
    stamps: Sequence[int],
    *,
    codec: str = "libx264",
    container: str = "mp4",
    time_base: Fraction = MS,
    options: dict[str, str] | None = None,
    muxing: dict[str, str] | None = None,
    rotation: int = 0,
    edit: Callable[[int, Packet], Packet | None] | None = None,
    pix_fmt: str = "yuv420p",
) -> None:
    """Encodes frame i (showing number i) at `stamps[i]`; `edit` may change or drop packet j."""
    with av.open(target, "w", format=container, options=muxing or {}) as out:
        # Rate only sets the encoder's look-ahead: stamps come from the frames.
        chosen = dict(options or {})
        if codec == "libx264":  # key frames only where the group length says
            chosen["x264-params"] = ":".join(
                filter(None, (chosen.get("x264-params"), "scenecut=0"))
            )
        stream = out.add_stream(codec, rate=25, options=chosen)
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, pix_fmt
        stream.codec_context.time_base = time_base
        stream.time_base = time_base
        if rotation:
            stream.set_display_rotation(rotation)
        count = 0

        def write(packets: list[Packet]) -> None:
            nonlocal count
            for packet in packets:
                edited = packet if edit is None else edit(count, packet)
                count += 1
                if edited is not None:
                    out.mux(edited)

        for i, stamp in enumerate(stamps):
            frame = VideoFrame.from_ndarray(picture(i), format="rgb24").reformat(format=pix_fmt)
            frame.pts, frame.time_base = stamp, time_base
            write(stream.encode(frame))
        write(stream.encode(None))


def remux(
    source: Path,
    target: Path,
    *,
    container: str,
    edit: Callable[[int, Packet], Packet | None],
    muxing: dict[str, str] | None = None,
) -> None:
    """Copies the first video stream packet by packet through `edit`."""
    with (
        av.open(str(source)) as inp,
        av.open(str(target), "w", format=container, options=muxing or {}) as out,
    ):
        stream = inp.streams.video[0]
        copy = out.add_stream_from_template(stream)
        for j, packet in enumerate(inp.demux(stream)):
            if packet.size == 0:
                continue
            edited = edit(j, packet)
            if edited is not None:
                edited.stream = copy
                out.mux(edited)


def jitter(n: int, step: int = 33, seed: int = 7) -> list[int]:
    """Irregular stamps: `step` ms with a fixed pattern of lateness and one stall of 400 ms."""
    stamps, now = [], 0
    for i in range(n):
        stamps.append(now)
        now += step + (i * seed) % 11 + (400 if i == n // 2 else 0)
    return stamps


B_FRAMES = {"bf": "3", "g": "20", "b-pyramid": "normal", "b-adapt": "0"}
X265_OPEN = {"x265-params": "log-level=none:keyint=12:min-keyint=12:open-gop=1:bframes=3:b-adapt=0"}


def vfr(path: Path) -> None:
    """Irregular stamps with a stall, no B-frames."""
    encode(str(path), jitter(60), options={"bf": "0", "g": "15"})


def b_frames(path: Path) -> None:
    """Stored order differs: B-frames in a pyramid."""
    encode(str(path), [40 * i for i in range(60)], options=B_FRAMES)


def vfr_b_frames(path: Path) -> None:
    """Irregular stamps and B-frames together."""
    encode(str(path), jitter(60), options=B_FRAMES)


def open_gop(path: Path) -> None:
    """H.264 with open groups: B-frames lean on the next group's key frame."""
    encode(
        str(path),
        [40 * i for i in range(60)],
        options={
            "x264-params": "open-gop=1:keyint=12:min-keyint=1:bframes=3:b-adapt=2:rc-lookahead=40"
        },
    )


def hevc_open_gop(path: Path) -> None:
    """HEVC with open groups."""
    encode(str(path), [40 * i for i in range(60)], codec="libx265", options=X265_OPEN)


def mpeg2_open_gop(path: Path) -> None:
    """MPEG-2 with open groups: two pictures shown before each key frame are stored after it."""
    encode(
        str(path),
        list(range(60)),
        codec="mpeg2video",
        container="matroska",
        time_base=Fraction(1, 25),
        options={"bf": "2", "g": "12", "sc_threshold": "1000000000"},
    )


def trimmed(path: Path) -> None:
    """Edit list that hides the first frames: muxed with negative stamps kept, as a stream copy
    from inside a group of pictures does."""

    def shift(j: int, packet: Packet) -> Packet:
        packet.pts -= 7 * 40
        packet.dts -= 7 * 40
        return packet

    encode(
        str(path),
        [40 * i for i in range(60)],
        options=B_FRAMES,
        muxing={"avoid_negative_ts": "disabled"},
        edit=shift,
    )


def late_start(path: Path) -> None:
    """First frame at 5 s: an empty edit in front."""
    encode(str(path), [5000 + 40 * i for i in range(30)], options=B_FRAMES)


def negative(path: Path) -> None:
    """Negative stamps that nothing hides: a transport stream's clock wraps below zero."""
    encode(
        str(path),
        [40 * i - 500 for i in range(30)],
        options={"bf": "0", "g": "10"},
        container="mpegts",
        muxing={"avoid_negative_ts": "disabled"},
    )


def negative_mkv(path: Path) -> None:
    """Negative stamps in Matroska, which cannot hold them: they read back as missing."""
    encode(
        str(path),
        [40 * i - 500 for i in range(30)],
        options={"bf": "0", "g": "10"},
        container="matroska",
        muxing={"avoid_negative_ts": "disabled"},
    )


def doubled(path: Path) -> None:
    """Stamps 5 and 6, and 10 to 12, are equal: Matroska lets a muxer do so."""

    def flatten(j: int, packet: Packet) -> Packet:
        frame = {6: 5, 11: 10, 12: 10}.get(j, j)
        packet.pts = packet.dts = 40 * frame
        return packet

    encode(
        str(path),
        [40 * i for i in range(30)],
        options={"bf": "0", "g": "10"},
        container="matroska",
        edit=flatten,
    )


def joined(path: Path) -> None:
    """Two transport streams written one after the other: stamps start again half way."""
    halves = []
    for start in (0, 8000):
        half = io.BytesIO()
        encode(
            half,
            [start + 40 * i for i in range(30)],
            options={"bf": "0", "g": "10"},
            container="mpegts",
        )
        halves.append(half.getvalue())
    path.write_bytes(halves[1] + halves[0])


def no_stamps_avi(path: Path) -> None:
    """AVI keeps decoding stamps only."""
    encode(
        str(path),
        list(range(30)),
        codec="mpeg4",
        container="avi",
        time_base=Fraction(1, 25),
        options={"g": "10"},
    )


def no_stamps_raw(path: Path) -> None:
    """Bare H.264 without a container: no stamp at all."""
    encode(
        str(path),
        list(range(30)),
        container="h264",
        time_base=Fraction(1, 25),
        options={"bf": "0", "g": "10"},
    )


def damaged_ts(path: Path) -> None:
    """Transport stream with a run of 188-byte packets cut out: continuity breaks."""
    buffer = io.BytesIO()
    encode(buffer, [40 * i for i in range(60)], options={"bf": "0", "g": "10"}, container="mpegts")
    data = buffer.getvalue()
    middle = len(data) // 188 // 2
    path.write_bytes(data[: middle * 188] + data[(middle + 3) * 188 :])


def damaged_group(path: Path) -> None:
    """MP4 with the bytes of packet 25 overwritten: five frames of the third group of ten break."""
    encode(str(path), [40 * i for i in range(60)], options={"bf": "0", "g": "10"})
    with av.open(str(path)) as container:
        packet = [p for p in container.demux(video=0) if p.size][25]
        place, size = packet.pos, packet.size
    data = bytearray(path.read_bytes())
    assert place is not None
    data[place : place + size] = b"\xff" * size
    path.write_bytes(bytes(data))


def cut_faststart(path: Path) -> None:
    """MP4 with its index in front and the last third of the bytes missing."""
    encode(
        str(path),
        [40 * i for i in range(60)],
        options={"bf": "0", "g": "10"},
        muxing={"movflags": "faststart"},
    )
    data = path.read_bytes()
    path.write_bytes(data[: len(data) * 2 // 3])


def cut_mkv(path: Path) -> None:
    """Matroska that ends in the middle of a block."""
    buffer = io.BytesIO()
    encode(
        buffer, [40 * i for i in range(60)], options={"bf": "0", "g": "10"}, container="matroska"
    )
    data = buffer.getvalue()
    path.write_bytes(data[: len(data) * 2 // 3])


def key_cut(path: Path, maker: Callable[[Path], None], nth: int) -> None:
    whole = path.with_suffix(".whole.mp4")
    maker(whole)
    keys = 0

    def after(j: int, packet: Packet) -> Packet | None:
        nonlocal keys
        keys += packet.is_keyframe
        return packet if keys >= nth else None

    remux(whole, path, container="matroska", edit=after)
    whole.unlink()


def hevc_cut_open(path: Path) -> None:
    """HEVC open group copied from its second key frame on: leading pictures lack a reference."""
    key_cut(path, hevc_open_gop, 2)


def h264_cut_open(path: Path) -> None:
    """H.264 open group copied from its third key frame on."""
    key_cut(path, open_gop, 3)


def mpeg2_cut_open(path: Path) -> None:
    """MPEG-2 open group copied from its second key frame on."""
    key_cut(path, mpeg2_open_gop, 2)


def mid_group(path: Path) -> None:
    """Stream copy that starts five packets after a key frame."""
    whole = path.with_suffix(".whole.mp4")
    encode(str(whole), [40 * i for i in range(40)], options={"bf": "0", "g": "10"})
    remux(whole, path, container="matroska", edit=lambda j, p: p if j >= 5 else None)
    whole.unlink()


def vp8_hidden(path: Path) -> None:
    """VP8 with the show bit of packets 7 and 8 cleared, as alternate references have it."""

    def hide(j: int, packet: Packet) -> Packet:
        if j not in (7, 8):
            return packet
        data = bytearray(bytes(packet))
        data[0] &= ~0x10
        hidden = Packet(bytes(data))
        hidden.stream, hidden.time_base = packet.stream, packet.time_base
        hidden.pts, hidden.dts = packet.pts, packet.dts
        return hidden

    encode(
        str(path),
        [40 * i for i in range(30)],
        codec="libvpx",
        container="webm",
        options={"g": "30", "deadline": "realtime"},
        edit=hide,
    )


def vp9_hidden(path: Path) -> None:
    """VP9 with alternate references in superframes."""
    encode(
        str(path),
        [40 * i for i in range(60)],
        codec="libvpx-vp9",
        container="webm",
        options={"auto-alt-ref": "1", "lag-in-frames": "16", "g": "30", "cpu-used": "4"},
    )


def av1(path: Path) -> None:
    """AV1 with hidden and repeated frames in its temporal units."""
    encode(
        str(path),
        [40 * i for i in range(60)],
        codec="libsvtav1",
        container="matroska",
        options={"preset": "10", "g": "30"},
    )


def mjpeg(path: Path) -> None:
    """Every frame a key frame, irregular, in Matroska."""
    encode(str(path), jitter(40), codec="mjpeg", container="matroska", pix_fmt="yuvj420p")


def one_frame(path: Path) -> None:
    """A single frame."""
    encode(str(path), [0])


def turned(path: Path) -> None:
    """Display matrix of a quarter turn."""
    encode(str(path), [40 * i for i in range(10)], rotation=90)


def two_streams(path: Path) -> None:
    """A small stream first, a larger one second; ffmpeg calls the larger one best."""
    with av.open(str(path), "w", format="matroska") as out:
        small = out.add_stream("libx264", rate=25)
        small.width, small.height, small.pix_fmt = 48, 32, "yuv420p"
        large = out.add_stream("libx264", rate=25)
        large.width, large.height, large.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        for i in range(20):
            for stream, step in ((small, 2), (large, 1)):
                if i % step:
                    continue
                frame = VideoFrame.from_ndarray(
                    picture(i, stream.width, stream.height), format="rgb24"
                ).reformat(format="yuv420p")
                frame.pts, frame.time_base = i, Fraction(1, 25)
                out.mux(stream.encode(frame))
        for stream in (small, large):
            out.mux(stream.encode(None))


def empty(path: Path) -> None:
    """No bytes."""
    path.write_bytes(b"")


def no_index(path: Path) -> None:
    """MP4 cut before its index (moov at the end): a recorder that lost power."""
    buffer = io.BytesIO()
    encode(buffer, [40 * i for i in range(60)])
    path.write_bytes(buffer.getvalue()[:-2000])


def text(path: Path) -> None:
    """Not a video."""
    path.write_bytes(b"this is a note, not a video\n" * 50)


def sound_only(path: Path) -> None:
    """Audio without video."""
    with av.open(str(path), "w", format="matroska") as out:
        stream = out.add_stream("pcm_s16le", rate=8000, layout="mono")
        frame = av.AudioFrame.from_ndarray(
            np.zeros((1, 800), np.int16), format="s16", layout="mono"
        )
        frame.sample_rate, frame.pts = 8000, 0
        out.mux(stream.encode(frame))
        out.mux(stream.encode(None))


VIDEOS: dict[str, tuple[str, Callable[[Path], None]]] = {
    maker.__name__: (suffix, maker)
    for suffix, maker in (
        (".mp4", vfr),
        (".mp4", b_frames),
        (".mp4", vfr_b_frames),
        (".mp4", open_gop),
        (".mp4", hevc_open_gop),
        (".mkv", mpeg2_open_gop),
        (".mkv", mpeg2_cut_open),
        (".mp4", trimmed),
        (".mp4", late_start),
        (".ts", negative),
        (".mkv", negative_mkv),
        (".mkv", doubled),
        (".ts", joined),
        (".avi", no_stamps_avi),
        (".h264", no_stamps_raw),
        (".ts", damaged_ts),
        (".mp4", damaged_group),
        (".mp4", cut_faststart),
        (".mkv", cut_mkv),
        (".mkv", hevc_cut_open),
        (".mkv", h264_cut_open),
        (".mkv", mid_group),
        (".webm", vp8_hidden),
        (".webm", vp9_hidden),
        (".mkv", av1),
        (".mkv", mjpeg),
        (".mp4", one_frame),
        (".mp4", turned),
        (".mkv", two_streams),
    )
}

UNREADABLE: dict[str, tuple[str, Callable[[Path], None], str]] = {
    "empty": (".mp4", empty, "empty"),
    "no_index": (".mp4", no_index, "unreadable"),
    "text": (".mp4", text, "unreadable"),
    "sound_only": (".mkv", sound_only, "no_video"),
}

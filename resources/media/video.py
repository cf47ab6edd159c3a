"""Video files: packets without decoding, and exact frames by stamp.

Reads a path or a seekable binary file object. Nothing is re-encoded.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from itertools import pairwise
from pathlib import Path
from typing import IO

import av
import numpy as np
from av.container import InputContainer
from av.error import EOFError as AvEOFError
from av.error import FFmpegError
from av.packet import Packet
from av.video.frame import VideoFrame
from av.video.reformatter import VideoReformatter
from av.video.stream import VideoStream

from resources.media.avc import frames_only, is_disposable, length_size
from resources.media.packets import NO_STAMP, Stream, packet_array
from resources.media.sample_table import read_sample_table

VideoFile = str | Path | IO[bytes]

# Packets fed to the decoder to learn the rotation before giving up on it.
_PROBE = 64
# Codecs whose packets come out of the demuxer as an MP4's sample table lists them: no parser and no
# guess of missing stamps comes between.
_TABLED = frozenset({"h264", "hevc"})

# Decoders that heed `skip_frame` packet by packet; others look at it once.
_SKIPS_BY_PACKET = frozenset({"h264", "hevc"})


class VideoError(Exception):
    """A video that cannot be read.

    Attributes:
        reason: One of `missing`, `empty`, `unreadable`, `no_video`, `undecodable`, `no_frame`.
        stamp: Presentation stamp at which decoding failed, if one did.
    """

    def __init__(self, reason: str, message: str, stamp: int | None = None) -> None:
        super().__init__(message)
        self.reason = reason
        self.stamp = stamp


@contextmanager
def _open(file: VideoFile) -> Iterator[tuple[InputContainer, VideoStream]]:
    """The container and its best video stream, by ffmpeg's own choice."""
    name = str(file) if isinstance(file, (str, Path)) else "file object"
    if isinstance(file, (str, Path)):
        if not os.path.exists(file):
            raise VideoError("missing", f"{name} does not exist")
        size = os.path.getsize(file)
    else:
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
    if size == 0:
        raise VideoError("empty", f"{name} has no bytes")
    try:
        container = av.open(str(file) if isinstance(file, Path) else file, "r")
    except FFmpegError as error:
        raise VideoError(
            "unreadable",
            f"{name} ({size} bytes) is not a readable video: {error.strerror} (a recording cut off "
            "before its index was written reads like this)",
        ) from error
    with container:
        stream = container.streams.best("video")
        if stream is None:
            kinds = ", ".join(sorted({s.type for s in container.streams})) or "no stream"
            raise VideoError("no_video", f"{name} has no video stream (it has {kinds})")
        if not isinstance(stream, VideoStream) or stream.time_base is None:
            raise VideoError("no_video", f"{name} has a video stream without a time base")
        yield container, stream


def read_packets(file: VideoFile) -> Stream:
    """Packets of the best video stream, without decoding.

    Where an MP4's sample table says all there is to know of them (`_from_table`), only the first
    packets are read, to see that it speaks the truth; else all are demuxed.

    The first frame is decoded to learn its rotation, which containers and codecs keep in different
    places; no stamp depends on it. The stream is the one ffmpeg calls best; `Stream.candidates`
    lists the others.

    Args:
        file: Path or seekable binary file object (left open, position moved).

    Raises:
        VideoError: Missing, empty or unreadable file, or no video stream.
    """
    with _open(file) as (container, stream):
        return _read_stream(file, container, stream)


def _read_stream(file: VideoFile, container: InputContainer, stream: VideoStream) -> Stream:
    context = stream.codec_context
    # The decoder may be another project's (libdav1d); the codec is what the stream says.
    codec = context.codec.canonical_name
    base = stream.time_base
    assert base is not None
    context.thread_count = 1  # one frame is decoded
    table = _from_table(file, stream, codec)
    packets, rotation, fault = _demuxed(container, stream, codec, table)
    return Stream(
        packets=packets,
        index=stream.index,
        candidates=tuple(s.index for s in container.streams.video),
        codec=codec,
        width_px=context.width,
        height_px=context.height,
        rotation_deg=_flush_rotation(stream) if rotation is None else rotation,
        time_base_num=base.numerator,
        time_base_den=base.denominator,
        declared_frames=stream.frames or None,
        fault=fault,
    )


def _demuxed(
    container: InputContainer, stream: VideoStream, codec: str, table: np.ndarray | None
) -> tuple[np.ndarray, int | None, str | None]:
    """Packets, the first frame's rotation, and the fault that ended reading.

    Args:
        container: Where the stream is.
        stream: The stream, nothing of it read.
        codec: Its codec.
        table: Packets it should have; taken where the first ones are as they say.
    """
    pts, dts, flags = array("q"), array("q"), array("B")  # hours of video are millions of packets
    fault: str | None = None
    rotation: int | None = None
    probing = _PROBE
    try:
        for packet in container.demux(stream):
            stamp, decoding, size = packet.pts, packet.dts, packet.size
            if size == 0 and stamp is None and decoding is None:
                continue  # the flush mark at the end
            pts.append(NO_STAMP if stamp is None else stamp)
            dts.append(NO_STAMP if decoding is None else decoding)
            flags.append(
                packet.is_keyframe
                | packet.is_discard << 1
                | packet.is_corrupt << 2
                | (size == 0 or (codec == "vp8" and _is_hidden_vp8(packet))) << 3
            )
            if probing:
                rotation = _probe_rotation(packet, alone=table is not None and len(pts) == 1)
                probing = 0 if rotation is not None else probing - 1
            if table is not None and len(pts) == min(_PROBE, len(table)):
                # Stamps of an index are exact up to what the demuxer adds to all.
                table["pts"] += pts[0] - table["pts"][0]
                if np.array_equal(_packets(pts, dts, flags), table[: len(pts)]):
                    return table, rotation, None
                table = None
    except FFmpegError as error:
        fault = f"{error.strerror} after {len(pts)} packets"
    return _packets(pts, dts, flags), rotation, fault


def _packets(pts: array | np.ndarray, dts: array, flags: array) -> np.ndarray:
    """Packets from their stamps and flags (key frame 1, discard 2, corrupt 4, hidden 8)."""
    bits = np.frombuffer(flags, dtype=np.uint8)
    return packet_array(
        {
            "order": np.arange(len(bits), dtype=np.int64),
            "pts": np.frombuffer(pts, dtype=np.int64),
            "dts": np.frombuffer(dts, dtype=np.int64),
            "is_discard": bits & 2 > 0,
            "is_keyframe": bits & 1 > 0,
            "is_corrupt": bits & 4 > 0,
            "is_hidden": bits & 8 > 0,
        }
    )


def _from_table(file: VideoFile, stream: VideoStream, codec: str) -> np.ndarray | None:
    """Packets by the sample table of an MP4; null where packets may differ from what it says.

    Decoding stamps, key frames and what an edit list hides are ffmpeg's own index; the boxes only
    add the composition offsets. So the two must list the same samples: as many, of the same sizes,
    the same steps apart (an edit list that cuts or repeats makes them differ), and all in the file.
    Presentation stamps are up to one constant that the demuxer adds to all.
    """
    entries = stream.index_entries
    if codec not in _TABLED or not len(entries):
        return None
    with open(file, "rb") if isinstance(file, (str, Path)) else nullcontext(file) as handle:
        table = read_sample_table(handle, stream.id, len(entries))
        if table is None:
            return None
        place = handle.tell()
        length = handle.seek(0, os.SEEK_END)
        handle.seek(place)
    dts, sizes, flags = array("q"), array("i"), array("B")
    last = 0
    for entry in entries:
        size = entry.size
        dts.append(entry.timestamp)
        sizes.append(size)
        flags.append(entry.flags & 3)
        last = max(last, entry.pos + size)
    stamps = np.frombuffer(dts, dtype=np.int64)
    if (
        not flags[0] & 1
        or last > length
        or not table.sizes.all()
        or not np.array_equal(np.frombuffer(sizes, dtype=np.int32), table.sizes)
        or not np.array_equal(np.diff(stamps), table.steps[:-1])
    ):
        return None
    del sizes
    return _packets(stamps + table.offsets, dts, flags)


def _is_hidden_vp8(packet: Packet) -> bool:
    # RFC 6386, 9.1: bit 4 of the first byte is `show_frame`.
    return not bytes(packet)[0] >> 4 & 1


def _clockwise(frame: VideoFrame) -> int:
    # The library counts counterclockwise; only quarter turns are images people look at.
    return round(-frame.rotation / 90) * 90 % 360


def _probe_rotation(packet: Packet, *, alone: bool = False) -> int | None:
    """Rotation of the first frame that comes out of the decoder, if one does.

    Args:
        packet: Next packet.
        alone: Whether it can be decoded alone, so that the decoder need not be fed on until it
            gives a frame.
    """
    try:
        frames = packet.decode()
        if alone and not frames:
            try:
                frames = packet.stream.decode(None)
            finally:
                packet.stream.codec_context.flush_buffers()
            frames = frames or packet.decode()
    except FFmpegError:
        return None  # a fault to be named when this frame is read
    for frame in frames:
        if isinstance(frame, VideoFrame):
            return _clockwise(frame)
    return None


def _flush_rotation(stream: VideoStream) -> int | None:
    # Short streams stay inside the decoder's delay until it is told that no more will come.
    try:
        frames = stream.decode(None)
    except FFmpegError:
        return None
    return _clockwise(frames[0]) if frames else None


def read_frames(
    file: VideoFile, stamps: Sequence[int], *, stream: int | None = None
) -> list[np.ndarray]:
    """Frames at exact stamps, upright.

    Stamps are visited in rising order and every group of pictures is decoded once: the decoder
    jumps to the key frame before a stamp only where that lies ahead of where it stands.

    Args:
        file: Path or seekable binary file object.
        stamps: Presented stamps in the stream's time base, as the frame index lists them; any
            order, repeats allowed.
        stream: Index of the stream; the best one if null.

    Returns:
        One uint8 RGB array (height, width, 3) per stamp, in the order asked.

    Raises:
        VideoError: Unreadable file (see `read_packets`), a stamp no frame has (`no_frame`), or a
            frame that does not decode (`undecodable`, with its stamp).
    """
    stamps = [int(s) for s in stamps]  # numpy integers are not what the library takes
    found = dict(each_frame(file, stamps, stream=stream))
    return [found[s] for s in stamps]


def each_frame(
    file: VideoFile, stamps: Iterable[int], *, stream: int | None = None
) -> Iterator[tuple[int, np.ndarray]]:
    """Frames as `read_frames` gives them, one by one as they are decoded, each stamp once.

    Frames that cannot be had are passed over, and the first of them is the error at the end.

    Args:
        file: Path or seekable binary file object; it is read until the last frame was taken.
        stamps: As for `read_frames`.
        stream: As for `read_frames`.

    Yields:
        Stamp and frame; stamps rise, but for those that seeking missed.

    Raises:
        VideoError: As `read_frames` raises it.
    """
    sorted_stamps = sorted({int(s) for s in stamps})
    found: set[int] = set()
    damaged: dict[int, str] = {}
    for seek in (True, False):
        missing = [w for w in sorted_stamps if w not in found and w not in damaged]
        if not missing:
            break
        # Stamps that seeking missed (files joined end to end, no index) are looked for from the
        # start once, so that `no_frame` is true when it is reported.
        with _open(file) as (container, best):
            video = best if stream is None else container.streams[stream]
            if not isinstance(video, VideoStream):
                raise VideoError("no_video", f"stream {stream} is not a video stream")
            # Frame threads would report a fault several frames late, and slice threads smooth a
            # picture's blocks only once it is whole.
            video.codec_context.thread_count = 1
            decoder = _Decoder(container, video, frozenset(missing))
            for stamp, image in _collect(decoder, missing, damaged, seek=seek):
                found.add(stamp)
                yield stamp, image
    for stamp in sorted_stamps:
        if stamp in damaged:
            raise VideoError("undecodable", f"frame at stamp {stamp}: {damaged[stamp]}", stamp)
        if stamp not in found:
            raise VideoError("no_frame", f"no frame is presented at stamp {stamp}", stamp)


def _collect(
    decoder: _Decoder, wanted: Sequence[int], damaged: dict[int, str], *, seek: bool
) -> Iterator[tuple[int, np.ndarray]]:
    """Frames at rising stamps; what is wrong with the others goes into `damaged`."""
    pending = set(wanted)
    to_rgb = VideoReformatter()  # one for all: it keeps its tables
    for target, after in pairwise((*wanted, None)):
        if target not in pending:
            continue
        if seek and decoder.worth_seeking(target):
            decoder.seek(target)
        # Where the next stamp lies in another group, nothing more of this one need be decoded.
        last = target if seek and (after is None or decoder.worth_seeking(after)) else None
        while target in pending:
            item = decoder.next(last)
            if item is None:
                if not seek:
                    return
                break
            stamp, frame, fault = item
            if stamp in pending:
                pending.discard(stamp)
                if fault is None:
                    yield stamp, _upright(frame, to_rgb)
                else:
                    damaged[stamp] = fault
            elif seek and stamp > target:
                break
        if target in pending and decoder.fault is not None:
            pending.discard(target)
            damaged[target] = decoder.fault


def _upright(frame: VideoFrame, to_rgb: VideoReformatter) -> np.ndarray:
    image = to_rgb.reformat(frame, format="rgb24", threads=1).to_ndarray()
    return np.ascontiguousarray(np.rot90(image, -_clockwise(frame) // 90))


def _one_packet_a_picture(stream: VideoStream) -> bool:
    """Whether it is known that no two packets hold the two fields of one picture."""
    context = stream.codec_context
    # Fields of HEVC are pictures of their own. Where H.264's parameter sets may also lie among the
    # packets (`avc3`, streams without a container), the header's say nothing.
    return context.name == "hevc" or (
        context.name == "h264"
        and context.codec_tag == "avc1"
        and frames_only(context.extradata or b"")
    )


def _unit_length(stream: VideoStream) -> int:
    """Bytes of the length before each unit of an H.264 packet; 0 where units are marked otherwise."""
    context = stream.codec_context
    tagged = context.name == "h264" and context.codec_tag in ("avc1", "avc3")
    return length_size(context.extradata or b"") if tagged else 0


class _Decoder:
    """Frames of one stream from a chosen point on, each with what is wrong with it."""

    def __init__(
        self, container: InputContainer, stream: VideoStream, wanted: frozenset[int]
    ) -> None:
        self._container = container
        self._wanted = wanted
        self._stream = stream
        self._skips = stream.codec_context.name in _SKIPS_BY_PACKET
        self._whole = _one_packet_a_picture(stream)
        self._unit_length = _unit_length(stream)
        self._index = stream.index_entries
        self._entry: int | None = None
        self._position: int | None = None
        assert stream.time_base is not None
        self._second = max(1, round(1 / stream.time_base))
        self._restart(None, [])

    def _restart(self, key: int | None, held: list[Packet]) -> None:
        self._packets = self._container.demux(self._stream)
        self._held = held  # packets read to find the key frame, still to be decoded
        self._ready: list[VideoFrame] = []
        self._key = key  # stamp of the key frame sought; None from the start of the file
        self._sent: dict[int, int] = {}
        self._broken_at: int | None = None
        self._sound_from: int | None = None
        self._ended = False
        self.fault: str | None = None

    def worth_seeking(self, target: int) -> bool:
        """Whether the target lies in a later group than the decoder stands in."""
        entry = self._index.search_timestamp(target)
        if self._position is None:
            return True
        if entry >= 0 and self._entry is not None:
            return entry != self._entry
        # Without an index jumping pays only over long gaps.
        return target - self._position > 10 * self._second

    def seek(self, target: int) -> None:
        """Goes to the last key frame shown at or before the target."""
        self._entry = self._index.search_timestamp(target)
        back = 0
        while back <= 64 * self._second:
            try:
                self._container.seek(target - back, stream=self._stream)
            except FFmpegError:
                break
            self._stream.codec_context.flush_buffers()
            self._restart(None, [])
            key = self._next_key()
            if key is not None and key.pts is not None and key.pts <= target:
                # Where it stands also before its first frame: the next stamp may lie in this group.
                self._key = self._position = key.pts
                self._held = [key]
                return
            # The group found opens after the target, which is among its leading pictures.
            back = max(self._second // 2, 2 * back)
        self._from_start()

    def _next_key(self) -> Packet | None:
        try:
            for packet in self._packets:
                if packet.size and packet.is_keyframe:
                    return packet
        except FFmpegError:
            return None
        return None

    def _from_start(self) -> None:
        start = self._stream.start_time or 0
        self._container.seek(start - 10 * self._second, stream=self._stream)
        self._stream.codec_context.flush_buffers()
        self._restart(None, [])
        self._position = start

    def next(self, last: int | None = None) -> tuple[int, VideoFrame, str | None] | None:
        """Next frame with its stamp and fault; null at the end of the stream.

        Args:
            last: Stamp after which nothing is wanted before the next `seek`: the decoder is asked
                for what it holds back to put it in order, instead of being fed on.
        """
        while True:
            while self._ready:
                frame = self._ready.pop(0)
                stamp = frame.pts if frame.pts is not None else frame.dts
                if stamp is None or (self._key is not None and stamp < self._key):
                    continue
                self._position = stamp
                return stamp, frame, self._fault_of(stamp, frame)
            if self._ended:
                return None
            # The packet after may hold the second field of the same picture.
            after = 0 if self._whole else 1
            if self._skips and last in self._sent and self._sent[last] + after < len(self._sent):
                self._drain()
            else:
                self._feed()

    def _drain(self) -> None:
        self._ended = True
        try:
            self._ready.extend(self._stream.decode(None))
        except FFmpegError as error:
            self.fault = f"{error.strerror} (at the end of a group)"

    def _fault_of(self, stamp: int, frame: VideoFrame) -> str | None:
        if frame.is_corrupt:
            return "the decoder marks it as damaged"
        if self._broken_at is None or self._sent.get(stamp, -1) < self._broken_at:
            return None
        if self._sound_from is not None and stamp >= self._sound_from:
            return None
        return self.fault

    def _feed(self) -> None:
        try:
            packet = self._held.pop(0) if self._held else next(self._packets, None)
        except FFmpegError as error:
            packet, self.fault = None, f"reading stops: {error.strerror}"
        if packet is None:
            self._ended = True
            return
        if self._whole and packet.has_sidedata("new_extradata"):
            self._whole = self._stream.codec_context.name == "hevc"  # other parameter sets follow
        stamp = packet.pts if packet.pts is not None else packet.dts
        if stamp is not None and packet.size:
            if self._key is not None and stamp < self._key:
                return  # a leading picture of the group sought: what it leans on was not decoded
            self._sent.setdefault(stamp, len(self._sent))
            if packet.is_keyframe and self._broken_at is not None and self._sound_from is None:
                self._sound_from = stamp
        # Pictures that no other leans on (most B-frames) are decoded only where they are wanted.
        if self._skips:
            lean = stamp is not None and stamp not in self._wanted
            if lean and self._is_dropped(packet):
                return
            self._stream.codec_context.skip_frame = "NONREF" if lean else "DEFAULT"
        try:
            self._ready.extend(f for f in packet.decode() if isinstance(f, VideoFrame))
        except FFmpegError as error:
            if isinstance(error, AvEOFError):
                self._ended = True
                return
            # Pictures up to the next key frame may lean on this one.
            self.fault = f"{error.strerror} (packet at stamp {stamp})"
            self._broken_at = self._sent.get(stamp, len(self._sent)) if stamp is not None else 0
            self._sound_from = None

    def _is_dropped(self, packet: Packet) -> bool:
        """Whether the decoder would only pass over the packet: it need not even see it."""
        size = self._unit_length
        return (
            size > 0
            and not packet.has_sidedata("new_extradata")
            and (is_disposable(memoryview(packet), size))
        )


def container_duration(file: VideoFile) -> float | None:
    """Length in seconds that a container's header states.

    Args:
        file: Path or seekable binary reader.

    Returns:
        Seconds; None if the container cannot be opened or states no length.
    """
    try:
        with _open(file) as (container, _):
            return None if container.duration is None else container.duration / av.time_base
    except VideoError:
        return None

"""What an H.264 header says of fields, against what the encoder was told."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import av
import pytest
from av.video.frame import PictureType

from resources.media.avc import frames_only, is_disposable, length_size


@pytest.mark.parametrize(
    ("told", "pix_fmt", "whole"),
    [
        ({}, "yuv420p", True),
        ({"preset": "ultrafast"}, "yuv420p", True),
        ({"profile": "baseline", "bf": "0"}, "yuv420p", True),
        ({"x264-params": "cqm=jvt"}, "yuv420p", True),
        ({"x264-params": "cqm=jvt"}, "yuv444p", True),
        ({"x264-params": "tff=1"}, "yuv420p", False),
        ({"x264-params": "bff=1:cqm=jvt"}, "yuv444p", False),
    ],
)
def test_fields_as_the_encoder_was_told(
    told: dict[str, str], pix_fmt: str, whole: bool, broken: ModuleType, tmp_path: Path
) -> None:
    path = tmp_path / "made.mp4"
    broken.encode(str(path), [0, 40, 80], options=told, pix_fmt=pix_fmt)
    with av.open(str(path)) as container:
        header = container.streams.video[0].codec_context.extradata
    assert header is not None
    assert frames_only(header) is whole


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"\x01d\x00\x1f\xff\xe0",  # no parameter set
        b"\x01d\x00\x1f\xff\xe1\x00\x19gd\x00",  # cut off
        b"\x00\x00\x00\x01gd\x00\x1f",  # no record, but a byte stream
    ],
)
def test_what_cannot_be_read_is_not_promised(header: bytes) -> None:
    assert not frames_only(header)


def test_pictures_nobody_leans_on_are_those_between_the_others(
    broken: ModuleType, tmp_path: Path
) -> None:
    path = tmp_path / "made.mp4"
    options = {"bf": "2", "b_strategy": "0", "x264-params": "b-pyramid=none:aud=1"}
    broken.encode(str(path), [40 * i for i in range(30)], options=options)
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        size = length_size(stream.codec_context.extradata or b"")
        told = {p.pts: is_disposable(bytes(p), size) for p in container.demux(stream) if p.size}
    with av.open(str(path)) as container:
        kinds = {f.pts: f.pict_type == PictureType.B for f in container.decode(video=0)}
    assert told == kinds
    assert sum(kinds.values()) >= 15


@pytest.mark.parametrize(
    ("packet", "disposable"),
    [
        (b"\0\0\0\2\x01\x88", True),
        (b"\0\0\0\2\x09\xf0\0\0\0\2\x01\x88", True),
        (b"\0\0\0\2\x21\x88", False),  # a slice others lean on
        (b"\0\0\0\2\x01\x88\0\0\0\2\x21\x88", False),  # one of two
        (b"\0\0\0\2\x06\x88\0\0\0\2\x01\x88", False),  # a message, which may be of all that follows
        (b"\0\0\0\2\x67\x88\0\0\0\2\x01\x88", False),  # other parameters
        (b"\0\0\0\3\x01\x88", False),  # cut off
        (b"\0\0\0\2\x01\x88\0\0", False),
        (b"\0\0\0\0", False),
        (b"", False),
    ],
)
def test_what_a_packet_holds(packet: bytes, disposable: bool) -> None:
    assert is_disposable(packet, 4) is disposable
    assert is_disposable(memoryview(packet), 4) is disposable

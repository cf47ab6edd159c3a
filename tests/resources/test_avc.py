"""What an H.264 header says of fields, against what the encoder was told."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import av
import pytest

from resources.avc import frames_only


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

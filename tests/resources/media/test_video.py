"""Packets and exact frames, over real files and generated broken ones, against full decodes."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import av
import numpy as np
import pytest
from av.error import FFmpegError

from resources.media import video
from resources.media.packets import index_frames
from resources.media.video import VideoError, read_frames, read_packets

# What each generated video must lose or warn of; the others nothing.
RULES = {
    "joined": {"corrupt_packet", "non_monotone_stamp"},
    "doubled": {"duplicate_stamp"},
    "negative_mkv": {"missing_stamp"},
    "no_stamps_raw": {"missing_stamp"},
    "damaged_ts": {"corrupt_packet"},
    "cut_faststart": {"truncated", "corrupt_packet"},
    "hevc_cut_open": {"open_lead"},
    "h264_cut_open": {"open_lead"},
    "mpeg2_cut_open": {"open_lead"},
    "mid_group": {"undecodable_lead"},
}
# Frames each of them presents, known from how it was made.
FRAMES = {
    "vfr": 60,
    "b_frames": 60,
    "trimmed": 53,
    "negative": 30,
    "negative_mkv": 17,
    "doubled": 27,
    "joined": 60,
    "no_stamps_raw": 0,
    "mid_group": 30,
    "vp8_hidden": 28,
    "hevc_cut_open": 48,
    "mpeg2_cut_open": 48,
    "one_frame": 1,
}
VIDEO_SUFFIXES = {".mp4", ".mov", ".mkv", ".webm"}


def decode(path: Path, stream: int) -> tuple[list[tuple[int | None, np.ndarray]], str | None]:
    """Every frame of a full decode with its stamp, as stored, and the fault that ended it."""
    frames: list[tuple[int | None, np.ndarray]] = []
    try:
        with av.open(str(path)) as container:
            video = container.streams[stream]
            for frame in container.decode(video):
                frames.append((frame.pts, frame.to_ndarray(format="rgb24")))
    except FFmpegError as error:
        return frames, str(error)
    return frames, None


def decode_some(
    path: Path, stream: int, wanted: set[int]
) -> tuple[list[int], dict[int, np.ndarray], set[int], str | None]:
    """Stamps of a full decode, pictures at some of them, kinds of picture, and what ended it."""
    stamps: list[int] = []
    pictures: dict[int, np.ndarray] = {}
    kinds: set[int] = set()
    try:
        with av.open(str(path)) as container:
            video = container.streams[stream]
            video.thread_type = "AUTO"
            for frame in container.decode(video):
                kinds.add(frame.pict_type)
                if frame.pts is not None:
                    stamps.append(frame.pts)
                if frame.pts in wanted and frame.pts not in pictures:
                    pictures[frame.pts] = frame.to_ndarray(format="rgb24")
    except FFmpegError as error:
        return stamps, pictures, kinds, str(error)
    return stamps, pictures, kinds, None


def test_index_and_frames_equal_a_full_decode(faulty: str, made: Callable[[str], Path]) -> None:
    path = made(faulty)
    stream = read_packets(path)
    index = index_frames(stream)
    decoded, fault = decode(path, stream.index)
    first: dict[int, np.ndarray] = {}
    for stamp, image in decoded:
        if stamp is not None:
            first.setdefault(stamp, image)

    assert {r["rule"] for r in index.refusals} == RULES.get(faulty, set())
    assert len(index.pts) == FRAMES.get(faulty, len(index.pts))
    assert np.all(np.diff(index.pts) > 0)
    if faulty == "damaged_group":
        return  # see below: a decode that goes on past its fault is not the truth
    if fault is not None:
        assert faulty == "cut_faststart"
        assert index.pts.tolist()[:-1] == sorted(first)
        with pytest.raises(VideoError, match=str(index.pts[-1])) as caught:
            read_frames(path, index.pts.tolist())
        assert caught.value.reason == "undecodable"
        assert caught.value.stamp == index.pts[-1]
        index_stamps = index.pts.tolist()[:-1]
    else:
        index_stamps = index.pts.tolist()
        assert index_stamps == sorted(first)

    turn = (stream.rotation_deg or 0) // 90
    backwards = index_stamps[::-1]
    for stamp, image in zip(backwards, read_frames(path, backwards), strict=True):
        assert np.array_equal(image, np.rot90(first[stamp], -turn)), stamp
    for stamp in index_stamps[::7]:
        (image,) = read_frames(path, [stamp])
        assert np.array_equal(image, np.rot90(first[stamp], -turn)), stamp


def test_damage_costs_its_group_of_pictures_and_no_other(
    made: Callable[[str], Path], broken: ModuleType
) -> None:
    path = made("damaged_group")
    pts = index_frames(read_packets(path)).pts.tolist()
    assert len(pts) == 60
    sound = [*range(0, 25, 3), 24, *range(30, 60, 3)]
    images = read_frames(path, [pts[i] for i in sound])
    assert [broken.number_of(image) for image in images] == sound
    for i in range(25, 30):
        with pytest.raises(VideoError) as caught:
            read_frames(path, [pts[3], pts[i], pts[40]])
        assert (caught.value.reason, caught.value.stamp) == ("undecodable", pts[i])


@pytest.mark.parametrize("name", ["b_frames", "vfr_b_frames", "open_gop", "hevc_open_gop"])
def test_frame_at_a_stamp_shows_what_was_encoded_there(
    name: str, made: Callable[[str], Path], broken: ModuleType
) -> None:
    path = made(name)
    pts = index_frames(read_packets(path)).pts.tolist()
    order = [*range(1, len(pts), 13), *range(0, len(pts), 7)]
    images = read_frames(path, [pts[i] for i in order])
    assert [broken.number_of(image) for image in images] == order


def test_frames_of_a_trimmed_file_start_where_the_edit_list_does(
    made: Callable[[str], Path], broken: ModuleType
) -> None:
    path = made("trimmed")
    stream = read_packets(path)
    index = index_frames(stream)
    assert index.discarded == 7
    assert index.pts[0] == 0
    assert broken.number_of(read_frames(path, [0])[0]) == 7


def test_display_matrix_turns_the_image(made: Callable[[str], Path], broken: ModuleType) -> None:
    stream = read_packets(made("turned"))
    # The maker asks for 90 degrees counterclockwise.
    assert stream.rotation_deg == 270
    assert (stream.width_px, stream.height_px) == (broken.WIDTH, broken.HEIGHT)
    (image,) = read_frames(made("turned"), [index_frames(stream).pts[3]])
    assert image.shape == (broken.WIDTH, broken.HEIGHT, 3)
    assert broken.number_of(np.rot90(image, -1)) == 3


def test_of_several_streams_the_one_read_is_named(made: Callable[[str], Path]) -> None:
    stream = read_packets(made("two_streams"))
    assert stream.candidates == (0, 1)
    assert stream.index in stream.candidates
    with av.open(str(made("two_streams"))) as container:
        best = container.streams.best("video")
        assert best is not None
        assert stream.index == best.index
        assert stream.width_px == best.codec_context.width


def test_unreadable_files_say_why(
    unreadable: str, made: Callable[[str], Path], broken: ModuleType
) -> None:
    reason = broken.UNREADABLE[unreadable][2]
    path = made(unreadable)
    for file in (path, str(path), io.BytesIO(path.read_bytes())):
        with pytest.raises(VideoError) as caught:
            read_packets(file)
        assert caught.value.reason == reason
        with pytest.raises(VideoError):
            read_frames(file, [0])


def test_a_missing_file_is_no_ffmpeg_error(tmp_path: Path) -> None:
    with pytest.raises(VideoError, match="does not exist") as caught:
        read_packets(tmp_path / "none.mp4")
    assert caught.value.reason == "missing"


def test_a_stamp_between_frames_is_refused(made: Callable[[str], Path]) -> None:
    pts = index_frames(read_packets(made("vfr"))).pts
    with pytest.raises(VideoError, match=str(pts[3] + 1)) as caught:
        read_frames(made("vfr"), [int(pts[2]), int(pts[3]) + 1])
    assert caught.value.reason == "no_frame"


def test_file_object_reads_as_its_path_does(made: Callable[[str], Path]) -> None:
    path = made("vfr_b_frames")
    with path.open("rb") as file:
        stream = read_packets(file)
        assert np.array_equal(stream.packets, read_packets(path).packets)
        pts = index_frames(stream).pts.tolist()
        (image,) = read_frames(file, [pts[20]])
    assert np.array_equal(image, read_frames(path, [pts[20]])[0])


def test_repeated_stamps_give_repeated_frames(made: Callable[[str], Path]) -> None:
    pts = index_frames(read_packets(made("vfr"))).pts.tolist()
    a, b, c = read_frames(made("vfr"), [pts[9], pts[2], pts[9]])
    assert np.array_equal(a, c)
    assert not np.array_equal(a, b)


def test_real_videos_index_and_read_as_they_decode(shared: Path) -> None:
    paths = [p for p in sorted((shared / "data/videos").rglob("*")) if p.suffix in VIDEO_SUFFIXES]
    assert len(paths) >= 27
    seen: set[tuple[str, int]] = set()
    for number, path in enumerate(paths):
        stream = read_packets(path)
        index = index_frames(stream)
        pts = index.pts.tolist()
        # Neighbours too: they lean on each other, and are other kinds of picture.
        start = (7 * number) % max(1, len(pts) // 2)
        wanted = sorted({*pts[start : start + 4], pts[-1], *pts[:: max(1, len(pts) // 3)]})
        decoded, pictures, kinds, fault = decode_some(path, stream.index, set(wanted))
        if path.name == "corrupted.mp4":
            # 50 packets, 28 of which decode: the index says what the container promises.
            assert fault is not None
            assert len(pts) == 50
            assert len(decoded) == 28
            continue
        assert fault is None, path
        assert not index.refusals, path
        assert pts == decoded, path
        seen |= {(stream.codec, kind) for kind in kinds}
        turn = (stream.rotation_deg or 0) // 90
        one = wanted[number % len(wanted)]
        images = [*read_frames(path, wanted), *read_frames(path, [one])]
        for stamp, image in zip([*wanted, one], images, strict=True):
            assert np.array_equal(image, np.rot90(pictures[stamp], -turn)), (path, stamp)
    assert {codec for codec, _ in seen} >= {"h264", "hevc", "vp9", "av1"}
    assert {kind for codec, kind in seen if codec == "h264"} >= {1, 2, 3}  # I, P, B


def test_corrupted_file_reads_up_to_its_fault(shared: Path) -> None:
    path = shared / "data/videos/decord/tests/test_data/corrupted.mp4"
    pts = index_frames(read_packets(path)).pts.tolist()
    decoded, _ = decode(path, 0)
    for stamp, image in zip(pts[:20], read_frames(path, pts[:20]), strict=True):
        assert np.array_equal(image, dict(decoded)[stamp])
    with pytest.raises(VideoError) as caught:
        read_frames(path, pts)
    assert caught.value.reason == "undecodable"
    assert caught.value.stamp in pts[20:32]


@pytest.mark.parametrize("stream", [0, 3])
def test_stamps_equal_published_truth(shared: Path, stream: int) -> None:
    folder = shared / "data/videos/torchcodec/test/resources"
    path = folder / "nasa_13013.mp4"
    truth = json.loads((folder / f"{path.name}.stream{stream}.all_frames_info.json").read_text())
    best = read_packets(path)
    assert best.candidates == (0, 3)
    assert best.index == 3
    if stream == best.index:
        seconds = index_frames(best).pts * best.time_base_num / best.time_base_den
        assert seconds == pytest.approx([float(f["pts_time"]) for f in truth], abs=1e-6)
    else:
        with av.open(str(path)) as container:
            base = container.streams[stream].time_base
        assert base is not None
        wanted = [round(float(truth[i]["pts_time"]) / base) for i in (0, 100, 200)]
        assert len(read_frames(path, wanted, stream=stream)) == 3


@pytest.mark.parametrize(("name", "turn"), [("90", 90), ("180", 180), ("270", 270)])
def test_rotated_real_videos_come_upright(shared: Path, name: str, turn: int) -> None:
    folder = shared / "data/videos/decord/tests/test_data"
    path = folder / f"video_{name}.mov"
    stream = read_packets(path)
    assert stream.rotation_deg == turn
    (image,) = read_frames(path, [0])
    upright = (stream.height_px, stream.width_px)
    assert image.shape[:2] == (upright if turn == 180 else upright[::-1])
    with av.open(str(path)) as container:
        stored = next(container.decode(video=0)).to_ndarray(format="rgb24")
    assert np.array_equal(image, np.rot90(stored, -turn // 90))


def test_codec_is_named_by_the_stream_not_the_decoder(shared: Path) -> None:
    path = shared / "data/videos/torchcodec/test/resources/av1_video.mkv"
    assert read_packets(path).codec == "av1"


def test_stamps_of_one_group_are_read_without_a_second_pass_from_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "groups.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=25, options={"g": "40", "bf": "2"})
        stream.width, stream.height, stream.pix_fmt = 64, 64, "yuv420p"
        for number in range(120):
            picture = np.full((64, 64, 3), 2 * number, np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode())
    pts = index_frames(read_packets(path)).pts.tolist()
    opened: list[int] = []
    opening = video._open

    def counted(file: video.VideoFile) -> Any:
        opened.append(1)
        return opening(file)

    monkeypatch.setattr(video, "_open", counted)
    for first in range(0, 95, 5):
        opened.clear()
        images = read_frames(path, [pts[first], pts[first + 12], pts[first + 20]])
        assert [round(float(image.mean()) / 2) for image in images] == pytest.approx(
            [first, first + 12, first + 20], abs=2
        )
        assert len(opened) == 1, first

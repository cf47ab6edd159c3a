"""Frames of image sequences: pictures in order are the ticks."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from assets.frames.images import frames_of_images
from expectations.contracts import check
from expectations.schemas import TABLES
from expectations.schemas.sampling import SamplingRule, choose_frames

RECORDING = {"source": "s", "recording_id": "r", "time_base": "nominal_fps"}


def images(*pictures: tuple[int, float | None]) -> pl.DataFrame:
    return TABLES["images"].frame(
        {
            "source": "s",
            "recording_id": "r",
            "source_frame": number,
            "path": f"{number:06d}.png",
            "content": str(number),
            "t_s": t_s,
        }
        for number, t_s in pictures
    )


def test_ticks_are_pictures_in_order() -> None:
    made = frames_of_images(RECORDING, images((51, 2.0), (1, 0.0), (126, 5.0)))
    assert made.refusals == [] and made.streams.is_empty()
    columns = ("grid", "tick", "t_s", "part", "source_frame", "source_pts", "residual_ms")
    assert made.frames.select(columns).rows() == [
        ("presampled", 0, 0.0, 0, 0, 1, 0.0),
        ("presampled", 1, 2.0, 0, 1, 51, 0.0),
        ("presampled", 2, 5.0, 0, 2, 126, 0.0),
    ]
    checked = check(TABLES["frames"], made.frames, {})
    assert checked.refused == []
    assert_frame_equal(checked.accepted, made.frames, check_row_order=False)


def test_a_sampling_rule_finds_the_pictures() -> None:
    frames = frames_of_images(
        RECORDING, images(*((25 * i + 1, float(i)) for i in range(20)))
    ).frames
    chosen = choose_frames(frames, SamplingRule.parse("every(2)"), 3.0, 13.0)
    assert chosen["source_pts"].to_list() == [76, 126, 176, 226, 276]
    assert chosen["residual_ms"].to_list() == [0.0] * 5


@pytest.mark.parametrize(
    ("changed", "pictures", "rule"),
    [
        ({}, [(1, 0.0), (2, None)], "picture_without_time"),
        ({"time_base": "index_only"}, [], "no_picture"),
        ({}, [(1, 0.0), (2, 0.0)], "times_do_not_rise"),
        ({}, [(1, 1.0), (2, 0.5)], "times_do_not_rise"),
        ({}, [], "no_picture"),
    ],
)
def test_what_has_no_time_is_refused(
    changed: dict[str, Any], pictures: list[tuple[int, float | None]], rule: str
) -> None:
    made = frames_of_images({**RECORDING, **changed}, images(*pictures))
    assert made.frames.is_empty()
    (said,) = made.refusals
    assert (said["rule"], said["recording_id"]) == (rule, "r")
    assert said["remedy"]


def test_pictures_that_only_have_an_order_make_no_frames_and_are_no_fault() -> None:
    made = frames_of_images({**RECORDING, "time_base": "index_only"}, images((1, None), (2, None)))
    assert made.frames.is_empty() and made.refusals == []

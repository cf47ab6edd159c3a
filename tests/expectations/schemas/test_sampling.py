"""Which frames a protocol sends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from expectations.schemas.sampling import (
    NoFrameError,
    SamplingRule,
    ShownFrames,
    choose_frames,
    wanted_times,
)


@pytest.mark.parametrize(
    ("rule", "start_s", "end_s", "times"),
    [
        ("midpoints(4)", 10.0, 18.0, [11.0, 13.0, 15.0, 17.0]),
        ("midpoints(1)", 10.0, 18.0, [14.0]),
        ("endpoints(3)", 10.0, 18.0, [10.0, 14.0, 18.0]),
        # The last frame is the current observation (EgoProx 4.1).
        ("endpoints(1)", 10.0, 18.0, [18.0]),
        # Every 2 s from the start of the clip, the end left out (EgoCross, 0.5 fps).
        ("every(2)", 10.0, 15.0, [10.0, 12.0, 14.0]),
        ("every(2)", 10.0, 14.0, [10.0, 12.0]),
        ("every(0.1)", 0.0, 0.3, [0.0, 0.1, 0.2]),
        ("every(5)", 10.0, 12.0, [10.0]),
    ],
)
def test_wanted_times(rule: str, start_s: float, end_s: float, times: list[float]) -> None:
    assert wanted_times(SamplingRule.parse(rule), start_s, end_s) == pytest.approx(times)


def test_given_times_are_sorted_and_must_lie_inside() -> None:
    rule = SamplingRule.parse("given")
    assert wanted_times(rule, 0.0, 9.0, [7.0, 2.0]) == [2.0, 7.0]
    for times in ([], [9.5]):
        with pytest.raises(ValueError, match="inside the clip"):
            wanted_times(rule, 0.0, 9.0, times)


@pytest.mark.parametrize(("start_s", "end_s"), [(5.0, 5.0), (6.0, 5.0), (0.0, float("nan"))])
def test_empty_clips_are_refused(start_s: float, end_s: float) -> None:
    with pytest.raises(ValueError, match="empty or not finite"):
        wanted_times(SamplingRule.parse("midpoints(2)"), start_s, end_s)


@pytest.mark.parametrize(
    "text",
    ["midpoints", "midpoints(0)", "midpoints(2.5)", "every(0)", "every", "given(3)", "8 frames"],
)
def test_bad_rules_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="sampling rule"):
        SamplingRule.parse(text)


@pytest.mark.parametrize("text", ["midpoints(8)", "endpoints(2)", "every(0.5)", "given"])
def test_rules_read_back_as_written(text: str) -> None:
    assert str(SamplingRule.parse(text)) == text


def _vfr() -> pl.DataFrame:
    # Variable rate: 1 s gaps, then a burst, then a long gap; pts in 1/90000 s.
    times = [0.0, 1.0, 2.0, 2.1, 2.2, 2.3, 6.0]
    return pl.DataFrame(
        {
            "t_s": times,
            "part": [0, 0, 0, 0, 1, 1, 1],
            "source_frame": list(range(7)),
            "source_pts": [round(t * 90000) for t in times],
        }
    )


def test_nearest_in_time_not_by_index() -> None:
    chosen = choose_frames(_vfr(), SamplingRule.parse("midpoints(3)"), 0.0, 6.0)
    # 1, 3 and 5 s; by `index = t * average_fps` (7 / 6) these would be the frames 1, 3 and 5.
    assert chosen["source_frame"].to_list() == [1, 5, 6]
    assert chosen["part"].to_list() == [0, 1, 1]
    assert chosen["residual_ms"].to_list() == pytest.approx([0.0, -700.0, 1000.0])


def test_equally_near_takes_the_earlier() -> None:
    chosen = choose_frames(_vfr(), SamplingRule.parse("midpoints(1)"), 0.0, 3.0)
    assert chosen["source_frame"].to_list() == [1 if abs(1.5 - 1.0) <= abs(2.0 - 1.5) else 2]
    assert chosen["t_s"].to_list() == [1.0]


def test_a_clip_never_shows_what_lies_outside() -> None:
    # 2.15..2.35: the frames at 2.1 and 6.0 are outside although 2.1 is nearest to the start.
    chosen = choose_frames(_vfr(), SamplingRule.parse("endpoints(2)"), 2.15, 2.35)
    assert chosen["t_s"].to_list() == [2.2, 2.3]


def test_a_clip_without_frames_says_so() -> None:
    with pytest.raises(NoFrameError, match=r"2\.400\.\.5\.900 s.*6\.0 s.*check the segment"):
        choose_frames(_vfr(), SamplingRule.parse("midpoints(8)"), 2.4, 5.9)


def test_promised_number_of_frames_even_if_shared() -> None:
    chosen = choose_frames(_vfr(), SamplingRule.parse("midpoints(4)"), 2.0, 2.3)
    assert len(chosen) == 4


def test_ticks_are_read_at_the_time_of_their_source_frame() -> None:
    # 25 fps ticks over a 10 fps source: ticks 0..2 share a frame, and 0.08 shows the frame at 0.1.
    ticks = pl.DataFrame(
        {
            "t_s": [0.0, 0.04, 0.08, 0.12],
            "part": 0,
            "source_frame": [0, 0, 1, 1],
            "source_pts": [0, 0, 100, 100],
            "residual_ms": pl.Series([0.0, -40.0, 20.0, -20.0], dtype=pl.Float32),
        }
    )
    chosen = choose_frames(ticks, SamplingRule.parse("endpoints(2)"), 0.0, 0.1)
    assert chosen["source_pts"].to_list() == [0, 100]
    assert chosen["t_s"].to_list() == pytest.approx([0.0, 0.1], abs=1e-6)


@given(
    gaps=st.lists(st.floats(0.001, 2.0), min_size=1, max_size=40),
    n=st.integers(1, 12),
    cut=st.tuples(st.floats(0, 1), st.floats(0, 1)),
)
def test_chosen_frame_is_the_nearest_of_the_clip(
    gaps: list[float], n: int, cut: tuple[float, float]
) -> None:
    times: list[float] = [0.0]
    for gap in gaps:
        times.append(times[-1] + gap)
    frames = pl.DataFrame(
        {
            "t_s": times,
            "part": 0,
            "source_frame": range(len(times)),
            "source_pts": range(len(times)),
        }
    )
    start_s, end_s = sorted(c * times[-1] for c in cut)
    inside = [t for t in times if start_s <= t <= end_s]
    if end_s - start_s < 1e-3 or not inside:
        return
    rule = SamplingRule("midpoints", n=n)
    chosen = choose_frames(frames, rule, start_s, end_s)
    for wanted, t in zip(wanted_times(rule, start_s, end_s), chosen["t_s"], strict=True):
        assert abs(t - wanted) <= min(abs(t2 - wanted) for t2 in inside) + 1e-9


# --- frames that are chosen from many times -------------------------------------------------------


@st.composite
def _recordings(draw: st.DrawFn) -> pl.DataFrame:
    """Frames in order or not, ticks that share a source frame, near in time or (a fault) far."""
    n = draw(st.integers(1, 60))
    fps = draw(st.sampled_from((1, 5, 25)))
    numbers = draw(st.lists(st.integers(0, n), min_size=n, max_size=n))
    if draw(st.booleans()):
        numbers.sort()
    columns: dict[str, Any] = {
        "t_s": [i / fps for i in range(n)],
        "part": draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)),
        "source_frame": numbers,
        "source_pts": [512 * number for number in numbers],
    }
    if draw(st.booleans()):
        noise = st.floats(-20, 20, allow_nan=False, width=32)
        columns["residual_ms"] = draw(st.lists(noise, min_size=n, max_size=n))
    if draw(st.booleans()):
        columns["grid"] = draw(
            st.lists(st.sampled_from(("native", "cfr25")), min_size=n, max_size=n)
        )
    made = pl.DataFrame(columns)
    return made.with_columns(pl.col("^residual_ms$").cast(pl.Float32))


@given(
    _recordings(),
    st.sampled_from(
        ("midpoints(8)", "endpoints(1)", "endpoints(5)", "every(0.3)", "every(2)", "given")
    ),
    st.lists(
        st.tuples(st.floats(-1, 20), st.sampled_from((0.0, 1e-5, 0.3, 4.0))), min_size=1, max_size=5
    ),
)
def test_frames_put_in_order_once_give_every_clip_what_it_gets_alone(
    frames: pl.DataFrame, rule: str, clips: list[tuple[float, float]]
) -> None:
    shown, parsed = ShownFrames(frames), SamplingRule.parse(rule)
    for start_s, length_s in clips:
        asked = parsed, start_s, start_s + length_s, (start_s,) if rule == "given" else ()
        alone, fault = _outcome(lambda asked=asked: choose_frames(frames, *asked))
        among, same_fault = _outcome(lambda asked=asked: shown.choose(*asked).frame())
        assert fault == same_fault
        if alone is not None and among is not None:
            assert_frame_equal(among, alone, check_exact=True)


def _outcome(choose: Callable[[], pl.DataFrame]) -> tuple[pl.DataFrame | None, str]:
    try:
        return choose(), ""
    except ValueError as error:
        return None, repr(error)

"""Which frames of a clip a protocol sends.

The rule is part of the protocol's name, since it decides what a model can see: EgoExoBench takes
the midpoints of n equal parts, EgoProx n frames whose last one is the current observation, EgoCross
one frame every 2 s from the start. A wanted time becomes the presented frame nearest in *time*;
`index = t * average_fps` lands up to a second away on variable-rate video.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import polars as pl

RuleKind = Literal["midpoints", "endpoints", "every", "given"]
BOTH_ENDS = "endpoints"
"""Rule of a medium that must be shown to its ends: as many frames as the protocol sends."""

_RULE = re.compile(r"(midpoints|endpoints|every|given)(?:\(([0-9.]+)\))?")
# Annotated times and stamps are both floats in seconds: what differs by less is the same instant.
_SAME_INSTANT_S = 1e-6
# A given instant is one a question speaks about: a frame further off does not show it.
_GIVEN_REACH_S = 0.5
# Where a recording has several grids, the one nearest to its presented frames is read.
_GRIDS = ("native", "cfr25", "presampled")
IN_ORDER = "order"
"""Grid of pictures that have an order and no times: their place in it stands for seconds."""

CHOSEN_SCHEMA = pl.Schema(
    {
        "wanted_s": pl.Float64(),
        "t_s": pl.Float64(),
        "part": pl.Int64(),
        "source_frame": pl.Int64(),
        "source_pts": pl.Int64(),
        "residual_ms": pl.Float64(),
    }
)


class NoFrameError(ValueError):
    """The clip holds no frame to send; the message names the clip, the rule and the remedy."""


@dataclass(frozen=True, slots=True)
class SamplingRule:
    """A sampling rule.

    Attributes:
        kind: `midpoints` and `endpoints` of n, `every` s seconds from the start, or `given` times.
        n: Frames per clip (`midpoints`, `endpoints`).
        every_s: Spacing in seconds (`every`).
    """

    kind: RuleKind
    n: int | None = None
    every_s: float | None = None

    def __post_init__(self) -> None:
        if self.kind in ("midpoints", "endpoints") and (self.n is None or self.n < 1):
            raise ValueError(f"sampling rule {self.kind} needs n >= 1, has n = {self.n}")
        if self.kind == "every" and not (self.every_s is not None and self.every_s > 0):
            raise ValueError(f"sampling rule every needs s > 0, has s = {self.every_s}")

    @classmethod
    def parse(cls, text: str) -> SamplingRule:
        """A rule as protocols write it: `midpoints(8)`, `endpoints(8)`, `every(2)`, `given`.

        Raises:
            ValueError: The text is not a rule.
        """
        found = _RULE.fullmatch(text.strip())
        if found is None:
            raise ValueError(
                f"sampling rule {text!r} is not one of midpoints(n), endpoints(n), every(s), given"
            )
        kind, number = found[1], found[2]
        if kind == "midpoints" or kind == "endpoints":
            if number is None or not number.isdigit():
                raise ValueError(f"sampling rule {text!r} needs a whole number of frames")
            return cls(kind, n=int(number))
        if kind == "every":
            return cls("every", every_s=None if number is None else float(number))
        if number is not None:
            raise ValueError(f"sampling rule {text!r}: given takes its times from the question")
        return cls("given")

    def __str__(self) -> str:
        if self.kind == "given":
            return "given"
        number = self.n if self.every_s is None else f"{self.every_s:g}"
        return f"{self.kind}({number})"


def wanted_times(
    rule: SamplingRule, start_s: float, end_s: float, given_s: Sequence[float] = ()
) -> list[float]:
    """Times the rule asks for, ascending, in seconds from the recording's start.

    Args:
        rule: The rule.
        start_s: Start of the clip.
        end_s: End of the clip; `every` stops before it, `endpoints` includes it. `endpoints(1)` is
            the end alone: the current observation.
        given_s: Times of the question, for the rule `given`.

    Raises:
        ValueError: The clip is empty or not finite, or `given` has no times or times outside it.
    """
    # An image is an instant; its time is given.
    fits = end_s >= start_s if rule.kind == "given" else end_s > start_s
    if not (math.isfinite(start_s) and math.isfinite(end_s) and fits):
        raise ValueError(f"clip {start_s}..{end_s} s is empty or not finite: correct its segment")
    length = end_s - start_s
    if rule.kind == "midpoints" and rule.n is not None:
        return [start_s + (i + 0.5) * length / rule.n for i in range(rule.n)]
    if rule.kind == "endpoints" and rule.n is not None:
        if rule.n == 1:
            return [end_s]
        return [start_s + i * length / (rule.n - 1) for i in range(rule.n)]
    if rule.kind == "every" and rule.every_s is not None:
        count = max(1, math.ceil(length / rule.every_s - _SAME_INSTANT_S))
        return [start_s + i * rule.every_s for i in range(count)]
    border_s = _SAME_INSTANT_S
    outside = [t for t in given_s if not start_s - border_s <= t <= end_s + border_s]
    if outside or not given_s:
        raise ValueError(
            f"sampling rule given needs times inside the clip {start_s}..{end_s} s, has {given_s}"
        )
    return sorted(given_s)


def choose_frames(
    frames: pl.DataFrame,
    rule: SamplingRule,
    start_s: float,
    end_s: float,
    given_s: Sequence[float] = (),
) -> pl.DataFrame:
    """Frames the rule sends of a clip, one row per wanted time.

    Only frames presented inside the clip are chosen (ends included), so that a forecasting clip
    never shows what comes after it; the instant of an image takes the frame nearest to it. Two
    wanted times may share a frame; both rows stay where the rule promised n frames, and one where
    it is a rate (`every`): a source of fewer frames has no more to show. Equally near frames: the
    earlier one.

    Args:
        frames: Ticks or native frames of one recording with `t_s`, `part`, `source_frame`,
            `source_pts`; where `residual_ms` is there too, `t_s` is a tick and its source frame
            was presented at `t_s + residual_ms / 1000`; where `grid` is there, one grid is read.
        rule: The rule.
        start_s: Start of the clip.
        end_s: End of the clip.
        given_s: Times of the question, for the rule `given`.

    Returns:
        `wanted_s`, `t_s` (of the chosen frame), `part`, `source_frame`, `source_pts`,
        `residual_ms` (chosen minus wanted time).

    Raises:
        NoFrameError: No frame is presented inside the clip, or none near a given instant.
        ValueError: See `wanted_times`.
    """
    frames = one_grid(frames)
    times_s = wanted_times(rule, start_s, end_s, given_s)
    # A recording has hours, a clip seconds: what lies apart from it is left out first.
    near = _shown(frames).filter(pl.col("t_s").is_between(start_s - _NEAR_S, end_s + _NEAR_S))
    return _choose(_in_order(near), frames, rule, times_s, start_s, end_s).frame()


_NEAR_S = 1.0


@dataclass(frozen=True, slots=True)
class Chosen:
    """Frames that are sent of a clip, one item per frame.

    Attributes:
        wanted_s: Time that the rule asked for.
        t_s: Time at which the chosen frame is presented.
        part: Media part.
        source_frame: Number of the frame.
        source_pts: Its stamp.
    """

    wanted_s: tuple[float, ...]
    t_s: tuple[float, ...]
    part: tuple[int, ...]
    source_frame: tuple[int, ...]
    source_pts: tuple[int, ...]

    def frame(self) -> pl.DataFrame:
        """The same as a table of `CHOSEN_SCHEMA`, as `choose_frames` returns it."""
        columns = {name: getattr(self, name) for name in CHOSEN_SCHEMA if name != "residual_ms"}
        off_ms = (np.asarray(self.t_s) - np.asarray(self.wanted_s)) * 1000
        return pl.DataFrame(
            {**columns, "residual_ms": off_ms}, schema_overrides=CHOSEN_SCHEMA
        ).select(*CHOSEN_SCHEMA)


class ShownFrames:
    """Frames of one recording, put in order once and chosen from many times.

    Attributes:
        frames: Ticks or native frames, as `choose_frames` takes them.
    """

    def __init__(self, frames: pl.DataFrame) -> None:
        self.frames = frames

    @classmethod
    def of(cls, frames: pl.DataFrame | ShownFrames) -> ShownFrames:
        """The frames of a recording, whatever they are given as."""
        return frames if isinstance(frames, ShownFrames) else cls(frames)

    @cached_property
    def rates(self) -> Rates:
        """Rates of the recording (see `rates_of`)."""
        return rates_of(self.frames)

    def choose(
        self, rule: SamplingRule, start_s: float, end_s: float, given_s: Sequence[float] = ()
    ) -> Chosen:
        """Frames the rule sends of a clip: those of `choose_frames`, which see."""
        times_s = wanted_times(rule, start_s, end_s, given_s)
        ordered = self._ordered
        if ordered is None:
            near = _shown(self._grid).filter(
                pl.col("t_s").is_between(start_s - _NEAR_S, end_s + _NEAR_S)
            )
            ordered = _in_order(near)
        return _choose(ordered, self._grid, rule, times_s, start_s, end_s)

    def choose_of_medium(self, medium: Mapping[str, Any], default: SamplingRule) -> Chosen:
        """Frames sent of one medium of a question: those of `choose_of_medium`, which see."""
        rule = rule_of(medium, default)
        return self.choose(rule, medium["start_s"], medium["end_s"], instants_of(medium))

    @cached_property
    def _grid(self) -> pl.DataFrame:
        return one_grid(self.frames)

    @cached_property
    def _ordered(self) -> _Ordered | None:
        """All frames in order; None where a clip's neighbourhood decides which row stands for a frame.

        The first row of a source frame stands for it. Where all rows of a frame lie within the
        neighbourhood of any clip that shows one of them, that row is the same for every clip.
        """
        shown = _shown(self._grid)
        if not shown["t_s"].is_finite().all() or shown["t_s"].has_nulls():
            return None
        spread = shown.group_by("part", "source_pts").agg(
            (pl.col("t_s").max() - pl.col("t_s").min()).alias("s")
        )["s"]
        widest = spread.max()
        if isinstance(widest, float) and widest > _NEAR_S - _GIVEN_REACH_S - _SAME_INSTANT_S:
            return None
        return _in_order(shown)


@dataclass(frozen=True, slots=True)
class _Ordered:
    """Source frames by the time they are presented, one item each."""

    t_s: np.ndarray
    part: np.ndarray
    source_frame: np.ndarray
    source_pts: np.ndarray


def _shown(frames: pl.DataFrame) -> pl.DataFrame:
    """Frames of one grid with the time at which each is presented."""
    shown = (
        pl.col("t_s") + pl.col("residual_ms").cast(pl.Float64) / 1000
        if "residual_ms" in frames.columns
        else pl.col("t_s")
    )
    return frames.select(shown.alias("t_s"), "part", "source_frame", "source_pts")


def _in_order(shown: pl.DataFrame) -> _Ordered:
    # Ticks that share a source frame carry its time twice, with float noise from the residual:
    # one row per source frame.
    native = shown.unique(subset=["part", "source_pts"], keep="first", maintain_order=True).sort(
        "t_s", "part", "source_pts"
    )
    return _Ordered(*(native[name].to_numpy() for name in native.columns))


def _choose(
    native: _Ordered,
    frames: pl.DataFrame,
    rule: SamplingRule,
    wanted_s: Sequence[float],
    start_s: float,
    end_s: float,
) -> Chosen:
    """Frames nearest to the wanted times, of those presented inside the clip."""
    # Residuals are stored in float32 ms: a frame at the very border must not fall out by rounding.
    border_s = 1e-4 if "residual_ms" in frames.columns else _SAME_INSTANT_S
    if rule.kind == "given" and end_s - start_s < border_s:
        border_s = _GIVEN_REACH_S
    first = int(np.searchsorted(native.t_s, start_s - border_s, side="left"))
    end = int(np.searchsorted(native.t_s, end_s + border_s, side="right"))
    if first >= end:
        last = _shown(frames)["t_s"].max()
        raise NoFrameError(
            f"no frame is presented inside the clip {start_s:.3f}..{end_s:.3f} s"
            f" (last frame at {last} s): check the segment's times against the recording"
        )
    times = native.t_s[first:end]
    sought_s = np.asarray(wanted_s, dtype=np.float64)
    right = np.clip(np.searchsorted(times, sought_s), 0, len(times) - 1)
    left = np.maximum(right - 1, 0)
    nearest = np.where(
        np.abs(times[left] - sought_s) <= np.abs(times[right] - sought_s), left, right
    )
    off_s = times[nearest] - sought_s
    if rule.kind == "given" and (np.abs(off_s) > _GIVEN_REACH_S).any():
        worst = int(np.argmax(np.abs(off_s)))
        raise NoFrameError(
            f"no frame within {_GIVEN_REACH_S} s of the given instant {sought_s[worst]:.3f} s (nearest"
            f" at {times[nearest[worst]]:.3f} s): give instants that the recording shows"
        )
    if rule.kind == "every":
        # Source frames are there once: the first time that a frame is nearest to is kept.
        nearest, kept = np.unique(nearest, return_index=True)
        sought_s = sought_s[kept]
    at = nearest + first
    return Chosen(
        tuple(sought_s.tolist()),
        *(
            tuple(column[at].tolist())
            for column in (native.t_s, native.part, native.source_frame, native.source_pts)
        ),
    )


def rule_of(medium: Mapping[str, Any], default: SamplingRule) -> SamplingRule:
    """The rule a medium is sampled by: its own where it names one, else the protocol's.

    An image is one instant under any protocol. `endpoints` without a number is the question's need to
    show its first and its last frame; how many frames are sent stays with the protocol.

    Raises:
        ValueError: The medium's rule is unknown, or it is empty where frames must be counted.
    """
    own = medium.get("sampling")
    if not own and medium.get("media_kind") == "image":
        return SamplingRule("given")
    if own == BOTH_ENDS:
        return SamplingRule("endpoints", n=_count(medium, default))
    return SamplingRule.parse(own) if own else default


def _count(medium: Mapping[str, Any], rule: SamplingRule) -> int:
    """How many frames a protocol's rule sends of a medium, both ends included."""
    if rule.n is not None:
        return rule.n
    if rule.every_s is not None:
        # As densely as the rule says, with a frame more at the end.
        return 1 + len(wanted_times(rule, medium["start_s"], medium["end_s"]))
    return max(2, len(instants_of(medium)))


def instants_of(medium: Mapping[str, Any]) -> tuple[float, ...]:
    """Instants the rule `given` sends of a medium; of an image that names none, its start."""
    times = tuple(medium.get("times_s") or ())
    if not times and medium.get("media_kind") == "image":
        return (medium["start_s"],)
    return times


def choose_of_medium(
    frames: pl.DataFrame, medium: Mapping[str, Any], default: SamplingRule
) -> pl.DataFrame:
    """Frames sent of one medium of a question, under a protocol whose rule is `default`.

    Args:
        frames: As `choose_frames` takes them.
        medium: Struct of `questions.media`: `start_s`, `end_s`, `sampling`, `times_s`.
        default: The protocol's rule.

    Raises:
        NoFrameError: See `choose_frames`.
        ValueError: See `choose_frames` and `rule_of`.
    """
    return choose_frames(
        frames,
        rule_of(medium, default),
        medium["start_s"],
        medium["end_s"],
        instants_of(medium),
    )


def one_grid(frames: pl.DataFrame) -> pl.DataFrame:
    """Rows of one grid of a recording's frames; all rows where they name none."""
    if "grid" not in frames.columns:
        return frames
    there = set(frames["grid"].unique())
    best = next((grid for grid in _GRIDS if grid in there), None)
    return frames if best is None else frames.filter(pl.col("grid") == best)


def frames_in_order(images: pl.DataFrame) -> pl.DataFrame:
    """Pictures without times, as frames to choose from: the i-th stands at "second" i.

    Args:
        images: Rows of `images` of one recording.
    """
    ordered = images.sort("source_frame")
    places = pl.int_range(ordered.height, eager=True)
    return ordered.select(
        "recording_id",
        pl.lit(IN_ORDER).alias("grid"),
        places.cast(pl.Float64).alias("t_s"),
        pl.lit(0, dtype=pl.Int64).alias("part"),
        places.alias("source_frame"),
        pl.col("source_frame").alias("source_pts"),
    )


def is_in_order(frames: pl.DataFrame) -> bool:
    """Whether frames are pictures in an order, without times."""
    return "grid" in frames.columns and not frames.is_empty() and frames["grid"][0] == IN_ORDER


@dataclass(frozen=True, slots=True)
class Rates:
    """Rates of a recording, in frames per second; None where too few frames tell.

    Attributes:
        original_fps: Of the video the frames come from.
        presampled_fps: Of the frames that are there, where a dataset ships sampled images.
    """

    original_fps: float | None
    presampled_fps: float | None


def rates_of(frames: pl.DataFrame) -> Rates:
    """Rates of a recording, from its frames.

    A video's frames are counted by `source_frame`; images that a dataset sampled carry the number
    of the original frame as their stamp (`source_pts`).
    """
    grid = one_grid(frames)
    if is_in_order(frames):
        return Rates(None, None)
    sampled = "grid" in grid.columns and not grid.is_empty() and grid["grid"][0] == "presampled"
    number = "source_pts" if sampled else "source_frame"
    shown = grid.sort("t_s").select("t_s", number)
    if shown.height < 2:
        return Rates(None, None)
    length_s = shown["t_s"][-1] - shown["t_s"][0]
    counted = shown[number][-1] - shown[number][0]
    original = round(counted / length_s, 2) if length_s > 0 and counted > 0 else None
    gap_s = shown["t_s"].diff().drop_nulls().median()
    every_s = float(gap_s) if isinstance(gap_s, (int, float)) else 0.0
    return Rates(original, round(1 / every_s, 2) if sampled and every_s > 0 else None)

"""Parts of frames that a model is shown: around the gaze, around the middle, or all of them.

EgoBridge (Sections 4.2.1, 4.2.2 and 6.1.2) replaces or accompanies egocentric video by video "spatially
cropped ... based on the gaze positions", with a centre crop as its control; "for exocentric videos,
we simply input the original video". It prints no size. Ours is a square half as wide as the
picture's short side, around the mean gaze of the tick that shows the frame, shifted inside the
picture; the centre crop is as large.

A frame without gaze takes the nearest tick of its clip that has one, if that is near enough, and
else the middle; every crop says which (`Crop.by`), and so does the recipe of what was sent.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import polars as pl

from expectations.schemas.sampling import NoFrameError, SamplingRule, choose_frames

CropKind = Literal["full", "centre", "gaze"]
KINDS = ("full", "centre", "gaze")
SHARE = 0.5
"""Side of the square over the picture's short side."""
GAZE_REACH_S = 0.4
"""Gaze this far from a frame in time may stand in for it: a blink lasts up to about 0.4 s."""
_MIDDLE = 0.5
# Stamps are floats; what differs by less is the same instant.
_BORDER_S = 1e-4
_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Crop:
    """A square part of one frame.

    Attributes:
        by: `gaze` of the tick that shows the frame, `near_gaze` of another tick of the clip, or
            `centre`.
        x: Point it lies around, over the picture's width.
        y: The same, over its height.
    """

    by: Literal["gaze", "near_gaze", "centre"]
    x: float
    y: float

    def box_px(self, width: int, height: int) -> tuple[int, int, int, int]:
        """Left, top, right, bottom in pixels of the upright picture; right and bottom excluded."""
        side = max(1, math.floor(SHARE * min(width, height) + 0.5))
        left = math.floor(self.x * width - side / 2 + 0.5)
        top = math.floor(self.y * height - side / 2 + 0.5)
        left, top = min(max(left, 0), width - side), min(max(top, 0), height - side)
        return left, top, left + side, top + side

    def recipe(self) -> list[str | float]:
        """What decides the pixels, for the recipe of what was sent."""
        return [self.by, self.x, self.y]


CENTRE = Crop("centre", _MIDDLE, _MIDDLE)


def rule_of_crop(kind: CropKind) -> str | None:
    """The rule in words that go into a recipe; null for whole frames."""
    if kind == "gaze":
        return f"gaze({SHARE:g}, {GAZE_REACH_S:g} s)"
    return f"centre({SHARE:g})" if kind == "centre" else None


def cut(image: np.ndarray, crop: Crop) -> np.ndarray:
    """The part of a picture [height, width, ...] that a crop keeps."""
    left, top, right, bottom = crop.box_px(image.shape[1], image.shape[0])
    return np.ascontiguousarray(image[top:bottom, left:right])


def place_crops(
    kind: CropKind,
    view: str,
    frames: pl.DataFrame,
    chosen: pl.DataFrame,
    start_s: float,
    end_s: float,
) -> tuple[Crop, ...]:
    """A crop per frame sent; empty where frames are sent whole.

    Only egocentric frames are cropped. Every gaze used is of a tick of the same clip, so that a
    forecasting clip tells nothing of what comes after it; a clip of no length is one picture, and
    any tick that shows it tells.

    Args:
        kind: What is cropped around.
        view: `ego` or `exo`.
        frames: Rows of `frames` of the recording, with `gaze_x` and `gaze_y` for kind `gaze`.
        chosen: Frames sent, as `choose_frames` gives them.
        start_s: Start of the clip.
        end_s: End of the clip.

    Raises:
        ValueError: The view or kind is not known.
    """
    if view not in ("ego", "exo") or kind not in KINDS:
        raise ValueError(f"crop {kind!r} of view {view!r} is not known")
    if kind == "full" or view == "exo":
        return ()
    if kind == "centre":
        return (CENTRE,) * chosen.height
    # All grids: gaze lies on the constant one, frames may be chosen from another.
    gazed = (
        frames.filter(
            pl.col("gaze_x").is_finite()
            & pl.col("gaze_y").is_finite()
            & pl.col("t_s").is_between(start_s - 1, end_s + 1)
        )
        .select("t_s", "part", "source_pts", "gaze_x", "gaze_y")
        .sort("t_s", "part", "source_pts")
    )
    times = gazed["t_s"].to_numpy()
    inside = (times >= start_s - _BORDER_S) & (times <= end_s + _BORDER_S)
    shows: dict[tuple[int, int], list[int]] = {}
    for at, frame in enumerate(gazed.select("part", "source_pts").iter_rows()):
        # An instant rarely is a tick's own: there the tick that shows the picture tells.
        if inside[at] or start_s == end_s:
            shows.setdefault(frame, []).append(at)
    points = gazed.select("gaze_x", "gaze_y")

    def crop_of(part: int, pts: int, t_s: float) -> Crop:
        own = shows.get((part, pts))
        at = own if own is not None else np.flatnonzero(inside).tolist()
        if not at:
            return CENTRE
        best = min(at, key=lambda i: abs(times[i] - t_s))  # the earlier of two
        if own is None and abs(times[best] - t_s) > GAZE_REACH_S + _BORDER_S:
            return CENTRE
        x, y = points.row(best)
        by = "gaze" if own is not None else "near_gaze"
        return Crop(by, round(float(x), _DIGITS), round(float(y), _DIGITS))

    return tuple(crop_of(*row) for row in chosen.select("part", "source_pts", "t_s").iter_rows())


def item_recipe(
    item: Mapping[str, Any],
    frames: Mapping[str, pl.DataFrame],
    views: Mapping[str, str],
    rule: SamplingRule,
    kind: CropKind,
) -> dict[str, Any]:
    """What is shown of an item of a task's set: frames, and the crop of each.

    The references given with an item are shown like it, each by the rule of its own view.

    Args:
        item: Row of `task_sets`, as `iter_rows(named=True)` gives it.
        frames: Rows of `frames` per recording id.
        views: `ego` or `exo` per recording id.
        rule: Frames per clip.
        kind: What is cropped around.

    Returns:
        `crop` (the rule in words, null for whole frames), `sampling`, and `clips`: per clip
        `role`, `recording_id`, `start_s`, `end_s`, `frames` (part and stamp of each), `times_s`,
        and `crops` (see `Crop.recipe`), null where frames are shown whole. A canonical JSON of it
        is a key: it changes with the gaze of a gaze crop, and of no other.

    Raises:
        NoFrameError: A clip holds no frame.
        KeyError: Frames or view of a recording were not given.
    """
    shown = [("query", item), *(("reference", r) for r in item.get("references") or ())]
    clips = []
    for role, clip in shown:
        uid = clip["recording_id"]
        start_s = 0.0 if clip["start_s"] is None else clip["start_s"]
        end_s = clip["end_s"]
        if end_s is None:
            if frames[uid].is_empty():
                raise NoFrameError(f"recording {uid} has no frame: item {item['item_id']}")
            end_s = frames[uid].select(pl.col("t_s").max()).item()
        try:
            # An item of no length is one instant under any rule, as an image is.
            instant = (start_s,) if end_s == start_s else ()
            used = SamplingRule("given") if instant else rule
            chosen = choose_frames(frames[uid], used, start_s, end_s, instant)
        except NoFrameError:
            raise
        except ValueError as cause:
            raise NoFrameError(f"item {item['item_id']} cannot be shown: {cause}") from cause
        crops = place_crops(kind, views[uid], frames[uid], chosen, start_s, end_s)
        clips.append(
            {
                "role": role,
                "recording_id": uid,
                "start_s": start_s,
                "end_s": end_s,
                "frames": [list(row) for row in chosen.select("part", "source_pts").iter_rows()],
                "times_s": chosen["t_s"].to_list(),
                "crops": [crop.recipe() for crop in crops] or None,
            }
        )
    return {"crop": rule_of_crop(kind), "sampling": str(rule), "clips": clips}

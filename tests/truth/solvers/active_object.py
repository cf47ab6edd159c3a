"""Tells what the wearer acts on in the last picture of a clip, from its pixels alone.

A hand on a handle acts on what the handle belongs to, whatever the other hand carries; else the
thing that a hand touches is acted on; else the furniture under a hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from scipy import ndimage

from resources.worlds.flat import KINDS, Camera, Pose, furniture
from tests.truth.solvers.flat_sight import (
    Image,
    Point,
    camera_of,
    names,
    numbers,
    on_plane,
    patches,
    stand,
)

Frame = tuple[float, Image]
Rank = tuple[float, float]
SIDES = ("left", "right")
NOWHERE = 3
# Shares of the picture's width.
ON_HANDLE = 0.055
BESIDE = 0.02


def solve(options: Sequence[str], frames: Sequence[Frame]) -> int | None:
    """Index of the option that the last frame shows in use; None where it shows none.

    Args:
        options: Names of things and furniture.
        frames: Frames of the clip in time order.
    """
    ranks = touches(options, look(frames[-1]), SIDES)
    best = min(range(len(options)), key=lambda i: ranks[i])
    return best if ranks[best][0] < NOWHERE else None


@dataclass(frozen=True)
class Look:
    """What a frame shows: a number per pixel, and where one stands, if that can be told."""

    seen: np.ndarray
    camera: Camera
    pose: Pose | None


def look(frame: Frame) -> Look:
    """What a frame shows."""
    image = frame[1]
    seen, camera = numbers(image), camera_of(image)
    return Look(seen, camera, stand(patches(seen, least=4), camera))


def touches(options: Sequence[str], shown: Look, sides: Sequence[str]) -> list[Rank]:
    """How closely some hands touch each option in a frame; least is closest, `NOWHERE` not at all.

    Args:
        options: Names of things and furniture.
        shown: What the frame shows.
        sides: Sides of the hands.
    """
    seen, width = shown.seen, shown.seen.shape[1]
    hands = [hand for side in sides if (hand := _hand(seen, side)).any()]
    ranks: list[Rank] = []
    for option in options:
        if not hands:
            ranks.append((NOWHERE, 0.0))
        elif option in KINDS:
            mask = seen == names().index(option)
            told = [_beside(hand, mask) for hand in hands]
            gap, beside = min(gap for gap, _ in told), sum(beside for _, beside in told)
            near = gap < BESIDE * width
            ranks.append((1, beside) if near else (2.5, gap))
        else:
            ranks.append(_furniture(option, hands, shown.pose, shown.camera, width))
    return ranks


def _hand(seen: np.ndarray, side: str) -> np.ndarray:
    """The wearer's hand, or the sleeve where the hand is hidden."""
    hand = seen == names().index(f"P1:{side} hand")
    labels, count = cast("tuple[np.ndarray, int]", ndimage.label(hand))
    sleeve = seen == names().index(f"P1:{side}")
    near = ndimage.binary_dilation(sleeve, iterations=3)
    # Skin without a sleeve is something else.
    own = np.isin(labels, [n for n in range(1, count + 1) if near[labels == n].any()])
    return own if own.sum() >= 4 else sleeve


def _beside(hand: np.ndarray, mask: np.ndarray) -> tuple[float, float]:
    """Least distance of two masks in pixels, and minus the pixels of the second near the first."""
    if not mask.any():
        return 1e9, 0.0
    far = ndimage.distance_transform_edt(~hand)[mask]
    return float(far.min()), -float((far < BESIDE * hand.shape[1]).sum())


def _furniture(
    name: str, hands: list[np.ndarray], pose: Pose | None, camera: Camera, width: int
) -> tuple[float, float]:
    """Rank of a piece of furniture: 0 with a hand on its handle, 2 with a hand above it."""
    piece = furniture().get(name)
    if pose is None or piece is None:
        return NOWHERE, 0.0
    if piece.states:
        local = pose.to_local(np.array(piece.handle))
        if local[2] <= 0:
            return NOWHERE, 0.0
        x, y = camera.project(local)
        gap = min(_far((float(x), float(y)), hand) for hand in hands) / width
        if gap < ON_HANDLE:
            return 0, gap
    (x0, y0, _), (x1, y1, top) = piece.bounds
    for hand in hands:
        rows, columns = np.nonzero(hand)
        at = on_plane(pose, camera, float(columns.mean()), float(rows.min()), top)
        if at is not None and x0 <= at[0] <= x1 and y0 <= at[1] <= y1:
            return 2, 0.0
    return NOWHERE, 0.0


def _far(point: Point, hand: np.ndarray) -> float:
    rows, columns = np.nonzero(hand)
    return float(np.hypot(columns - point[0], rows - point[1]).min())

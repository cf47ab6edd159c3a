"""Tells where a thing rests in a frame, from its pixels alone: by the nearest spot of furniture, or the thing below it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from resources.worlds.flat import KINDS, furniture
from tests.truth.solvers.active_object import Frame, Look, look
from tests.truth.solvers.flat_sight import names

LEAST_PX = 4
BEFORE_S, AFTER_S = 1.2, 0.5
"""So long before and after the moment asked about a thing rests: one second after it is put down it is asked about."""
_BELOW = 0.02
"""Share of the picture's width within which a thing stands on what is below it."""


def solve(thing: str, places: Sequence[str], frames: Sequence[Frame], at_s: float) -> int | None:
    """Index of the place at which a thing is at a time; None if no frame near it shows the thing.

    Args:
        thing: Name of the thing.
        places: Names of furniture and things.
        frames: Frames of the clip.
        at_s: Seconds in the recording.
    """
    near = [frame for frame in frames if -BEFORE_S <= frame[0] - at_s <= AFTER_S]
    seen = [(_pixels(thing, shown), shown) for shown in map(look, near)]
    for _, shown in sorted(seen, key=lambda one: -one[0]):
        found = place_of(thing, places, shown)
        if found is not None:
            return found
    return None


def _pixels(thing: str, shown: Look) -> int:
    return int((shown.seen == names().index(thing)).sum())


def place_of(thing: str, places: Sequence[str], shown: Look) -> int | None:
    """Index of the place at which a frame shows a thing; None if the thing or where one stands is not seen.

    Args:
        thing: Name of the thing.
        places: Names of furniture and things.
        shown: What the frame shows.
    """
    mask = shown.seen == names().index(thing)
    if mask.sum() < LEAST_PX or shown.pose is None:
        return None
    rows, columns = np.nonzero(mask)
    foot = float(columns.mean()), float(rows.max())
    far = [_far(place, foot, shown) for place in places]
    best = min(range(len(places)), key=lambda i: far[i])
    return best if np.isfinite(far[best]) else None


def _far(place: str, foot: tuple[float, float], shown: Look) -> float:
    """How far a place is from the foot of a thing, in pixels."""
    if place in KINDS:
        mask = shown.seen == names().index(place)
        if not mask.any():
            return np.inf
        rows, columns = np.nonzero(mask)
        # Below, and not beside: what stands on a thing hides the furniture's spot.
        under = rows >= foot[1] - 1
        if not under.any():
            return np.inf
        far = float(np.hypot(columns[under] - foot[0], rows[under] - foot[1]).min())
        return 0.0 if far < _BELOW * mask.shape[1] else np.inf
    spots = (shown.pose.to_local(np.array(spot)) for spot in furniture()[place].slots)  # type: ignore[union-attr]
    points = [shown.camera.project(spot) for spot in spots if spot[2] > 0]
    return min((float(np.hypot(x - foot[0], y - foot[1])) for x, y in points), default=np.inf)

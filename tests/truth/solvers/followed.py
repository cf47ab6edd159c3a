"""Tells from pixels alone which thing hands use in a span of a clip, and where it is later."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import cast

import numpy as np
from scipy import ndimage

from resources.worlds.flat import KINDS
from tests.truth.solvers.active_object import SIDES, Frame, Look, touches
from tests.truth.solvers.flat_sight import Image, camera_of, names, numbers
from tests.truth.solvers.places import solve as place_of_thing

_DARK = np.array((70, 70, 74))
"""Colour of the upper part of what is plugged in, as long as it is off."""
_SAME = 25.0
_NEAR = 0.04
"""Share of the picture's width within which a hand is about to touch a thing."""
_LEAST_PX = 60
"""Fewer pixels of a colour are a shade of something else."""


def used(frames: Sequence[Frame], start_s: float, end_s: float) -> str | None:
    """The thing that hands touch in most frames of a span, or is nearest to; None if none is near.

    Args:
        frames: Frames of the clip.
        start_s: Start of the span, seconds in the recording.
        end_s: Its end.
    """
    touched: dict[str, list[float]] = defaultdict(list)
    near: dict[str, list[float]] = defaultdict(list)
    for _, image in (frame for frame in frames if start_s <= frame[0] <= end_s):
        # Where one stands does not matter for what lies in a hand.
        shown = Look(whole_things(image), camera_of(image), None)
        seen = [name for name in KINDS if _pixels(name, shown) >= _LEAST_PX]
        for name, (rank, gap) in zip(seen, touches(seen, shown, SIDES), strict=True):
            if rank <= 1:
                touched[name].append(gap)
            elif gap < _NEAR * image.shape[1]:
                near[name].append(gap)
    found = touched or near
    return min(found, key=lambda name: (-len(found[name]), sum(found[name])), default=None)


def whole_things(image: Image) -> np.ndarray:
    """What each pixel shows, the dark part of a thing being the thing's."""
    seen = numbers(image).copy()
    dark = ((image.astype(np.int32) - _DARK) ** 2).sum(axis=-1) < _SAME**2
    for name in (name for name, kind in KINDS.items() if dict(kind.states).get("power")):
        mask = seen == names().index(name)
        patched = ndimage.label(mask | dark, np.ones((3, 3)))
        patches, count = cast("tuple[np.ndarray, int]", patched)
        own = np.bincount(patches[mask], minlength=count + 1) >= _LEAST_PX
        seen[own[patches] & dark] = names().index(name)
    return seen


def _pixels(name: str, shown: Look) -> int:
    return int((shown.seen == names().index(name)).sum())


def ends_up(
    places: Sequence[str], frames: Sequence[Frame], span: tuple[float, float], at_s: float
) -> int | None:
    """Index of the place at which the thing that is used in a span is at a time; None if it is not seen.

    Args:
        places: Names of furniture and things.
        frames: Frames of the clip.
        span: Start and end of the use, seconds in the recording.
        at_s: Seconds in the recording.
    """
    name = used(frames, *span)
    return None if name is None else place_of_thing(name, places, frames, at_s)

"""Tells in which states things are when a clip ends, from pixels alone.

A thing is held if the last frame shows it at a hand. Whether something is open, on or full is read off the last
frame that shows it without a hand in front: furniture by where its door is or what glows, a thing by the colour of
the part that changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, cached_property
from typing import cast

import numpy as np
from scipy import ndimage

from resources.worlds.flat import KINDS, furniture
from resources.worlds.flat.places import Block
from resources.worlds.flat.render import render
from resources.worlds.flat.scene import scene_of, still
from resources.worlds.flat.things import blocks
from tests.truth.solvers.active_object import SIDES, Frame, Look, look, touches
from tests.truth.solvers.flat_sight import SHADES, Image, camera_of, names
from tests.truth.solvers.followed import whole_things

_KINDS = (("held", "no longer held"), ("open", "closed"), ("on", "off"), ("full", "empty"))
"""States that exclude each other."""
_SAME = 30.0
"""Distance in colour within which a pixel is of a colour."""
_LEAST_PX = 12
_CLOSE = 10.0
"""The same, where a picture of a flat is compared with another."""
_ARMS_PX, _SPECK_PX = 200, 20
"""Smaller patches of the colours of arms, and of hands and things, are shades of something else."""


def solve(options: Sequence[str], frames: Sequence[Frame]) -> int | None:
    """Index of the option that fits the end of a clip best; None if nothing is seen.

    Args:
        options: States of two things each, in words.
        frames: Frames of the clip in time order.
    """
    by_option = [[_parts(part) for part in text.split(" and ")] for text in options]
    seen = [Sight(frame) for frame in frames]
    now = {}
    for name, state in (part for one in by_option for part in one):
        if (name, kind := _kind(state)) not in now:
            now[name, kind] = _state(name, kind, seen)
    if not any(now.values()):
        return None
    fits = [sum(now[name, _kind(state)] == state for name, state in one) for one in by_option]
    return max(range(len(options)), key=lambda i: fits[i])


def _parts(text: str) -> tuple[str, str]:
    name, _, state = text.removeprefix("the ").partition(" is ")
    return name, state


def _kind(state: str) -> tuple[str, str]:
    return next(kind for kind in _KINDS if state in kind)


class Sight:
    """A frame and, once asked for, what it shows."""

    def __init__(self, frame: Frame) -> None:
        """Keep the frame."""
        self.frame = frame

    @property
    def image(self) -> Image:
        """Picture, (H, W, 3) uint8."""
        return self.frame[1]

    @cached_property
    def look(self) -> Look:
        """What the picture shows."""
        return look(self.frame)

    @cached_property
    def whole(self) -> np.ndarray:
        """What each pixel shows, dark parts of things being theirs."""
        return whole_things(self.image)

    def near(self, name: str) -> Look:
        """The hands and a thing, without specks of their colours: what is at a hand is near the eyes."""
        arms = [n for n, one in enumerate(names()) if one.startswith(("P1:left", "P1:right"))]
        hands = [n for n in arms if names()[n].endswith("hand")]
        large = _large(np.isin(self.whole, arms), _ARMS_PX, np.isin(self.whole, hands))
        large |= _large(self.whole == names().index(name), _SPECK_PX)
        return Look(np.where(large, self.whole, 0), camera_of(self.image), None)


def _large(mask: np.ndarray, least_px: int, holds: np.ndarray | None = None) -> np.ndarray:
    """The large patches of a mask, and only those which hold enough pixels of another mask if there is one."""
    patched = ndimage.label(mask, np.ones((3, 3)))
    patches, count = cast("tuple[np.ndarray, int]", patched)
    size = np.bincount(patches.ravel(), minlength=count + 1)
    inner = size if holds is None else np.bincount(patches[holds], minlength=count + 1)
    return mask & ((size >= least_px) & (inner >= _SPECK_PX))[patches]


def _state(name: str, kind: tuple[str, str], seen: Sequence[Sight]) -> str | None:
    """The state of a kind in which a thing is at the end; None if no frame tells."""
    if kind == _KINDS[0]:
        return kind[touches([name], seen[-1].near(name), SIDES)[0][0] > 1]
    tell = _of_furniture if name in furniture() else _of_thing
    states = (tell(name, kind, sight) for sight in reversed(seen))
    return next((state for state in states if state), None)


def _near(image: Image, colour: Sequence[float]) -> np.ndarray:
    return ((image.astype(np.int32) - np.array(colour)) ** 2).sum(axis=-1) < _SAME**2


# -- things ------------------------------------------------------------------------------------------


def _of_thing(name: str, states: tuple[str, str], sight: Sight) -> str | None:
    """The state in which a frame shows a thing, by the part of it that changes; None if the thing is not seen."""
    mask, kind = sight.look.seen == names().index(name), KINDS[name]
    if mask.sum() < _LEAST_PX:
        return None
    aspect = next(aspect for aspect, values in kind.states if set(values) == set(states))
    at = ndimage.binary_dilation(mask, iterations=4)
    count = {
        state: sum(int((at & _near(sight.image, colour)).sum()) for colour in colours)
        for state in states
        for colours in [_own(blocks(kind, {aspect: state}), kind.colour)]
    }
    best = max(count, key=lambda state: count[state])
    return best if count[best] >= _LEAST_PX // 2 else None


def _own(parts: Sequence[Block], body: Sequence[int]) -> list[tuple[float, ...]]:
    """Colours of a thing's parts other than its body, in all shades."""
    return [
        tuple(c * shade for c in part.colour)
        for part in parts
        if tuple(part.colour) != tuple(body)
        for shade in ((1.0,) if part.plain else SHADES)
    ]


# -- furniture ---------------------------------------------------------------------------------------


def _of_furniture(name: str, states: tuple[str, str], sight: Sight) -> str | None:
    """The state of a piece of furniture with which a frame looks like the flat; None if it shows nothing that differs."""
    shown = sight.look
    if shown.pose is None:
        return None
    drawn = {}
    for state in states:
        parts = list(furniture()[name].states[state])
        flat = still().joined(scene_of(parts, [1] * len(parts)))
        drawn[state] = render(shown.camera, shown.pose, flat).rgb
    far = {state: _distance(sight.image, picture) for state, picture in drawn.items()}
    least, differ = np.minimum(*far.values()), _distance(*drawn.values())
    # What fits neither is hidden by something, and things have colours of furniture.
    tells = (differ > 2 * _CLOSE) & (least < _CLOSE) & ~np.isin(sight.whole, _things())
    if tells.sum() < _LEAST_PX:
        return None
    return max(states, key=lambda state: int((far[state] == least)[tells].sum()))


@cache
def _things() -> list[int]:
    return [names().index(name) for name in KINDS]


def _distance(one: Image, two: Image) -> np.ndarray:
    return np.linalg.norm(one.astype(float) - two, axis=-1)

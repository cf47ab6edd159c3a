"""Tells in which order things were set up on the court, from a few pictures, and what that makes true.

Known are the court's map (where things wait on the bench, where each belongs, where fixed cameras stand) and
how things look; when what left the bench is read from pixels. A wearer's place follows from the things in view.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from resources.worlds.court.ground import CAMERAS, PROPS, bench_slot, cameras
from resources.worlds.flat.camera import Camera
from resources.worlds.flat.places import EYE_M
from tests.truth.solvers.flat_sight import is_ego

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]
THINGS = tuple(prop.instance for prop in PROPS)
# Whether each thing has left the bench: all 32 states of the course.
STATES = np.array([*product((False, True), repeat=len(THINGS))])
# How far from where it should be a thing is seen, as a share of the picture's sides, that speaks against it as
# much as anything: a wearer's place is known roughly, that of a fixed camera exactly.
_NEAR_WORN, _NEAR_FIXED = 0.12, 0.05
# What a thing costs that is nowhere it belongs: somebody carries it. One that is hidden costs less.
_CARRIED, _HIDDEN = 0.5, 0.35
# Sums in another order differ by less.
_SAME = 1e-9
_STATEMENT = re.compile(r'Video ([12]) (shows|includes) "Place the ([\w ]+)"(?: before "Place the ([\w ]+)")?')  # fmt: skip


@dataclass(frozen=True)
class Places:
    """Where each thing is seen from many places: on the bench (0) and where it belongs (1).

    Attributes:
        at: (poses, things, 2, 2) share of the picture's width and height, from its upper left.
        inside: (poses, things, 2) whether that is well inside the picture.
        size: (poses, things, 2) share of the picture that it fills there.
    """

    at: Floats
    inside: NDArray[np.bool_]
    size: Floats


@cache
def _worn() -> Places:
    """Seen by somebody who walks between the bench and the spots."""
    grid = np.stack(
        np.meshgrid(
            np.arange(-3.4, 2.0, 0.2),
            np.arange(-1.0, 2.2, 0.2),
            np.arange(-np.pi, np.pi, np.pi / 24),
            (-0.75, -0.5, -0.3),
            indexing="ij",
        ),
        axis=-1,
    ).reshape(-1, 4)
    eyes = np.column_stack([grid[:, :2], np.full(len(grid), EYE_M)])
    return _places(cameras("full")[0]["ego"], eyes, grid[:, 2], grid[:, 3])


@cache
def _fixed() -> Places:
    lenses, poses = cameras("full")
    ahead = np.stack([poses[name].rotation[:, 2] for name in CAMERAS])
    eyes = np.stack([poses[name].position for name in CAMERAS])
    return _places(
        lenses[CAMERAS[0]], eyes, np.arctan2(ahead[:, 1], ahead[:, 0]), np.arcsin(ahead[:, 2])
    )


def _places(lens: Camera, eyes: Floats, yaw: Floats, pitch: Floats) -> Places:
    """Places seen by upright cameras at (poses, 3) that look along a yaw and a pitch."""
    middles = np.array(
        [
            ((x, y, z + prop.size_m[2] / 2), (*prop.spot, prop.size_m[2] / 2))
            for prop, (x, y, z) in zip(PROPS, map(bench_slot, range(len(PROPS))), strict=True)
        ]
    )
    cy, sy, cp, sp = np.cos(yaw), np.sin(yaw), np.cos(pitch), np.sin(pitch)
    axes = np.array([[sy, -cy, 0 * yaw], [cy * sp, sy * sp, -cp], [cy * cp, sy * cp, sp]])
    local = np.einsum("akn,ntsk->ntsa", axes, middles - eyes[:, None, None, :])
    shares = lens.project(local) / (lens.width_px, lens.height_px)
    ahead = local[..., 2] > 0.1
    inside = ahead & (np.abs(shares - 0.5) < 0.42).all(axis=-1)
    distance = np.linalg.norm(local, axis=-1)
    wide, deep, high = np.array([prop.size_m for prop in PROPS]).T[..., None]
    down = -(middles - eyes[:, None, None, :])[..., 2] / distance
    area = high * np.hypot(wide, deep) + wide * deep * np.clip(down, 0.0, 1.0)
    size = area * (lens.focal_px / distance) ** 2 / (lens.width_px * lens.height_px)
    return Places(np.where(ahead[..., None], shares, 9.0), inside, size)


def _seen(picture: Image) -> list[tuple[float, float, float] | None]:
    """Middle of each thing, and its size, as shares of the picture; None where too little is seen."""
    # What fixed cameras see of a thing behind others is little; close to somebody's eyes it is a mix of colours.
    least = 20 if is_ego(picture) else 4
    found = []
    for prop in PROPS:
        near = (np.abs(picture.astype(int) - prop.colour) < 45).all(axis=-1)
        rows, columns = np.nonzero(near)
        height, width = near.shape[0], near.shape[1]
        if len(rows) < least:
            found.append(None)
        else:
            found.append((columns.mean() / width, rows.mean() / height, len(rows) / near.size))
    return found


def costs(pictures: Sequence[Image]) -> Floats:
    """(pictures, 32) how badly each state of the course fits each picture."""
    places = _worn() if is_ego(pictures[0]) else _fixed()
    poses = np.stack([_of_poses(places, picture) for picture in pictures])
    if is_ego(pictures[0]):
        return poses.min(axis=1)
    # A fixed camera stays where it is.
    by_camera = poses.min(axis=2).sum(axis=0)
    return poses[:, by_camera.argmin()]


def _of_poses(places: Places, picture: Image) -> Floats:
    """(poses, 32) how badly each state fits a picture that is taken from each place."""
    worn = is_ego(picture)
    waits = np.empty((len(places.at), len(THINGS)))
    left = np.empty_like(waits)
    for thing, seen in enumerate(_seen(picture)):
        if seen is None:
            bench, spot = (_HIDDEN * places.inside[:, thing, n] for n in (0, 1))
            # A wearer's hands are out of view; others may stand before a thing wherever it is.
            waits[:, thing], left[:, thing] = bench, spot / 2 if worn else bench
            continue
        x, y, size = seen
        near = _NEAR_WORN if worn else _NEAR_FIXED
        off = (np.linalg.norm(places.at[:, thing] - (x, y), axis=-1) / near) ** 2
        # What hides a part makes a thing smaller; only what is nearer looks larger.
        off += np.maximum(0.0, np.log2(size / places.size[:, thing]))
        waits[:, thing] = np.minimum(off[:, 0], 2.0)
        left[:, thing] = np.minimum(off[:, 1], _CARRIED)
    return waits.sum(axis=1)[:, None] + (left - waits) @ STATES.T


@dataclass(frozen=True)
class Course:
    """What pictures say about when things left the bench.

    Attributes:
        misfits: How badly each of `courses` fits the pictures.
    """

    misfits: Floats
    n_pictures: int

    @classmethod
    def seen_in(cls, pictures: Sequence[Image]) -> Course:
        """Read pictures in time order. Things do not return to the bench."""
        each, n = costs(pictures), len(pictures)
        weights = 2 ** np.arange(len(THINGS))[::-1]
        states = ((courses(n)[None] <= np.arange(n)[:, None, None]) * weights).sum(axis=2)
        return cls(each[np.arange(n)[:, None], states].sum(axis=0), n)

    def includes(self, thing: str) -> float:
        """How much better it fits that a thing left the bench than that it never did."""
        left = courses(self.n_pictures)[:, THINGS.index(thing)] < self.n_pictures
        return self._better(left)

    def has_before(self, first: str, second: str) -> float:
        """How much better it fits that one thing left the bench before another than after it."""
        when = courses(self.n_pictures)
        one, two = (when[:, THINGS.index(thing)] for thing in (first, second))
        return self._better(one < two, one > two)

    def _better(self, so: NDArray[np.bool_], otherwise: NDArray[np.bool_] | None = None) -> float:
        other = ~so if otherwise is None else otherwise
        return float(self.misfits[other].min() - self.misfits[so].min())


@cache
def courses(n_pictures: int) -> NDArray[np.int64]:
    """(courses, things) first picture in which each thing has left the bench; past the last if never."""
    return np.array([*product(range(n_pictures + 1), repeat=len(THINGS))])


def solve(texts: Sequence[str], videos: Sequence[Course]) -> int | None:
    """Index of the statement about two videos that fits their pictures best; None where several do."""
    fits = [_fit(text, videos) for text in texts]
    best = max(fits)
    return fits.index(best) if sum(best - fit < _SAME for fit in fits) == 1 else None


def _fit(text: str, videos: Sequence[Course]) -> float:
    """How well a statement fits: what it says of one video and of the other, whichever fits less."""
    told = _STATEMENT.match(text)
    assert told is not None, text
    one, other = videos[int(told[1]) - 1], videos[2 - int(told[1])]
    if told[2] == "includes":
        return min(one.includes(told[3]), -other.includes(told[3]))
    return min(one.has_before(told[3], told[4]), -other.has_before(told[3], told[4]))

"""Tells in which order things were set up in rehearsals on the court, from a few pictures.

Known are the court's map (where things wait on the bench, where each belongs, where fixed cameras stand), how
things look, and that each is back on the bench before the next one leaves it; which one is away when is read from
pixels. Where a wearer stands is not known.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import binary_dilation

from resources.worlds.court.ground import CAMERAS, PROPS, bench_slot, cameras
from tests.truth.solvers.flat_sight import is_ego

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]
THINGS = tuple(prop.instance for prop in PROPS)
# Whether each thing is away from the bench: none of them, or one.
STATES = np.vstack([np.zeros((1, len(THINGS)), dtype=bool), np.eye(len(THINGS), dtype=bool)])
# All orders in which some of the things may be set up, by their number.
BY_NUMBER = [[*permutations(range(len(THINGS)), n)] for n in range(len(THINGS) + 1)]
ORDERS = [order for orders in BY_NUMBER for order in orders]
_LEAST_WORN, _LEAST_FIXED = 40, 4
# How far from where it should be a thing is seen, as a share of the picture's sides, that speaks against it as
# much as anything.
_NEAR = 0.05
# What a thing costs that is nowhere it belongs: somebody carries it. One that is hidden costs less.
_CARRIED, _HIDDEN = 0.5, 0.35
# The bench as it is drawn, how near a colour must be to it, and what share of what is seen next to a thing is bench
# where it stands there.
_BENCH, _BENCH_OFF = np.array([156, 131, 101]), np.array([14, 11, 10])
_AROUND_PX, _BENCH_SHARE = 3, 0.03
# What it costs that the nearest thing is not the one that is away.
_WRONG = 1.5
# Sums in another order differ by less.
_SAME = 1e-9
_STATEMENT = re.compile(r'Video ([12]) (shows|includes) "Place the ([\w ]+)"(?: before "Place the ([\w ]+)")?')  # fmt: skip


@dataclass(frozen=True)
class Places:
    """Where each thing is seen by fixed cameras: on the bench (0) and where it belongs (1).

    Attributes:
        at: (cameras, things, 2, 2) share of the picture's width and height, from its upper left.
        size: (cameras, things, 2) share of the picture that it fills there.
    """

    at: Floats
    size: Floats


@cache
def _places() -> Places:
    lenses, poses = cameras("full")
    lens = lenses[CAMERAS[0]]
    middles = np.array(
        [
            ((x, y, z + prop.size_m[2] / 2), (*prop.spot, prop.size_m[2] / 2))
            for prop, (x, y, z) in zip(PROPS, map(bench_slot, range(len(PROPS))), strict=True)
        ]
    )
    turns = np.stack([poses[name].rotation for name in CAMERAS])
    ways = middles - np.stack([poses[name].position for name in CAMERAS])[:, None, None, :]
    shares = lens.project(np.einsum("nka,ntsk->ntsa", turns, ways))
    distance = np.linalg.norm(ways, axis=-1)
    wide, deep, high = np.array([prop.size_m for prop in PROPS]).T[..., None]
    area = high * np.hypot(wide, deep) + wide * deep * np.clip(-ways[..., 2] / distance, 0.0, 1.0)
    size = area * (lens.focal_px / distance) ** 2 / (lens.width_px * lens.height_px)
    return Places(shares / (lens.width_px, lens.height_px), size)


def _masks(picture: Image) -> list[NDArray[np.bool_] | None]:
    """(height, width) where each thing is seen; None where too little of it is."""
    least = _LEAST_WORN if is_ego(picture) else _LEAST_FIXED
    masks = [(np.abs(picture.astype(int) - p.colour) < 45).all(axis=-1) for p in PROPS]
    return [mask if mask.sum() >= least else None for mask in masks]


def costs(pictures: Sequence[Image]) -> Floats:
    """(pictures, states) how badly each state of the course fits each picture."""
    if is_ego(pictures[0]):
        return np.stack([_at_hand(picture) for picture in pictures])
    waits, left = (np.stack(part) for part in zip(*map(_lies_at, pictures), strict=True))
    by_camera = waits.sum(axis=2)[..., None] + (left - waits) @ STATES.T
    # A fixed camera stays where it is: its pictures together tell which one it is.
    return by_camera[:, by_camera.min(axis=2).sum(axis=0).argmin()]


def _at_hand(picture: Image) -> Floats:
    """(states,) how badly each state fits a wearer's picture.

    What is away is nearest to its wearer: in their hand, or at their feet. It is still on the bench if
    the bench is seen around it.
    """
    wrong = np.zeros(len(STATES))
    masks = _masks(picture)
    nearness = [0.0 if m is None else m.sum() / a for m, a in zip(masks, _areas(), strict=True)]
    nearest = int(np.argmax(nearness))
    mask = masks[nearest]
    if mask is None:
        return wrong
    bench = (np.abs(picture.astype(int) - _BENCH) < _BENCH_OFF).all(axis=-1)
    around = binary_dilation(mask, iterations=_AROUND_PX) & ~mask
    on_bench = min(1.0, bench[around].mean() / _BENCH_SHARE)
    wrong += _WRONG
    wrong[0], wrong[1 + nearest] = _WRONG * (1 - on_bench), _WRONG * on_bench
    return wrong


@cache
def _areas() -> Floats:
    """(things,) how large each is seen from the front and above, square metres."""
    wide, deep, high = np.array([prop.size_m for prop in PROPS]).T
    return high * np.hypot(wide, deep) + wide * deep / 2


def _lies_at(picture: Image) -> tuple[Floats, Floats]:
    """(cameras, things) what it costs that each waits or has left, seen by each fixed camera."""
    places = _places()
    waits, left = np.empty((2, len(CAMERAS), len(THINGS)))
    height, width = picture.shape[:2]
    for thing, mask in enumerate(_masks(picture)):
        if mask is None:
            waits[:, thing] = left[:, thing] = _HIDDEN
            continue
        rows, columns = np.nonzero(mask)
        at, size = (columns.mean() / width, rows.mean() / height), len(rows) / mask.size
        # Of a thing that is half hidden by another the middle of the rest is seen.
        near = _NEAR + np.sqrt(places.size[:, thing]) / 2
        off = (np.linalg.norm(places.at[:, thing] - at, axis=-1) / near) ** 2
        # What hides a part makes a thing smaller; only what is nearer looks larger.
        off += np.maximum(0.0, np.log2(size / places.size[:, thing]))
        waits[:, thing] = np.minimum(off[:, 0], 2.0)
        left[:, thing] = np.minimum(off[:, 1], _CARRIED)
    return waits, left


@dataclass(frozen=True)
class Course:
    """What pictures say about the order in which things were set up.

    Attributes:
        misfits: (orders,) how badly each of `ORDERS` fits the pictures.
    """

    misfits: Floats

    @classmethod
    def seen_in(cls, pictures: Sequence[Image | None]) -> Course:
        """Read pictures in time order; a missing one fits everything."""
        each = np.zeros((len(pictures), len(STATES)))
        shown = [n for n, picture in enumerate(pictures) if picture is not None]
        if shown:
            each[shown] = costs([p for p in pictures if p is not None])
        return cls(np.concatenate([_misfits(orders, each) for orders in BY_NUMBER]))

    def includes(self, thing: str) -> float:
        """How much better it fits that a thing was set up than that it never was."""
        one = THINGS.index(thing)
        return self._better([one in o for o in ORDERS], [one not in o for o in ORDERS])

    def has_before(self, first: str, second: str) -> float:
        """How much better it fits that one thing was set up before another than after it."""
        one, two = (THINGS.index(thing) for thing in (first, second))
        both = [{one, two} <= {*o} for o in ORDERS]
        earlier = [b and o.index(one) < o.index(two) for b, o in zip(both, ORDERS, strict=True)]
        return self._better(earlier, np.array(both) & ~np.array(earlier))

    def _better(self, so: Sequence[bool], otherwise: Sequence[bool] | NDArray[np.bool_]) -> float:
        return float(self.misfits[np.array(otherwise)].min() - self.misfits[np.array(so)].min())


def _misfits(orders: Sequence[tuple[int, ...]], each: Floats) -> Floats:
    """(orders,) how badly pictures fit orders of equal length.

    Each thing is away in at least one picture; between two things no picture has to show that none is.
    """
    n = len(orders[0])
    chains = np.zeros((len(orders), 2 * n + 1), dtype=int)
    chains[:, 1::2] = np.array(orders, dtype=int).reshape(len(orders), n) + 1
    best = np.full(chains.shape, np.inf)
    best[:, :2] = each[0][chains[:, :2]]
    for now in each[1:]:
        before = best.copy()
        before[:, 1:] = np.minimum(before[:, 1:], best[:, :-1])
        before[:, 3::2] = np.minimum(before[:, 3::2], best[:, 1:-2:2])
        best = before + now[chains]
    return best[:, -2:].min(axis=1)


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

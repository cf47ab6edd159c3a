"""What the wearer looks at: gaze rays in the world, the box they meet first, and fixations.

A fixation is judged by time and not by a number of samples, since gaze comes at 10, 30 or 120 Hz:
the same box is met first, and the direction stays within 1.5 degrees, for at least 0.3 s. Fixations
of one object that follow each other are one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assets.scene_graphs.rotation import Array, Pose, conjugate, rotate
from assets.scene_graphs.tracks import Thing

SPREAD_DEG = 1.5
HOLD_S = 0.3
GAP_S = 0.15
"""Longest pause between samples of one fixation: one lost sample at 10 Hz does not end it."""


@dataclass(frozen=True, slots=True)
class Span:
    """A span of samples on one object.

    Attributes:
        object_id: Object.
        first: Index of the first sample.
        last: Index of the last one.
    """

    object_id: str
    first: int
    last: int


def directions(yaw_rad: Array, pitch_rad: Array) -> Array:
    """Unit directions in the central pupil frame (x left, y up, z forward), shape (n, 3)."""
    rays = np.stack([np.tan(yaw_rad), np.tan(pitch_rad), np.ones_like(yaw_rad)], axis=-1)
    return rays / np.linalg.norm(rays, axis=-1, keepdims=True)


def world_rays(
    yaw_rad: Array, pitch_rad: Array, world_device: Pose, device_cpf: Pose
) -> tuple[Array, Array]:
    """Origins and unit directions of gaze rays in the world, each shape (n, 3)."""
    pose = world_device.then(device_cpf)
    return pose.t, rotate(pose.q, directions(yaw_rad, pitch_rad))


def crossing(
    origin: Array, ray: Array, place: Pose, low: Array, high: Array
) -> tuple[Array, Array]:
    """Distances at which rays enter and leave an oriented box, shape (n,); infinite where they miss.

    A box the ray starts inside of (a room) is not met.
    """
    back = conjugate(place.q)
    start = rotate(back, origin - place.t)
    way = rotate(back, ray)
    with np.errstate(divide="ignore", invalid="ignore"):
        a, b = (low - start) / way, (high - start) / way
    # A ray along a face gives 0 / 0 there: that axis does not limit it.
    near = np.max(
        np.nan_to_num(np.minimum(a, b), nan=-np.inf, neginf=-np.inf, posinf=np.inf), axis=-1
    )
    far = np.min(
        np.nan_to_num(np.maximum(a, b), nan=np.inf, neginf=-np.inf, posinf=np.inf), axis=-1
    )
    met = (near > 0) & (near <= far)
    return np.where(met, near, np.inf), np.where(met, far, np.inf)


def first_hits(
    origins: Array, rays: Array, times_s: Array, things: Mapping[str, Thing]
) -> tuple[list[str | None], Array]:
    """Object each ray meets first, and at what distance; None where it meets nothing.

    What stands in a cupboard or on a shelf lies inside the furniture's box: where the ray meets a
    smaller box whose middle lies inside the first one before leaving that, the inner one is met.
    """
    names = sorted(things)
    held = {name: things[name].track.at(times_s) for name in names}
    enter = np.full((len(names), len(times_s)), np.inf)
    leave = np.full((len(names), len(times_s)), np.inf)
    for number, name in enumerate(names):
        thing, at = things[name], held[name]
        crossed = crossing(origins, rays, thing.track.poses[at], thing.low, thing.high)
        enter[number], leave[number] = (np.where(at >= 0, d, np.inf) for d in crossed)
    sizes = np.array([np.prod(things[name].high - things[name].low) for name in names])
    hits: list[str | None] = []
    far = np.full(len(times_s), np.inf)
    for ray in range(len(times_s)):
        met = np.flatnonzero(np.isfinite(enter[:, ray]))
        if not len(met):
            hits.append(None)
            continue
        found = int(met[np.argmin(enter[met, ray])])
        while True:
            outer = things[names[found]]
            inside = [
                int(one)
                for one in met
                if sizes[one] < sizes[found]
                and enter[one, ray] <= leave[found, ray]
                and _holds(
                    outer, held[names[found]][ray], things[names[one]], held[names[one]][ray]
                )
            ]
            if not inside:
                break
            found = min(inside, key=lambda one: (enter[one, ray], names[one]))
        hits.append(names[found])
        far[ray] = enter[found, ray]
    return hits, far


def _holds(outer: Thing, outer_at: int, inner: Thing, inner_at: int) -> bool:
    """Whether the middle of one box lies inside another."""
    middle = outer.track.poses[int(outer_at)].inverse().apply(inner.centre(int(inner_at)))
    return bool(np.all((middle >= outer.low) & (middle <= outer.high)))


def fixations(times_s: Array, rays: Array, hits: Sequence[str | None]) -> list[Span]:
    """Spans in which gaze rests on one object.

    Args:
        times_s: Ascending, shape (n,).
        rays: Unit directions in the world, shape (n, 3).
        hits: Object each ray meets first.
    """
    steady: list[Span] = []
    at = 0
    while at < len(times_s):
        uid = hits[at]
        end = at
        if uid is not None:
            end = _steady_until(at, times_s, rays, hits)
            if times_s[end] - times_s[at] >= HOLD_S - 1e-6:
                steady.append(Span(uid, at, end))
                at = end + 1
                continue
        at += 1
    joined: list[Span] = []
    for span in steady:
        last = joined[-1] if joined else None
        if (
            last is not None
            and last.object_id == span.object_id
            and times_s[span.first] - times_s[last.last] <= GAP_S
        ):
            joined[-1] = Span(span.object_id, last.first, span.last)
        else:
            joined.append(span)
    return joined


def _steady_until(at: int, times_s: Array, rays: Array, hits: Sequence[str | None]) -> int:
    """Last sample that, with all from `at`, stays on the object and near their mean direction."""
    limit = np.cos(np.radians(SPREAD_DEG))
    total = rays[at].copy()
    end = at
    for nxt in range(at + 1, len(times_s)):
        if hits[nxt] != hits[at] or times_s[nxt] - times_s[end] > GAP_S:
            break
        grown = total + rays[nxt]
        mean = grown / np.linalg.norm(grown)
        if np.min(rays[at : nxt + 1] @ mean) < limit:
            break
        total, end = grown, nxt
    return end

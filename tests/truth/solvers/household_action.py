"""How things move and change in a household clip, and how far two clips agree in that.

What is neither as at first nor as in the end has moved: which colours, from which furniture over
which to which, how far, how often, in which hand, and what looks different afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import ndimage
from scipy.spatial import KDTree

from tests.truth.solvers.household_sight import (
    COUNT,
    ENV,
    KIN,
    PLACES,
    Array,
    Scene,
    alike,
    cosine,
    new_in,
    solid,
)

LEAST_CM2 = 0.8
NEAR_M = 0.05


@dataclass(frozen=True)
class Course:
    """How one colour moved: weight, nearness to furniture at first, midway, in the end, lengths.

    Attributes:
        weight: root of its mean area, cm.
        places: (3, furniture) nearness 0 to 1.
        lengths: metres from first to last place, farthest from the first, along the way, upwards.
    """

    weight: float
    places: Array
    lengths: Array


@dataclass(frozen=True)
class Action:
    """What a clip shows of an action.

    Attributes:
        courses: what moved, by class.
        change: signed roots of area that each class gained from first to last.
        near_hand: root of each class's area near the acting hand, midway.
        hand_places: nearness of the acting hand to furniture, midway.
        hands: share of the time midway that each of the two hands is away, less and more.
        handover: how much the nearer hand changes.
        known: classes that look unlike this home.
    """

    courses: Mapping[int, Course]
    change: Array
    near_hand: Array
    hand_places: Array
    hands: Array
    handover: float
    known: Array


def describe(scene: Scene) -> Action:
    """What a clip shows."""
    known, to_cm2 = scene.known, 1e4 / scene.scale**2
    first, last = scene.ends
    at, areas = (np.array(v) for v in zip(*scene.changes(_off), strict=True))
    before, after = (_furniture(table, scene) for table in (first, last))
    told = (first <= ENV) & (last <= ENV)
    gained = [
        np.bincount(v[told & new_in(v, other)], minlength=256)[:COUNT] * to_cm2
        for v, other in ((last, first), (first, last))
    ]
    near_hand, hand_places, hands, handover = _hands(scene, areas, at, [*before, *after])
    return Action(
        _courses(areas, at, scene.scale, before, after),
        _root(gained[0] - gained[1]) * known,
        near_hand * known,
        hand_places,
        hands,
        handover,
        known,
    )


def _off(one: Array, since: Array, until: Array, scene: Scene) -> tuple[Array, Array]:
    """(classes, 2) pixels of what is neither as at first nor as in the end; areas, cm2."""
    at, to_cm2 = np.full((COUNT, 2), np.nan), 1e4 / scene.scale**2
    off = (one < COUNT) & (since | until)
    labelled: Any = ndimage.label(off)
    patches, count = labelled
    large = np.bincount(patches.ravel(), minlength=count + 1) * to_cm2 > LEAST_CM2
    y, x = np.nonzero(off & large[patches])
    c = one[y, x]
    y, x, c = (v[scene.known[c]] for v in (y, x, c))
    n = np.bincount(c, minlength=COUNT)
    there = n * to_cm2 > LEAST_CM2
    at[there, 0] = np.bincount(c, x, COUNT)[there] / n[there]
    at[there, 1] = np.bincount(c, y, COUNT)[there] / n[there]
    return at, n * to_cm2


def _root(areas: Array) -> Array:
    return np.sign(areas) * np.sqrt(np.maximum(np.abs(areas) - 0.4, 0))


Trees = list[tuple[int, KDTree]]


def _furniture(table: Array, scene: Scene) -> Trees:
    """Where each kind of furniture is, as trees of its pixels with its number in `PLACES`."""
    out: Trees = []
    rows, columns = np.nonzero(solid(table) & (table < COUNT))
    kinds = table[rows, columns]
    for number, kind in enumerate(PLACES):
        y, x = rows[kinds == kind], columns[kinds == kind]
        if scene.known[kind] and len(y) / scene.scale**2 * 1e4 >= 4:
            out.append((number, KDTree(np.stack([x, y], axis=1))))
    return out


def _near(points: Array, trees: Trees, scale: float) -> Array:
    """(points, furniture) nearness, 1 on it."""
    out = np.zeros((len(points), len(PLACES)))
    for number, tree in trees:
        away = np.asarray(tree.query(points)[0]) / scale
        out[:, number] = np.maximum(out[:, number], np.exp(-((away / NEAR_M) ** 2)))
    return out


def _courses(
    areas: Array, at: Array, scale: float, before: Trees, after: Trees
) -> dict[int, Course]:
    out = {}
    moments = ((0, 1), (len(areas) // 2 - 1, len(areas) // 2), (len(areas) - 2, len(areas) - 1))
    for kind in np.nonzero(areas.mean(axis=0) > 0.4)[0].tolist():
        shown = np.nonzero(~np.isnan(at[:, kind, 0]))[0]
        if not len(shown):
            continue
        way = at[shown, kind]
        places = []
        for times, trees in zip(moments, (before, [*before, *after], after), strict=True):
            nearest = [int(np.abs(shown - min(t, len(areas) - 1)).argmin()) for t in times]
            places.append(_near(way[nearest], trees, scale).mean(axis=0))
        away = np.hypot(*(way - way[0]).T) / scale
        along = np.hypot(*np.diff(way, axis=0).T).sum() / scale
        up = (way[0, 1] - way[:, 1].min()) / scale
        weight = float(np.sqrt(areas[:, kind].mean() - 0.4))
        out[kind] = Course(weight, np.array(places), np.array([away[-1], away.max(), along, up]))
    return out


def _hands(
    scene: Scene, areas: Array, at: Array, trees: Trees
) -> tuple[Array, Array, Array, float]:
    tips = scene.tips
    ends = tips[[0, -1]]
    rest = np.where(np.isnan(ends[0]), ends[1], np.where(np.isnan(ends[1]), ends[0], ends.mean(0)))
    away = np.nan_to_num(np.hypot(*np.moveaxis(tips - rest, -1, 0))) / scene.scale
    near, places = np.zeros(COUNT), np.zeros(len(PLACES))
    rows, columns = np.ogrid[: scene.seen.shape[1], : scene.seen.shape[2]]
    for t in range(2, len(tips) - 2):
        best = np.zeros(len(PLACES))
        for side in (0, 1):
            if away[t, side] <= 0.03 or away[t, side] <= 0.6 * away[t].max():
                continue
            x, y = tips[t, side]
            inside = (columns - x) ** 2 + (rows - y) ** 2 < (0.08 * scene.scale) ** 2
            shown = scene.seen[t][inside]
            near += np.bincount(shown, minlength=256)[:COUNT] / scene.scale**2 * 1e4
            best = np.maximum(best, _near(tips[t, side][None], trees, scene.scale)[0])
        places += best / (len(tips) - 4)
    weight = np.where(np.isnan(at[..., 0]), 0, areas)
    middle = (np.nan_to_num(at) * weight[..., None]).sum(1) / np.maximum(weight.sum(1), 1e-9)[
        :, None
    ]
    gap = np.hypot(*np.moveaxis(tips - middle[:, None], -1, 0)) / scene.scale
    held = np.nan_to_num(np.exp(-((gap / 0.12) ** 2))) * (weight.sum(1) > 0)[:, None]
    early, late = held[1:4].mean(axis=0), held[4:7].mean(axis=0)
    handover = abs((late[1] - late[0]) - (early[1] - early[0]))
    busy = np.sort((away[1:-1] > 0.06).mean(axis=0))
    return np.sqrt(near / max(1, len(tips) - 4)), places, busy, float(handover)


def agreements(one: Action, other: Action) -> dict[str, float]:
    """How far two clips agree, aspect by aspect; more is more alike."""
    known = one.known & other.known
    a, b = np.zeros(COUNT), np.zeros(COUNT)
    for action, weights in ((one, a), (other, b)):
        for kind, course in action.courses.items():
            weights[kind] = course.weight * known[kind]
    size = float(np.sqrt((a @ a) * (b @ b))) + 1e-9
    both = {k: a[k] * b[k] for k in one.courses if k in other.courses}
    total = sum(both.values()) + 1e-9
    out = {
        "moved": float(a @ b) / size,
        "moved kin": cosine(a, b),
        "moved roots": float(np.sqrt(a * b).sum() / np.sqrt(a.sum() * b.sum() + 1e-9)),
    }
    for i, name in enumerate(("first", "midway", "last")):
        same = {k: alike(one.courses[k].places[i], other.courses[k].places[i]) for k in both}
        out[name] = sum(both[k] * same[k] for k in both) / size
    for i, name in enumerate(("net", "farthest", "along", "up")):
        la, lb = ({k: x.courses[k].lengths[i] for k in both} for x in (one, other))
        gaps = {k: abs(la[k] - lb[k]) / (0.1 + la[k] + lb[k]) for k in both}
        out[name] = -sum(both[k] * gaps[k] for k in both) / total
    out["near hand"] = cosine(one.near_hand * known, other.near_hand * known)
    out["hand places"] = alike(one.hand_places, other.hand_places)
    ca, cb = one.change * known, other.change * known
    na, nb = float(np.sqrt(ca @ KIN @ ca)), float(np.sqrt(cb @ KIN @ cb))
    out["change"] = float(ca @ KIN @ cb) / max(na, nb, 1.5) ** 2
    out["change gap"] = -float(np.sqrt(max((ca - cb) @ KIN @ (ca - cb), 0))) / (1 + na + nb)
    out["change cosine"] = float(ca @ KIN @ cb) / (na * nb + 0.5)
    out["hands"] = -float(np.abs(one.hands - other.hands).sum())
    out["handover"] = -abs(one.handover - other.handover)
    return out

"""Where each thing of a household clip is, picture by picture, and where the hands work.

Places are metres on the table. Those of hands and of what moves are counted from the middle of the
two resting hands, to the performer's right and away from the performer, with mirrored homes turned
back: so that a wearer's and a demonstrator's clip can be laid on each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import ndimage

from resources.worlds.household.things import HOMES
from tests.truth.solvers.household_sight import (
    CLASS,
    COUNT,
    PLACES,
    UNSEEN,
    Array,
    Scene,
    alike,
    cosine,
    solid,
)

GLOW, FOAM, TOUCHED = CLASS["glow"], CLASS["foam"], CLASS["touched"]
LEAST_PIXELS, LEAST_CM2, LEAST_MOVED_CM2 = 5, 3.0, 2.0
AROUND_M, NEAR_M, SAME_PLACE_M = 0.12, 0.11, 0.15
# How much the room's camera foreshortens the table.
EXO_DEPTH = 1.8
REST_M = 0.17
FAR_SIDE_M = 0.6


@dataclass(frozen=True)
class Motion:
    """What moves in a clip, by class.

    Attributes:
        moved: how far from its first place, 0 to 1, of things that are tracked.
        stirred: the same with less needed.
        far, net, along: metres farthest from first, from first to last, along the way.
        places: (4, classes, furniture) nearness at the start, one and two thirds, and the end.
        grown: growth of its visible area from first to last, -1 to 1.
        change: signed root of that growth, cm.
        gone: share of the pictures it is not seen in.
        there: whether it is seen at least twice.
        hand: (T, 2) place of the busier hand; `busy` how far it is from rest, metres.
        wobble: spread of the working hand, metres.
        work: where it works.
        side: farthest reach to a side, signed metres.
        glow: growth of the stove's glow, -1 to 1.
        foam: how much foams for a while, 0 to 1.
        touched: how much lights for a while under a finger, 0 to 1.
        weight: root of the mean area of what is off its place, cm.
        spots: (4, classes, 2) places of what is off its place, as `places`.
        shift: growth of the area of each colour in the whole picture, -1 to 1.
        known: classes that look unlike this home.
    """

    moved: Array
    stirred: Array
    far: Array
    net: Array
    along: Array
    places: Array
    grown: Array
    change: Array
    gone: Array
    there: Array
    hand: Array
    busy: Array
    work: Array
    wobble: Array
    side: float
    glow: float
    foam: float
    touched: float
    weight: Array
    spots: Array
    shift: Array
    known: Array


def motion_of(scene: Scene) -> Motion:
    """What moves in a clip."""
    at, areas = _tracks(scene)
    seen = ~np.isnan(at[..., 0])
    times, often, known = len(at), seen.sum(axis=0), scene.known
    first, last = np.full((COUNT, 2), np.nan), np.full((COUNT, 2), np.nan)
    early, late = np.zeros(COUNT), np.zeros(COUNT)
    for t in range(times):
        begins = seen[t] & np.isnan(first[:, 0])
        first[begins], early[begins] = at[t, begins], areas[t, begins]
        last[seen[t]], late[seen[t]] = at[t, seen[t]], areas[t, seen[t]]
    far = np.nan_to_num(np.hypot(*np.moveaxis(at - first, -1, 0))).max(axis=0)
    tracked = (often >= 3) & known
    home = np.full((len(PLACES), 2), np.nan)
    for number, kind in enumerate(PLACES):
        if often[kind] >= 2 and known[kind]:
            home[number] = np.nanmedian(at[:, kind], axis=0)
    near = [_nearness(spot, home) for spot in _at_times(at, (0, 0.36, 0.64, 1))]
    most = np.where(seen, areas, 0).max(axis=0)
    share = (late - early) / (late + early + 1e-9)
    shown = areas > LEAST_CM2
    weight, spots, hands = _off_place(scene)
    counts = np.stack(scene.each(lambda one: np.bincount(one.ravel(), minlength=256)[:COUNT]))
    counts = counts / scene.scale**2 * 1e4
    begin, end = counts[:2].mean(axis=0), counts[-2:].mean(axis=0)
    return Motion(
        moved=np.where(tracked, np.clip((far - 0.03) / 0.15, 0, 1), 0),
        stirred=np.where(tracked, np.clip((far - 0.012) / 0.03, 0, 1), 0),
        far=far,
        net=np.nan_to_num(np.hypot(*(last - first).T)),
        along=np.nansum(np.hypot(*np.moveaxis(np.diff(at, axis=0), -1, 0)), axis=0),
        places=np.array(near),
        grown=np.where(tracked & (most > 6), share, 0),
        change=np.where(tracked, np.sign(late - early) * np.sqrt(np.abs(late - early)), 0),
        gone=np.where(known, 1 - shown.mean(axis=0), 0) * (shown.sum(axis=0) >= 2),
        there=often >= 2,
        **hands,
        glow=float(np.tanh((end - begin)[GLOW] / 15)),
        foam=float(np.tanh(np.ptp(counts[:, FOAM]) / 6)),
        touched=float(np.tanh(np.ptp(counts[:, TOUCHED]) / 6)),
        weight=weight,
        spots=spots,
        shift=np.where(counts.max(axis=0) > 8, (end - begin) / (end + begin + 4), 0),
        known=known,
    )


def _tracks(scene: Scene) -> tuple[Array, Array]:
    """(T, classes, 2) metres on the canvas, nan where cut by the edge or not seen; areas, cm2."""
    at, areas = zip(*scene.each(lambda one: _whereabouts(one, scene.scale)), strict=True)
    return np.array(at) / scene.scale, np.array(areas)


def _whereabouts(one: Array, scale: float) -> tuple[Array, Array]:
    """(classes, 2) pixels in a picture, and areas, cm2."""
    at, areas = np.full((COUNT, 2), np.nan), np.zeros(COUNT)
    told = one != UNSEEN
    rows, columns = np.flatnonzero(told.any(axis=1)), np.flatnonzero(told.any(axis=0))
    window = one[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    whole = solid(window) & (window < COUNT)
    y, x = np.nonzero(whole)
    kinds = window[y, x]
    order = np.argsort(kinds, kind="stable")
    y, x = y[order], x[order]
    bounds = np.searchsorted(kinds[order], np.arange(COUNT + 1))
    cut = np.zeros(256, dtype=bool)
    for edge in (window[:2], window[-2:], window[:, :2], window[:, -2:]):
        cut[edge] = True
    for kind in np.flatnonzero(np.diff(bounds) >= LEAST_PIXELS):
        part = slice(bounds[kind], bounds[kind + 1])
        px, py = x[part], y[part]
        close = (px - _median(px)) ** 2 + (py - _median(py)) ** 2 < (AROUND_M * scale) ** 2
        if np.count_nonzero(close) < 0.6 * len(px):  # two things of a colour: the larger
            labelled, _ = ndimage.label(whole & (window == kind))  # type: ignore[misc]
            py, px = np.nonzero(labelled == np.bincount(labelled.ravel())[1:].argmax() + 1)
        else:
            px, py = px[close], py[close]
        areas[kind] = len(px) / scale**2 * 1e4
        if not cut[kind] and areas[kind] >= LEAST_CM2:
            at[kind] = px.sum() / len(px) + columns[0], py.sum() / len(py) + rows[0]
    return at, areas


def _median(values: Array) -> float:
    middle = len(values) // 2
    return float(np.partition(values, middle)[middle])


def _at_times(at: Array, shares: tuple[float, ...]) -> Array:
    """(moments, classes, 2) places at the seen pictures nearest to shares of the clip."""
    out = np.full((len(shares), *at.shape[1:]), np.nan)
    for kind in range(COUNT):
        seen = np.flatnonzero(~np.isnan(at[:, kind, 0]))
        if len(seen):
            for i, share in enumerate(shares):
                out[i, kind] = at[seen[np.abs(seen - share * (len(at) - 1)).argmin()], kind]
    return out


def _nearness(spots: Array, home: Array) -> Array:
    away = np.hypot(*np.moveaxis(spots[:, None] - home[None], -1, 0))
    out = np.nan_to_num(np.exp(-((away / NEAR_M) ** 2)))
    out[PLACES, np.arange(len(PLACES))] = 0  # a thing is not near itself
    return out


def _off_place(scene: Scene) -> tuple[Array, Array, dict]:
    """Weights and places of what is off its place, and what the hands do."""
    at, areas = (np.array(v) for v in zip(*scene.changes(_off), strict=True))
    tips = scene.tips / scene.scale
    rest = _rest(tips, scene.ego)
    origin = np.nan_to_num(rest.mean(axis=0))
    across = (1 if scene.ego else -1) * (-1 if HOMES[scene.home].mirrored else 1)
    axes = np.array([across, -1.0 if scene.ego else EXO_DEPTH])
    weight = np.sqrt(areas.mean(axis=0))
    spots = _at_times((at / scene.scale - origin) * axes, (0, 0.36, 0.64, 1))
    return weight, spots, _hands((tips - origin) * axes, (rest - origin) * axes)


def _off(one: Array, since: Array, until: Array, scene: Scene) -> tuple[Array, Array]:
    """(classes, 2) pixels of what is off its place in a picture, and areas, cm2."""
    first, last = scene.ends
    at, areas, to_cm2 = np.full((COUNT, 2), np.nan), np.zeros(COUNT), 1e4 / scene.scale**2
    off = (one < COUNT) & ((since & (first != UNSEEN)) | (until & (last != UNSEEN)))
    labelled: Any = ndimage.label(off)
    patches, count = labelled
    large = np.bincount(patches.ravel(), minlength=count + 1) * to_cm2 > LEAST_MOVED_CM2
    y, x = np.nonzero(off & large[patches])
    kinds = one[y, x]
    n = np.bincount(kinds, minlength=COUNT)[:COUNT]
    there = (n * to_cm2 > LEAST_MOVED_CM2) & scene.known
    areas[there] = n[there] * to_cm2
    at[there, 0] = np.bincount(kinds, x, COUNT)[:COUNT][there] / n[there]
    at[there, 1] = np.bincount(kinds, y, COUNT)[:COUNT][there] / n[there]
    return at, areas


def _rest(tips: Array, ego: bool) -> Array:
    """(2, 2) where the hands rest: where they begin and end, one beside the other."""
    ends = tips[[0, -1]]
    rest = np.where(np.isnan(ends[0]), ends[1], np.where(np.isnan(ends[1]), ends[0], ends.mean(0)))
    apart = np.array([2 * REST_M if ego else -2 * REST_M, 0.0])
    if np.isnan(rest).all() and not np.isnan(tips).all():
        rest[:] = np.nanmean(tips.reshape(-1, 2), axis=0)
    if np.isnan(rest[0]).any():
        rest[0] = rest[1] - apart
    if np.isnan(rest[1]).any():
        rest[1] = rest[0] + apart
    return rest


def _hands(hands: Array, rest: Array) -> dict:
    away = np.nan_to_num(np.hypot(*np.moveaxis(hands - rest, -1, 0)))
    moments = np.arange(len(hands))
    hand, busy = np.nan_to_num(hands[moments, away.argmax(axis=1)]), away.max(axis=1)
    middle, weight = hand[2:-2], (busy[2:-2] + 1e-6)[:, None]
    work = (middle * weight).sum(axis=0) / weight.sum()
    across = np.nan_to_num(hands[..., 0]).ravel()
    return {
        "hand": hand,
        "busy": busy,
        "work": work,
        "wobble": np.sqrt(((middle - work) ** 2 * weight).sum(axis=0) / weight.sum()),
        "side": float(across[np.abs(across).argmax()]),
    }


def motions_agree(one: Motion, other: Motion) -> dict[str, float]:
    """How far two clips agree, aspect by aspect; more is more alike."""
    known = one.known & other.known
    return _tracks_agree(one, other, known) | _hands_agree(one, other, known)


def _tracks_agree(one: Motion, other: Motion, known: Array) -> dict[str, float]:
    a, b = one.moved * known, other.moved * known
    both = np.sqrt(a * b)
    total = both.sum() + 0.3
    out = {
        "moved alike": cosine(a, b),
        "moved both": float(np.minimum(a, b).sum()),
        "moved apart": -float(np.abs(a - b).sum()),
        "stirred": cosine(one.stirred * known, other.stirred * known),
    }
    for i, name in enumerate(("start", "third", "two thirds", "end")):
        same = {k: alike(one.places[i, k], other.places[i, k]) for k in np.flatnonzero(both)}
        out[f"track {name}"] = float(sum(both[k] * v for k, v in same.items()) / total)
    for name in ("far", "net", "along"):
        u, v = getattr(one, name), getattr(other, name)
        out[f"track {name}"] = -float((both * np.abs(u - v) / (0.1 + u + v)).sum() / total)
    u, v = one.grown * known, other.grown * known
    out["grown"], out["grown apart"] = float((u * v).sum()), -float(np.abs(u - v).sum())
    out["changed"] = cosine(one.change * known, other.change * known)
    present = known & one.there & other.there
    out["gone apart"] = -float(np.abs(one.gone - other.gone)[present].sum())
    return out


def _hands_agree(one: Motion, other: Motion, known: Array) -> dict[str, float]:
    gap = np.abs(one.hand - other.hand)
    busy = np.minimum(one.busy, other.busy) + 1e-3
    far = abs(one.side) > FAR_SIDE_M, abs(other.side) > FAR_SIDE_M
    out = {
        "glow": one.glow * other.glow,
        "glow apart": -abs(one.glow - other.glow),
        "foam": one.foam * other.foam,
        "foam apart": -abs(one.foam - other.foam),
        "touched": one.touched * other.touched,
        "touched apart": -abs(one.touched - other.touched),
        "busy apart": -float(np.abs(one.busy - other.busy).mean()),
        "side apart": -abs(one.side - other.side),
        "far aside": float(all(far) and one.side * other.side > 0) - float(far[0] != far[1]),
    }
    for i, axis in enumerate("xy"):
        out[f"work {axis}"] = -float(abs(one.work[i] - other.work[i]))
        out[f"hand {axis}"] = -float((gap[:, i] * busy).sum() / busy.sum())
        out[f"wobble {axis}"] = -float(abs(one.wobble[i] - other.wobble[i]))
    u, v = one.weight * known, other.weight * known
    both, size = u * v, float(np.sqrt((u @ u) * (v @ v))) + 1e-9
    out["off place"] = float(both.sum() / size)
    large_u, large_v = (np.where(w > 1.6, np.sqrt(w), 0) for w in (u, v))
    out["large off place"] = cosine(large_u, large_v)
    for i, name in enumerate(("start", "third", "two thirds", "end")):
        away = np.hypot(*(one.spots[i] - other.spots[i]).T)
        same = np.nan_to_num(np.exp(-((away / SAME_PLACE_M) ** 2)))
        out[f"spot {name}"] = float((both * same).sum() / size)
        off = np.nan_to_num(np.minimum(away, 0.6))
        out[f"spot {name} apart"] = -float((both * off).sum() / (both.sum() + 1e-6))
    u, v = one.shift * known, other.shift * known
    out["shift"] = float((u * v).sum())
    u, v = (np.where(np.abs(w) > 0.25, w, 0) for w in (u, v))
    out["large shift"] = float((u * v).sum())
    out["shift apart"] = -float(np.abs(u - v).sum())
    return out

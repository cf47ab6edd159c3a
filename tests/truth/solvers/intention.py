"""Answers "in which direction is the goal now?" from pictures of the flat alone.

It knows what somebody who has been in the flat knows: which panel hangs where, the places things
stand at, the colours of things, the camera's angle of view and the height of the eyes. Everything
else is measured: panels found by colour give the camera's place and heading in each picture (each
frame by itself), the goal's colour in the pictures that show it gives the goal's place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy import ndimage
from scipy.optimize import least_squares

from resources.worlds.flat.palette import CEILING, FLOORS, PEOPLE, WALL
from resources.worlds.flat.places import EYE_M, furniture, panels
from resources.worlds.flat.things import KINDS, blocks

HALF_VIEW_RAD = 0.9773843811168246
_STEP = 8
_SHADES = (0.78, 0.86, 0.93, 1.0)


@dataclass(frozen=True)
class View:
    """Where a picture was taken: place, heading and pitch (radians), pixels of misfit."""

    x: float
    y: float
    yaw: float
    pitch: float
    misfit_px: float
    panels: int


@dataclass(frozen=True)
class Solution:
    """What was read: sector 0..7 (0 front, clockwise), bearing (right positive), goal's place."""

    sector: int
    bearing_deg: float
    goal: tuple[float, float]
    view: View


def sector_of(bearing_deg: float) -> int:
    """Sector of a bearing, 0 = front, clockwise, 45 degrees each."""
    return int(np.floor((bearing_deg + 22.5) / 45)) % 8


# -- colours ---------------------------------------------------------------------------------------


def _chroma(rgb: np.ndarray) -> np.ndarray:
    y = rgb @ np.array([0.299, 0.587, 0.114])
    return np.stack([0.45 * y, 0.564 * (rgb[..., 2] - y), 0.713 * (rgb[..., 0] - y)], axis=-1)


@cache
def _book() -> tuple[np.ndarray, list[str]]:
    """Label of every colour (a cube of coarse cells), and the names of labels; 0 is nothing known."""
    colours: list[tuple[float, ...]] = []
    names: list[str] = []

    def add(name: str, colour: Sequence[float]) -> None:
        colours.append(tuple(min(255.0, v) for v in colour))
        names.append(name)

    for panel in panels():
        add(f"panel:{panel.name}", panel.colour)
    for kind in KINDS.values():
        states = [
            {aspect: value for aspect, values in kind.states for value in values[n : n + 1]}
            for n in (0, 1)
        ]
        for block in {b for state in states for b in blocks(kind, state)}:
            vivid = max(block.colour) - min(block.colour) > 60
            for shade in (1.0,) if block.plain else _SHADES:
                add(f"thing:{kind.name}" if vivid else "", [v * shade for v in block.colour])
    for piece in furniture().values():
        for block in (*piece.blocks, *(b for s in piece.states.values() for b in s)):
            for shade in _SHADES:
                add("", [v * shade for v in block.colour])
    for colour in (WALL, CEILING, *FLOORS.values(), (0, 0, 0), (222, 168, 140), (250, 205, 175)):
        for shade in (0.85, 0.92, 1.0):
            add("", [v * shade for v in colour])
    for colour in PEOPLE:
        for shade in _SHADES:
            add("", [v * shade for v in colour])
    labels = sorted({name for name in names if name})
    number = {name: n for n, name in enumerate(labels, 1)} | {"": 0}
    axis = np.arange(0, 256, _STEP) + _STEP / 2
    cells = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 3)
    known = _chroma(np.array(colours))
    away = np.linalg.norm(_chroma(cells)[:, None] - known[None], axis=-1)
    nearest = away.argmin(1)
    cube = np.array([number[names[k]] for k in nearest])
    cube[away.min(1) > 26] = 0
    side = len(axis)
    return cube.reshape(side, side, side).astype(np.int16), ["", *labels]


def labelled(rgb: np.ndarray) -> np.ndarray:
    """(H, W) label of each pixel by its colour."""
    cube, _ = _book()
    cells = rgb // _STEP
    return cube[cells[..., 0], cells[..., 1], cells[..., 2]]


@dataclass(frozen=True)
class Patch:
    """A connected patch of one label: middle (x, y), pixels, whether it touches the border."""

    x: float
    y: float
    area: int
    cut: bool


def patches(labels: np.ndarray, smallest: int) -> dict[str, Patch]:
    """The largest patch of each label."""
    _, names = _book()
    height, width = labels.shape
    out: dict[str, Patch] = {}
    counts = np.bincount(labels.ravel(), minlength=len(names))
    for number in np.flatnonzero(counts >= smallest).tolist():
        if number == 0:
            continue
        mask = labels == number
        # Where two colours meet a third one shows: thin seams that hold no 3 x 3 pixels of it.
        core = ndimage.binary_erosion(mask, structure=np.ones((3, 3)))
        parts, _ = ndimage.label(mask, structure=np.ones((3, 3)))
        sizes, cores = np.bincount(parts.ravel()), np.bincount(parts[core], minlength=1)
        sizes = np.where(
            np.pad(cores, (0, len(sizes) - len(cores))) >= max(2, 0.12 * smallest), sizes, 0
        )
        sizes[0] = 0
        best = int(sizes.argmax())
        if sizes[best] < smallest:
            continue
        rows, columns = np.nonzero(parts == best)
        cut = bool(
            rows.min() == 0
            or columns.min() == 0
            or rows.max() == height - 1
            or columns.max() == width - 1
        )
        out[names[number]] = Patch(float(columns.mean()), float(rows.mean()), int(sizes[best]), cut)
    return out


# -- where the camera is ---------------------------------------------------------------------------


def _rays(points: np.ndarray, width: int) -> np.ndarray:
    """Pixels to unit directions: right, down, forward."""
    xy = (points - (width - 1) / 2) * (HALF_VIEW_RAD / (width / 2))
    theta = np.hypot(xy[..., 0], xy[..., 1])
    ratio = np.sinc(theta / np.pi)
    return np.stack([xy[..., 0] * ratio, xy[..., 1] * ratio, np.cos(theta)], axis=-1)


def axes_of(yaw: float, pitch: float) -> np.ndarray:
    """Right, down and forward of a camera, as columns."""
    cy, sy, cp, sp = np.cos(yaw), np.sin(yaw), np.cos(pitch), np.sin(pitch)
    forward, right = np.array([cy * cp, sy * cp, sp]), np.array([sy, -cy, 0.0])
    return np.column_stack([right, np.cross(forward, right), forward])


@cache
def _panel_points() -> dict[str, np.ndarray]:
    """A lattice of points on each panel's face."""
    out: dict[str, np.ndarray] = {}
    for panel in panels():
        lo, hi = np.array(panel.lo), np.array(panel.hi)
        thin = int(np.argmin(hi - lo))
        wide = [k for k in range(3) if k != thin]
        u = (np.arange(6) + 0.5) / 6
        grid = np.stack(np.meshgrid(u, u), axis=-1).reshape(-1, 2)
        points = np.empty((36, 3))
        points[:, thin] = (hi if panel.facing[thin] > 0 else lo)[thin]
        points[:, wide] = lo[wide] + grid * (hi - lo)[wide]
        out[f"panel:{panel.name}"] = points
    return out


def project(points: np.ndarray, view: np.ndarray, width: int) -> np.ndarray:
    """Pixels of points of the flat in a view (place, heading, pitch)."""
    local = (points - (view[0], view[1], EYE_M)) @ axes_of(view[2], view[3])
    rho = np.hypot(local[:, 0], local[:, 1])
    scale = (width / 2 / HALF_VIEW_RAD) * np.arctan2(rho, local[:, 2]) / np.maximum(rho, 1e-9)
    return local[:, :2] * scale[:, None] + (width - 1) / 2


def _misfits(view: np.ndarray, found: list[tuple[np.ndarray, Patch]], width: int) -> np.ndarray:
    """Offsets between seen and expected middles of panels, as much of them as the picture holds."""
    out = []
    for points, patch in found:
        pixels = project(points, view, width)
        if patch.cut:
            inside = ((pixels > -0.5) & (pixels < width - 0.5)).all(1)
            pixels = pixels[inside] if inside.any() else pixels
        out.append(pixels.mean(0) - (patch.x, patch.y))
    return np.concatenate(out)


def locate(rgb_patches: dict[str, Patch], width: int, near: Sequence[View] = ()) -> View | None:
    """Place and heading of the camera from the panels in one picture.

    Args:
        rgb_patches: patches by label.
        width: picture width, pixels.
        near: views of neighbouring pictures, tried as starts; the only ones where panels are few.
    """
    named = _panel_points()
    found = [(named[k], p) for k, p in sorted(rgb_patches.items()) if k in named]
    if len(found) < 2:
        return None
    centres = np.array([points.mean(0) for points, _ in found])
    rays = _rays(np.array([(p.x, p.y) for _, p in found]), width)
    weights = np.array([(0.2 if p.cut else 1.0) * min(1.0, p.area**0.5 / 15) for _, p in found])
    best: View | None = None
    for start in [np.array([v.x, v.y, v.yaw, v.pitch]) for v in near]:
        best = _better(best, start, found, width)
    grid = _grid()
    toward = centres[None] - grid[:, None]
    toward /= np.linalg.norm(toward, axis=2, keepdims=True)
    u, _, vt = np.linalg.svd(np.einsum("gpi,p,pj->gij", toward, weights, rays))
    u[:, :, 2] *= np.sign(np.linalg.det(u @ vt))[:, None]
    turns = u @ vt
    gaps = np.linalg.norm(np.einsum("gij,pj->gpi", turns, rays) - toward, axis=2)
    score = gaps @ weights / weights.sum() + 0.5 * np.abs(turns[:, 2, 0])
    for k in np.argsort(score, kind="stable")[:6]:
        if best is not None and best.panels >= 3 and best.misfit_px < 0.006 * width:
            break
        forward = turns[k, :, 2]
        yaw, pitch = np.arctan2(forward[1], forward[0]), np.arcsin(np.clip(forward[2], -1, 1))
        best = _better(best, np.array([grid[k, 0], grid[k, 1], yaw, pitch]), found, width)
    return best


@cache
def _grid() -> np.ndarray:
    """Places to try, at the height of the eyes."""
    rooms = (np.arange(0.4, 3.9, 0.35), np.arange(4.3, 7.9, 0.35))
    return np.array([(x, y, EYE_M) for xs in rooms for x in xs for y in np.arange(0.4, 3.9, 0.35)])


def _better(
    best: View | None, start: np.ndarray, found: list[tuple[np.ndarray, Patch]], width: int
) -> View | None:
    """The view fitted from this start, if it explains the panels better than the best one so far."""
    kept = found
    for _ in range(2):
        fit = least_squares(
            _misfits, start, args=(kept, width), loss="soft_l1", f_scale=1.5, max_nfev=25
        )
        gaps = np.hypot(*_misfits(fit.x, kept, width).reshape(-1, 2).T)
        good = [f for f, gap in zip(kept, gaps, strict=True) if gap < 4.0]
        if len(good) == len(kept) or len(good) < 2:
            break
        kept, start = good, fit.x
    gaps = np.hypot(*_misfits(fit.x, found, width).reshape(-1, 2).T)
    misfit = float(np.mean(np.minimum(gaps, 12.0)))
    x, y, yaw, pitch = (float(v) for v in fit.x)
    possible = -0.1 < x < 8.2 and -0.1 < y < 4.1 and abs(pitch) < 1.3
    if possible and (best is None or misfit < best.misfit_px):
        return View(x, y, yaw, pitch, misfit, len(kept))
    return best


# -- where the goal is -----------------------------------------------------------------------------


def kind_of(name: str) -> str | None:
    """The kind of thing or furniture that a question's words name."""
    said = name.lower().replace("_", "").replace(" ", "").rstrip("0123456789")
    for kind in KINDS.values():
        if said in (kind.name, kind.prototype.lower(), kind.category):
            return kind.name
    categories = [piece.category for piece in furniture().values()]
    for piece in furniture().values():
        alone = categories.count(piece.category) == 1
        if said == piece.name.replace(" ", "") or (alone and said == piece.category):
            return piece.name
    return None


@cache
def _places() -> np.ndarray:
    return np.array([slot for piece in furniture().values() for slot in piece.slots])


def _goal_place(kind: str, seen: list[tuple[View, Patch]], width: int) -> np.ndarray | None:
    """The place that explains the patches of the goal best, the latest ones most."""
    if not seen:
        return None
    tall = KINDS[kind].size_m
    places = _places() + np.array([0.0, 0.0, tall[2] / 2])
    cost = np.zeros(len(places))
    for weight, (view, patch) in enumerate(seen, 1):
        axes = axes_of(view.yaw, view.pitch)
        ray = axes @ _rays(np.array([patch.x, patch.y]), width)
        toward = places - (view.x, view.y, EYE_M)
        far = np.linalg.norm(toward, axis=1)
        angle = np.arccos(np.clip((toward / far[:, None]) @ ray, -1, 1))
        broad = np.sqrt((tall[0] + tall[1]) / 2 * tall[2] * 0.8 + tall[0] * tall[1] * 0.5)
        expected = (width / 2 / HALF_VIEW_RAD * broad / far) ** 2
        size = np.abs(np.log(np.maximum(patch.area, 1) / expected))
        cost += weight * (
            np.minimum(angle, 0.5) * (0.3 if patch.cut else 1.0) + 0.05 * np.minimum(size, 2.0)
        )
    return places[int(cost.argmin())]


def views_of(
    found: Sequence[dict[str, Patch]], width: int, wanted: Sequence[int]
) -> dict[int, View | None]:
    """Where some pictures were taken, the last one always among them.

    Args:
        found: Patches of each picture.
        width: Their width, pixels.
        wanted: Numbers of the pictures.
    """
    last = len(found) - 1
    views: dict[int, View | None] = {}
    for n in sorted({*wanted, last}):
        views[n] = locate(found[n], width, [v for v in list(views.values())[-1:] if v])
    now = views[last]
    if now is None or now.panels < 3:
        solid = [v for v in views.values() if v and v.panels >= 3 and v.misfit_px < 2.5]
        views[last] = (locate(found[last], width, solid[-3:]) if solid else None) or now
    return views


def showing(kind: str, found: Sequence[dict[str, Patch]]) -> list[int]:
    """The latest pictures that show a kind of thing."""
    return [n for n, one in enumerate(found) if f"thing:{kind}" in one][-4:]


def place_of(
    kind: str, found: Sequence[dict[str, Patch]], views: Mapping[int, View | None], width: int
) -> np.ndarray | None:
    """Where a thing is, or a piece of furniture; None where no picture tells.

    Args:
        kind: What it is (`kind_of`).
        found: Patches of each picture.
        views: Where those that show it were taken.
        width: Width of the pictures, pixels.
    """
    if kind in furniture():
        lo, hi = furniture()[kind].bounds
        return (np.array(lo) + hi) / 2
    name = f"thing:{kind}"
    seen = [
        (v, found[n][name]) for n in showing(kind, found) if (v := views.get(n)) and v.misfit_px < 4
    ]
    return _goal_place(kind, seen, width)


def solve(frames: Sequence[np.ndarray], goal: str) -> Solution | None:
    """Sector of the goal at the last picture.

    Args:
        frames: (H, W, 3) uint8 RGB pictures in time order, the last one shows "now".
        goal: the goal's name in the question, or its instance name.

    Returns:
        None where the pictures do not tell.
    """
    kind = kind_of(goal)
    if kind is None:
        return None
    width = frames[0].shape[1]
    found = patches_of(frames)
    # The latest pictures that show the goal and the last one are all that matters.
    views = views_of(found, width, showing(kind, found))
    now = views[len(frames) - 1]
    place = None if now is None else place_of(kind, found, views, width)
    if now is None or place is None:
        return None
    bearing = bearing_deg(now, float(place[0]), float(place[1]))
    return Solution(sector_of(bearing), bearing, (float(place[0]), float(place[1])), now)


def patches_of(frames: Sequence[np.ndarray]) -> list[dict[str, Patch]]:
    """Patches of each picture."""
    width = frames[0].shape[1]
    return [patches(labelled(frame), smallest=max(6, width * width // 6000)) for frame in frames]


def bearing_deg(view: View, x: float, y: float) -> float:
    """Direction of a place on the ground from where a picture looks, right positive."""
    bearing = float(np.degrees(view.yaw - np.arctan2(y - view.y, x - view.x)))
    return 180 - (180 - bearing) % 360

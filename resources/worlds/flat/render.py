"""Draws boxes: a painter's renderer whose order is exact for disjoint axis-aligned boxes.

One drawing gives picture and identities: faces are filled with their number, and numbers are then
looked up as colours or as owners, so that both always agree to the pixel.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from resources.worlds.flat.camera import Camera, Floats, Pose

Ints = npt.NDArray[np.int32]
Bytes = npt.NDArray[np.uint8]

# Corner k has bit 0, 1, 2 for the high side in x, y, z. Faces turn counterclockwise from outside.
_FACES: Final = np.array(
    [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]]
)
_BITS: Final = np.array([[(k >> axis) & 1 for axis in range(3)] for k in range(8)], dtype=float)
_SHADES: Final = np.array([0.86, 0.86, 0.93, 0.93, 0.78, 1.0])
_NEAR_M: Final = 0.02
_FINE: Final = 8


@dataclass(frozen=True)
class Scene:
    """Boxes to draw.

    Attributes:
        corners: (N, 8, 3) world corners, bit k of the index = high side of local axis k.
        colours: (N, 6, 3) uint8 per face (-x, +x, -y, +y, -z, +z).
        owners: (N,) number of the thing a box belongs to; 0 = nobody's (walls, floor, panels).
    """

    corners: Floats
    colours: Bytes
    owners: Ints

    def joined(self, other: Scene) -> Scene:
        """Both scenes' boxes."""
        return Scene(
            np.concatenate([self.corners, other.corners]),
            np.concatenate([self.colours, other.colours]),
            np.concatenate([self.owners, other.owners]),
        )


@dataclass(frozen=True)
class Picture:
    """A rendered picture.

    Attributes:
        rgb: (H, W, 3) uint8.
        numbers: (H, W) face number at each pixel, 0 = nothing; `names` maps it to the owner.
    """

    rgb: Bytes
    numbers: npt.NDArray[np.integer]
    names: Ints

    @property
    def owners(self) -> Ints:
        """(H, W) int32, the owner of what is seen at each pixel."""
        return self.names[self.numbers]


def box_corners(lo: npt.ArrayLike, hi: npt.ArrayLike) -> Floats:
    """(..., 8, 3) corners of axis-aligned boxes."""
    lo_, hi_ = np.asarray(lo, float)[..., None, :], np.asarray(hi, float)[..., None, :]
    return lo_ + (hi_ - lo_) * _BITS


def painted(colour: npt.ArrayLike, plain: npt.ArrayLike) -> Bytes:
    """(..., 6, 3) face colours: flat shading by face, or one colour where `plain`."""
    shades = np.where(np.asarray(plain, bool)[..., None], 1.0, _SHADES)
    values = np.asarray(colour, float)[..., None, :] * shades[..., None]
    return np.clip(np.round(values), 0, 255).astype(np.uint8)


def _clipped(faces: Floats) -> Floats:
    """(M, 4, 3) quads to (M, 8, 3) with z >= near; slots without a vertex repeat another one."""
    following = np.roll(faces, -1, axis=1)
    z, zn = faces[..., 2], following[..., 2]
    inside, crosses = z >= _NEAR_M, (z >= _NEAR_M) != (zn >= _NEAR_M)
    step = np.where(crosses, (_NEAR_M - z) / np.where(crosses, zn - z, 1.0), 0.0)
    cut = faces + (following - faces) * step[..., None]
    slots = np.stack([faces, cut], axis=2).reshape(len(faces), 8, 3)
    used = np.stack([inside, crosses], axis=2).reshape(len(faces), 8)
    where = np.where(used, np.arange(8), -1)
    last = np.maximum.accumulate(where, axis=1)
    last = np.where(last < 0, last[:, -1:], last)
    return np.take_along_axis(slots, last[..., None], axis=1)


def _curved(faces: Floats, pieces: int) -> Floats:
    """Adds points on the edges: (M, K, 3) to (M, K * pieces, 3)."""
    following = np.roll(faces, -1, axis=1)
    steps = (np.arange(pieces) / pieces)[None, None, :, None]
    points = faces[:, :, None, :] + (following - faces)[:, :, None, :] * steps
    return points.reshape(len(faces), -1, 3)


def _order(lo: Floats, hi: Floats, eye: Floats, boxes: Floats) -> list[int]:
    """Far to near: a box is drawn before any that may hide part of it.

    Args:
        lo: (N, 3) lower world bounds.
        hi: (N, 3) upper world bounds.
        eye: camera position.
        boxes: (N, 4) picture bounds; boxes apart in the picture need no order.
    """
    # j lies behind a plane that leaves the eye and i on the other side: j cannot hide i.
    apart_hi = (hi[:, None] <= lo[None] + 1e-9) & (eye <= lo)[None]
    apart_lo = (lo[:, None] >= hi[None] - 1e-9) & (eye >= hi)[None]
    harmless = np.asarray((apart_hi | apart_lo).any(axis=2))
    beside = (boxes[:, None, :2] < boxes[None, :, 2:]).all(2)
    overlap = np.asarray(beside & beside.T)
    waits = np.asarray(harmless & ~harmless.T & overlap)  # waits[i, j]: i is drawn after j
    np.fill_diagonal(waits, False)
    distance = np.linalg.norm(np.maximum(np.maximum(lo - eye, eye - hi), 0), axis=1)
    distance += 1e-3 * np.linalg.norm((lo + hi) / 2 - eye, axis=1)
    pending = waits.sum(axis=1)
    key = np.where(pending == 0, distance, -1.0)
    out: list[int] = []
    left = distance.copy()
    for _ in range(len(lo)):
        best = int(key.argmax())
        if key[best] < 0:  # a ring of boxes, or boxes inside each other: the farthest goes first
            best = int(left.argmax())
        out.append(best)
        left[best] = key[best] = -2.0
        freed = waits[:, best]
        if freed.any():
            pending[freed] -= 1
            now = freed & (pending == 0) & (left > -1.5)
            key[now] = distance[now]
    return out


@dataclass(frozen=True)
class _Projected:
    """Faces that touch the picture: outlines (flat x, y lists), box and side, picture bounds."""

    outlines: list[list[float]]
    box: npt.NDArray[np.intp]
    side: npt.NDArray[np.intp]
    low: Floats
    high: Floats


def _cross(a: Floats, b: Floats) -> Floats:
    """Cross product along the last axis (numpy's own takes ten times as long for few rows)."""
    ax, ay, az, bx, by, bz = a[..., 0], a[..., 1], a[..., 2], b[..., 0], b[..., 1], b[..., 2]
    return np.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], axis=-1)


def _faces(camera: Camera, pose: Pose, corners: Floats) -> _Projected:
    """Projects the faces of boxes (N, 8, 3) that look at the camera."""
    local = pose.to_local(corners)
    keep = np.flatnonzero(local[..., 2].max(axis=1) > _NEAR_M)
    quads = local[keep][:, _FACES]  # (N, 6, 4, 3)
    first = quads[:, :, 0]
    normal = _cross(quads[:, :, 1] - first, quads[:, :, 3] - first)
    facing = ((normal * first).sum(-1) < -1e-12) & (quads[..., 2].max(-1) > _NEAR_M)
    box, side = np.nonzero(facing)
    faces = quads[box, side]
    depth = faces[..., 2].min(1)
    near = depth < _NEAR_M
    if camera.model == "pinhole":
        groups = ((np.flatnonzero(~near), 1), (np.flatnonzero(near), 1))
    else:
        # A straight edge is a curve to a fisheye: long ones get points in between.
        extent = np.abs(faces.max(1) - faces.min(1)).max(-1)
        bent = extent > 0.12 * np.maximum(depth, 0.05)
        groups = (
            (np.flatnonzero(~near & ~bent), 1), (np.flatnonzero(~near & bent), _FINE),
            (np.flatnonzero(near), 2 * _FINE),
        )  # fmt: skip
    outlines: list[list[float]] = [[]] * len(box)
    low, high = np.empty((len(box), 2)), np.empty((len(box), 2))
    for chosen, pieces in groups:
        if not chosen.size:
            continue
        part = faces[chosen]
        if near[chosen[0]]:
            part = _clipped(part)
        flat = camera.project(_curved(part, pieces) if pieces > 1 else part)
        np.clip(flat, -4000, 4000, out=flat)
        low[chosen], high[chosen] = flat.min(1), flat.max(1)
        for at, points in zip(chosen.tolist(), flat.reshape(len(chosen), -1).tolist(), strict=True):
            outlines[at] = points
    inside = (high > -0.5).all(1) & (low < (camera.width_px - 0.5, camera.height_px - 0.5)).all(1)
    return _Projected(
        [outlines[k] for k in np.flatnonzero(inside)],
        keep[box[inside]],
        side[inside],
        low[inside],
        high[inside],
    )


def render(
    camera: Camera, pose: Pose, scene: Scene, backdrop: tuple[int, int, int] = (0, 0, 0)
) -> Picture:
    """Picture and owners of a scene; where nothing is, the backdrop is seen."""
    seen = _faces(camera, pose, scene.corners)
    present, first = np.unique(seen.box, return_inverse=True)
    bounds = np.empty((len(present), 4))
    bounds[:, :2], bounds[:, 2:] = np.inf, -np.inf
    np.minimum.at(bounds[:, :2], first, seen.low)
    np.maximum.at(bounds[:, 2:], first, seen.high)
    world = scene.corners[present]
    rank = np.empty(len(present), int)
    rank[_order(world.min(1), world.max(1), pose.position, bounds)] = np.arange(len(present))
    order = np.argsort(rank[first], kind="stable")
    colours = np.zeros((len(order) + 1, 3), np.uint8)
    colours[0] = backdrop
    colours[1:] = scene.colours[seen.box[order], seen.side[order]]
    names = np.zeros(len(order) + 1, np.int32)
    names[1:] = scene.owners[seen.box[order]]
    few = len(order) < 256
    image = Image.new("P" if few else "I", (camera.width_px, camera.height_px))
    pen = ImageDraw.Draw(image)
    for number, k in enumerate(order.tolist(), 1):
        pen.polygon(seen.outlines[k], fill=number)
    numbers = np.asarray(image)
    if few:
        image.putpalette(colours.tobytes())
        return Picture(np.asarray(image.convert("RGB")), numbers, names)
    return Picture(colours[numbers], numbers, names)


def whole_pixels(camera: Camera, pose: Pose, scene: Scene, margin: float = 0.0) -> dict[int, int]:
    """Pixels each owner would fill with nothing in front of it, parts beyond the border included.

    Args:
        camera: the camera.
        pose: `T_world_camera`.
        scene: the boxes of all owners asked for.
        margin: pixels counted beyond each border, as a share of the picture's width.
    """
    pad = round(margin * camera.width_px)
    size = (camera.width_px + 2 * pad, camera.height_px + 2 * pad)
    padded = Camera(camera.name, camera.model, *size, camera.focal_px, camera.person_id)
    seen = _faces(padded, pose, scene.corners)
    owners = scene.owners[seen.box]
    out: dict[int, int] = {}
    for owner in np.unique(owners).tolist():
        mine = np.flatnonzero(owners == owner)
        low = np.maximum(np.floor(seen.low[mine].min(0)).astype(int) - 1, 0)
        high = np.minimum(np.ceil(seen.high[mine].max(0)).astype(int) + 2, size)
        image = Image.new("1", (int(high[0] - low[0]), int(high[1] - low[1])))
        pen = ImageDraw.Draw(image)
        for k in mine.tolist():
            pen.polygon((np.reshape(seen.outlines[k], (-1, 2)) - low).ravel().tolist(), fill=1)
        out[owner] = int(np.count_nonzero(np.asarray(image)))
    return out


def outlines(camera: Camera, pose: Pose, corners: Floats) -> Floats:
    """Exact picture bounds x_min, y_min, x_max, y_max of boxes, unclipped by the border.

    Args:
        camera: the camera.
        pose: `T_world_camera`.
        corners: (N, 8, 3) world corners.

    Returns:
        (N, 4); NaN for a box of which any part lies behind the camera's near plane.
    """
    local = pose.to_local(corners)
    points = camera.project(_curved(local[:, _FACES[:4]].reshape(-1, 4, 3), 6)).reshape(
        len(corners), -1, 2
    )
    bounds = np.concatenate([points.min(1), points.max(1)], axis=1)
    bounds[(local[..., 2] < _NEAR_M).any(1)] = np.nan
    return bounds

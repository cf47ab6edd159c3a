"""Camera models: points in front of a camera to pixels, and pixels to the upright picture.

Camera frame: x right, y down, z forward, in the image the model speaks of. An Aria sensor lies on
its side: its upright picture is turned 90 degrees clockwise (x' = H - 1 - y, y' = x).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assets.scene_graphs.rotation import Array

Mask = NDArray[np.bool_]
MAX_ANGLE_RAD = float(np.radians(85))
"""Rays further from the axis are out of any picture; the models' polynomials turn back there."""


@dataclass(frozen=True, slots=True)
class Camera:
    """Intrinsics of a camera.

    Attributes:
        model: `pinhole`, `kannala_brandt`, `fisheye624` or `opencv_rational`.
        image_space: `sensor` (unrotated Aria), `upright` or `stored`.
        width_px: Image width.
        height_px: Image height.
        fx_px: Focal length, x.
        fy_px: Focal length, y.
        cx_px: Principal point, x; pixel centres are whole numbers.
        cy_px: Principal point, y.
        distortion: Coefficients in the model's order.
    """

    model: str
    image_space: str
    width_px: int
    height_px: int
    fx_px: float
    fy_px: float
    cx_px: float
    cy_px: float
    distortion: tuple[float, ...] = ()

    def project(self, points: ArrayLike) -> tuple[Array, Mask]:
        """Pixels of points in the camera's frame, and which lie in front of it.

        Args:
            points: Shape (..., 3), metres.

        Returns:
            Pixels (..., 2), not a number behind the camera; and the mask (...).

        Raises:
            ValueError: The model is unknown, or its coefficients have another number.
        """
        points = np.asarray(points, dtype=float)
        x, y, z = np.moveaxis(points, -1, 0)
        angle = np.arctan2(np.hypot(x, y), z)
        front = angle < MAX_ANGLE_RAD
        safe = np.where(front, z, np.nan)
        plane = np.stack([x / safe, y / safe], axis=-1)
        flat = _distort(self.model, np.asarray(self.distortion, dtype=float), plane)
        pixels = flat * [self.fx_px, self.fy_px] + [self.cx_px, self.cy_px]
        return pixels, front

    def upright(self, pixels: ArrayLike) -> Array:
        """Pixels of this image as shares (0 to 1) of the upright picture's width and height."""
        pixels = np.asarray(pixels, dtype=float)
        x, y = pixels[..., 0], pixels[..., 1]
        if self.image_space == "sensor":
            turned = [(self.height_px - 0.5 - y) / self.height_px, (x + 0.5) / self.width_px]
        else:
            turned = [(x + 0.5) / self.width_px, (y + 0.5) / self.height_px]
        return np.stack(turned, axis=-1)

    def seen(self, points: ArrayLike, border: float = 0.0) -> tuple[Array, Mask]:
        """Place of points in the upright picture, and which lie inside it.

        Args:
            points: In the camera's frame, shape (..., 3).
            border: Share of width and height that does not count as inside.
        """
        pixels, front = self.project(points)
        place = self.upright(pixels)
        with np.errstate(invalid="ignore"):
            inside = np.all((place >= border) & (place <= 1 - border), axis=-1)
        return place, front & inside


def _distort(model: str, k: Array, plane: Array) -> Array:
    if model not in _MODELS:
        raise ValueError(f"camera model {model!r} is not one of {sorted(_MODELS)}")
    counts, make = _MODELS[model]
    if len(k) not in counts:
        raise ValueError(f"{model} has {len(k)} coefficients, not {' or '.join(map(str, counts))}")
    return make(k, plane)


def _pinhole(_k: Array, plane: Array) -> Array:
    return plane


def _bent(k: Array, plane: Array) -> Array:
    """Radial fisheye: angle plus a polynomial of odd powers from the third on."""
    r = np.linalg.norm(plane, axis=-1)
    angle = np.arctan(r)
    powers = np.stack([angle ** (3 + 2 * at) for at in range(len(k))], axis=-1) if len(k) else 0.0
    bent = angle + (np.sum(powers * k, axis=-1) if len(k) else 0.0)
    scale = np.where(r > 1e-9, bent / np.where(r > 1e-9, r, 1.0), 1.0)
    return plane * scale[..., None]


def _fisheye624(k: Array, plane: Array) -> Array:
    """Six radial, two tangential and four thin-prism coefficients (Aria)."""
    p = _bent(k[:6], plane)
    r2 = np.sum(p * p, axis=-1, keepdims=True)
    along = 2.0 * np.sum(p * k[6:8], axis=-1, keepdims=True)
    prism = np.concatenate([k[8] * r2 + k[9] * r2**2, k[10] * r2 + k[11] * r2**2], axis=-1)
    return p + along * p + r2 * k[6:8] + prism


def _opencv_rational(k: Array, plane: Array) -> Array:
    """OpenCV order: k1, k2, p1, p2, k3, k4, k5, k6."""
    k = np.concatenate([k, np.zeros(8 - len(k))])
    x, y = plane[..., 0], plane[..., 1]
    r2 = x * x + y * y
    radial = (1 + r2 * (k[0] + r2 * (k[1] + r2 * k[4]))) / (
        1 + r2 * (k[5] + r2 * (k[6] + r2 * k[7]))
    )
    return np.stack(
        [
            x * radial + 2 * k[2] * x * y + k[3] * (r2 + 2 * x * x),
            y * radial + k[2] * (r2 + 2 * y * y) + 2 * k[3] * x * y,
        ],
        axis=-1,
    )


_MODELS: dict[str, tuple[tuple[int, ...], Callable[[Array, Array], Array]]] = {
    "pinhole": ((0,), _pinhole),
    "kannala_brandt": ((0, 1, 2, 3, 4), _bent),
    "fisheye624": ((12,), _fisheye624),
    "opencv_rational": ((0, 4, 5, 8), _opencv_rational),
}

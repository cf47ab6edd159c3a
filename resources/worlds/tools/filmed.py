"""What writers need of a take, whichever world it is of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

import numpy as np
import numpy.typing as npt

from resources.worlds.flat.camera import Camera, Floats, Pose


class Drawn(Protocol):
    """How richly a world is drawn."""

    @property
    def seed(self) -> str:
        """Name of the world."""
        ...

    @property
    def render(self) -> str:
        """`full`, `small` or `none`."""
        ...


class Filmed(Protocol):
    """A take with cameras; times are seconds from its start."""

    @property
    def take_id(self) -> str:
        """Its name in its world."""
        ...

    @property
    def spec(self) -> Drawn:
        """The world's spec."""
        ...

    @property
    def duration_s(self) -> float:
        """Its length."""
        ...

    def camera(self, name: str) -> Camera:
        """A camera's intrinsics."""
        ...

    def camera_pose(self, name: str, t_s: float) -> Pose:
        """`T_world_camera` of the upright picture's camera."""
        ...

    def gaze_target(self, t_s: float) -> tuple[str, Floats]:
        """What is looked at and where."""
        ...

    def frames(self, camera: str, times: Iterable[float]) -> Iterator[npt.NDArray[np.uint8]]:
        """Pictures at times."""
        ...

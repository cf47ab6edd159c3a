"""Which part of a way lies where the wearer could see that nothing bars it: walls have no boxes.

Where a thing is seen, nothing stands between it and the camera. A piece of a way that lies between two
such lines of sight, one to its left and one to its right, is crossed by no wall: a wall would have to
cross one of them or end between the two. Away from the ends of a way the two lines must leave room for a
person, who would else walk into a doorpost. Near its ends the wearer or the goal stands.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
import polars as pl

from assets.navigation.occupancy import WIDENED_M, Point
from assets.scene_graphs.projection import Mask
from assets.scene_graphs.rotation import Pose
from assets.scene_graphs.tracks import Body, Thing

WINDOW_S = 8.0
"""Sights count if they are not older; longer clips are not shown."""
MOSTLY = 0.6
"""Share of a thing that is visible on average; the middle of what is seen in part may be hidden."""
_EVERY_S = 0.25
_PIECE_M = 0.3
_SHORTEST_M = 0.3
# A line near the ends of a way may lie this far on the wrong side of a piece; any, on the right side and short of it.
_BESIDE_M, _AWAY_M, _SHORT_M = 0.05, 0.6, 0.3
_ENDS_M = 1.0


class SightLines:
    """Lines from the camera to things that are seen, on the ground.

    Args:
        facts: Rows of `spatial_facts` of one recording.
        things: Its objects.
        body: What carries its camera.
        body_camera: T_body_camera.
    """

    def __init__(
        self, facts: pl.DataFrame, things: Mapping[str, Thing], body: Body, body_camera: Pose
    ) -> None:
        seen = facts.filter((pl.col("operator") == "visible") & (pl.col("value") >= MOSTLY))
        rows = []
        for fact in seen.iter_rows(named=True):
            thing = things.get(fact["object_id"])
            if thing is None:
                continue
            start, end = fact["t_s"], fact["t_s"] if fact["end_s"] is None else fact["end_s"]
            for t_s in np.arange(start, end + 1e-9, _EVERY_S).tolist():
                camera, pose = body.camera_at(t_s, body_camera), int(thing.track.at(t_s))
                if camera is not None and pose >= 0:
                    rows.append((t_s, *camera[0].t[:2], *thing.centre(pose)[:2]))
        lines = np.array(rows, dtype=float).reshape(-1, 5)
        along = lines[:, 3:] - lines[:, 1:3]
        length = np.hypot(*along.T)
        far = length > _SHORTEST_M
        self._t_s, self._from, self._length = lines[far, 0], lines[far, 1:3], length[far]
        self._ahead = along[far] / self._length[:, None]

    def share(self, points: Sequence[Point], t_s: float) -> float:
        """Share of a way's length that lies between lines of sight of the seconds before an instant.

        Args:
            points: The way, in metres of the world.
            t_s: The instant.
        """
        recent = (self._t_s <= t_s) & (self._t_s >= t_s - WINDOW_S)
        begin, ahead, length = self._from[recent], self._ahead[recent], self._length[recent]
        seen = total = 0.0
        for one, other in pairwise(points):
            n = math.ceil(math.dist(one, other) / _PIECE_M)
            cuts = np.linspace(one, other, n + 1)
            away = cuts[:, None] - begin
            along = (away * ahead).sum(-1)
            left = away[..., 1] * ahead[:, 0] - away[..., 0] * ahead[:, 1]
            beside = (along > -_SHORT_M) & (along < length + _SHORT_M)
            to_ends = [np.hypot(*(cuts - end).T) for end in (points[0], points[-1])]
            room = np.where(np.minimum(*to_ends) > _ENDS_M, WIDENED_M, -_BESIDE_M)[:, None]
            sides = [
                _both_ends(beside & (side > room) & (side < _AWAY_M)) for side in (left, -left)
            ]
            seen += float((sides[0] & sides[1]).mean()) * math.dist(one, other)
            total += math.dist(one, other)
        return seen / total


def _both_ends(holds: Mask) -> Mask:
    """Whether any line holds at both ends of each piece, shape (pieces,).

    Args:
        holds: At each cut and for each line, shape (pieces + 1, lines).
    """
    return np.any(holds[:-1] & holds[1:], axis=1)

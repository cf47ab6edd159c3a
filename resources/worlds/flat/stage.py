"""The stage of a take: what is on it, where it may be put, and what was done with it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from resources.worlds.flat.camera import Camera
from resources.worlds.flat.places import Furniture, Point, furniture
from resources.worlds.flat.things import Kind
from resources.worlds.flat.tracks import ThingKey
from resources.worlds.flat.truth import Action


@dataclass
class Item:
    """A thing on stage: prototype, motion so far, states so far, and what it stands on."""

    instance: str
    kind: Kind
    on: str
    keys: list[ThingKey]
    states: list[tuple[float, str, str]]

    @property
    def point(self) -> Point:
        """Middle of its underside where it rests."""
        return self.keys[-1].at

    @property
    def middle(self) -> Point:
        """Its middle where it rests."""
        x, y, z = self.point
        return x, y, z + self.kind.size_m[2] / 2


@dataclass
class Stage:
    """All that is shared by the people of a take."""

    key: str
    camera: Camera
    items: dict[str, Item]
    furniture_states: dict[str, list[tuple[float, str]]] = field(default_factory=dict)
    actions: list[Action] = field(default_factory=list)

    def _free(self, piece: Furniture) -> list[Point]:
        taken = [item.point for item in self.items.values() if not item.keys[-1].holder]
        return [
            s
            for s in piece.slots
            if all(
                np.hypot(s[0] - p[0], s[1] - p[1]) > 0.15 or abs(s[2] - p[2]) > 0.3 for p in taken
            )
        ]

    def has_room(self, name: str) -> bool:
        """Whether a piece of furniture has a slot that no thing rests on."""
        return bool(self._free(furniture()[name]))

    def free_slot(self, piece: Furniture, near: tuple[float, float]) -> Point:
        """A slot of the furniture that no thing rests on, the nearest to a place."""
        free = self._free(piece)
        if not free:
            raise ValueError(
                f"{self.key}: no free slot on {piece.name}; use another target in the script"
            )
        return min(free, key=lambda s: (round(np.hypot(s[0] - near[0], s[1] - near[1]), 3), s))

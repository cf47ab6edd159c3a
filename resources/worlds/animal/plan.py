"""Plans clips: whose they are, what the animal turns to and when."""

from __future__ import annotations

import hashlib
from typing import Final

from resources.worlds.animal.truth import (
    ANIMALS,
    OBJECTS,
    Animals,
    AnimalSpec,
    Clip,
    Interaction,
)
from resources.worlds.tools.chance import between, unit

SIZE: Final = {"full": (176, 104), "small": (88, 52), "none": (176, 104)}
_NUMBERS: Final = ("1", "017", "3", "081", "004", "12", "0107", "6")
_COUNTS: Final = (2, 3, 1, 2, 0, 3, 2, 4, 1, 0, 3, 2)
"""Interactions by clip; clips without any are rows of NONE."""
_OVER: Final = 3
"""The clip whose last interaction ends a second after the stated length."""
_CONFUSED: Final = 9
"""The clip that the list of walks gives to another animal."""
_UNSEARCHED: Final = (10, 11)
"""Clips that nobody searched for interactions: the second is in the list for pretraining only."""


def plan_animals(spec: AnimalSpec) -> Animals:
    """The truth of a path; equal specs give equal paths, whatever is drawn."""
    return Animals(spec, tuple(_clip(spec, index) for index in range(spec.clips)))


def _clip(spec: AnimalSpec, index: int) -> Clip:
    key = (spec.seed, "animal", index)
    animal = ANIMALS[index % len(ANIMALS)]
    # Two segments in a row of one animal come from one edited video.
    group = index // len(ANIMALS) // 2
    video = f"{spec.seed}/{animal}/{group}"
    names = sorted(OBJECTS, key=lambda name: unit(*key, "object", name))
    made: list[Interaction] = []
    end = 1
    for at in range(_COUNTS[index % len(_COUNTS)]):
        start = end + round(between(2.5, 4.5, *key, "wait", at))
        end = start + round(between(2, 6, *key, "length", at))
        made.append(Interaction(names[at], start, end))
    total = end + round(between(3, 6, *key, "rest"))
    if index == _OVER and made:
        total = made[-1].end_s - 1
    confused = index == _CONFUSED
    return Clip(
        sha=hashlib.sha256(video.encode()).hexdigest(),
        number=_NUMBERS[index % len(_NUMBERS)] if index < 8 else f"{index:03d}",
        animal=animal,
        split="val" if (index % len(ANIMALS) + group) % 3 == 2 else "train",
        total_s=total,
        duration_s=total + 0.6,
        size=SIZE[spec.render],
        interactions=tuple(made),
        passed=tuple(
            (name, between(-60, 60, *key, "passed", name)) for name in names[len(made) :][:3]
        ),
        searched=index not in _UNSEARCHED,
        stride=(5, 5, 10, 15)[index // 2 % 4] if index % 2 == 0 or confused else None,
        listed_as=ANIMALS[(index + 1) % len(ANIMALS)] if confused else None,
    )

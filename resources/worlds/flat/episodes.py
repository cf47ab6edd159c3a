"""Pairs of performances: what is shown, and what is done after it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from resources.worlds.flat import Action, FlatSpec, Take, plan_flat

_ALONE: Final = (0, 2, 4)
"""Takes of a flat that one person performs, of each `_TASKS`."""
_TASKS: Final = 6
"""Takes after which a flat's tasks repeat."""


@dataclass(frozen=True, slots=True)
class Performance:
    """One performance, filmed by one camera.

    Attributes:
        spec: The flat it is a take of.
        index: Number of the take.
        camera: `ego` or `master`.
        take: The take.
    """

    spec: FlatSpec
    index: int
    camera: str
    take: Take

    @property
    def actions(self) -> list[Action]:
        """What the performer does."""
        return [action for action in self.take.actions if action.actor == "P1"]

    def sentence(self, action: Action) -> str:
        """An action in words."""
        return f"{action.verb} the {self.take.name_of(action.object)}"


@dataclass(frozen=True, slots=True)
class Episode:
    """A performance seen from outside and one of the same task seen from inside.

    Attributes:
        exo: The one that is watched.
        ego: The other; of another task where it is not faithful.
        faithful: Whether both are of one task.
    """

    exo: Performance
    ego: Performance
    faithful: bool


def episodes(spec: FlatSpec, *, unfaithful: bool) -> list[Episode]:
    """Episodes of a spec.

    Args:
        spec: A flat of kind `lemma`; `takes` counts the episodes.
        unfaithful: Whether the last is imitated wrongly.

    Raises:
        ValueError: `spec` is of another kind.
    """
    if spec.kind != "lemma":
        raise ValueError(f"kind={spec.kind!r}: performances are takes of kind 'lemma'")
    rounds = -(-spec.count // len(_ALONE))
    shown, done = (
        replace(spec, takes=_TASKS * rounds, seed=f"{spec.seed}/{which}")
        for which in ("shown", "done")
    )
    flats = plan_flat(shown), plan_flat(done)
    made = []
    for at in range(spec.count):
        wrong = unfaithful and at == spec.count - 1 > 0
        earlier, task = divmod(at, len(_ALONE))
        index = _TASKS * earlier + _ALONE[task]
        # What is done wrongly is another task.
        done_task = int(task == 0) if wrong else task
        other = _TASKS * earlier + _ALONE[done_task]
        made.append(
            Episode(
                Performance(shown, index, "master", flats[0].takes[index]),
                Performance(done, other, "ego", flats[1].takes[other]),
                not wrong,
            )
        )
    return made

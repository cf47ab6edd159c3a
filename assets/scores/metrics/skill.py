"""Skill: share of pairs ranked as people did, per kind of action.

EgoBridge Sec. 4.2.3 and 6.3: six actions in four groups (Tab. 5 merges the three of cutting).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from expectations.schemas.metrics import Mode, check_mode

# The numbers of the release, and the names the source gives them.
GROUPS: dict[str, tuple[str, ...]] = {
    "Egg Cracking": ("18", "Egg cracking"),
    "Peeling": ("06", "Peeling"),
    "Stir-fry": ("20", "Stir-fry"),
    "Cutting": ("13", "14", "15", "Cutting into chunks", "Slicing into strips", "Chopping"),
}


@dataclass(frozen=True, slots=True)
class SkillScore:
    """Ranking accuracy, in [0, 1].

    Attributes:
        micro: Over all pairs.
        groups: Per group of actions (Tab. 5); None for a group without pairs.
        mean: Mean over the groups that have pairs.
        n: Pairs per group.
    """

    micro: float | None
    groups: dict[str, float | None]
    mean: float | None
    n: dict[str, int]


def pair_accuracy(better: ArrayLike, worse: ArrayLike, mode: Mode = "paper") -> float | None:
    """Share of pairs in which the better clip's score is above the worse one's; a tie is wrong.

    Args:
        better: float [n], scores of the better clips.
        worse: float [n], scores of the worse ones.
        mode: `parity` gives 0 where there is no pair (its meter starts there), `paper` None. The
            official value is a mean of batches weighed by their size, which is the same.

    Returns:
        Share in [0, 1].
    """
    parity = check_mode(mode)
    one, other = np.asarray(better, dtype=np.float64), np.asarray(worse, dtype=np.float64)
    if one.shape != other.shape or one.ndim != 1:
        raise ValueError(f"scores of shapes {one.shape} and {other.shape}: one per pair and side")
    if not len(one):
        return 0.0 if parity else None
    return float(np.count_nonzero(one > other)) / len(one)


def score(
    better: ArrayLike,
    worse: ArrayLike,
    actions: Sequence[str],
    groups: Mapping[str, Sequence[str]] | None = None,
    mode: Mode = "paper",
) -> SkillScore:
    """Accuracy over all pairs, per group and over groups.

    Args:
        better: float [n], scores of the better clips.
        worse: float [n], scores of the worse ones.
        actions: Action of each pair, as its clips' names begin (`action_of`).
        groups: Actions of each group; None: `GROUPS`.
        mode: Reading of an empty set, see `pair_accuracy`.

    Raises:
        ValueError: An action no group holds, or shapes that do not fit.
    """
    asked = GROUPS if groups is None else groups
    group_of = {action: name for name, members in asked.items() for action in members}
    unknown = sorted(set(actions) - group_of.keys())
    if unknown:
        raise ValueError(f"action {unknown[0]!r} is in no group: {', '.join(sorted(group_of))}")
    one, other = np.asarray(better, dtype=np.float64), np.asarray(worse, dtype=np.float64)
    if len(one) != len(actions):
        raise ValueError(f"{len(one)} pairs have scores, {len(actions)} have actions")
    named = np.array([group_of[action] for action in actions], dtype=object)
    values: dict[str, float | None] = {}
    counts: dict[str, int] = {}
    for name in asked:
        mine = named == name
        counts[name] = int(mine.sum())
        values[name] = pair_accuracy(one[mine], other[mine]) if counts[name] else None
    known = [value for value in values.values() if value is not None]
    mean = sum(known) / len(known) if known else None
    return SkillScore(pair_accuracy(one, other, mode), values, mean, counts)


def action_of(clip: str) -> str:
    """Action of a released clip name, `AA_recording_startframe_endframe`."""
    return clip.split("_", 1)[0]

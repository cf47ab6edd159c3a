"""Tells which of several clips shows the query's action in another kitchen, from pixels alone.

The clips of a question are of one task. What each of them may show is told together.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from tests.truth.solvers.household_action import Action, agreements, describe
from tests.truth.solvers.household_acts import in_one_task, likelies_agree, likely, signs
from tests.truth.solvers.household_motion import Motion, motion_of, motions_agree
from tests.truth.solvers.household_sight import Array, Scene, scene_of


@dataclass(frozen=True)
class Clip:
    """What a clip shows, and how likely it shows each action."""

    action: Action
    motion: Motion
    likely: Array


@cache
def _weights() -> tuple[dict[str, float], Array]:
    """What each agreement and each sign of an action counts.

    Fitted by conditional logistic regression on eleven other households (seeds `dev 0` to `dev 10`,
    the last for tasks that the others lack): signs to the actions of clips, then agreements, with
    actions as told by weights from the other households, to the answers of questions with twenty
    options. Both are held near weights fitted in the same way to earlier drawings.
    """
    text = Path(__file__).with_name("household_weights.json").read_text(encoding="utf-8")
    told = json.loads(text)
    return told["agreements"], np.array(told["signs"])


def read_clip(images: Sequence[Array]) -> tuple[Clip, Clip]:
    """What a clip shows, and what its middle picture shows alone.

    Args:
        images: Frames in time order, as a protocol sends them.
    """
    scene = scene_of(images)
    return _read(scene), _read(scene.still())


def _read(scene: Scene) -> Clip:
    action, motion = describe(scene), motion_of(scene)
    return Clip(action, motion, likely(signs(action, motion), _weights()[1]))


def agree(query: Clip, options: Sequence[Clip]) -> dict[str, Array]:
    """How far each option agrees with the query, aspect by aspect; more is more alike."""
    told = in_one_task(np.array([clip.likely for clip in (query, *options)]))
    each = [
        agreements(query.action, option.action) | motions_agree(query.motion, option.motion)
        for option in options
    ]
    return likelies_agree(told[0], told[1:]) | {
        name: np.array([found[name] for found in each]) for name in each[0]
    }


def solve(query: Clip, options: Sequence[Clip]) -> int:
    """Index of the option that agrees best with the query."""
    weights, _ = _weights()
    aspects = agree(query, options)
    return int(np.sum([weights[name] * value for name, value in aspects.items()], axis=0).argmax())

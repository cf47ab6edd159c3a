"""The next step of a way can be read from the pictures alone, walls included; without them it is guessed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from assets.pairs.choice import number_of
from assets.questions.egoprox.exploration_relative import BUILDER
from resources.worlds.flat import FlatSpec, plan_flat
from tests.truth.sequences import FLAT, Sequences
from tests.truth.solvers import next_step as solver

# The sequences' own plan, drawn larger than their videos are.
DRAWN = plan_flat(FlatSpec("adt", takes=2, render="full"))
FRAMES = 8
Read = list[tuple[dict[str, Any], str, solver.Reading]]


def pictures(question: dict[str, Any]) -> list[np.ndarray]:
    """The eight pictures that are sent, the last one at the clip's end."""
    (clip,) = question["media"]
    times = np.linspace(clip["start_s"], clip["end_s"], FRAMES)
    return list(DRAWN.take(question["recording_id"]).frames("ego", times))


@pytest.fixture(scope="module")
def read(sequences: Sequences) -> Read:
    """Questions, the goal of each, and what its pictures tell."""
    found = []
    for question in sequences.questions(BUILDER):
        goal = sequences.goal(FLAT.take(question["recording_id"]), question)
        found.append((question, goal, solver.read(pictures(question))))
    return found


def is_right(question: dict[str, Any], turn: float | None) -> bool:
    """Whether the option nearest to a direction is right; where nothing tells, the question's id guesses."""
    options = question["options"]
    if turn is None:
        return bool(
            options[number_of(f"guess {question['question_id']}") % len(options)]["is_answer"]
        )
    nearest = min(options, key=lambda o: abs((turn - 45 * int(o["value"]) + 180) % 360 - 180))
    return bool(nearest["is_answer"])


def test_the_next_step_is_read_from_the_pictures(read: Read) -> None:
    assert len(read) >= 15
    assert len({question["answer_text"] for question, _, _ in read}) >= 5
    right = [is_right(question, solver.first_turn(one, goal)) for question, goal, one in read]
    assert np.mean(right) >= 0.95


def test_pictures_of_another_question_do_not_tell(read: Read) -> None:
    others = [*read[len(read) // 2 :], *read[: len(read) // 2]]
    right = [
        is_right(question, solver.first_turn(other, goal))
        for (question, goal, _), (_, _, other) in zip(read, others, strict=True)
    ]
    assert np.mean(right) <= 0.2 + 1.96 * math.sqrt(0.2 * 0.8 / len(read))


def test_without_pictures_the_answer_is_guessed(read: Read) -> None:
    grey = solver.read([np.full((256, 256, 3), 200, np.uint8)] * FRAMES)
    turns = [solver.first_turn(grey, goal) for _, goal, _ in read]
    assert turns == [None] * len(read)
    right = [is_right(question, None) for question, _, _ in read]
    assert np.mean(right) <= 0.2 + 1.96 * math.sqrt(0.2 * 0.8 / len(read))


def test_walls_are_read_and_not_known(read: Read) -> None:
    """The wall between the rooms is found where it stands, and its doorway is open."""
    xs, ys = solver._grid()
    seen = np.any([one.walls for _, _, one in read], axis=0)
    # Its ends lie behind furniture.
    wall = (np.abs(xs - 4.05) < 0.06) & (np.abs(ys - 2.0) > 0.7) & (np.abs(ys - 2.0) < 1.5)
    doorway = (np.abs(xs - 4.05) < 0.06) & (ys > 1.7) & (ys < 2.3)
    assert np.mean(seen[wall]) >= 0.9
    assert np.mean([one.walls[doorway].mean() for _, _, one in read]) < 0.1

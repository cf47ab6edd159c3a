"""Turns to goals out of view, held against the flat: its plan says where the wearer looks and the goal is."""

from __future__ import annotations

import re
from typing import Any

import pytest

from assets.questions.egoprox.intention_approximate import BUILDER
from resources.worlds.flat.take import Take
from tests.truth.sequences import FLAT, Sequences

Asked = list[tuple[Take, str, dict[str, Any]]]


@pytest.fixture(scope="module")
def turned_to(sequences: Sequences) -> Asked:
    """Questions, each with its take and the instance of its goal."""
    found = []
    for question in sequences.questions(BUILDER):
        take = FLAT.take(question["recording_id"])
        found.append((take, sequences.goal(take, question), question))
    return found


def holds(text: str, turn: float) -> bool:
    """Whether an option's words hold a turn; read here, not by the builder."""
    numbers = [float(n) for n in re.findall(r"\d+", text)]
    if "at most" in text:
        return abs(turn) <= numbers[0]
    if "at least" in text:
        return abs(turn) >= numbers[0]
    sign = 1 if "to the right" in text else -1
    return numbers[0] <= sign * turn <= numbers[1]


def test_only_the_answer_holds_the_true_turn(turned_to: Asked) -> None:
    assert len({take.take_id for take, _, _ in turned_to}) == 2
    assert len(turned_to) >= 15
    assert len({question["answer_text"] for _, _, question in turned_to}) >= 8
    for take, goal, question in turned_to:
        end = question["media"][0]["end_s"]
        turn = take.bearing_deg("ego", take.thing_at(goal, end).centre, end)
        holding = [o["text"] for o in question["options"] if holds(o["text"], turn)]
        assert holding == [question["answer_text"]], (question["text"], turn)


def test_the_goal_was_seen_and_is_out_of_view(turned_to: Asked) -> None:
    for take, goal, question in turned_to:
        medium = question["media"][0]
        start, end = medium["start_s"], medium["end_s"]
        sent = [start + i * (end - start) / 7 for i in range(8)]
        assert max(take.visible_share("ego", goal, t) for t in sent if t <= end - 0.5) >= 0.1
        assert take.visible_share("ego", goal, end) < 0.1

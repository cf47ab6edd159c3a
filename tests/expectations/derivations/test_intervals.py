"""Intervals in words, and how options that are intervals are judged."""

from __future__ import annotations

from typing import Any

import pytest

from expectations.derivations.intervals import (
    Arc,
    Span,
    arc_of,
    judge_turns,
    judge_turns_and_distances,
    span_of_distance,
    turn_and_distance,
)
from expectations.gates.base import Derived, Question


@pytest.mark.parametrize(
    ("text", "arc"),
    [
        ("15 to 45 degrees to the right", Arc(15, 45)),
        ("105 to 135 degrees to the left", Arc(-135, -105)),
        ("at most 15 degrees to either side", Arc(-15, 15)),
        ("at least 165 degrees to either side", Arc(165, 195)),
        ("-45 to -15 deg", Arc(-45, -15)),
        ("165 to 195 deg, 0 to 0.5 m", Arc(165, 195)),
        ("15 to 45 degrees", None),
        ("15 to 45 m", None),
        (None, None),
    ],
)
def test_arcs_are_read(text: str | None, arc: Arc | None) -> None:
    assert arc_of(text) == arc


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("1.5 to 2 m", Span(1.5, 2)),
        ("turn 15 to 45 degrees to the left, then walk 0 to 0.5 m", Span(0, 0.5)),
        ("2 to 1 m", None),
        ("15 to 45 degrees to the left", None),
        ("", None),
    ],
)
def test_spans_are_read(text: str, span: Span | None) -> None:
    assert span_of_distance(text) == span


def test_a_pair_needs_both() -> None:
    assert turn_and_distance("-45 to -15 deg, 1 to 1.5 m") == (Arc(-45, -15), Span(1, 1.5))
    assert turn_and_distance("-45 to -15 deg") is None
    assert turn_and_distance("1 to 1.5 m") is None


@pytest.mark.parametrize(
    ("turn_deg", "margin_deg"),
    [(30, 15), (16, 1), (10, -5), (46, -1), (-150, -165), (-175, -140)],
)
def test_margin_of_a_turn(turn_deg: float, margin_deg: float) -> None:
    assert Arc(15, 45).margin_deg(turn_deg) == pytest.approx(margin_deg)


def test_an_arc_behind_goes_round() -> None:
    assert Arc(165, 195).margin_deg(-170) == pytest.approx(5)
    assert Arc(165, 195).margin_deg(180) == pytest.approx(15)
    assert Arc(165, 195).gap_deg(Arc(-165, -135)) == pytest.approx(0)
    assert Arc(165, 195).gap_deg(Arc(105, 135)) == pytest.approx(30)
    assert Arc(-15, 15).gap_deg(Arc(0, 30)) == pytest.approx(-15)


def test_margin_of_a_distance_is_a_share_of_its_interval() -> None:
    assert Span(2, 3).margin_share(2.1) == pytest.approx(0.1)
    assert Span(2, 3).margin_share(3.5) == pytest.approx(-0.5)
    assert Span(0, 0.5).margin_share(0.0) == pytest.approx(1.0)


def asked(*options: tuple[str, str]) -> Question:
    row: dict[str, Any] = dict.fromkeys(
        ("source", "recipe", "recording_id", "answer", "media", "evidence", "rationale")
    )
    row |= {"benchmark": "egoprox", "subtask": "s", "text": "How far?"}
    row["options"] = [
        {"letter": letter, "text": text, "value": value}
        for letter, (text, value) in zip("ABCDE", options, strict=False)
    ]
    return Question(row)


def test_turns_are_judged() -> None:
    notes = Derived()
    options = (("15 to 45 degrees to the right", "15 to 45 deg"), ("nowhere", "nowhere"))
    judge_turns(asked(*options), 20.0, notes)
    assert notes.right == {"A": True, "B": None}
    (margin,) = notes.margins
    assert (margin.value, margin.threshold) == (pytest.approx(5.0), 3.0)
    assert notes.findings == []


@pytest.mark.parametrize(
    ("option", "rule"),
    [
        (("45 to 75 degrees to the right", "45 to 75 deg"), "intervals_touch"),
        (("75 to 105 degrees to the right", "45 to 75 deg"), "value_differs_from_text"),
        (("0 to 180 degrees to the left", "-180 to 0 deg"), "intervals_touch"),
    ],
)
def test_faults_of_turns_are_named(option: tuple[str, str], rule: str) -> None:
    notes = Derived()
    judge_turns(asked(("15 to 45 degrees to the right", "15 to 45 deg"), option), 20.0, notes)
    assert rule in {finding.rule for finding in notes.findings}


PAIRS = (
    ("75 to 105 degrees to the left, 2 to 3 m away", "-105 to -75 deg, 2 to 3 m"),
    ("15 to 45 degrees to the right, 2 to 3 m away", "15 to 45 deg, 2 to 3 m"),
    ("75 to 105 degrees to the right, 2 to 3 m away", "75 to 105 deg, 2 to 3 m"),
)


def test_turns_and_distances_are_judged() -> None:
    notes = Derived()
    judge_turns_and_distances(asked(*PAIRS), 20.0, 2.25, notes)
    assert notes.right == {"A": False, "B": True, "C": False}
    margins = {margin.rule: margin.value for margin in notes.margins}
    assert margins == {"turn_edge": pytest.approx(5), "distance_edge": pytest.approx(0.25)}
    assert notes.findings == []


def test_options_that_differ_by_their_distances_alone_are_named() -> None:
    notes = Derived()
    farther = ("15 to 45 degrees to the right, 4 to 6 m away", "15 to 45 deg, 4 to 6 m")
    judge_turns_and_distances(asked(*PAIRS[:2], farther), 20.0, 2.25, notes)
    assert [finding.rule for finding in notes.findings] == ["intervals_touch"]

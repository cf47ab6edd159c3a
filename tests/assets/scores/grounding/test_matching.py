"""Citations against evidence, by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from assets.extract.evidence import Box, Evidence
from assets.scores.grounding.matching import Counts, Facts, grounding, in_fractions, iou
from assets.words.matching import Synonyms

FACTS = Facts(
    spans=((2.0, 4.0), (8.0, 8.5)),
    names=("cup", "bread knife"),
    boxes=((0.1, 0.1, 0.3, 0.3), (0.6, 0.6, 0.8, 0.8)),
)


def counts(
    kind: str, facts: Facts = FACTS, synonyms: Synonyms | None = None, **cited: object
) -> Counts:
    return grounding(Evidence(**cited), facts, synonyms or Synonyms())[kind]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("times", "supported", "found"),
    [
        ((3.0,), 1, 1),
        ((1.0, 5.0), 2, 1),
        ((0.9,), 0, 0),
        ((5.1,), 0, 0),
        ((6.5, 7.0), 1, 1),
        ((3.0, 3.0, 8.2), 2, 2),
        ((), 0, 0),
    ],
    ids=["inside", "a second away", "too early", "too late", "one of two", "cited twice", "none"],
)
def test_times_are_supported_within_a_second_of_a_span(
    times: tuple[float, ...], supported: int, found: int
) -> None:
    assert counts("time", times=times) == Counts(len(set(times)), supported, 2, found)


def test_names_are_supported_where_they_mean_the_same() -> None:
    assert counts("object", objects=("The cups", "knife", "Bread  knife")) == Counts(3, 2, 2, 2)
    mug = Synonyms({"mug": "1", "cup": "1"})
    assert counts("object", objects=("mug",)) == Counts(1, 0, 2, 0)
    assert counts("object", synonyms=mug, objects=("mug",)) == Counts(1, 1, 2, 1)


def test_boxes_are_supported_where_they_overlap_by_half() -> None:
    cited = ((0.1, 0.1, 0.3, 0.25), (0.2, 0.2, 0.4, 0.4), (620, 600, 820, 800))
    assert counts("box", boxes=cited) == Counts(3, 2, 2, 2)


def test_boxes_elsewhere_in_the_clip_support_and_are_not_expected() -> None:
    facts = Facts(boxes=((0.1, 0.1, 0.3, 0.3),), further_boxes=((0.6, 0.6, 0.8, 0.8),))
    assert counts("box", facts, boxes=((0.6, 0.6, 0.8, 0.8), (0.0, 0.5, 0.1, 0.6))) == Counts(
        2, 1, 1, 0
    )


def test_what_is_no_box_of_a_known_unit_is_cited_and_not_supported() -> None:
    assert counts("box", boxes=((0.3, 0.1, 0.1, 0.3), (1200, 50, 1400, 90))) == Counts(2, 0, 2, 0)


@pytest.mark.parametrize(
    ("box", "expected"),
    [
        ((0.1, 0.2, 0.5, 1.0), (0.1, 0.2, 0.5, 1.0)),
        ((100, 200, 500, 1000), (0.1, 0.2, 0.5, 1.0)),
        ((0, 0, 0, 0), None),
        ((0.5, 0.5, 0.5, 0.9), None),
        ((-10, 0, 500, 500), None),
        ((0, 0, 1920, 1080), None),
    ],
)
def test_units_of_boxes(box: Box, expected: Box | None) -> None:
    assert in_fractions(box) == (None if expected is None else pytest.approx(expected))


def test_overlap_that_can_be_worked_out_by_hand() -> None:
    assert iou((0, 0, 2, 2), (1, 0, 3, 2)) == pytest.approx(2 / 6)
    assert iou((0, 0, 2, 2), (0, 0, 2, 2)) == 1.0
    assert iou((0, 0, 1, 1), (1, 0, 2, 1)) == 0.0
    assert iou((0, 0, 1, 1), (5, 5, 6, 6)) == 0.0


def test_without_evidence_nobody_can_tell_whether_what_is_cited_is_right() -> None:
    found = grounding(Evidence((1.0,), ("cup",), ((0.1, 0.1, 0.2, 0.2),)), Facts())
    assert set(found.values()) == {Counts(1, None, 0, 0)}
    seen = Facts(further_boxes=((0.1, 0.1, 0.2, 0.2),), further_times=(1.5,))
    assert counts("box", seen, boxes=((0.5, 0.5, 0.9, 0.9),)) == Counts(1, 0, 0, 0)
    assert counts("time", seen, times=(1.0, 3.0)) == Counts(2, 1, 0, 0)


def test_hands_actions_and_steps_of_the_evidence_are_no_cited_things() -> None:
    facts = replace(FACTS, other_names=("left hand", "turn off", "wipe the cup"))
    cited = ("Left hand", "turn off", "wipe the cup", "cup", "right hand", "pan")
    assert counts("object", facts, objects=cited) == Counts(3, 1, 2, 1)


NAN = float("nan")


@pytest.mark.parametrize(
    ("kind", "cited", "expected"),
    [
        ("time", (4.0, 2.0), Counts(2, 2, 2, 1)),
        ("time", (NAN, float("inf"), -3.0), Counts(3, 0, 2, 0)),
        ("box", ((0.1, 0.1, 0.3, 0.3),) * 3, Counts(1, 1, 2, 1)),
        ("box", ((0.1, 0.1, 0.3, 0.3), (100, 100, 300, 300)), Counts(1, 1, 2, 1)),
        ("box", ((0.2, 0.2, 0.2, 0.2), (0.1, NAN, 0.3, 0.3)), Counts(2, 0, 2, 0)),
        ("box", ((0.3, 0.3, 0.1, 0.1),), Counts(1, 0, 2, 0)),
    ],
    ids=["range from back to front", "no times", "one box three times", "one box in two units", "no area", "corners turned round"],
)  # fmt: skip
def test_odd_citations(kind: str, cited: tuple[Any, ...], expected: Counts) -> None:
    assert counts(kind, **{"time": {"times": cited}, "box": {"boxes": cited}}[kind]) == expected

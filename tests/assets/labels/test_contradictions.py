"""Where two readers of one narration contradict each other."""

from __future__ import annotations

from typing import Any

import pytest

from assets.labels.contradictions import contradictions
from assets.labels.open.reader import OpenLabel
from expectations.schemas.labels import DISAGREEMENTS

# "The right hand takes the cup with the spoon"
TAKES, CUP, SPOON = (15, 20), (25, 28), (38, 43)


def classed(span: tuple[int, int], kind: str = "verb", **more: Any) -> dict[str, Any]:
    return {"kind": kind, "span_start": span[0], "span_end": span[1], "role": None,
            "body_part": "right_hand", "actor_id": None} | more  # fmt: skip


def parsed(span: tuple[int, int], kind: str = "verb", **more: Any) -> OpenLabel:
    label = OpenLabel(0, kind, "word", "word", "right_hand", None, "done", "action", None, None, *span, "open;x")  # fmt: skip
    return label._replace(**more)


@pytest.mark.parametrize(
    ("by_vocabulary", "by_parse", "expected"),
    [
        (classed(TAKES), parsed(TAKES), None),
        (classed(TAKES), parsed(TAKES, "noun"), "verb"),
        (classed(CUP, "noun"), parsed(CUP, "verb"), "verb"),
        # A word that one reader does not know is not a contradiction.
        (classed(CUP, "noun"), parsed(TAKES), None),
        (classed(TAKES), parsed(TAKES, body_part="left_hand"), "hand"),
        (classed(TAKES), parsed(TAKES, body_part="none"), None),
        (classed(TAKES), parsed(TAKES, body_part="unspecified_hand"), None),
        (classed(TAKES), parsed(TAKES, body_part="both_hands"), None),
        (classed(TAKES, body_part="unspecified_hand"), parsed(TAKES), None),
        (classed(TAKES, body_part="unspecified_hand"), parsed(TAKES, body_part="none"), None),
        (classed(TAKES, body_part="unspecified_hand"), parsed(TAKES, body_part="left_foot"), None),
        (classed(TAKES), parsed(TAKES, body_part="left_foot"), "hand"),
        (classed(TAKES), parsed(TAKES, actor_id="o"), "actor"),
        (classed(TAKES, actor_id="O"), parsed(TAKES, actor_id="o"), None),
        (classed(TAKES), parsed(TAKES, actor_id="nobody"), None),
        (classed(TAKES, body_part="left_hand"), parsed(TAKES, actor_id="o"), "hand actor"),
        (classed(CUP, "noun", role="direct"), parsed(CUP, "noun", role="direct"), None),
        (classed(CUP, "noun", role="direct"), parsed(CUP, "noun", role="tool"), "object"),
        (classed(SPOON, "noun", role="tool"), parsed(SPOON, "noun", role="target"), "object"),
        (classed(SPOON, "noun", role="container"), parsed(SPOON, "noun", role="source"), None),
        (classed(CUP, "noun"), parsed(CUP, "noun", role="tool"), None),
        # Hands of nouns are those of their verbs, where they are counted.
        (classed(CUP, "noun"), parsed(CUP, "noun", role="direct", body_part="left_hand"), None),
    ],
)  # fmt: skip
def test_one_pair(by_vocabulary: dict[str, Any], by_parse: OpenLabel, expected: str | None) -> None:
    assert contradictions([by_vocabulary], [by_parse]) == [expected]


def test_agreement_with_one_of_several_is_enough() -> None:
    pot, cooking_pot = (10, 13), (2, 13)
    rows = [classed(pot, "noun", role="tool"), classed(cooking_pot, "noun", role="direct")]
    assert contradictions(rows, [parsed(cooking_pot, "noun", role="direct")]) == [None]


def test_a_thing_that_plays_two_parts_agrees_with_either() -> None:
    row = classed(SPOON, "noun", role="tool")
    cuts, is_held = (
        parsed(SPOON, "noun", role="tool"),
        parsed(SPOON, "noun", role="direct", clause=1),
    )
    assert contradictions([row], [cuts, is_held]) == [None, None]
    assert contradictions([row], [is_held]) == ["object"]


def test_names_follow_the_declared_order() -> None:
    label = parsed(TAKES, body_part="left_hand", actor_id="o")
    (found,) = contradictions([classed(TAKES)], [label])
    assert found is not None
    assert [name for name in DISAGREEMENTS if name in found.split()] == found.split()


def test_without_a_vocabulary_nothing_contradicts() -> None:
    assert contradictions([], [parsed(TAKES), parsed(CUP, "noun")]) == [None, None]

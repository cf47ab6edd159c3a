"""Agreement with released labels, on the half of the videos that no rule was written for.

Bounds lie slightly under what is measured (`python -m bench.labels`).
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from bench.agreement import (
    EXO,
    HELD,
    classes,
    f1,
    graphs,
    hands,
    lexicon,
    rewritten_hands,
    rows,
    sets,
    varied,
)


def test_sets_of_verbs_and_nouns(shared: Path) -> None:
    """Micro F1 against the released ids of EgoExoLearn."""
    counted = sets(shared / "data")
    assert counted["right"].sum() > 15_000
    assert f1(counted, HELD, "verb") >= 0.978
    assert f1(counted, HELD, "noun") >= 0.982


def test_hands_of_clauses(shared: Path) -> None:
    """Against the rewrites that EgoExoLearn released with the hand as subject."""
    right, covered, clauses = hands(shared / "data", HELD)
    assert clauses > 1500
    assert covered >= 0.95
    assert right >= 0.96


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The left hand holds a bowl, and the right hand stirs.", ["left_hand", "right_hand"]),
        ("With the right hand, add salt.", ["right_hand"]),
        ("Both hands lift the pot. Then the hands shake it.", ["both_hands"]),
        ("The bowl in the left hand is full.", []),
    ],
)
def test_the_rewrites_are_read_by_their_form(text: str, expected: list[str]) -> None:
    assert rewritten_hands(text) == expected


def test_classes_of_another_taxonomy(shared: Path) -> None:
    """Verb and noun class of EPIC-KITCHENS-100."""
    counted = classes(shared / "data")
    held = counted.filter(counted["half"] == HELD)
    assert held.height > 9_000
    assert held["verb"].sum() >= 0.996 * held.height
    assert held["noun"].sum() >= 0.975 * held.height


def test_graphs(shared: Path) -> None:
    """Verbs, direct objects, and further objects with their role, of Ego-EASG."""
    counted: Counter[tuple[int, str, bool]] = graphs(shared / "data")
    for part, least in (("verb", 0.985), ("direct", 0.975), ("further", 0.975)):
        right, wrong = counted[HELD, part, True], counted[HELD, part, False]
        assert right + wrong > 2_000
        assert right / (right + wrong) >= least, part


def test_varied_narrations_are_all_different(shared: Path) -> None:
    real = [row["narration_en"] for row in rows(shared / "data" / EXO)]
    words = {key[0]: None for key in lexicon(shared / "data", "egoexolearn").nouns if len(key) == 1}
    texts = list(varied(real, words, 10_000))
    assert len(set(texts)) == 10_000

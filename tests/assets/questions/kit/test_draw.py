"""Weighted draws: what is often right is offered often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from assets.questions.kit import draw

NAMES = ["cup", "pan", "lid", "tap", "jar"]
# The cup is right seven times of ten, and all five things are always in view.
ANSWERS = ["cup"] * 7 + ["pan", "lid", "tap"]


def drawn(weights: Mapping[str, float]) -> list[dict]:
    rows = []
    for i, answer in enumerate(ANSWERS):
        others = [name for name in NAMES if name != answer]
        others.sort(key=lambda name: draw.place(str(i), name, weights.get(name, 0.01)))
        options = [{"text": name} for name in (answer, *others[:3])]
        rows.append({"answer_text": answer, "options": options})
    return rows


def test_what_is_never_right_is_offered_less_after_some_passes() -> None:
    offered = [
        Counter(option["text"] for row in rows for option in row["options"][1:])
        for rows in (drawn(dict.fromkeys(NAMES, 1.0)), draw.balanced_rows(drawn, NAMES, 5))
    ]
    assert offered[1]["jar"] < offered[0]["jar"]
    assert offered[1]["cup"] >= offered[0]["cup"]


def test_one_pass_draws_with_equal_weights() -> None:
    assert draw.balanced_rows(drawn, NAMES, 1) == drawn(dict.fromkeys(NAMES, 1.0))


def test_a_thing_that_becomes_an_answer_later_has_the_weight_one() -> None:
    given: list[Mapping[str, float]] = []

    def ask(weights: Mapping[str, float]) -> list[dict]:
        given.append(weights)
        answer = "cup" if len(given) == 1 else "pan"
        return [{"answer_text": answer, "options": [{"text": x} for x in ("cup", "pan")]}]

    draw.balanced_rows(ask, ["cup"], 3)
    # Each is right and never a distractor, so that its weight of 1 is doubled.
    assert given[1:] == [{"cup": 2.0}, {"pan": 2.0}]

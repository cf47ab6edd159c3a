"""Options in another order: every content in every place, clips with them, and no more orders than there are."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from assets.protocols.orders import has_one_order, moved, offering, shifts
from tests.assets.predictions.question_media import medium

TEXTS = ("left", "right", "front", "back")


def question(**changes: Any) -> dict[str, Any]:
    options = [
        {"letter": x, "text": t, "segment_id": None, "is_answer": x == "B"}
        for x, t in zip("ABCD", TEXTS, strict=True)
    ]
    media = [medium(), *(medium(f"option_{x}", recording_id=f"of {x}") for x in "ABCD")]
    row = {"question_hash": "h", "text": "Where is it?", "options": options, "media": media}
    return row | {"answer": "B"} | changes


def test_shifts_put_every_option_into_every_place_once() -> None:
    places = Counter()
    for k in shifts(question(), 4):
        shown, was = moved(question(), k)
        assert [o["letter"] for o in shown["options"]] == list("ABCD")
        for option in shown["options"]:
            original = question()["options"]["ABCD".index(was[option["letter"]])]
            assert option["text"] == original["text"]
            assert option["is_answer"] == (option["letter"] == shown["answer"])
            places[option["text"], option["letter"]] += 1
    assert set(places.values()) == {1}
    assert len(places) == 16


def test_moved_by_nothing_is_the_question() -> None:
    assert moved(question(), 0) == (question(), {x: x for x in "ABCD"})


def test_clips_go_with_their_options_and_stand_in_order_of_letters() -> None:
    shown, was = moved(question(), 1)
    assert was == {"A": "D", "B": "A", "C": "B", "D": "C"}
    assert shown["answer"] == "C"
    roles = [m["role"] for m in shown["media"]]
    assert roles == ["query", "option_A", "option_B", "option_C", "option_D"]
    shows = [m["recording_id"] for m in shown["media"][1:]]
    assert shows == ["of D", "of A", "of B", "of C"]


def test_fewer_orders_follow_from_the_question_alone() -> None:
    some = shifts(question(), 2)
    assert len(some) == 2
    assert some == shifts(question(text="another wording"), 2)
    assert set(some) < set(shifts(question(), 3)) < {0, 1, 2, 3}
    assert shifts(question(), 9) == (0, 1, 2, 3)
    chosen = {shifts(question(question_hash=str(n)), 1) for n in range(40)}
    assert chosen == {(0,), (1,), (2,), (3,)}


def test_what_is_not_offered_is_not_shown() -> None:
    some = offering(question(), ["B", "D"])
    assert [o["letter"] for o in some["options"]] == ["B", "D"]
    assert [m["role"] for m in some["media"]] == ["query", "option_B", "option_D"]
    shown, was = moved(some, 1)
    assert was == {"B": "D", "D": "B"}
    assert (shown["answer"], [o["text"] for o in shown["options"]]) == ("D", ["back", "right"])


@pytest.mark.parametrize(
    ("text", "is_fixed"),
    [
        ("all of the above", True),
        ("Both A and C", True),
        ("as in option B", True),
        ("none of the options", True),
        ("the pan above the stove", False),
        ("option after option", False),
        ("a spoon and a fork", False),
    ],
)
def test_words_that_name_other_options_have_one_order(text: str, is_fixed: bool) -> None:
    options = [*question()["options"][:3], {"letter": "D", "text": text}]
    assert has_one_order(question(options=options)) == is_fixed

"""Bins of turns and distances, and options made of them."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from assets.questions.egoprox.bins import (
    DISTANCE_EDGES_M,
    DISTANCES,
    TURNS,
    Balance,
    Shown,
    distance_bin,
    distance_margin_share,
    distance_text,
    turn_and_distance_options,
    turn_bin,
    turn_margin_deg,
    turn_options,
    turn_text,
    turn_value,
)


@pytest.mark.parametrize(
    ("turn_deg", "text", "margin_deg"),
    [
        (0.0, "at most 15 degrees to either side", 15.0),
        (-14.0, "at most 15 degrees to either side", 1.0),
        (16.0, "15 to 45 degrees to the right", 1.0),
        (-30.0, "15 to 45 degrees to the left", 15.0),
        (100.0, "75 to 105 degrees to the right", 5.0),
        (-164.0, "135 to 165 degrees to the left", 1.0),
        (180.0, "at least 165 degrees to either side", 15.0),
        (-170.0, "at least 165 degrees to either side", 5.0),
    ],
)
def test_turns_are_binned_around_straight_ahead(
    turn_deg: float, text: str, margin_deg: float
) -> None:
    assert turn_text(turn_bin(turn_deg)) == text
    assert turn_margin_deg(turn_deg) == pytest.approx(margin_deg)


def test_values_of_turns_are_their_ends() -> None:
    assert [turn_value(n) for n in (0, 1, 6, 7, 11)] == [
        "-15 to 15 deg",
        "15 to 45 deg",
        "165 to 195 deg",
        "-165 to -135 deg",
        "-45 to -15 deg",
    ]


@pytest.mark.parametrize(
    ("distance_m", "number", "share"),
    [
        (0.0, 0, 1.0),
        (0.4, 0, 0.2),
        (0.5, 1, 0.0),
        (1.25, 2, 0.5),
        (2.9, 4, 0.1),
        (8.0, 7, 1 / 3),
        (9.0, None, 0.0),
    ],
)
def test_distances_are_binned_by_edges(distance_m: float, number: int | None, share: float) -> None:
    assert distance_bin(distance_m) == number
    assert distance_margin_share(distance_m) == pytest.approx(share)


def test_distances_in_words() -> None:
    assert [distance_text(n) for n in (0, 3, 7)] == ["0 to 0.5 m", "1.5 to 2 m", "6 to 9 m"]
    assert len(DISTANCE_EDGES_M) == DISTANCES + 1


def ring(one: int, other: int, size: int) -> int:
    return min((one - other) % size, (other - one) % size)


def turns(n: int) -> list[tuple[int, list[int]]]:
    """Right turn and options of questions of which most ask for what lies behind."""
    asked = [(5, 6, 6, 7, 4, 8, 3, 9, 2, 10)[i % 10] for i in range(n)]
    balance = Balance(("turn", turn) for turn in asked)
    return [(turn, turn_options(turn, balance, f"question {i}")) for i, turn in enumerate(asked)]


@pytest.mark.parametrize("truth", range(TURNS))
def test_five_turns_lie_two_bins_apart(truth: int) -> None:
    for n in range(20):
        shown = turn_options(truth, Balance([("turn", truth)]), f"{n}")
        assert truth in shown
        assert len(shown) == 5
        assert all(ring(a, b, TURNS) >= 2 for a, b in combinations(shown, 2))


def test_the_turns_beside_do_not_tell_the_right_one() -> None:
    """Of turns with equal gaps to their neighbours one in five is right."""
    right, offered = Counter(), Counter()
    for truth, shown in turns(400):
        for turn in shown:
            gaps = tuple(
                sorted(min((s * (o - turn)) % TURNS for o in shown if o != turn) for s in (1, -1))
            )
            offered[gaps] += 1
            right[gaps] += turn == truth
    assert len(offered) >= 3
    for gaps, n in offered.items():
        assert right[gaps] / n == pytest.approx(0.2, abs=0.06), gaps


def test_turns_that_are_never_right_are_seldom_offered() -> None:
    """Without the balance three of the twelve would be offered in a quarter of all options."""
    offered = Counter(turn for _, shown in turns(400) for turn in shown)
    assert sum(offered[turn] for turn in (11, 0, 1)) / 2000 < 0.12


def pairs(n: int) -> list[list[tuple[int, int]]]:
    """Options of questions whose turns are even, as recipes thin them, and whose distances are not."""
    asked = [(5 * i % 12, (1, 2, 3, 4, 2)[i % 5]) for i in range(n)]
    balance = Balance(v for t, d in asked for v in (("turn", t), ("distance", d)))
    return [
        turn_and_distance_options(t, d, (1, 2, 3, 4), balance, f"question {i}")
        for i, (t, d) in enumerate(asked)
    ]


def test_the_turns_of_five_pairs_decide() -> None:
    for shown in pairs(60):
        assert all(ring(a, b, TURNS) >= 2 for (a, _), (b, _) in combinations(shown, 2))
        assert {d for _, d in shown} <= {1, 2, 3, 4}


def test_turns_and_distances_are_offered_about_five_times_as_often_as_they_are_right() -> None:
    shown = pairs(300)
    for place, never in ((0, 0.2), (1, 0.0)):
        right = Counter(options[0][place] for options in shown)
        offered = Counter(pair[place] for options in shown for pair in options)
        for value, n in right.items():
            assert 0.6 < offered[value] / (5 * n) < 1.5, (place, value)
        beside = sum(n for value, n in offered.items() if value not in right)
        assert beside / 1500 <= never, "what is never right"


def test_how_many_options_share_a_distance_does_not_tell_the_right_one() -> None:
    shown = pairs(300)
    right: Counter[int] = Counter()
    offered: Counter[int] = Counter()
    for options in shown:
        shared = Counter(d for _, d in options)
        right[shared[options[0][1]]] += 1
        offered.update(shared[d] for _, d in options)
    for n, times in offered.items():
        if times >= 100:
            assert right[n] / times == pytest.approx(0.2, abs=0.07), n


def shown(*options: int) -> Shown:
    return Shown(options, options)


def test_the_balance_offers_what_is_right_elsewhere() -> None:
    balance = Balance([1, 1, 2, 3])
    assert balance.choose([shown(1, 9), shown(1, 2), shown(8, 9)], "q").options == (1, 2)
    assert balance.choose([shown(2, 9), shown(2, 3)], "q").options == (2, 3)


def test_a_look_that_was_right_is_offered_next() -> None:
    balance = Balance([])
    balance.choose([Shown((1,), ("odd",), ("odd",))], "q")
    assert balance.choose([Shown((1,), ("even",)), Shown((2,), ("odd",))], "r").options == (2,)


def test_equal_choices_are_made_by_hash() -> None:
    chosen = {Balance([1]).choose([shown(1, 2), shown(1, 3)], f"{n}").options for n in range(20)}
    assert chosen == {(1, 2), (1, 3)}
    again = [Balance([1]).choose([shown(1, 2), shown(1, 3)], "7") for _ in range(3)]
    assert again[0] == again[1] == again[2]

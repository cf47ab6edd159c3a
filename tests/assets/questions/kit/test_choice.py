"""Choice by hash: kinds first, few questions, apart from each other and not all with one answer."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise, permutations

from hypothesis import given
from hypothesis import strategies as st

from assets.pairs.choice import stable_hash
from assets.questions.kit.choice import Apart, Candidate, by_hash, few

CELLS = ["a", "b", "c", "d", "e"]


def test_the_order_depends_on_the_seed_and_on_nothing_else() -> None:
    orders = {tuple(by_hash(cells, "q", "distractor")) for cells in permutations(CELLS)}
    assert len(orders) == 1
    assert orders != {tuple(by_hash(CELLS, "other", "distractor"))}
    assert by_hash(CELLS, "q") == sorted(CELLS, key=lambda cell: stable_hash("q", cell))


def test_items_of_the_first_kind_come_first() -> None:
    chosen = by_hash(CELLS, "q", kinds=[{"d"}, {"a", "d", "e"}])
    assert chosen[0] == "d"
    assert set(chosen[1:3]) == {"a", "e"}
    assert chosen[1:3] == [cell for cell in by_hash(CELLS, "q") if cell in "ae"]


def test_one_thing_is_not_asked_about_twice_within_a_while() -> None:
    asked = Apart(2.0)
    asked.add("cup", 10.0)
    assert asked.is_near("cup", 11.9)
    assert asked.is_near("cup", 8.1)
    assert not asked.is_near("cup", 12.0)
    assert not asked.is_near("pan", 10.0)


CANDIDATES = st.lists(
    st.tuples(st.sampled_from("xy"), st.integers(0, 30), st.sampled_from("abc")), max_size=40
)


@given(CANDIDATES)
def test_few_questions_are_apart_and_differ_in_answer(asked: list[tuple[str, int, str]]) -> None:
    candidates = [
        Candidate(stable_hash(str(i)), (str(i),), thing, float(t_s), answer, i)
        for i, (thing, t_s, answer) in enumerate(asked)
    ]
    # Nothing can be built of every third; such candidates use up nothing.
    rows = [
        row["candidate"]
        for row in few(
            candidates,
            lambda c: None if c.content % 3 == 2 else {"candidate": c},
            most=6,
            most_per_answer=2,
            apart_s=5.0,
        )
    ]
    assert len(rows) <= 6
    assert all(n <= 2 for n in Counter(c.answer for c in rows).values())
    for thing in "xy":
        times = sorted(c.t_s for c in rows if c.thing == thing)
        assert all(later - earlier >= 5.0 for earlier, later in pairwise(times))
    # What was left out is near another of its thing, its answer is used up, or all places are taken.
    answers = Counter(c.answer for c in rows)
    for left in (c for c in candidates if c not in rows and c.content % 3 != 2):
        near = any(c.thing == left.thing and abs(c.t_s - left.t_s) < 5.0 for c in rows)
        assert near or answers[left.answer] == 2 or len(rows) == 6

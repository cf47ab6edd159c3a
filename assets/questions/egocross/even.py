"""Questions in which everything that is offered is right about once in four times.

What is always in view is a wrong option of every question about what is not, and what a hand seldom
holds is offered more often than it is right; who notices that needs no video.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Final, TypeVar

from assets.questions.kit.choice import Candidate
from assets.questions.kit.funnel import ENOUGH, refuse
from assets.questions.kit.recipe import Row

T = TypeVar("T")
OPTIONS: Final = 4
SLACK: Final = 2 * (OPTIONS - 1)
"""How far from even a thing may be: right twice before it is ever wrong, or wrong six times before it is right."""
EVEN: Final = "options_are_right_equally_often"
MOST: Final = 200


class Even:
    """What was offered so far: how much more often each thing was right than a quarter of the times."""

    def __init__(self) -> None:
        self._ahead: Counter[Hashable] = Counter()

    def ahead(self, thing: Hashable) -> int:
        """Three for each time a thing was right, less one for each time it was wrong."""
        return self._ahead[thing]

    def allows(self, right: Iterable[Hashable], wrong: Iterable[Hashable]) -> bool:
        """Whether all stay within the slack."""
        return all(self._ahead[x] + OPTIONS - 1 <= SLACK for x in right) and all(
            self._ahead[x] - 1 >= -SLACK for x in wrong
        )

    def add(self, right: Iterable[Hashable], wrong: Iterable[Hashable]) -> None:
        """Remember a question."""
        self._ahead.update(dict.fromkeys(right, OPTIONS - 1))
        self._ahead.subtract(dict.fromkeys(wrong, 1))


def evenly(
    candidates: Iterable[Candidate[T]], ask: Callable[[Candidate[T], Even], Row | None]
) -> Iterator[Row]:
    """Questions in order of their ids; what would be uneven waits until others make it even.

    Args:
        candidates: What might be asked.
        ask: The question of a candidate; None if it would be uneven.
    """
    even, asked = Even(), 0
    waiting = sorted(candidates, key=lambda c: c.identity)
    while waiting:
        left: list[Candidate[T]] = []
        for place, candidate in enumerate(waiting):
            if asked == MOST:
                refuse(ENOUGH, len(left) + len(waiting) - place)
                return
            row = ask(candidate, even)
            if row is None:
                left.append(candidate)
            else:
                asked += 1
                yield row
        if len(left) == len(waiting):
            refuse(EVEN, len(left))
            return
        waiting = left

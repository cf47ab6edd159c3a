"""Choice among many without chance: by hash, with few questions that lie apart and differ in answer."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from assets.pairs.choice import stable_hash
from assets.questions.kit.funnel import ANSWERED, ENOUGH, NEAR, UNBUILT, n_refused, refuse
from assets.questions.kit.recipe import Row

T = TypeVar("T")


def by_hash(
    items: Iterable[T],
    *seed: str,
    key: Callable[[T], str] = str,
    kinds: Sequence[Container[T]] = (),
) -> list[T]:
    """Items in an order that depends on each item's key alone, as distractors are chosen.

    Args:
        items: What is chosen from.
        seed: What else the hash covers: the question, and what the choice is for.
        key: Key of an item; no two have the same.
        kinds: Items of the first kind come before those of the second and so on; those of no kind
            come last. An item of two kinds counts as the first.
    """

    def kind(item: T) -> int:
        return next((i for i, members in enumerate(kinds) if item in members), len(kinds))

    return sorted(items, key=lambda item: (kind(item), stable_hash(*seed, key(item)), key(item)))


class Apart:
    """Times at which a thing was already asked about.

    Attributes:
        least_s: Questions about one thing are at least this far apart.
    """

    def __init__(self, least_s: float) -> None:
        self.least_s = least_s
        self._times: dict[Hashable, list[float]] = defaultdict(list)

    def is_near(self, thing: Hashable, t_s: float) -> bool:
        """Whether the thing was asked about too near a time."""
        return any(abs(t_s - other) < self.least_s for other in self._times[thing])

    def add(self, thing: Hashable, t_s: float) -> None:
        """Remember that the thing is asked about at a time."""
        self._times[thing].append(t_s)


@dataclass(frozen=True, slots=True)
class Candidate(Generic[T]):
    """Something that might be asked.

    Attributes:
        identity: Id of the question.
        anchor: What the question is about, as keys of rows (see `Recipe.question`).
        thing: What it is about; questions about one thing are kept apart in time.
        t_s: When, in seconds of the recording.
        answer: Its answer; questions with one answer are limited in number.
        content: What a row is built from.
    """

    identity: str
    anchor: tuple[str, ...]
    thing: Hashable
    t_s: float
    answer: Hashable
    content: T


def few(
    candidates: Iterable[Candidate[T]],
    row: Callable[[Candidate[T]], Row | None],
    *,
    most: int,
    most_per_answer: int,
    apart_s: float,
    as_paper: bool = False,
) -> Iterator[Row]:
    """Questions of lowest id, apart from each other, and not all with the same answer.

    Args:
        candidates: What might be asked of one recording.
        row: The question of a candidate; None if none can be built. It is
            called for the candidates alone that are not too near another and whose answer is not used up.
        most: At most so many questions.
        most_per_answer: At most so many with one answer, so that none is a good guess.
        apart_s: Questions about one thing are at least this far apart.
        as_paper: Whether `most` alone limits them, as in the papers.
    """
    if as_paper:
        most_per_answer, apart_s = most, 0.0
    asked, answers, count = Apart(apart_s), Counter[Hashable](), 0
    ordered = sorted(candidates, key=lambda c: c.identity)
    for place, candidate in enumerate(ordered):
        if count == most:
            refuse(ENOUGH, len(ordered) - place)
            return
        if asked.is_near(candidate.thing, candidate.t_s):
            refuse(NEAR)
            continue
        if answers[candidate.answer] >= most_per_answer:
            refuse(ANSWERED)
            continue
        before = n_refused()
        question = row(candidate)
        if question is None and n_refused() == before:
            refuse(UNBUILT)
        if question is not None:
            asked.add(candidate.thing, candidate.t_s)
            answers[candidate.answer] += 1
            count += 1
            yield question

"""Draws by hash in which things have weights, so that each is a distractor about as often as it is right.

A thing that is always in view and seldom acted on would be offered often and seldom be right; who notices
that needs no video.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

from assets.pairs.choice import stable_hash
from assets.questions.kit.funnel import counting, refuse
from assets.questions.kit.recipe import Row

MOST_WEIGHT = 16.0
T = TypeVar("T")


def place(identity: str, name: str, weight: float) -> float:
    """Place in a draw by hash in which weights are chances (Efraimidis and Spirakis 2006); least first.

    Args:
        identity: Question that draws.
        name: What may be drawn.
        weight: Its weight.
    """
    number = int(stable_hash("distractor", identity, name)[:13], 16)
    return -math.log((number + 0.5) / 16**13) / weight


def balanced(
    weights: Mapping[str, float],
    rows: Sequence[Row],
    thing: Callable[[str], str] = str,
) -> dict[str, float]:
    """Weights of the things that are answers, raised for those that are too seldom distractors.

    Args:
        weights: Weights by name of the thing that the questions were drawn with; a thing that has none
            was not an answer before, and counts as one of weight 1.
        rows: These questions, all with the same number of things.
        thing: Name of the thing that the text of an option speaks of; options may share one.
    """
    offered = [{thing(str(option["text"])) for option in row["options"]} for row in rows]
    right = Counter(thing(str(row["answer_text"])) for row in rows)
    shown = Counter(name for names in offered for name in names)
    most = max(map(len, offered), default=0)
    raised = {
        name: weights.get(name, 1.0) * ((most - 1) * n + 1) / (shown[name] - n + 1)
        for name, n in right.items()
    }
    return {name: min(max(w, 1 / MOST_WEIGHT), MOST_WEIGHT) for name, w in raised.items()}


def balanced_rows(
    draw: Callable[[Mapping[str, float]], Iterable[Row]],
    names: Iterable[str],
    passes: int,
    thing: Callable[[str], str] = str,
) -> list[Row]:
    """Questions drawn so often, with weights that follow from the draw before, that they are balanced.

    What is asked depends on what may be offered, and that on what is asked.

    Args:
        draw: Questions of one recording whose distractors are drawn with these weights.
        names: Names of the things that are drawn; each has the weight 1 at first.
        passes: How often questions are drawn.
        thing: Name of the thing that the text of an option speaks of.
    """
    weights: Mapping[str, float] = dict.fromkeys(names, 1.0)
    rows: list[Row] = []
    last: Mapping[str, int] = {}
    for _ in range(passes):
        with counting() as refused:
            rows = list(draw(weights))
        weights, last = balanced(weights, rows, thing), refused
    for rule, n in last.items():
        refuse(rule, n)
    return rows


def seldom_right(
    rows: Sequence[Row], thing: Callable[[str], str], most: float, rule: str
) -> list[Row]:
    """Questions, without the fewest of highest hash whose answers are right too often when they are offered.

    Weights alone do not reach this where little else can be offered.

    Args:
        rows: Questions.
        thing: What the text of an option speaks of.
        most: Of the options that speak of a thing at most this share may be right.
        rule: Rule that refuses the others.
    """
    right: dict[str, list[Row]] = defaultdict(list)
    offered: Counter[str] = Counter()
    for row in sorted(rows, key=lambda row: stable_hash("kept", str(row["question_id"]))):
        right[thing(str(row["answer_text"]))].append(row)
        offered.update(thing(str(option["text"])) for option in row["options"])
    while True:
        share = {name: len(of) / offered[name] for name, of in right.items() if of}
        name = max(share, key=lambda name: (share[name], name), default="")
        if not name or share[name] <= most:
            break
        dropped = right[name].pop()
        offered.subtract(thing(str(option["text"])) for option in dropped["options"])
    kept = {row["question_id"] for of in right.values() for row in of}
    refuse(rule, len(rows) - len(kept))
    return [row for row in rows if row["question_id"] in kept]


def as_many_of_each(
    items: Sequence[T],
    identity: Callable[[T], str],
    group: Callable[[T], Hashable],
    answer: Callable[[T], Hashable],
    answers: int,
    rule: str,
) -> list[T]:
    """Questions of lowest id, of each group as many with each answer, in their order.

    Args:
        items: Questions, or what they are built from.
        identity: Id of the question.
        group: What options tell without a video: within a group every answer is equally likely.
        answer: What is right.
        answers: How many answers a group has; where one of them is never right nothing is kept.
        rule: Rule that refuses the others.
    """
    ids: dict[Hashable, dict[Hashable, list[str]]] = defaultdict(lambda: defaultdict(list))
    for item in items:
        ids[group(item)][answer(item)].append(identity(item))
    kept: set[str] = set()
    for by_answer in ids.values():
        least = min(map(len, by_answer.values())) if len(by_answer) == answers else 0
        kept.update(uid for of in by_answer.values() for uid in sorted(of)[:least])
    refuse(rule, len(items) - len(kept))
    return [item for item in items if identity(item) in kept]

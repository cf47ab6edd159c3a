"""Answers which tools pictures of an operation show, and in whose hands, from pixels alone, as a person would.

Given is what a model is given: the text, the options' texts, and frames. The only thing known of the
simulated table is how its tools and hands look.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from tests.truth.solvers.object_localisation import OPERATORS, TOOLS, borne, colours, heads

Shown = frozenset[tuple[str, str]]
"""Tools in a picture, with the hands that hold them."""


def shown(image: np.ndarray) -> Shown:
    """Tools in a picture, each with the hand whose colour it bears."""
    nearest = colours(image)
    found = []
    for tool in TOOLS:
        for place in heads(nearest, tool):
            marks = {operator: borne(nearest, place, operator) for operator in OPERATORS}
            found.append((tool, max(marks, key=lambda operator: marks[operator])))
    return frozenset(found)


def solve(text: str, options: Sequence[str], pictures: Sequence[Shown]) -> int | None:
    """Index of the option that the pictures show; None where they show none, or several.

    Args:
        text: The question: what a hand uses longest, what is not in view, or how many kinds are.
        options: Texts of the options.
        pictures: What each picture sent shows.
    """
    kinds = {tool for picture in pictures for tool, _ in picture}
    if text.startswith("How many"):
        right = [str(len(kinds))]
    elif "not in view" in text:
        right = [option for option in options if option not in kinds]
    else:
        said = text.replace("'s", "")
        hand = next(operator for operator in OPERATORS if operator in said)
        held = (tool for picture in pictures for tool in {t for t, h in picture if h == hand})
        counts = Counter(held).most_common()
        right = [tool for tool, n in counts if n == counts[0][1]]
    found = [index for index, option in enumerate(options) if option in right]
    return found[0] if len(found) == len(right) == 1 else None

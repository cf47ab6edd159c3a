"""A question with its options in another order: the same contents under other letters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from expectations.schemas.identity import stable_hash

Question = Mapping[str, Any]
# "Both A and C", "all of the above", "options B": after a shift another content has that letter or place.
_NAMES_OTHERS = re.compile(
    r"\b(?:all|none|both|neither|either|any|one|two|three) of the (?:above|below|options|others)\b"
    r"|\boptions? \(?[A-T]\b(?!')|\b(?:both|neither|either|only) [A-T] (?:and|or|nor) [A-T]\b",
    re.IGNORECASE,
)


def has_one_order(question: Question) -> bool:
    """Whether the words of a question name its options by letter or place, so that none may move."""
    texts = [question["text"], *(option["text"] or "" for option in question["options"])]
    return any(_NAMES_OTHERS.search(text) for text in texts)


def shifts(question: Question, most: int) -> tuple[int, ...]:
    """By how many places the options are moved on, ascending.

    Shifts by every number of places put every option into every place once. Where fewer are wanted, those
    of lowest hash are taken, so that which they are follows from the question alone.

    Args:
        question: Row of `questions`.
        most: How many orders at most.
    """
    n = len(question["options"])
    ranked = sorted(range(n), key=lambda k: stable_hash("order", question["question_hash"], str(k)))
    return tuple(sorted(ranked[:most]))


def moved(question: Question, places: int) -> tuple[dict[str, Any], dict[str, str]]:
    """A question whose options are moved on by some places, the last ones to the front.

    Letters stay where they are: contents move, and the clips of options with them.

    Args:
        question: Row of `questions`.
        places: How far.

    Returns:
        The question, and the letter that it gives each option by the letter it has now.
    """
    options = question["options"]
    letters = [option["letter"] for option in options]
    n = len(options)
    order = [options[(at - places) % n] for at in range(n)]
    was = {letter: option["letter"] for letter, option in zip(letters, order, strict=True)}
    now = {old: new for new, old in was.items()}
    roles = {f"option_{old}": f"option_{new}" for old, new in now.items()}
    of_options = [{**m, "role": roles[m["role"]]} for m in question["media"] if m["role"] in roles]
    of_options.sort(key=lambda medium: letters.index(medium["role"].removeprefix("option_")))
    following = iter(of_options)
    return {
        **question,
        "options": [
            {**option, "letter": letter} for letter, option in zip(letters, order, strict=True)
        ],
        "media": [next(following) if m["role"] in roles else m for m in question["media"]],
        "answer": now.get(question["answer"]),
    }, was


def offering(question: Question, letters: list[str]) -> dict[str, Any]:
    """A question with some of its options alone, and without the clips of the others."""
    gone = {f"option_{o['letter']}" for o in question["options"] if o["letter"] not in letters}
    return {
        **question,
        "options": [o for o in question["options"] if o["letter"] in letters],
        "media": [m for m in question["media"] if m["role"] not in gone],
    }

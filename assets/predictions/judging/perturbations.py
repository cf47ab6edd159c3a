"""Reference rationales with one thing changed, which a judge must mark lower than the reference.

Each function takes the numbered reference steps and returns them with a fault, or None where the steps have nothing
that it could change. The rest of the wording stays, so that only what is said tells the two apart.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

LATER_S = 5.0
_TIME = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)(?= s\b)")
_SIDE = re.compile(r"\b(left|right)(?= hands?\b)", re.IGNORECASE)
_OTHER_SIDE = {"left": "right", "right": "left", "Left": "Right", "Right": "Left"}
_WORD = re.compile(r"[\w'-]+|[^\w\s]")


def other_hand(steps: str) -> str | None:
    """The steps with left and right hands exchanged."""
    return _if_changed(steps, _SIDE.sub(lambda side: _OTHER_SIDE[side[0]], steps))


def later(steps: str) -> str | None:
    """The steps with every time `LATER_S` seconds later."""
    return _if_changed(steps, _TIME.sub(lambda time: _shifted(time[0]), steps))


def exchanged_times(steps: str) -> str | None:
    """The steps with the times of the first two steps that have other times exchanged: the order turns round."""
    lines = steps.split("\n")
    times = [_TIME.findall(line) for line in lines]
    for first, second in combinations(range(len(lines)), 2):
        if len(times[first]) != len(times[second]) or times[first] == times[second]:
            continue
        # Spans that overlap may share a time: only an order that was there can be turned round.
        if max(map(float, times[first])) <= min(map(float, times[second])):
            lines[first] = _with_times(lines[first], times[second])
            lines[second] = _with_times(lines[second], times[first])
            return "\n".join(lines)
    return None


def other_option(steps: str, options: Sequence[Mapping[str, Any]]) -> str | None:
    """The steps told of what a wrong option names instead of what the right one names.

    Args:
        steps: Numbered steps.
        options: Options of the question, with `text` and `is_answer`.
    """
    right = next((one["text"] for one in options if one["is_answer"]), None)
    wrong = [one["text"] for one in options if one["is_answer"] is False]
    for text in wrong if right else ():
        said, instead = _difference(right or "", text or "")
        if said and instead:
            place = re.compile(rf"(?<![\w'-]){re.escape(said)}(?![\w'-])", re.IGNORECASE)
            told = place.sub(lambda _, instead=instead: instead, steps)
            if told != steps:
                return told
    return None


def _shifted(time: str) -> str:
    decimals = len(time.partition(".")[2])
    return f"{float(time) + LATER_S:.{decimals}f}"


def _with_times(line: str, times: Sequence[str]) -> str:
    following = iter(times)
    return _TIME.sub(lambda _: next(following), line)


def _difference(first: str, second: str) -> tuple[str, str]:
    """What two texts say between the words they begin and end with alike."""
    one, two = (list(_WORD.finditer(text)) for text in (first, second))
    start = 0
    while start < min(len(one), len(two)) and one[start][0].lower() == two[start][0].lower():
        start += 1
    end = 0
    while (
        end < min(len(one), len(two)) - start
        and one[-1 - end][0].lower() == two[-1 - end][0].lower()
    ):
        end += 1
    return _span(first, one[start : len(one) - end]), _span(second, two[start : len(two) - end])


def _span(text: str, words: Sequence[re.Match[str]]) -> str:
    return text[words[0].start() : words[-1].end()] if words else ""


def _if_changed(steps: str, changed: str) -> str | None:
    return changed if changed != steps else None

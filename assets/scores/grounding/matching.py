"""What a reply cites against the evidence of its question: times, things and boxes, each by its own rule.

- A time is supported within `TOLERANCE_S` of a span of the evidence, or of a time that the question itself names.
- A name is supported where it means the same as a name in the evidence (`assets.words.matching`). Who names a hand, an
  action, a state or a step of the evidence cites no thing.
- A box is supported where it overlaps, by `LEAST_IOU` or more, a box that the evidence names, or that shows one of its
  hands or things elsewhere in the clip. Coordinates up to 1 are fractions of the picture; larger ones up to 1,000 are
  thousandths, which several models write. Pixels cannot be told from these: the prompt asks for fractions.

Where the evidence says nothing of a kind, nobody can tell whether what is cited of that kind is right.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from typing import TypeVar

from assets.extract.evidence import Box, Evidence
from assets.words.matching import NO_SYNONYMS, Synonyms, match_texts

TOLERANCE_S = 1.0
LEAST_IOU = 0.5
_THOUSANDTHS = 1000.0
# Times are written to a tenth of a second.
_EPSILON_S = 0.05 + 1e-9

Cited = TypeVar("Cited")
Known = TypeVar("Known")


@dataclass(frozen=True, slots=True)
class Facts:
    """Evidence of a question.

    Attributes:
        spans: Starts and ends in seconds from the start of the clip.
        names: Names of things.
        boxes: Boxes that the evidence names: x_min, y_min, x_max, y_max as fractions of the upright picture.
        further_boxes: Where else in the clip its hands and things are seen. They support what is cited; nobody is
            expected to cite them.
        further_times: Times that the question itself names; they support in the same way.
        other_names: What else the evidence names: hands, people, actions, states, steps.
    """

    spans: tuple[tuple[float, float], ...] = ()
    names: tuple[str, ...] = ()
    boxes: tuple[Box, ...] = ()
    further_boxes: tuple[Box, ...] = ()
    further_times: tuple[float, ...] = ()
    other_names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Counts:
    """What of one kind is cited and known.

    Attributes:
        cited: Different ones that the reply cites.
        supported: Of these, those that the evidence supports; None where it says nothing of the kind.
        known: Different ones in the evidence.
        found: Of these, those that the reply cites.
    """

    cited: int
    supported: int | None
    known: int
    found: int


def grounding(cited: Evidence, facts: Facts, synonyms: Synonyms = NO_SYNONYMS) -> dict[str, Counts]:
    """Counts by kind: `time`, `object` and `box`.

    Args:
        cited: What the reply cites.
        facts: What the evidence says.
        synonyms: What knows synonyms of names.
    """
    moments = [(t_s, t_s) for t_s in facts.further_times]
    return {
        "time": _counted(set(cited.times), facts.spans, _is_within, moments),
        "object": _things(cited.objects, facts, synonyms),
        "box": _boxes(cited.boxes, facts),
    }


def _things(cited: Iterable[str], facts: Facts, synonyms: Synonyms) -> Counts:
    def means(name: str, known: str) -> bool:
        return match_texts(name, known, synonyms) is not None

    names, things, others = map(_plain, (cited, facts.names, facts.other_names))
    named = {
        name
        for name in names
        if any(means(name, thing) for thing in things)
        or not any(means(name, other) for other in others)
    }
    return _counted(named, things, means)


def _plain(names: Iterable[str]) -> set[str]:
    return {" ".join(name.lower().split()) for name in names}


def _boxes(cited: Iterable[Box], facts: Facts) -> Counts:
    boxes = {in_fractions(box) for box in cited}
    readable = {box for box in boxes if box is not None}
    counts = _counted(readable, facts.boxes, _is_over, facts.further_boxes)
    # A box of no known unit is cited and supported by nothing.
    unreadable = sum(in_fractions(box) is None for box in set(cited))
    return replace(counts, cited=counts.cited + unreadable)


def _counted(
    cited: Collection[Cited],
    known: Iterable[Known],
    supports: Callable[[Cited, Known], bool],
    further: Iterable[Known] = (),
) -> Counts:
    expected, further = set(known), list(further)
    supporting = [*expected, *further]
    supported = sum(any(supports(one, fact) for fact in supporting) for one in cited)
    return Counts(
        cited=len(cited),
        supported=supported if supporting else None,
        known=len(expected),
        found=sum(any(supports(one, fact) for one in cited) for fact in expected),
    )


def _is_within(t_s: float, span: tuple[float, float]) -> bool:
    start_s, end_s = span
    return start_s - TOLERANCE_S - _EPSILON_S <= t_s <= end_s + TOLERANCE_S + _EPSILON_S


def _is_over(box: Box, known: Box) -> bool:
    return iou(box, known) >= LEAST_IOU


def in_fractions(box: Box) -> Box | None:
    """A cited box in fractions of the picture; None where it is not a box of any known unit.

    Args:
        box: x_min, y_min, x_max, y_max as cited.
    """
    scale = 1.0 if max(box) <= 1.0 else _THOUSANDTHS
    x_min, y_min, x_max, y_max = (value / scale for value in box)
    if not (0 <= x_min < x_max <= 1 and 0 <= y_min < y_max <= 1):
        return None
    return x_min, y_min, x_max, y_max


def iou(first: Box, second: Box) -> float:
    """Intersection over union of two boxes, each x_min, y_min, x_max, y_max."""
    width = min(first[2], second[2]) - max(first[0], second[0])
    height = min(first[3], second[3]) - max(first[1], second[1])
    if width <= 0 or height <= 0:
        return 0.0
    shared = width * height
    areas = sum((box[2] - box[0]) * (box[3] - box[1]) for box in (first, second))
    return shared / (areas - shared)

"""What a reply cites against the evidence of its question: times, things and boxes, each by its own rule.

- A time is supported within `TOLERANCE_S` of a span of the evidence.
- A name is supported where it means the same as a name in the evidence (`assets.words.matching`).
- A box is supported where it overlaps, by `LEAST_IOU` or more, a box that the evidence names, or that shows one of its
  hands or things elsewhere in the clip. Coordinates up to 1 are fractions of the picture; larger ones up to 1,000 are
  thousandths, which several models write. Pixels cannot be told from these: the prompt asks for fractions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
    """

    spans: tuple[tuple[float, float], ...] = ()
    names: tuple[str, ...] = ()
    boxes: tuple[Box, ...] = ()
    further_boxes: tuple[Box, ...] = ()


@dataclass(frozen=True, slots=True)
class Counts:
    """What of one kind is cited and known.

    Attributes:
        cited: Different ones that the reply cites.
        supported: Of these, those that the evidence supports.
        known: Different ones in the evidence.
        found: Of these, those that the reply cites.
    """

    cited: int
    supported: int
    known: int
    found: int


def grounding(cited: Evidence, facts: Facts, synonyms: Synonyms = NO_SYNONYMS) -> dict[str, Counts]:
    """Counts by kind: `time`, `object` and `box`.

    Args:
        cited: What the reply cites.
        facts: What the evidence says.
        synonyms: What knows synonyms of names.
    """
    names = {" ".join(name.lower().split()) for name in cited.objects}
    known_names = {" ".join(name.lower().split()) for name in facts.names}
    return {
        "time": _counted(sorted(set(cited.times)), sorted(set(facts.spans)), _is_within),
        "object": _counted(
            sorted(names),
            sorted(known_names),
            lambda name, known: match_texts(name, known, synonyms) is not None,
        ),
        "box": _boxes(cited.boxes, facts),
    }


def _boxes(cited: Sequence[Box], facts: Facts) -> Counts:
    boxes = {in_fractions(box) for box in cited}
    readable = sorted(box for box in boxes if box is not None)
    # A box of no known unit is cited and supported by nothing.
    unreadable = sum(in_fractions(box) is None for box in set(cited))
    named = sorted(set(facts.boxes))
    found = _counted(readable, named, _is_over)
    supported = _counted(readable, sorted({*named, *facts.further_boxes}), _is_over).supported
    return replace(found, cited=found.cited + unreadable, supported=supported)


def _counted(
    cited: Sequence[Cited],
    known: Sequence[Known],
    supports: Callable[[Cited, Known], bool],
) -> Counts:
    return Counts(
        cited=len(cited),
        supported=sum(any(supports(one, fact) for fact in known) for one in cited),
        known=len(known),
        found=sum(any(supports(one, fact) for one in cited) for fact in known),
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

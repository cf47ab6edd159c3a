"""What a hand holds in each picture by the points at which it meets and leaves things: ENIGMA-51."""

from __future__ import annotations

from collections import defaultdict
from typing import Any, Final, NamedTuple

from expectations.derivations.egocross._annotated_clips import (
    Counted,
    annotation_of,
    boxes_of,
    is_tool,
)
from expectations.derivations.egocross._held import Held
from expectations.gates.base import Derived, Question, finite, span_of
from expectations.gates.tables import EvidenceTables

_MEETS: Final = ("first_contact", "take")
_LEAVES: Final = ("decontact", "release")
_SAME_S: Final = 1e-3
Row = dict[str, Any]


class _Point(NamedTuple):
    at_s: float
    leaves: bool
    kind: str
    told: tuple[str, ...]


def held_by_points(
    question: Question,
    given: EvidenceTables,
    notes: Derived,
    pictures: dict[int, float],
    side: str,
) -> dict[int, list[Held]]:
    """What a hand holds in each picture; notes points of the clip that name no hand or thing.

    The last point of hand and thing before a picture and the first one after it tell it: the hand holds what
    it has met and leaves next, or takes after it has touched it. It may hold what it meets once more, what it
    never leaves, and what it leaves without having met it.

    Args:
        question: The question.
        given: The tables.
        notes: Filled in.
        pictures: Time of every picture that counts, by number.
        side: Side of the hand.
    """
    of_thing = _points(question, given, notes, side)
    counted = Counted(given, annotation_of(question).taxonomy)
    boxes = boxes_of(question.recording_id, given)
    holds_of: dict[int, list[Held]] = {n: [] for n in pictures}
    for n, t_s in pictures.items():
        shown: dict[str, list[Row]] = defaultdict(list)
        for row in filter(is_tool, boxes.get(n, [])):
            shown[_spoken(row["class_name"])].append(row)
        for thing, points in of_thing.items():
            past = [p for p in points if p.at_s <= t_s + _SAME_S]
            coming = [p for p in points if p.at_s > t_s + _SAME_S]
            last, following = past[-1] if past else None, coming[0] if coming else None
            has_met = last is not None and not last.leaves
            will_leave = following is not None and following.leaves
            if thing not in shown or not (has_met or will_leave):
                continue
            sure = (
                has_met
                and following is not None
                and (will_leave or (last is not None and following.kind != last.kind))
            )
            rows = shown[thing]
            holds_of[n].append(
                Held(
                    counted.name(rows[0]["class_name"]) or "",
                    sure,
                    tuple(str(row["box_id"]) for row in rows),
                    tuple(row for p in (last, following) if p is not None for row in p.told),
                )
            )
    return holds_of


def _points(
    question: Question, given: EvidenceTables, notes: Derived, side: str
) -> dict[str, list[_Point]]:
    """Points of one hand by thing, in order of time."""
    uid, (start_s, end_s) = question.recording_id, span_of(question.query)
    own: dict[str, list[Row]] = defaultdict(list)
    for relation in given.rows("relations", recording_id=uid):
        own[relation["segment_id"]].append(relation)
    by_thing: dict[str, list[_Point]] = defaultdict(list)
    for row in given.rows("segments", recording_id=uid):
        kind, at_s = row["class_name"], row["start_s"]
        if row["kind"] != "interaction" or not row["is_point"] or not finite(at_s):
            continue
        if kind not in (*_MEETS, *_LEAVES):
            continue
        relations = own[row["segment_id"]]
        hands = {r["hand_side"] for r in relations} - {None}
        things = {_spoken(r["object"]) for r in relations if r["role"] == "direct"}
        if not hands or not things:
            if start_s <= at_s < end_s:
                why = f"{row['segment_id']} names no hand or no thing"
                notes.refuse("consistent", "not_annotated", why)
        elif side in hands:
            evidence = [f"segments:{row['segment_id']}"]
            evidence += [f"relations:{r['relation_id']}" for r in relations]
            point = _Point(float(at_s), kind in _LEAVES, str(kind), tuple(evidence))
            by_thing[min(things)].append(point)
    return {thing: sorted(points, key=_order) for thing, points in by_thing.items()}


def _order(point: _Point) -> tuple[float, bool, tuple[str, ...]]:
    """By time; what is left is left before it is met again."""
    return point.at_s, not point.leaves, point.told


def _spoken(name: object) -> str:
    return str(name).replace("_", " ")

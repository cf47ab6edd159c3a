"""Counts how far readings of the gold narrations agree with their annotation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assets.labels.open.reader import OpenLabel, read_narrations

_ATTRIBUTES = ("actor", "status", "body_part", "direction")
_SIDED = frozenset(["left_hand", "right_hand", "both_hands"])


def score(rows: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Agreement of the open reader with annotated narrations.

    A verb agrees where its lemma does; what else an event has is compared for the verbs that agree.
    Objects of a verb that was missed, or that nobody annotated, count as missed or as wrong.

    Args:
        rows: Gold narrations, as `read_gold` gives them.

    Returns:
        `verbs`, `objects` and `roles` (objects with their role) as micro F1; `actor`, `status`,
        `body_part`, `direction` and `side` (left, right or both hands, where the annotation has one) as
        shares that are right; `narrations`, their number.
    """
    counts: Counter[str] = Counter()
    labels = read_narrations([row["narration"] for row in rows])
    for row, found in zip(rows, labels, strict=True):
        _count(row["events"], found, counts)
    scores = {kind: _f1(counts, kind) for kind in ("verbs", "objects", "roles")}
    for name in (*_ATTRIBUTES, "side"):
        scores[name] = counts[f"{name}_right"] / max(1, counts[f"{name}_all"])
    return {**scores, "narrations": len(rows)}


def _count(
    events: Iterable[Mapping[str, Any]], labels: Iterable[OpenLabel], counts: Counter[str]
) -> None:
    read: list[tuple[OpenLabel, list[OpenLabel]]] = []
    for label in labels:
        if label.kind == "verb":
            read.append((label, []))
        else:
            read[-1][1].append(label)
    for event in events:
        at = next((i for i, (verb, _) in enumerate(read) if verb.lemma == event["verb"]), None)
        counts["verbs_gold"] += 1
        objects: list[OpenLabel] = []
        if at is not None:
            verb, objects = read.pop(at)
            counts["verbs_both"] += 1
            counts["verbs_read"] += 1
            _compare(event, verb, counts)
        _compare_objects(event["objects"], objects, counts)
    for _, objects in read:
        counts["verbs_read"] += 1
        _compare_objects([], objects, counts)


def _compare(event: Mapping[str, Any], verb: OpenLabel, counts: Counter[str]) -> None:
    values = (verb.actor_id, verb.status, verb.body_part, verb.direction)
    for name, value in zip(_ATTRIBUTES, values, strict=True):
        counts[f"{name}_all"] += 1
        counts[f"{name}_right"] += value == event[name]
    if event["body_part"] in _SIDED:
        counts["side_all"] += 1
        counts["side_right"] += verb.body_part == event["body_part"]


def _compare_objects(
    gold: Iterable[Mapping[str, Any]], read: Iterable[OpenLabel], counts: Counter[str]
) -> None:
    gold, read = list(gold), list(read)
    pairs = {
        "objects": (Counter(o["noun"] for o in gold), Counter(o.lemma for o in read)),
        "roles": (
            Counter((o["noun"], o["role"]) for o in gold),
            Counter((o.lemma, o.role) for o in read),
        ),
    }
    for kind, (annotated, found) in pairs.items():
        counts[f"{kind}_gold"] += annotated.total()
        counts[f"{kind}_read"] += found.total()
        counts[f"{kind}_both"] += (annotated & found).total()


def _f1(counts: Counter[str], kind: str) -> float:
    return 2 * counts[f"{kind}_both"] / max(1, counts[f"{kind}_gold"] + counts[f"{kind}_read"])

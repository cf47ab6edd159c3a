"""Valid chains of the next keysteps: their orders in all takes of the task, and the ways between them (P8).

Orders are counted in the keysteps of all takes, places are means of the hands' joints, and the camera's axis
comes from its pose and calibration; no stored order, place or direction is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise, permutations
from typing import Any

import numpy as np
import polars as pl

from expectations.derivations import places
from expectations.derivations.clips import check_length_between
from expectations.derivations.directions import Direction
from expectations.derivations.geometry import (
    Pose,
    Vector,
    axis_from_vertical_deg,
    bearing_deg,
    sector_and_margin,
)
from expectations.derivations.reads import merge_reads
from expectations.gates.base import (
    CannotTell,
    Derivation,
    Derived,
    Hidden,
    Margin,
    Question,
    Sight,
    span_of,
)
from expectations.gates.statements import Exact, Number, Statement
from expectations.gates.tables import EvidenceTables

_LETTERS = ("C", "E", "A", "H", "D", "G", "B", "F")
_LENGTHS, _MOST_ORDERS, _CANDIDATES = (3, 4, 5), 3, 10
_SHORTEST_S, _LONGEST_S = 10.0, 30.0
_DENSE_S, _MORE_STEPS = 60.0, 2
_SHORTEST_M, _MOST_SPREAD_M = 0.3, 0.5
_MARGIN_DEG, _VERTICAL_DEG = 7.5, 20.0
_LEAST_TAKES = 2
_SAME_INSTANT_S = 0.05
# The last frame may lie a little before the end of the clip.
_LAST_FRAME_S = 0.1
_ROUNDED_M = 0.051
Row = dict[str, Any]


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    uid = str(question.query["recording_id"])
    clip = start, end = span_of(question.query)
    recording = given.recording(uid)
    if recording["view"] != "ego":
        notes.refuse("consistent", "swapped_view", f"{uid} is not a wearer's camera")
    check_length_between(notes, clip, _SHORTEST_S, _LONGEST_S)
    steps = _steps(given, uid)
    length = len(question.sequences[0][0])
    if length not in _LENGTHS:
        notes.refuse("consistent", "chain_length", f"a chain of {length}, 3 to 5 are asked", length)
    chain = _note_chain(steps, end, length, notes)
    _note_hidden(question, uid, steps, notes)
    done = tuple((s["start_s"], s["end_s"]) for s in steps if start <= s["start_s"] < end)
    notes.sights.append(Sight("query", done, 0.0, "a keystep on the way to the goal"))
    notes.sights.append(Sight("query", ((end, end),), _LAST_FRAME_S, "the current observation"))
    names = _names(given, str(recording["scenario"]))
    _note_candidates(question, steps, end, names, str(recording["scenario"]), notes)
    ids = [int(step["class_id"]) for step in chain]
    orders = _orders(ids, _takes(given, str(recording["scenario"])), notes)
    camera = places.camera_at(uid, end, given)
    vertical = axis_from_vertical_deg(camera)
    if vertical < _VERTICAL_DEG:
        words = "camera axis to the vertical"
        notes.margins.append(Margin("axis_vertical", vertical, _VERTICAL_DEG, "deg", words))
    at = {int(s["class_id"]): _place(s, given, notes) for s in chain}
    _note_answers(question, chain, orders, camera, at, notes)


def _steps(given: EvidenceTables, uid: str) -> list[Row]:
    """Keysteps of a recording, in order."""
    rows = [
        row
        for row in given.rows("segments", recording_id=uid)
        if row["kind"] == "keystep" and row["class_id"] is not None
    ]
    return sorted(rows, key=lambda row: (row["start_s"], row["segment_id"]))


def _note_chain(steps: Sequence[Row], end_s: float, length: int, notes: Derived) -> list[Row]:
    """The next keysteps after the clip, and the one that it ends with."""
    later = [step for step in steps if step["start_s"] >= end_s - _SAME_INSTANT_S]
    chain = later[:length]
    if len(chain) < length:
        raise CannotTell(f"{len(later)} keysteps follow the clip, the chain has {length}")
    last = [s for s in steps if abs(s["end_s"] - end_s) <= _SAME_INSTANT_S]
    if not last:
        notes.refuse("consistent", "shifted_time", f"no keystep ends at {end_s:.2f} s")
    notes.rests_on("done", "segments", [step["segment_id"] for step in last], "one")
    notes.rests_on("answer", "segments", [step["segment_id"] for step in chain])
    since = chain[-1]["end_s"] - _DENSE_S
    dense = sum(since <= s["start_s"] and s["end_s"] <= chain[-1]["end_s"] for s in steps)
    if dense < length + _MORE_STEPS:
        words = (
            f"{dense} keysteps in {_DENSE_S:g} s, a chain of {length} needs two more than itself"
        )
        notes.refuse("consistent", "sparse", words, dense, length + _MORE_STEPS)
    ids = [step["class_id"] for step in steps]
    for step in chain:
        if ids.count(step["class_id"]) > 1:
            notes.refuse("distractors", "repeated_step", f"{step['class_name']} is done again")
    return chain


def _note_hidden(question: Question, uid: str, steps: Sequence[Row], notes: Derived) -> None:
    """What the key calls a step of the chain must not be shown."""
    value = {c["number"]: str(c["value"]) for c in question.candidates}
    told = {value.get(number) for numbers, _ in question.sequences for number in numbers}
    for step in steps:
        if str(step["class_id"]) in told:
            what = f"{step['class_name']}, a step of the chain"
            start, end = float(step["start_s"]), float(step["end_s"])
            notes.hidden.append(Hidden(uid, start, end, "future_shown", what))


def _names(given: EvidenceTables, scenario: str) -> dict[int, set[str]]:
    """Names of the task's keysteps."""
    names: dict[int, set[str]] = {}
    for take in _takes(given, scenario):
        for step in take:
            names.setdefault(int(step["class_id"]), set()).add(" ".join(step["class_name"].split()))
    return names


def _takes(given: EvidenceTables, scenario: str) -> list[list[Row]]:
    """Keysteps of each take of a task."""
    found = (_steps(given, r["recording_id"]) for r in given.rows("recordings", scenario=scenario))
    return [take for take in found if take]


def _note_candidates(
    question: Question, steps: Sequence[Row], end_s: float, names: dict[int, set[str]],
    goal: str, notes: Derived,
) -> None:  # fmt: skip
    """Whether each candidate is still to be done, and what the text must say."""
    if len(question.candidates) != _CANDIDATES:
        n = len(question.candidates)
        notes.refuse("well_formed", "candidate_count", f"{n} candidates, 10 are asked", n, 10)
    later = {int(s["class_id"]) for s in steps if s["start_s"] >= end_s - _SAME_INSTANT_S}
    form, slots = "Goal: {goal} Candidate keysteps (id: description, total = {total}):", {}
    for candidate in question.candidates:
        number, value = candidate["number"], str(candidate["value"])
        known = names.get(int(value), set()) if value.isdigit() else set()
        if " ".join(str(candidate["text"]).split()) not in known:
            message = (
                f"candidate {number} reads {candidate['text']!r}, keystep {value} {sorted(known)}"
            )
            notes.refuse("consistent", "candidate_text", message)
        is_left = value.isdigit() and int(value) in later
        notes.option(
            str(number), is_left if known else None, "it is still to be done after the clip"
        )
        form += f" {number}: {{text_{number}}}"
        slots[f"text_{number}"] = Exact(" ".join(str(candidate["text"]).split()))
    slots |= {"goal": Exact(goal), "total": Exact(str(_CANDIDATES))}
    notes.asks.append(Statement("goal and candidates", (form,), slots, ()))


def _orders(
    ids: Sequence[int], takes: Sequence[Sequence[Row]], notes: Derived
) -> list[tuple[int, ...]]:
    """Orders that break nothing all takes agree on; an order nobody showed is unknown."""
    first: set[tuple[int, int]] = set()
    free: set[tuple[int, int]] = set()
    for one, other in combinations(sorted({int(s["class_id"]) for t in takes for s in t}), 2):
        shown = [_comes_first(take, one, other) for take in takes]
        counts = {key: shown.count(key) for key in ("one", "other", "mixed")}
        if counts["one"] and counts["other"]:
            free.add((one, other))
        elif not counts["mixed"] and max(counts["one"], counts["other"]) >= _LEAST_TAKES:
            first.add((one, other) if counts["one"] else (other, one))
    reached = {a: _after(a, first, set(ids)) for a in ids}
    for one, other in combinations(sorted(ids), 2):
        if other not in reached[one] and one not in reached[other] and (one, other) not in free:
            message = f"the takes do not tell the order of keysteps {one} and {other}"
            notes.refuse("answer", "order_unknown", message)
            raise CannotTell(message)
    orders = [
        order
        for order in permutations(ids)
        if not any(a in reached[b] for a, b in combinations(order, 2))
    ]
    if len(orders) > _MOST_ORDERS:
        words = f"{len(orders)} orders are valid, {_MOST_ORDERS} at most are asked"
        notes.refuse("answer", "too_many_orders", words, len(orders), _MOST_ORDERS)
    return orders


def _comes_first(take: Sequence[Row], one: int, other: int) -> str:
    """Which of two keysteps is over for good before the other begins: one, other, mixed, or none done."""
    spans = [[(s["start_s"], s["end_s"]) for s in take if s["class_id"] == n] for n in (one, other)]
    if not all(spans):
        return "none"
    if max(end for _, end in spans[0]) <= min(start for start, _ in spans[1]):
        return "one"
    return "other" if max(end for _, end in spans[1]) <= min(s for s, _ in spans[0]) else "mixed"


def _after(step: int, first: set[tuple[int, int]], among: set[int]) -> set[int]:
    """Keysteps of a chain that always come after one of them."""
    found: set[int] = set()
    todo = [step]
    while todo:
        here = todo.pop()
        following = {b for a, b in first if a == here and b in among} - found
        found |= following
        todo += following
    return found


def _place(step: Row, given: EvidenceTables, notes: Derived) -> Vector:
    """Mean of the wearer's hands during a keystep.

    Raises:
        CannotTell: No hand is known then.
    """
    joints = given.part("hand_joints", recording_id=step["recording_id"]).filter(
        pl.col("t_s").is_between(step["start_s"], step["end_s"]) & pl.col("person_id").is_null()
    )
    if joints.is_empty():
        raise CannotTell(f"no hands are known during {step['segment_id']}")
    instants = []
    for t in joints["t_s"].unique().sort():
        now = joints.filter(pl.col("t_s") == t)
        hands = [
            part.select("x", "y", "z").to_numpy().mean(0) for part in now.partition_by("hand_side")
        ]
        instants.append(np.mean(hands, axis=0))
    points = np.array(instants)
    middle = points.mean(axis=0)
    spread = float(np.sqrt(((points - middle)[:, :2] ** 2).sum(axis=1).mean()))
    if spread > _MOST_SPREAD_M:
        words = f"the hands move {spread:.2f} m during {step['segment_id']}"
        notes.refuse("margin", "place_spread", words, spread, _MOST_SPREAD_M)
    return middle


def _note_answers(
    question: Question, chain: Sequence[Row], orders: Sequence[tuple[int, ...]], camera: Pose,
    at: dict[int, Vector], notes: Derived,
) -> None:  # fmt: skip
    """Valid sequences in the question's numbers, margins of their moves, and what explains them."""
    number = {str(c["value"]): int(c["number"]) for c in question.candidates}
    absent = [n for n in at if str(n) not in number]
    if absent:
        notes.refuse("answer", "step_not_offered", f"keysteps {absent} are not candidates")
        raise CannotTell(f"keysteps {absent} of the chain are not candidates")
    shown = {n: number[str(n)] for n in at}
    segments = {int(s["class_id"]): f"segments:{s['segment_id']}" for s in chain}
    letters: dict[tuple[int, int], str] = {}
    for one, other in dict.fromkeys(pair for order in orders for pair in pairwise(order)):
        length = float(np.linalg.norm((at[other] - at[one])[:2]))
        words = f"from {shown[one]} to {shown[other]}"
        notes.margins.append(Margin("edge_length", length, _SHORTEST_M, "m", words))
        bearing = bearing_deg(Pose(camera.turn, at[one]), at[other])
        sector, margin = sector_and_margin(bearing)
        notes.margins.append(Margin("sector_border", margin, _MARGIN_DEG, "deg", words))
        letters[one, other] = _LETTERS[sector]
        way = Direction("", "", 0.0, bearing, length).slots() | {
            "distance": Number(length, _ROUNDED_M)
        }
        notes.statements.append(
            Statement(
                f"way {words}",
                (
                    f"From step {shown[one]} to step {shown[other]}: {{distance}} m, {{bearing}} degrees"
                    " {side} the camera's forward axis, {direction}.",
                ),
                way,
                (segments[one], segments[other]),
            )
        )
    notes.sequences = {
        (tuple(shown[n] for n in order), tuple(letters[pair] for pair in pairwise(order)))
        for order in orders
    }
    told = [", ".join(map(str, numbers)) for numbers, _ in question.sequences]
    valid = {", ".join(str(shown[n]) for n in order) for order in orders}
    notes.statements.append(
        Statement(
            "valid orders",
            ("Valid orders: {orders}.",),
            {"orders": Exact("; ".join(o for o in told if o in valid))},
            tuple(segments.values()),
            untrue="" if set(told) == valid else f"the takes show the orders {sorted(valid)}",
        )
    )


DERIVATION = Derivation(
    benchmark="egoprox",
    subtasks=("chain_of_actions",),
    reads=merge_reads(
        {name: places.READS[name] for name in ("camera_poses", "cameras", "calibrations")},
        {
            "recordings": ("recording_id", "view", "scenario"),
            "segments": (
                "segment_id", "recording_id", "kind", "start_s", "end_s", "class_id", "class_name",
            ),
            "hand_joints": ("recording_id", "t_s", "person_id", "hand_side", "x", "y", "z"),
        },
    ),
    derive=_derive,
    recipes=("chain_of_actions",),
    explained_in=("detailed_answer",),
)  # fmt: skip

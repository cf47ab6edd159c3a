"""Stored facts about where a thing is and when it is seen or touched, held against what is measured here."""

from __future__ import annotations

import math
from typing import Any

from expectations.gates.base import Derived, Question
from expectations.gates.tables import EvidenceTables

READS: dict[str, tuple[str, ...]] = {
    "spatial_facts": (
        "fact_id",
        "recording_id",
        "operator",
        "object_id",
        "object_name",
        "t_s",
        "end_s",
        "plane",
        "value",
    )
}
# Stored facts are measured apart from the derivations; they may differ by rounding only.
SAME_BEARING_DEG = 0.5
SAME_DISTANCE_M = 0.02
_SAME_INSTANT_S = 0.01


def facts_in_evidence(question: Question, given: EvidenceTables) -> list[dict[str, Any]]:
    """Return the facts about the query's recording that the evidence of a question names.

    Args:
        question: The question.
        given: The tables.
    """
    return [
        row
        for key in question.keys_of("spatial_facts")
        for row in given.rows("spatial_facts", fact_id=key)
        if row["recording_id"] == str(question.query["recording_id"])
    ]


def fact_end_s(fact: dict[str, Any]) -> float:
    """Return the end of a stored fact in seconds; its time where it has none.

    Args:
        fact: Row of `spatial_facts`.
    """
    return float(fact["t_s"] if fact["end_s"] is None else fact["end_s"])


def rest_on_direction(
    thing: str,
    recording: str,
    at_s: float,
    bearing_deg: float,
    distance_m: float,
    given: EvidenceTables,
    notes: Derived,
    operators: tuple[str, str] = ("bearing", "distance"),
) -> None:
    """Note that the evidence names the bearing and may name the distance, and facts that are wrong.

    Args:
        thing: The thing asked for.
        recording: Recording that shows it.
        at_s: Instant the direction is valid for, in seconds.
        bearing_deg: Bearing measured then.
        distance_m: Distance measured then.
        given: The tables.
        notes: Filled in.
        operators: Operators of the facts that hold the bearing and the distance.
    """
    facts = given.rows("spatial_facts", recording_id=recording, object_id=thing)
    now = [f for f in facts if abs(f["t_s"] - at_s) <= _SAME_INSTANT_S]
    bearings = [f for f in now if f["operator"] == operators[0] and f["plane"] == "ground"]
    distances = [f for f in now if f["operator"] == operators[1]]
    notes.rests_on("answer", "spatial_facts", [f["fact_id"] for f in bearings], "one")
    notes.rests_on("distance", "spatial_facts", [f["fact_id"] for f in distances], "none")
    for fact in bearings:
        value = fact["value"]
        apart = math.inf if value is None else abs(value - bearing_deg)
        apart = min(apart, abs(360.0 - apart))
        _compare(fact, bearing_deg, apart, SAME_BEARING_DEG, notes)
    for fact in distances:
        value = fact["value"]
        apart = math.inf if value is None else abs(value - distance_m)
        _compare(fact, distance_m, apart, SAME_DISTANCE_M, notes)


def rest_on_sight(
    thing: str,
    recording: str,
    start_s: float,
    end_s: float,
    given: EvidenceTables,
    notes: Derived,
) -> None:
    """Note that the evidence names a stored span, begun inside some time, in which a thing is visible.

    Args:
        thing: The thing.
        recording: Recording that shows it.
        start_s: Earliest end of the span.
        end_s: Latest start of the span.
        given: The tables.
        notes: Filled in.
    """
    facts = given.rows("spatial_facts", recording_id=recording, object_id=thing)
    seen = [
        f["fact_id"]
        for f in facts
        if f["operator"] == "visible" and f["t_s"] <= end_s and fact_end_s(f) >= start_s
    ]
    notes.rests_on("seen", "spatial_facts", seen, "one")


def _compare(
    fact: dict[str, Any], measured: float, apart: float, within: float, notes: Derived
) -> None:
    if apart > within:
        notes.refuse(
            "consistent",
            "fact_differs",
            f"spatial_facts:{fact['fact_id']} holds {fact['value']}, the poses give {measured:.2f}",
            apart,
            within,
        )

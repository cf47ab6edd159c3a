"""Who does what with which things, by the annotated relations of segments."""

from __future__ import annotations

from typing import Any

from expectations.gates.base import finite
from expectations.gates.tables import EvidenceTables
from expectations.gates.words import name_words

VERB = "verb"
_DIRECT = ("direct object", "dobj")
_WEARERS = {("cw",), ("c",), ("wearer",), ("camera", "wearer"), ("camerawearer",)}
# A thing's condition is nothing that is done with it.
_CONDITIONS = ("has_state", "has state")

Words = tuple[str, ...]


def is_wearers(action: dict[str, Any], given: EvidenceTables) -> bool:
    """Return whether an action is the camera wearer's: by the source's word for them, or by their id.

    Args:
        action: Row of `segments`.
        given: The tables.
    """
    rows = given.rows("relations", segment_id=action["segment_id"])
    actors = [r for r in rows if r["relation"] == VERB]
    person = given.recording(str(action["recording_id"]))["person_id"]
    return not actors or any(
        name_words(str(r["subject"])) in _WEARERS
        or (person is not None and person in (r["subject"], r["actor_id"]))
        for r in actors
    )


def active_objects(
    action: dict[str, Any], given: EvidenceTables, roles: tuple[str, ...]
) -> set[Words]:
    """Return the names of what an action is done to, and of what else has one of some roles in it.

    Args:
        action: Row of `segments`.
        given: The tables.
        roles: Roles that make a thing active, as `direct`.
    """
    return {
        name_words(str(row["object"]))
        for row in given.rows("relations", segment_id=action["segment_id"])
        if is_active(row, roles) and row["object"]
    }


def is_active(row: dict[str, Any], roles: tuple[str, ...]) -> bool:
    """Return whether the object of a relation is what is done to, or has one of some roles.

    Args:
        row: Row of `relations`.
        roles: Roles that make a thing active.
    """
    return is_direct(row) or row["role"] in roles


def is_direct(row: dict[str, Any]) -> bool:
    """Return whether the object of a relation is the direct object.

    Args:
        row: Row of `relations`.
    """
    return row["role"] == "direct" or (row["role"] is None and row["relation"] in _DIRECT)


def parts_played(action: dict[str, Any], given: EvidenceTables) -> dict[Words, str]:
    """Return the names of everything that takes part in an action, each with the part it plays.

    What no verb joins (a tool that grasps its target) takes part with both its ends.

    Args:
        action: Row of `segments`.
        given: The tables.
    """
    rows = given.rows("relations", segment_id=action["segment_id"])
    verbs = {r["object"] for r in rows if r["relation"] == VERB}
    found: dict[Words, str] = {}
    for row in rows:
        if row["relation"] in (VERB, *_CONDITIONS):
            continue
        if row["object"]:
            part = "direct object" if is_direct(row) else str(row["role"] or row["relation"])
            found.setdefault(name_words(str(row["object"])), part)
        if row["subject"] and row["subject"] not in verbs:
            found.setdefault(name_words(str(row["subject"])), str(row["relation"]))
    return found


def part_played(name: Words, parts: dict[Words, str]) -> str:
    """Return the part that a thing plays which a viewer may call by a name; empty if none does.

    Args:
        name: Words of the name; "cup" may mean the red cup.
        parts: Part of each thing, by the words of its name.
    """
    return next((part for words, part in parts.items() if words[-len(name) :] == name), "")


def actions_with_things(
    recording: str, given: EvidenceTables
) -> list[tuple[float, float, frozenset[Words]]]:
    """Return start and end, in seconds, of every action of a recording, with what takes part in it.

    Args:
        recording: Id of the recording.
        given: The tables.
    """
    memo = given.memo.setdefault("used_at", {})
    if recording not in memo:
        memo[recording] = [
            (float(d["start_s"]), float(d["end_s"]), frozenset(parts_played(d, given)))
            for d in given.rows("segments", recording_id=recording)
            if finite(d["start_s"], d["end_s"])
        ]
    return memo[recording]


def apart_s(
    name: Words, used: list[tuple[float, float, frozenset[Words]]], moment: float
) -> float | None:
    """Return the seconds from a moment to the nearest action with a thing; None if there is none.

    Args:
        name: Words of the thing's name.
        used: Actions with what takes part in them, as from `actions_with_things`.
        moment: Seconds in the recording.
    """
    return min(
        (max(start - moment, moment - end, 0.0) for start, end, names in used if name in names),
        default=None,
    )

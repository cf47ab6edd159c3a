"""Who does what with which things, by the annotated relations of segments."""

from __future__ import annotations

from typing import Any

from expectations.derivations.narrated_verbs import kinds_of_word
from expectations.gates.base import CannotTell, Derived, Margin, Question, Sight, finite
from expectations.gates.tables import EvidenceTables
from expectations.gates.words import name_words

READS: dict[str, tuple[str, ...]] = {
    "segments": ("segment_id", "recording_id", "kind", "start_s", "end_s"),
    "relations": (
        "recording_id",
        "segment_id",
        "subject",
        "relation",
        "object",
        "role",
        "actor_id",
    ),
    "recordings": ("recording_id", "person_id"),
}
VERB = "verb"
_KINDS = ("interaction", "action")
# Steps are actions where relations say what is done in them: those of MECCANO are, those of a recipe are not.
_STEP = "keystep"
# A frame so near the moment shows the action.
_NEAR_S = 0.5
_DIRECT = ("direct object", "dobj")
_WEARERS = {("cw",), ("c",), ("wearer",), ("camera", "wearer"), ("camerawearer",)}
# What these leave behind is in no hand.
_LETS_GO = {"put", "open", "close", "switch_on", "switch_off"}
# A thing's condition is nothing that is done with it.
_CONDITIONS = ("has_state", "has state")

Words = tuple[str, ...]


def actions_at(
    recording: str, moment_s: float, given: EvidenceTables, notes: Derived
) -> list[dict[str, Any]]:
    """Return the rows of `segments` of everything that is done at a moment.

    Args:
        recording: Id of the recording.
        moment_s: Seconds in it.
        given: The tables.
        notes: Filled in where nothing is done then.

    Raises:
        CannotTell: No action is annotated then.
    """
    actions = [
        r
        for r in given.rows("segments", recording_id=recording)
        if finite(r["start_s"], r["end_s"])
        and r["start_s"] <= moment_s <= r["end_s"]
        and _is_action(r, given)
    ]
    if not actions:
        notes.refuse("consistent", "nothing_done_then", f"nothing is annotated at {moment_s:.2f} s")
        raise CannotTell(f"no action is annotated at {moment_s:.2f} s of {recording}")
    return actions


def named_actions(recording: str, given: EvidenceTables) -> list[dict[str, Any]]:
    """Rows of `segments` that are actions of a recording with a class, in time order."""
    memo = given.memo.setdefault("named_actions", {})
    if recording not in memo:
        rows = [
            row
            for row in given.rows("segments", recording_id=recording)
            if row["kind"] == "action"
            and finite(row["start_s"], row["end_s"])
            and not row["is_point"]
            and str(row["class_name"] or "").strip()
        ]
        memo[recording] = sorted(rows, key=lambda r: (r["start_s"], r["end_s"], r["segment_id"]))
    return memo[recording]


def wearers_actions(
    actions: list[dict[str, Any]], moment_s: float, given: EvidenceTables, notes: Derived
) -> list[dict[str, Any]]:
    """Return the actions that are the camera wearer's.

    Args:
        actions: What is done at a moment.
        moment_s: The moment, for the messages.
        given: The tables.
        notes: Filled in where the wearer does nothing.

    Raises:
        CannotTell: None is the wearer's.
    """
    mine = [action for action in actions if is_wearers(action, given)]
    if not mine:
        notes.refuse(
            "consistent", "nothing_done_then", f"the camera wearer does nothing at {moment_s:.2f} s"
        )
        raise CannotTell(f"no action of the camera wearer is annotated at {moment_s:.2f} s")
    return mine


def wearers_actions_of(recording: str, given: EvidenceTables) -> list[dict[str, Any]]:
    """Return the rows of `segments` of all that the camera wearer does, ordered by start, end and id.

    Args:
        recording: Id of the recording.
        given: The tables.
    """
    memo = given.memo.setdefault("wearers_actions", {})
    if recording not in memo:
        rows = [
            row
            for row in given.rows("segments", recording_id=recording)
            if _is_action(row, given)
            and finite(row["start_s"], row["end_s"])
            and is_wearers(row, given)
        ]
        memo[recording] = sorted(rows, key=lambda r: (r["start_s"], r["end_s"], r["segment_id"]))
    return memo[recording]


def _is_action(row: dict[str, Any], given: EvidenceTables) -> bool:
    """Whether a row of `segments` is something that is done."""
    if row["kind"] != _STEP:
        return row["kind"] in _KINDS
    return any(r["relation"] == VERB for r in given.rows("relations", segment_id=row["segment_id"]))


def verbs(action: dict[str, Any], given: EvidenceTables) -> list[str]:
    """Return what is done in an action.

    Args:
        action: Row of `segments`.
        given: The tables.
    """
    rows = given.rows("relations", segment_id=action["segment_id"])
    return [str(r["object"]) for r in rows if r["relation"] == VERB]


def last_action_may_hold(thing: str, moment_s: float, recording: str, given: EvidenceTables) -> str:
    """Return why a hand may hold a thing at a moment; empty if it was let go of, or never acted on.

    Args:
        thing: Name of the thing.
        moment_s: Seconds in the recording.
        recording: Id of the recording.
        given: The tables.
    """
    name = name_words(thing)
    before = [
        row
        for row in wearers_actions_of(recording, given)
        if row["start_s"] <= moment_s and name in active_objects(row, given, ("direct",))
    ]
    last = max(before, key=lambda row: row["end_s"], default=None)
    if last is None:
        return ""
    told = verbs(last, given)
    if any(kinds_of_word(verb) & _LETS_GO for verb in told):
        return ""
    return f"the {thing} was last acted on by {', '.join(told)}, which does not let go of it"


def note_action_seen(
    actions: list[dict[str, Any]], moment_s: float, clip: tuple[float, float], notes: Derived
) -> None:
    """Note that a frame of the clip near a moment must show what is done then.

    Args:
        actions: What is done at the moment.
        moment_s: Seconds in the recording.
        clip: Start and end of the clip.
        notes: Filled in.
    """
    spans = (
        (
            max(action["start_s"], moment_s - _NEAR_S, clip[0]),
            min(action["end_s"], moment_s + _NEAR_S, clip[1]),
        )
        for action in actions
    )
    seen = tuple((start, end) for start, end in spans if end >= start)
    notes.sights.append(Sight("query", seen, 0.0, "the action at the moment"))


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


def note_left_alone(
    question: Question, moment_s: float, least_s: float, given: EvidenceTables, notes: Derived
) -> dict[str, float]:
    """Note how long before or after a moment anything is done with the wrong options, which are things.

    Args:
        question: The question.
        moment_s: Seconds in the query's recording.
        least_s: For so long nothing may be done with them.
        given: The tables.
        notes: Filled in.

    Returns:
        Seconds from the moment to the nearest action with each of them, by letter; those that take
        part in no action are left out.
    """
    used = actions_with_things(str(question.query["recording_id"]), given)
    left_alone: dict[str, float] = {}
    for option in question.options:
        letter, name = str(option["letter"]), name_words(str(option["text"] or ""))
        apart = apart_s(name, used, moment_s)
        if letter != question.answer and apart is not None:
            left_alone[letter] = apart
            words = f"option {letter} is left alone"
            notes.margins.append(Margin("left_alone", apart, least_s, "s", words))
    return left_alone

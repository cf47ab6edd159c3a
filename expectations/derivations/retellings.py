"""Narrations that may tell of the same thing done: stages of carrying one thing, presses of one button."""

from __future__ import annotations

from expectations.derivations.labels import sets_of
from expectations.derivations.narrated_verbs import kinds_by_verb
from expectations.gates.base import Derived, Finding, Question
from expectations.gates.tables import EvidenceTables

# Kinds of verbs that carry a thing, and of those that may be one finger on one button.
_CARRYING = {"take", "put", "bring", "move"}
_PRESSING = {"press": "untold", "switch_on": "on", "switch_off": "off"}


def note_retellings(question: Question, given: EvidenceTables, notes: Derived) -> None:
    """Note wrong options that may tell in other words what the query shows.

    Args:
        question: The question; options are clips of labelled segments.
        given: The tables.
        notes: Filled in.
    """
    _note_movement(question, given, notes)
    _note_button(question, given, notes)


def note_near_misses(question: Question, given: EvidenceTables, notes: Derived) -> None:
    """Warn of options that share no verb or noun with the query; EgoExoBench keeps those that do (A.2).

    Args:
        question: The question; options are clips of labelled segments.
        given: The tables.
        notes: Filled in.
    """
    asked = sets_of(str(question.query["segment_id"]), given)
    for option in question.options:
        sets = sets_of(str(option["segment_id"]), given)
        if asked and sets and not (asked[0] & sets[0] or asked[1] & sets[1]):
            notes.findings.append(
                Finding(
                    "distractors",
                    "shares_nothing",
                    f"option {option['letter']} shares no verb or noun with the query",
                    "warn",
                )
            )


def _note_movement(question: Question, given: EvidenceTables, notes: Derived) -> None:
    """Note a distractor that may be another stage of the query's movement: taking, passing, putting one thing.

    Two narrations of carrying differ for certain only by a thing each, or by the way the same
    things go: out of a place and into it.
    """
    asked_id = str(question.query["segment_id"])
    asked, asked_way = sets_of(asked_id, given), _way(asked_id, given)
    for option in question.options:
        key = str(option["segment_id"])
        sets, way = sets_of(key, given), _way(key, given)
        if option["letter"] == question.answer or not (asked and sets and asked_way and way):
            continue
        here, there = asked[1], sets[1]
        apart = here - there and there - here
        opposed = here == there and "from" in (asked_way, way) and asked_way != way
        if not apart and not opposed and notes.right.get(option["letter"]) is not True:
            words = f"{key} may tell of the movement that {asked_id} tells of"
            notes.option(option["letter"], True, words)


def _note_button(question: Question, given: EvidenceTables, notes: Derived) -> None:
    """Note a distractor that may tell of the same press: the stove is turned off by pressing it."""
    asked_id = str(question.query["segment_id"])
    asked, asked_ways = sets_of(asked_id, given), _pressed(asked_id, given)
    for option in question.options:
        key = str(option["segment_id"])
        sets, ways = sets_of(key, given), _pressed(key, given)
        if option["letter"] == question.answer or not (asked and sets and asked_ways and ways):
            continue
        apart = asked[1] - sets[1] and sets[1] - asked[1]
        opposed = {"on", "off"} <= asked_ways | ways
        if not apart and not opposed and notes.right.get(option["letter"]) is not True:
            words = f"{key} may tell of the button that {asked_id} tells of"
            notes.option(option["letter"], True, words)


def _pressed(segment_id: str, given: EvidenceTables) -> set[str]:
    """Ways a segment's verbs switch a thing: on, off, or untold; empty if one does anything else."""
    ways = [
        {_PRESSING[kind] for kind in kinds if kind in _PRESSING}
        for kinds in kinds_by_verb(segment_id, given)
    ]
    return set().union(*ways) if all(ways) else set()


def _way(segment_id: str, given: EvidenceTables) -> str:
    """Which way a segment's verbs carry: `from` a place, `on` from there; empty if they do not."""
    verbs = kinds_by_verb(segment_id, given)
    if not verbs or not all(kinds & _CARRYING for kinds in verbs):
        return ""
    return "from" if all("take" in kinds for kinds in verbs) else "on"

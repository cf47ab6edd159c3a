"""The goal out of view that a question about intention asks for, from the source tables.

Camera pose, goal and gaze are composed here from the source tables; of the stored facts only the
identity of the goal and the time of the event are read, and both are held against the sources.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from expectations.derivations import attention, facts, places
from expectations.derivations.clips import check_length_between
from expectations.derivations.directions import Direction, direction_to
from expectations.derivations.reads import merge_reads
from expectations.derivations.things import phrase_in, thing_asked, thing_names
from expectations.gates.base import Derived, Question, span_of
from expectations.gates.statements import Choice, Name, Number, Slot, Statement
from expectations.gates.tables import EvidenceTables

READS = merge_reads(places.READS, attention.READS, facts.READS)
_AHEAD_S = 1.0
_SHORTEST_S, _LONGEST_S = 4.0, 8.0
# Explanations tell seconds with one decimal.
_ROUNDED_S = 0.05
_VERBS = {"fixation": "looks at", "contact": "touches"}


@dataclass(frozen=True, slots=True)
class Intention:
    """What a question is about.

    Attributes:
        direction: Where the goal lies at the clip's end.
        event: Fact that the wearer looks at it or touches it then; None where there is none.
    """

    direction: Direction
    event: dict[str, Any] | None


def intention_asked(
    question: Question, least_deg: float, given: EvidenceTables, notes: Derived
) -> Intention:
    """Return what a question asks about, and note what must be seen, hidden and named for it.

    Args:
        question: The question.
        least_deg: Least distance of the bearing to the border of a sector of 45 degrees.
        given: The tables.
        notes: Filled in.

    Raises:
        CannotTell: The text names no thing, or a pose is not known.
    """
    recording = str(question.query["recording_id"])
    clip = start, end = span_of(question.query)
    if given.recording(recording)["view"] != "ego":
        notes.refuse("consistent", "swapped_view", f"{recording} is not a wearer's camera")
    check_length_between(notes, clip, _SHORTEST_S, _LONGEST_S)
    named = facts.facts_in_evidence(question, given)
    goal = thing_asked(question, named, given, notes, recording)
    event = None
    # In the paper the goal is only seen before; nobody needs to look at it afterwards.
    if not question.as_paper:
        event = attention.event_ahead(goal, named, given, notes, recording, end, _AHEAD_S)
    if event is not None:
        notes.rests_on("event", "spatial_facts", [event["fact_id"]])
    attention.note_out_of_view(goal, given, notes, recording, clip)
    direction = direction_to(goal, recording, end, least_deg, given, notes)
    facts.rest_on_direction(
        goal, recording, end, direction.bearing_deg, direction.distance_m, given, notes
    )
    facts.rest_on_sight(goal, recording, start, end - attention.UNSEEN_S, given, notes)
    return Intention(direction, event)


def note_wording(
    question: Question,
    asked: Intention,
    form: str,
    slots: dict[str, Slot],
    given: EvidenceTables,
    notes: Derived,
) -> None:
    """The text asks for the goal; an explanation tells its last sight, its bearing and the event.

    Args:
        question: The question.
        asked: What it asks about.
        form: What the text asks, with `goal`.
        slots: What may stand for the direction in the sentence about the bearing, beside its numbers.
        given: The tables.
        notes: Filled in.
    """
    there, event = asked.direction, asked.event
    names = thing_names(there.thing, given, there.recording)
    name = Name((" ".join(phrase_in(question.text, names)),))
    keys = {e["role"]: f"{e['table']}:{e['key']}" for e in question.evidence}
    notes.asks.append(
        Statement("question", (form,), {"goal": name}, (f"objects_3d:{there.thing}",))
    )
    attention.note_last_sight(
        question, there.thing, name, given, notes, there.recording, there.at_s
    )
    notes.statements.append(
        Statement(
            "bearing of the goal",
            (
                "In the last frame its bearing on the ground plane is {bearing} degrees {side} the"
                " camera's forward axis[, at {distance} m]: {direction}.",
            ),
            there.slots() | slots,
            tuple(keys[role] for role in ("answer", "distance") if role in keys),
        )
    )
    if event is not None:
        verb = _VERBS[str(event["operator"])]
        notes.statements.append(
            Statement(
                "event",
                ("{time} s later the person {verb} it.",),
                {
                    "time": Number(event["t_s"] - there.at_s, _ROUNDED_S),
                    "verb": Choice((verb,), tuple(_VERBS.values())),
                },
                (f"spatial_facts:{event['fact_id']}",),
            )
        )

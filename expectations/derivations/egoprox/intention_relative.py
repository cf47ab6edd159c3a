"""Right option of intention (relative): the sector of the goal's bearing when the clip ends (P9).

Camera pose, goal and gaze are composed here from the source tables; of the stored facts only the
identity of the goal and the time of the event are read, and both are held against the sources.
"""

from __future__ import annotations

from typing import Any

from expectations.derivations import attention, facts, places
from expectations.derivations.clips import check_length_between
from expectations.derivations.directions import Direction, direction_to, judge_directions
from expectations.derivations.reads import merge_reads
from expectations.derivations.things import phrase_in, thing_asked, thing_names
from expectations.gates.base import Derivation, Derived, Question, span_of
from expectations.gates.statements import Choice, Name, Number, Statement
from expectations.gates.tables import EvidenceTables

_AHEAD_S = 1.0
_SHORTEST_S, _LONGEST_S = 4.0, 8.0
_MARGIN_DEG = 7.5
# Explanations tell seconds with one decimal.
_ROUNDED_S = 0.05
_VERBS = {"fixation": "looks at", "contact": "touches"}


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    recording = str(question.query["recording_id"])
    clip = start, end = span_of(question.query)
    if given.recording(recording)["view"] != "ego":
        notes.refuse("consistent", "swapped_view", f"{recording} is no wearer's camera")
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
    least_deg = 0.0 if question.as_paper else _MARGIN_DEG
    direction = direction_to(goal, recording, end, least_deg, given, notes)
    facts.rest_on_direction(
        goal, recording, end, direction.bearing_deg, direction.distance_m, given, notes
    )
    facts.rest_on_sight(goal, recording, start, end - attention.UNSEEN_S, given, notes)
    _note_wording(question, direction, event, given, notes)
    judge_directions(question, direction, given, notes)


def _note_wording(
    question: Question,
    direction: Direction,
    event: dict[str, Any] | None,
    given: EvidenceTables,
    notes: Derived,
) -> None:
    """The text asks for the goal; an explanation tells its last sight, its bearing and the event."""
    recording, goal, end = direction.recording, direction.thing, direction.at_s
    name = Name((" ".join(phrase_in(question.text, thing_names(goal, given, recording))),))
    keys = {e["role"]: f"{e['table']}:{e['key']}" for e in question.evidence}
    notes.asks.append(
        Statement(
            "question",
            (
                "Seen from above and relative to the person's viewpoint in the last frame, in which"
                " direction does the person need to look to see the {goal}?",
            ),
            {"goal": name},
            (f"objects_3d:{goal}",),
        )
    )
    attention.note_last_sight(question, goal, name, given, notes, recording, end)
    notes.statements.append(
        Statement(
            "bearing of the goal",
            (
                "In the last frame its bearing on the ground plane is {bearing} degrees {side} the"
                " camera's forward axis[, at {distance} m]: {direction}.",
            ),
            direction.slots(),
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
                    "time": Number(event["t_s"] - end, _ROUNDED_S),
                    "verb": Choice((verb,), tuple(_VERBS.values())),
                },
                (f"spatial_facts:{event['fact_id']}",),
            )
        )


DERIVATION = Derivation(
    benchmark="egoprox",
    subtasks=("intention_relative",),
    reads=merge_reads(places.READS, attention.READS, facts.READS),
    derive=_derive,
    recipes=("intention_relative",),
    explained_in=("detailed_answer",),
)

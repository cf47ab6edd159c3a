"""What both exploration subtasks are checked for: the goal, the way to it, and the words (EgoProx P9)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from expectations.derivations import attention, facts, places, ways
from expectations.derivations.clips import check_length_between
from expectations.derivations.reads import merge_reads
from expectations.derivations.things import namesakes, phrase_in, thing_asked, thing_names
from expectations.gates.base import Derived, Question, span_of
from expectations.gates.statements import Meaning, Name, Statement
from expectations.gates.tables import EvidenceTables

READS = merge_reads(places.READS, attention.READS, facts.READS, ways.READS)
_SHORTEST_S, _LONGEST_S = 4.0, 8.0


@dataclass(frozen=True, slots=True)
class Exploration:
    """The goal that a question asks about, and the way to it.

    Attributes:
        recording: The wearer's recording.
        goal: Object id of the goal.
        end_s: The clip's end, in seconds.
        leg: The way's first leg.
    """

    recording: str
    goal: str
    end_s: float
    leg: ways.FirstLeg


def exploration_asked(question: Question, given: EvidenceTables, notes: Derived) -> Exploration:
    """Return what a question asks about, and note what is wrong with its clip, goal or way.

    Args:
        question: The question.
        given: The tables.
        notes: Filled in.

    Raises:
        CannotTell: The goal, the way to it or a pose is not known.
    """
    recording = str(question.query["recording_id"])
    clip = start, end = span_of(question.query)
    if given.recording(recording)["view"] != "ego":
        notes.refuse("consistent", "swapped_view", f"{recording} is not a wearer's camera")
    check_length_between(notes, clip, _SHORTEST_S, _LONGEST_S)
    named = facts.facts_in_evidence(question, given)
    goal = thing_asked(question, named, given, notes, recording)
    attention.note_out_of_view(goal, given, notes, recording, clip)
    facts.rest_on_sight(goal, recording, start, end - attention.UNSEEN_S, given, notes)
    leg = ways.first_leg(question, goal, end, given, notes)
    for other, twin in namesakes(question.text, goal, given, recording):
        notes.refuse("distractors", "second_right", f"the text may also mean {twin} ({other})")
    return Exploration(recording, goal, end, leg)


def note_wording(
    question: Question,
    asked: Exploration,
    asks: Sequence[str],
    direction: Meaning | None,
    given: EvidenceTables,
    notes: Derived,
) -> None:
    """Note what the question and its explanation have to say.

    Args:
        question: The question.
        asked: What it asks about.
        asks: Wordings of the question, with `{goal}`.
        direction: How the explanation tells the answer at its end; None if it does not.
        given: The tables.
        notes: Filled in.
    """
    names = thing_names(asked.goal, given, asked.recording)
    name = Name((" ".join(phrase_in(question.text, names)),))
    attention.note_last_sight(
        question, asked.goal, name, given, notes, asked.recording, asked.end_s
    )
    notes.asks.append(
        Statement("question", tuple(asks), {"goal": name}, (f"objects_3d:{asked.goal}",))
    )
    slots = asked.leg.slots() | ({} if direction is None else {"direction": direction})
    forms = {
        "way": "The way to it {shape} and is {length} m long.",
        "first leg": "Its first {leg} m lead {bearing} degrees {side} the camera's forward axis on"
        f" the ground plane{'' if direction is None else ': {direction}'}.",
    }
    for what, form in forms.items():
        filled = {slot: value for slot, value in slots.items() if f"{{{slot}}}" in form}
        notes.statements.append(Statement(what, (form,), filled, (f"paths:{asked.leg.path_id}",)))

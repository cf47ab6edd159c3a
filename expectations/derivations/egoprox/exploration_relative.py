"""Right option of exploration (relative): the sector in which the way to a goal out of view begins (P9).

The stored way is held against the boxes, against what the wearer saw, and against a search of its own; the
direction is told from the camera pose composed here.
"""

from __future__ import annotations

from expectations.derivations import attention, facts, places, ways
from expectations.derivations.clips import check_length_between
from expectations.derivations.directions import check_neighbours
from expectations.derivations.geometry import sector_and_margin
from expectations.derivations.reads import merge_reads
from expectations.derivations.things import namesakes, phrase_in, thing_asked, thing_names
from expectations.derivations.wording import options_said
from expectations.gates.base import Derivation, Derived, Margin, Question, span_of
from expectations.gates.statements import Meaning, Name, Statement
from expectations.gates.tables import EvidenceTables
from expectations.gates.words import SECTORS, sector_of

_SHORTEST_S, _LONGEST_S = 4.0, 8.0
_MARGIN_DEG = 7.5


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    recording = str(question.query["recording_id"])
    clip = start, end = span_of(question.query)
    if given.recording(recording)["view"] != "ego":
        notes.refuse("consistent", "swapped_view", f"{recording} is no wearer's camera")
    check_length_between(notes, clip, _SHORTEST_S, _LONGEST_S)
    named = facts.facts_in_evidence(question, given)
    goal = thing_asked(question, named, given, notes, recording)
    attention.note_out_of_view(goal, given, notes, recording, clip)
    facts.rest_on_sight(goal, recording, start, end - attention.UNSEEN_S, given, notes)
    leg = ways.first_leg(question, goal, end, given, notes)
    sector, margin = sector_and_margin(leg.turn_deg)
    least_deg = 0.0 if question.as_paper else _MARGIN_DEG
    words = f"first leg {leg.turn_deg:.1f} to its border"
    notes.margins.append(Margin("sector_border", margin, least_deg, "deg", words))
    for other, twin in namesakes(question.text, goal, given, recording):
        notes.refuse("distractors", "second_right", f"the text may also mean {twin} ({other})")
    said = dict(options_said(question, notes, sector_of, "direction"))
    for letter, direction in said.items():
        why = f"the way begins at {leg.turn_deg:.1f} deg, {SECTORS[sector]}"
        notes.option(letter, direction == sector, why)
    check_neighbours(list(said.values()), sector, notes)
    name = Name((" ".join(phrase_in(question.text, thing_names(goal, given, recording))),))
    attention.note_last_sight(question, goal, name, given, notes, recording, end)
    notes.asks.append(
        Statement(
            "question",
            (
                "Seen from above and relative to the person's viewpoint in the last frame, in which"
                " direction does the person need to walk first to reach the {goal} without walking into"
                " anything?",
            ),
            {"goal": name},
            (f"objects_3d:{goal}",),
        )
    )
    slots = leg.slots() | {"direction": Meaning(sector, sector_of, SECTORS[sector])}
    forms = {
        "way": "The way to it {shape} and is {length} m long.",
        "first leg": "Its first {leg} m lead {bearing} degrees {side} the camera's forward axis on"
        " the ground plane: {direction}.",
    }
    for what, form in forms.items():
        filled = {slot: value for slot, value in slots.items() if f"{{{slot}}}" in form}
        notes.statements.append(Statement(what, (form,), filled, (f"paths:{leg.path_id}",)))


DERIVATION = Derivation(
    benchmark="egoprox",
    subtasks=("exploration_relative",),
    reads=merge_reads(places.READS, attention.READS, facts.READS, ways.READS),
    derive=_derive,
    recipes=("exploration_relative",),
    explained_in=("detailed_answer",),
)

"""What animals interact with, from the rows of `segments`: lists, names, and how questions say them."""

from __future__ import annotations

from typing import Any

from expectations.gates.base import CannotTell, Derived, Question, finite
from expectations.gates.statements import Name, Statement
from expectations.gates.tables import EvidenceTables
from expectations.gates.words import name_words

READS = {
    "recordings": ("recording_id", "source", "species", "duration_s", "media_duration_s"),
    "segments": ("segment_id", "recording_id", "kind", "start_s", "end_s", "class_name"),
}
ROUNDED_S = 0.5
"""Times are whole seconds; so are texts."""


def interactions(question: Question, given: EvidenceTables) -> list[dict[str, Any]]:
    """Interactions of a question's recording, earliest first.

    Raises:
        CannotTell: The recording has none.
    """
    found = [
        row
        for row in given.rows("segments", recording_id=question.recording_id)
        if row["kind"] == "interaction" and finite(row["start_s"], row["end_s"])
    ]
    if not found:
        raise CannotTell(f"recording {question.recording_id} has no interactions")
    return sorted(found, key=lambda r: (r["start_s"], r["end_s"], r["segment_id"]))


def thing_of(text: str | None) -> tuple[str, ...] | None:
    """Words of an object's name; None if there are none."""
    return name_words(text or "") or None


def state_animal(question: Question, given: EvidenceTables, notes: Derived, role: str) -> str:
    """Note that the explanation names the animal, and the evidence its recording.

    Raises:
        CannotTell: The animal is not known.
    """
    uid = question.recording_id
    animal = given.recording(uid)["species"]
    if animal is None:
        raise CannotTell(f"nothing says which animal wears the camera of {uid}")
    notes.rests_on(role, "recordings", [uid])
    notes.statements.append(
        Statement(
            "animal",
            ("The animal that wears the camera: {animal}.",),
            {"animal": Name((str(animal),))},
            (f"recordings:{uid}",),
        )
    )
    return str(animal)

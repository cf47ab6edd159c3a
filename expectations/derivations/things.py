"""Things of a room: which one a text names, and which others its words name as well."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from expectations.gates.base import CannotTell, Derived, Question
from expectations.gates.tables import EvidenceTables
from expectations.gates.words import bare_name, holds, name_words


def thing_asked(
    question: Question,
    facts: list[dict[str, Any]],
    given: EvidenceTables,
    notes: Derived,
    recording_id: str,
) -> str:
    """Return the thing a question is about: the one its evidence is about, if the text names it.

    Args:
        question: The question.
        facts: Stored facts that its evidence names.
        given: The tables.
        notes: Filled in where the text names another thing.
        recording_id: Recording that shows the thing.

    Raises:
        CannotTell: The evidence names no object of the recording.
    """
    found = [str(f["object_id"]) for f in facts]
    for key in question.keys_of("objects_3d"):
        object_id = key.rpartition("/")[0]
        if not given.part("objects_3d", recording_id=recording_id, object_id=object_id).is_empty():
            found.append(object_id)
    goals = list(dict.fromkeys(found))
    if not goals:
        raise CannotTell("the evidence names no object of this recording")
    named = [g for g in goals if phrase_in(question.text, thing_names(g, given, recording_id))]
    if len(goals) > 1 or not named:
        what = ", ".join(
            " ".join(name_words(thing_names(g, given, recording_id)[0])) for g in goals
        )
        notes.refuse(
            "consistent",
            "evidence_of_another_object",
            f"the evidence is about {what}, the text asks about something else",
        )
    return (named or goals)[0]


def thing_names(object_id: str, given: EvidenceTables, recording_id: str) -> list[str]:
    """Return the names of a thing: as its source writes it, as facts do, and its category; else its id.

    Args:
        object_id: The thing.
        given: The tables.
        recording_id: Recording that shows it.
    """
    rows = (
        given.part("objects_3d", recording_id=recording_id, object_id=object_id).head(1).to_dicts()
    )
    facts = given.rows("spatial_facts", recording_id=recording_id, object_id=object_id)
    names = [str(rows[0]["name"])] if rows else []
    names += [str(facts[0]["object_name"])] if facts else []
    names += [str(rows[0]["category"])] if rows and rows[0]["category"] else []
    return names or [object_id]


def phrase_in(text: str, names: list[str]) -> tuple[str, ...]:
    """Return the words of the longest form of a name that stands in a text; empty if none does.

    Args:
        text: Text of a question.
        names: Names of one thing.
    """
    forms = {form for name in names for form in (name_words(name), bare_name(name)) if form}
    return max(
        (f for f in forms if holds(text, " ".join(f))), key=lambda f: (len(f), f), default=()
    )


def namesakes(
    text: str, object_id: str, given: EvidenceTables, recording_id: str
) -> Iterator[tuple[str, str]]:
    """Yield other things of a recording that the words of a text name as well.

    "the cup" may also mean the red cup.

    Args:
        text: Text that names a thing.
        object_id: The thing it is about.
        given: The tables.
        recording_id: Recording that shows the thing.

    Yields:
        Id and name of each.
    """
    phrase = phrase_in(text, thing_names(object_id, given, recording_id))
    others = given.part("objects_3d", recording_id=recording_id)["object_id"]
    if others.is_empty():
        # Things that narrations name are known from facts alone.
        others = given.part("spatial_facts", recording_id=recording_id)["object_id"]
    for other in others.unique().sort() if phrase else ():
        if other == object_id:
            continue
        name = thing_names(other, given, recording_id)[0]
        own = name_words(name) if phrase[-1].isdigit() else bare_name(name)
        if own[-len(phrase) :] == phrase:
            yield other, name

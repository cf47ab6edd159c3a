"""Questions in accepted rewordings, read back into the plain words that derivations know.

A model may have reworded the template of a question; people accepted the rewording (EgoCross C4). The evidence
names it, and the row of `wordings` holds both. The text is divided here among the rewording's slots by a pattern
of its own, the values are put into the plain template, and what results is what the derivation parses: it
checks every value with the rows as ever, and knows nothing of the rewording. A text in words that are not among
the accepted ones is refused.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from expectations.gates.base import Derived, Question, listed
from expectations.gates.tables import EvidenceTables
from expectations.gates.words import holds
from expectations.schemas.readings import bare_recipe

TABLE, ROLE = "wordings", "wording"
_SLOT = re.compile(r"\{(\w+)\}")


def plain_question(question: Question, given: EvidenceTables, notes: Derived) -> Question:
    """A question as it would be asked in plain words; itself where its evidence names no rewording.

    Args:
        question: The question.
        given: Tables; `wordings` has the rewordings that are accepted for it.
        notes: Gets what the rewording breaks, and the plain text.
    """
    keys = question.keys_of(TABLE)
    if not keys:
        return question
    notes.rests_on(ROLE, TABLE, keys[:1])
    try:
        notes.plain_text = _plain_text(question, keys, given, notes)
    except _Unreadable as fault:
        notes.unread = True
        notes.refuse("consistent", fault.rule, fault.message)
        return question
    return Question({**question.row, "text": notes.plain_text})


class _Unreadable(Exception):
    """A rewording that says nothing certain of its question."""

    def __init__(self, rule: str, message: str) -> None:
        super().__init__(message)
        self.rule, self.message = rule, message


def _plain_text(question: Question, keys: list[str], given: EvidenceTables, notes: Derived) -> str:
    """The text in plain words; notes options that the rewording itself names.

    Raises:
        _Unreadable: The rewording is not accepted, does not fit the recipe or the template, or the text is not in it.
    """
    if len(keys) > 1:
        raise _Unreadable("several_wordings", f"the evidence names {len(keys)} rewordings")
    row = given.one(TABLE, wording_id=keys[0]) if given.has(TABLE) else None
    asking = f"questions of {question.recipe} from {question.source}"
    if row is None:
        raise _Unreadable(
            "wording_not_accepted", f"rewording {keys[0]} is not accepted for {asking}"
        )
    if bare_recipe(question.recipe) not in row["recipes"]:
        raise _Unreadable(
            "wording_of_another_recipe",
            f"rewording {keys[0]} is for questions of {listed(row['recipes'])}, not for {asking}",
        )
    wording, template = str(row["wording"]), str(row["template"])
    if Counter(_SLOT.findall(wording)) != Counter(_SLOT.findall(template)):
        raise _Unreadable("wording_changes_slots", f"{wording!r} has other slots than {template!r}")
    own = _SLOT.sub(" / ", wording)
    named = [str(o["text"]) for o in question.options if holds(own, str(o["text"] or ""))]
    if named:
        notes.refuse(
            "leak", "option_in_wording", f"the rewording itself names the option {listed(named)}"
        )
    values = _divided(wording, question.text)
    if values is None:
        raise _Unreadable(
            "wording_differs", f"the text is not in the words {wording!r}, or not clearly"
        )
    return _SLOT.sub(lambda slot: values[slot[1]], template)


def _divided(wording: str, text: str) -> dict[str, str] | None:
    """Text in each slot of a rewording; None for a text in other words, or one that divides in two ways."""
    shortest, longest = (_pattern(wording, more).fullmatch(text) for more in (".+?", ".+"))
    if shortest is None or longest is None or shortest.groupdict() != longest.groupdict():
        return None
    return shortest.groupdict()


@lru_cache(maxsize=512)
def _pattern(wording: str, more: str) -> re.Pattern[str]:
    parts, at, seen = [], 0, set[str]()
    for slot in _SLOT.finditer(wording):
        name = slot[1]
        parts += [re.escape(wording[at : slot.start()])]
        parts += [f"(?P={name})" if name in seen else f"(?P<{name}>{more})"]
        seen.add(name)
        at = slot.end()
    return re.compile("".join([*parts, re.escape(wording[at:])]))

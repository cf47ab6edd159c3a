"""What every rule for letters gives back, and the rules that the others share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from assets.extract.declarations import last_declaration, letters_in, ruled_out_in
from assets.extract.option_texts import Named, named_alone
from assets.extract.readings import Status
from assets.extract.refusals import is_refusal
from assets.extract.verdicts import Verdict


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read.

    Attributes:
        letter: Letter, upper case; None unless `status` is `parsed`.
        status: What could be done.
        rule: Rule that decided.
    """

    letter: str | None
    status: Status
    rule: str


TOKEN = re.compile("[\ue000-\ue019]")


def from_verdict(found: Verdict | Named | None) -> Reading | None:
    """Reading of what an option was found by; of two that were, none."""
    if found is None:
        return None
    return Reading(found.letter, "parsed" if found.letter else "ambiguous", found.rule)


_PERSON_ACTS = re.compile(r"#?(?:C )?[A-Z] (?=[a-z]{2,}s )")


def bare_letter(text: str, letters: Sequence[str]) -> Reading | None:
    """A letter and nothing else, in whatever brackets."""
    bare = text.strip(" \t\n.,:;!?()[]{}<>\"'+-=|")
    return Reading(bare, "parsed", "letter_alone") if len(bare) == 1 and bare in letters else None


def declared(text: str, letters: Sequence[str]) -> Reading | None:
    """The last declaration."""
    found = last_declaration(text)
    if found is None:
        return None
    left = {found.letter, found.also} - ruled_out_in(text, letters) if found.also else set()
    if len(left) == 1:
        # "So A or B; it can't be A."
        return Reading(left.pop(), "parsed", f"{found.pattern}_left")
    if found.also is not None:
        # "Before I can pick A, B, C or D": nothing is chosen.
        refused = is_refusal(text) and len(letters_in(text, letters)) == len(letters)
        return Reading(None, "refused" if refused else "ambiguous", f"{found.pattern}_several")
    if found.letter not in letters:
        return Reading(None, "ambiguous", f"{found.pattern}_foreign_letter")
    return Reading(found.letter, "parsed", found.pattern)


def whole(text: str, letters: Sequence[str], texts: Sequence[str]) -> Reading | None:
    """The reply is a letter, an option's text, or "the first option", and nothing else."""
    bare = text.strip(" \t\n.,:;!?()[]{}<>\"'+-=|#")
    if len(bare) == 1 and bare.upper() in letters:
        return Reading(bare.upper(), "parsed", "letter_alone")
    if len(bare) > 4 and len(set(bare)) == 1 and bare[0] in letters:
        return Reading(bare[0], "parsed", "letter_repeated")  # a model that cannot stop
    # "A, C", "(A)(C)": letters and nothing else.
    apart = r"[\s,./&|()\[\]{}]+"
    same = set(re.split(apart, bare)) if len(bare) < 400 and bare[:1] in letters else set()
    if same and same <= set(letters):
        if len(same) > 1:
            return Reading(None, "ambiguous", "several_letters")
        return Reading(same.pop(), "parsed", "letter_repeated")
    option = named_alone(text, letters, texts)
    if option is None and texts and (person := _PERSON_ACTS.match(text)) is not None:
        # "C opens the drawer": who does it, and the option.
        option = named_alone(text[person.end() :], letters, texts)
        option = option if option is not None and option.rule == "text_alone" else None
    return from_verdict(option)

"""Readings under the declared conventions: compounds as one thing, verbs with what goes with them."""

from __future__ import annotations

from collections.abc import Sequence

from assets.labels.hands import MASK, UNSIDED
from assets.labels.lexicon import LONGEST, Entry, Lexicon
from assets.labels.readings import Reading
from assets.labels.words import (
    ASKS_VERB,
    CONJUNCTIONS,
    MODALS,
    PARTICLES,
    PREPOSITIONS,
    STOPS,
    TAIL_WORDS,
)

_OPENS = CONJUNCTIONS | MODALS | STOPS | ASKS_VERB | {"^", ",", "still", "then", "also"}
_OPENS_GERUND = ASKS_VERB | STOPS | {"^", "still"}
_AFTER_PARTICLE = CONJUNCTIONS | STOPS | PREPOSITIONS | {"$", ",", "to"}
_NEXT = CONJUNCTIONS - {"and", "or"}
_BACK = frozenset(["back"])
_STAGES = ASKS_VERB | {"try", "tries", "trying"}
_HANDLES = frozenset(["use", "uses", "using", "with"])


def longest_nouns(texts: Sequence[str], lexicon: Lexicon) -> tuple[list[Reading], set[int]]:
    """The longest noun phrases of the vocabulary, left to right, and the words they use up.

    A word that opens an action is its verb, not part of a phrase: "cut onion", "open cupboard".
    """
    readings: list[Reading] = []
    used: set[int] = set()
    i = 0
    while i < len(texts):
        found = None
        if texts[i] in lexicon.noun_phrase_starts and not _opens(texts, i, lexicon):
            found = _longest(texts, i, lexicon)
        if found is None:
            i += 1
            continue
        entry, length = found
        used.update(range(i, i + length))
        if entry.class_id is not None:
            readings.append(Reading(i, i + length - 1, "noun", entry, "noun_phrase"))
        i += length
    return readings, used


def _opens(texts: Sequence[str], i: int, lexicon: Lexicon) -> bool:
    if texts[i] in _HANDLES or texts[i] in TAIL_WORDS:
        return True
    verb = lexicon.verbs.get((texts[i],))
    before = texts[i - 1] if i else "^"
    # "Still cutting onion", but "take a knife and cutting board".
    opens = _OPENS_GERUND if verb is not None and verb.form == "ing" else _OPENS
    return verb is not None and verb.form != "participle" and before in opens


def _longest(texts: Sequence[str], i: int, lexicon: Lexicon) -> tuple[Entry, int] | None:
    for length in range(min(LONGEST, len(texts) - i), 1, -1):
        entry = lexicon.nouns.get(tuple(texts[i : i + length]))
        if entry is not None:
            return entry, length
    return None


def heads(readings: Sequence[Reading]) -> list[Reading]:
    """Readings without nouns that only modify the noun right after them."""
    starts = {r.first for r in readings if r.kind == "noun"}
    return [r for r in readings if r.kind != "noun" or r.last + 1 not in starts]


def handled(readings: Sequence[Reading], texts: Sequence[str], lexicon: Lexicon) -> list[Reading]:
    """Masked hands that something is done to, as nouns: "wash your hands"."""
    entry = lexicon.nouns.get(("hand",))
    if entry is None or entry.class_id is None:
        return []
    ends = {r.last + 1 for r in readings if r.kind == "verb"}
    return [
        Reading(i, i, "noun", entry, "noun_hand")
        for i, text in enumerate(texts)
        if i in ends and text in (MASK, UNSIDED)
    ]


def without_use(readings: Sequence[Reading], texts: Sequence[str]) -> list[Reading]:
    """Readings without verbs that serve another: "use a knife to open the box", "start cutting"."""
    verbs = [r for r in readings if r.kind == "verb"]
    last = max((r.first for r in verbs if r.first and texts[r.first - 1] == "to"), default=-1)
    asked = {r.first - 1 for r in verbs if r.entry.form == "ing"}
    asked |= {r.first - 2 for r in verbs if r.first and texts[r.first - 1] == "to"}
    return [
        r
        for r in readings
        if r.kind != "verb"
        or not (
            (texts[r.first] in _HANDLES and r.first < last)
            or (texts[r.first] in _STAGES and r.last in asked)
        )
    ]


def with_tails(
    readings: Sequence[Reading], texts: Sequence[str], lexicon: Lexicon
) -> list[Reading]:
    """Verbs with what stands behind their object ("put the pan in"), or with that object.

    Args:
        readings: Verbs and nouns in order of place.
        texts: Words of the narration.
        lexicon: The vocabulary.
    """
    verbs = [r.first for r in readings if r.kind == "verb"]
    out: list[Reading] = []
    for reading in readings:
        if reading.kind == "verb" and reading.first == reading.last:
            stop = next((i for i in verbs if i > reading.first), len(texts))
            entry = _object_entry(reading, readings, stop, texts, lexicon) or tail_entry(
                reading.first, stop, texts, lexicon
            )
            if entry is not None:
                reading = reading._replace(entry=entry, rule="verb_apart")
        out.append(reading)
    return _with_meant(out, lexicon) if lexicon.meant else out


def _with_meant(readings: Sequence[Reading], lexicon: Lexicon) -> list[Reading]:
    """The first noun after each verb, as what it means there: the water turned on is the tap."""
    out: list[Reading] = []
    verb: int | None = None
    for reading in readings:
        if reading.kind == "verb":
            verb = reading.entry.class_id
        elif verb is not None:
            entry = lexicon.meant.get((verb, reading.entry.class_id or 0))
            if entry is not None and reading.entry.class_id is not None:
                reading = reading._replace(entry=entry, rule="noun_meant")
            verb = None
        out.append(reading)
    return out


def _object_entry(
    verb: Reading, readings: Sequence[Reading], stop: int, texts: Sequence[str], lexicon: Lexicon
) -> Entry | None:
    told = lexicon.verb_objects.get(texts[verb.first])
    if told is None:
        return None
    thing = next((r for r in readings if r.kind == "noun" and verb.first < r.first < stop), None)
    return None if thing is None or thing.entry.class_id is None else told.get(thing.entry.class_id)


def tail_entry(at: int, stop: int, texts: Sequence[str], lexicon: Lexicon) -> Entry | None:
    """What a word names with what stands behind its object, before the word `stop`."""
    tails = lexicon.verb_tails.get(texts[at])
    if tails is None:
        return None
    convention = lexicon.convention
    back: Entry | None = None
    for i in range(at + 1, stop):
        if texts[i] in STOPS or texts[i] in _NEXT:
            break
        if texts[i - 1] == "upside" or (texts[i] == "of" and i > at + 1):
            continue
        for length in (2, 1):
            entry = tails.get(tuple(texts[i : i + length]))
            if entry is None:
                continue
            after = texts[i + length] if i + length < stop else "$"
            ends = texts[i] in PARTICLES and after in _AFTER_PARTICLE
            if texts[i] in _BACK:
                back = back or entry  # "put it back in the box" is *put-in*
            elif convention.preposition_apart or (convention.particle_apart and ends):
                return entry
    return back

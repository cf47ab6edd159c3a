"""Part that each noun plays for its verb, where the word that governs it decides.

The verb's object is `direct`; what follows "with" or "use" is a `tool`, unless the verb fills or mixes;
what follows "in", "into" or "out of" is a `container`, what follows "on" or "under" a `location`; what
only belongs to another noun ("a bowl of rice") is `other`. Members of a list play the same part.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from assets.labels.readings import Reading
from assets.labels.words import (
    BE,
    CONJUNCTIONS,
    MODALS,
    PARTICLES,
    PREPOSITIONS,
    PRONOUNS,
    STOPS,
    verb_forms,
)


def _forms(verbs: str) -> frozenset[str]:
    return frozenset(form for verb in verbs.split() for form in verb_forms(verb))


_USE = _forms("use utilize employ")
_FILL = _forms("fill cover season marinate top garnish")
_JOIN = _forms("mix coat combine replace blend wet")  # with a tool, or with what is added
_MOVE = _forms(
    "hold take pick grab lift put place carry move bring pass give prepare show present fetch get set"
)
_HOLDERS = frozenset(
    "bag basin basket beaker bottle bowl box bucket can carton container cup dish drawer flask glass "
    "jar jug kettle mug oven pack packet pan plate pot pouch saucepan sink tank tray tub tube "
    "vessel wok".split()
)
_INSIDE = frozenset(["in", "into", "inside", "within"])
_PLACES = frozenset(
    "on onto upon over under against near behind between at to towards toward along around "
    "through from by beside above below across".split()
)
_ALONE = frozenset(["by", "at"])
_PARTS = {"top": "location", "front": "location", "side": "location", "out": "container"}
_STOPS_WALK = (PREPOSITIONS | PRONOUNS | BE | MODALS | CONJUNCTIONS | STOPS | PARTICLES) | {
    ",",
    "#",
    "##",
    "that",
    "which",
    "who",
    "using",
    "use",
    "uses",
}


def roles(
    texts: Sequence[str], readings: Sequence[Reading], bounds: Sequence[tuple[int, int]]
) -> list[str | None]:
    """Role of each reading: `action` of a verb, that of a noun, or None where no rule decides.

    Args:
        texts: Masked words of the narration.
        readings: Its verbs and nouns in order of place.
        bounds: First word of each clause, and the word after it.
    """
    verbs = {r.first: r for r in readings if r.kind == "verb"}
    # "Chopped onion": the participle is part of the noun phrase.
    acting = {i: r for i, r in verbs.items() if r.rule != "verb_participle"}
    ends = {i: r.last for i, r in acting.items()}
    starts = [start for start, _ in bounds]
    found: dict[int, str | None] = {}
    out: list[str | None] = []
    for reading in readings:
        if reading.kind == "verb":
            out.append("action")
            continue
        start, stop = bounds[max(0, bisect_right(starts, reading.first) - 1)]
        role = _role(texts, reading, start, stop, acting, ends, found)
        for i in range(reading.first, reading.last + 1):
            found.setdefault(i, role)
        out.append(role)
    return out


def _role(
    texts: Sequence[str],
    noun: Reading,
    start: int,
    stop: int,
    acting: dict[int, Reading],
    ends: dict[int, int],
    found: dict[int, str | None],
) -> str | None:
    if noun.first in found:  # a noun inside a phrase plays the part of the phrase
        return found[noun.first]
    i = noun.first - 1
    while i >= start and i not in acting and texts[i] not in _STOPS_WALK:
        i -= 1
    if i < start:
        return _subject(texts, noun.last, stop, acting)
    text = texts[i]
    if i in acting or text in ("using", "use", "uses"):
        return "tool" if text in _USE else "direct"
    if text in ("and", "or", ",", "then"):
        return _listed(texts, i, start, acting, found, noun, stop)
    verb = next((v for v in range(i - 1, start - 1, -1) if v in acting), None)
    if text in PARTICLES and verb is not None and _goes_with(texts, verb, i, ends):
        return "direct"
    if text in PREPOSITIONS or text == "to":
        return _governed(texts, i, start, verb, found)
    if text in ("#", "##") and verb is None:
        return None
    return _subject(texts, noun.last, stop, acting) if verb is None else None


def _goes_with(texts: Sequence[str], verb: int, i: int, ends: dict[int, int]) -> bool:
    """Whether a particle right behind a verb belongs to it: "pick up", and "turn on" if listed."""
    if i != verb + 1:
        return False
    return ends[verb] >= i or texts[i] not in PREPOSITIONS


def _governed(
    texts: Sequence[str], i: int, start: int, verb: int | None, found: dict[int, str | None]
) -> str | None:
    """Role of what follows a preposition."""
    text, before = texts[i], texts[i - 1] if i > start else ""
    action = texts[verb] if verb is not None else ""
    if text in ("with", "via"):
        if action in _FILL:
            return "other"
        # "A plate with tofu" holds tofu; "wash a plate with soap" uses soap.
        moved = action in _MOVE and found.get(i - 1) in (None, "direct")
        holds = moved and _singular(before) in _HOLDERS
        return None if holds or action in _JOIN else "tool"
    if text == "of":
        return _PARTS.get(before, "other")
    if text in _INSIDE:
        return "location" if i + 1 < len(texts) and texts[i + 1] == "front" else "container"
    if text in _ALONE and verb is None:
        return None
    return "location" if text in _PLACES else "other"


def _singular(word: str) -> str:
    return word.removesuffix("s") if word != "glass" else word


def _listed(
    texts: Sequence[str],
    i: int,
    start: int,
    acting: dict[int, Reading],
    found: dict[int, str | None],
    noun: Reading,
    stop: int,
) -> str | None:
    """Role of a member of a list: that of the member before, if no verb stands between."""
    for at in range(i - 1, start - 1, -1):
        if at in acting:
            break
        if at in found:
            return found[at]
    return _subject(texts, noun.last, stop, acting)


def _subject(texts: Sequence[str], last: int, stop: int, acting: dict[int, Reading]) -> str | None:
    """What stands before the verb: the object of a passive; otherwise no part that a rule tells."""
    for i in range(last + 1, min(stop, last + 6)):
        if texts[i] in BE and i + 1 < stop:
            after = texts[i + 1 : min(i + 4, stop)]
            told = any(word.endswith(("ed", "en")) or word in _PASSIVE for word in after[:2])
            return "direct" if told else None
        if i in acting or texts[i] in PREPOSITIONS:
            return None
    return None


_PASSIVE = frozenset("put cut held set left made split spread taken hung kept laid shut".split())
